"""`python -m crf lab new` and `python -m crf lab check`."""

import argparse
import functools
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import report as reports
from .cells import FORMS, SPACES, convention_of
from .checking import GivenFunction, check_functions
from .homework import FUNCTIONS
from .process import TIME_LIMIT, Homework, HomeworkError
from .report import Report
from .starter import FLAVOURS, starter

_WARNING = (
    "It runs the homework as the user who calls it, in a process of its own but with no sandbox: "
    "check files of others where they can do no harm."
)


def add_arguments(lab: argparse.ArgumentParser) -> None:
    """Add the arguments of both commands to a parser."""
    commands = lab.add_subparsers(dest="lab", required=True, metavar="new|check")
    new = commands.add_parser(
        "new", help="write a file to fill in", description="Write a homework to fill in."
    )
    new.add_argument("file", type=Path, metavar="FILE")
    new.add_argument("--flavour", choices=FLAVOURS, default="plain")
    new.add_argument("--batched", action="store_true", help="a batch of sentences, with a mask")
    new.add_argument(
        "--only", type=_names, default=(), metavar="NAMES", help="such as forward,viterbi"
    )
    check = commands.add_parser(
        "check",
        help="find the first wrong cell of each function",
        description=f"Check a homework. {_WARNING}",
    )
    check.add_argument("path", type=Path, metavar="FILE", help="a homework, or a folder of them")
    check.add_argument("--only", type=_names, default=(), metavar="NAMES")
    check.add_argument("--space", choices=SPACES, help="of α and β (default: log)")
    check.add_argument("--form", choices=FORMS, help="of α and β (default: state)")
    check.add_argument("--transitions", choices=("from-to", "to-from"), help="default: from-to")
    check.add_argument(
        "--time-limit", type=float, default=TIME_LIMIT, metavar="SECONDS", help="for each function"
    )
    check.add_argument("--json", action="store_true", help="one line of JSON for each file")
    check.add_argument("--app", default=reports.APP, metavar="URL", help="where the app answers")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, text.split(",")))
    for name in names:
        if name not in FUNCTIONS:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(FUNCTIONS)}, got {name}")
    return names


def run(options: argparse.Namespace) -> int:
    """Run one of the commands; the exit code is 0, or 1 where something is wrong."""
    if options.lab == "new":
        if options.file.exists():
            raise ValueError(f"{options.file}: exists already; give another name")
        text = starter(options.flavour, batched=options.batched, only=options.only)
        options.file.write_text(text, encoding="utf-8")
        print(f"Fill in {options.file}, then: python -m crf lab check {options.file}")
        return 0
    paths = sorted(options.path.glob("*.py")) if options.path.is_dir() else [options.path]
    if not paths:
        raise ValueError(f"{options.path}: no Python file in it")
    return 0 if all([_passes(path, options) for path in paths]) else 1


def _passes(path: Path, options: argparse.Namespace) -> bool:
    """Check a homework, print the report, and return whether nothing is wrong."""
    said = {name: getattr(options, name) for name in ("space", "form", "transitions")}
    said = {name: value for name, value in said.items() if value}
    try:
        report, printed = check_file(path, said, options.only, options.time_limit)
    except HomeworkError as error:
        if not options.path.is_dir():
            raise
        print(f"{path.name}: {error}", file=sys.stderr)
        return False
    if options.json:
        print(reports.as_json(report, path.name))
    else:
        if printed:
            print(f"{path.name} printed:\n{printed[-2000:].rstrip()}\n", file=sys.stderr)
        print(f"{path.name}\n{reports.as_text(report, options.app)}")
    return report.passed


def check_file(
    path: Path,
    options: Mapping[str, str] | None = None,
    only: Iterable[str] = (),
    time_limit: float = TIME_LIMIT,
) -> tuple[Report, str]:
    """Check a homework's file in another process.

    Args:
        path: The file.
        options: As `crf.lab.check` has them; they go before what the file says in CHECK_WITH.
        only: The functions to check; empty: all that are there.
        time_limit: Seconds for each function.

    Returns:
        The report, and what the homework printed.

    Raises:
        HomeworkError: The file cannot be run.
        ValueError: There is no such option.
    """
    only = tuple(only)
    with Homework(path, time_limit) as homework:
        report = Report(convention=convention_of(homework.options | dict(options or {})))
        asked: dict[str, GivenFunction] = {}
        for name in FUNCTIONS:
            if only and name not in only:
                continue
            if name not in homework.functions:
                report.missing.append(name)
                continue
            ask = functools.partial(homework.ask, name, [time_limit])
            asked[name] = GivenFunction(ask, homework.kind, homework.functions[name])
        check_functions(asked, report)
        return report, homework.printed
