"""`python -m crf lab new`, `python -m crf lab check` and `python -m crf lab train`."""

import argparse
import csv
import functools
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from . import report as reports
from .cells import DIRECTIONS, FORMS, SPACES, AnswerForm
from .checking import GivenFunction, check_functions
from .homework import FUNCTIONS, TRAINING
from .process import TIME_LIMIT, Homework, HomeworkError, one_line, printable
from .report import Report
from .starter import FLAVOURS, starter

_WARNING = (
    "It runs the homework as the user who calls it, in a process and an empty folder of its own, "
    "but with no sandbox: check files of others where they can do no harm. "
    "A homework is one file; it cannot import the files beside it."
)
_PRINTED = 2000  # how many characters of a homework's output are shown


class Points(NamedTuple):
    """Points for one check."""

    function: str  # name of the function
    check: str  # name of the check; "" if all checks of the function must pass
    points: float  # points if it passes


def _names(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, text.split(",")))
    for name in names:
        if name not in FUNCTIONS:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(FUNCTIONS)}, got {name}")
    return names


# fmt: off
_SOME: dict[str, Any] = {"type": _names, "default": (), "metavar": "NAMES"}
_ONLY = ("--only", "functions, such as forward,viterbi (default: all)", _SOME)
COMMANDS: dict[str, tuple[str, str, list[tuple[str, str, dict[str, Any]]]]] = {
    "new": ("write a file to fill in", "Write a homework to fill in.", [
        ("file", "file to write; must not exist yet", {"type": Path, "metavar": "FILE"}),
        ("--flavour", "form of the tables: lists, NumPy arrays or torch tensors (default: plain)",
         {"choices": FLAVOURS, "default": "plain"}),
        ("--batched", "write functions of a batch of sentences, with a mask",
         {"action": "store_true"}),
        _ONLY,
    ]),
    "check": ("find the first wrong cell of each function", f"Check a homework. {_WARNING}", [
        ("path", "homework, or a folder of them", {"type": Path, "metavar": "FILE"}),
        _ONLY,
        ("--space", "space of α and β (default: log)", {"choices": SPACES}),
        ("--form", "form of α and β (default: state)", {"choices": FORMS}),
        ("--transitions", "order of the indices of transitions (default: from-to)",
         {"choices": DIRECTIONS}),
        ("--time-limit", f"time for each function, in seconds (default: {TIME_LIMIT:g})",
         {"type": float, "default": TIME_LIMIT, "metavar": "SECONDS"}),
        ("--json", "print one line of JSON for each file", {"action": "store_true"}),
        ("--points", "points for each function, in columns function, check (may be empty), points "
         "(default: none)", {"type": Path, "metavar": "CSV"}),
        ("--csv", "table to write, a row for each homework (default: none)",
         {"type": Path, "metavar": "FILE"}),
        ("--app", f"address of the app that links lead to (default: {reports.APP})",
         {"default": reports.APP, "metavar": "URL"}),
    ]),
    "train": ("train a tagger with your functions", "Train a tagger of names with the viterbi and "
              f"gradients of a homework, and with ours beside it. {_WARNING}", [
        ("path", "homework that passes its checks", {"type": Path, "metavar": "FILE"}),
    ]),
}
# fmt: on


def add_arguments(lab: argparse.ArgumentParser) -> None:
    """Add the arguments of these commands to a parser."""
    commands = lab.add_subparsers(dest="lab", required=True, metavar="|".join(COMMANDS))
    for name, (summary, description, options) in COMMANDS.items():
        to = commands.add_parser(name, help=summary, description=description)
        for option, text, how in options:
            to.add_argument(option, help=text, **how)


def run(options: argparse.Namespace) -> int:
    """Run one of the commands; the exit code is 0, or 1 where something is wrong."""
    if options.lab == "new":
        if options.file.exists():
            raise ValueError(f"{options.file}: exists already; give another name")
        text = starter(options.flavour, batched=options.batched, only=options.only)
        options.file.write_text(text, encoding="utf-8")
        print(f"Fill in {options.file}, then: python -m crf lab check {options.file}")
        return 0
    if options.lab == "train":
        return _train(options.path)
    points = read_points(options.points) if options.points else []
    paths = sorted(options.path.glob("*.py")) if options.path.is_dir() else [options.path]
    if not paths:
        raise ValueError(f"{options.path}: no Python file in it")
    columns = ["file", "points", "passed", *FUNCTIONS, "faults"]
    all_passed = True
    with (options.csv or Path(os.devnull)).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        for path in paths:
            row = _check_one(path, options, points)
            writer.writerow({key: _harmless(value) for key, value in row.items()})
            file.flush()  # because an interrupted check keeps what was done
            all_passed &= row["passed"]
    return 0 if all_passed else 1


def _train(path: Path) -> int:
    """Train with a homework's functions and with ours, and print F1 and seconds of both."""
    from . import capstone  # here: the command starts without torch, and beside a broken crf

    try:
        learn, other = capstone.sentences()
    except ModuleNotFoundError as error:
        print(f"The sentences to train on come with the taggers: {error}", file=sys.stderr)
        return 1
    report, _ = check_file(path, only=TRAINING)
    if not report.passed or report.missing:
        print(reports.as_text(report))
        print("To train with these functions, let them pass their checks first.", file=sys.stderr)
        return 1
    print(f"{len(learn)} sentences, {capstone.EPOCHS} epochs; names found in {len(other)} others")
    print(f"{'':24}{'F1':>6}{'seconds':>9}")
    with Homework(path, capstone.TIME_LIMIT) as homework:
        own = capstone.train(capstone.theirs(homework), learn, other)
    library = capstone.train(capstone.ours(), learn, other)
    for name, found in ((path.name, own), ("this library", library)):
        print(f"{printable(name)[:23]:24}{100 * found.f1:6.1f}{found.seconds:9.1f}")
    return 0


def _harmless(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if str(value)[:1] in ("=", "+", "-", "@") else value


def _check_one(path: Path, options: argparse.Namespace, points: list[Points]) -> dict[str, Any]:
    """Check a homework, print the report, and return its row of the table."""
    name = printable(path.name)
    form = {key: getattr(options, key) for key in ("space", "form", "transitions")}
    form = {key: value for key, value in form.items() if value}
    try:
        report, printed = check_file(path, form, options.only, options.time_limit)
    except Exception as error:  # because the other homeworks must still be checked
        if not options.path.is_dir():
            raise
        known = isinstance(error, HomeworkError)
        fault = str(error) if known else one_line(f"{path}: the check failed: {error!r}")
        if options.json:
            print(reports.as_json(Report(), name, fault))
        print(fault, file=sys.stderr)
        return {"file": name, "passed": False, "points": 0.0, "faults": fault}
    if printed and not options.json:
        end = " (the end of it)" if len(printed) > _PRINTED else ""
        print(f"{name} printed{end}:\n{printed[-_PRINTED:].rstrip()}\n", file=sys.stderr)
    if options.json:
        print(reports.as_json(report, name))
    else:
        print(f"{name}\n{reports.as_text(report, options.app)}")
        if report.passed and not {*TRAINING} & {*report.missing} and not options.only:
            print(f"Now train a tagger with it: python -m crf lab train {printable(str(path))}")
        if points:
            print(f"points: {earned(report, points):g} of {sum(each.points for each in points):g}")
    faults = [
        f"{fault.function}: {', '.join(fault.mistakes) or fault.message or 'unknown'}"
        for fault in report.first_faults()
    ]
    shares = {name: [check.passed for check in report.of(name)] for name in FUNCTIONS}
    return {
        "file": name,
        "passed": report.passed,
        "points": earned(report, points),
        "faults": "; ".join(faults),
        **{name: f"{sum(passed)}/{len(passed)}" for name, passed in shares.items() if passed},
    }


def check_file(
    path: Path,
    options: Mapping[str, str] | None = None,
    only: Iterable[str] = (),
    time_limit: float = TIME_LIMIT,
) -> tuple[Report, str]:
    """Check a homework's file in another process; return the report, and what it printed.

    Args:
        path: The file.
        options: As `crf.lab.check` has them; they go before what the file says in CHECK_WITH.
        only: The functions to check; empty: all that are there.
        time_limit: Seconds for each function.

    Raises:
        HomeworkError: The file cannot be run.
        ValueError: There is no such option.
    """
    names = set(only) or set(FUNCTIONS)
    with Homework(path, time_limit) as homework:
        report = Report(convention=AnswerForm.of(homework.options | dict(options or {})))
        missing = names - homework.functions.keys()
        report.missing += [name for name in FUNCTIONS if name in missing]
        functions = {
            name: GivenFunction(functools.partial(homework.ask, name), homework.kind, batched)
            for name, batched in homework.functions.items()
            if name in names
        }
        check_functions(functions, report)
        return report, homework.printed


# ---------------------------------------------------------------------- points


def read_points(path: Path) -> list[Points]:
    """Return what each check is worth, from a CSV file.

    Raises:
        ValueError: A column is missing, a function unknown or a number no number, with the line.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if not {"function", "points"} <= set(reader.fieldnames or ()):
            raise ValueError(f"{path}: expected the columns function, check and points")
        points = []
        for row in reader:
            name, worth = row["function"], row["points"]
            where = f"{path}, line {reader.line_num}: expected a"
            if name not in FUNCTIONS:
                raise ValueError(f"{where} function of {', '.join(FUNCTIONS)}, got {name!r}")
            try:
                points.append(Points(name, row.get("check") or "", float(worth)))
            except (TypeError, ValueError):
                raise ValueError(f"{where} number of points, got {worth!r}") from None
    return points


def earned(report: Report, points: list[Points]) -> float:
    """Return how many points a homework has."""
    total = 0.0
    for each in points:
        checks = [one for one in report.of(each.function) if each.check in ("", one.check)]
        if checks and all(check.passed for check in checks):
            total += each.points
    return total
