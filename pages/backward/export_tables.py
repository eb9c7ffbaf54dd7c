"""The tables that the lesson on marginals exports; numbers are exact."""

from pages.backward import clamping, posterior, samples, step_explanations
from pages.backward.sections import both_ways
from pages.shared.figures import decoders
from pages.shared.figures.tables import Rows
from pages.shared.ui.exports import Table
from pages.shared.ui.options import CONVENTION
from pages.shared.ui.recursion import Recursion


def export_tables(shown: Recursion) -> dict[str, Table]:
    """By name; none but the column sums where no path is allowed."""
    problem = shown.problem
    tags, tokens = problem.tags, problem.tokens
    both = both_ways(problem)

    def sums() -> Rows:
        found = both_ways(problem, CONVENTION.value, shown.semiring)
        gaps = [found.residual(t) for t in range(found.m)]
        return [["", *tokens], ["total", *found.column_totals], ["residual", *gaps]]

    def products() -> Rows:
        found = both_ways(problem, CONVENTION.value, shown.semiring)
        return _by_tag(shown, found.products)

    def pairs() -> Rows:
        return [
            ["first token", "from", "to", "probability"],
            *(
                [t + 1, tags[a], tags[b], p]
                for t in range(both.m - 1)
                for a, row in enumerate(both.pairs(t))
                for b, p in enumerate(row)
            ),
        ]

    def entropies() -> Rows:
        chain = shown.summary.chain.entropy.item()
        return [
            ["", *tokens, "sequence"],
            ["nats", *step_explanations.entropies(both.unary), chain],
        ]

    def frequencies() -> Rows:
        return _by_tag(shown, samples.frequencies(_drawn(shown), len(tags)))

    def drawn() -> Rows:
        most = samples.path_rows(problem, _drawn(shown))
        body = [[one.times, log_p, *(tags[s] for s in one.tags)] for one, log_p in most]
        return [["times", "log-probability", *tokens], *body]

    found = {"Column sums": Table.of(sums), "Alpha times beta": Table.of(products)}
    if not shown.summary.feasible:
        return found
    fixed = clamping.fixed(problem)
    return found | {
        "Marginals": Table.of(lambda: _by_tag(shown, both.unary)),
        "Pair marginals": Table.of(pairs),
        "Entropies": Table.of(entropies),
        "Marginals with fixed tags": Table.of(
            lambda: _by_tag(shown, clamping.clamp(problem, fixed).unary)
        ),
        "Viterbi and posterior": Table.of(
            lambda: decoders.path_rows(problem, posterior.decoded(problem))
        ),
        "Frequencies of samples": Table.of(frequencies),
        "Paths drawn most often": Table.of(drawn),
    }


def _by_tag(shown: Recursion, by_token: list[list[float]]) -> Rows:
    columns = zip(*by_token, strict=True)
    body = zip(shown.problem.tags, columns, strict=True)
    return [["tag", *shown.problem.tokens], *([tag, *row] for tag, row in body)]


def _drawn(shown: Recursion):
    return samples.drawn(shown.problem, samples.SEED.value)[: samples.SIZE.value]
