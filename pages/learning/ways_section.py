"""Three ways to the same gradient, how far they are apart, and wrong ones to find."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import plotly.graph_objects as go
import streamlit as st
import torch

from crf.figures.numbers import format_magnitude, format_potential, format_power, format_score
from pages.learning import gradients, input_model, sentence_section
from pages.learning.corpus import text
from pages.learning.corpus_section import plain
from pages.learning.gradients import Model, Named
from pages.shared.course.problem import ProblemError
from pages.shared.figures import tables, theme
from pages.shared.figures.text import prose
from pages.shared.ui import question
from pages.shared.ui.controls import Choice, Number, Text
from pages.shared.ui.files import loader
from pages.shared.ui.lesson import Lesson

MODEL = Choice(
    "learning.model", "screen", address="model",
    labels=dict.fromkeys(("screen", "pairs", *input_model.PRESETS), ""),
    words=lambda name: text().line(f"model.{name}"),
)  # fmt: skip
WITH = Choice("learning.with", "log", address="with", labels={"log": "∂/∂ log ψ", "psi": "∂/∂ ψ"})
STEP = Number("learning.h", 1e-5, low=1e-14, high=0.1, address="h")
_FAULT_OF = {"A": "rows", "B": "steps", "C": "ends"}
CODE = Choice("learning.wrong", "A", address="wrong", labels={name: name for name in _FAULT_OF})
INPUTS = Text("learning.inputs", "", longest=3000, address="inputs")
CONTROLS = (MODEL, WITH, STEP, CODE, INPUTS)
_ROWS = 6  # of the table


@lru_cache(maxsize=16)
def _errors(found: Model, psi: bool) -> tuple[dict[str, list[float]], list[Named]]:
    places = gradients.largest(found, gradients.closed(found))
    by_format = {
        name: gradients.errors(found, places, gradients.STEPS, getattr(torch, name), psi)
        for name in ("float64", "float32")
    }
    return by_format, places


def model(lesson: Lesson) -> Model | None:
    """The model on screen; where there is none to differentiate, a sentence on why."""
    if MODEL.value == "pairs":
        return gradients.pair_potentials()
    if MODEL.value in input_model.PRESETS:
        try:
            return input_model.read(INPUTS.value, MODEL.value)
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
            return None
    if lesson.summary.feasible and not lesson.summary.has_one_path:
        path = sentence_section.right_path(lesson)
        if lesson.summary.chain.score(torch.tensor([path])).item() > -torch.inf:
            return gradients.of_problem(lesson.problem, path)
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
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            MODEL.widget(say("model.label"), shape="select", width=330)
            if MODEL.value in input_model.PRESETS:
                with st.popover(say("model.edit")):
                    _inputs(lesson)
            else:
                WITH.widget(say("model.with"))
    found = model(lesson)
    if found is None:
        return
    log_p = gradients.log_probability(found).item()
    path = " ".join(found.tags[s] for s in found.path)
    lesson.say("ways-p", path=path, log_p=format_score(log_p, 6), p=f"{math.exp(log_p):.12g}")
    psi = WITH.value == "psi" and found.has_potentials
    by_format, places = _errors(found, psi)
    left, right = st.columns([1, 1], gap="large")
    step = STEP.value
    with left:
        if lesson.asks:
            step = STEP.widget(
                say("model.step"), options=[10.0**-k for k in range(14, 0, -1)],
                format_func=_power_of_ten,
            )  # fmt: skip
        figure = v_curve(by_format, step)
        st.plotly_chart(figure, width="stretch", key="learning.v", config={"displayModeBar": False})
    with right:
        _table(lesson, found, places, psi, step, math.exp(log_p))


def _inputs(lesson: Lesson) -> None:
    """The numbers of the input model: to type, paste, load or save."""
    say, usual = lesson.text.line, input_model.as_text(input_model.PRESETS[MODEL.value]())
    lesson.say("inputs", tags=input_model.MOST_TAGS, tokens=input_model.MOST_TOKENS)
    INPUTS.widget(say("model.typed"), shape="area", height=190, width=420, placeholder=usual)
    st.download_button("Save", INPUTS.value or usual, "inputs.txt", key="learning.inputs.save")
    loader("Load", say("model.file"), "learning.inputs.file", _load, most=INPUTS.longest)


def _load(content: bytes, _name: str) -> None:
    typed = content.decode("utf-8", "replace")
    input_model.read(typed, MODEL.value)
    INPUTS.set(typed)


def v_curve(errors: Mapping[str, Sequence[float]], chosen: float) -> go.Figure:
    """The largest error of differences against h, by number format; a line marks the reader's h."""
    figure = go.Figure()
    for dtype, values in errors.items():
        figure.add_scatter(
            x=gradients.STEPS, y=[v if v > 0 and math.isfinite(v) else None for v in values],
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
    """A step as the page writes it, as 1e-5."""
    return f"{h:.0e}".replace("e-0", "e-")


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


def _table(
    lesson: Lesson, found: Model, places: list[Named], psi: bool, step: float, p: float
) -> None:
    closed, automatic = gradients.closed(found, psi), gradients.automatic(found, psi)
    names = {name_of(found, place): place for place in places}
    chosen = st.selectbox("Entry", list(names), key="learning.entry", width=300)
    entry = names.get(chosen, places[0])
    shown = list(dict.fromkeys([entry, *places]))[:_ROWS]
    by_step = gradients.differences(found, shown, [step], psi=psi)[0].tolist()
    rows = [
        [name_of(found, (table, at)), *(_number(value) for value in
         (closed[table][at].item(), automatic[table][at].item(), slope))]
        for (table, at), slope in zip(shown, by_step, strict=True)
    ]  # fmt: skip
    header = ["parameter", "closed form", "automatic", f"h = {_power_of_ten(step)}"]
    st.html(tables.text_table(header, rows, lesson.text.line("model.table")))
    worst = gradients.errors(found, places, [step], torch.float64, psi)[0]
    off = "∞" if worst != worst else format_power(worst, 2) if worst else "0"
    lesson.say("v", error=off, step=_power_of_ten(step))
    _written_out(found, entry, psi)
    if found.has_potentials:
        _per_psi(lesson, found, entry, p)


def _number(value: float) -> str:
    """A derivative, with as many digits as tell the three ways apart.

    >>> _number(-0.25), _number(-1e-20), _number(float("nan"))
    ('−0.25000000', '0.00000000', 'ψ − h ≤ 0')
    """
    return "ψ − h ≤ 0" if math.isnan(value) else format_score(value, 8)


def _written_out(found: Model, entry: Named, psi: bool) -> None:
    """The sum behind one entry: each place where its parameter is used."""
    seen, expects = gradients.observed(found), gradients.expected(found)
    parts, total = [], 0.0
    for table, at, factor in gradients.uses(found, entry):
        used, mean = (getattr(counts, table)[at].item() for counts in (seen, expects))
        parts.append(f"{'' if factor == 1 else f'{factor:g} · '}({used:.0f} − {mean:.4f})")
        total += factor * (used - mean)
    told = f"∂ log p / ∂ {name_of(found, entry)} = {' + '.join(parts)} = ".replace("-", "−")
    told += format_score(total, 8)
    if psi:
        log_psi = found.tables[entry[0]][entry[1]]
        slope = format_score((total / log_psi.exp()).item(), 6)
        told += f"; / ψ, {format_potential(log_psi.item())}: {slope}"
    st.html(prose(told))


def _per_psi(lesson: Lesson, found: Model, entry: Named, p: float) -> None:
    """From ∂ log p / ∂ log ψ to ∂p / ∂ψ, with the numbers of one entry."""
    table, at = entry
    slope, ψ = gradients.closed(found)[table][at].item(), found.tables[table][at].exp().item()
    lesson.say("derive-psi")
    if 0 < ψ < math.inf:  # within what a number can hold
        product = p * slope / ψ
        lesson.say(
            "derive-psi-numbers", entry=name_of(found, entry), p=format_magnitude(p),
            slope=format_score(slope, 4), psi=format_magnitude(ψ),
            product=("−" if product < 0 else "") + format_magnitude(abs(product)),
        )  # fmt: skip


# ---------------------------------------------------------------------- a wrong one


def _fault(lesson: Lesson) -> None:
    found, say = model(lesson), lesson.text.line
    if found is None:
        return
    asked = [code for code, fault in _FAULT_OF.items() if gradients.shows(found, fault)]
    if len(asked) < len(_FAULT_OF):
        lesson.say("unseen", n=len(asked))
    if not asked:
        return
    if CODE.value not in asked:
        CODE.set(asked[0])
    code = CODE.widget(say("faults.code"), among=asked)
    fault = _FAULT_OF[code]
    right, wrong = gradients.closed(found), gradients.faulty(found, fault)
    total = f"{gradients.expected_pairs(found, fault):.3g}"
    lesson.say("fault", code=code, right=len(found.tokens) - 1, sum=total)
    off = {table: right[table] - wrong[table] for table in right}
    rows = [
        [name_of(found, (t, at)), *(format_score(g[t][at].item(), 8) for g in (right, wrong))]
        for t, at in gradients.largest(found, off, 5)
    ]
    st.html(tables.text_table(["parameter", "right", code], rows, say("faults.table")))
    options = list(gradients.FAULTS)
    fits = [other for other in options if gradients.alike(wrong, gradients.faulty(found, other))]

    def judge(k: int) -> question.Verdict:
        if options[k] in fits:
            told = say("faults.also") if len(fits) > 1 else ""
            return question.Verdict(True, told, say(f"faults.{fault}"))
        return question.Verdict(False, say(f"faults.hint-{fault}"), say(f"faults.{fault}"))

    labels = [say(f"faults.{name}") for name in options]
    question.choice(say("faults.question"), labels, judge, key=f"learning.fault.{code}")
