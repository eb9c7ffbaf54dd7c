"""Lesson: the score of one path, term by term, and what it says of the path's probability."""

from itertools import pairwise

import streamlit as st

from crf.figures.numbers import format_score
from pages.scores import facts, path, questions
from pages.shared.course.problem import ProblemError
from pages.shared.figures import path_score
from pages.shared.figures import paths as draws
from pages.shared.ui import computed, exports, frame, paths, problem_state, score_tables
from pages.shared.ui.lesson import Lesson

lesson = Lesson.open("scores", controls=(questions.SEED,), own=path.query, also=("equation",))
lesson.bar(beside=True)
problem = lesson.problem
chosen = path.current(problem)
place = path.standing(problem, chosen)
tags, tokens = problem.tags, problem.tokens

picture, text = lesson.split()
with picture:
    if lesson.asks:
        with st.container(horizontal=True, key="scores-buttons"):
            finds = {"best": path.best} if place else {}  # none is best where no path is allowed
            for name, find in (finds | {"greedy": path.greedy, "random": path.random}).items():
                st.button(
                    lesson.text.line(f"labels.{name}"),
                    key=f"scores.{name}",
                    help=lesson.text.line(f"labels.{name}-help"),
                    on_click=lambda find=find: path.choose(find(problem)),
                )
    paths.picker(problem, chosen, place, key="picker", on_change=path.choose)
    if lesson.view.screen:
        path.turns(problem, chosen)

with text:
    lesson.editor()
    digits = draws.digits(problem)
    is_table_shown = lesson.tells and len(tokens) > 1 and not problem.per_step
    first = next(iter(chosen))
    score = {
        "word": problem.tokens[0],
        "tag": tags[first],
        "emission": format_score(problem.emissions[0][first], digits),
    }
    if len(tokens) > 1:
        i, j = next(pairwise(chosen))
        step_score = format_score(problem.matrix(1)[i][j], digits)
        score |= {"a": tags[i], "b": tags[j], "transition": step_score}
    with frame.passage():
        lesson.say("what" if place else "what-none", count=facts.paths(problem))
        if place is None:
            lesson.say("none")
        lesson.say("marks")
        if problem_state.is_edited():
            pass  # the scores are the reader's own by now
        elif problem_state.origin().example and not problem.per_step:
            if problem_state.origin().example == "old-man":
                lesson.say("old-man")
            lesson.say("made-by-hand")
        elif problem_state.is_of_a_tagger():
            lesson.say("from-tagger")
        if len(tokens) == 1:
            lesson.say("score-alone", **score)
        else:
            lesson.say("score-per-step" if problem.per_step else "score", **score)
    if is_table_shown:
        score_tables.transitions(problem)
    with frame.passage():
        if len(tokens) > 1:
            lesson.say("add")
        if len(tags) > 1:
            lesson.say("click")
        lesson.say("probability")
        if "equation" not in lesson.view.hide:
            frame.html(path_score.formula(per_step=problem.per_step))
        if place is None:
            pass  # said above
        elif place.log_p == float("-inf"):
            lesson.say("z-forbidden")
        elif -place.log_p < facts.SAME:
            lesson.say("z-all")
        else:
            lesson.say("z", nll=draws.loss(place))
        lesson.say("zero")
        lesson.say("hmm")
    came = problem_state.origin().problem
    questions.which_scores_more(came, path.best(came), edited=problem_state.is_edited())

    if place is not None:
        with lesson.fold(key="rank") as is_open:
            if is_open:
                try:
                    listed = computed.paths(problem)
                except ProblemError:
                    listed = None
                rank = facts.rank(problem, chosen, listed)
                lesson.say("rank", behind=facts.behind(place), rank=rank)
    with lesson.fold(key="table") as is_open:
        if is_open:
            if found := facts.one_way(problem, chosen):
                lesson.say("direction", **found)
            if found := facts.unlike_an_hmm(problem, chosen[0]):
                lesson.say("rows", **found)
            if not is_table_shown:
                score_tables.transitions(problem)
    with lesson.fold(key="exercise") as is_open:
        if is_open:
            questions.exercise()
    if lesson.shows_everything("counts", "questions"):
        with lesson.fold(key="counts") as is_open:
            if is_open:
                lesson.say("counts")
                if facts.forbids(problem):
                    lesson.say("counts-forbidden")
                if problem.per_step:
                    lesson.say("counts-per-step")
                else:
                    st.html(path_score.counts_table(problem, chosen))
                    lesson.say("factor", feature=facts.feature(problem, chosen))
        if lesson.summary.feasible:
            with lesson.fold(key="questions") as is_open:
                if is_open:
                    best, *others = lesson.decoded
                    asked, learning = facts.questions(problem, best, others, lesson.summary)
                    lesson.say("questions", **asked)
                    lesson.say("learning" if "weight" in learning else "learnt", **learning)
    lesson.foot(
        {
            lesson.text.line("labels.terms"): exports.Table.of(
                lambda: path.term_rows(problem, chosen)
            )
        },
        code="path_score",
    )
lesson.close()
