"""Heat maps and tag sequences as HTML tables: data in, a string out.

These figures are tables, and not drawings with a table behind them: the numbers stay text (they
can be selected, zoomed and read aloud), the tag names stay put when the columns scroll, and a
repaint costs nothing. What comes from the outside is escaped here; the classes are in styles.css.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from pages.shared.course.right_to_left import escape
from pages.shared.figures import theme
from pages.shared.figures.text import say

Cell = tuple[int, int]  # row, column
Rows = Sequence[Sequence[str | float]]  # of a file, the header first


def word(text: str) -> str:
    """A token as inert HTML; long ones are cut by the style sheet, whole in the tooltip."""
    return f'<bdi class="crf-word" title="{escape(text)}">{escape(text)}</bdi>'


def tag_chip(tag: str, tags: Sequence[str], differs: bool = False) -> str:
    """A tag's label on its hue; a tag that differs from the best path's is framed and marked ≠.

    Args:
        tag: One of `tags`.
        tags: All of them: they give it the hue that it has in every picture.
        differs: Whether to mark it.
    """
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
    """Tag sequences under their words; what differs from the reference is marked.

    Args:
        tokens: [L] the words.
        rows: The sequences, [L] tags each.
        reference: [L] the tags to compare with; None marks nothing.
        number_names: Headings of the rows' numbers.
        caption: What the table shows, for screen readers.
        tags: [S] all tags of the model.
    """
    head = "".join(f'<th scope="col" class="crf-num">{escape(name)}</th>' for name in number_names)
    head += "".join(f'<th scope="col">{word(token)}</th>' for token in tokens)
    body = []
    for row in rows:
        about = f'<span class="crf-about">{escape(row.about)}</span>' if row.about else ""
        cells = "".join(f'<td class="crf-num">{escape(number)}</td>' for number in row.numbers)
        cells += "".join(
            f"<td>{tag_chip(tag, tags, tag != best)}</td>"
            for tag, best in zip(row.tags, reference or row.tags, strict=True)
        )
        body.append(f'<tr><th scope="row">{escape(row.name)}{about}</th>{cells}</tr>')
    return framed("crf-paths", caption, f"<tr><td></td>{head}</tr>", body)


def score_table(
    row_names: Sequence[str],
    column_names: Sequence[str],
    scores: Sequence[Sequence[float | None]],
    caption: str,
    ringed: Collection[Cell] = (),
    corner: str = "",
    digits: int = 1,
) -> str:
    """A heat map of signed log-scores: blue below 0, orange above, −∞ hatched.

    Args:
        row_names: Names of the rows.
        column_names: Names of the columns.
        scores: Rows of log-scores; None where there is none.
        caption: What the table shows, for screen readers.
        ringed: Cells to ring: those that the best path uses.
        corner: What the rows and columns are.
        digits: How many decimals a score has.
    """
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

    return _grid(row_names, column_names, cell, caption, corner)


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

    Args:
        row_names: Names of the rows.
        column_names: Names of the columns.
        probabilities: Rows of probabilities.
        caption: What the table shows, for screen readers.
        footer: Rows under the table: name and one formatted number per column.
        ringed: Cells to ring: those of the best path.
        texts: What is written in the cells, if not the probabilities.
    """

    def cell(i: int, j: int) -> str:
        p = probabilities[i][j]
        background, colour = theme.probability_colours(p)
        ring = " crf-ring" if (i, j) in ringed else ""
        style = f"background:{background};color:{colour}"
        text = escape(theme.table_probability(p) if texts is None else texts[i][j])
        return f'<td class="crf-cell crf-p{ring}" style="{style}">{text}</td>'

    return _grid(row_names, column_names, cell, caption, "", footer)


def beside(*parts: str) -> str:
    """Tables, and words that take the rest of the width; below each other where it is narrow.

    >>> beside("<table></table>", "")
    '<table></table>'
    """
    given = [part for part in parts if part]
    if len(given) == 1:
        return given[0]
    drawn = "".join(f"<div>{part}</div>" for part in given)
    return f'<div class="crf-tables crf-beside">{drawn}</div>'


def _grid(
    row_names: Sequence[str],
    column_names: Sequence[str],
    cell: Callable[[int, int], str],
    caption: str,
    corner: str,
    footer: Sequence[tuple[str, Sequence[str]]] = (),
) -> str:
    head = "".join(f'<th scope="col">{word(name)}</th>' for name in column_names)
    body = []
    for i, name in enumerate(row_names):
        cells = "".join(cell(i, j) for j in range(len(column_names)))
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    for name, numbers in footer:
        cells = "".join(f"<td>{escape(number)}</td>" for number in numbers)
        body.append(f'<tr class="crf-foot"><th scope="row">{escape(name)}</th>{cells}</tr>')
    return framed("crf-grid", caption, f"<tr><td>{escape(corner)}</td>{head}</tr>", body)


def framed(kind: str, caption: str, head: str, body: Sequence[str]) -> str:
    """A table of finished HTML rows, of some classes, in a frame that scrolls."""
    return (
        f'<div class="crf-scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f'<table class="{kind}"><caption class="crf-hidden">{escape(caption)}</caption>'
        f"<thead>{head}</thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    marked: Collection[Cell] = (),
    *,
    words: bool = False,
) -> str:
    """A table of texts: the first column names the rows, the others are numbers or words.

    Args:
        header: Names of all columns.
        rows: As many texts each.
        caption: What the table shows, for screen readers.
        marked: Cells to ring, the first column counted.
        words: Whether the cells are words, which stand in the middle, and not numbers.
    """
    corner, *names = map(escape, header)
    head = f"<td>{corner}</td>" + "".join(f'<th scope="col">{name}</th>' for name in names)
    body = []
    for i, (name, *texts) in enumerate(rows):
        cells = "".join(
            f'<td class="crf-cell crf-ring">{escape(text)}</td>'
            if (i, j) in marked
            else f"<td>{escape(text)}</td>"
            for j, text in enumerate(texts, 1)
        )
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    kind = "crf-grid crf-texts crf-words" if words else "crf-grid crf-texts"
    return framed(kind, caption, f"<tr>{head}</tr>", body)
