"""A trace made ready for the stepper: every number a string, every colour a class.

The browser draws and steps; it neither computes nor formats a score. To stay small the payload
is made of short arrays, and each number that a step reads is stored once, in `reads`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from crf.course.numbers import format_magnitude
from pages.figures.narration import is_first, printable, sentences, whole_percent
from pages.figures.theme import count, number

if TYPE_CHECKING:
    from crf.conventions import Part
    from crf.steps import Step, Trace

TIE = 1e-9  # nats: closer than this is as good as the best
BANDS = (TIE, 1.0, 3.0, 10.0, 30.0)  # nats behind the best of the column, upper bounds
ROLES = ("previous", "transition", "emission", "start", "end")
CLASSES = ("p", "t", "e", "x", "x")  # colour class of each role
MAX_TAGS_ALL_EDGES, MAX_COLUMNS_ALL_EDGES = 5, 8


@dataclass(frozen=True)
class PathOverlay:
    """A tag sequence drawn over the trellis, column by column as these are computed.

    Attributes:
        name: what the legend calls it.
        style: "viterbi" (double stroke; a Viterbi trace draws its own in the backtrace, and this
            one is then left out), "greedy" (dashed) or "posterior" (dotted ring).
        tags: a tag name for each token of the trace.
    """

    name: str
    style: Literal["viterbi", "greedy", "posterior", "kbest"]
    tags: Sequence[str]


def payload(trace: "Trace", paths: Sequence[PathOverlay] = ()) -> dict[str, Any]:
    """Everything the stepper shows, as JSON-ready data.

    Args:
        trace: the recursion to step through.
        paths: tag sequences to draw over it.

    Returns:
        A dict; what its arrays hold is said where they are made, below.
    """
    writer = _Writer(trace)
    told = sentences(trace)
    steps = [writer.step(step) | {"say": say} for step, say in zip(trace.steps, told, strict=True)]
    token_of = {step.column: step.token for step in trace.steps if step.kind == "cell"}
    columns = [token_of[column] for column in range(trace.num_columns)]
    rows = {tag: row for row, tag in enumerate(trace.tags)}
    traced = any(step.kind == "backtrace" for step in trace.steps)
    return {
        "title": _title(trace),
        "symbol": writer.symbol,
        "semiring": trace.semiring,
        "backward": trace.algorithm == "backward",
        "tags": writer.names,
        "columns": [[str(token + 1), printable(trace.tokens[token])] for token in columns],
        "labels": [[number(value) for value in column] for column in trace.table],
        "fills": [_bands(column) for column in trace.table],
        "bands": ["best", *(f"≤ {bound:g}" for bound in BANDS[1:]), f"> {BANDS[-1]:g}"],
        "allEdges": len(rows) <= MAX_TAGS_ALL_EDGES and len(columns) <= MAX_COLUMNS_ALL_EDGES,
        "matrix": _matrix(trace),
        "steps": steps,
        "reads": writer.reads,  # [role, number, where it is read…]
        "paths": [
            {
                "name": path.name,
                "style": path.style,
                "rows": [rows[path.tags[token]] for token in columns],
            }
            for path in paths
            if not (traced and path.style == "viterbi")
        ],
    }


def _matrix(trace: "Trace") -> list[list[str]] | None:
    """The transition matrix of a small example; a large one, or one per step, is not shown."""
    if trace.transitions is None or len(trace.tags) > MAX_TAGS_ALL_EDGES:
        return None
    return [[number(score) for score in row] for row in trace.transitions]


def _title(trace: "Trace") -> str:
    size = f"{len(trace.tags)} tags × {len(trace.tokens)} tokens"
    return f"{trace.algorithm.capitalize()} trellis, {size}"


def _symbol(trace: "Trace") -> str:
    """What the lessons call a cell of this table."""
    if trace.algorithm == "backward":
        return "log β" if trace.semiring == "sum" else "max-β"
    if trace.semiring == "max":
        return "v" if trace.convention == "message" else "δ"
    return "log α̂" if trace.convention == "state" else "log α"


def _bands(column: Sequence[float]) -> list[int]:
    """Colour class of each cell: 0 the column's best, then further and further behind, −1 for −∞.

    Only differences within a column decide anything: a constant added to a whole column changes
    no winner and no share. So the fill shows the distance to the column's best, not the value.
    """
    best = max(column)
    return [
        -1 if value == -math.inf else sum(best - value > bound for bound in BANDS)
        for value in column
    ]


class _Writer:
    """Writes the steps of a trace, collecting the numbers that they read.

    An equation is a list of pieces: a string is plain text, an integer the read of that index, and
    a list [class, text, subscript, text] a symbol in the colour of its role.
    """

    def __init__(self, trace: "Trace") -> None:
        self.trace = trace
        self.symbol = _symbol(trace)
        self.names = [printable(tag) for tag in trace.tags]
        self.reads: list[list] = []
        self.at = {
            (step.column, step.row) if step.kind == "cell" else None: index
            for index, step in enumerate(trace.steps)
            if step.kind != "backtrace"
        }  # cell, or None for the total → its step
        self._index: dict[Part, int] = {}

    def read(self, part: "Part") -> int:
        index = self._index.get(part)
        if index is None:
            index = self._index[part] = len(self.reads)
            self.reads.append([ROLES.index(part.role), number(part.value), *part.at])
        return index

    def step(self, step: "Step") -> dict[str, Any]:
        """One step: k(ind), c(olumn), r(ow), eq(uation lines), note, terms, added, back, label."""
        shown = {"k": step.kind, "c": step.column, "r": step.row}
        if step.kind == "backtrace":
            return shown | self._pointing(step)
        return shown | {
            "eq": [self._formula(step), self._numbers(step)],
            "note": self._note(step),
            "terms": self._terms(step),
            "added": [self.read(part) for part in step.added],
            "back": -1 if step.backpointer is None else step.backpointer,
            "label": number(step.log_value),
        }

    def _terms(self, step: "Step") -> list[list]:
        """[from row, sum, share or distance to the best, share in percent, reads…] for each."""
        rows, is_sum = [], self.trace.semiring == "sum"
        for source, parts, log_value, share, _ in step.terms:
            if log_value == -math.inf:
                aside = ""
            else:
                aside = whole_percent(share) if is_sum else number(log_value - step.maximum)
            bar = round(100 * share) if is_sum else 0
            rows.append([source, number(log_value), aside, bar, *map(self.read, parts)])
        return rows

    def _formula(self, step: "Step") -> list:
        """The recursion for this step, in symbols."""
        if step.kind == "total":
            left: Any = "best score" if self.trace.semiring == "max" else "log Z"
        else:
            left = ["p", self.symbol, str(step.column + 1), f"({self.names[step.row]})"]
        tag = self.names[step.row] if step.row >= 0 else "s′"
        added = [piece for part in step.added for piece in (" + ", self._factor(part, tag, tag))]
        terms = step.terms
        if is_first(step):
            inner = [self._factor(part, tag, tag) for part in terms[0].parts]
            return [left, " = ", *(_joined(inner) or ["0"]), *added]
        varies = [
            len(terms) == 1 or len({term.parts[k].at for term in terms}) > 1
            for k in range(len(terms[0].parts))
        ]
        inner = [
            self._factor(part, tag, "s′" if vary else tag)
            for part, vary in zip(terms[0].parts, varies, strict=True)
        ]
        if self.trace.semiring == "max":
            return [left, " = ", ["op", "max", "s′"], " [ ", *_joined(inner), " ]", *added]
        return [left, " = log ", ["op", "Σ", "s′"], " exp[ ", *_joined(inner), " ]", *added]

    def _factor(self, part: "Part", tag: str, at: str) -> list:
        """A part in symbols: `tag` is the cell's, `at` the tag that the part is read at."""
        colour = CLASSES[ROLES.index(part.role)]
        if part.role == "previous":
            return [colour, self.symbol, str(part.at[0] + 1), f"({at})"]
        if part.role == "transition":
            going = f"{tag}→{at}" if self.trace.algorithm == "backward" else f"{at}→{tag}"
            return [colour, f"T({going})"]
        if part.role == "emission":
            return [colour, "e", str(part.at[0] + 1), f"({at})"]
        return [colour, f"{part.role}({at})"]

    def _numbers(self, step: "Step") -> list:
        """The same with the numbers in their places."""
        added = [self.read(part) for part in step.added]
        if is_first(step):
            body = [*(self.read(part) for part in step.terms[0].parts), *added]
        elif step.backpointer is not None:
            winner = next(term for term in step.terms if term.source == step.backpointer)
            body = [*(self.read(part) for part in winner.parts), *added]
        else:
            body = [["sum", number(step.log_sum)], *added] if added else []
        result = ["res", number(step.log_value)]
        return ["= ", *_joined(body), " = ", result] if len(body) > 1 else ["= ", result]

    def _note(self, step: "Step") -> str:
        """How many paths meet here, and the value outside log space."""
        if step.log_value == -math.inf:
            return "No allowed path gets here."
        ends = "suffix" if self.trace.algorithm == "backward" else "prefix"
        noun = "path" if step.kind == "total" else f"tag {ends}"
        many = "s" if step.kind == "total" else "es"
        paths = f"{count(step.prefixes)} allowed {noun}{many}"
        if self.trace.semiring == "max":
            return f"Best of {paths}." if step.prefixes > 1 else f"The only allowed {noun}."
        over = f"summed over {paths}" if step.prefixes > 1 else f"from one allowed {noun}"
        return f"exp({number(step.log_value)}) = {format_magnitude(step.value)}, {over}."

    def _pointing(self, step: "Step") -> dict[str, Any]:
        """A backtrace step: its tag, and `via`, the step whose pointer it follows."""
        row = self.names[step.row]
        tag = ["p", "y", str(step.token + 1)]
        if step.from_row is None:
            pointer: Any = ["", "best last tag"]
            via, note = self.at[None], "The ways to end, as they were compared:"
        else:
            after = self.names[step.from_row]
            pointer = ["p", "κ", str(step.token + 2), f"({after})"]
            via = self.at[step.column + 1, step.from_row]
            note = f"The ways into {after}, as they were compared:"
        eq = [[tag, " = ", pointer, " = ", ["res", row]]]
        return {"eq": eq, "note": note, "terms": [], "added": [], "via": via}


def _joined(pieces: Sequence) -> list:
    return [item for piece in pieces for item in (" + ", piece)][1:]
