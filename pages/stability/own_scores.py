"""The scores q of the lesson on numerical stability: presets, what is typed, the address.

    scores = stability_scores.current()

Scores are kept as typed, so that "log 0.4" stays what it says; what cannot be read is answered by a
message, and the last scores that could be read stay on screen.
"""

import math
from functools import lru_cache

import streamlit as st

from pages.shared.course.numbers import exact, parse_score
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.figures import theme
from pages.shared.ui import computed
from pages.shared.ui.controls import Integer
from pages.shared.ui.frame import note
from pages.shared.ui.state import Kept, asked, complain
from pages.shared.ui.view import View
from pages.stability.sums import LogSum, log_sums

Scores = tuple[float, ...]

ADDRESS = "q"  # scores with "~" between them
MOST = 20  # as many as a problem has tags
PRESETS: dict[str, tuple[str, str]] = {
    "Small": ("1, 2, 3", "Nothing to fear."),
    "Around 90": ("95, 90, 88", "As a chain of some twenty tokens has them."),
    "Hundreds": ("800, 799, 650", "A long chain of large scores."),
    "−1000s": ("-1000, -1001, -1002", "A long chain of small probabilities."),
    "One −∞": ("0.5, -inf, 2", "One of the ways is forbidden."),
    "All −∞": ("-inf, -inf, -inf", "Every way is forbidden."),
    "Beyond": ("70000, 1", "The score itself is more than float16 holds."),
}  # fmt: skip
FIRST = "Around 90"
TYPED = Kept[str | None]("stability.scores", None, kind=str)
KEPT = Kept[Scores]("stability.kept", ())
SHIFT = Integer("stability.shift", 0, low=-1200, high=1200)  # nats by which all scores are moved


def current() -> Scores:
    """The scores on screen, moved as the slider says."""
    _adopt()
    return tuple(q + SHIFT.value for q in KEPT.value)


def address(scores: Scores) -> dict[str, str]:
    """The scores for the address; the first preset is left out."""
    if scores == read(PRESETS[FIRST][0]):
        return {}
    return {ADDRESS: "~".join(map(exact, scores))}


def read(text: str) -> Scores:
    """Scores with commas or semicolons between them.

    >>> read("95, 2/4; -inf")
    (95.0, 0.5, -inf)

    Raises:
        ProblemError: One of them is no score, or there are none, or too many.
    """
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST:
        raise ProblemError(
            f"scores: expected 1 to {MOST} numbers with commas between them, got {len(parts)}"
        )
    return tuple(parse_score(part, f"score {k}") for k, part in enumerate(parts, 1))


def chooser(problem: Problem, view: View) -> Scores:
    """Presets, the field and the slider; returns the scores on screen."""
    _adopt()
    if "controls" in view.hide:
        _say(current())
        return current()
    with st.container(horizontal=True, gap="small"):
        for name, (text, about) in PRESETS.items():
            st.button(name, key=f"stability.preset.{name}", help=about, on_click=_use, args=(text,))
        last = last_column(problem)
        st.button(
            "From the problem",
            key="stability.preset.problem",
            help="log α of the last token, plus end, of the problem further down on this page.",
            on_click=_use,
            args=(", ".join(map(exact, last)),),
        )
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        st.text_input(
            "Scores q",
            key=TYPED.key,
            max_chars=400,
            autocomplete="off",
            help="Write -inf for a forbidden one; 2/3, log 0.4 and 1e3 can be read, too.",
            width=380,
            persist_state="session",
        )
        SHIFT.widget("Added to every score", shape="slider", width=380)
    try:
        KEPT.set(read(TYPED.value or ""))
    except ProblemError as error:
        kept = ", ".join(map(exact, KEPT.value))
        st.warning(theme.markdown(f"{error}. These scores are used until then: {kept}."))
    scores = current()
    if SHIFT.value:
        _say(scores)
    return scores


def _say(scores: Scores) -> None:
    note(f"q = {', '.join(map(exact, scores))}".replace("-inf", "−∞").replace("-", "−"))


@lru_cache(maxsize=64)
def sums(scores: Scores) -> list[LogSum]:
    """Their log Σ exp in every way and format."""
    return log_sums(scores)


def last_column(problem: Problem) -> Scores:
    """The terms of log Z: log α of the last token, plus end."""
    alphas = computed.reading(problem).chain.log_alphas[0, -1].tolist()
    return tuple(
        round(a + end, 4) if a + end > -math.inf else -math.inf
        for a, end in zip(alphas, problem.end, strict=True)
    )


def _use(text: str) -> None:
    TYPED.set(text)
    SHIFT.reset()


def _adopt() -> None:
    """At the start of a session take the scores of the address, else the first preset."""
    if KEPT.value and TYPED.value is not None:
        return
    text = PRESETS[FIRST][0]
    if query := asked(ADDRESS):
        try:
            text = ", ".join(map(exact, read(query.replace("~", ","))))
        except ProblemError as error:
            complain(f"The address asks for scores that cannot be read. {error}.")
    TYPED.set(text)
    KEPT.set(read(text))
