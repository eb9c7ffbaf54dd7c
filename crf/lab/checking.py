"""Check an implementation: the first wrong cell, and the mistake that explains its numbers."""

import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from . import homework, mistakes
from .cells import AnswerForm, Cells, WrongShapeError, cells_of, expressed, read, right_cells, same
from .homework import FUNCTIONS
from .ladder import DIFFERENCES, Rung, ladder
from .reference import Reference
from .report import CheckResult, Report

Caller = Callable[..., dict[str, Any]]
STEP = 1e-3  # by which a score is moved, up and down


class GivenFunction(NamedTuple):
    """A function that is checked: `ask(arguments=…, kind=…, autograd=…)` calls it."""

    ask: Caller
    kind: str  # of its arguments: "lists", "numpy" or "torch"
    batched: bool  # whether it takes a batch and a mask


def check_functions(functions: Mapping[str, GivenFunction], report: Report) -> None:
    """Try functions on the whole ladder, and put what comes out into the report."""
    for name, function in functions.items():
        _check_function(name, function, report)
    if {"nll", "gradients"} <= functions.keys() - report.missing:
        _check_differences(functions["gradients"], functions["nll"], report)


def _check_function(name: str, function: GivenFunction, report: Report) -> None:
    ask, kind, batched = function
    convention = report.convention
    seen: list[tuple[Rung, Cells]] = []
    for rung in _rungs(name, function, convention):
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
    _name_mistakes(name, seen, report)


def _rungs(name: str, function: GivenFunction, convention: AnswerForm) -> Iterator[Rung]:
    """The rungs that a function can be asked for."""
    for rung in ladder():
        tokens = len(rung.rows[0].mask)
        wide = convention.space == "probability" and name in ("forward", "backward")
        if not (
            (rung.batched and not function.batched)
            or (rung.only and name not in rung.only)
            or name in rung.but_not
            or (rung.autograd and function.kind != "torch")
            or (wide and tokens > 100)  # no float can hold the products
            or (convention.form == "message" and tokens < 2)
        ):
            yield rung


def _compare(
    name: str, rung: Rung, answer: dict[str, Any], batched: bool, convention: AnswerForm
) -> tuple[CheckResult, Cells]:
    """What came out, and the homework's cells where they can be compared."""
    check = CheckResult(name, rung.name, False)
    asked = "gradients" if rung.autograd else name
    if "error" in answer:
        return check._replace(message=answer["error"], mistakes=_of_crash(answer)), []
    if answer["mutated"]:
        names = ", ".join(answer["mutated"])
        message = f"The function changes what it is given: {names}. Work on a copy."
        return check._replace(message=message), []
    value = answer["value"]
    if batched and asked in ("score", "nll") and not isinstance(value, list):
        right = [Reference(scores).answer(asked) for scores in rung.rows]
        if len(right) > 1 and same(sum(right) / len(right), value):
            message = "expected a number for each sentence of the batch, got the mean of all"
            return check._replace(message=message, mistakes=("mean for sum",)), []
        value = [value - sum(right[1:]), *right[1:]]  # a sum is taken for what it is
    try:
        rows = read(asked, rung, value, batched, convention.form)
    except WrongShapeError as error:
        return check._replace(message=str(error)), []
    got = cells_of(asked, rung, rows, convention.form)
    return _compared(check, right_cells(asked, rung, convention), got, rung.tolerance), got


def _of_crash(answer: dict[str, Any]) -> tuple[str, ...]:
    if answer.get("exception") == "OverflowError":
        return ("exp overflow",)
    return ("log of 0",) if "math domain error" in answer["error"] else ()


def _compared(check: CheckResult, truth: Cells, got: Cells, tolerance: float) -> CheckResult:
    """A check with its first wrong cell, or passed; both lists are in the same order."""
    wrong = [
        (cell, right, mine)
        for (cell, right), (_, mine) in zip(truth, got, strict=True)
        if not same(right, mine, tolerance)
    ]
    check = check._replace(passed=not wrong, wrong=(len(wrong), len(truth)))
    if not wrong:
        return check
    cell, right, mine = wrong[0]
    if check.function == "viterbi":
        cell = cell._replace(tag=int(right))
    return check._replace(cell=cell, expected=right, got=mine)


def _name_mistakes(name: str, seen: list[tuple[Rung, Cells]], report: Report) -> None:
    """Name the mistakes that explain all numbers, or else those of each wrong rung and before."""
    places = {check.check: k for k, check in enumerate(report.checks) if check.function == name}
    of_all: tuple[str, ...] | None = None
    for k, (rung, _) in enumerate(seen, start=1):
        check = report.checks[places[rung.name]]
        if check.passed:
            continue
        if of_all is None:
            of_all = _explain(name, seen, report.convention)
        names = of_all or _explain(name, seen[:k], report.convention)
        report.checks[places[rung.name]] = check._replace(mistakes=names)


def _check_differences(gradients: GivenFunction, nll: GivenFunction, report: Report) -> None:
    """Compare the gradients with differences of the homework's own loss, a score at a time."""
    rung, to_from = DIFFERENCES, report.convention.to_from

    def asked(function: GivenFunction, arguments: dict[str, Any]) -> Any:
        return function.ask(arguments=arguments, kind=function.kind, autograd=False)["value"]

    try:
        given = rung.arguments("gradients", gradients.batched, to_from=to_from)
        rows = read("gradients", rung, asked(gradients, given), gradients.batched, "state")
        got = cells_of("gradients", rung, rows, "state")
        slopes: Cells = []
        for cell, _ in got:
            losses = []
            for step in (STEP, -STEP):
                moved = copy.deepcopy(rung.arguments("nll", nll.batched, to_from=to_from))
                scores = moved[cell.table]
                if cell.table == "emissions":
                    scores = (scores[0] if nll.batched else scores)[cell.token]
                elif cell.table == "transitions":
                    scores = scores[cell.row]
                scores[cell.tag] += step
                loss = asked(nll, moved)
                losses.append(float(loss[0] if isinstance(loss, list) else loss))
            slopes.append((cell, (losses[0] - losses[1]) / (2 * STEP)))
    except (KeyError, TypeError, WrongShapeError):  # one of them has no number; it was said above
        return
    report.rungs[rung.name] = rung
    check = _compared(CheckResult("gradients", rung.name, False), slopes, got, rung.tolerance)
    names = () if check.passed else ("gradient of another loss",)
    report.checks.append(check._replace(mistakes=names))


def check_numbers(function: str, rung: Rung, got: Cells, form: AnswerForm) -> CheckResult:
    """Check numbers that were computed elsewhere, and name the mistakes that explain all of them.

    `function` is one of `FUNCTIONS`, "deltas" or "log_partition"; of a gradient one table will do.
    """
    given = {cell for cell, _ in got}
    truth = [each for each in right_cells(function, rung, form) if each[0] in given]
    check = _compared(CheckResult(function, rung.name, False), truth, got, rung.tolerance)
    names = () if check.passed else _explain(function, [(rung, got)], form)
    return check._replace(mistakes=names)


# ---------------------------------------------------------------------- which mistake it is


def _explain(
    function: str, seen: list[tuple[Rung, Cells]], convention: AnswerForm
) -> tuple[str, ...]:
    """The names of the mistakes that give all of a homework's numbers."""
    names = []
    for name, changed in mistakes.CATALOGUE:
        if name not in names and _explains(changed, function, seen, convention):
            names.append(name)
    return tuple(names)


def _explains(
    changed: type[Reference], function: str, seen: list[tuple[Rung, Cells]], convention: AnswerForm
) -> bool:
    """Whether one way to make a mistake gives the numbers of all rungs, short ones tried first."""
    alive: set[int] | None = None
    for rung, cells in sorted(seen, key=lambda each: len(each[0].rows[0].mask)):
        fits = set()
        for way, mine in enumerate(_mistaken(changed, function, rung, convention)):
            if all(same(mine[cell], value, rung.tolerance) for cell, value in cells):
                fits.add(way)
        alive = fits if alive is None else alive & fits
        if not alive:
            return False
    return bool(alive)


def _mistaken(
    changed: type[Reference], function: str, rung: Rung, convention: AnswerForm
) -> Iterator[dict[Any, Any]]:
    """The cells that a mistake leads to, in each of the ways to make it that has numbers here."""
    try:
        ways = [list(mistakes.answers(changed, function, scores)) for scores in rung.rows]
        for answers in zip(*ways, strict=True):
            rows = [
                expressed(function, changed(scores), answer, convention)
                for scores, answer in zip(rung.rows, answers, strict=True)
            ]
            yield dict(cells_of(function, rung, rows, convention.form))
    except (ArithmeticError, ValueError, IndexError):  # the mistake has no number here
        return


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
    report = Report(convention=AnswerForm.of(options))
    given: dict[str, GivenFunction] = {}
    for function in functions:
        name = function.__name__
        if name not in FUNCTIONS:
            raise ValueError(f"functions: expected one of {', '.join(FUNCTIONS)}, got {name}")
        ask = functools.partial(homework.call_here, function)
        kind = homework.kind_of(getattr(function, "__globals__", {}))
        given[name] = GivenFunction(ask, kind, homework.is_batched(name, function))
    check_functions(given, report)
    return report
