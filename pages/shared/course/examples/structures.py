"""Chains whose point is what is allowed: label bias, BIO, and a chain of pair potentials."""

import math

import numpy as np

from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples.example import Example, p, scored, spoken
from pages.shared.course.numbers import format_count, format_log_probability, format_probability
from pages.shared.course.problem import Problem


def _prior(r: ChainSummary) -> float:
    """What start alone says of the first of the two words."""
    return 1 / (1 + math.exp(r.problem.start[1] - r.problem.start[0]))


# Lafferty, McCallum and Pereira (2001), section 2: the states of two words that share r and b.
RIB_ROB = Example(
    "rib-rob",
    "rib or rob: label bias",
    scored(
        "r·rib r·rob i o b",
        "r o b",
        "0 0 0 0 0 \n 0 0 -3 3 0 \n 0 0 0 0 0",
        "-inf -inf 0 -inf -inf \n -inf -inf -inf 0 -inf \n -inf -inf -inf -inf 0 \n"
        "-inf -inf -inf -inf 0 \n -inf -inf -inf -inf -inf",
        "log(2) 0 -inf -inf -inf",
    ),
    "“rib” is the commoner word, {prior} of the two, but the letter read is o. A chain normalised "
    "as a whole lets that letter speak: “rob” gets {p_rob}. A model normalised state by state "
    "cannot: each state has one successor, whatever the letter.",
    lambda r: {"prior": format_probability(_prior(r)), "p_rob": p(r, "r·rob o b")},
    {
        "rob wins": lambda r: r.viterbi == ("r·rob", "o", "b"),
        "against the prior": lambda r: _prior(r) > 0.6,
        "two paths are allowed": lambda r: len(r.best(9)) == 2,
        "each state but the last has one successor": lambda r: (
            [sum(score > -math.inf for score in row) for row in r.problem.matrix(1)]
            == [1, 1, 1, 1, 0]
        ),
    },
)

BIO = Example(
    "bio",
    "B, I, O: the most probable tags make no sequence",
    scored(
        "B I O",
        "x y",
        "0 0 0 \n 0 0 0",
        "-inf log(.40) -inf \n -inf -inf -inf \n log(.25) -inf log(.35)",
        "0 -inf 0",
    ),
    "B begins a chunk, I is inside one, O is outside; here I can only follow B. "
    "Token by token the most probable tags are {posterior}, a sequence of "
    "probability {p_posterior}; Viterbi’s {best} has {p_best}.",
    lambda r: {
        "posterior": spoken(r.posterior), "p_posterior": p(r, r.posterior),
        "best": spoken(r.viterbi), "p_best": p(r, r.viterbi),
    },
    {
        "posterior decoding is illegal": lambda r: r.posterior == ("O", "I")
        and r.score(r.posterior) == -math.inf,
        "Viterbi is legal": lambda r: r.viterbi == ("B", "I"),
        "I follows only B": lambda r: [row[1] > -math.inf for row in r.problem.matrix(1)]
        == [True, False, False],
    },
)  # fmt: skip

PARIS_HILTON = Example(
    "paris-hilton",
    "Paris Hilton visits Hilton Paris",
    scored(
        "O B-PER I-PER B-LOC I-LOC",
        "Paris Hilton visits Hilton Paris",
        "0 1.5 0 2 0 \n 0 1 2.2 .8 1 \n 3 -1 -1 -1 -1 \n 0 1.2 .8 1.4 .5 \n 0 .6 1.4 1.6 1.9",
        "0 0 0 0 0 \n 0 0 0 0 0 \n 0 0 0 0 0 \n 0 0 0 0 0 \n 0 0 0 0 0",
    ),
    "Each word has scores for names of persons and places, and every transition scores 0, so the "
    "chain knows nothing of order. Its best path is {best} (probability {p_best}): a place that "
    "goes on as a person, which no name does.",
    lambda r: {"best": spoken(r.viterbi), "p_best": p(r, r.viterbi)},
    {
        "a place goes on as a person": lambda r: r.viterbi[:2] == ("B-LOC", "I-PER"),
        "all transitions are 0": lambda r: {x for row in r.problem.matrix(1) for x in row} == {0.0},
    },
)


def _random_tables() -> Problem:
    """ψ(s', s, t) with log ψ uniform on [0, 1): one table for each step, ψ(*, s, 1) the start."""
    V, m = 5, 10
    tables = np.random.RandomState(1111).random_sample([m, V, V])
    names = [str(s) for s in range(V)]
    return Problem.blank(names, [str(t) for t in range(1, m + 1)])._with(
        start=tables[0, 0].tolist(), transitions=tables[1:].tolist()
    )


PAIRS = Example(
    "pair-potentials",
    "Random tables, one for each step",
    _random_tables(),
    "No emissions: each step has a table of its own for pairs of tags. The {count} paths "
    "share the probability so evenly that the best, {best}, has only {p_best}.",
    lambda r: {
        "count": format_count(len(r.problem.tags) ** len(r.problem.tokens)),
        "best": spoken(r.viterbi),
        "p_best": format_log_probability(math.log(r.p(r.viterbi))),
    },
    {
        "no emissions": lambda r: {x for row in r.problem.emissions for x in row} == {0.0},
        "one table for each step": lambda r: r.problem.per_step,
        "the best has little": lambda r: r.p(r.viterbi) < 1e-4,
    },
)

STRUCTURES = (RIB_ROB, BIO, PARIS_HILTON, PAIRS)
