"""Lesson: the score of one path, term by term, and what it says of the path's probability."""

import streamlit as st

from crf import chain, scoring
from pages.scores import path_questions, path_sections
from pages.shared.course import brute_force
from pages.shared.figures import path_score
from pages.shared.ui.lesson import Lesson, show_code

lesson = Lesson.open("scores", own=path_sections.query)
st.html(path_score.formula())
lesson.bar()
problem, path = lesson.problem, path_sections.current_path(lesson.problem)
path_sections.picker(problem, path)
path_sections.probability(problem, path, path_sections.standing(problem, path))
if lesson.tells:
    path_sections.tables_read(problem, path)
show_code(
    lesson.name,
    (
        ("The score of one path, as the formula says it", brute_force.score),
        ("The same for a batch of paths, as tensors", scoring.score_terms),
        ("Its log-probability", chain.LinearChain.log_prob),
    ),
)
path_questions.check_yourself(problem)
lesson.teacher()
lesson.close()
