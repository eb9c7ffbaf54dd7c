"""The sections of the lesson "Numerical stability" about one sum, log Σ exp(q)."""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import streamlit as st

from pages.shared.course.numbers import format_potential, format_score
from pages.shared.figures import tables
from pages.shared.figures.path_score import prose
from pages.shared.ui import problem_state
from pages.shared.ui.view import View
from pages.stability import exact, figures, number_formats, own_scores
from pages.stability import sum_figures as shown
from pages.stability import sums as stability
from pages.stability.number_formats import DTYPES, GOOD, limits
from pages.stability.own_scores import Scores
from pages.stability.verdicts import exactly, said, unbroken
from pages.stability.worked import added, with_offset

SEEN, GUESS, FORMAT = "stability.seen", "stability.guess", "stability.format"
LEFT, RIGHT = "stability.a", "stability.b"


def tells(view: View) -> bool:
    """Whether the text is shown."""
    return "prose" not in view.hide


def results(view: View, label: str) -> Any:
    """Where results stand: on the page, or, where answers are hidden, in a part to unfold."""
    return st.expander(label) if "answers" in view.hide else st.container()


def formats(view: View, label: str, key: str, default: str = "float32") -> str:
    """A switch between the number formats; not drawn where controls are hidden."""
    if st.session_state.get(key) not in DTYPES:
        st.session_state[key] = default
    if "controls" in view.hide:
        return st.session_state[key]
    return st.segmented_control(
        label, list(DTYPES), required=True, key=key, persist_state="session"
    )


def steps(lines: Sequence[str]) -> str:
    """A calculation, a step a line."""
    drawn = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f'<div class="crf-formula crf-recursion crf-steps">{drawn}</div>'


# ---------------------------------------------------------------------- what a format holds


def what_formats_hold(view: View) -> None:
    """The four formats and where exp leaves them."""
    st.header("What a number format can hold", anchor=False)
    found = [limits(dtype) for dtype in DTYPES]
    if tells(view):
        wide, narrow = found[3], found[2]
        thousand = unbroken(format_potential(1000 * math.log(0.1)))
        st.html(
            prose(
                "exp of a path’s score is a product, with one factor for each score in it. Take "
                f"a thousand factors of 0.1: their product is {thousand}. None of the four formats "
                "below holds a number that small.",
                f"In {narrow.dtype}, exp of more than {format_score(narrow.overflow)} is inf: "
                f"it overflows. exp of less than {format_score(narrow.underflow)} is 0: it "
                f"underflows. In {wide.dtype} the limits are {format_score(wide.overflow)} "
                f"and {format_score(wide.underflow)}. Scores of long sentences pass both.",
                "float16 and bfloat16 take 16 bits a number, with which large networks are trained "
                "fast: float16 spends more of them on digits, bfloat16 more on range.",
            )
        )
    st.html(tables.text_table(shown.LIMITS, shown.limit_rows(found), "What each format holds"))


# ---------------------------------------------------------------------- one sum


@st.fragment
def one_sum(view: View, publish: Callable[[], None]) -> None:
    """Any scores, three ways, four formats: guess, then see; then the choice of c.

    Args:
        view: The page's.
        publish: Puts the page's values into the address.
    """
    st.header("One sum: log Σ exp(q)", anchor=False)
    if tells(view):
        st.html(
            prose(
                "Every cell of the forward recursion is such a sum. The scores q that meet in it "
                "are log-potentials; exp turns each into a potential, the potentials are added, "
                "and log turns the sum back into a score. The result is a harmless number, a "
                "little above the largest q. What comes up on the way may not be harmless."
            )
        )
    scores = own_scores.chooser(problem_state.current(), view)
    publish()
    found = own_scores.sums(scores)
    seen = _seen(scores, found)
    if seen:
        exps = tables.text_table(["", *DTYPES], shown.exp_rows(found), "exp of each score")
        st.html(tables.beside(shown.sum_verdicts(found), exps))
        if tells(view):
            told = shown.why(found) or ["Nothing goes wrong with these scores."]
            st.html(prose(*told, *_exact(scores, found)))
    _way_out(view)  # the rule is no answer: what follows needs it
    if seen:
        _choice_of_c(view, scores)


def _exact(scores: Scores, found: list[stability.LogSum]) -> list[str]:
    value = exact.exact_log_sum_exp(scores, digits=25)
    text = exactly(value)
    return [
        f"Exact, by decimal arithmetic with 25 digits: {text}. Errors are measured against it; "
        f"“right” means off by at most {number_formats.RIGHT:g} nats, a tenth of a percent.",
        *shown.nearest(found, float(value)),
    ]


def _seen(scores: Scores, found: list[stability.LogSum]) -> bool:
    """The guess, until the reader has committed to one or asked to see; what became of it."""
    naive = {x.dtype: x.kind not in GOOD for x in found if x.method == "naive"}
    if st.session_state.get(SEEN) is None:
        with st.form("stability.form"):
            st.pills(
                "In which formats does log Σ exp(q), computed as it is written, go wrong for these "
                "scores?",
                list(DTYPES),
                selection_mode="multi",
                key=GUESS,
            )
            with st.container(horizontal=True):
                st.form_submit_button("Commit, then see", on_click=_commit, args=(scores, True))
                st.form_submit_button("Just show me", on_click=_commit, args=(scores, False))
        return False
    asked, guess = st.session_state[SEEN]
    if asked == scores and guess is not None:
        verdict(set(guess), {dtype for dtype, wrong in naive.items() if wrong})
    return True


def _commit(scores: Scores, guessed: bool) -> None:
    st.session_state[SEEN] = (scores, tuple(st.session_state.get(GUESS) or ()) if guessed else None)


def verdict(guess: set[str], right: set[str]) -> None:
    """Whether a guess of formats was right."""
    names = ", ".join(d for d in DTYPES if d in right) or "none"
    if guess == right:
        st.success(f"Right: {names}.", icon=":material/check:")
    else:
        st.error(f"Not right. It goes wrong in: {names}.", icon=":material/close:")


# ---------------------------------------------------------------------- the choice of c


def _way_out(view: View) -> None:
    """The rule that keeps the sum in range."""
    st.subheader("The way out: subtract c, and add it back", anchor=False)
    st.html(
        '<p class="crf-formula">log Σ exp(<i>q</i>) = <i>c</i> + log Σ exp(<i>q</i> − <i>c</i>)</p>'
    )
    if tells(view):
        st.html(
            prose(
                "This holds for any number c. With c = 0 it is the sum as written. With c = max q "
                "the largest exponential is exp(0) = 1: none can overflow, and the sum is at least "
                "1, so its logarithm exists."
            )
        )


def _choice_of_c(view: View, scores: Scores) -> None:
    """The rule with the numbers on screen, for a c of the reader's choice."""
    if max(scores) == -math.inf:
        st.info("Every score is −∞: c = max q would be −∞, too, and −∞ − (−∞) is nan. See below.")
        return
    if tells(view):
        st.html(prose("Move c away from max q and see how far one can go."))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        dtype = formats(view, "Number format", FORMAT)
        away = _away(dtype)
    found = with_offset(scores, max(scores) + away, dtype)
    line, plot = st.columns([2, 3], gap="medium")
    with line:
        st.html(steps(shown.line(found)))
    plot.plotly_chart(
        figures.offset_plot(scores, dtype, chosen=max(scores) + away),
        key="stability.offsets",
        config={"displayModeBar": False},
        alt="The sum against c, with the regions where it is inf and where it is 0.",
    )


def _away(dtype: str) -> int:
    """How far from the largest score the reader has moved c, in nats; a slider each format."""
    bound, key = limits(dtype), f"stability.c.{dtype}"
    low, high = -math.ceil(1.2 * bound.overflow), math.ceil(-1.2 * bound.underflow)
    away = st.session_state.get(key, 0)
    st.session_state[key] = away if isinstance(away, int) and low <= away <= high else 0
    return st.slider("c − max q, in nats", low, high, key=key, width=380, persist_state="session")


# ---------------------------------------------------------------------- two at a time


@st.fragment
def two_at_a_time(view: View) -> None:
    """log-add of two scores."""
    st.header("Two at a time: log-add", anchor=False)
    st.html(
        '<p class="crf-formula"><i>a</i> ⊕ <i>b</i> = log(exp <i>a</i> + exp <i>b</i>) = max + '
        "log(1 + <i>x</i>) with <i>x</i> = exp(min − max)</p>"
    )
    if tells(view):
        st.html(
            prose(
                "A loop that meets one score after another cannot know the largest beforehand. It "
                "adds two at a time, with the larger of the two as c. Then x is at most 1. If it "
                "is small, 1 + x has few digits left for it, and 1 + x may be 1. log1p(x) is "
                "log(1 + x), computed without ever forming 1 + x."
            )
        )
    for key, value in ((LEFT, 0.0), (RIGHT, -12.0)):
        if not isinstance(st.session_state.get(key), (int, float)):
            st.session_state[key] = value
    a, b = st.session_state[LEFT], st.session_state[RIGHT]
    if "controls" not in view.hide:
        with st.container(horizontal=True, gap="medium"):
            a, b = (
                st.number_input(name, -1e5, 1e5, step=1.0, format="%g", key=key, width=180,
                                persist_state="session")
                for name, key in (("a", LEFT), ("b", RIGHT))
            )  # fmt: skip
    with results(view, "Show the sum"):
        header, *rows = shown.add_rows([added(a, b, dtype) for dtype in DTYPES])
        texts = [[str(name), *map(said, numbers)] for name, *numbers in rows]
        sums = tables.text_table([str(x) for x in header], texts, "Two scores added")
        st.html(tables.beside(sums, steps(shown.add_line(a, b))))
