"""The further parts of the lesson: broadcasting, what changes nothing, throughput."""

import inspect
import math

import streamlit as st
from markupsafe import Markup

from crf import scoring
from crf.potentials import first_tokens, last_tokens
from pages.batches import broadcast_slabs, controls, operations, pictures, throughput
from pages.batches.batch import PAD, Batch
from pages.batches.loop import Loop
from pages.shared.course.direction import escape
from pages.shared.figures import problem_scores, tables, theme
from pages.shared.figures.text import anchor
from pages.shared.ui import question
from pages.shared.ui.component import component
from pages.shared.ui.exports import Table
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson

_SLABS = component("broadcast_slabs", "pages/batches/broadcast_slabs")
_LEFT, _TOP = (10, 20), (1, 2)
_AXES = ("from: dim 1", "to: dim 2", "b: dim 0")
_DIGITS = 9  # decimals of what must not change


PARTS = ("loop", "warm-up", "same", "bugs", "speed")  # paragraphs whose headings begin a part


def contents(lesson: Lesson) -> None:
    """Links to the five parts of the page."""
    link = Markup('<a href="#{}">{}</a>').format
    titles = [lesson.text.title(part) for part in PARTS]
    parts = Markup(" · ").join(link(anchor(title), title) for title in titles)
    lesson.say("contents", parts=parts)


# ---------------------------------------------------------------------- broadcasting


def broadcasting(lesson: Lesson, loop: Loop, step: int) -> None:
    """A warm-up, then one step as slabs, and the axis that is reduced."""
    picture, text = lesson.split("warm-up")
    with text:
        lesson.say("warm-up")
    with picture:
        _SLABS(
            key="batches.warm-up",
            data=broadcast_slabs.warm_up(_LEFT, _TOP)
            | {"hint": "Point at a number of the sum, or reach it by Tab and the arrow keys."},
        )
    columns = broadcast_slabs.columns(loop)
    if not columns:
        lesson.say("one-word")
        return
    t = min(max(step - 1, columns[0]), columns[-1])
    _step(lesson, loop, t)


def _step(lesson: Lesson, loop: Loop, t: int) -> None:
    is_max = loop.semiring == "max"
    lesson.say("slabs", t=t + 1, cell="δ" if is_max else "α̂")
    asked = question.guess(
        "The new column is [B, S]. Over which axis is the sum reduced?",
        _AXES,
        right=0,
        key="batches.axis-guess",
        subject="axis",
        tells=(controls.AXIS.address,),
    )
    axis = 1
    if asked:
        axis = int(controls.AXIS.widget("Reduce over")) if lesson.asks else 1
        lesson.say(f"axis-{broadcast_slabs.AXES[axis]}", reduction="maximum" if is_max else "sum")
    rows = [pictures.name(b) for b in range(len(loop.batch.rows))]
    reduce = "max" if is_max else "logsumexp"
    found = broadcast_slabs.step(loop, t, axis)
    drawing = broadcast_slabs.drawing(found, axis, rows, loop.batch.model.tags, reduce)
    if not asked:
        drawing.pop("reduction")
    _SLABS(key="batches.slabs", data=drawing | {"hint": "Point at a cell of the sum."})


# ---------------------------------------------------------------------- what changes nothing


@st.fragment
def nothing_changes(lesson: Lesson, batch: Batch) -> None:
    """Rows shuffled, padding anywhere and with anything in it; and the mask multiplied."""
    picture, text = lesson.split("same")
    with text:
        lesson.say("same")
        if lesson.asks:
            done = st.pills(
                "Change the batch",
                list(operations.OPERATIONS),
                selection_mode="multi",
                format_func=lambda name: operations.OPERATIONS[name],
                default=controls.CHANGES.value,
                key="batches.changes.pills",
            )
            controls.CHANGES.set(tuple(done))
            controls.MULTIPLY.widget("Multiply by the mask")
        if controls.MULTIPLY.value:
            lesson.say("multiplied")
    arranged = operations.rearranged(batch, controls.CHANGES.value)
    before = operations.results(operations.rearranged(batch, ()))
    after = operations.results(arranged, multiplied=controls.MULTIPLY.value)
    with picture:
        st.html(_array(arranged))
        st.html(_comparison(batch, before, after))
    lesson.publish()


def _array(arranged: operations.Arranged) -> str:
    """The padded array as it now is, row by row, and what the padding holds."""
    held = ["nan" if math.isnan(x) else theme.number(x, 0) for x in arranged.padding]
    lines = []
    for row, old in zip(arranged.batch.rows, arranged.order, strict=True):
        cells = "".join(
            f'<td class="crf-forbidden">{held[t % len(held)]}</td>'
            if word == PAD
            else f'<td class="crf-cell">{escape(theme.shorten(word, 10))}</td>'
            for t, word in enumerate(row)
        )
        lines.append(f'<tr><th scope="row">row {old + 1}</th>{cells}</tr>')
    return (
        '<div class="crf-scroll" data-figure="array" tabindex="0" role="region" '
        'aria-label="The batch as the code gets it"><table class="crf-grid"><tbody>'
        f"{''.join(lines)}</tbody></table></div>"
    )


def _comparison(batch: Batch, before: operations.Results, after: operations.Results) -> str:
    rows = []
    for b, (old, new) in enumerate(zip(before.log_z, after.log_z, strict=True)):
        shown = [theme.number(old, _DIGITS), "nan" if new != new else theme.number(new, _DIGITS)]
        row = [f"row {b + 1}", *shown, "the same" if shown[0] == shown[1] else "changed"]
        if after.paths:
            tags = " ".join(batch.model.tags[s] for s in after.paths[b])
            row.append(theme.shorten(tags, 48) or "–")
        rows.append(row)
    header = ["", "log Z before", "log Z now", "is"] + ["best path now"] * bool(after.paths)
    return f'<div class="crf-fit">{tables.text_table(header, rows, "log Z before and after")}</div>'


# ---------------------------------------------------------------------- the score of a batch


def scores(lesson: Lesson, loop: Loop) -> None:
    """Which emission, transition, start and end counts where, of each row's best path."""
    with lesson.fold("How is the score of a batch computed?", key="score") as is_open:
        if not is_open:
            return
        lesson.say("score")
        rows = [pictures.name(b) for b in range(len(loop.batch.rows))]
        for name, table in score_cells(loop).items():
            columns = [str(t + 1) for t in range(loop.batch.shape[1])]
            st.html(problem_scores.titled(name, tables.score_table(rows, columns, table, name)))
        lesson.say("score-terms")
        st.code(inspect.getsource(scoring.score_terms), language="python")


def score_cells(loop: Loop) -> dict[str, list[list[float | None]]]:
    """[B][L] terms of each row's best path, by what they are; None where none counts."""
    scores = loop.chain.potentials
    terms = scoring.score_terms(scores, loop.best.tags.clamp(min=0))
    mask = scores.mask
    first, last = first_tokens(mask), last_tokens(mask)
    counts = {"Emission": mask, "Transition": mask & ~first, "Start": first, "End": last}
    read = (terms.emissions, terms.transitions, terms.start, terms.end)
    found = dict(zip(counts, read, strict=True))
    return {
        name: [
            [value if here else None for value, here in zip(*row, strict=True)]
            for row in zip(found[name].tolist(), counts[name].tolist(), strict=True)
        ]
        for name in counts
    }


# ---------------------------------------------------------------------- throughput


@st.fragment
def speed(lesson: Lesson, batch: Batch) -> None:
    """Sentences per second, measured when asked for; how much of a batch is padding."""
    lengths, S = tuple(n for n in batch.lengths if n), batch.shape[2]
    if not lengths:
        return
    told = st.container()
    if st.button("Measure on this machine, for 2 seconds", key="batches.measure"):
        if not throughput.measure(lengths, S):
            note("Somebody else is measuring on this server. Try again in a few seconds.")
    rates = throughput.measured(lengths, S)
    with told:
        if gained := throughput.gain(rates):
            lesson.say("speed", size=gained[0], gain=f"{gained[1]:.0f}")
        else:
            lesson.say("measure", lengths=" and ".join(map(str, lengths)))
    if rates:
        drawn = throughput.figure(rates)
        st.plotly_chart(drawn, key="batches.speed", config={"displayModeBar": False})
        if not any(rate.way == "kernels" for rate in rates):
            lesson.say("no-kernels")
    with lesson.fold("How much of a batch is padding?") as is_open:
        if is_open:
            lesson.say("padding", sentences=str(throughput.CORPUS))
            header = ["sentences in a batch", "as they come", "sorted by length"]
            st.html(tables.text_table(header, throughput.waste_rows(lengths), "Padding"))


def export_tables(loop: Loop) -> dict[str, Table]:
    """The recursion's cells of every row, and its totals."""
    tags = list(loop.batch.model.tags)

    def cells() -> list[list[str | float]]:
        return [
            ["row", "column", "word", *tags],
            *(
                [b + 1, t + 1, word, *loop.columns[b, t].tolist()]
                for b, row in enumerate(loop.batch.rows)
                for t, word in enumerate(row)
                if word != PAD
            ),
        ]

    def totals() -> list[list[str | float]]:
        name = "best score" if loop.semiring == "max" else "log Z"
        return [["row", name], *([b + 1, total] for b, total in enumerate(loop.totals))]

    return {"Cells of the batch": Table.of(cells), "Totals of the batch": Table.of(totals)}
