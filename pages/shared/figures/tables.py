"""Tables of texts as HTML, of an exercise and on paper: data in, a string out.

What comes from the outside is escaped here; the classes are in styles.css.
"""

from collections.abc import Sequence

from pages.shared.course.exercises import TextTable
from pages.shared.course.right_to_left import escape

Rows = Sequence[Sequence[str | float]]  # of a file, the header first


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table of texts, whose first column names the rows; its caption is read aloud."""
    return _table(header, rows, caption, "crf-hidden")


def given_tables(tables: Sequence[TextTable], name: str) -> str:
    """An exercise's tables, side by side, each below its title; where narrow, they scroll."""
    grids = "".join(_table(header, rows, title, "crf-note") for title, header, rows in tables)
    named = f'role="region" tabindex="0" aria-label="{escape(name)}"'
    return f'<div class="crf-scroll crf-given" {named}><div class="crf-tables">{grids}</div></div>'


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, shows: str) -> str:
    corner, *names = map(escape, header)
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(_row(*map(escape, row)) for row in rows)
    return (
        f'<table class="crf-grid"><caption class="{shows}">{escape(caption)}</caption>'
        f"<thead><tr><td>{corner}</td>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )


def _row(name: str, *texts: str) -> str:
    cells = "".join(f"<td>{text}</td>" for text in texts)
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'
