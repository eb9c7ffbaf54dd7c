"""An oracle for claims about one chain: the textbook's recursions over plain lists."""

import math
from functools import cached_property

NEAR = 1e-9
_EXPONENT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def near(one, other, by=NEAR):
    """Whether two numbers are the same, but for rounding."""
    return one == other or math.isclose(one, other, rel_tol=by, abs_tol=by)


def number(text):
    """A shown number; English marks. 0 for a power of ten that no float holds."""
    text = str(text).replace("−", "-").replace(",", "").strip("<>=% ")
    if "∞" in text:
        return -math.inf
    return float(text.replace(" × 10", "e").translate(_EXPONENT))


def log_sum(values):
    """Log of the sum of the exponentials; −∞ of none."""
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(v - top) for v in values))


class PlainChain:
    """Everything that a claim compares, for a `Problem` with m words and S tags."""

    def __init__(self, problem):
        self.problem = problem
        self.m, self.S = len(problem.tokens), len(problem.tags)
        self.tags = range(self.S)

    def step(self, t, i, j):
        """The score of the step from tag i of word t − 1 to tag j of word t."""
        return self.problem.matrix(t)[i][j]

    def own(self, t, s):
        """The word's own score, with start and end where they belong."""
        ends = (self.problem.start[s] if t == 0 else 0) + (
            self.problem.end[s] if t == self.m - 1 else 0
        )
        return self.problem.emissions[t][s] + ends

    def score(self, path):
        """The score of a whole path."""
        steps = sum(self.step(t, path[t - 1], path[t]) for t in range(1, self.m))
        return sum(self.own(t, s) for t, s in enumerate(path)) + steps

    @cached_property
    def alphas(self):
        """[m][S] log-sums of all beginnings, without the end score."""
        return self._forward(log_sum)

    @cached_property
    def deltas(self):
        """[m][S] scores of the best beginnings, without the end score."""
        return self._forward(lambda values: max(values, default=-math.inf))

    def _forward(self, merge):
        p = self.problem
        table = [[p.start[s] + p.emissions[0][s] for s in self.tags]]
        for t in range(1, self.m):
            table.append([merge(self.ways(table, t, s)) + p.emissions[t][s] for s in self.tags])
        return table

    def ways(self, table, t, s):
        """[S] what arrives in a cell, from each tag of the word before."""
        return [table[t - 1][i] + self.step(t, i, s) for i in self.tags]

    @cached_property
    def betas(self):
        """[m][S] log-sums of all that can follow, with the end score."""
        p = self.problem
        table = [list(p.end)]
        for t in range(self.m - 1, 0, -1):
            table.insert(0, [log_sum(self.ways_on(table[0], t - 1, s)) for s in self.tags])
        return table

    def ways_on(self, after, t, s):
        """[S] what follows a cell, to each tag of the next word."""
        p = self.problem
        return [self.step(t + 1, s, j) + p.emissions[t + 1][j] + after[j] for j in self.tags]

    @cached_property
    def log_z(self):
        """Log Z."""
        return log_sum([self.alphas[-1][s] + self.problem.end[s] for s in self.tags])

    @cached_property
    def best(self):
        """The best path's score."""
        return max(self.deltas[-1][s] + self.problem.end[s] for s in self.tags)

    @cached_property
    def best_paths(self):
        """How many paths have the best score."""
        counts = [1] * self.S
        for t in range(1, self.m):
            new = []
            for s in self.tags:
                ways = self.ways(self.deltas, t, s)
                top = max(ways)
                new.append(sum(counts[i] for i in self.tags if near(ways[i], top) and top > -1e300))
            counts = new
        ends = [self.deltas[-1][s] + self.problem.end[s] for s in self.tags]
        return sum(counts[s] for s in self.tags if near(ends[s], self.best))

    @cached_property
    def greedy(self):
        """Each word's best tag by its own score, the first of equals."""
        return [max(self.tags, key=row.__getitem__) for row in self.problem.emissions]

    def marginal(self, t, s):
        """The probability of a word's tag."""
        return math.exp(self.alphas[t][s] + self.betas[t][s] - self.log_z)
