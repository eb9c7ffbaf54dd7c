"""How hot was it, judging by a diary of ice-cream cones? Hidden Markov models, written as chains.

The scores are log-probabilities, so that log Z is the log-probability of the diary.

Source: Eisner (2002), "An interactive spreadsheet for teaching the forward-backward algorithm".
"""

from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples.example import Example, logarithms, p, rows, scored, spoken
from pages.shared.course.numbers import format_log_probability, format_probability
from pages.shared.course.problem import Problem

CONES = "2 3 3 2 3 2 3 2 2 3 1 3 3 1 1 1 2 1 1 1 3 1 2 1 1 1 2 3 3 2 3 2 2"


def _diary(
    cones: str, given: dict[str, str], stay: str, start: str, end: str = "1 1", days: bool = False
) -> Problem:
    """Two tags, hot and cold.

    Args:
        cones: How many were eaten on each day.
        given: By number of cones, its probability on a hot and on a cold day.
        stay: Two rows, the probabilities of going from a hot and from a cold day to either.
        start: The probabilities of a hot and a cold first day.
        end: The probabilities that the diary ends after a hot and after a cold day.
        days: Whether the tokens are numbered.
    """
    eaten = cones.split()
    problem = scored("H C", "x", "0 0", logarithms(stay), logarithms(start), logarithms(end))
    names = [f"{day}: {c}" if days else c for day, c in enumerate(eaten, start=1)]
    emissions = rows(logarithms("\n".join(given[c] for c in eaten)))
    return Problem(
        problem.tags, tuple(names), emissions, problem.transitions, problem.start, problem.end
    )


def _ties(r: ChainSummary) -> list[int]:
    """The days on which the two best paths differ, if they have the same score; from 1."""
    first, second = r.best(2)
    if abs(r.score(first) - r.score(second)) > 1e-9:
        return []
    return [t for t, (a, b) in enumerate(zip(first, second, strict=True), start=1) if a != b]


DIARY = Example(
    "ice-cream",
    "Ice cream, 33 days",
    _diary(
        CONES,
        {"1": ".1 .7", "2": ".2 .2", "3": ".7 .1"},
        ".8 .1 \n .1 .8", ".5 .5", ".1 .1", days=True,
    ),
    "Eisner’s diary, of probability {z}. H is a hot day, C a cold one; “{last}” reads: on day "
    "{day}, {cones} cones. On day 11 one cone was eaten, and yet it was hot with "
    "probability {eleven}: the days around it were. Viterbi has to choose on day {tie}, where two "
    "best paths tie; the marginal says {hot}.",
    lambda r: {
        "z": format_log_probability(r.log_z), "last": r.problem.tokens[-1],
        "day": r.problem.tokens[-1].split(": ")[0], "cones": r.problem.tokens[-1].split(": ")[1],
        "eleven": format_probability(r.marginal(10, "H")),
        "tie": ", ".join(map(str, _ties(r))),
        "hot": format_probability(r.marginal(_ties(r)[0] - 1, "H")),
    },
    {
        "one cone on day 11": lambda r: r.problem.tokens[10] == "11: 1",
        "its score alone says cold": lambda r: r.greedy[10] == "C",
        "but hot is likelier": lambda r: r.marginal(10, "H") > 0.7,
        "one day is a tie": lambda r: len(_ties(r)) == 1,
        "and the marginal is near one half": lambda r: abs(r.marginal(_ties(r)[0] - 1, "H") - 0.5)
        < 0.01,
    },
)  # fmt: skip

_GIVEN = {"1": ".2 .5", "2": ".4 .4", "3": ".4 .1"}

CHANGEABLE = Example(
    "three-one-three",
    "Ice cream 3, 1, 3: changeable weather",
    _diary("3 1 3", _GIVEN, ".6 .4 \n .5 .5", ".8 .2"),
    "Three cones, one, three; H is a hot day, C a cold one. Where the weather changes easily, "
    "the cold day in between wins: {best} with probability {p_best}.",
    lambda r: {"best": spoken(r.viterbi), "p_best": p(r, r.viterbi)},
    {"cold in between": lambda r: r.viterbi == ("H", "C", "H")},
)

STEADY = Example(
    "three-one-three-steady",
    "Ice cream 3, 1, 3: steady weather",
    _diary("3 1 3", _GIVEN, ".7 .3 \n .4 .6", ".8 .2"),
    "The same cones where the weather is a little steadier: now {best} is best, with probability "
    "{p_best}, and decoding day by day still says {greedy}.",
    lambda r: {
        "best": spoken(r.viterbi), "p_best": p(r, r.viterbi), "greedy": spoken(r.greedy)
    },
    {
        "hot all along": lambda r: r.viterbi == ("H", "H", "H"),
        "greedy disagrees": lambda r: r.greedy == ("H", "C", "H"),
        "in either way of being greedy": lambda r: r.left_to_right == r.greedy,
        "the cones are the same": lambda r: r.problem.emissions == CHANGEABLE.problem.emissions,
    },
)  # fmt: skip

ICE_CREAM = (CHANGEABLE, STEADY, DIARY)
