"""Check yourself, on the page "Scores of a path": commit to an answer, then see."""

import math
import secrets

import streamlit as st

from pages.scores.path_sections import two_paths
from pages.shared.course import brute_force
from pages.shared.course.exercises import Exercise
from pages.shared.course.numbers import format_score, parse_number
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.figures import path_score, theme
from pages.shared.ui.second_try import checked, settled

_SEED = "scores.seed"  # of the two paths and of the exercise
_COMMITTED = "scores.committed"  # (problem, seed, which path was said to score more)
_SEEDS = 10**6


def check_yourself(problem: Problem) -> None:
    """A guess on the problem on screen, and an exercise with numbers of its own."""
    st.header("Check yourself", anchor=False)
    seed = st.session_state.setdefault(_SEED, 2 * secrets.randbelow(_SEEDS))  # even: see two_paths
    _which_scores_more(problem, seed)
    _path_score(seed)
    st.button("New paths and numbers", on_click=_new_seed)


def _new_seed() -> None:
    st.session_state[_SEED] = secrets.randbelow(_SEEDS)


def _which_scores_more(problem: Problem, seed: int) -> None:
    pair = two_paths(problem, seed)
    if pair is None:
        return
    names = [path_score.named(problem, path) for path in pair]
    with st.form(f"scores.guess.{seed}"):
        said = st.radio(
            "Which of these two paths of the problem on screen scores more?",
            (0, 1),
            index=None,
            format_func=lambda k: theme.markdown(names[k]),
        )
        if st.form_submit_button("Commit, then see"):
            if said is None:
                st.info("Choose one of them first.")
                return
            st.session_state[_COMMITTED] = (problem, seed, said)
        committed = st.session_state.get(_COMMITTED)
        if committed is None or committed[:2] != (problem, seed):
            return
        scores = [brute_force.score(problem, path) for path in pair]
        right = scores[committed[2]] == max(scores)
        for path, name, total in zip(pair, names, scores, strict=True):
            summands = " + ".join(
                path_score.summand(term.value) for term in path_score.terms(problem, path)
            )
            st.html(path_score.prose(f"{name}: {summands} = {format_score(total)}"))
        more, less = sorted((0, 1), key=lambda k: -scores[k])
        by = (
            "" if scores[less] == -math.inf else f", by {format_score(scores[more] - scores[less])}"
        )
        forbidden = "; the other is forbidden" if not by else ""
        _verdict(right, f"{names[more]} scores more{by}{forbidden}.")


def _path_score(seed: int) -> None:
    exercise = Exercise(seed, "path-score", "medium")
    question, answer = exercise.question(), exercise.answer()
    key = f"scores.exercise.{seed}"
    with st.form(key):
        st.markdown(question.text)
        st.html(path_score.exercise_tables(question.tables))
        typed = st.text_input("Its score", key=f"scores.answer.{seed}", width=200)
        pressed = st.form_submit_button("Check")
        if not checked(key, pressed, typed) or not typed.strip():
            return
        try:
            given = parse_number(typed, "Its score")
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
            return
        right = abs(given - answer.numbers[0]) < path_score.TOLERANCE
        if right:
            _verdict(True, " ".join(answer.lines))
            return
        hint = path_score.diagnose(exercise.problem, exercise.path, given)
        if not settled(key, right, pressed):
            _verdict(False, f"{hint} Try once more.")
        else:
            _verdict(False, hint)
            with st.expander("Show the calculation"):
                st.markdown(theme.markdown(" ".join(answer.lines)))


def _verdict(right: bool, text: str) -> None:
    if right:
        st.success(f"Right. {theme.markdown(text)}", icon=":material/check:")
    else:
        st.error(f"Not right. {theme.markdown(text)}", icon=":material/close:")
