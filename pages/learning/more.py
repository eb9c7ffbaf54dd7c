"""What stands behind "⋯" of Learning: derivations, tables, code, corpora and models of one's own.

Each section is drawn when it is opened, for the state and the beat on screen.
"""

import math
from dataclasses import replace
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from crf.figures.numbers import decimal, format_magnitude, format_probability, format_score
from pages.learning import corpus_beats, gradient_beats, gradients, input_model, sentence_beats
from pages.learning.beats import BEATS
from pages.learning.controls import CORPUS, GRADIENT, corpus_text
from pages.learning.corpus import parse
from pages.learning.gradients import Model, Named
from pages.learning.one_sentence import Ascent
from pages.shared.course.problem import ProblemError
from pages.shared.course.state import State, changed, write
from pages.shared.figures.beat import Beat, step_of
from pages.shared.figures.text import LessonText, case, prose
from pages.shared.ui import implement, server_path, textbook_code
from pages.shared.ui.files import loader
from pages.shared.ui.stage import reader, score_section
from pages.shared.ui.state import SessionValue, complain

LESSON = "learning"
NEAR = 1e-3  # heights that are the same, relative to their size
_TYPED, _INPUTS = SessionValue("learning.corpus", ""), SessionValue("learning.inputs", "")
MOST = 3000  # characters of either


def show(state: State, beat: Beat) -> None:
    """Draw the sections for the state and the beat on screen."""
    reader.folds(LESSON, {name: SECTIONS[name] for name in OF_BEAT[beat.name]}, state, beat)


def _order(state: State, **controls: str) -> None:
    """Change controls of the state on screen."""
    parts = write(replace(state, controls={**state.controls, **controls}))
    reader.order(LESSON, **{"with": parts.get("with", ""), "step": "", "bet": ""})


# ---------------------------------------------------------------------- one sentence


def _run(state: State, beat: Beat) -> tuple[Ascent | None, int]:
    n = step_of(beat, state) if beat.name in ("counts", "step") else 0
    return sentence_beats.ascent(state, n), n


def _derive(state: State, beat: Beat, text: LessonText) -> None:
    st.html(text.html("derive"))
    run, n = _run(state, beat)
    if run is None:
        return
    if state.problem.per_step:
        st.html(text.html("per-step"))
    score = sentence_beats.chosen(state)
    observed, expected = sentence_beats.counts_of(run, score, n)
    st.html(text.html(
        "derive-numbers", score=sentence_beats.called(state.problem, score)["text"],
        observed=format_score(observed, 4), expected=format_score(expected, 4),
        push=format_score(observed - expected, 4),
    ))  # fmt: skip


def _table(state: State, beat: Beat, text: LessonText) -> None:
    run, n = _run(state, beat)
    if run is not None:
        st.html(text.html("table", n=n))
        _frame([text.line(f"labels.{name}") for name in ("score", "observed", "expected",
               "gradient")], gradient_rows(run, n))  # fmt: skip


def gradient_rows(run: Ascent, n: int) -> list[list[str | float]]:
    """Observed, expected and gradient of every score after n steps."""
    tags, rows = run.problem.tags, []
    for name, lines, seen, expects in zip(
        ("w", "T", "start", "end"), (run.words, tags, ("",), ("",)), run.observed, run.expected,
        strict=True,
    ):  # fmt: skip
        summed = (x.sum(0) if x.dim() == 3 else x for x in (seen, expects[n]))  # over the steps
        a, b = (x.reshape(len(lines), len(tags)) for x in summed)
        for i, line in enumerate(lines):
            for j, tag in enumerate(tags):
                pair = a[i, j].item(), b[i, j].item()
                place = f"{line}, {tag}" if line else tag
                rows.append([f"{name}[{place}]", *pair, pair[0] - pair[1]])
    return rows


def _frame(heads: list[str], rows: list[list[str | float]]) -> None:
    """A table that one copies or saves; all digits stay."""
    st.dataframe(pd.DataFrame(rows, columns=heads), hide_index=True, width="stretch")


def _keep(state: State, beat: Beat, text: LessonText) -> None:
    """A way to the trellis with the scores after the steps on screen."""
    run, n = _run(state, beat)
    if run is None:
        return
    st.html(text.html("keep", n=n, p=format_probability(math.exp(run.log_p[n].item()))))
    try:
        parts = changed(state, run.problem_after(n))
    except ProblemError as error:
        st.warning(str(error))
        return
    query = write(replace(state, controls={}, step=None, bet="")) | parts
    address = urlencode({key: value for key, value in query.items() if value})
    st.link_button(text.line("labels.trellis"), f"{server_path.root()}forward?{address}")


def _code(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("code"))
    textbook_code.body("gradient")


def _scores(state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("scores"))
    score_section.show(LESSON, state)


# ---------------------------------------------------------------------- a corpus


def _own(state: State, _beat: Beat, text: LessonText) -> None:
    """A corpus to be typed."""
    st.html(text.html("own"))
    if not _TYPED.value:
        _TYPED.set(corpus_text(state.control("corpus", CORPUS)))
    st.text_area(text.line("labels.typed"), key=_TYPED.key, height=190, max_chars=MOST)

    def use() -> None:
        try:
            parse(_TYPED.value)
        except ProblemError as error:
            return complain(f"{error}.")
        return _order(state, corpus=_TYPED.value)

    st.button(text.line("labels.use"), key="learning.corpus.use", on_click=use)


def _concave(state: State, _beat: Beat, text: LessonText) -> None:
    """Runs from every start, and whether their ends are one."""
    tops = corpus_beats.tops(state)
    heights = [top for _, top in tops]
    run = corpus_beats.run(state)
    if not tops:
        reached = case("reached.none")
    elif corpus_beats.is_swinging(run):
        reached = case("reached.swings")
    elif max(heights) - min(heights) <= NEAR * max(1.0, *map(abs, heights)):
        reached = case("reached.same")
    else:
        reached = case("reached.apart", n=run.iterations)
    st.html(text.html("concave", reached=reached))
    if tops:
        _frame([text.line(f"labels.{name}") for name in ("start", "top")], list(map(list, tops)))


def _record(state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("record"))
    st.dataframe(corpus_beats.run(state).record(), hide_index=True, width="stretch")


# ---------------------------------------------------------------------- is it right


def _entries(state: State, beat: Beat, text: LessonText) -> None:
    """Closed form, automatic differentiation and differences of every entry, with both errors."""
    model = gradient_beats.model_of(state)
    if model is None:
        return
    power = step_of(beat, state) if beat.name == "right" else gradient_beats.OPENS
    log_p = gradients.log_probability(model).item()
    st.html(text.html(
        "entries", h=f"1e-{power}", path=" ".join(model.tags[s] for s in model.path),
        log_p=format_score(log_p, 6), p=decimal(f"{math.exp(log_p):.12g}"),
    ))  # fmt: skip
    names = ("parameter", "closed", "automatic", "differences", "error", "relative")
    rows = gradient_beats.rows_of(model, gradient_beats.by_psi(state, model), power)
    _frame([text.line(f"labels.{name}") for name in names], rows)


def _written(state: State, _beat: Beat, text: LessonText) -> None:
    """The sum behind the entry on screen: each place where its parameter is used."""
    model = gradient_beats.model_of(state)
    if model is not None:
        st.html(text.html("written"))
        st.html(prose(written_out(model, gradient_beats.entry_of(state, model))))


def written_out(model: Model, entry: Named) -> str:
    """The sum behind one entry, as a line."""
    seen, expects = gradients.observed(model), gradients.expected(model)
    parts, total = [], 0.0
    for table, at, factor in gradients.uses(model, entry):
        used, mean = (getattr(counts, table)[at].item() for counts in (seen, expects))
        times = "" if factor == 1 else f"{factor:g} · "
        parts.append(decimal(f"{times}({used:.0f} − {mean:.4f})"))
        total += factor * (used - mean)
    line = f"∂ log p / ∂ {gradient_beats.name_of(model, entry)} = {' + '.join(parts)} = "
    return line.replace("-", "−") + format_score(total, 8)


def _psi(state: State, _beat: Beat, text: LessonText) -> None:
    """From ∂ log p / ∂ log ψ to ∂p / ∂ψ, with the numbers of the entry on screen."""
    st.html(text.html("psi"))
    model = gradient_beats.model_of(state)
    if model is None or not model.has_potentials:
        return
    table, at = entry = gradient_beats.entry_of(state, model)
    slope, ψ = gradients.closed(model)[table][at].item(), model.tables[table][at].exp().item()
    p = math.exp(gradients.log_probability(model).item())
    if 0 < ψ < math.inf:  # within what a number can hold
        product = p * slope / ψ
        st.html(text.html(
            "psi-numbers", entry=gradient_beats.name_of(model, entry), p=format_magnitude(p),
            slope=format_score(slope, 4), psi=format_magnitude(ψ),
            product=("−" if product < 0 else "") + format_magnitude(abs(product)),
        ))  # fmt: skip


def _inputs(state: State, _beat: Beat, text: LessonText) -> None:
    """The numbers of the model with inputs: to type, paste, load or save."""
    chosen = state.control("model", GRADIENT)
    preset = chosen if chosen in input_model.PRESETS else "inputs"
    typed = state.control("inputs", GRADIENT)
    usual = input_model.as_text(input_model.read(typed, preset))
    st.html(text.html("inputs", tags=input_model.MOST_TAGS, tokens=input_model.MOST_TOKENS))
    if not _INPUTS.value:
        _INPUTS.set(usual)
    st.text_area(text.line("labels.numbers"), key=_INPUTS.key, height=190, max_chars=MOST)

    def put(written: str) -> None:
        input_model.read(written, preset)
        _order(state, model=preset, inputs=written)

    def use() -> None:
        try:
            put(_INPUTS.value)
        except ProblemError as error:
            complain(f"{error}.")

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(text.line("labels.use"), key="learning.inputs.use", on_click=use)
        st.download_button(
            text.line("labels.save"), usual, "inputs.txt", key="learning.inputs.save",
            on_click="ignore",
        )  # fmt: skip
    loader(
        text.line("labels.load"), text.line("labels.file"), "learning.inputs.file",
        lambda content, _name: put(content.decode("utf-8", "replace")), most=MOST,
    )  # fmt: skip


def _implement(_state: State, _beat: Beat, _text: LessonText) -> None:
    implement.body(implement.FUNCTIONS[LESSON], LESSON)


def _said(name: str) -> reader.Section:
    return lambda state, beat, text: st.html(text.html(name))


SECTIONS: dict[str, reader.Section] = {
    "derive": _derive, "psi": _psi, "table": _table, "code": _code, "keep": _keep,
    "likelihood": _said("likelihood"), "features": _said("features"), "own": _own,
    "concave": _concave, "losses": _said("losses"), "record": _record, "entries": _entries,
    "written": _written, "inputs": _inputs, "implement": _implement, "scores": _scores,
}  # fmt: skip
_SENTENCE = ("derive", "table", "keep", "code", "implement", "psi", "scores")
_CORPUS = ("features", "own", "likelihood", "concave", "losses", "record", "code")
_GRADIENT = ("entries", "written", "psi", "inputs", "derive", "code", "implement", "scores")
OF_BEAT = dict(zip(
    (beat.name for beat in BEATS), (*[_SENTENCE] * 3, *[_CORPUS] * 3, *[_GRADIENT] * 2), strict=True
))  # fmt: skip
