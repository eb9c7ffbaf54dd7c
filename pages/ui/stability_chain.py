"""The sections of the lesson "Numerical stability" about whole chains."""

import math
from functools import lru_cache

import streamlit as st

from crf.course.numbers import format_potential, format_score
from crf.course.problem import Problem
from crf.course.problem_checks import LARGEST_TOKENS
from crf.course.stability import limits
from crf.course.stability_chains import (
    METHODS,
    Run,
    exact_log_partition,
    grow,
    repeated,
    two_tracks,
)
from crf.course.stability_worked import inside, lengthened
from pages.figures import stability as figures
from pages.figures import stability_tables as shown
from pages.figures import tables
from pages.figures.path_score import prose
from pages.figures.theme import shorten
from pages.ui import problem_state
from pages.ui import view as views
from pages.ui.options import SPACE
from pages.ui.stability_sections import formats, results, tells
from pages.ui.state import complain
from pages.ui.view import View

LENGTH, ADDRESS = "stability.tokens", "len"
TOKEN, TAG, METHOD, FORMAT = (f"stability.{x}" for x in ("token", "tag", "method", "format2"))
LAG, LAG_FORMAT, CHART = "stability.lag", "stability.lagformat", "stability.curves"
LENGTHS = (10, 20, 50, 100, 200, 500, 1000)
LONGEST, USUAL = 1000, 200
_MOST_ENTRIES = 100_000  # of all transition matrices together
_MOST_EXACT = 400  # m·S²: rational arithmetic takes some milliseconds


@lru_cache(maxsize=16)
def runs(problem: Problem, tokens: int) -> tuple[Run, ...]:
    """log Z of every length up to this one, in each way and format."""
    return tuple(grow(repeated(problem, tokens)))


@lru_cache(maxsize=64)
def exact(problem: Problem) -> str | None:
    """log Z by rational arithmetic, as text; None if that would take long."""
    if len(problem.tokens) * len(problem.tags) ** 2 > _MOST_EXACT:
        return None
    value = exact_log_partition(problem, digits=25)
    return "−∞" if value == -math.inf else f"{value}".replace("-", "−")


# ---------------------------------------------------------------------- the length


def lengths(problem: Problem) -> list[int]:
    """The lengths on offer: once through, then whole repeats up to about a thousand tokens."""
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
    return _nearest(problem, wanted)


def _nearest(problem: Problem, wanted: int) -> int:
    return min(lengths(problem), key=lambda n: abs(n - wanted))


def address(problem: Problem) -> tuple[dict[str, str], dict[str, str]]:
    """The length for the address, and what it is by default."""
    return {ADDRESS: str(length(problem))}, {ADDRESS: str(_nearest(problem, USUAL))}


# ---------------------------------------------------------------------- a chain that grows

_FORMULAS = (
    "<div><b>Probability space</b> α(<i>t</i>, <i>j</i>) = ψ(<i>j</i>, <i>t</i>) "
    "Σ<sub><i>i</i></sub> α(<i>t</i>−1, <i>i</i>) ψ(<i>i</i>, <i>j</i>)</div>"
    "<div><b>Scaled</b> the same, each column divided by its sum <i>c<sub>t</sub></i>; "
    "log <i>Z</i> = Σ<sub><i>t</i></sub> log <i>c<sub>t</sub></i></div>"
    "<div><b>Log space</b> log α(<i>t</i>, <i>j</i>) = <i>e</i>(<i>t</i>, <i>j</i>) + "
    "logsumexp<sub><i>i</i></sub> [log α(<i>t</i>−1, <i>i</i>) + <i>T</i>(<i>i</i>, <i>j</i>)]"
    "</div>"
)


@st.fragment
def growing(view: View, problem: Problem, publish) -> None:
    """The problem repeated: log Z in three ways and four formats, and what is inside a step."""
    st.subheader("The chain grows", anchor=False)
    st.html(f'<div class="crf-formula crf-recursion">{_FORMULAS}</div>')
    if tells(view):
        st.html(
            prose(
                "Here the problem on screen is repeated, its tokens over and over, and log Z is "
                "computed with the forward recursion in three ways. In scaled form α is the share "
                "of each tag in its column, and the logs of what was divided out add up to log Z."
            )
        )
    st.session_state[LENGTH] = length(problem)
    tokens = st.select_slider(
        "Tokens in the chain", lengths(problem), key=LENGTH, persist_state="session"
    )
    found = runs(problem, tokens)
    with results(view, "Show log Z"):
        st.html(shown.chain_verdicts(found))
        if tells(view):
            told = shown.chain_words(found) or ["At this length nothing goes wrong."]
            st.html(prose(*told, *_reference(problem)))
        st.plotly_chart(
            figures.error_curves(found, problem.tokens),
            key=CHART,
            on_select=lambda: _picked(found),
            selection_mode="points",
            config={"displayModeBar": False},
            alt="Error of log Z against the length of the chain, for each way and format.",
        )
        _inside(problem, found)
    publish()


def _reference(problem: Problem) -> list[str]:
    value = exact(problem)
    if value is None:
        return []
    held = runs(problem, len(problem.tokens))
    by_float = next(r for r in held if r.method == "log" and r.dtype == "float64").values[-1]
    return [
        "Errors are measured against log space in float64. Is that right itself? For one repeat, "
        f"exact fractions give log Z = {value}, and float64 gives {by_float!r}.".replace("-", "−")
    ]


def _picked(found: tuple[Run, ...]) -> None:
    """A click on a point of the plot: look inside that step."""
    picked = st.session_state.get(CHART) or {}
    points = picked.get("selection", {}).get("points", [])
    if not points:
        return
    point = points[0]
    curve, x = point.get("curve_number"), point.get("x")
    if not isinstance(x, (int, float)) or not 1 <= x <= len(found[0].values):
        return
    st.session_state[TOKEN] = int(x)
    if isinstance(curve, int) and 0 <= curve < len(found):
        st.session_state[METHOD], st.session_state[FORMAT] = found[curve].method, found[curve].dtype


# ---------------------------------------------------------------------- inside a step


def token() -> int:
    """The token that is looked into, from 0."""
    kept = st.session_state.get(TOKEN)
    return kept - 1 if isinstance(kept, int) else views.current().step


def _inside(problem: Problem, found: tuple[Run, ...]) -> None:
    """One cell of one run, with what met in it."""
    st.subheader("Inside a step", anchor=False)
    most = len(found[0].values)
    state = st.session_state
    if state.get(METHOD) not in METHODS:
        state[METHOD] = "probability"
    state[TOKEN] = min(max(1, token() + 1), most)
    if state.get(TAG) not in problem.tags:
        state[TAG] = problem.tags[0]
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        method = st.segmented_control(
            "Way", list(METHODS), format_func=shown.CHAINS.get, required=True, key=METHOD,
            persist_state="session",
        )  # fmt: skip
        dtype = formats("Format", FORMAT)
        run = next(r for r in found if (r.method, r.dtype) == (method, dtype))
        t = st.number_input(
            "Token", 1, most, key=TOKEN, width=140, persist_state="session",
            help="A click on a curve above brings its token here.",
        ) - 1  # fmt: skip
        tag = st.selectbox("Tag", problem.tags, key=TAG, width=140, persist_state="session")
        if run.broke:
            st.button(
                "Where it broke", on_click=_go_to, args=(run.broke.token, run.broke.tag, problem)
            )
    s = problem.tags.index(tag)
    _cell(problem, run, found, t, s)
    _to_forward(problem, t, s)


def _go_to(t: int, tag: str) -> None:
    st.session_state[TOKEN], st.session_state[TAG] = t + 1, tag


def _cell(problem: Problem, run: Run, found: tuple[Run, ...], t: int, s: int) -> None:
    m = len(problem.tokens)
    step = inside(repeated(problem, t + 1), run, t, s)
    word = shorten(problem.tokens[t % m])
    exact_run = next(r for r in found if (r.method, r.dtype) == ("log", "float64"))
    told = [
        f"Token {t + 1}, ‘{word}’, {problem.tags[s]}: {shown.inside_line(step, run.method)}.",
        f"In float64 log space log α is {shown.said(exact_run.columns[t][s])}, so α is "
        f"{format_potential(exact_run.columns[t][s])}.",
    ]
    if run.broke and t == run.broke.token:
        told.append(run.broke.words)
    if step.before:
        header, rows = shown.inside_rows(step, problem.tags, run.method)
        st.html(tables.text_table(header, rows, "What meets in the cell"))
    st.html(prose(*told))


def _to_forward(problem: Problem, t: int, s: int) -> None:
    """The way to this very step in the lesson on the forward recursion."""
    m = len(problem.tokens)
    repeats = -(-(t + 1) // m)
    if repeats * m > LARGEST_TOKENS:
        return
    if not st.button("See this step in the lesson Forward", icon=":material/arrow_forward:"):
        return
    if repeats > 1:
        problem_state.use_other(
            lengthened(problem, repeats * m), f"{problem_state.origin().label}, {repeats} times"
        )
    state = st.session_state
    state[SPACE.slot] = "probability"
    state["lesson.convention"], state["lesson.forward.semiring"] = "state", "sum"
    state.pop("forward.stepper·place", None)
    views.show(views.current()._replace(step=t * len(problem.tags) + s))
    st.switch_page("pages/forward.py")


# ---------------------------------------------------------------------- where scaling loses


@st.fragment
def two_paths(view: View) -> None:
    """Scaling forgets a path that log space keeps."""
    st.header("Where scaling loses the winner", anchor=False)
    if tells(view):
        st.html(
            prose(
                "Scaling keeps a column’s sum at 1. It does not keep its cells alike. Here are two "
                "tags, A and B, that never follow each other, so there are two paths. B falls "
                "behind at first; later A loses more, and B wins. By how far may B fall behind?"
            )
        )
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        lag = st.slider("B falls behind by, in nats", 6, 1200, 120, 6, key=LAG, width=380,
                        persist_state="session")  # fmt: skip
        dtype = formats("Number format", LAG_FORMAT)
    problem = two_tracks(float(lag))
    found = runs(problem, len(problem.tokens))
    by_scale, by_log = (
        next(r for r in found if (r.method, r.dtype) == (method, dtype))
        for method in ("scaled", "log")
    )
    with results(view, "Show what is kept"):
        st.html(shown.chain_verdicts(found))
        header = ["token", "scaled: A", "scaled: B", "log α: A", "log α: B"]
        rows = [
            [
                problem.tokens[t],
                *(shown.said(x, 4) for x in (*by_scale.columns[t], *by_log.columns[t])),
            ]
            for t in range(len(problem.tokens))
        ]
        st.html(tables.text_table(header, rows, f"Both paths, token by token, in {dtype}"))
        if tells(view):
            st.html(prose(*_lost(by_scale, by_log, dtype, lag)))
    st.button(
        "Put this problem on screen",
        on_click=problem_state.use_other,
        args=(problem, f"two paths, {lag} nats apart"),
    )


def _lost(by_scale: Run, by_log: Run, dtype: str, lag: int) -> list[str]:
    bound = limits(dtype)
    told = [
        f"The winner’s score is {format_score(-float(lag))}, the other’s "
        f"{format_score(-4 * lag / 3)}. In log space {dtype} gives log Z = "
        f"{shown.said(by_log.values[-1])}; scaled, it gives {shown.said(by_scale.values[-1])}."
    ]
    if by_scale.broke:
        told.append(
            f"{by_scale.broke.words} B’s share was exp(−{lag}) of A’s, and {dtype} ends at "
            f"exp({format_score(bound.underflow)}). What is 0 stays 0, however well it does later."
        )
    else:
        told.append(
            f"B’s share, exp(−{lag}) of A’s, is still more than {dtype} can hold at the least, "
            f"exp({format_score(bound.underflow)}), so B is kept."
        )
    return told
