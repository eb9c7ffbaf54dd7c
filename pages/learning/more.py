"""What stands behind "⋯" of Learning: derivations, tables, code, corpora and models of one's own.

Each section is drawn when it is opened, for the state and the beat on screen.
"""

import math
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
import torch

from crf.figures.numbers import decimal, format_magnitude, format_probability, format_score
from pages.learning import climb, gradients
from pages.learning.beats import POWER
from pages.learning.corpus import (
    CORPUS,
    STARTS,
    Run,
    corpus_of,
    corpus_text,
    parse,
    prepare,
    run_of,
    settings_of,
    train,
)
from pages.learning.gradients import (
    GRADIENT,
    Model,
    Named,
    Parameters,
    UsedScores,
    by_psi,
    entry_of,
    entry_title,
    model_of,
)
from pages.learning.sentence import Ascent, ascent, counts_of, followed_score, title_of
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.state import State, changed, write
from pages.shared.figures.beat import Beat, step_of
from pages.shared.figures.text import LessonText, case, prose
from pages.shared.ui import bench, implement, server_path, textbook_code
from pages.shared.ui.files import loader
from pages.shared.ui.stage import look, reader, score_section, whose
from pages.shared.ui.state import complain

__all__ = ["SECTIONS", "prepare"]  # what the router calls
LESSON = "learning"
NEAR = 1e-3  # heights that are the same, relative to their size
MOST = 3000  # characters of either


def _order(state: State, **controls: str) -> None:
    """Change controls of the state on screen."""
    parts = write(replace(state, controls={**state.controls, **controls}))
    reader.order(LESSON, **{"with": parts.get("with", ""), "step": "", "bet": ""})


# ---------------------------------------------------------------------- one sentence


def _run(state: State, beat: Beat) -> tuple[Ascent | None, int]:
    n = step_of(beat, state) if beat.name in ("counts", "step") else 0
    return ascent(state, n), n


def _derive(state: State, beat: Beat, text: LessonText) -> None:
    st.html(text.html("derive"))
    run, n = _run(state, beat)
    if run is None:
        return
    if state.problem.per_step:
        st.html(text.html("per-step"))
    score = followed_score(state)
    observed, expected = counts_of(run, score, n)
    st.html(
        text.html(
            "derive-numbers",
            score=title_of(state.problem, score),
            observed=format_score(observed, 4),
            expected=format_score(expected, 4),
            push=format_score(observed - expected, 4),
        )
    )


def _table(state: State, beat: Beat, text: LessonText) -> None:
    run, n = _run(state, beat)
    if run is not None:
        st.html(text.html("table", n=n))
        _frame(
            [text.line(f"labels.{name}") for name in ("score", "observed", "expected", "gradient")],
            _gradient_rows(state.problem.tags, run, n),
        )


def _gradient_rows(tags: tuple[str, ...], run: Ascent, n: int) -> list[list[str | float]]:
    """Observed, expected and gradient of every score after n steps."""
    rows = []
    for name, lines, observed, expected in zip(
        ("w", "T", "start", "end"),
        (run.words, tags, ("",), ("",)),
        run.observed,
        run.expected,
        strict=True,
    ):
        summed = (x.sum(0) if x.dim() == 3 else x for x in (observed, expected[n]))  # over steps
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


def _learnt(state: State, beat: Beat) -> Problem:
    """The scores after the steps on screen."""
    run, n = _run(state, beat)
    if run is None or not n:
        return state.problem
    tags, tokens = state.problem.tags, state.problem.tokens
    return Problem.of(tags, tokens, *(table[n].tolist() for table in run.scores))


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    """All cells, after the steps on screen."""
    hidden = bench.hides(state, beat)
    bench.show(bench.OnBench(LESSON, _learnt(state, beat), hidden_from=hidden))


def _keep(state: State, beat: Beat, text: LessonText) -> None:
    """A way to the trellis with the scores after the steps on screen."""
    run, n = _run(state, beat)
    if run is None:
        return
    st.html(text.html("keep", n=n, p=format_probability(math.exp(run.log_p[n].item()))))
    try:
        parts = changed(state, _learnt(state, beat))
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
    usual = corpus_text(state.control("corpus", CORPUS))
    label = text.line("labels.typed")
    typed = st.text_area(label, usual, key="learning.corpus", height=190, max_chars=MOST)

    def use() -> None:
        try:
            parse(typed)
        except ProblemError as error:
            return complain(f"{error}.")
        return _order(state, corpus=typed)

    st.button(text.line("labels.use"), key="learning.corpus.use", on_click=use)


def _concave(state: State, _beat: Beat, text: LessonText) -> None:
    """Runs from every start, and whether their ends are one."""
    usual, tops = settings_of(state), {}
    if not usual.is_perceptron:  # which climbs no objective
        for start in dict.fromkeys((usual.start, *STARTS)):
            tops[start] = train(corpus_of(state), usual._replace(start=start)).objective[-1].item()
    heights = tops.values()
    if not tops:
        reached = case("reached.none")
    elif run_of(state).is_swinging:
        reached = case("reached.swings")
    elif max(heights) - min(heights) <= NEAR * max(1.0, *map(abs, heights)):
        reached = case("reached.same")
    else:
        name = "apart-penalty" if usual.penalty else "apart"
        reached = case(f"reached.{name}", n=run_of(state).iterations)
    st.html(text.html("concave", reached=reached))
    if tops:
        _frame([text.line(f"labels.{n}") for n in ("start", "top")], list(map(list, tops.items())))


def _record(state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("record"))
    st.dataframe(record_of(run_of(state)), hide_index=True, width="stretch")


def record_of(run: Run) -> pd.DataFrame:
    """Every step's numbers as one table, a row for each."""
    corpus, tags = run.corpus, run.corpus.tags
    is_perceptron = run.settings.is_perceptron
    measure, each = ("wrong", run.wrong) if is_perceptron else ("nll", run.nll)
    columns: dict[str, object] = {"step": range(run.iterations + 1)}
    if not is_perceptron:
        columns["objective"] = run.objective.numpy()
    columns[measure] = each.sum(1).numpy()
    columns["update_norm" if is_perceptron else "gradient_norm"] = run.norms.numpy()
    for b, sentence in enumerate(corpus.sentences):
        columns[f"{measure}_{b + 1}"] = each[:, b].numpy()
        rows = run.decoded[:, b, : len(sentence)].tolist()
        columns[f"tags_{b + 1}"] = [" ".join(tags[s] for s in row) for row in rows]
    for letter, table, names in (
        ("w", run.weights.words, corpus.words),
        ("T", run.weights.tags, tags),
    ):
        for i, name in enumerate(names):
            columns |= {f"{letter}[{name},{t}]": table[:, i, j] for j, t in enumerate(tags)}
    return pd.DataFrame(columns)


# ---------------------------------------------------------------------- is it right


def _entries(state: State, beat: Beat, text: LessonText) -> None:
    """Every entry in three ways, with the error absolute and relative; the largest first."""
    model = model_of(state)
    if model is None:
        return
    power = step_of(beat, state) if beat.name == "right" else POWER
    log_p = gradients.log_probability(model).item()
    st.html(
        text.html(
            "entries",
            h=f"1e-{power}",
            path=" ".join(model.tags[s] for s in model.path),
            log_p=format_score(log_p, 6),
            p=decimal(f"{math.exp(log_p):.12g}"),
        )
    )
    names = ("parameter", "closed", "automatic", "differences", "error", "relative")
    psi, places = by_psi(state, model), gradients.entries(model)[1]
    slopes = gradients.differences(model, places, [10.0**-power], psi)[0].tolist()
    rows: list[list[str | float]] = []
    for (table, at), slope in zip(places, slopes, strict=True):
        closed, automatic = (way[table][at].item() for way in gradients.exact(model, psi))
        off = abs(slope - closed)
        relative = off / abs(closed) if closed else math.nan
        rows.append([entry_title(model, (table, at)), closed, automatic, slope, off, relative])
    heads = [text.line(f"labels.{name}") for name in names]
    frame = pd.DataFrame(rows, columns=heads)
    styled = frame.style.format(partial(format_score, digits=10), subset=heads[1:4])
    styled = styled.format(format_magnitude, subset=heads[4:], na_rep="–")
    st.dataframe(styled, hide_index=True, width="stretch")


def _written(state: State, _beat: Beat, text: LessonText) -> None:
    """The sum behind the entry on screen: each place where its parameter is used."""
    model = model_of(state)
    if model is None:
        return
    entry, total, parts = entry_of(state, model), 0.0, []
    observed, expected = gradients.observed(model), gradients.expected(model)
    for table, at, factor in _uses(model, entry):
        count, mean = (getattr(counts, table)[at].item() for counts in (observed, expected))
        times = "" if factor == 1 else f"{factor:g} · "
        parts.append(decimal(f"{times}({count:.0f} − {mean:.4f})"))
        total += factor * (count - mean)
    line = f"∂ log p / ∂ {entry_title(model, entry)} = {' + '.join(parts)} = "
    st.html(text.html("written"))
    st.html(prose(line.replace("-", "−") + format_score(total, 8)))


def _uses(model: Model, entry: Named) -> list[tuple[str, tuple[int, ...], float]]:
    """Each place where a parameter is used: table, index, and what it is multiplied by there."""
    name, index = entry
    zero = torch.zeros_like(model.tables[name])
    unit = zero.clone()
    unit[index] = 1.0

    def moves(tables: Parameters) -> UsedScores:  # by a unit of the parameter
        one, other = (model.scores(tables | {name: table}) for table in (unit, zero))
        return UsedScores(*map(torch.sub, one, other))

    places = moves({n: torch.ones_like(table) for n, table in model.tables.items()})
    factors = moves(model.tables)
    return [
        (table, tuple(at), getattr(factors, table)[tuple(at)].item())
        for table, moved in places._asdict().items()
        for at in moved.nonzero().tolist()
    ]


def _psi(state: State, _beat: Beat, text: LessonText) -> None:
    """From ∂ log p / ∂ log ψ to ∂p / ∂ψ, with the numbers of the entry on screen."""
    st.html(text.html("psi"))
    model = model_of(state)
    if model is None or not model.has_potentials:
        return
    table, at = entry = entry_of(state, model)
    slope, ψ = gradients.closed(model)[table][at].item(), model.tables[table][at].exp().item()
    p = math.exp(gradients.log_probability(model).item())
    if 0 < ψ < math.inf:  # within what a number can hold
        product = p * slope / ψ
        st.html(
            text.html(
                "psi-numbers",
                entry=entry_title(model, entry),
                p=format_magnitude(p),
                slope=format_score(slope, 4),
                psi=format_magnitude(ψ),
                product=("−" if product < 0 else "") + format_magnitude(abs(product)),
            )
        )


def _inputs(state: State, _beat: Beat, text: LessonText) -> None:
    """The numbers of the model with inputs: to type, paste, load or save."""
    name = state.control("model", GRADIENT)
    preset = name if name in gradients.PRESETS else "inputs"
    usual = gradients.as_text(gradients.read(state.control("inputs", GRADIENT), preset))
    st.html(text.html("inputs", tags=gradients.MOST_TAGS, tokens=gradients.MOST_TOKENS))
    label = text.line("labels.numbers")
    typed = st.text_area(label, usual, key="learning.inputs", height=190, max_chars=MOST)

    def put(numbers: str) -> None:
        gradients.read(numbers, preset)
        _order(state, model=preset, inputs=numbers)

    def use() -> None:
        try:
            put(typed)
        except ProblemError as error:
            complain(f"{error}.")

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(text.line("labels.use"), key="learning.inputs.use", on_click=use)
        st.download_button(
            text.line("labels.save"),
            usual,
            "inputs.txt",
            key="learning.inputs.save",
            on_click="ignore",
        )
    loader(
        text.line("labels.load"),
        text.line("labels.file"),
        "learning.inputs.file",
        lambda content, _name: put(content.decode("utf-8", "replace")),
        most=MOST,
    )


def _implement(_state: State, _beat: Beat, _text: LessonText) -> None:
    implement.body(implement.FUNCTIONS[LESSON], LESSON)


def _paragraph(name: str) -> look.Section:
    return lambda state, beat, text: st.html(text.html(name))


SECTIONS: look.Sections = {
    "numbers": {
        "heat-maps": _numbers,
        "climb": climb.climb,
        "surface": climb.surface,
        "table": _table,
        "record": _record,
        "entries": _entries,
        "scores": _scores,
    },
    "why": {
        "derivation": _derive,
        "psi": _psi,
        "likelihood": _paragraph("likelihood"),
        "features": _paragraph("features"),
        "concave": _concave,
        "losses": _paragraph("losses"),
    },
    "code": {"step": _code, "written": _written},
    "keep": {
        "whose": whose.section(LESSON),
        "own": _own,
        "inputs": _inputs,
        "check": _implement,
        "trellis": _keep,
    },
}
