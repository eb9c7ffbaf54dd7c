"""What stands behind "⋯" of Cost: the symbols, the code, each piece in numbers, a measurement."""

import pandas as pd
import streamlit as st

from crf.figures.numbers import format_score
from crf.figures.trellis.narration import printable
from pages.cost import crossover
from pages.cost.beats import BEATS, CONTROLS
from pages.cost.pieces import joined, order
from pages.shared.course import measuring
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.chart import BAR
from pages.shared.figures.chart import look as look_of
from pages.shared.figures.text import LessonText
from pages.shared.ui import bench, textbook_code
from pages.shared.ui.frame import note
from pages.shared.ui.stage import look, reader, take, whose

LESSON = "cost"
FEW_TAGS = 6  # whose ways have a column each
SYMBOLS = (
    r"\hat\alpha_t(s) = \sum_{s'} \hat\alpha_{t-1}(s')\, M_t(s', s), \qquad"
    r" M_t(s', s) = \psi(s', s)\, \psi_t(s)",
    r"\hat\alpha_m = \hat\alpha_1\, M_2\, M_3 \cdots M_m = \hat\alpha_1\,"
    r" \bigl( (M_2 M_3)(M_4 M_5) \cdots \bigr)",
    r"(A \cdot B)[i, j] = \bigoplus_k A[i, k] \otimes B[k, j], \qquad"
    r" (\oplus, \otimes) = (\textstyle\sum, \times),\ (\operatorname{logsumexp}, +),\ (\max, +)",
)


def _symbols(_state: State, _beat: Beat, text: LessonText) -> None:
    for name, line in zip(("column", "brackets", "semiring"), SYMBOLS, strict=True):
        st.html(text.html(name))
        st.latex(line)


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    bench.show(bench.OnBench(LESSON, state.problem, hidden_from=bench.hides(state, beat)))


def _code(state: State, _beat: Beat, _text: LessonText) -> None:
    chain = state.problem.chain()
    runs = not state.problem.per_step and chain.feasible.item()
    answers = textbook_code.of_chain("by_matrices", chain) if runs else None
    textbook_code.body("by_matrices", answers)


def _pieces(state: State, _beat: Beat, text: LessonText) -> None:
    """Every piece of the whole sentence in numbers, and the total in each order."""
    problem = state.problem
    words, semiring = len(problem.tokens), state.control("semiring", CONTROLS)
    if words < 2:
        st.html(text.html("one-word"))
        return
    tree = joined(problem, words, order(state.control("shape", CONTROLS), words - 1), semiring)
    st.html(text.html("pieces", total=format_score(tree.total, 6)))
    if len(problem.tags) > FEW_TAGS:
        st.html(text.html("many-tags"))
        return
    names = [f"{printable(a)} → {printable(b)}" for a in problem.tags for b in problem.tags]
    rows = [
        [
            f"{printable(problem.tokens[piece.first])} – {printable(problem.tokens[piece.last])}",
            piece.round,
            *piece.matrix.flatten().tolist(),
        ]
        for piece in tree.pieces
    ]
    heads = [text.line("labels.piece"), text.line("labels.round"), *names]
    styled = pd.DataFrame(rows, columns=heads).style.format(format_score, subset=names)
    st.dataframe(styled, hide_index=True, height="content", alt=text.line("labels.pieces"))


def _measure(state: State, _beat: Beat, text: LessonText) -> None:
    """Measure here; then the picture shows what was found."""
    st.html(text.html("measure"))
    if st.button(text.line("labels.measure"), key=f"{LESSON}.measure"):
        if measuring.renew(crossover.measured, crossover.times):
            reader.order(LESSON, beat="measured", bet="-", **{"with": "from_here"})
            st.rerun()
        note(text.line("labels.busy"))
    here = state.control("from", CONTROLS) == "here" and crossover.measured
    times = crossover.measured if here else crossover.recorded()
    tags = st.segmented_control(
        text.line("labels.tags"),
        crossover.TAGS,
        default=crossover.TAGS[0],
        required=True,
        format_func=lambda S: f"{S} {text.line('labels.tags')}",
    )
    names = {way: text.line(f"labels.{way}") for way in crossover.WAYS}
    axes = text.line("labels.words"), text.line("labels.seconds")
    figure = crossover.chart(times, tags, look_of(st.context.theme.type), names, axes)
    place = st.container()
    rows = [(t.length, t.tags, names[t.way], t.seconds) for t in sorted(times)]
    heads = [text.line(f"labels.{name}") for name in ("words", "tags", "way", "seconds")]
    st.dataframe(pd.DataFrame(rows, columns=heads), hide_index=True, height=300)
    alt = text.line("labels.times-alt")
    place.plotly_chart(figure, theme=None, config=BAR, alt=alt, key=f"{LESSON}.crossover")


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, BEATS, beat, state, text)


SECTIONS: look.Sections = {
    "numbers": {"heat-maps": _numbers, "pieces": _pieces, "crossover": _measure},
    "why": {"derivation": _symbols},
    "code": {"step": _code},
    "keep": {"whose": whose.section(LESSON), "link": _take},
}
