"""What the beats ask: bets of one reader, and the cells that a class fills together."""

import math
from collections.abc import Sequence

from pages.shared.course.state import State
from pages.shared.course.typed_numbers import parse_number
from pages.shared.figures.beat import Bet, Task
from pages.trellis import beat_facts, facts, picture

MOST_OPTIONS = 8  # words that a bet offers


def of_bet(state: State, _number: int) -> Bet:
    """The words of the sentence, and nowhere."""
    known = picture.numbers(state.problem)
    best = list(known.best_path or known.greedy)
    differs = facts.first_difference(known.greedy, best)
    words = list(range(len(best)))
    if len(words) > MOST_OPTIONS:
        first = min(max((differs or 0) - 2, 0), len(words) - MOST_OPTIONS)
        words = words[first : first + MOST_OPTIONS]
    right = "nowhere" if differs is None else f"w{differs}"
    return Bet((*(f"w{t}" for t in words), "nowhere"), right)


def of_count(state: State, _number: int) -> Bet:
    """Whether a list of the paths ends."""
    return Bet(("slowly", "never"), "never" if facts.is_too_long(state) else "slowly")


def of_regroup(_state: State, _number: int) -> Bet:
    """How many multiplications are left."""
    return Bet(("m8", "m6", "m4"), "m6")


def of_logz(state: State, number: int) -> Bet:
    """By how much the total rises."""
    known = beat_facts.of_logz(state, number)
    labels = {"rise": f"{known['rise']}", "one": "1"}
    if known["sure"]:
        return Bet(("one", "none"), "one", labels)
    return Bet(("one", "rise", "none"), "rise", labels)


def of_mind(state: State, number: int) -> Bet:
    """Whether the leader goes on."""
    known = beat_facts.of_mind(state, number)
    labels = {
        "led": known["stays"],
        "leads": known["leads"] if known["changes"] else known["other"],
    }
    return Bet(("led", "leads"), "leads" if known["changes"] else "led", labels)


def of_meeting(state: State, number: int) -> Bet:
    """The two most probable tags of the word, and a tie."""
    p, tags = picture.numbers(state.problem).marginals[number], state.problem.tags
    first, second = sorted(sorted(range(len(p)), key=lambda s: -p[s])[:2])
    winner = "tie" if facts.is_tie(p) else f"t{max((first, second), key=p.__getitem__)}"
    labels = {f"t{s}": tags[s] for s in (first, second)}
    return Bet((*labels, "tie"), winner, labels)


def of_learning(state: State, number: int) -> Bet:
    """Whether a transition goes up or down."""
    rises = beat_facts.of_learning(state, number)["rises"]
    return Bet(("up", "down"), "up" if rises else "down")


# ---------------------------------------------------------------------- the number of a cell


def of_column(state: State, number: int) -> Bet:
    """The cell's number, to be typed."""
    return Bet(
        (), beat_facts.of_column(state, number)["value"], numbers=column_slips(state, number),
        verdict=lambda typed: column_verdict(state, number, typed),
    )  # fmt: skip


def column_verdict(state: State, number: int, typed: str) -> str:
    """What a typed number is: right, or a known slip, or something else."""
    try:
        value = parse_number(typed)
    except ValueError:
        return "unreadable"
    slips = column_slips(state, number).items()
    return next((name for name, slip in slips if _agrees(value, slip)), "other")


def _agrees(value: float, other: float) -> bool:
    return value == other or abs(value - other) <= 0.0501  # one may round to a decimal


def column_slips(state: State, number: int) -> dict[str, float]:
    """The cell's value, and what known slips give instead, the right one first."""
    t, tag = divmod(number, len(state.problem.tags))
    found, step = picture.numbers(state.problem), picture.step_at(state, "add", number)
    emission = state.problem.emissions[t][tag]
    scores = [sum(p.value for p in term.parts if p.role != "previous") for term in step.terms]
    return {
        "right": step.log_value,
        "max": step.maximum + emission,
        "no-emission": step.log_sum,
        "no-previous": _log_sum(scores) + emission,
        "only-max": step.maximum,
        "viterbi": found.viterbi.table[t][tag],
    }


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top if top == -math.inf else top + math.log(math.fsum(math.exp(v - top) for v in values))


# ---------------------------------------------------------------------- what a class does together


def column_task(state: State, number: int) -> Task:
    """Each phone types the number of one cell of the column."""

    def verdict(step: int, typed: str) -> str:
        return column_verdict(state, step, typed)

    return Task("number", *_cells_of_column(state, number), (), verdict)


def mind_task(state: State, number: int) -> Task:
    """Each phone chooses the way that one cell of the column keeps."""

    def verdict(step: int, chosen: str) -> str:
        ties = picture.step_at(state, "best", step).ties
        return "right" if chosen in {f"t{s}" for s in ties} else "other"

    ways = tuple(f"t{s}" for s in range(len(state.problem.tags)))
    return Task("edge", *_cells_of_column(state, number), ways, verdict)


def _cells_of_column(
    state: State, number: int
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Steps and cells of a column: what can be reached; of many tags, those in rows."""
    S, found = len(state.problem.tags), picture.numbers(state.problem)
    t = number // S
    rows = range(S) if S <= picture.FEW_TAGS else sorted(found.ranks[: picture.ROWS])
    reached = [s for s in rows if found.forward.table[t][s] > -math.inf]
    cells = tuple((t, s) for s in reached or rows)
    return tuple(t * S + s for _, s in cells), cells
