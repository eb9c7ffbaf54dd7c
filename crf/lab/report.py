"""A report as text, as JSON, as points, and as the HTML of a notebook's cell."""

import math
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from ..strict_json import write_json
from .cells import AnswerCell, AnswerForm, Cells, convention_of, right_cells, same
from .ladder import Rung
from .mistakes import explanations
from .reference import NEG_INF, Reference, Scores, mapped

if TYPE_CHECKING:
    from ..figures import Figure

APP = "http://localhost:8501"
_PAGES = {  # of the app, with the beat that shows it
    "forward": "forward",
    "backward": "backward",
    "viterbi": "viterbi",
    "score": "scores",
    "marginals": "backward?beat=meet",
    "gradients": "learning?beat=counts",
}
_DRAWN = ("forward", "backward", "viterbi")  # the functions whose numbers a trellis shows
_LARGEST_LINK = 12  # tokens
_LONGEST_PICTURE = 40  # tokens


class CheckResult(NamedTuple):
    """Result of one function on one rung, which is one test problem of the ladder.

    Attributes:
        function: The function's name.
        check: The rung's name.
        passed: Whether all numbers are right.
        cell: The first wrong cell, in the order of computation; None where there is none.
        expected: The right number of that cell.
        got: The homework's number of that cell.
        mistakes: Names of the known mistakes that explain all numbers of the function; where there
            are none, the mistakes that explain this rung and the rungs before it.
        message: The error, where no number can be compared; "" otherwise.
        wrong: The number of wrong cells, and the number of all cells.
        impossible: The name of a value that no scores can give, such as a negative loss; else "".
        notes: Further sentences about the fault.
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
    impossible: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class Report:
    """Results of all checks of a homework.

    Attributes:
        checks: The results in the order of the checks.
        missing: Names of the functions that the homework does not have or has not written yet.
        convention: How the homework writes its tables.
        rungs: The test problems, by name.
        given: Each table that a function returned, by function and check, for the figures.
    """

    checks: list[CheckResult] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    convention: AnswerForm = field(default_factory=AnswerForm)
    rungs: dict[str, Rung] = field(default_factory=dict)
    given: dict[tuple[str, str], Cells] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether at least one check was made and all of them passed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def of(self, function: str) -> list[CheckResult]:
        """Return the checks of a function."""
        return [check for check in self.checks if check.function == function]

    def first_faults(self) -> list[CheckResult]:
        """Return the first check of each function that did not pass."""
        faults: dict[str, CheckResult] = {}
        for check in self.checks:
            if not check.passed:
                faults.setdefault(check.function, check)
        return list(faults.values())

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def figure(self) -> "Figure | None":
        """Return the trellis of the first fault that has a trellis, to show or to save."""
        figures = (figure_of(self, check) for check in self.first_faults())
        return next(filter(None, figures), None)


def number(value: float | None) -> str:
    """Return a number as one compares it: four decimals, −∞ as -inf."""
    if value is None:
        return "nothing"
    if not math.isfinite(value):
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
    words = [f"sentence {cell.row + 1} (index {cell.row})"] if cell.row else []
    words += [token_name(cell.token)] if cell.token is not None else []
    words += [f"tag {cell.tag}"] if cell.tag is not None and check.function != "viterbi" else []
    what = f"the gradient of {cell.table} at " if cell.table else ""
    return what + ", ".join(words) if words else "the number"


def token_name(t: int) -> str:
    """Return a token's number as the app counts, from 1, with its index."""
    return f"token {t + 1} (index {t})"


def terms(check: CheckResult, scores: Scores) -> str:
    """Return the terms that should meet in a cell of α or β; "" for other answers."""
    cell, function = check.cell, check.function
    if function not in ("forward", "backward") or cell is None or cell.tag is None:
        return ""
    t, s = cell.token or 0, cell.tag
    T, e, tags = scores.transitions, scores.emissions, range(len(scores.start))
    nth = scores.tokens.index(t)
    if function == "forward" and nth == 0:
        return f"start {number(scores.start[s])} + emission {number(e[t][s])}"
    if function == "forward":
        alpha = Reference(scores).forward()[scores.tokens[nth - 1]]
        met = [f"{number(alpha[i])} + T[{i}, {s}] {number(T[i][s])}" for i in tags]
        return f"log Σ exp of ({'; '.join(met)}), + emission {number(e[t][s])}"
    if t == scores.tokens[-1]:
        return f"end {number(scores.end[s])}"
    n = scores.tokens[nth + 1]
    beta = Reference(scores).backward()[n]
    met = [
        f"T[{s}, {j}] {number(T[s][j])} + emission {number(e[n][j])} + β {number(beta[j])}"
        for j in tags
    ]
    return f"log Σ exp of ({'; '.join(met)})"


def link(check: CheckResult, scores: Scores, app: str = APP, form: AnswerForm | None = None) -> str:
    """Return the address of a check's first wrong cell in the app; "" where it has no page.

    The scores are those of the cell's sentence; the cell is drawn in the answer's form.
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
    query = {
        "t": "~".join(f"tag {s}" for s in range(S)),
        "w": "~".join(f"w{t + 1}" for t in range(m)),
    }
    for key, table in rows.items():
        texts = mapped(lambda value: "x" if value == NEG_INF else f"{value:.6g}", table)
        query[key] = "~".join(map("_".join, texts))
    query |= {"step": str(step)} if step and "?" not in page else {}
    if form and check.function in ("forward", "backward"):
        query |= {"form": form.form} if form.form in ("message", "pair") else {}
        query |= {"scale": "potential"} if form.space == "probability" else {}
    return f"{app}/{page}{'&' if '?' in page else '?'}{urlencode(query)}"


# ---------------------------------------------------------------------- text


def as_text(report: Report, app: str = APP) -> str:
    """Return the report for a terminal."""
    lines = []
    for function in dict.fromkeys(check.function for check in report.checks):
        checks = report.of(function)
        good = sum(check.passed for check in checks)
        lines.append(f"{'✓' if good == len(checks) else '✗'} {function}: {good} of {len(checks)}")
        first = next((check for check in checks if not check.passed), None)
        lines += [f"    {line}" for line in _fault(report, first, app)] if first else []
    if report.missing:
        lines.append(f"– not there yet: {', '.join(report.missing)}")
    return "\n".join(lines)


def _fault(report: Report, check: CheckResult, app: str) -> list[str]:
    scores, words = _row(report, check), explanations()
    usual = report.convention.space == "log" and report.convention.form == "state"
    met, where = terms(check, scores) if usual else "", link(check, scores, app, report.convention)
    differing = (
        f"{place(check)}: expected {number(check.expected)}, got {number(check.got)} "
        f"({check.wrong[0]} of {check.wrong[1]} numbers differ)"
    )
    lines = [
        f"first wrong on: {check.check}",
        f"impossible: {check.impossible}. {words[check.impossible]}" if check.impossible else "",
        check.message,
        differing if check.cell else "",
        f"should meet there: {met}" if met else "",
        *(f"this looks like “{name}”: {words[name]}" for name in check.mistakes),
        *check.notes,
        f"in the app: {where}" if where else "",
    ]
    return [line for line in lines if line]


def _row(report: Report, check: CheckResult) -> Scores:
    """The sentence of the first wrong cell; the first one where it is of no sentence."""
    rows, cell = report.rungs[check.check].rows, check.cell
    return rows[cell.row if cell and cell.table in ("", "emissions") else 0]


# ---------------------------------------------------------------------- JSON


def as_json(report: Report, file: str = "", error: str = "") -> str:
    """Return one object in one line; −∞, ∞ and nan are texts.

    `file` is the file's name; `error` says why nothing could be checked.
    """
    checks = []
    for check in report.checks:
        fields = check._asdict()
        if check.cell:
            cell = check.cell._asdict()
            fields["cell"] = {name: value for name, value in cell.items() if value != ""}
        checks.append(fields)
    record = {"file": file, "checks": checks, "missing": report.missing}
    record |= {"error": error} if error else {}
    return write_json(record)


# ---------------------------------------------------------------------- a notebook's cell


def as_html(report: Report) -> str:
    """Return the report with the trellis of each fault, the first wrong cell framed."""
    from ..figures import file  # no other report draws

    parts = [f"<pre>{escape(as_text(report))}</pre>"]
    for check in report.first_faults():
        if figure := figure_of(report, check):
            parts.append(file.framed(figure.html(), figure.title))
    return "".join(parts)


def figure_of(report: Report, check: CheckResult) -> "Figure | None":
    """Return the trellis of a fault with the homework's numbers beside the right ones.

    None where no trellis shows them: of a loss, marginals or a gradient, of a long sentence, or of
    α without the emission at t.
    """
    import torch

    from .. import LinearChain, figures

    function, form, space = check.function, report.convention.form, report.convention.space
    answer, scores = report.given.get((function, check.check)), _row(report, check)
    if (
        answer is None
        or check.cell is None
        or function not in _DRAWN
        or form == "before-emission"
        or len(scores.mask) > _LONGEST_PICTURE
    ):
        return None
    rung = report.rungs[check.check]
    right = dict(right_cells(function, rung, report.convention))
    tokens, tags = scores.tokens, range(len(scores.start))
    shift = convention_of(function, form).first
    cells: dict[tuple[int, int], str] = {}
    places: dict[AnswerCell, tuple[int, int]] = {}
    for cell, value in answer:
        if cell.row != check.cell.row or cell.token is None:
            continue
        row = cell.tag if cell.tag is not None else value  # of a path: the tag that was chosen
        if row in tags:
            places[cell] = tokens.index(cell.token) - shift, row
            got = f"tag {row}" if cell.tag is None else number(value)
            cells[places[cell]] = "" if same(right[cell], value, rung.tolerance) else got
    is_path = function == "viterbi"
    emissions, *others = (torch.tensor(table, dtype=torch.float64) for table in scores[:4])
    return figures.compared(
        function,  # pyright: ignore[reportArgumentType]
        LinearChain(emissions[None, tokens], *others),
        cells,
        first=places.get(check.cell._replace(tag=None) if is_path else check.cell),
        tokens=[f"token {t + 1}" for t in tokens],
        tags=[f"tag {s}" for s in tags],
        convention="state" if is_path else form,  # pyright: ignore[reportArgumentType]
        space=space,  # pyright: ignore[reportArgumentType]
    )
