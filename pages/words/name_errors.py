"""The errors of a tagger on some sentences: by type and border, or word by word; as a file."""

import io
from functools import lru_cache

import pandas as pd
import streamlit as st

from crf.figures.numbers import decimal
from crf.tagger import Sentence
from crf.tagger.errors import KINDS, ErrorCounts, Wrong, write, wrong_ones
from pages.shared.figures.text import LessonText
from pages.shared.ui import taggers

MOST_PAIRS = 10  # confusions of plain tags that have a row


@lru_cache(maxsize=4)
def wrong(key: str, sentences: tuple[Sentence, ...]) -> tuple[Wrong, ...]:
    """The errors of a tagger, in the order of the sentences."""
    return tuple(wrong_ones(taggers.get(key), sentences))


def rows_of(counts: ErrorCounts, text: LessonText) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: types by kind of error, those with most errors first; or pairs of tags."""

    def number(n: int) -> str:
        return decimal(f"{n:,}")

    kinds = [kind for kind in KINDS if any(row[kind] for row in counts.by_type.values())]
    if not kinds:
        heads = [text.line(f"labels.{name}") for name in ("gold", "given", "times-wrong")]
        pairs = counts.confused.most_common(MOST_PAIRS)
        return heads, [[gold, given, number(n)] for (gold, given), n in pairs]
    heads = [text.line("labels.type"), *(text.line(f"labels.error-{kind}") for kind in kinds)]
    ranked = sorted(counts.by_type.items(), key=lambda item: -item[1].total())
    return heads, [[name, *(number(row[kind]) for kind in kinds)] for name, row in ranked]


def show(key: str, sentences: tuple[Sentence, ...], text: LessonText) -> None:
    """Draw the table, and a button that saves each error with its probabilities."""
    out = io.StringIO()
    counts = write(out, wrong(key, sentences))
    if not counts.by_type:
        return
    heads, rows = rows_of(counts, text)
    if any(row.keys() & {*KINDS} for row in counts.by_type.values()):
        st.html(text.html("errors-by-type"))
    frame = pd.DataFrame(rows, columns=heads)
    st.dataframe(frame, hide_index=True, height="content", alt=text.line("labels.errors"))
    st.download_button(
        text.line("labels.errors-file"),
        out.getvalue(),
        "errors.tsv",
        "text/tab-separated-values",
        icon=":material/download:",
        on_click="ignore",
    )
