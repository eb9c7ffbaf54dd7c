"""Check an implementation: the first wrong cell, and the mistake that explains its numbers."""

import copy
import functools
import math
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, NamedTuple

from . import homework, mistakes
from .cells import (
    AnswerCell,
    AnswerForm,
    Cells,
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
from .reference import NEG_INF, Reference, logsumexp
from .report import CheckResult, Report

Caller = Callable[..., dict[str, Any]]
_SMALLEST = -87.0  # log of the smallest number that float32 holds with all its digits
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
    _name_echoes(report)
    if {"nll", "gradients"} <= functions.keys() - report.missing:
        _check_differences(functions["gradients"], functions["nll"], report)


def _check_function(name: str, function: GivenFunction, report: Report) -> None:
    ask, kind, batched = function
    convention = report.convention
    rungs: list[tuple[Rung, Cells]] = []
    for rung in _rungs(name, function, convention):
        report.rungs[rung.name] = rung
        arguments = rung.arguments(name, batched, to_from=convention.to_from)
        answer = ask(arguments=arguments, kind=kind, autograd=rung.autograd)
        if answer.get("missing"):
            report.missing.append(name)
            return
        check, cells = _compare(name, rung, answer, batched, convention)
        if not check.passed:
            order = homework.arguments_of(name, batched) if answer.get("by_position") else []
            check = check._replace(notes=_notes(check, rung, order))
        if cells and not rung.autograd:
            report.given[name, rung.name] = cells
            rungs.append((rung, cells))
        report.checks.append(check)
        if answer.get("exception") == "TimeoutError":
            break
    _name_mistakes(name, rungs, report)


# Which functions a function is usually made of, the first to be computed first.
_MADE_OF = {
    "nll": ("forward", "score"),
    "marginals": ("forward", "backward"),
    "gradients": ("forward", "backward", "marginals"),
}


def _name_echoes(report: Report) -> None:
    """Where a fault follows from one of another function, say so instead of naming it again."""
    first = {fault.function: fault for fault in report.first_faults()}
    for k, check in enumerate(report.checks):
        if check.passed or check.function not in _MADE_OF:
            continue
        for name in _MADE_OF[check.function]:
            if name not in first or (check.mistakes and not _is_echo(check, first[name])):
                continue
            says = "follows from {}" if _is_echo(check, first[name]) else "{} is wrong, too"
            note = f"{says.format(name)}; fix that first"
            report.checks[k] = check._replace(mistakes=(), notes=(*check.notes, note))
            break


def _is_echo(check: CheckResult, cause: CheckResult) -> bool:
    """Whether the numbers are as wrong as those of what they are made of."""
    if isinstance(check.got, float) and math.isnan(check.got):
        return isinstance(cause.got, float) and not math.isfinite(cause.got)
    return bool(check.mistakes) and not set(check.mistakes).isdisjoint(cause.mistakes)


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
            or not range(tokens)[convention_of(name, convention.form).tokens]  # it has no column
        ):
            yield rung


def _compare(
    name: str, rung: Rung, answer: dict[str, Any], batched: bool, convention: AnswerForm
) -> tuple[CheckResult, Cells]:
    """Return the result, and the homework's cells where they can be compared."""
    check = CheckResult(name, rung.name, False)
    function = "gradients" if rung.autograd else name
    if "error" in answer:
        return check._replace(message=answer["error"], mistakes=_of_crash(answer, rung)), []
    if answer["mutated"]:
        names = ", ".join(answer["mutated"])
        message = f"The function changes what it is given: {names}. Work on a copy."
        return check._replace(message=message), []
    value = answer["value"]
    if batched and function in ("score", "nll") and not isinstance(value, list):
        right = [Reference(scores).answer(function) for scores in rung.rows]
        if len(right) > 1 and same(sum(right) / len(right), value):
            message = "expected a number for each sentence of the batch, got the mean of all"
            return check._replace(message=message, mistakes=("mean for sum",)), []
        value = [value - sum(right[1:]), *right[1:]]  # a sum is taken for what it is
    try:
        rows = read(function, rung, value, batched, convention.form)
    except WrongShapeError as error:
        return check._replace(message=str(error)), []
    got = cells_of(function, rung, rows, convention.form)
    return _compared(check, right_cells(function, rung, convention), got, rung, convention), got


def _notes(check: CheckResult, rung: Rung, order: list[str]) -> tuple[str, ...]:
    """Return further sentences about a fault; `order` has the arguments given by position."""
    notes = []
    if order:
        names = ", ".join(order)
        notes.append(f"the arguments have other names, so they were given in this order: {names}")
    ends = [value for row in rung.rows for value in (*row.start, *row.end)]
    if check.cell and not any(ends):
        notes.append("start and end are 0 in this problem, so it cannot show a mistake in them")
    return tuple(notes)


def _of_crash(answer: dict[str, Any], rung: Rung) -> tuple[str, ...]:
    """The mistakes behind an error of Python's `math`, or of a division by a column's sum."""
    if answer.get("exception") == "OverflowError":
        return ("exp overflow",)
    is_log = "math domain error" in answer["error"] or "positive input" in answer["error"]
    if is_log or answer.get("exception") == "ZeroDivisionError":
        alphas = [x for scores in rung.rows for row in Reference(scores).forward() for x in row]
        if NEG_INF < min(alphas) < _SMALLEST:
            return ("underflow",)
    return ("log of 0",) if is_log else ()


def _compared(
    check: CheckResult, truth: Cells, got: Cells, rung: Rung, convention: AnswerForm
) -> CheckResult:
    """A check with its first wrong cell, or passed; both lists are in the same order."""
    wrong = [
        (cell, right, mine)
        for (cell, right), (_, mine) in zip(truth, got, strict=True)
        if not same(right, mine, rung.tolerance)
    ]
    check = check._replace(passed=not wrong, wrong=(len(wrong), len(truth)))
    if not wrong:
        return check
    check = check._replace(impossible=_impossible(check.function, rung, got, convention))
    cell, right, mine = wrong[0]
    if check.function == "viterbi":
        cell = cell._replace(tag=int(right))
    return check._replace(cell=cell, expected=right, got=mine)


def _impossible(function: str, rung: Rung, cells: Cells, convention: AnswerForm) -> str:
    """Return the name of what no scores can lead to, if one sentence's cells have it.

    A table of α has it where log Z, the last column with the end scores, is too small.
    """
    if rung.batched:
        return ""
    scores, values = rung.rows[0], [value for _, value in cells]
    m, S = len(scores.mask), len(scores.start)
    if function == "nll" and values[0] < 0 and not same(0.0, values[0], rung.tolerance):
        return "negative loss"
    if function == "marginals":
        sums = [sum(values[t * S : (t + 1) * S]) for t in range(m)]
        whole = all(same(1.0, total, S * rung.tolerance) for total in sums)
        return "" if whole else "marginals that do not sum to 1"
    if function == "forward" and convention == AnswerForm():
        total = logsumexp([x + end for x, end in zip(values[-S:], scores.end, strict=True)])
    elif function == "log_partition":
        total = values[0]
    else:
        return ""
    reference = Reference(scores)
    best = max(x + reference.last(s) for s, x in enumerate(reference.deltas()[-1]))
    return "log Z below the best score" if total < best - rung.tolerance * m else ""


def _name_mistakes(name: str, rungs: list[tuple[Rung, Cells]], report: Report) -> None:
    """Name the mistakes that explain all numbers, or else those of each wrong rung and before."""
    places = {check.check: k for k, check in enumerate(report.checks) if check.function == name}
    of_all: tuple[str, ...] | None = None
    for k, (rung, _) in enumerate(rungs, start=1):
        check = report.checks[places[rung.name]]
        if check.passed:
            continue
        if of_all is None:
            of_all = _explain(name, rungs, report.convention)
        names = of_all or _explain(name, rungs[:k], report.convention)
        report.checks[places[rung.name]] = check._replace(mistakes=names)


def _check_differences(gradients: GivenFunction, nll: GivenFunction, report: Report) -> None:
    """Compare the gradients with differences of the homework's own loss, a score at a time."""
    rung, to_from = DIFFERENCES, report.convention.to_from

    def value_of(function: GivenFunction, arguments: dict[str, Any]) -> Any:
        return function.ask(arguments=arguments, kind=function.kind, autograd=False)["value"]

    try:
        point = rung.arguments("gradients", gradients.batched, to_from=to_from)
        rows = read("gradients", rung, value_of(gradients, point), gradients.batched, "state")
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
                loss = value_of(nll, moved)
                losses.append(float(loss[0] if isinstance(loss, list) else loss))
            slopes.append((cell, (losses[0] - losses[1]) / (2 * STEP)))
    except (KeyError, TypeError, WrongShapeError):  # one of them has no number; it was said above
        return
    report.rungs[rung.name] = rung
    check = CheckResult("gradients", rung.name, False)
    check = _compared(check, slopes, got, rung, AnswerForm())
    names = () if check.passed else ("gradient of another loss",)
    report.checks.append(check._replace(mistakes=names))


def check_numbers(function: str, rung: Rung, got: Cells, form: AnswerForm) -> CheckResult:
    """Check numbers that were computed elsewhere, and name the mistakes that explain all of them.

    `function` is one of `FUNCTIONS`, "deltas" or "log_partition"; of a gradient one table will do.
    """
    places = {cell for cell, _ in got}
    truth = [each for each in right_cells(function, rung, form) if each[0] in places]
    check = _compared(CheckResult(function, rung.name, False), truth, got, rung, form)
    names = () if check.passed else _explain(function, [(rung, got)], form)
    return check._replace(mistakes=names)


# ---------------------------------------------------------------------- which mistake it is


def _explain(
    function: str, rungs: list[tuple[Rung, Cells]], convention: AnswerForm
) -> tuple[str, ...]:
    """The names of the mistakes that give all of a homework's numbers."""
    names = []
    for name, changed in mistakes.CATALOGUE:
        if name not in names and _explains(changed, function, rungs, convention):
            names.append(name)
    return tuple(names)


def _explains(
    changed: type[Reference], function: str, rungs: list[tuple[Rung, Cells]], convention: AnswerForm
) -> bool:
    """Whether one way to make a mistake gives the numbers of all rungs, short ones tried first."""
    alive: set[int] | None = None
    for rung, cells in sorted(rungs, key=lambda each: len(each[0].rows[0].mask)):
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


def hidden_mistakes(
    function: str, rung: Rung, form: AnswerForm, given: Cells | None = None
) -> list[str]:
    """Return the names of the known mistakes that give the right numbers on this problem.

    Those are left out that give them on every problem of the ladder that needs no mask and is
    short. Where all end scores are 0, for example, "end left out" is hidden.

    Args:
        function: One of `FUNCTIONS`, "deltas" or "log_partition".
        rung: The problem.
        form: How the numbers are written.
        given: The cells to look at; all by default.
    """
    cells = {cell for cell, _ in given or right_cells(function, rung, form)}
    visible: dict[str, bool] = {}  # mistakes that some rung shows → whether this rung does
    for name, changed in mistakes.CATALOGUE:
        if changed in _visible_on_the_ladder(function, form):
            visible[name] = visible.get(name, False) or _shows(changed, function, rung, form, cells)
    return [name for name, is_visible in visible.items() if not is_visible]


def shown_mistakes(function: str, form: AnswerForm) -> list[str]:
    """Return the names of the mistakes that show in a function's numbers on some short problem.

    Args:
        function: One of `FUNCTIONS`, "deltas" or "log_partition".
        form: How the numbers are written.
    """
    visible = _visible_on_the_ladder(function, form)
    return list(dict.fromkeys(name for name, each in mistakes.CATALOGUE if each in visible))


@functools.cache
def _visible_on_the_ladder(function: str, form: AnswerForm) -> frozenset[type[Reference]]:
    """The mistakes that the ladder's short sentences without a mask show."""
    rungs = [each for each in ladder() if not each.batched and len(each.rows[0].mask) < 100]
    return frozenset(
        changed
        for _, changed in mistakes.CATALOGUE
        if any(_shows(changed, function, rung, form) for rung in rungs)
    )


def _shows(
    changed: type[Reference],
    function: str,
    rung: Rung,
    form: AnswerForm,
    among: Container[AnswerCell] | None = None,
) -> bool:
    """Whether a mistake leads to wrong numbers, among these cells or at all."""
    right = right_cells(function, rung, form)
    looked_at = [each for each in right if among is None or each[0] in among]
    return any(
        not all(same(value, cells[cell], rung.tolerance) for cell, value in looked_at)
        for cells in _mistaken(changed, function, rung, form)
    )


def check(*functions: Callable[..., Any], **options: str) -> Report:
    """Check a notebook's functions in this process.

    Args:
        functions: Functions with names from `crf.lab.FUNCTIONS`, as in `check(forward, viterbi)`.
        options: How the functions write their tables: `space`, "log" or "probability" for the
            numbers of `forward` and `backward`; `form`, "state", "message", "pair" or
            "before-emission"; `transitions`, "from-to" or "to-from".

    Returns:
        The report; at the end of a notebook's cell it draws the table with the first wrong cell.

    Raises:
        ValueError: A function's name is not in `FUNCTIONS`, or an option is unknown.

    Example:
        >>> def score(emissions, tags, transitions, start, end):
        ...     return sum(row[tag] for row, tag in zip(emissions, tags))
        >>> check(score).first_faults()[0].mistakes
        ('transition left out',)
    """
    report = Report(convention=AnswerForm.of(options))
    by_name: dict[str, GivenFunction] = {}
    for function in functions:
        name = function.__name__
        if name not in FUNCTIONS:
            raise ValueError(f"functions: expected one of {', '.join(FUNCTIONS)}, got {name}")
        ask = functools.partial(homework.call_here, function)
        kind = homework.kind_of(getattr(function, "__globals__", {}))
        by_name[name] = GivenFunction(ask, kind, homework.is_batched(name, function))
    check_functions(by_name, report)
    return report
