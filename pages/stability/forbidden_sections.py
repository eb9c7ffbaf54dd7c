"""The section of the lesson "Numerical stability" about −10000 and −∞."""

import math
from functools import lru_cache

import streamlit as st

from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.path_score import prose
from pages.shared.ui.view import View
from pages.stability import forbidden_figures as shown
from pages.stability.forbidden import Forbidding, compare, empty_row, every_other_forbidden
from pages.stability.number_formats import DTYPES
from pages.stability.sections import formats, results, tells

WHICH, FORMAT = "stability.which", "stability.format3"
_SHORT, _LONG = 3, 16
CHOICES = {
    "short": f"{_SHORT} tokens, no path left",
    "long": f"{_LONG} tokens, no path left",
    "screen": "The problem on screen",
}


@lru_cache(maxsize=32)
def compared(problem: Problem) -> tuple[Forbidding, ...]:
    """Each way to forbid, in each format."""
    return tuple(compare(problem))


def forbids(problem: Problem) -> bool:
    """Whether some score of it is −∞."""
    rows = [*problem.emissions, problem.start, problem.end]
    rows += [row for t in range(1, len(problem.tokens)) for row in problem.matrix(t)]
    return any(score == -math.inf for row in rows for score in row)


def chosen(problem: Problem) -> Problem:
    """What the section is about."""
    which = st.session_state.get(WHICH, "short")
    return (
        problem
        if which == "screen"
        else every_other_forbidden(_LONG if which == "long" else _SHORT)
    )


@st.fragment
def stand_in(view: View, problem: Problem) -> None:
    """−10000 against −∞, in value and gradient."""
    st.header("−10000 is not −∞", anchor=False)
    if tells(view):
        st.html(
            prose(
                "Many programs write −10000 for “forbidden”, so as not to meet −∞. It is a score "
                "like any other. As long as some allowed path is left, exp(−10000) is 0 beside it, "
                "and nothing is noticed. What if no path is left?",
                "Two such chains are at hand: each token allows the tag A alone, and A may not "
                "follow A.",
                "A model is trained by the gradient of log Z: how much log Z grows with each "
                "emission. It equals the marginals: the share of the probability that each tag has "
                "at each token. “Off by” says how far its worst entry is from what it should be.",
            )
        )
    if st.session_state.get(WHICH) not in CHOICES:
        st.session_state[WHICH] = "short"
    if "controls" not in view.hide:
        st.segmented_control(
            "In", list(CHOICES), format_func=CHOICES.get, required=True, key=WHICH,
            persist_state="session",
        )  # fmt: skip
    on_screen = chosen(problem)
    if not forbids(on_screen):
        st.info("The problem on screen forbids nothing, so there is nothing to write −10000 for.")
    found = compared(on_screen)
    with results(view, "Show log Z and its gradient"):
        told = prose(*shown.forbidden_words(found), shown.spacing()) if tells(view) else ""
        st.html(tables.beside(shown.forbidden_verdicts(found), told))
        _gradient(view, found, on_screen)


def _gradient(view: View, found: tuple[Forbidding, ...], problem: Problem) -> None:
    st.subheader("Its gradient", anchor=False)
    if tells(view):
        st.html(
            prose(
                "Entry by entry: a tag that is forbidden must have 0, and where there is a path "
                "each column must sum to 1."
            )
        )
    dtype = formats(view, "Number format", FORMAT)
    drawn = [x for x in found if x.dtype == dtype]
    st.html(shown.gradients(drawn, problem, words=tells(view)))


def nothing_but_forbidden(view: View) -> None:
    """A row of −∞ only."""
    st.header("A row of −∞ only", anchor=False)
    rows = [empty_row(dtype) for dtype in DTYPES]
    if tells(view):
        st.html(
            prose(
                "A tag that cannot be reached has log α̂ = logsumexp(−∞, −∞, …). The largest score "
                "is c = −∞, and −∞ − (−∞) is nan. One nan makes every later number nan. The "
                "library’s function knows the value, but look at its gradient."
            )
        )
    with results(view, "Show value and gradient"):
        header = ["logsumexp(−∞, −∞, −∞)", "value", "gradient"]
        st.html(tables.text_table(header, shown.empty_rows(rows[2]), "A row of −∞ only"))
        if tells(view):
            same = all(repr(row[1:]) == repr(rows[0][1:]) for row in rows)
            st.html(
                prose(
                    ("It is the same in all four formats. " if same else "")
                    + "Handled means: where the largest score is −∞, subtract 0 instead, and let "
                    "the logarithm see 1 instead of 0. Then no nan arises anywhere, and the "
                    "gradient is 0, as it should be: no path depends on these scores."
                )
            )
