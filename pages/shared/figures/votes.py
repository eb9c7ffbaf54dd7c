"""Counted answers of a class as bars, beside the options or under the fields of a column."""

from collections.abc import Sequence

from pages.shared.course.classroom.tally import Bar, Tally
from pages.shared.course.right_to_left import escape
from pages.shared.figures.text import say


def bars(tally: Tally, own: int | None = None) -> str:
    """A bar for each answer, with its share and count; the right and the own one are marked."""
    rows = "".join(_bar(bar, k == own) for k, bar in enumerate(tally.bars))
    return (
        f'<div class="crf-votes" data-figure="votes" role="table" '
        f'aria-label="{say("votes.all")}">{rows}</div>'
        f'<p class="crf-note">{say("votes.answers", n=tally.total)}</p>'
    )


def column(fields: Sequence[str], tally: Tally, truth: Sequence[str]) -> str:
    """A column: its fields, and beside them what the class did in it, by diagnosis."""
    cells = "".join(
        f'<div class="crf-vote-cell" data-right="{right}"><b>{escape(field)}</b>'
        f'<span class="crf-vote-truth">{escape(number)}</span><span class="crf-vote-bar">'
        f'<i style="width:{100 * right / (tally.total or 1):.1f}%"></i></span>'
        f"<span>{say('votes.right-of', right=right, n=tally.total)}</span></div>"
        for field, right, number in zip(fields, tally.cells, truth, strict=True)
    )
    shown = f'<div class="crf-vote-cells" data-figure="column-votes">{cells}</div>'
    return f'<div class="crf-vote-both">{shown}<div>{bars(tally)}</div></div>'


def _bar(bar: Bar, own: bool) -> str:
    mark = f'<b class="crf-right">{say("votes.right")}</b>' if bar.right else ""
    yours = f"<b>{say('votes.yours')}</b>" if own else ""
    remark = f'<small class="crf-about">{escape(bar.remark)}</small>' if bar.remark else ""
    kind = " crf-vote-right" if bar.right else ""
    return (
        f'<div class="crf-vote{kind}" role="row" data-count="{bar.count}">'
        f'<span role="rowheader">{escape(bar.label)} {mark} {yours}{remark}</span>'
        f'<span class="crf-vote-bar" aria-hidden="true">'
        f'<i style="width:{100 * bar.share:.1f}%"></i></span>'
        f'<span role="cell">{bar.count} · {100 * bar.share:.0f} %</span></div>'
    )


def options(texts: Sequence[str]) -> str:
    """What can be answered, while nobody sees what was."""
    shown = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="crf-vote-options">{shown}</ul>'


def turnout(answered: int, students: int) -> str:
    """How many have answered, while what they answered is hidden."""
    share = min(1.0, answered / students) if students else 0.0
    return (
        f'<div class="crf-vote" data-figure="turnout" data-count="{answered}">'
        f"<span>{say('votes.turnout', answered=answered, n=students)}</span>"
        f'<span class="crf-vote-bar" aria-hidden="true"><i style="width:{100 * share:.1f}%"></i>'
        "</span><span></span></div>"
    )
