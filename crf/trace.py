"""One recursion, step by step, as plain data: the one source of every number that a lesson shows.

    trace(chain, algorithm="viterbi").steps[7].terms[2].share

A step computes one cell of a table: the terms that meet in it, each with the numbers that it is
made of and where they stand, then their sum (or maximum), then what is added after it. Which terms
meet depends on the convention, three of which are in use:

    state     α_t(s) = emission_t(s) + ⨁_s' [ α_(t−1)(s') + transition(s', s) ]
    message   α_t(s) = ⨁_s' [ α_(t−1)(s') + emission_t(s') + transition(s', s) ], s the tag of t+1
    pair      α_t(s) = ⨁_s' [ α_(t−1)(s') + ψ(s', s, t) ], transition and emission in one table

⨁ is logsumexp in the forward and backward recursions and max in Viterbi's. Values are log-scores.

Sources: Rabiner (1989), section III; Collins (2013), "The forward-backward algorithm"; Goodman
(1999), "Semiring parsing", for the two readings of ⨁.
"""

import math
from collections.abc import Sequence

from .chain import LinearChain
from .conventions import CONVENTIONS, Part, Scores, Terms
from .potentials import NEG_INF
from .steps import Step, Term, Trace
from .validation import check_count

ALGORITHMS = ("forward", "backward", "viterbi")
FORMS = ("state", "message", "pair")
SEMIRINGS = ("sum", "max")
_TIE = 1e-12  # relative: values closer than this differ by rounding only


def trace(
    chain: LinearChain,
    row: int = 0,
    *,
    algorithm: str = "forward",
    convention: str = "state",
    semiring: str | None = None,
    tags: Sequence[str] | None = None,
    tokens: Sequence[str] | None = None,
) -> Trace:
    """Run one recursion over one chain of a batch, in Python floats, and keep every number.

    Args:
        chain: A batch of chains.
        row: Which of them.
        algorithm: "forward", "backward", or "viterbi" (the forward max recursion and a backtrace).
        convention: "state", "message" or "pair".
        semiring: "sum" or "max"; default "max" for "viterbi", else "sum".
        tags: S names; default "0", "1", …
        tokens: A name for each cell of the padded row [L], or for each token in the chain [m];
            default "1", "2", …

    Returns:
        The trace.

    Raises:
        TypeError: `chain` is not a LinearChain, or `row` not an int.
        ValueError: A name is not one of those above, or there are too few or too many names.

    Example:
        >>> import torch
        >>> from crf import LinearChain
        >>> chain = LinearChain(torch.tensor([[[1.0, 0.0], [0.0, 2.0]]]), torch.zeros(2, 2))
        >>> run = trace(chain, algorithm="viterbi", tags=["H", "C"])
        >>> run.best_path, run.log_total
        ((0, 1), 3.0)
        >>> [(term.source, term.log_value) for term in run.steps[3].terms]
        [(0, 1.0), (1, 0.0)]
    """
    semiring = semiring or ("max" if algorithm == "viterbi" else "sum")
    _check(chain, row, algorithm, convention, semiring)
    scores = Scores.of(chain, row)
    if tokens is not None and len(tokens) == chain.mask.shape[1]:
        tokens = [tokens[t] for t in scores.positions]

    run = _Run(scores, "backward" if algorithm == "backward" else "forward", convention, semiring)
    best_path = None
    if semiring == "max" and algorithm != "backward":
        backtrace = run.backtrace()
        best_path = backtrace[-1].best_prefix if backtrace else ()
        run.steps += backtrace if algorithm == "viterbi" else []
    return Trace(
        algorithm=algorithm,
        convention=convention,
        semiring=semiring,
        tags=_names("tags", tags, scores.S, first=0),
        tokens=_names("tokens", tokens, scores.m, first=1),
        positions=scores.positions,
        emissions=scores.emissions,
        transitions=None if scores.per_step else scores.matrices[0],
        per_step_transitions=scores.matrices if scores.per_step else None,
        start=scores.start,
        end=scores.end,
        num_columns=run.num_columns,
        table=[
            [run.cells[c][s].log_value for s in range(scores.S)] for c in range(run.num_columns)
        ],
        steps=tuple(run.steps),
        log_total=run.total.log_value,
        total=run.total.value,
        best_path=best_path,
        feasible=run.total.log_value > NEG_INF,
    )


class _Run:
    """The recursion itself: column by column, cell by cell, then the total."""

    def __init__(self, scores: Scores, direction: str, form: str, semiring: str) -> None:
        self.scores, self.form, self.semiring = scores, form, semiring
        self.forward = direction == "forward"
        convention = CONVENTIONS[direction, form]
        columns = convention.columns(scores.m)
        self.num_columns = len(columns)
        self.cells: dict[int, list[Step]] = {}
        self.steps: list[Step] = []
        for column in columns:
            self.cells[column] = []
            token = column + (self.forward and form == "message")
            for row in range(scores.S):
                terms, added = convention.cell(scores, self._old, column, row)
                self.cells[column].append(self._step("cell", column, row, token, terms, added))
            self.steps += self.cells[column]
        end, token = (self.num_columns, scores.m - 1) if self.forward else (-1, 0)
        terms = convention.total(scores, self._old) if scores.m else [(-1, [])]
        self.total = self._step("total", end, -1, token, terms, [])
        self.steps.append(self.total)

    def _old(self, column: int, row: int) -> Part:
        return Part("previous", self.cells[column][row].log_value, (column, row))

    def _step(
        self, kind: str, column: int, row: int, token: int, terms: Terms, added: list[Part]
    ) -> Step:
        values = [sum((part.value for part in parts), 0.0) for _, parts in terms]
        top = max(values)
        allowed, winner = top > NEG_INF, values.index(top)
        weights = [math.exp(value - top) if allowed else 0.0 for value in values]
        whole = math.fsum(weights)
        log_sum, shares = top, [float(allowed and k == winner) for k in range(len(values))]
        if self.semiring == "sum" and allowed:
            log_sum, shares = top + math.log(whole), [weight / whole for weight in weights]
        log_value = log_sum + sum(part.value for part in added)
        takes_max = self.semiring == "max" and allowed
        source = terms[winner][0]
        return Step(
            kind=kind,
            column=column,
            row=row,
            token=token,
            terms=tuple(
                Term(i, tuple(parts), values[k], shares[k], takes_max and k == winner)
                for k, (i, parts) in enumerate(terms)
            ),
            added=tuple(added),
            maximum=top,
            log_sum=log_sum,
            log_value=log_value,
            value=_exp_or_none(log_value),
            prefixes=self._prefixes(terms, values) if log_value > NEG_INF else 0,
            backpointer=source if takes_max and source >= 0 else None,
            ties=tuple(
                i
                for (i, _), value in zip(terms, values, strict=True)
                if allowed and top - value <= _TIE * max(1.0, abs(top))
            ),
            best_prefix=self._best_prefix(kind, row, terms[winner])
            if takes_max and self.forward and log_value > NEG_INF
            else None,
        )

    def _merged(self, parts: list[Part]) -> Step | None:
        """The cell of the table that a term takes up, if it takes up one."""
        for part in parts:
            if part.role == "previous":
                return self.cells[part.at[0]][part.at[1]]
        return None

    def _prefixes(self, terms: Terms, values: list[float]) -> int:
        merged = [self._merged(parts) for _, parts in terms]
        counts = [1 if cell is None else cell.prefixes for cell in merged]
        return sum(n for n, value in zip(counts, values, strict=True) if value > NEG_INF)

    def _best_prefix(self, kind: str, row: int, winner: tuple[int, list[Part]]) -> tuple[int, ...]:
        source, parts = winner
        cell = self._merged(parts)
        before = (cell.best_prefix or ()) if cell else ()
        if cell is None and source >= 0:  # message form: the term names the first token's tag
            before = (source,)
        return (*before, row) if kind == "cell" else before

    def backtrace(self) -> list[Step]:
        """The best path from its last tag back to its first, following the backpointers."""
        steps: list[Step] = []
        pointing, path = self.total, ()
        for token in reversed(range(self.scores.m)):
            row = pointing.backpointer
            if row is None:
                return []
            column = token - (self.form == "message")
            following = path[0] if path else None
            pointing = self.cells[column][row] if column >= 0 else pointing
            path = (row, *path)
            steps.append(
                pointing._replace(
                    kind="backtrace",
                    column=column,
                    row=row,
                    token=token,
                    terms=(),
                    added=(),
                    best_prefix=path,
                    from_row=following,
                )
            )
        return steps


def _exp_or_none(log_value: float) -> float | None:
    try:
        return math.exp(log_value)
    except OverflowError:
        return None


def _names(kind: str, names: Sequence[str] | None, count: int, first: int) -> tuple[str, ...]:
    if names is None:
        return tuple(str(first + k) for k in range(count))
    if len(names) != count:
        raise ValueError(f"{kind}: expected {count} names, got {len(names)}; name each one once")
    return tuple(names)


def _check(chain: LinearChain, row: int, algorithm: str, form: str, semiring: str) -> None:
    if not isinstance(chain, LinearChain):
        raise TypeError(
            f"chain: expected a LinearChain, got {type(chain).__name__}; build one first"
        )
    check_count("row", row, lowest=0)
    if row >= len(chain.mask):
        raise ValueError(
            f"row: expected below the batch size {len(chain.mask)}, got {row}; rows count from 0"
        )
    for name, value, known in (
        ("algorithm", algorithm, ALGORITHMS),
        ("convention", form, FORMS),
        ("semiring", semiring, SEMIRINGS if algorithm != "viterbi" else ("max",)),
    ):
        if value not in known:
            wanted = ", ".join(map(repr, known))
            raise ValueError(
                f"{name}: expected one of {wanted}, got {value!r}; choose one of these"
            )
