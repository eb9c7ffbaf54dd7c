"""Answers as lists of cells, in the order in which a recursion fills them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .ladder import Rung
from .reference import NEG_INF, Reference, ScoreTable

FORMS = ("state", "message", "pair", "before-emission")
SPACES = ("log", "probability")
_OPTIONS = {"space": SPACES, "form": FORMS, "transitions": ("from-to", "to-from")}
NUMBERS = ("score", "nll", "log_partition")
GRADIENTS = ("emissions", "transitions", "start", "end")


class AnswerForm(NamedTuple):
    """How a homework writes its tables."""

    space: str = "log"  # "log", or "probability" where α and β are products
    # "state"; "message" (m − 1 columns, without the emission of the next tag); "pair" (start and
    # end folded into the potentials); "before-emission" (α_t without the emission at t)
    form: str = "state"
    to_from: bool = False  # whether transitions are [to][from]


def convention_of(options: Mapping[str, str]) -> AnswerForm:
    """Return the convention of options by name: space, form, transitions.

    Raises:
        ValueError: There is no such option or value.
    """
    for name, value in options.items():
        allowed = _OPTIONS.get(name)
        if allowed is None or value not in allowed:
            known = ", ".join(f"{key} ({', '.join(values)})" for key, values in _OPTIONS.items())
            raise ValueError(f"options: expected some of {known}, got {name} {value!r}")
    to_from = options.get("transitions") == "to-from"
    return AnswerForm(options.get("space", "log"), options.get("form", "state"), to_from)


class AnswerCell(NamedTuple):
    """The place of a number."""

    row: int  # the sentence in the batch, from 0; of a gradient of transitions the tag before
    # the token, from 0; None for a whole sentence, and in gradients of other tables
    token: int | None = None
    tag: int | None = None  # the tag, from 0; None where the number belongs to no tag
    table: str = ""  # of a gradient: "emissions", "transitions", "start" or "end"; else ""


class WrongShapeError(ValueError):
    """An answer has another shape than the one that is expected."""


def expressed(function: str, changed: Reference, answer: Any, convention: AnswerForm) -> Any:
    """Return one row's answer of a reference as a homework with this convention would write it."""
    if function == "gradients" and convention.to_from:
        emissions, transitions, start, end = answer
        return [emissions, [list(row) for row in zip(*transitions, strict=True)], start, end]
    if function not in ("forward", "backward", "deltas"):
        return answer
    table: ScoreTable = [list(row) for row in answer]
    if convention.form == "message":
        table = changed.forward_pass()[0][1:] if function == "forward" else table[:-1]
    elif convention.form == "before-emission" and function == "forward":
        table = changed.forward_pass()[0]
    elif convention.form == "pair":
        last = changed.tokens[-1]
        sign = 1 if function == "forward" else -1
        ends = [changed.last(s) for s in range(changed.S)]
        table[last] = [
            value + sign * end if end > NEG_INF else (value if sign > 0 else 0.0)
            for value, end in zip(table[last], ends, strict=True)
        ]
    if convention.space == "probability":
        table = [[math.exp(min(value, 709.0)) for value in row] for row in table]
    return table


def cells_of(
    function: str, rung: Rung, rows: Sequence[Any], form: str
) -> list[tuple[AnswerCell, Any]]:
    """Return the cells of an answer with their numbers, in the order of computation.

    Args:
        function: Whose answer it is.
        rung: The problem.
        rows: An answer for each row of the batch, in the shape of the reference's.
        form: Of the convention: a message form has one column less.

    Returns:
        Backward and Viterbi's path begin at the last token; masked cells are left out.
    """
    cells: list[tuple[AnswerCell, Any]] = []
    if function == "gradients":
        return _gradient_cells(rung, rows)
    for b, (scores, answer) in enumerate(zip(rung.rows, rows, strict=True)):
        tokens = [t for t, on in enumerate(scores.mask) if on]
        if function in ("backward", "viterbi"):
            tokens.reverse()
        if function in NUMBERS:
            cells.append((AnswerCell(b), answer))
        elif function == "viterbi":
            cells += [(AnswerCell(b, t, None), answer[t]) for t in tokens]
        else:
            shift = 0
            if form == "message" and function != "marginals":
                shift = 1 if function == "forward" else 0
                tokens = [t for t in tokens if t != (0 if function == "forward" else max(tokens))]
            cells += [
                (AnswerCell(b, t, s), value)
                for t in tokens
                for s, value in enumerate(answer[t - shift])
            ]
    return cells


def _gradient_cells(rung: Rung, rows: Sequence[Any]) -> list[tuple[AnswerCell, Any]]:
    """Emissions for each row; transitions, start and end of all rows together."""
    cells = []
    for b, (scores, answer) in enumerate(zip(rung.rows, rows, strict=True)):
        for t, values in enumerate(answer[0]):
            if scores.mask[t]:
                cells += [
                    (AnswerCell(b, t, s, "emissions"), value) for s, value in enumerate(values)
                ]
    size = range(len(rung.rows[0].start))
    for i in size:
        for j in size:
            total = sum(answer[1][i][j] for answer in rows)
            cells.append((AnswerCell(i, None, j, "transitions"), total))
    for place, table in ((2, "start"), (3, "end")):
        for s in size:
            cells.append((AnswerCell(0, None, s, table), sum(answer[place][s] for answer in rows)))
    return cells


def right_cells(function: str, rung: Rung, convention: AnswerForm) -> list[tuple[AnswerCell, Any]]:
    """Return the right cells of a rung."""
    rows = []
    for scores in rung.rows:
        reference = Reference(scores)
        rows.append(expressed(function, reference, reference.answer(function), convention))
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
    columns = L - 1 if form == "message" and function in ("forward", "backward") else L
    shape = {"score": (), "nll": (), "viterbi": (L,), "marginals": (L, S)}.get(
        function, (columns, S)
    )
    whole = (B, *shape) if batched else shape
    check_shape(value, whole)
    return value if batched else [value]


def _path_of(value: Any, rung: Rung, batched: bool) -> Any:
    """The tags alone, where scores come with them; padded, where each row has its own length."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], list):
        many_scores = isinstance(value[1], list) and not any(isinstance(x, list) for x in value[1])
        deep = bool(value[0]) and isinstance(value[0][0], list)
        if (not batched and not isinstance(value[1], list)) or (batched and deep and many_scores):
            value = value[0]
    if not batched or not isinstance(value, list):
        return value
    rows = []
    for scores, tags in zip(rung.rows, value, strict=False):
        tokens = [t for t, on in enumerate(scores.mask) if on]
        if isinstance(tags, list) and len(tags) == len(tokens) < len(scores.mask):
            filled = [-1] * len(scores.mask)
            for t, tag in zip(tokens, tags, strict=True):
                filled[t] = tag
            tags = filled
        rows.append(tags)
    return rows + value[len(rung.rows) :]


def _read_gradients(value: Any, sizes: tuple[int, int, int], batched: bool) -> list[Any]:
    B, L, S = sizes
    if not isinstance(value, list) or len(value) != 4:
        raise WrongShapeError(
            "expected four gradients (emissions, transitions, start, end), "
            f"got {f'{len(value)} of them' if isinstance(value, list) else 'one number'}"
        )
    shapes = ((B, L, S) if batched else (L, S), (S, S), (S,), (S,))
    for name, each, shape in zip(GRADIENTS, value, shapes, strict=True):
        check_shape(each, shape, f"the gradient of {name}: ")
    zeros = [[[0.0] * S] * S, [0.0] * S, [0.0] * S]
    emissions = value[0] if batched else [value[0]]
    return [[rows, *(value[1:] if b == 0 else zeros)] for b, rows in enumerate(emissions)]


def check_shape(value: Any, shape: tuple[int, ...], what: str = "") -> None:
    """Refuse nested lists of another shape.

    Raises:
        WrongShapeError: With both shapes.
    """
    got = shape_of(value)
    if got != shape:
        turned = " It looks transposed." if got == shape[::-1] and len(shape) == 2 else ""
        raise WrongShapeError(f"{what}expected {_written(shape)}, got {_written(got)}.{turned}")


def shape_of(value: Any) -> tuple[int | str, ...]:
    """Return the shape of nested lists; "?" where they are ragged."""
    if not isinstance(value, list):
        return ()
    inner = [shape_of(each) for each in value]
    if not inner:
        return (0,)
    return (len(value), *inner[0]) if all(each == inner[0] for each in inner) else (len(value), "?")


def _written(shape: Sequence[int | str]) -> str:
    return "shape " + "".join(f"[{size}]" for size in shape) if shape else "one number"


def same(expected: float, got: float, tolerance: float = 1e-4) -> bool:
    """Whether two numbers agree, to what float32 leaves of a long sum.

    Args:
        expected: The right number.
        got: The other.
        tolerance: How far they may be apart, beside two parts in 100,000.
    """
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    if expected == got:
        return True
    if math.isinf(expected) or math.isinf(got):
        return False
    return abs(expected - got) <= tolerance + 2e-5 * abs(expected)
