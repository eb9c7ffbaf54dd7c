"""Three ways to the same gradient, a table of how far they are apart, and wrong ones to find."""

import math
from functools import lru_cache

import streamlit as st
import torch

from pages.learning import gradients, input_model, sentence_section, ways_figures
from pages.learning.gradients import Model, of_problem, pair_potentials
from pages.shared.course.numbers import (
    format_magnitude,
    format_potential,
    format_power,
    format_score,
)
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.figures import tables, theme
from pages.shared.figures.text import prose
from pages.shared.ui import question
from pages.shared.ui.controls import Choice, Number, Text
from pages.shared.ui.files import loader
from pages.shared.ui.lesson import Lesson

MODEL = Choice(
    "learning.model", "screen", address="model",
    labels={
        "screen": "The problem on screen, before any step",
        "pairs": "Random potentials ψ for each step",
        "inputs": "Emissions from inputs: P + W·x",
        "seeded": "P + W·x, five tags, seven tokens",
    },
)  # fmt: skip
WITH = Choice("learning.with", "log", address="with", labels={"log": "∂/∂ log ψ", "psi": "∂/∂ ψ"})
STEP = Number("learning.h", 1e-5, low=1e-14, high=0.1, address="h")
CODE = Choice(
    "learning.wrong", "A", address="wrong", labels={name: f"Code {name}" for name in "ABC"}
)
INPUTS = Text("learning.inputs", "", longest=3000, address="inputs")
CONTROLS = (MODEL, WITH, STEP, CODE, INPUTS)

_FAULT_OF = {"A": "rows", "B": "steps", "C": "ends"}
_FAULTS = {
    "steps": "Pairs are added up to m, not to m − 1",
    "ends": "Start and end are left out of the recursions",
    "rows": "Pair marginals are normalised by row",
}
_NAMED = {
    "emissions": "e", "transitions": "T", "start": "start", "end": "end", "pairs": "ψ", "x": "x",
    "W": "W", "P": "P",
}  # fmt: skip
_ROWS = 6  # of the table


def model(lesson: Lesson) -> Model | None:
    """The model on screen; None if its path is forbidden or its numbers cannot be read."""
    if MODEL.value == "pairs":
        return pair_potentials()
    if MODEL.value in input_model.PRESETS:
        return input_model.read(INPUTS.value, MODEL.value)
    if not lesson.summary.feasible:
        return None
    path = sentence_section.right_path(lesson)
    if lesson.summary.chain.score(torch.tensor([list(path)])).item() == -torch.inf:
        return None
    return _screen(lesson.problem, path)


@lru_cache(maxsize=8)
def _screen(problem: Problem, path: tuple[int, ...]) -> Model:
    return of_problem(problem, path)


@lru_cache(maxsize=16)
def _errors(found: Model, with_psi: bool) -> tuple[dict[str, list[float]], list[gradients.Named]]:
    places = gradients.largest(found, gradients.closed(found))
    formats = {"float64": torch.float64, "float32": torch.float32}
    return {
        name: gradients.errors(found, places, gradients.STEPS, dtype, with_psi)
        for name, dtype in formats.items()
    }, places


# ---------------------------------------------------------------------- the section


@st.fragment
def section(lesson: Lesson) -> None:
    """The section; a fragment, made when it is open."""
    lesson.say("ways")
    with lesson.fold("Do all three give the same?", key="ways") as is_open:
        if is_open:
            _compared(lesson)
    with lesson.fold("Which fault does this gradient have?", key="fault") as is_open:
        if is_open:
            _fault(lesson)
    lesson.publish()


def _compared(lesson: Lesson) -> None:
    if lesson.asks:
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            MODEL.widget("Model")
            if MODEL.value in input_model.PRESETS:
                with st.popover("Edit x, W, P, start"):
                    _inputs(lesson)
            else:
                WITH.widget("With respect to")
    found = _model_or_message(lesson)
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
                "Step h of the differences", options=[10.0**-k for k in range(14, 0, -1)],
                format_func=_power_of_ten,
            )  # fmt: skip
        figure = ways_figures.v_curve(gradients.STEPS, by_format, step)
        st.plotly_chart(figure, width="stretch", key="learning.v", config={"displayModeBar": False})
    with right:
        _table(lesson, found, places, psi, step, math.exp(log_p))


def _inputs(lesson: Lesson) -> None:
    """The numbers of the input model: to type, paste, load or save."""
    usual = input_model.as_text(input_model.PRESETS[MODEL.value]())
    lesson.say("inputs", tags=str(input_model.MOST_TAGS), tokens=str(input_model.MOST_TOKENS))
    INPUTS.widget("A table per line", shape="area", height=190, width=420, placeholder=usual)
    st.download_button("Save", INPUTS.value or usual, "inputs.txt", key="learning.inputs.save")
    loader(
        "Load", "Expected a text file as “Save” writes it", "learning.inputs.file", _load,
        most=INPUTS.longest,
    )  # fmt: skip


def _load(content: bytes, name: str) -> None:
    text = content.decode("utf-8", "replace")
    input_model.read(text, MODEL.value)
    INPUTS.set(text)


def _model_or_message(lesson: Lesson) -> Model | None:
    """The model on screen, or a sentence on why there is none to differentiate."""
    if MODEL.value == "screen" and not lesson.summary.feasible:
        st.info("No path is allowed here: log p has no gradient.")
        return None
    if MODEL.value == "screen" and lesson.summary.has_one_path:
        st.info(
            "Only one path is allowed here, so its p is 1 whatever the scores are, and each "
            "derivative is 0. Choose another example."
        )
        return None
    try:
        found = model(lesson)
    except ProblemError as error:
        st.warning(theme.markdown(str(error)))
        return None
    if found is None:
        st.info("The right path is forbidden here: log p has no gradient.")
    return found


def _power_of_ten(h: float) -> str:
    """A step as the page writes it.

    >>> _power_of_ten(1e-05)
    '1e-5'
    """
    mantissa, exponent = f"{h:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def name_of(found: Model, place: gradients.Named) -> str:
    """A parameter as the page writes it."""
    table, at = place
    tags, tokens = found.tags, found.tokens
    if table in ("emissions", "x"):
        word = tokens[at[0]]
        if tokens.count(word) > 1:  # which of them
            word += f" ({at[0] + 1})"
        return f"{_NAMED[table]}[{', '.join([word, *(tags[s] for s in at[1:])])}]"
    if len(at) == 3:
        return f"{_NAMED[table]}[{tags[at[1]]}, {tags[at[2]]}, {at[0] + 2}]"
    return f"{_NAMED[table]}[{', '.join(tags[s] for s in at)}]"


def _table(
    lesson: Lesson, found: Model, places: list[gradients.Named], psi: bool, step: float, p: float
) -> None:
    closed, automatic = gradients.closed(found, psi), gradients.automatic(found, psi)
    names = {name_of(found, place): place for place in places}
    chosen = st.selectbox("Entry", list(names), key="learning.entry", width=300)
    entry = names.get(chosen, places[0])
    shown = list(dict.fromkeys([entry, *places]))[:_ROWS]
    by_step = gradients.differences(found, shown, [step], psi=psi)[0].tolist()
    rows = [
        [name_of(found, (table, at)), number(closed[table][at].item()),
         number(automatic[table][at].item()), number(slope)]
        for (table, at), slope in zip(shown, by_step, strict=True)
    ]  # fmt: skip
    st.html(
        tables.text_table(
            ["parameter", "closed form", "automatic", f"h = {_power_of_ten(step)}"],
            rows,
            "The gradient in three ways, the largest entries",
        )
    )  # fmt: skip
    worst = gradients.errors(found, places, [step], torch.float64, psi)[0]
    off = "nothing that can be computed" if worst != worst else _power(worst)
    lesson.say("v", error=off, step=_power_of_ten(step))
    _written_out(found, entry, psi)
    if found.has_potentials:
        _per_psi(lesson, found, entry, p)


def _per_psi(lesson: Lesson, found: Model, entry: gradients.Named, p: float) -> None:
    """From ∂ log p / ∂ log ψ to ∂p / ∂ψ, with the numbers of one entry."""
    table, at = entry
    slope, ψ = gradients.closed(found)[table][at].item(), found.tables[table][at].exp().item()
    lesson.say("derive-psi")
    if not 0 < ψ < math.inf:  # beyond what a number can hold
        return
    product = p * slope / ψ
    lesson.say(
        "derive-psi-numbers", entry=name_of(found, entry), p=format_magnitude(p),
        slope=format_score(slope, 4), psi=format_magnitude(ψ),
        product=("−" if product < 0 else "") + format_magnitude(abs(product)),
    )  # fmt: skip


def _power(value: float) -> str:
    return "0" if value == 0 else format_power(value, 2)


def number(value: float) -> str:
    """A derivative, with as many digits as tell the three ways apart.

    >>> number(-0.25), number(-1e-20), number(float("nan"))
    ('−0.25000000', '0.00000000', 'none: ψ − h ≤ 0')
    """
    return "none: ψ − h ≤ 0" if value != value else format_score(value, 8)


def _written_out(found: Model, entry: gradients.Named, psi: bool) -> None:
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
        told += f"; divided by ψ = {format_potential(log_psi.item())}: {slope}"
    st.html(prose(told))


# ---------------------------------------------------------------------- a wrong one


def _fault(lesson: Lesson) -> None:
    found = _model_or_message(lesson)
    if found is None:
        return
    asked = [code for code, fault in _FAULT_OF.items() if gradients.shows(found, fault)]
    if len(asked) < len(_FAULT_OF):
        lesson.say("unseen", count=("none", "only one", "only two")[len(asked)])
    if not asked:
        return
    if CODE.value not in asked:
        CODE.set(asked[0])
    name = CODE.widget("Which code", among=asked)
    fault, m = _FAULT_OF[name], len(found.tokens)
    right, wrong = gradients.closed(found), gradients.faulty(found, fault)
    off = {table: right[table] - wrong[table] for table in right}
    total = f"{gradients.expected_pairs(found, fault):.3g}"
    lesson.say("fault", code=name, right=str(m - 1), sum=total)
    rows = [
        [name_of(found, (t, at)), number(right[t][at].item()), number(wrong[t][at].item())]
        for t, at in gradients.largest(found, off, 5)
    ]
    header = ["parameter", "right", f"code {name}"]
    st.html(tables.text_table(header, rows, "The wrong code beside the right one"))
    options = list(_FAULTS)
    fits = {other for other in options if gradients.alike(wrong, gradients.faulty(found, other))}
    also = "" if len(fits) == 1 else "Here another fault leads to the same numbers."

    def judge(k: int) -> question.Verdict:
        right = options[k] in fits
        return question.Verdict(right, also if right else _HINTS[fault], _FAULTS[fault])

    question.choice(
        "Which fault does it have?", list(_FAULTS.values()), judge, key=f"learning.fault.{name}"
    )


_HINTS = {
    "steps": "Compare the sum of the table with m − 1.",
    "ends": "The sum is right, so every step is there once. What stands outside the steps?",
    "rows": "At each step the row of each possible tag adds up to 1, whatever its probability.",
}
