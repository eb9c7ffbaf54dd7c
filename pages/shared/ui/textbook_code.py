"""A part to unfold with a lesson's subject as textbooks' code, run on the problem on screen.

Beside a recursion stand our names for the textbook's, and the lines of the step on screen are
marked. The library's own code is a link.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from markupsafe import Markup

from crf.figures.numbers import format_score
from pages.shared.figures.text import LessonText
from pages.shared.ui.component import core_address

if TYPE_CHECKING:
    from torch import Tensor

    from crf import LinearChain

Answers = Callable[[], "tuple[Tensor, Tensor]"]
_WORDS = Path(__file__).with_name("textbook_code.md")


def of_chain(name: str, chain: "LinearChain") -> Answers:
    """What a function of `textbook` returns for a chain, and what the library returns."""

    def answers() -> "tuple[Tensor, Tensor]":
        from pages.shared.course import textbook  # with torch, when it is unfolded

        return textbook.answers(name, chain)

    return answers


def body(name: str, answers: Answers | None = None, *, now: str = "") -> None:
    """Show the listing, its results beside the library's, and the table of names.

    `answers`: what it returns of what is on screen, and what the library returns; None: it cannot
    be run on that.
    `now`: the kind of step whose lines are marked.
    """
    words = LessonText.load(_WORDS)
    if now:
        st.html(words.html("marked"))
    st.html(listing(name, now=now))
    from pages.shared.course.textbook import CORE

    file = CORE[name]
    link = Markup('<a href="{}" target="_blank">crf/{}</a>').format(core_address(file), file)
    if answers is None:
        st.html(words.html("core", file=link))
    else:
        results = answers()
        written = [_written(each, words) for each in results]
        mine, core = (each.double() for each in results)
        is_same = mine.shape == core.shape and bool(mine.isclose(core, atol=1e-5).all())
        case = ("same-table" if core.dim() == 2 else "same") if is_same else "differs"
        holes = {"digits": _digits(mine, core)} if case == "same-table" else {"other": written[1]}
        st.html(words.html(case, file=link, result=written[0], **holes))
    if (names := name.replace("_", "-")) in words.paragraphs:
        table = words.html(names)
        st.html(Markup('<div class="crf-scroll" tabindex="0">{}</div>').format(table))


def _digits(mine: "Tensor", core: "Tensor") -> int:
    """The number of decimals, at most 9, to which two tables agree; ±∞ agrees with itself."""
    gap = (mine - core)[mine != core].abs()
    largest = gap.max().item() if gap.numel() else 0.0
    return next((d for d in range(9, 0, -1) if largest <= 0.5 * 10.0**-d), 0)


def _written(result: "Tensor", words: LessonText) -> str:
    """A number, numbers (parted by a semicolon: some have a comma), or the size of a table."""
    if result.dim() == 2:
        return words.line("numbers.table", rows=len(result), columns=len(result[0]))
    if result.is_floating_point():
        return "; ".join(format_score(x, 4) for x in result.reshape(-1).tolist())
    return ", ".join(map(str, result.tolist()))


def marked(lines: Sequence[str], start: str) -> Markup:
    """Lines of the library as HTML; the one that begins with `start` is marked."""
    line = Markup("<span{}>{}</span>\n").format
    runs = Markup(' class="crf-runs"')
    rows = (line(runs if text.lstrip().startswith(start) else "", text) for text in lines)
    return Markup('<pre class="crf-listing"><code>{}</code></pre>').format(Markup("").join(rows))


def listing(name: str, *, now: str = "") -> Markup:
    """A function as HTML, each line with the kind of step in which it runs."""
    from pages.shared.course import textbook

    line = Markup('<span data-step="{}"{}>{}</span>\n').format
    lit = {now: Markup(' class="crf-runs"')} if now else {}
    lines = textbook.lines(getattr(textbook, name))
    code = Markup("").join(line(kind, lit.get(kind, ""), text) for text, kind in lines)
    return Markup('<pre class="crf-listing"><code>{}</code></pre>').format(code)
