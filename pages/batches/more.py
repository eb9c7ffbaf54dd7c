"""What stands behind "⋯" of the lesson on batches: the rows, the code, the scores, exports."""

import inspect
from functools import partial

import pandas as pd
import streamlit as st

from crf.core import scoring
from crf.figures.numbers import decimal, format_score
from pages.batches import throughput
from pages.batches.batch import PAD, loop_of, presets
from pages.batches.beats import CONTROLS, batch_of
from pages.shared.course import measuring
from pages.shared.course.problem import ProblemError
from pages.shared.course.state import State, write
from pages.shared.figures.beat import Beat
from pages.shared.figures.chart import BAR
from pages.shared.figures.chart import look as look_of
from pages.shared.figures.decoders import listed
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import shorten
from pages.shared.ui import bench, exports, textbook_code
from pages.shared.ui.frame import note
from pages.shared.ui.stage import look, reader, score_section
from pages.shared.ui.state import complain

LESSON = "batches"


def _numbers(state: State, beat: Beat, text: LessonText) -> None:
    """All cells of one row of the batch, as a chain of its own."""
    batch = batch_of(state)
    rows = [b for b in range(len(batch.rows)) if batch.lengths[b]]
    if not rows:
        st.html(text.html("no-words"))
        return
    row = st.segmented_control(
        text.line("rows-words.row"),
        rows,
        default=rows[0],
        required=True,
        format_func=lambda b: " ".join(batch.words(b)),
        label_visibility="collapsed",
    )
    bench.show(bench.OnBench(LESSON, batch.problem(row), hidden_from=bench.hides(state, beat)))


def _rows(state: State, _beat: Beat, text: LessonText) -> None:
    """A field to rewrite the sentences of the batch."""
    batch = batch_of(state)
    st.html(text.html("rows"))
    with st.container(horizontal=True):
        for name, rows in presets(state.problem).items():
            st.button(
                text.line(f"presets.{name}"),
                key=f"{LESSON}.use.{name}",
                on_click=_use,
                args=(state, rows),
            )
        st.button(text.line("presets.usual"), key=f"{LESSON}.use", on_click=_use, args=(state, ""))
    with st.form(f"{LESSON}.form", border=False):
        typed = st.text_area(text.line("rows-words.area"), batch.text)
        if st.form_submit_button(text.line("rows-words.use")):
            try:
                CONTROLS["rows"].read(typed)
            except ProblemError as error:
                complain(f"{error}.")
            else:
                _use(state, typed)
            st.rerun()
    if batch.unknown:
        words = listed([f"‘{shorten(word)}’" for word in batch.unknown])
        st.html(text.html("unknown", words=words))
    if state.problem.per_step:
        st.html(text.html("per-step"))


def _use(state: State, rows: str) -> None:
    """Have the stage show a batch; "" is the usual one."""
    controls = {k: v for k, v in state.controls.items() if k not in ("rows", "cell")}
    after = State(state.base, state.given, controls=controls | ({"rows": rows} if rows else {}))
    reader.order(LESSON, **{"with": write(after).get("with", ""), "step": "", "bet": "-"})


def _code(state: State, _beat: Beat, text: LessonText) -> None:
    chain = loop_of(batch_of(state)).chain
    runs = bool(chain.mask[:, 0].all())  # the textbook's code begins with a word in each row
    textbook_code.body(
        "forward_batch", textbook_code.of_chain("forward_batch", chain) if runs else None
    )


def _shapes(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("shapes"))


def _terms(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("terms"))
    st.code(inspect.getsource(scoring.score_terms), language="python")


def _speed(_state: State, _beat: Beat, text: LessonText) -> None:
    """Sentences a second by the size of the batch, measured when the reader asks."""
    st.html(text.html("speed", words=throughput.WORDS, tags=throughput.TAGS))
    if st.button(text.line("throughput.measure"), icon=":material/timer:", type="primary"):
        with st.spinner(text.line("throughput.busy")):
            if not measuring.renew(throughput.measured, throughput.measure):
                note(text.line("throughput.taken"))
    if not (found := throughput.measured):
        return
    names = {name: text.line(f"throughput.{name}") for name in ("plain", "kernels", "one")}
    axes = text.line("throughput.size"), text.line("throughput.rate")
    figure = throughput.chart(found, look_of(st.context.theme.type), names, axes)
    first = next(one.rate for one in found if (one.way, one.size) == ("plain", 1))
    for column, one in zip(
        st.columns(3), [o for o in found if o.size in (1, 256)][1:], strict=False
    ):
        size = text.line("throughput.at-once", n=one.size)
        column.metric(f"{names[one.way]}, {size}", f"{one.rate / first:,.0f} ×")
    spread = max(one.spread for one in found)
    note(text.line("throughput.spread", times=decimal(f"{spread:.1f}")))
    if all(one.way == "plain" for one in found):
        note(text.line("throughput.no-kernels"))
    chart = st.container()
    rows = [(one.size, names[one.way], one.rate, one.spread) for one in found]
    heads = [axes[0], "", axes[1], text.line("throughput.slowest")]
    st.dataframe(pd.DataFrame(rows, columns=heads), hide_index=True, height="content")
    chart.plotly_chart(
        figure, theme=None, config=BAR, alt=text.line("throughput.alt"), key="batches.throughput"
    )


def _scores(state: State, _beat: Beat, _text: LessonText) -> None:
    score_section.show(LESSON, state)


def _tables(state: State, _beat: Beat, text: LessonText) -> None:
    """The cells of both recursions, and each row's totals."""
    batch = batch_of(state)
    alpha, delta = loop_of(batch), loop_of(batch, True)
    heads = ["", "log Z", text.line("rows-words.best-score"), text.line("rows-words.best-path")]
    tags = [[batch.model.tags[s] for s in row if s >= 0] for row in delta.best.tags.tolist()]
    rows = [
        [
            " ".join(batch.words(b)) or "–",
            z,
            best,
            " ".join(tags[b]) or "–",
        ]
        for b, (z, best) in enumerate(zip(alpha.totals, delta.totals, strict=True))
    ]
    frame = pd.DataFrame(rows, columns=heads)
    styled = frame.style.format(partial(format_score, digits=6), subset=heads[1:3])
    st.dataframe(styled, hide_index=True, height="content", alt=text.line("rows-words.results"))
    body: Rows = [["row", "column", "word", "of", *batch.model.tags]]
    for name, loop in (("alpha", alpha), ("delta", delta)):
        body += [
            [b + 1, t + 1, word, name, *loop.columns[b, t].tolist()]
            for b, row in enumerate(batch.rows)
            for t, word in enumerate(row)
            if word != PAD
        ]
    st.download_button(
        text.line("rows-words.cells"),
        lambda: exports.rows_to_csv(body),
        "batch.csv",
        "text/csv",
        on_click="ignore",
        key=f"{LESSON}.cells",
    )


SECTIONS: look.Sections = {
    "numbers": {
        "heat-maps": _numbers,
        "throughput": _speed,
        "tables": _tables,
        "rows": _rows,
        "scores": _scores,
    },
    "why": {"shapes": _shapes},
    "code": {"step": _code, "terms": _terms},
}
