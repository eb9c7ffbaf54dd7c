r"""Equations and tables as LaTeX (with amsmath), every number read off a trace.

    step_equation(run, 3)  \log \hat{\alpha}_{2}(\text{N}) = \log \bigl( e^{…} + e^{…} \bigr) + 2.50

Numbers have the digits that the pages show; names are made harmless.
"""

from collections.abc import Sequence

from crf.figures.numbers import format_potential, format_score
from crf.figures.trellis import notation
from crf.steps import Step, Trace
from crf.steps.conventions import Part, convention_of
from pages.shared.course.problem import Problem
from pages.shared.course.right_to_left import isolate

_JOINS = {"log": " + ", "probability": r" \cdot "}
SPACES = tuple(_JOINS)

_LETTERS = {
    "α̂": r"\hat{\alpha}",
    "α": r"\alpha",
    "β": r"\beta",
    "max-β": r"\beta^{\max}",
    "δ": r"\delta",
    "v": "v",
}
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "-": "{-}",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def escape(text: str) -> str:
    r"""Text for LaTeX's text mode, inert whatever is in it.

    >>> print(escape("50% of $x_1$ \\input{a}"))
    50\% of \$x\_1\$ \textbackslash{}input\{a\}
    """
    return "".join(_SPECIAL.get(character, character) for character in isolate(text))


def name(text: str) -> str:
    r"""A tag's or token's name within mathematics.

    >>> print(name("B_1"))
    \text{B\_1}
    """
    return rf"\text{{{escape(text)}}}"


def number(log_value: float, space: str = "log") -> str:
    r"""A log-score, or its exp: the digits of the pages, in LaTeX's notation.

    >>> print(number(-1.5), number(float("-inf")), number(-20.0, "probability"))
    -1.50 -\infty 2.06 \times 10^{-9}
    """
    text = format_score(log_value) if space == "log" else format_potential(log_value)
    text = (
        text.replace("−", "-").replace("∞", r"\infty").replace(",", "{,}").replace("\u202f", r"\,")
    )
    mantissa, times, power = text.partition(" × 10")
    return rf"{mantissa} \times 10^{{{power.translate(_SUPERSCRIPTS)}}}" if times else text


def step_equation(run: Trace, index: int, space: str = "log") -> str:
    r"""One step of a trace as an equation, its numbers substituted: to be put between $ and $."""
    step = run.steps[index]
    if step.kind == "backtrace":
        return _pointing(run, step)
    left, value = symbol(run, step, space), number(step.log_value, space)
    if step.terms and not step.terms[0].parts:
        return f"{left} = {number(step.terms[0].log_value, space)}"
    if not step.terms or (len(step.terms) == len(step.terms[0].parts) == 1 and not step.added):
        return f"{left} = {value}"
    right = [_merged(run, step, space), *(_factor(part, space) for part in step.added)]
    return f"{left} = {_JOINS[space].join(right)} = {value}"


def symbol(run: Trace, step: Step, space: str = "log") -> str:
    r"""What a step computes, such as \log \hat{\alpha}_{2}(\text{N}) or \log Z."""
    log = r"\log " if space == "log" else ""
    if step.kind == "total":
        return f"{log}Z" if run.semiring == "sum" else rf"{log}\max_y \psi(y)"
    cell = letter(run.algorithm, run.convention, run.semiring, space)
    return rf"{cell}_{{{step.column + convention_of(run).number}}}({name(run.tags[step.row])})"


def letter(algorithm: str, form: str, semiring: str, space: str) -> str:
    r"""A cell's symbol.

    >>> print(letter("forward", "state", "sum", "log"), letter("viterbi", "pair", "max", "log"))
    \log \hat{\alpha} \delta
    """
    text = notation.symbol(algorithm, form, semiring, notation.NOTATIONS[space])
    return " ".join(_LETTERS.get(word, rf"\{word}") for word in text.split())


def _merged(run: Trace, step: Step, space: str) -> str:
    terms = [_JOINS[space].join(_factor(part, space) for part in term.parts) for term in step.terms]
    if len(terms) == 1:
        return terms[0]
    if run.semiring == "max":
        return r"\max \{ " + r",\; ".join(terms) + r" \}"
    if space == "log":
        return r"\log \bigl( " + " + ".join(f"e^{{{term}}}" for term in terms) + r" \bigr)"
    inside = " + ".join(terms)
    return rf"\bigl( {inside} \bigr)" if step.added else inside


def _factor(part: Part, space: str) -> str:
    text = number(part.value, space)
    return f"({text})" if text.startswith("-") or r"\times" in text else text


def table(
    corner: str, columns: Sequence[str], rows: Sequence[str], cells: Sequence, space: str = "log"
) -> str:
    r"""A table of numbers with names at its sides, as a tabular."""
    lines = [" & ".join(map(escape, (corner, *columns))) + r" \\", r"\hline"]
    lines += [
        " & ".join([escape(label), *(f"${number(value, space)}$" for value in row)]) + r" \\"
        for label, row in zip(rows, cells, strict=True)
    ]
    return "\n".join([rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", *lines, r"\end{tabular}"])


def _pointing(run: Trace, step: Step) -> str:
    """A tag of the way back, and the pointer that names it."""
    pointer = r"\text{best last tag}"
    if step.from_row is not None:
        pointer = rf"\kappa_{{{step.token + 2}}}({name(run.tags[step.from_row])})"
    return rf"y_{{{step.token + 1}}} = {pointer} = {name(run.tags[step.row])}"


def trace_table(run: Trace, space: str = "log") -> str:
    """The cells of a trace: a row for each tag, a column for each column of the recursion."""
    cells = [[column[s] for column in run.table[: run.num_columns]] for s in range(len(run.tags))]
    return table("", run.tokens[convention_of(run).tokens], run.tags, cells, space)


def folded_table(problem: Problem) -> str:
    """Transitions with a row ROOT and a column EOS: one table, or one for each step."""
    steps = range(1, len(problem.tokens)) if problem.per_step else [1]
    names = [notation.ROOT, *problem.tags, notation.EOS]
    return "\n\n".join(table("from", names, names, problem.folded(t)) for t in steps)


def problem_tables(problem: Problem) -> dict[str, str]:
    """Emissions, transitions (of each step) and start with end, by name."""
    tags = problem.tags
    tables = {"emissions": table("", tags, problem.tokens, problem.emissions)}
    for t in range(1, len(problem.tokens)) if problem.per_step else (1,):
        key = f"transitions, step {t}" if problem.per_step else "transitions"
        tables[key] = table("from", tags, tags, problem.matrix(t))
    tables["start and end"] = table("", tags, ("start", "end"), (problem.start, problem.end))
    return tables
