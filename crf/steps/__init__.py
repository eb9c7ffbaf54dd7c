"""Records of a trace: the trace, its steps, and the terms of each step.

The records are plain data, and their log-scores are Python floats; `Trace.to_dict()` gives JSON.
"""

import math
from typing import Any, NamedTuple

TIE = 1e-12  # relative, because scores closer than this may differ by rounding only
_LARGEST_EXACT_INT = 2**53  # because JavaScript's numbers are doubles


class Part(NamedTuple):
    """One number in a term, and its place in the tables.

    Attributes:
        role: "start", "emission", "transition", "end", or "previous" (a cell of the same table).
        value: A log-score.
        at: Its place: start and end [tag], emission [token, tag], transition [from, to],
            previous [column, row].
    """

    role: str
    value: float
    at: tuple[int, ...]


class Term(NamedTuple):
    """One of the terms whose sum or maximum is a cell.

    Attributes:
        source: The row of the neighbouring column that it comes from; −1 for START or END.
        parts: The numbers that the term adds up.
        log_value: The sum of the parts, a log-score.
        share: The term's part of the cell, exp(log_value − log_sum); the shares of a cell sum to 1.
            In the max semiring 1 for the winner, 0 for the others. 0 where nothing is allowed.
        wins: Whether the max recursion takes this term; False in the sum semiring.
    """

    source: int
    parts: tuple[Part, ...]
    log_value: float
    share: float
    wins: bool


class Step(NamedTuple):
    """One step of a recursion: a cell, the total, or one tag of the backtrace.

    The value of a cell is the chain's; its terms give the same value, except for rounding.

    Attributes:
        kind: "cell", "total" or "backtrace".
        column: The column of the table. Total: the number of columns (−1 going backward).
            Backtrace: that of the cell whose backpointer is followed from here (−1: none is).
        row: The cell's tag; the chosen tag in a backtrace; −1 for the total.
        token: The token whose tag the row names.
        terms: The cell's terms; empty in a backtrace.
        added: Numbers added after the sum or maximum (the emission, in state form).
        maximum: The largest term, which is the c in c + log Σ exp(q − c).
        log_sum: The terms' logsumexp or maximum.
        log_value: Cell: log_sum plus the numbers in `added`. Total: log Z, or the best path's
            score. Backtrace: the log_value of the cell whose backpointer is followed.
        value: exp(log_value); None where that is larger than any float.
        prefixes: Number of allowed tag prefixes (suffixes, going backward) merged in the cell.
        backpointer: The source of the winning term; None in the sum semiring, at the first column,
            and where nothing is allowed.
        ties: The sources of all terms equal to the maximum within rounding.
        best_prefix: The best prefix that ends in this cell, tag by tag (max, going forward; else
            None, and None where nothing is allowed). Backtrace: the tags from here to the end.
        from_row: Backtrace only: the tag of the following token; None at the last token.
    """

    kind: str
    column: int
    row: int
    token: int
    terms: tuple[Term, ...]
    added: tuple[Part, ...]
    maximum: float
    log_sum: float
    log_value: float
    value: float | None
    prefixes: int
    backpointer: int | None
    ties: tuple[int, ...]
    best_prefix: tuple[int, ...] | None
    from_row: int | None = None


class Trace(NamedTuple):
    """A whole recursion over one chain.

    Attributes:
        algorithm: "forward", "backward" or "viterbi".
        convention: "state", "message" or "pair".
        semiring: "sum" or "max".
        tags: S names.
        tokens: m names, one for each token of the chain.
        positions: m numbers, the tokens' cells in the padded row.
        emissions: [m][S] log-scores.
        transitions: [S][S] log-scores; None if each step has its own matrix.
        per_step_transitions: [m-1][S][S] log-scores if each step has its own matrix; else None.
        start: [S] log-scores.
        end: [S] log-scores.
        num_columns: m; m − 1 in message form.
        table: [num_columns][S] log-scores, the cells.
        steps: The steps in the order of computation: the columns (from the right, going backward)
            and in each column the tags, then the total, then the backtrace from the last token to
            the first.
        log_total: log Z in nats, or the best path's score.
        total: exp(log_total); None where that is larger than any float.
        best_path: m tags, () where no path is allowed; None in the sum semiring or going backward.
        feasible: Whether a path is allowed.
    """

    algorithm: str
    convention: str
    semiring: str
    tags: tuple[str, ...]
    tokens: tuple[str, ...]
    positions: tuple[int, ...]
    emissions: list[list[float]]
    transitions: list[list[float]] | None
    per_step_transitions: list[list[list[float]]] | None
    start: list[float]
    end: list[float]
    num_columns: int
    table: list[list[float]]
    steps: tuple[Step, ...]
    log_total: float
    total: float | None
    best_path: tuple[int, ...] | None
    feasible: bool

    @property
    def forbids(self) -> bool:
        """Whether scores of −∞ forbid some path."""
        total = next(step for step in reversed(self.steps) if step.kind == "total")
        return total.prefixes < len(self.tags) ** len(self.tokens)

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as data for JSON: −∞ as "-inf", ints above 2⁵³ as decimal strings."""
        return plain_data(self)


def plain_data(value: Any) -> Any:
    """Turn records into dicts, tuples into lists, −∞ and ints above 2⁵³ into strings."""
    if isinstance(value, float):
        return value if value != -math.inf else "-inf"
    if isinstance(value, dict):
        return {key: plain_data(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        if hasattr(value, "_fields"):
            return {
                name: plain_data(x)
                for name, x in zip(value._fields, value, strict=True)  # pyright: ignore
            }
        return [plain_data(x) for x in value]
    if isinstance(value, int) and abs(value) > _LARGEST_EXACT_INT:
        return str(value)
    return value
