"""The sections of the lesson "Numerical stability" about whole chains."""

from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.path_score import prose
from pages.shared.ui.frame import note
from pages.shared.ui.state import complain
from pages.shared.ui.view import View
from pages.stability import figures, step
from pages.stability import run_figures as shown
from pages.stability.chains import Run, grow, repeated
from pages.stability.exact import exact_log_partition
from pages.stability.sections import results, tells
from pages.stability.verdicts import exactly

LENGTH, ADDRESS = "stability.tokens", "len"
CHART, CURVES = "stability.chart", "stability.curves"
LENGTHS = (10, 20, 50, 100, 200, 300, 400, 500)
LONGEST, USUAL = 500, 200  # a token has two factors: of the longest chain a thousand
_MOST_ENTRIES = 100_000  # of all transition matrices together
_MOST_EXACT = 400  # m·S²: rational arithmetic takes some milliseconds


@lru_cache(maxsize=8)
def _whole(problem: Problem, tokens: int) -> tuple[Run, ...]:
    return tuple(grow(repeated(problem, tokens)))


@lru_cache(maxsize=32)
def runs(problem: Problem, tokens: int) -> tuple[Run, ...]:
    """log Z of every length up to this one, in each way and format.

    A shorter chain is the beginning of a longer one, so that two lengths are enough to compute.
    """
    reach = length_near(problem, USUAL)
    found = _whole(problem, reach if tokens <= reach else lengths(problem)[-1])
    return tuple(run.beginning(tokens) for run in found)


@lru_cache(maxsize=64)
def exact(problem: Problem) -> str | None:
    """log Z by rational arithmetic, as text; None if that would take long."""
    if len(problem.tokens) * len(problem.tags) ** 2 > _MOST_EXACT:
        return None
    return exactly(exact_log_partition(problem, digits=25))


# ---------------------------------------------------------------------- the length


def lengths(problem: Problem) -> list[int]:
    """The lengths on offer: once through, then whole repeats up to some hundred tokens."""
    m, S = len(problem.tokens), len(problem.tags)
    most = max(m, min(LONGEST, _MOST_ENTRIES // S**2))
    found = {m} | {m * max(1, round(n / m)) for n in LENGTHS}
    return sorted(n for n in found if n <= most)


def length(problem: Problem) -> int:
    """The length on screen: the session's, at its start the address's, else some hundred tokens."""
    wanted = st.session_state.get(LENGTH)
    if not isinstance(wanted, int) or isinstance(wanted, bool):
        asked = st.query_params.get(ADDRESS, str(USUAL))
        if not (asked.isascii() and asked.isdigit() and 0 < int(asked[:6]) <= LONGEST):
            complain(f"The address asks for {asked[:20]} tokens. One can have 1 to {LONGEST}.")
            asked = str(USUAL)
        wanted = int(asked[:6])
    return length_near(problem, wanted)


def length_near(problem: Problem, wanted: int) -> int:
    """The length on offer that is nearest to one."""
    return min(lengths(problem), key=lambda n: abs(n - wanted))


def query(problem: Problem) -> dict[str, str]:
    """The length for the address, if it is not the usual one."""
    tokens = length(problem)
    return {} if tokens == length_near(problem, USUAL) else {ADDRESS: str(tokens)}


# ---------------------------------------------------------------------- a chain that grows

_FORMULAS = (
    "<div><b>Probability space:</b> α̂<sub><i>t</i></sub>(<i>s</i>) = "
    "ψ<sub><i>t</i></sub>(<i>s</i>) Σ<sub><i>s</i>′</sub> "
    "α̂<sub><i>t</i>−1</sub>(<i>s</i>′) ψ(<i>s</i>′→<i>s</i>)</div>"
    "<div><b>Scaled:</b> the same, each column divided by its sum <i>c<sub>t</sub></i>; "
    "log <i>Z</i> adds up the log <i>c<sub>t</sub></i></div>"
    "<div><b>Log space:</b> log α̂<sub><i>t</i></sub>(<i>s</i>) = "
    "<i>e<sub>t</sub></i>(<i>s</i>) + logsumexp<sub><i>s</i>′</sub> "
    "[log α̂<sub><i>t</i>−1</sub>(<i>s</i>′) + <i>T</i>(<i>s</i>′→<i>s</i>)]</div>"
)


def introduce(view: View) -> None:
    """What is going to grow, and the three ways to compute it."""
    st.header("A whole chain", anchor=False)
    if tells(view):
        st.html(
            prose(
                "Now a sentence that gets longer and longer: the problem on screen, its tokens "
                "over and over. Each token brings an emission and a transition, so "
                f"{LONGEST} tokens are a product of {2 * LONGEST:,} factors. At which token does "
                "each format give up?",
                "The forward recursion gives log Z in three ways. In probability space α̂ is "
                "multiplied up as the formula says. Scaled, each column is divided by its sum, so "
                "that α̂ is each tag’s share. In log space log α̂ is added up.",
            )
        )
    st.html(f'<div class="crf-formula crf-recursion crf-steps">{_FORMULAS}</div>')


@st.fragment
def growing(view: View, problem: Problem, publish: Callable[[], None]) -> None:
    """The problem repeated: log Z in three ways and four formats, and what is inside a step.

    Args:
        view: The page's.
        problem: That is repeated.
        publish: Puts the page's values into the address.
    """
    st.session_state[LENGTH] = tokens = length(problem)
    if "controls" in view.hide:
        note(f"Tokens in the chain: {tokens}")
    else:
        tokens = st.select_slider(
            "Tokens in the chain", lengths(problem), key=LENGTH, persist_state="session"
        )
    found = runs(problem, tokens)
    with results(view, "Show log Z"):
        told = [*(shown.chain_words(found) or ["At this length nothing goes wrong."])]
        told += [*shown.spacing(found), *_reference(problem)]
        st.html(tables.beside(shown.chain_verdicts(found), prose(*told) if tells(view) else ""))
        _curves(view, problem, found)
        step.look_inside(view, problem, found)
    publish()


def _curves(view: View, problem: Problem, found: tuple[Run, ...]) -> None:
    """The errors by length, of one way or of all."""
    st.subheader("The error, token by token", anchor=False)
    names = {**shown.CHAINS, "all": "All three"}
    if st.session_state.get(CURVES) not in names:
        st.session_state[CURVES] = "probability"
    if "controls" not in view.hide:
        st.segmented_control(
            "Curves of", list(names), format_func=names.get, required=True, key=CURVES,
            persist_state="session",
        )  # fmt: skip
    drawn = [run for run in found if st.session_state[CURVES] in (run.method, "all")]
    st.plotly_chart(
        figures.error_curves(drawn, problem.tokens),
        key=CHART,
        on_select=lambda: _picked(drawn),
        selection_mode="points",
        config={"displayModeBar": False},
        alt="Error of log Z against the length of the chain, for each way and format.",
    )
    note(
        "A click on a curve opens that step below. An error of 0 is drawn at the bottom. From a "
        "cross on, the area has the format’s colour: there it gives no number."
    )


def _reference(problem: Problem) -> list[str]:
    value = exact(problem)
    if value is None:
        return []
    held = runs(problem, len(problem.tokens))
    by_float = step.find(held, *shown.REFERENCE).values[-1]
    return [
        "Errors are measured against log space in float64. Is that right itself? For one repeat, "
        f"exact fractions give log Z = {value}, and float64 gives {by_float!r}.".replace("-", "−")
    ]


def _picked(drawn: list[Run]) -> None:
    """A click on a point of the plot: look inside that step."""
    points = (st.session_state.get(CHART) or {}).get("selection", {}).get("points", [])
    point = points[0] if points else {}
    curve, x = point.get("curve_number"), point.get("x")
    if not isinstance(x, (int, float)) or not 1 <= x <= len(drawn[0].values):
        return
    st.session_state[step.TOKEN] = int(x)
    if isinstance(curve, int) and 0 <= curve < len(drawn):
        st.session_state[step.METHOD] = drawn[curve].method
        st.session_state[step.FORMAT] = drawn[curve].dtype
