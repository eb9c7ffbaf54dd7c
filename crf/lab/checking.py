"""Check an implementation: the first wrong cell, and the mistake that explains its numbers."""

import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from . import mistakes
from .cells import (
    AnswerCell,
    AnswerForm,
    WrongShapeError,
    cells_of,
    convention_of,
    expressed,
    read,
    right_cells,
    same,
)
from .homework import FUNCTIONS
from .ladder import DIFFERENCES, Rung, ladder
from .reference import Reference
from .report import CheckResult, Report

Caller = Callable[..., dict[str, Any]]
Cells = list[tuple[AnswerCell, Any]]
STEP = 1e-3  # by which a score is moved, up and down


class GivenFunction(NamedTuple):
    """A function that is checked: `ask(arguments=…, kind=…, autograd=…)` calls it."""

    ask: Caller
    kind: str  # of its arguments: "lists", "numpy" or "torch"
    batched: bool  # whether it takes a batch and a mask


def check_functions(functions: Mapping[str, GivenFunction], report: Report) -> None:
    """Try functions on the whole ladder, and put what comes out into the report.

    Args:
        functions: By name.
        report: Where the checks go; it says how the homework writes its tables.
    """
    for name, function in functions.items():
        _check_function(name, function, report)
    if {"nll", "gradients"} <= functions.keys() - report.missing:
        _check_differences(functions["gradients"], functions["nll"], report)


def _check_function(name: str, function: GivenFunction, report: Report) -> None:
    ask, kind, batched = function
    convention = report.convention
    seen: list[tuple[Rung, Cells]] = []
    for rung in _rungs(name, kind, batched, convention):
        report.rungs[rung.name] = rung
        asked = rung.arguments(name, batched, to_from=convention.to_from)
        answer = ask(arguments=asked, kind=kind, autograd=rung.autograd)
        if answer.get("missing"):
            report.missing.append(name)
            return
        check, cells = _compare(name, rung, answer, batched, convention)
        if cells and not rung.autograd:
            report.given[name, rung.name] = cells
            seen.append((rung, cells))
        report.checks.append(check)
        if answer.get("exception") == "TimeoutError":
            break
    _name_mistakes(name, seen, convention, report)


def _check_differences(gradients: GivenFunction, nll: GivenFunction, report: Report) -> None:
    """Compare the gradients with differences of the homework's own loss, a score at a time."""
    rung, to_from = DIFFERENCES, report.convention.to_from
    asked = rung.arguments("gradients", gradients.batched, to_from=to_from)
    try:
        value = gradients.ask(arguments=asked, kind=gradients.kind, autograd=False)["value"]
        rows = read("gradients", rung, value, gradients.batched, "state")
        got = cells_of("gradients", rung, rows, "state")
        slopes: Cells = []
        for cell, _ in got:
            losses = []
            for step in (STEP, -STEP):
                arguments = rung.arguments("nll", nll.batched, to_from=to_from)
                table = copy.deepcopy(arguments[cell.table])
                arguments[cell.table] = table
                if cell.table == "emissions":
                    table = (table[0] if nll.batched else table)[cell.token]
                elif cell.table == "transitions":
                    table = table[cell.row]
                table[cell.tag] += step
                loss = nll.ask(arguments=arguments, kind=nll.kind, autograd=False)["value"]
                losses.append(float(loss[0] if isinstance(loss, list) else loss))
            slopes.append((cell, (losses[0] - losses[1]) / (2 * STEP)))
    except (KeyError, TypeError, WrongShapeError):  # one of them has no number; it was said above
        return
    report.rungs[rung.name] = rung
    check = compared(CheckResult("gradients", rung.name, False), slopes, got, rung.tolerance)
    names = () if check.passed else ("gradient of another loss",)
    report.checks.append(check._replace(mistakes=names))


def _name_mistakes(
    name: str, seen: list[tuple[Rung, Cells]], convention: AnswerForm, report: Report
) -> None:
    """Name the mistakes that explain all numbers, or else those of each wrong rung and before."""
    places = {check.check: k for k, check in enumerate(report.checks) if check.function == name}
    wrong = [k for k, (rung, _) in enumerate(seen) if not report.checks[places[rung.name]].passed]
    of_all = explain(name, seen, convention) if wrong else ()
    for k in wrong:
        place = places[seen[k][0].name]
        names = of_all or explain(name, seen[: k + 1], convention)
        report.checks[place] = report.checks[place]._replace(mistakes=names)


def _rungs(name: str, kind: str, batched: bool, convention: AnswerForm) -> Iterator[Rung]:
    for rung in ladder():
        wide = convention.space == "probability" and name in ("forward", "backward")
        if (
            (rung.batched and not batched)
            or (rung.only and name not in rung.only)
            or name in rung.but_not
            or (rung.autograd and kind != "torch")
            or (wide and len(rung.rows[0].mask) > 100)  # no float can hold the products
            or (convention.form == "message" and len(rung.rows[0].mask) < 2)
        ):
            continue
        yield rung


def _compare(
    name: str, rung: Rung, answer: dict[str, Any], batched: bool, convention: AnswerForm
) -> tuple[CheckResult, Cells]:
    check = CheckResult(name, rung.name, False)
    if "error" in answer:
        return check._replace(message=answer["error"], mistakes=_of_crash(answer)), []
    if answer["mutated"]:
        names = ", ".join(answer["mutated"])
        return check._replace(
            message=f"The function changes what it is given: {names}. Work on a copy."
        ), []
    asked = "gradients" if rung.autograd else name
    try:
        rows = _rows(name, asked, rung, answer["value"], batched, convention)
    except WrongShapeError as error:
        return check._replace(message=str(error)), []
    if rows is None:
        return check._replace(
            message="expected a number for each sentence of the batch, got the mean of all",
            mistakes=("mean for sum",),
        ), []
    got = cells_of(asked, rung, rows, convention.form)
    truth = right_cells(asked, rung, convention)
    return compared(check, truth, got, rung.tolerance), got


def compared(check: CheckResult, truth: Cells, got: Cells, tolerance: float) -> CheckResult:
    """Return a check with its first wrong cell, or passed.

    Args:
        check: With the names of function and rung.
        truth: The right cells.
        got: The homework's, in the same order.
        tolerance: How far apart numbers may be that count as equal.
    """
    wrong = [
        k for k, (right, mine) in enumerate(zip(truth, got, strict=True))
        if not same(right[1], mine[1], tolerance)
    ]  # fmt: skip
    counts = (len(wrong), len(truth))
    if not wrong:
        return check._replace(passed=True, wrong=counts)
    k = wrong[0]
    cell = truth[k][0]
    if check.function == "viterbi":
        cell = cell._replace(tag=int(truth[k][1]))
    return check._replace(cell=cell, expected=truth[k][1], got=got[k][1], wrong=counts)


def check_numbers(function: str, rung: Rung, got: Cells, form: AnswerForm) -> CheckResult:
    """Check numbers that were computed elsewhere.

    Args:
        function: "forward", "backward", "deltas", "marginals", "log_partition", "nll", "score",
            "viterbi" or "gradients".
        rung: The problem, with the tolerance of the numbers.
        got: The numbers in the order of computation; of a gradient perhaps one table alone.
        form: How the tables are written.

    Returns:
        The check, with the mistakes that explain all numbers.
    """
    given = {cell for cell, _ in got}
    truth = [each for each in right_cells(function, rung, form) if each[0] in given]
    check = compared(CheckResult(function, rung.name, False), truth, got, rung.tolerance)
    if check.passed:
        return check
    return check._replace(mistakes=explain(function, [(rung, got)], form))


def _rows(
    name: str, asked: str, rung: Rung, value: Any, batched: bool, convention: AnswerForm
) -> list[Any] | None:
    """A homework's rows; a sum over the batch is taken for what it is. None: it is the mean."""
    if not batched or asked not in ("score", "nll") or isinstance(value, list):
        return read(asked, rung, value, batched, convention.form)
    rows = [Reference(scores).answer(asked) for scores in rung.rows]
    rest: float = sum(rows[1:])
    if len(rows) > 1 and same((rows[0] + rest) / len(rows), value):
        return None
    return [value - rest, *rows[1:]]


def _of_crash(answer: dict[str, Any]) -> tuple[str, ...]:
    if answer.get("exception") == "OverflowError":
        return ("exp overflow",)
    return ("log of 0",) if "math domain error" in answer["error"] else ()


def explain(
    function: str, seen: list[tuple[Rung, Cells]], convention: AnswerForm
) -> tuple[str, ...]:
    """Return the names of the mistakes that give all of a homework's numbers.

    Args:
        function: Whose numbers they are.
        seen: The rungs that were answered, with the homework's cells; the last one is wrong.
        convention: How it writes its tables.
    """
    names = []
    for name, changed in mistakes.CATALOGUE:
        if name not in names and _explains(changed, function, seen, convention):
            names.append(name)
    return tuple(names)


def _explains(
    changed: type[Reference], function: str, seen: list[tuple[Rung, Cells]], convention: AnswerForm
) -> bool:
    alive: set[int] | None = None
    for rung, cells in sorted(seen, key=lambda each: len(each[0].rows[0].mask)):
        fits = {
            k for k, mine in enumerate(_mistaken(changed, function, rung, convention))
            if mine is not None and _agree(mine, cells, rung.tolerance)
        }  # fmt: skip
        alive = fits if alive is None else alive & fits
        if not alive:
            return False
    return bool(alive)


def _agree(mine: Cells, cells: Cells, tolerance: float) -> bool:
    """Whether the cells that were given are those of a mistake."""
    values = dict(mine)
    return all(same(values[cell], value, tolerance) for cell, value in cells)


def _mistaken(
    changed: type[Reference], function: str, rung: Rung, convention: AnswerForm
) -> Iterator[Cells | None]:
    """The cells that a mistake leads to, in each of the ways to make it."""
    try:
        ways = [list(mistakes.answers(changed, function, scores)) for scores in rung.rows]
        for rows in zip(*ways, strict=True):
            told = [
                expressed(function, changed(scores), row, convention)
                for scores, row in zip(rung.rows, rows, strict=True)
            ]
            yield cells_of(function, rung, told, convention.form)
    except (ArithmeticError, ValueError, IndexError):  # the mistake has no number here
        yield None


def check(*functions: Callable[..., Any], **options: str) -> Report:
    """Check functions of a notebook, in this process.

    Args:
        functions: Named as in `crf.lab.FUNCTIONS`: `check(forward, viterbi)`.
        options: `space` "log" or "probability", in which `forward` and `backward` answer; `form`
            "state", "message", "pair" or "before-emission"; `transitions` "from-to" or "to-from".

    Returns:
        The report; at the end of a notebook's cell it draws the table with the first wrong cell.

    Raises:
        ValueError: A function has another name, or there is no such option.

    Example:
        >>> def score(emissions, tags, transitions, start, end):
        ...     return sum(row[tag] for row, tag in zip(emissions, tags))
        >>> check(score).first_faults()[0].mistakes
        ('transition left out',)
    """
    from . import homework

    report = Report(convention=convention_of(options))
    asked: dict[str, GivenFunction] = {}
    for function in functions:
        name = function.__name__
        if name not in FUNCTIONS:
            raise ValueError(f"functions: expected one of {', '.join(FUNCTIONS)}, got {name}")
        kind = homework.kind_of(getattr(function, "__globals__", {}))
        ask = functools.partial(homework.call_here, function)
        asked[name] = GivenFunction(ask, kind, homework.is_batched(function))
    check_functions(asked, report)
    return report
