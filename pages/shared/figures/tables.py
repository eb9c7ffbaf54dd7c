"""Heat maps and tag sequences as HTML tables: data in, a string out.

These figures are tables, and not drawings with a table behind them: the numbers stay text (they
can be selected, zoomed and read aloud), the tag names stay put when the columns scroll, and a
repaint costs nothing. What comes from the outside is escaped here; the classes are in styles.css.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from pages.shared.course.exercises import TextTable
from pages.shared.course.right_to_left import escape
from pages.shared.figures import theme
from pages.shared.figures.text import say

Cell = tuple[int, int]  # row, column
Rows = Sequence[Sequence[str | float]]  # of a file, the header first


def word(text: str) -> str:
    """A token as inert HTML; long ones are cut by the style sheet, whole in the tooltip."""
    return f'<bdi class="crf-word" title="{escape(text)}">{escape(text)}</bdi>'


def tag_chip(tag: str, tags: Sequence[str], differs: bool = False) -> str:
    """A tag's label on its hue; a tag that differs from the best path's is framed and marked ≠."""
    kind, mark = "crf-tag", ""
    if differs:
        kind, mark = "crf-tag crf-differs", f'<span title="{say("path.differs")}">≠ </span>'
    meaning = theme.tag_meaning(tag)
    title = f' title="{escape(meaning)}"' if meaning else ""
    style = f'style="--tag:{theme.tag_colours(tags)[tag]}"'
    return f'<span class="{kind}" {style}{title}>{mark}{escape(tag)}</span>'


@dataclass(frozen=True)
class PathRow:
    """One tag sequence in `path_table`: its name (and a remark), tags and numbers."""

    name: str
    tags: Sequence[str]
    numbers: Sequence[str]
    about: str = ""


def path_table(
    tokens: Sequence[str],
    rows: Sequence[PathRow],
    reference: Sequence[str] | None,
    number_names: Sequence[str],
    caption: str,
    *,
    tags: Sequence[str],
) -> str:
    """Tag sequences under their words; tags that differ from a reference, if given, are marked."""
    heads = [f'<th scope="col" class="crf-num">{escape(name)}</th>' for name in number_names]
    body = []
    for row in rows:
        about = f'<span class="crf-about">{escape(row.about)}</span>' if row.about else ""
        cells = [f'<td class="crf-num">{escape(number)}</td>' for number in row.numbers]
        cells += [
            f"<td>{tag_chip(tag, tags, tag != best)}</td>"
            for tag, best in zip(row.tags, reference or row.tags, strict=True)
        ]
        body.append(_row(escape(row.name) + about, cells))
    heads += map(_word_head, tokens)
    return framed("crf-paths", caption, "", heads, body)


def score_table(
    row_names: Sequence[str],
    column_names: Sequence[str],
    scores: Sequence[Sequence[float | None]],
    caption: str,
    ringed: Collection[Cell] = (),
    corner: str = "",
    digits: int = 1,
) -> str:
    """A heat map of signed log-scores: blue below 0, orange above, −∞ hatched, None left empty."""
    values = [abs(v) for row in scores for v in row if v is not None and v != -math.inf]
    largest = max(values, default=0.0)

    def cell(i: int, j: int) -> str:
        value = scores[i][j]
        if value is None:
            return '<td class="crf-none"></td>'
        ring = " crf-ring" if (i, j) in ringed else ""
        if value == -math.inf:
            return f'<td class="crf-forbidden{ring}">−∞</td>'
        colour = theme.score_background(value, largest)
        text = theme.number(value, digits)
        return f'<td class="crf-cell{ring}" style="background:{colour}">{text}</td>'

    return grid(row_names, column_names, cell, caption, corner)


def probability_table(
    row_names: Sequence[str],
    column_names: Sequence[str],
    probabilities: Sequence[Sequence[float]],
    caption: str,
    footer: Sequence[tuple[str, Sequence[str]]] = (),
    ringed: Collection[Cell] = (),
    texts: Sequence[Sequence[str]] | None = None,
) -> str:
    """A heat map of probabilities: cividis from 0 to 1, with rows of sums or entropies under it.

    `texts` are written in the cells in place of the probabilities.
    """

    def cell(i: int, j: int) -> str:
        p = probabilities[i][j]
        background, colour = theme.probability_colours(p)
        ring = " crf-ring" if (i, j) in ringed else ""
        style = f"background:{background};color:{colour}"
        text = escape(theme.table_probability(p) if texts is None else texts[i][j])
        return f'<td class="crf-cell crf-p{ring}" style="{style}">{text}</td>'

    return grid(row_names, column_names, cell, caption, "", footer)


def grid(
    row_names: Sequence[str],
    column_names: Sequence[str],
    cell: Callable[[int, int], str],
    caption: str,
    corner: str = "",
    footer: Sequence[tuple[str, Sequence[str]]] = (),
) -> str:
    """A table of cells, each as HTML by its row and column, with names at its sides."""
    body = [
        _row(escape(name), [cell(i, j) for j in range(len(column_names))])
        for i, name in enumerate(row_names)
    ]
    for name, numbers in footer:
        body.append(_row(escape(name), map(_text, numbers), ' class="crf-foot"'))
    heads = map(_word_head, column_names)
    return framed("crf-grid", caption, corner, heads, body)


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    marked: Collection[Cell] = (),
    *,
    words: bool = False,
) -> str:
    """A table of texts: the first column names the rows, the others are numbers or words.

    Cells to ring are counted from the first column; words stand in the middle.
    """
    body = [
        _row(escape(name), (_text(text, (i, j) in marked) for j, text in enumerate(texts, 1)))
        for i, (name, *texts) in enumerate(rows)
    ]
    kind = "crf-grid crf-texts crf-words" if words else "crf-grid crf-texts"
    heads = map(_head, header[1:])
    return framed(kind, caption, header[0], heads, body)


def exercise_tables(tables: Sequence[TextTable]) -> str:
    """An exercise's tables, side by side, each below its title."""
    grids = []
    for title, (corner, *names), rows in tables:
        body = [_row(escape(name), map(_text, texts)) for name, *texts in rows]
        grids.append(_table("crf-grid", title, corner, map(_head, names), body, "crf-note"))
    return f'<div class="crf-tables">{"".join(grids)}</div>'


def framed(kind: str, caption: str, corner: str, heads: Iterable[str], body: Iterable[str]) -> str:
    """A table of heads and rows, which are HTML, in a frame that scrolls; its caption is read."""
    return scrolling(caption, _table(kind, caption, corner, heads, body))


def scrolling(label: str, table: str, kind: str = "crf-scroll") -> str:
    """A region that scrolls sideways where it is narrow; its label is read aloud."""
    named = f'role="region" tabindex="0" aria-label="{escape(label)}"'
    return f'<div class="{kind}" {named}>{table}</div>'


def _table(
    kind: str,
    caption: str,
    corner: str,
    heads: Iterable[str],
    body: Iterable[str],
    shows: str = "crf-hidden",
) -> str:
    return (
        f'<table class="{kind}"><caption class="{shows}">{escape(caption)}</caption>'
        f"<thead><tr><td>{escape(corner)}</td>{''.join(heads)}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _head(name: str) -> str:
    return f'<th scope="col">{escape(name)}</th>'


def _word_head(token: str) -> str:
    return f'<th scope="col">{word(token)}</th>'


def _text(text: str, ringed: bool = False) -> str:
    ring = ' class="crf-cell crf-ring"' if ringed else ""
    return f"<td{ring}>{escape(text)}</td>"


def _row(name: str, cells: Iterable[str], attributes: str = "") -> str:
    return f'<tr{attributes}><th scope="row">{name}</th>{"".join(cells)}</tr>'
