"""Tell whether the cells of a column are labels of spans, other tags, or words."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, islice
from typing import NamedTuple

from .. import schemes
from ..schemes import OUTSIDE, has_letter

ODD = 0.5  # share of a column of labels that may be something else: it is refused, not passed over
_TAG = re.compile(r"-?[A-Z][A-Z0-9$+*.:|=()/_-]*|[^\w\s]+")  # NOUN, PRP$, -LRB-, $.
_TAG_SHARE = 0.9
# The types of CoNLL-2000's chunks, which stand beside the names of CoNLL-2003.
_PHRASES = frozenset("NP VP PP ADJP ADVP SBAR PRT CONJP INTJ LST UCP PC SVP".split())


class FileColumn(NamedTuple):
    """A column of a file of sentences, by the cells of its first lines."""

    name: str  # FORM, UPOS, …; 1, 2, …; the key of a JSON list. What `column=` takes.
    examples: tuple[str, ...]  # up to five different values
    scheme: str | None
    """The label scheme that the values follow, but for a few, if any."""
    spans: int  # how many there are, if the values are labels of spans
    is_chunks: bool  # whether the spans are phrases (NP, VP, …)
    types: frozenset[str] = frozenset()  # of the spans

    @property
    def is_label_like(self) -> bool:
        """Whether the values look like labels of spans."""
        return self.scheme is not None or self.examples == (OUTSIDE,)


def describe(name: str, sentences: Sequence[Sequence[str]]) -> FileColumn:
    """Describe a column by its cells, sentence by sentence."""
    counts = Counter(chain.from_iterable(sentences))
    style = schemes.style_of(counts)
    rewrite = style.rewrite if style else str
    labels = {rewrite(cell) for cell in counts if has_letter(rewrite(cell))}
    odd = sum(n for cell, n in counts.items() if cell and rewrite(cell) not in labels)
    scheme = schemes.scheme_of_tags(labels) if odd <= ODD * counts.total() else None
    if labels == {"I"}:  # a word, if any
        scheme = None
    spans: list[schemes.Span] = []
    for cells in sentences if scheme else ():
        rewritten = map(rewrite, cells)
        spans += schemes.spans([cell if cell in labels else OUTSIDE for cell in rewritten])
    kinds = {span.kind for span in spans}
    is_chunks = bool(spans) and kinds <= _PHRASES
    return FileColumn(
        name, tuple(islice(counts, 5)), scheme, len(spans), is_chunks, frozenset(kinds)
    )


def are_surely_labels(cells: Sequence[str], tags: Collection[str] = ()) -> bool:
    """Whether cells are labels rather than words: so a table is told from text.

    Args:
        cells: Of one column.
        tags: Of the tagger that is to be used, if any.

    Example:
        >>> are_surely_labels(["B-PER", "O"]), are_surely_labels(["NOUN", "VERB"])
        (True, True)
        >>> are_surely_labels(["S-Bahn", "E-Mail"]), are_surely_labels(["fish", "I"])
        (False, False)
    """
    column = describe("", [cells])
    if column.is_label_like:
        style = schemes.style_of(Counter(cells))
        labels = {style.rewrite(cell) if style else cell for cell in cells}
        letters = {label[:1] for label in labels if has_letter(label) and label != OUTSIDE}
        kinds = "".join(label[2:] for label in labels if has_letter(label))
        if OUTSIDE in labels or kinds.isupper() or {"B", "I"} <= letters or not kinds:
            return True
    if sum(len(cell) > 1 and cell in tags for cell in cells) >= ODD * len(cells):
        return True
    return are_tags(cells)


def are_tags(cells: Sequence[str]) -> bool:
    """Whether nearly all cells are in capitals or are signs, as tags are."""
    tags = [cell for cell in cells if _TAG.fullmatch(cell)]
    named = [cell for cell in tags if cell != OUTSIDE and cell[0].isalpha()]
    long = sum(len(cell) > 1 for cell in named)
    others = sum(cell != OUTSIDE for cell in tags)
    is_named = 0 < len(named) <= 2 * long and 2 * len(named) > others  # signs are few
    return is_named and len(tags) >= _TAG_SHARE * len(cells)
