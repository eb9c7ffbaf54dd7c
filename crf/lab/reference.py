"""The recursions over one row of a batch, in plain Python, in parts small enough to get wrong.

A mistake of `crf.lab.mistakes` is a subclass that changes one part. Without a change the numbers
are those of `crf.LinearChain`, as a test says. Log-scores throughout, in state form:

    α_1(s) = start(s) + e_1(s)      α_t(s) = e_t(s) + log Σ_i exp(α_(t−1)(i) + T(i, s))
    β_m(s) = end(s)                 β_t(s) = log Σ_j exp(T(s, j) + e_(t+1)(j) + β_(t+1)(j))

A cell outside the mask keeps the column that the recursion has reached. The first cell of a row is
in the chain.

Source: Sutton and McCallum (2012), "An introduction to conditional random fields", sections 4.1
and 5.1.
"""

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

NEG_INF = -math.inf
TABLES = ("forward", "backward", "deltas")  # the answers that are log-scores of cells
ScoreRow = list[float]
ScoreTable = list[ScoreRow]


class Scores(NamedTuple):
    """One row of a batch."""

    emissions: ScoreTable  # [L][S] log-scores
    transitions: ScoreTable  # [S][S] log-scores, from row to column
    start: ScoreRow  # [S] log-scores
    end: ScoreRow  # [S] log-scores
    tags: list[int]  # [L] the right tags; what stands at masked cells is ignored
    mask: list[bool]  # [L] which cells are in the chain

    @property
    def tokens(self) -> list[int]:
        """The cells that are in the chain."""
        return [t for t, on in enumerate(self.mask) if on]


def logsumexp(values: Sequence[float]) -> float:
    """Return log Σ exp(value); −∞ where all values are."""
    top = max(values)
    if math.isinf(top) or math.isnan(top):
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def mapped(function: Callable[..., Any], *values: Any) -> Any:
    """Return a function of numbers, or of each number of equally nested lists."""
    if isinstance(values[0], list):
        return [mapped(function, *each) for each in zip(*values, strict=True)]
    return function(*values)


def transposed(table: ScoreTable) -> ScoreTable:
    """Return a table with rows and columns exchanged."""
    return [list(row) for row in zip(*table, strict=True)]


class Reference:
    """The recursions over one row; each method below `parts` is what a mistake may change."""

    def __init__(self, scores: Scores) -> None:
        self.x = self.taken(scores)
        self.L, self.S = len(scores.emissions), len(scores.start)
        self.tokens = self.x.tokens

    # ------------------------------------------------------------------ parts

    def taken(self, scores: Scores) -> Scores:
        """The scores to work with."""
        return scores

    def transition(self, i: int, j: int) -> float:
        """T(i, j), from tag i to tag j."""
        return self.x.transitions[i][j]

    def emission(self, t: int, s: int) -> float:
        """The score of tag s at token t."""
        return self.x.emissions[t][s]

    def first(self, s: int) -> float:
        """The first column: start and the first token's emission."""
        return self.x.start[s] + self.emission(0, s)

    def last(self, s: int) -> float:
        """The score after the last tag: end."""
        return self.x.end[s]

    def combine(self, values: Sequence[float]) -> float:
        """The operation that the forward and the backward recursion apply to their terms."""
        return logsumexp(values)

    def total(self, values: Sequence[float]) -> float:
        """log Z from the terms of the last column."""
        return self.combine(values)

    def best(self, values: Sequence[float]) -> float:
        """The operation that Viterbi's recursion applies to its terms."""
        return max(values)

    def pick(self, values: Sequence[float]) -> int:
        """Index of the term that Viterbi's recursion takes: the first of the largest."""
        return max(range(len(values)), key=values.__getitem__)

    def incoming(self, column: ScoreRow, s: int) -> ScoreRow:
        """The terms that meet at tag s: one for each tag of the token before."""
        return [column[i] + self.transition(i, s) for i in range(self.S)]

    def pointing(self, column: ScoreRow, s: int) -> ScoreRow:
        """The terms that the backpointer of tag s is chosen from."""
        return self.incoming(column, s)

    def outgoing(self, column: ScoreRow, t: int, s: int) -> ScoreRow:
        """The terms that meet in β_t(s): one for each tag of token t + 1."""
        return [self.transition(s, j) + self.emission(t + 1, j) + column[j] for j in range(self.S)]

    def keep(self, t: int, new: ScoreRow, old: ScoreRow) -> ScoreRow:
        """The column after token t: the new one if t is in the chain, else the old one."""
        return new if self.x.mask[t] else old

    def given_beta(self, t: int, column: ScoreRow) -> ScoreRow:
        """The column of β at token t, as it is given back."""
        return column

    def finish(self, function: str, value: Any) -> Any:
        """The value that the function returns."""
        return value

    # ------------------------------------------------------------------ recursions

    def forward_pass(
        self, merge: Callable[[Sequence[float]], float]
    ) -> tuple[ScoreTable, ScoreTable]:
        """[L][S] α or δ without and with the emission at t; the first column without is start."""
        messages = [list(self.x.start)]
        table = [[self.first(s) for s in range(self.S)]]
        for t in range(1, self.L):
            messages.append([merge(self.incoming(table[-1], s)) for s in range(self.S)])
            table.append(self.keep(t, self.with_emission(t, messages[-1]), table[-1]))
        return messages, table

    def with_emission(self, t: int, message: ScoreRow) -> ScoreRow:
        """A message with the emission at t added."""
        return [message[s] + self.emission(t, s) for s in range(self.S)]

    def forward(self) -> ScoreTable:
        """[L][S] log α."""
        return self.forward_pass(self.combine)[1]

    def backward(self) -> ScoreTable:
        """[L][S] log β."""
        table = [[self.last(s) for s in range(self.S)]]
        for t in range(self.L - 2, -1, -1):
            new = [self.combine(self.outgoing(table[0], t, s)) for s in range(self.S)]
            table.insert(0, self.keep(t + 1, new, table[0]))
        return [self.given_beta(t, column) for t, column in enumerate(table)]

    def log_partition(self) -> float:
        """Log Z: the last column with the end scores."""
        column = self.forward()[-1]
        return self.total([column[s] + self.last(s) for s in range(self.S)])

    def deltas(self) -> ScoreTable:
        """[L][S] δ."""
        return self.forward_pass(self.best)[1]

    def backpointers(self, table: ScoreTable) -> list[list[int]]:
        """[L][S] the best tag of the token before, of a table of δ."""
        columns = [[self.pointing(column, s) for s in range(self.S)] for column in table[:-1]]
        return [[0] * self.S, *([self.pick(terms) for terms in column] for column in columns)]

    def viterbi(self) -> list[int]:
        """[L] the best tags; −1 at masked cells."""
        table, path = self.deltas(), [-1] * self.L
        path[self.tokens[-1]] = self.last_tag(table)
        self.trace_back(path, self.backpointers(table))
        return path

    def last_tag(self, table: ScoreTable) -> int:
        """The last tag of the best path."""
        return self.pick([table[-1][s] + self.last(s) for s in range(self.S)])

    def trace_back(self, path: list[int], pointers: list[list[int]]) -> None:
        """Fill the path from its last tag to its first."""
        for before, t in zip(self.tokens[-2::-1], self.tokens[::-1], strict=False):
            path[before] = pointers[t][path[t]]

    # ------------------------------------------------------------------ answers

    def score(self) -> float:
        """The score of the right tags."""
        tags, tokens = self.x.tags, self.tokens
        total = self.first(tags[0]) + self.last(tags[tokens[-1]])
        for before, t in itertools.pairwise(tokens):
            total += self.transition(tags[before], tags[t]) + self.emission(t, tags[t])
        return total

    def nll(self) -> float:
        """−log p of the right tags, in nats."""
        return self.log_partition() - self.score()

    def marginals(self) -> ScoreTable:
        """[L][S] p(y_t = s | x)."""
        total = self.log_partition()

        def probability(alpha: float, beta: float) -> float:
            return math.exp(alpha + beta - total) if alpha + beta > NEG_INF else 0.0

        return mapped(probability, self.forward(), self.backward())

    def counted(self, t: int, j: int) -> float:
        """The emission of a pair's second token, which is in neither α nor β of the pair."""
        return self.emission(t, j)

    def pair_counts(self) -> ScoreTable:
        """[S][S] how often each transition is used, on average over p(y | x)."""
        alphas, betas, total = self.forward(), self.backward(), self.log_partition()
        counts = [[0.0] * self.S for _ in range(self.S)]
        for before, t in itertools.pairwise(self.tokens):
            for i, j in itertools.product(range(self.S), repeat=2):
                way = self.transition(i, j) + self.counted(t, j) + betas[t][j]
                if alphas[before][i] + way > NEG_INF:
                    counts[i][j] += math.exp(alphas[before][i] + way - total)
        return counts

    def expected(self) -> list[Any]:
        """Expected counts of emissions, transitions, start and end."""
        marginals, nothing = self.marginals(), [0.0] * self.S
        cells = [marginals[t] if self.x.mask[t] else nothing for t in range(self.L)]
        return [cells, self.pair_counts(), marginals[0], marginals[self.tokens[-1]]]

    def observed(self) -> list[Any]:
        """Counts of the same in the right tags."""
        tags, tokens = self.x.tags, self.tokens
        emissions = [
            [float(self.x.mask[t] and tags[t] == s) for s in range(self.S)] for t in range(self.L)
        ]
        transitions = [[0.0] * self.S for _ in range(self.S)]
        for before, t in itertools.pairwise(tokens):
            transitions[tags[before]][tags[t]] += 1.0
        return [emissions, transitions, emissions[0], emissions[tokens[-1]]]

    def gradients(self) -> list[Any]:
        """Expected − observed counts of emissions, transitions, start, end: the gradient of nll."""
        return mapped(operator.sub, self.expected(), self.observed())

    def answer(self, function: str) -> Any:
        """The answer of one of the functions, by its name."""
        return self.finish(function, getattr(self, function)())
