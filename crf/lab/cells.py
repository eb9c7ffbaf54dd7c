"""Answers as lists of cells, in the order in which a recursion fills them."""

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..steps.conventions import CONVENTIONS, Convention
from .ladder import Rung
from .reference import NEG_INF, TABLES, Reference, mapped, transposed

_CONVENTIONS = CONVENTIONS | {
    ("forward", "before-emission"): Convention(
        slice(None), "start previous' emission' transition end'"
    ),
    ("backward", "before-emission"): CONVENTIONS["backward", "state"],
}
FORMS = tuple(dict.fromkeys(form for _, form in _CONVENTIONS))
SPACES = ("log", "probability")
DIRECTIONS = ("from-to", "to-from")
_OPTIONS = {"space": SPACES, "form": FORMS, "transitions": DIRECTIONS}
NUMBERS = ("score", "nll", "log_partition")
GRADIENTS = ("emissions", "transitions", "start", "end")


class AnswerForm(NamedTuple):
    """Conventions in which a homework writes its tables."""

    space: str = "log"  # "log", or "probability" where α and β are products
    # "state"; "message" (m − 1 columns, without the emission of the next tag); "pair" (start and
    # end folded into the potentials); "before-emission" (α_t without the emission at t)
    form: str = "state"
    to_from: bool = False  # whether transitions are [to][from]

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "AnswerForm":
        """Return the form of options by name: space, form, transitions.

        Raises:
            ValueError: There is no such option or value.
        """
        for name, value in options.items():
            if value not in _OPTIONS.get(name, ()):
                choices = ", ".join(f"{key} ({', '.join(of)})" for key, of in _OPTIONS.items())
                raise ValueError(f"options: expected some of {choices}, got {name} {value!r}")
        fields = {name: options[name] for name in ("space", "form") if name in options}
        return cls(**fields, to_from=options.get("transitions") == "to-from")


class AnswerCell(NamedTuple):
    """The place of a number."""

    row: int  # the sentence in the batch, from 0; of a gradient of transitions the tag before
    # the token, from 0; None for a whole sentence, and in gradients of other tables
    token: int | None = None
    tag: int | None = None  # the tag, from 0; None where the number belongs to no tag
    table: str = ""  # of a gradient: one of `GRADIENTS`; else ""


Cells = list[tuple[AnswerCell, Any]]


class WrongShapeError(ValueError):
    """An answer has another shape than the one that is expected."""


def convention_of(function: str, form: str) -> Convention:
    """Return how a function's table is written; other answers have a place for each token."""
    direction = "backward" if function == "backward" else "forward"
    return _CONVENTIONS[direction, form if function in TABLES else "state"]


def expressed(function: str, changed: Reference, answer: Any, convention: AnswerForm) -> Any:
    """Return one row's answer of a reference as a homework with this convention would write it."""
    if function == "gradients" and convention.to_from:
        emissions, transitions, *ends = answer
        return [emissions, transposed(transitions), *ends]
    if function not in TABLES:
        return answer
    form, table = convention_of(function, convention.form), list(answer)
    forward, own = function != "backward", form.own
    if forward and "emission" not in own:
        merge = changed.best if function == "deltas" else changed.combine
        table = changed.forward_pass(merge)[0]
    if forward == ("end" in own):  # the reference has the end scores in β alone
        last, ends = changed.tokens[-1], [changed.last(s) for s in range(changed.S)]
        table[last] = mapped(operator.add if forward else _without, table[last], ends)
    table = table[form.tokens]
    if convention.space == "probability":
        table = mapped(lambda value: math.exp(min(value, 709.0)), table)
    return table


def _without(beta: float, end: float) -> float:
    return beta - end if end > NEG_INF else 0.0


def cells_of(function: str, rung: Rung, rows: Sequence[Any], form: str) -> Cells:
    """Return the cells of an answer with their numbers, in the order of computation.

    There is an answer for each row of the batch, in the shape of the reference's. Backward and
    Viterbi's path begin at the last token; masked cells are left out.
    """
    if function == "gradients":
        return _gradient_cells(rung, rows)
    cells: Cells = []
    convention = convention_of(function, form)
    for b, (scores, answer) in enumerate(zip(rung.rows, rows, strict=True)):
        tokens = scores.tokens[convention.tokens]
        if function in ("backward", "viterbi"):
            tokens = tokens[::-1]
        if function in NUMBERS:
            cells.append((AnswerCell(b), answer))
        elif function == "viterbi":
            cells += [(AnswerCell(b, t), answer[t]) for t in tokens]
        else:
            cells += [
                (AnswerCell(b, t, s), x)
                for t in tokens
                for s, x in enumerate(answer[t - convention.first])
            ]
    return cells


def _gradient_cells(rung: Rung, rows: Sequence[Any]) -> Cells:
    """Emissions for each row; transitions, start and end of all rows together."""
    emissions, *tables = zip(*rows, strict=True)
    transitions, *ends = (mapped(lambda *parts: sum(parts), *table) for table in tables)
    cells = [
        (AnswerCell(b, t, s, "emissions"), x)
        for b, scores in enumerate(rung.rows)
        for t in scores.tokens
        for s, x in enumerate(emissions[b][t])
    ]
    for i, row in enumerate(transitions):
        cells += [(AnswerCell(i, None, j, "transitions"), x) for j, x in enumerate(row)]
    for name, table in zip(GRADIENTS[2:], ends, strict=True):
        cells += [(AnswerCell(0, None, s, name), x) for s, x in enumerate(table)]
    return cells


def right_cells(function: str, rung: Rung, convention: AnswerForm) -> Cells:
    """Return the right cells of a rung."""
    references = [Reference(scores) for scores in rung.rows]
    rows = [expressed(function, one, one.answer(function), convention) for one in references]
    return cells_of(function, rung, rows, convention.form)


# ---------------------------------------------------------------------- what a homework gave


def read(function: str, rung: Rung, value: Any, batched: bool, form: str) -> list[Any]:
    """Return a homework's answer as a list of rows, in the shape of the reference's.

    Raises:
        WrongShapeError: It has another shape; the message says which was expected.
    """
    B, L, S = len(rung.rows), len(rung.rows[0].mask), len(rung.rows[0].start)
    if function == "gradients":
        return _read_gradients(value, (B, L, S), batched)
    if function == "viterbi":
        value = _path_of(value, rung, batched)
    columns = range(L)[convention_of(function, form).tokens]
    shape = {"score": (), "nll": (), "viterbi": (L,)}.get(function, (len(columns), S))
    _check_shape(value, (B, *shape) if batched else shape)
    return value if batched else [value]


def _path_of(value: Any, rung: Rung, batched: bool) -> Any:
    """The tags alone, where scores come with them; padded, where each row has its own length."""
    if isinstance(value, list) and len(value) == 2:
        tags, scores = map(_shape_of, value)
        if len(tags) == len(scores) + 1 == 1 + batched:
            value = value[0]
    if not batched or not isinstance(value, list):
        return value
    rows = list(value)
    for b, (scores, tags) in enumerate(zip(rung.rows, value, strict=False)):
        if isinstance(tags, list) and len(tags) == len(scores.tokens) < len(scores.mask):
            rows[b] = [-1] * len(scores.mask)
            for t, tag in zip(scores.tokens, tags, strict=True):
                rows[b][t] = tag
    return rows


def _read_gradients(value: Any, sizes: tuple[int, int, int], batched: bool) -> list[Any]:
    """Those of transitions, start and end, which are sums over the rows, stand in the first row."""
    B, L, S = sizes
    if not isinstance(value, list) or len(value) != 4:
        raise WrongShapeError(
            "expected four gradients (emissions, transitions, start, end), "
            f"got {f'{len(value)} of them' if isinstance(value, list) else 'one number'}"
        )
    shapes = ((B, L, S) if batched else (L, S), (S, S), (S,), (S,))
    for name, each, shape in zip(GRADIENTS, value, shapes, strict=True):
        _check_shape(each, shape, f"the gradient of {name}: ")
    emissions, *shared = value
    nothing = mapped(lambda x: 0.0, shared)
    rows = emissions if batched else [emissions]
    return [[row, *(nothing if b else shared)] for b, row in enumerate(rows)]


def _check_shape(value: Any, shape: tuple[int, ...], what: str = "") -> None:
    """Refuse nested lists of another shape."""
    got = _shape_of(value)
    if got != shape:
        turned = " It looks transposed." if got == shape[::-1] and len(shape) == 2 else ""
        raise WrongShapeError(f"{what}expected {_written(shape)}, got {_written(got)}.{turned}")


def _shape_of(value: Any) -> tuple[int | str, ...]:
    """The shape of nested lists; "?" where they are ragged."""
    if not isinstance(value, list):
        return ()
    inner = {_shape_of(each) for each in value}
    return (len(value), *(inner.pop() if len(inner) == 1 else ["?"] * bool(inner)))


def _written(shape: Sequence[int | str]) -> str:
    return "shape " + "".join(f"[{size}]" for size in shape) if shape else "one number"


def same(expected: float, got: float, tolerance: float = 1e-4) -> bool:
    """Whether two numbers agree: to a tolerance, and to what float32 leaves of a long sum."""
    if math.isfinite(expected) and math.isfinite(got):
        return abs(expected - got) <= tolerance + 2e-5 * abs(expected)
    return expected == got or (math.isnan(expected) and math.isnan(got))
