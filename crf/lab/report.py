"""A report as text, as JSON, as points, and as the HTML of a notebook's cell."""

import json
import math
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from .cells import AnswerCell, AnswerForm, right_cells, same
from .ladder import Rung
from .mistakes import explanations
from .reference import NEG_INF, Reference, Scores

APP = "http://localhost:8501"
_PAGES = {"forward": "forward", "backward": "backward", "viterbi": "viterbi", "score": "scores"}
_LARGEST_LINK = 12  # tokens
_LARGEST_TABLE = 40  # tokens


class CheckResult(NamedTuple):
    """What came out for one function on one rung.

    Attributes:
        function: Its name.
        check: The rung's name.
        passed: Whether all numbers are right.
        cell: The first wrong cell, in the order of computation; None: there is none to name.
        expected: The right number there.
        got: The homework's.
        mistakes: The names of the known mistakes that explain all numbers of the function; where
            there is none, those that explain this rung and the ones before it.
        message: What went wrong where no number can be compared; "" otherwise.
        wrong: How many cells are wrong, and of how many.
    """

    function: str
    check: str
    passed: bool
    cell: AnswerCell | None = None
    expected: float | None = None
    got: float | None = None
    mistakes: tuple[str, ...] = ()
    message: str = ""
    wrong: tuple[int, int] = (0, 0)


@dataclass
class Report:
    """All checks of a homework.

    Attributes:
        checks: In the order in which they were made.
        missing: Functions that are not there or not written yet.
        convention: How the homework writes its tables.
        rungs: The problems, by name.
        given: Each table that a function gave, by function and check, for a picture.
    """

    checks: list[CheckResult] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    convention: AnswerForm = field(default_factory=AnswerForm)
    rungs: dict[str, Rung] = field(default_factory=dict)
    given: dict[tuple[str, str], list[tuple[AnswerCell, Any]]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether nothing was found wrong, and something was checked."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def first_faults(self) -> list[CheckResult]:
        """Return the first check of each function that did not pass."""
        found: dict[str, CheckResult] = {}
        for check in self.checks:
            if not check.passed:
                found.setdefault(check.function, check)
        return list(found.values())

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def number(value: float | None) -> str:
    """Return a number as one compares it: four decimals, −∞ as -inf."""
    if value is None:
        return "nothing"
    if math.isnan(value) or math.isinf(value):
        return str(value)
    return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:.6g}"


def place(check: CheckResult) -> str:
    """Return in words where the first wrong cell is."""
    cell = check.cell
    if cell is None:
        return ""
    if cell.table == "transitions":
        return f"the gradient of transitions at [{cell.row}, {cell.tag}]"
    if cell.table in ("start", "end"):
        return f"the gradient of {cell.table} at tag {cell.tag}"
    words = [f"sentence {cell.row}"] if cell.row else []
    words += [f"token {cell.token}"] if cell.token is not None else []
    words += [f"tag {cell.tag}"] if cell.tag is not None and check.function != "viterbi" else []
    what = f"the gradient of {cell.table} at " if cell.table else ""
    return what + ", ".join(words) if words else "the number"


def terms(check: CheckResult, scores: Scores) -> str:
    """Return the terms that should meet in a cell of α or β; "" for other answers."""
    cell, reference = check.cell, Reference(scores)
    if cell is None or cell.token is None or cell.tag is None:
        return ""
    t, s = cell.token, cell.tag
    before = [k for k in reference.tokens if k < t]
    after = [k for k in reference.tokens if k > t]
    T, e = scores.transitions, scores.emissions
    if check.function == "forward":
        if not before:
            return f"start {number(scores.start[s])} + emission {number(e[t][s])}"
        alpha = reference.forward()[before[-1]]
        met = [f"{number(alpha[i])} + T[{i}, {s}] {number(T[i][s])}" for i in range(len(T))]
        return f"log Σ exp of ({'; '.join(met)}), + emission {number(e[t][s])}"
    if check.function == "backward":
        if not after:
            return f"end {number(scores.end[s])}"
        n, beta = after[0], reference.backward()[after[0]]
        met = [
            f"T[{s}, {j}] {number(T[s][j])} + emission {number(e[n][j])} + β {number(beta[j])}"
            for j in range(len(T))
        ]
        return f"log Σ exp of ({'; '.join(met)})"
    return ""


def link(check: CheckResult, scores: Scores, app: str = APP) -> str:
    """Return the address of this very cell in the app; "" where the app has no page for it.

    Args:
        check: The check that did not pass.
        scores: The row of its first wrong cell.
        app: Where the app answers.
    """
    page, cell = _PAGES.get(check.function), check.cell
    m, S = len(scores.mask), len(scores.start)
    if page is None or cell is None or m > _LARGEST_LINK or not all(scores.mask):
        return ""
    step = 0
    if cell.token is not None and cell.tag is not None:
        column = m - 1 - cell.token if check.function == "backward" else cell.token
        step = column * S + cell.tag
        if check.function == "viterbi":  # all cells, the total, then the way back
            step = m * S + m - cell.token
    rows = {"e": scores.emissions, "a": scores.transitions, "s": [scores.start], "z": [scores.end]}
    query = {"t": "~".join(f"tag {s}" for s in range(S)), "w": "~".join(f"w{t}" for t in range(m))}
    query |= {
        key: "~".join("_".join(map(_short, row)) for row in table) for key, table in rows.items()
    }
    query |= {"step": str(step)} if step else {}
    return f"{app}/{page}?{urlencode(query)}"


def _short(value: float) -> str:
    return "x" if value == NEG_INF else f"{value:.6g}"


# ---------------------------------------------------------------------- text


def as_text(report: Report, app: str = APP) -> str:
    """Return the report for a terminal."""
    lines = []
    for function in dict.fromkeys(check.function for check in report.checks):
        checks = [check for check in report.checks if check.function == function]
        good = sum(check.passed for check in checks)
        lines.append(f"{'✓' if good == len(checks) else '✗'} {function}: {good} of {len(checks)}")
        first = next((check for check in checks if not check.passed), None)
        lines += [f"    {line}" for line in _fault(report, first, app)] if first else []
    if report.missing:
        lines.append(f"– not there yet: {', '.join(report.missing)}")
    return "\n".join(lines)


def _fault(report: Report, check: CheckResult, app: str) -> list[str]:
    lines = [f"first wrong on: {check.check}"]
    if check.message:
        lines.append(check.message)
    if check.cell:
        lines.append(
            f"{place(check)}: expected {number(check.expected)}, got {number(check.got)} "
            f"({check.wrong[0]} of {check.wrong[1]} numbers differ)"
        )
        scores = _row(report, check)
        usual = report.convention.space == "log" and report.convention.form == "state"
        met = terms(check, scores) if usual else ""
        lines += [f"should meet there: {met}"] if met else []
    words = explanations()
    lines += [f"this looks like “{name}”: {words[name]}" for name in check.mistakes]
    if check.cell:
        where = link(check, _row(report, check), app)
        lines += [f"in the app: {where}"] if where else []
    return lines


def _row(report: Report, check: CheckResult) -> Scores:
    rows = report.rungs[check.check].rows
    shared = check.cell is None or check.cell.table in ("transitions", "start", "end")
    return rows[0 if shared or check.cell is None else check.cell.row]


# ---------------------------------------------------------------------- JSON


def as_json(report: Report) -> str:
    """Return one object in one line; −∞, ∞ and nan are texts."""
    checks = [
        {
            "function": check.function,
            "check": check.check,
            "passed": check.passed,
            "cell": _cell(check),
            "expected": _jsonable(check.expected),
            "got": _jsonable(check.got),
            "mistakes": list(check.mistakes),
            "message": check.message,
        }
        for check in report.checks
    ]
    return json.dumps({"checks": checks, "missing": report.missing}, ensure_ascii=False)


def _cell(check: CheckResult) -> dict[str, Any] | None:
    if check.cell is None:
        return None
    cell = check.cell._asdict()
    return cell if cell["table"] else {k: v for k, v in cell.items() if k != "table"}


def _jsonable(value: float | None) -> float | str | None:
    if value is None or math.isfinite(value):
        return value
    return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")


# ---------------------------------------------------------------------- a notebook's cell

_STYLE = """
<style>
.crf-lab { font: 14px/1.5 system-ui, sans-serif; }
.crf-lab table { border-collapse: collapse; margin: .5em 0; }
.crf-lab th, .crf-lab td { border: 1px solid #8888; padding: .2em .6em; text-align: right; }
.crf-lab .right { background: #00984433; }
.crf-lab .wrong { background: #d55e0033; }
.crf-lab .first { outline: 3px solid #d55e00; font-weight: 700; }
</style>
"""


def as_html(report: Report) -> str:
    """Return the report with a table for each fault: right cells ticked, the first wrong marked."""
    parts = [_STYLE, '<div class="crf-lab">']
    parts.append(f"<pre>{escape(as_text(report))}</pre>")
    parts += [_table(report, check) for check in report.first_faults()]
    return "".join([*parts, "</div>"])


def _table(report: Report, check: CheckResult) -> str:
    """The trellis of a fault: a column for each token, a row for each tag."""
    given = report.given.get((check.function, check.check))
    tables = ("forward", "backward", "marginals")
    if given is None or check.cell is None or check.function not in tables:
        return ""
    row = check.cell.row
    right = dict(right_cells(check.function, report.rungs[check.check], report.convention))
    mine = {cell: value for cell, value in given if cell.row == row}
    return table_html(check, right, mine)


def table_html(check: CheckResult, right: Any, mine: Any) -> str:
    """Return the cells of one row as a table.

    Args:
        check: The check, for the first wrong cell.
        right: The right numbers by cell.
        mine: The homework's, by cell.
    """
    tokens = sorted({cell.token for cell in mine})[:_LARGEST_TABLE]
    tags = sorted({cell.tag for cell in mine})
    head = "".join(f"<th>token {t}</th>" for t in tokens)
    body = []
    for s in tags:
        cells = []
        for t in tokens:
            cell = next(c for c in mine if (c.token, c.tag) == (t, s))
            fits = same(right[cell], mine[cell])
            kind = "right" if fits else "first wrong" if cell == check.cell else "wrong"
            text = (
                f"✓ {number(mine[cell])}"
                if fits
                else (f"{number(mine[cell])}<br><small>expected {number(right[cell])}</small>")
            )
            cells.append(f'<td class="{kind}">{text}</td>')
        body.append(f"<tr><th>tag {s}</th>{''.join(cells)}</tr>")
    return f"<table><tr><th>{escape(check.function)}</th>{head}</tr>{''.join(body)}</table>"
