"""Lesson: the score of one path, term by term, and what it says of the path's probability."""

import streamlit as st

from pages.scores import path_questions, path_sections
from pages.shared.figures import path_score
from pages.shared.ui import frame, lesson, problem_bar

view = lesson.begin()
st.html(path_score.formula())
problem = problem_bar.show(view)
path = path_sections.current_path(problem)
with st.container():
    frame.show_complaints()
path_sections.picker(problem, path)
path_sections.probability(problem, path, path_sections.standing(problem, path))
if "prose" not in view.hide:
    path_sections.tables_read(problem, path)
path_sections.code()
path_questions.check_yourself(problem)
path_sections.publish(problem, path)
