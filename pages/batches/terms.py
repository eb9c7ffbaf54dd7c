"""The score of a batch, term by term, and the tables of the lesson that can be taken away."""

import inspect

import streamlit as st

from crf import scoring
from crf.potentials import first_tokens, last_tokens
from pages.batches.batch import PAD
from pages.batches.loop import Loop
from pages.shared.figures import problem_scores, tables
from pages.shared.figures.tables import Rows
from pages.shared.ui.exports import Table
from pages.shared.ui.lesson import Lesson


def section(lesson: Lesson, loop: Loop) -> None:
    """The terms of each row's best path where they count, and the code that reads them."""
    lesson.say("score")
    columns = [str(t + 1) for t in range(loop.batch.shape[1])]
    for name, cells in counted_terms(loop).items():
        table = tables.score_table(loop.batch.names, columns, cells, name)
        st.html(problem_scores.titled(name, table))
    lesson.say("score-terms")
    st.code(inspect.getsource(scoring.score_terms), language="python")


def counted_terms(loop: Loop) -> dict[str, list[list[float | None]]]:
    """[B][L] terms of each row's best path, by what they are; None where none counts."""
    mask = loop.chain.potentials.mask
    first, last = first_tokens(mask), last_tokens(mask)
    terms = scoring.score_terms(loop.chain.potentials, loop.best.tags.clamp(min=0))
    found = {
        "Emission": (terms.emissions, mask),
        "Transition": (terms.transitions, mask & ~first),
        "Start": (terms.start, first),
        "End": (terms.end, last),
    }
    return {
        name: [
            [value if here else None for value, here in zip(*row, strict=True)]
            for row in zip(values.tolist(), counts.tolist(), strict=True)
        ]
        for name, (values, counts) in found.items()
    }


def exports(loop: Loop) -> dict[str, Table]:
    """The recursion's cells of every row, and its totals."""

    def cells() -> Rows:
        return [["row", "column", "word", *loop.batch.model.tags]] + [
            [b + 1, t + 1, word, *loop.columns[b, t].tolist()]
            for b, row in enumerate(loop.batch.rows)
            for t, word in enumerate(row)
            if word != PAD
        ]

    def totals() -> Rows:
        return [["row", loop.total_name], *map(list, enumerate(loop.totals, 1))]

    return {"Cells of the batch": Table.of(cells), "Totals of the batch": Table.of(totals)}
