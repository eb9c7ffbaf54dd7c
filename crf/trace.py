"""Record a recursion step by step, as plain data: the source of all numbers that a lesson shows.

    trace(chain, algorithm="viterbi").steps[7].terms[2].share

The cells are the chain's own: `log_alphas`, `log_betas`, `log_deltas`, `backpointers` and
`log_partition`. A step explains one cell. It lists the cell's terms, each with its numbers and
where they are in the tables, then the sum (or maximum) of the terms, then the numbers added after
it. The terms depend on the convention, three of which are in use:

    state     α_t(s) = emission_t(s) + ⨁_s' [ α_(t−1)(s') + transition(s', s) ]
    message   α_t(s) = ⨁_s' [ α_(t−1)(s') + emission_t(s') + transition(s', s) ], s the tag of t+1
    pair      α_t(s) = ⨁_s' [ α_(t−1)(s') + ψ(s', s, t) ], transition and emission in one table

⨁ is logsumexp in the forward and backward recursions and max in Viterbi's. Values are log-scores.

Sources: Rabiner (1989), section III; Collins (2013), "The forward-backward algorithm"; Goodman
(1999), "Semiring parsing", for the two readings of ⨁.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch

from .chain import LinearChain
from .core.potentials import NEG_INF
from .core.validation import check_count, check_names
from .steps import TIE, Step, Term, Trace
from .steps.conventions import CONVENTIONS, FORMS, ChainScores, Part, Terms, terms_at

ALGORITHMS = ("forward", "backward", "viterbi")
SEMIRINGS = ("sum", "max")


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
    """Record one recursion over one chain of a batch, step by step, with every number in it.

    Args:
        chain: A batch of chains, of any precision, on any device.
        row: Index of the chain in the batch.
        algorithm: "forward", "backward", or "viterbi" (the forward max recursion and a backtrace).
        convention: "state", "message" or "pair"; the module's docstring has the equations.
        semiring: "sum" or "max"; default "max" for "viterbi", else "sum".
        tags: S names; default "0", "1", …
        tokens: L names, one for each cell of the padded row, or m names, one for each token of the
            chain; default "1", "2", …

    Raises:
        TypeError: `chain` is not a LinearChain, `row` not an int, or a tag or token not a string.
        ValueError: An option is not one of those above, `row` is not below the batch size, there
            are too few or too many names, or a name contains half of a surrogate pair.

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
    scores = ChainScores.of(chain, row)
    tags, tokens = check_names("tags", tags), check_names("tokens", tokens)
    if tokens is not None and len(tokens) == chain.mask.shape[1]:
        tokens = [tokens[t] for t in scores.positions]

    direction = "backward" if algorithm == "backward" else "forward"
    run = _Run(
        scores, direction, convention, semiring, _Core.of(chain, row, scores, direction, semiring)
    )
    names = _names("tags", tags, scores.S, first=0), _names("tokens", tokens, scores.m, first=1)
    return run.trace(algorithm, *names)


class _Core(NamedTuple):
    """One row's results from the chain, as Python floats, in state form."""

    # [m][S] log α or log δ; going backward log β, or the score of the best way on
    cells: list[list[float]]
    total: float  # log Z, or the best path's score
    # [m][S] the tag before on the best path; none in the sum semiring
    backpointers: list[list[int]]
    best_path: tuple[int, ...]  # m tags; () in the sum semiring and where no path is allowed

    @classmethod
    def of(
        cls, chain: LinearChain, row: int, scores: ChainScores, direction: str, semiring: str
    ) -> "_Core":
        at, forward = list(scores.positions), direction == "forward"
        with torch.no_grad():
            if semiring == "sum":
                cells = chain.log_alphas if forward else chain.log_betas
                return cls(cells[row, at].tolist(), chain.log_partition[row].item(), [], ())
            best = chain.viterbi()
            return cls(
                best.log_deltas[row, at].tolist() if forward else _best_ways_on(scores),
                best.scores[row].item(),
                [] if best.backpointers is None else best.backpointers[row, at].tolist(),
                tuple(tag for tag in best.tags[row, at].tolist() if tag >= 0),
            )


def _best_ways_on(scores: ChainScores) -> list[list[float]]:
    """[m][S] β with max for the sum: δ of the chain read from right to left.

    An emission is not in the β of its own token. So it moves into the transitions out of the tag.
    """
    m, S = scores.m, scores.S
    if not m:
        return []
    steps = [
        [[scores.matrix(t)[i][j] + scores.emissions[t][j] for i in range(S)] for j in range(S)]
        for t in reversed(range(1, m))
    ]
    mirrored = LinearChain(
        torch.zeros(1, m, S, dtype=torch.float64),
        torch.tensor(steps, dtype=torch.float64).reshape(1, m - 1, S, S),
        start=torch.tensor(scores.end, dtype=torch.float64),
        backend="plain",
    )
    return mirrored.viterbi().log_deltas[0].flip(0).tolist()


class _Run:
    """Makes the steps: column by column, cell by cell, then the total."""

    def __init__(
        self, scores: ChainScores, direction: str, form: str, semiring: str, core: _Core
    ) -> None:
        self.scores, self.form, self.semiring, self.core = scores, form, semiring, core
        self.forward = direction == "forward"
        convention, m = CONVENTIONS[direction, form], scores.m
        tokens = range(m)[convention.tokens]
        self.first, self.num_columns = convention.first, len(tokens)
        self.table = self._table()
        self.cells: dict[int, list[Step]] = {}
        self.steps: list[Step] = []
        for token in tokens if self.forward else reversed(tokens):
            column = token - self.first
            terms_of = terms_at(scores, direction, form, self.table, token)
            self.cells[column] = [
                self._step("cell", column, row, token, *terms_of(row), self.table[column][row])
                for row in range(scores.S)
            ]
            self.steps += self.cells[column]
        column, token = (self.num_columns, m - 1) if self.forward else (-1, 0)
        beyond = terms_at(scores, direction, form, self.table, m if self.forward else -1)
        value = core.total if self.forward and form == "state" else None
        self.total = self._step("total", column, -1, token, *beyond(-1), value)
        self.steps.append(self.total)

    def _table(self) -> list[list[float]]:
        """The chain's cells in this form: each of the others is one line away from state form.

        message   v_t(s) = ⨁_s' [ α_t(s') + transition(s', s) ], going backward β itself
        pair      `end` is in the last ψ: with it going forward, without it going backward
        """
        x = self.scores
        cells = self.core.cells
        every, last = range(x.S), x.m - 1
        if self.form == "state" or not x.m:
            return cells
        if self.form == "pair":
            folded = [v + x.end[s] if self.forward else 0.0 for s, v in enumerate(cells[last])]
            return [*cells[:last], folded]
        if not self.forward:
            return cells[:last]
        return [
            [self._merge([cells[t][i] + x.matrix(t + 1)[i][s] for i in every])[0] for s in every]
            for t in range(last)
        ]

    def _merge(self, values: list[float]) -> tuple[float, list[float]]:
        """The terms' logsumexp with each one's share of it, or their maximum."""
        top = max(values)
        if self.semiring == "max" or top == NEG_INF:
            return top, [0.0] * len(values)
        weights = [math.exp(value - top) for value in values]
        whole = math.fsum(weights)
        return top + math.log(whole), [weight / whole for weight in weights]

    def _step(
        self,
        kind: str,
        column: int,
        row: int,
        token: int,
        terms: Terms,
        added: list[Part],
        log_value: float | None,
    ) -> Step:
        """One step, with the chain's value; None where it has none: then what its line gives."""
        values = [sum([part.value for part in parts], 0.0) for _, parts in terms]
        top = max(values)
        log_sum, shares = self._merge(values)
        if log_value is None:
            log_value = log_sum + sum(part.value for part in added)
        rounding = TIE * max(1.0, abs(top))
        takes_max = self.semiring == "max" and top > NEG_INF
        winner = self._winner(kind, token, row, terms, values)
        if takes_max:
            shares[winner] = 1.0
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
                if top > NEG_INF and top - value <= rounding
            ),
            best_prefix=self._best_prefix(kind, row, terms[winner])
            if takes_max and self.forward and log_value > NEG_INF
            else None,
        )

    def _winner(self, kind: str, token: int, row: int, terms: Terms, values: list[float]) -> int:
        """Which term the chain takes; where it keeps no pointer, the first of the largest."""
        core = self.core
        if self.forward and len(terms) > 1 and max(values) > NEG_INF:
            if kind == "cell" and core.backpointers:
                return core.backpointers[token][row]
            if kind == "total" and core.best_path:
                return core.best_path[-1]
        return values.index(max(values))

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

    def trace(self, algorithm: str, tags: tuple[str, ...], tokens: tuple[str, ...]) -> Trace:
        """The whole trace, with the names of the algorithm, the tags and the tokens."""
        scores, total = self.scores, self.total
        takes_path = self.semiring == "max" and self.forward
        return Trace(
            algorithm=algorithm,
            convention=self.form,
            semiring=self.semiring,
            tags=tags,
            tokens=tokens,
            positions=scores.positions,
            emissions=scores.emissions,
            transitions=None if scores.per_step else scores.matrices[0],
            per_step_transitions=scores.matrices if scores.per_step else None,
            start=scores.start,
            end=scores.end,
            num_columns=self.num_columns,
            table=self.table,
            steps=(*self.steps, *(self._backtrace() if algorithm == "viterbi" else ())),
            log_total=total.log_value,
            total=total.value,
            best_path=self.core.best_path if takes_path else None,
            feasible=total.log_value > NEG_INF,
        )

    def _backtrace(self) -> list[Step]:
        """The best path from its last tag back to its first; the backpointers lead there."""
        path = self.core.best_path
        steps = []
        for token in reversed(range(len(path))):
            column = token - self.first
            here = steps[-1] if steps else self.total
            pointing = self.cells[column][path[token]] if column >= 0 else here
            steps.append(
                pointing._replace(
                    kind="backtrace",
                    column=column,
                    row=path[token],
                    token=token,
                    terms=(),
                    added=(),
                    best_prefix=path[token:],
                    from_row=path[token + 1] if token + 1 < len(path) else None,
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
    for name, value, options in (
        ("algorithm", algorithm, ALGORITHMS),
        ("convention", form, FORMS),
        ("semiring", semiring, SEMIRINGS if algorithm != "viterbi" else ("max",)),
    ):
        if value not in options:
            choices = ", ".join(map(repr, options))
            raise ValueError(
                f"{name}: expected one of {choices}, got {value!r}; choose one of these"
            )
