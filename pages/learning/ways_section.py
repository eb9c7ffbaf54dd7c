"""Three ways to the same gradient, how far they are apart, and a wrong one to find."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import plotly.graph_objects as go
import streamlit as st
import torch

from pages.learning import gradients, sentence_section
from pages.learning.corpus import text
from pages.learning.corpus_section import plain
from pages.learning.gradients import Model, Named
from pages.shared.course.numbers import format_magnitude, format_power, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import tables, theme
from pages.shared.ui import question
from pages.shared.ui.controls import Choice, Number
from pages.shared.ui.lesson import Lesson

MODEL = Choice(
    "learning.model", "screen", address="model",
    labels=dict.fromkeys(("screen", "pairs", "seeded"), ""),
    words=lambda name: text().line(f"model.{name}"),
)  # fmt: skip
STEP = Number("learning.h", 1e-5, low=1e-14, high=0.1, address="h")
CONTROLS = (MODEL, STEP)
_ROWS = 6  # of the table
_FAULTS = ("steps", "ends", "rows")  # what the fault may be; it is the first


@lru_cache(maxsize=8)
def _screen(problem: Problem, path: tuple[int, ...]) -> Model:
    return gradients.of_problem(problem, path)


@lru_cache(maxsize=16)
def _errors(found: Model) -> tuple[dict[str, list[float]], list[Named]]:
    places = gradients.largest(found, gradients.closed(found))
    formats = {"float64": torch.float64, "float32": torch.float32}
    return {
        name: gradients.errors(found, places, gradients.STEPS, dtype)
        for name, dtype in formats.items()
    }, places


def model(lesson: Lesson) -> Model | None:
    """The model on screen; where there is none to differentiate, a sentence on why."""
    if MODEL.value == "pairs":
        return gradients.pair_potentials()
    if MODEL.value == "seeded":
        return gradients.seeded_inputs()
    if lesson.summary.feasible and not lesson.summary.has_one_path:
        path = sentence_section.right_path(lesson)
        if lesson.summary.chain.score(torch.tensor([path])).item() > -torch.inf:
            return _screen(lesson.problem, path)
    st.info(lesson.text.line("notes.one-path" if lesson.summary.has_one_path else "notes.none"))
    return None


@st.fragment
def section(lesson: Lesson) -> None:
    """The section; a fragment, made when it is open."""
    lesson.say("ways")
    lesson.folds((("ways", "", _compared), ("fault", "", _fault)))
    lesson.publish()


def _compared(lesson: Lesson) -> None:
    say = lesson.text.line
    if lesson.asks:
        MODEL.widget(say("model.label"))
    found = model(lesson)
    if found is None:
        return
    tables_of_one = {name: table[None] for name, table in found.tables.items()}
    log_p = gradients.log_probability(found, tables_of_one).item()
    path = " ".join(found.tags[s] for s in found.path)
    lesson.say("ways-p", path=path, log_p=format_score(log_p, 6), p=f"{math.exp(log_p):.12g}")
    by_format, places = _errors(found)
    left, right = st.columns([1, 1], gap="large")
    step = STEP.value
    with left:
        if lesson.asks:
            step = STEP.widget(
                say("model.step"), options=[10.0**-k for k in range(14, 0, -1)],
                format_func=_power_of_ten,
            )  # fmt: skip
        figure = v_curve(gradients.STEPS, by_format, step)
        st.plotly_chart(figure, width="stretch", key="learning.v", config={"displayModeBar": False})
    with right:
        _table(lesson, found, places, step, math.exp(log_p))


def v_curve(
    steps: Sequence[float], errors: Mapping[str, Sequence[float]], chosen: float
) -> go.Figure:
    """The largest error of central differences against h, a curve per number format.

    Args:
        steps: The h, largest first.
        errors: Number format → an error for each h.
        chosen: The reader's h, marked by a line.
    """
    figure = go.Figure()
    for dtype, values in errors.items():
        figure.add_scatter(
            x=list(steps), y=[v if v > 0 and math.isfinite(v) else None for v in values],
            name=dtype, mode="lines+markers",
            line={"color": theme.FORMATS[dtype], "dash": "solid" if dtype == "float64" else "dash"},
            hovertemplate="h = %{x:.0e}: off by %{y:.1e}<extra>" + dtype + "</extra>",
        )  # fmt: skip
    figure.add_vline(x=chosen, line={"color": "#767676", "dash": "dot"})
    for x, anchor, name in ((0.02, "left", "rounding: 1/h"), (0.98, "right", "truncation: h²")):
        figure.add_annotation(
            xref="paper", yref="paper", x=x, y=1.02, xanchor=anchor, yanchor="bottom", text=name,
            showarrow=False,
        )  # fmt: skip
    axis = {"type": "log", "exponentformat": "power", "dtick": 2}
    figure.update_xaxes(title="step h", **axis)
    figure.update_yaxes(title="largest error", **axis)
    return plain(figure, 300)


def _power_of_ten(h: float) -> str:
    """A step as the page writes it.

    >>> _power_of_ten(1e-05)
    '1e-5'
    """
    mantissa, exponent = f"{h:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def name_of(found: Model, place: Named) -> str:
    """A parameter as the page writes it."""
    table, at = place
    tags, tokens = found.tags, found.tokens
    if table in ("e", "x"):
        word = tokens[at[0]]
        if tokens.count(word) > 1:  # which of them
            word += f" ({at[0] + 1})"
        return f"{table}[{', '.join([word, *(tags[s] for s in at[1:])])}]"
    if len(at) == 3:
        return f"{table}[{tags[at[1]]}, {tags[at[2]]}, {at[0] + 2}]"
    return f"{table}[{', '.join(tags[s] for s in at)}]"


def _table(lesson: Lesson, found: Model, places: list[Named], step: float, p: float) -> None:
    closed, automatic = gradients.closed(found), gradients.automatic(found)
    names = {name_of(found, place): place for place in places}
    chosen = st.selectbox("Entry", list(names), key="learning.entry", width=300)
    entry = names.get(chosen, places[0])
    shown = list(dict.fromkeys([entry, *places]))[:_ROWS]
    by_step = gradients.differences(found, shown, [step])[0].tolist()
    rows = [
        [name_of(found, (table, at)), *(format_score(value, 8) for value in
         (closed[table][at].item(), automatic[table][at].item(), slope))]
        for (table, at), slope in zip(shown, by_step, strict=True)
    ]  # fmt: skip
    header = ["parameter", "closed form", "automatic", f"h = {_power_of_ten(step)}"]
    st.html(tables.text_table(header, rows, lesson.text.line("model.table")))
    worst = gradients.errors(found, places, [step], torch.float64)[0]
    off = "0" if worst == 0 else format_power(worst, 2)
    lesson.say("v", error=off, step=_power_of_ten(step))
    table, at = entry
    slope, ψ = closed[table][at].item(), found.tables[table][at].exp().item()
    if MODEL.value != "seeded" and 0 < ψ < math.inf:
        product = p * slope / ψ
        lesson.say(
            "derive-psi", entry=name_of(found, entry), p=format_magnitude(p),
            slope=format_score(slope, 4), psi=format_magnitude(ψ),
            product=("−" if product < 0 else "") + format_magnitude(abs(product)),
        )  # fmt: skip


# ---------------------------------------------------------------------- a wrong one


def _fault(lesson: Lesson) -> None:
    found = model(lesson)
    if found is None:
        return
    m = len(found.tokens)
    if m < 3:  # the numbers of another fault could be the same
        st.info(lesson.text.line("notes.short"))
        return
    right, wrong = gradients.closed(found), gradients.closed(found, one_step_too_many=True)
    lesson.say("fault", right=m - 1, sum=m)
    off = {table: right[table] - wrong[table] for table in right}
    rows = [
        [name_of(found, (t, at)), *(format_score(g[t][at].item(), 8) for g in (right, wrong))]
        for t, at in gradients.largest(found, off)[:5]
    ]
    say = lesson.text.line
    st.html(tables.text_table(["parameter", "right", "wrong"], rows, say("faults.table")))
    options = [say(f"faults.{name}") for name in _FAULTS]

    def judge(k: int) -> question.Verdict:
        return question.Verdict(k == 0, "" if k == 0 else say("faults.hint"), options[0])

    question.choice(say("faults.question"), options, judge, key="learning.fault")
