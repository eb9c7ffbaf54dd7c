"""The story of the trellis, beat by beat; four modes are four ways to read the same picture."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

from crf.figures.flow.payload import Payload
from pages.shared.course.marginals import log_sum
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.course.typed_numbers import parse_number
from pages.shared.figures.beat import Beat, Bet, Task, bet_payload, step_of, waits
from pages.shared.figures.beat_text import Segment
from pages.trellis import facts, picture
from pages.trellis.facts import BeatFacts

MOST_OPTIONS = 8  # words that a bet offers
QUESTIONS = (
    "bet", "path", "count", "regroup", "add", "logz",
    "best", "mind", "back", "both", "meet", "learn",
)  # fmt: skip

# ---------------------------------------------------------------------- where a beat opens


def _cells(problem: Problem) -> int:
    return len(problem.tags) * len(problem.tokens)


def _third_column(problem: Problem) -> int:
    """The last tag of the third column, or of the last one.

    Of many tags, and where a score of −∞ forbids that one, it is the best path's there.
    """
    S, t = len(problem.tags), min(3, len(problem.tokens)) - 1
    best = picture.numbers(problem).best_path
    chooses = S > picture.FEW_TAGS or problem.emissions[t][S - 1] == -math.inf
    return t * S + (best[t] if chooses and best else S - 1)


def _first_change(problem: Problem) -> int:
    """The cell in which the leading prefix first changes; else the last cell."""
    chain, S = picture.numbers(problem), len(problem.tags)
    cells = [t * S + chain.leading[t][-1] for t in chain.changes_of_mind]
    return cells[0] if cells else _cells(problem) - 1


# ---------------------------------------------------------------------- what is asked


def _difference_bet(state: State, _number: int) -> Bet:
    """The words of the sentence, and nowhere."""
    chain = picture.numbers(state.problem)
    best = chain.best_path or chain.greedy
    differs = picture.first_difference(chain.greedy, best)
    first = min(max((differs or 0) - 2, 0), max(len(best) - MOST_OPTIONS, 0))
    words = [f"w{t}" for t in range(first, min(first + MOST_OPTIONS, len(best)))]
    return Bet((*words, "nowhere"), "nowhere" if differs is None else f"w{differs}")


def _count_bet(state: State, number: int) -> Bet:
    """Whether a list of the paths ends."""
    is_long = facts.of_count(state, number)["long"]
    return Bet(("slowly", "never"), "never" if is_long else "slowly")


def _logz_bet(state: State, number: int) -> Bet:
    """By how much the total rises."""
    values = facts.of_logz(state, number)
    labels = {"rise": values["rise"], "one": "1"}
    if values["sure"]:
        return Bet(("one", "none"), "one", labels)
    return Bet(("one", "rise", "none"), "rise", labels)


def _mind_bet(state: State, number: int) -> Bet:
    """Whether the leader goes on."""
    values = facts.of_mind(state, number)
    leads = values["leads"] if values["changes"] else values["other"]
    right = "leads" if values["changes"] else "led"
    return Bet(("led", "leads"), right, {"led": values["stays"], "leads": leads})


def _meeting_bet(state: State, t: int) -> Bet:
    """The two most probable tags of the word, and a tie."""
    p, tags = picture.numbers(state.problem).marginals[t], state.problem.tags
    most = picture.most_probable(p)
    right = "tie" if facts.is_tie(p) else f"t{max(most, key=p.__getitem__)}"
    labels = {f"t{s}": tags[s] for s in most}
    return Bet((*labels, "tie"), right, labels)


def _learning_bet(state: State, number: int) -> Bet:
    """Whether a transition goes up or down."""
    return Bet(("up", "down"), "up" if facts.of_learning(state, number)["rises"] else "down")


def _column_bet(state: State, number: int) -> Bet:
    """The cell's number, to be typed."""
    return Bet(
        (),
        facts.of_column(state, number)["value"],
        numbers=column_slips(state, number),
        verdict=lambda typed: _typed_verdict(state, number, typed),
    )


def _typed_verdict(state: State, number: int, typed: str) -> str:
    """What a typed number is, or "unreadable"."""
    try:
        return column_verdict(state, number, parse_number(typed))
    except ValueError:
        return "unreadable"


def column_verdict(state: State, number: int, value: float) -> str:
    """What a number is: right, or a known slip, or something else."""
    for name, slip in column_slips(state, number).items():
        if value == slip or abs(value - slip) <= 0.0501:  # one may round to a decimal
            return name
    return "other"


def column_slips(state: State, number: int) -> dict[str, float]:
    """The cell's value, and what known slips give instead, the right one first."""
    t, tag = divmod(number, len(state.problem.tags))
    step, emission = picture.step_at(state, "add", number), state.problem.emissions[t][tag]
    scores = [sum(p.value for p in term.parts if p.role != "previous") for term in step.terms]
    return {
        "right": step.log_value,
        "max": step.maximum + emission,
        "no-emission": step.log_sum,
        "no-previous": log_sum(scores) + emission,
        "only-max": step.maximum,
        "viterbi": picture.numbers(state.problem).viterbi.table[t][tag],
    }


def _column_task(state: State, number: int) -> Task:
    """Each phone of a class types the number of one cell of the column."""
    cells = _column_of(state, number)
    return Task(
        "number",
        *cells,
        (),
        lambda step, value: column_verdict(state, step, value),
        lambda step: column_slips(state, step)["right"],
    )


def _mind_task(state: State, number: int) -> Task:
    """Each phone of a class chooses the way that one cell of the column keeps."""

    def largest(step: int) -> list[str]:
        return [f"t{s}" for s in picture.step_at(state, "best", step).ties]

    def verdict(step: int, choice: str) -> str:
        return "right" if choice in largest(step) else "other"

    ways = tuple(f"t{s}" for s in range(len(state.problem.tags)))
    return Task("edge", *_column_of(state, number), ways, verdict, lambda step: largest(step)[0])


def _column_of(state: State, number: int) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Steps and cells of a column: what can be reached; of many tags, those in rows."""
    S, chain = len(state.problem.tags), picture.numbers(state.problem)
    t = number // S
    rows = range(S) if S <= picture.FEW_TAGS else sorted(chain.ranks[: picture.ROWS])
    reached = [s for s in rows if chain.forward.table[t][s] > -math.inf] or rows
    return tuple(t * S + s for s in reached), tuple((t, s) for s in reached)


# ---------------------------------------------------------------------- what is drawn and said


def _is_idle(beat: Beat, state: State) -> bool:
    """Whether this problem leaves nothing to ask: one word, one tag, or nothing to learn."""
    S, L = len(state.problem.tags), len(state.problem.tokens)
    if beat.name in ("bet", "column", "logz", "meet"):
        return S < 2
    if beat.name == "regroup":
        return S < 2 or L < 2
    if beat.name == "mind":
        return not beat.facts(state)["other"]
    return beat.name == "learn" and bool(beat.facts(state)["idle"])


def _is_open(beat: Beat, state: State) -> bool:
    """Whether the beat's question waits for an answer, so that nothing may show it."""
    if beat.bet is None or not picture.numbers(state.problem).feasible:
        return False
    return not _is_idle(beat, state) and waits(beat.bet(state), state)


def _without_answer(beat: Beat, state: State, tables: Payload) -> Payload:
    """The tables without what answers an open question."""
    if not _is_open(beat, state):
        return tables
    if beat.name == "bet":
        return tables | {"best": [], "best_score": None, "log_z": None}
    if beat.name == "learn":
        return tables | {"learn": picture.observed_counts(state)}
    if beat.name in ("column", "mind"):
        t = _column(beat, state)
        cells = [
            column if k < t else [None] * len(column) for k, column in enumerate(tables["values"])
        ]
        fills = [
            column if k < t else [0.0] * len(column) for k, column in enumerate(tables["shares"])
        ]
        hidden = {"values": cells, "shares": fills, "left": [], "left_shares": [], "best": []}
        return tables | hidden | {"back": [], "total": tables["total"] | {"value": None}}
    if beat.name == "meet":
        return tables | {"best": [], "back": []}
    return tables


def _column(beat: Beat, state: State) -> int:
    """The word whose cells an open question hides, with all that follow."""
    return step_of(beat, state) // len(state.problem.tags)


def _now(beat: Beat, state: State) -> Payload:
    """The step on screen: its numbers, its sentence, its equation, its bet."""
    number, values, hides = step_of(beat, state), beat.facts(state), _is_open(beat, state)
    steps = beat.steps(state.problem)
    bounds = {"first": steps.start, "of": steps.stop}
    says: Payload = {
        "say": [] if hides else _say(beat, values),
        "equation": [] if hides else _equation(beat, state, number),
        "bet": None
        if beat.bet is None or values["none"] or _is_idle(beat, state)
        else bet_payload(beat.name, beat.bet(state), state, facts.text(), values),
    }
    if hides and beat.name in ("column", "mind"):
        last = max(_column(beat, state) * len(state.problem.tags) - 1, 0)  # the last cell before
        now = picture.at_step(state, beat.mode, last) | {"step": number}
        if beat.name == "mind":
            now |= {"cell": None, "kind": "veiled", "terms": [], "was": None}
            now["lead"] = picture.leading_prefix(state, now["column"])["lead"]
    elif beat.name in ("bet", "path", "count", "learn", "done"):
        usual = {"bet": "greedy" if hides else "best", "learn": "right"}.get(beat.name, "best")
        now = picture.on_path(state, usual)
    elif beat.name == "meet":
        now = picture.meeting(state, number)
        if hides:
            now |= {"meet": now["meet"] | {"both": None}, "marginals": None, "pairs": None}
    elif beat.name == "regroup":
        now = picture.on_path(state, "best") | {"step": number}
    else:
        now = picture.at_step(state, beat.mode, number)
        if beat.name == "mind":  # because the sentence is about the whole column
            now |= picture.leading_prefix(state, now["column"])
    return now | says | bounds


def _say(beat: Beat, values: BeatFacts) -> list[Segment]:
    """The sentence; where a beat opens, what the cells that are there already hold comes first."""
    text = facts.text()
    if values["none"]:
        return text.segments("none", values)
    sentence = text.segments(beat.name, values)
    if not values.get("opening"):
        return sentence
    return [*text.segments(f"{beat.name}-cells", values), text.between, *sentence]


def _equation(beat: Beat, state: State, number: int) -> list[Segment]:
    if beat.name == "meet":
        return facts.meeting_equation(state, number)
    if beat.name == "regroup":
        return [] if _is_idle(beat, state) else facts.regroup_equation(state, number)
    if beat.name in ("add", "logz", "best", "mind", "both", "back"):
        return facts.step_equation(state, picture.step_at(state, beat.mode, number), beat.mode)
    return []


# ---------------------------------------------------------------------- the beats

T = TypeVar("T")


def _beat(
    name: str,
    mode: str,
    facts_at: Callable[[State, int], BeatFacts],
    bet: Callable[[State, int], Bet] | None = None,
    task: Callable[[State, int], Task] | None = None,
    extra: Callable[[State], Payload] = lambda state: {},
    **how: Any,
) -> Beat:
    """A beat; fixed tags are a score of −∞ for a word's other tags, in every mode.

    Args:
        name: The beat's.
        mode: The trace that it steps through.
        facts_at: State, step → its facts, beside those of all beats.
        bet: State, step → its question.
        task: State, step → what a class does together.
        extra: State → what its picture has beside the trellis's tables.
        how: Of `Beat`.
    """

    def at_step(part: Callable[[State, int], T]) -> Callable[[State], T]:
        def at(state: State) -> T:
            state = picture.clamped(state)
            return part(state, step_of(beat, state))

        return at

    def tables(state: State, more: Payload) -> Payload:
        return _without_answer(beat, state, picture.whole(state, mode) | more)

    def figure(state: State) -> Payload:
        state = picture.clamped(state)
        trellis = tables(state, extra(state)) | {"now": _now(beat, state)}
        return {"kind": "trellis", "mode": mode, "picture": trellis}

    beat = Beat(
        name,
        mode,
        figure,
        lambda state: _now(beat, picture.clamped(state)),
        tables=lambda state: tables(picture.clamped(state), {}),
        facts=at_step(lambda state, step: facts.of_problem(state) | facts_at(state, step)),
        bet=bet and at_step(bet),
        task=task and at_step(task),
        **how,
    )
    return beat


def _stepping(name: str, opens: Callable[[Problem], int]) -> Beat:
    """A beat that goes through its mode's trace."""
    return _beat(
        name,
        name,
        facts.of_steps(name, opens),
        opens=opens,
        steps=lambda problem: range(_cells(problem) + 1),
    )


def _questions(_state: State) -> Payload:
    text = facts.text()
    return {
        "questions": [
            {"text": text.plain(f"question-{k}", {}), "beat": beat}
            for k, beat in enumerate(QUESTIONS, 1)
        ]
    }


BEATS = (
    _beat("bet", "path", facts.of_greedy, _difference_bet),
    _beat("path", "path", lambda state, _: facts.of_path(state, picture.path_of(state))),
    _beat(
        "count", "path", facts.of_count, _count_bet,
        extra=lambda state: {"count": picture.count_table(state)},
    ),
    _beat(
        "regroup", "add", facts.of_regroup, lambda state, _: Bet(("m8", "m6", "m4"), "m6"),
        extra=lambda state: {"regroup": picture.regrouping(state)},
        steps=lambda problem: range(picture.STILLS),
    ),
    _stepping("add", _third_column),
    _beat(
        "column", "add", facts.of_column, _column_bet, _column_task,
        steps=lambda problem: range(_cells(problem)),
        opens=lambda problem: len(problem.tags) * min(3, len(problem.tokens) - 1),
    ),
    _beat(
        "logz", "add", facts.of_logz, _logz_bet,
        steps=lambda problem: range(_cells(problem), _cells(problem) + 1), opens=_cells,
    ),
    _stepping("best", _third_column),
    _beat(
        "mind", "best", facts.of_mind, _mind_bet, _mind_task,
        steps=lambda problem: range(_cells(problem)), opens=_first_change,
    ),
    _beat(
        "back", "best", facts.of_back,
        steps=lambda problem: range(_cells(problem), _cells(problem) + 1 + len(problem.tokens)),
        opens=lambda problem: _cells(problem) + 1,
    ),
    _stepping("both", lambda problem: len(problem.tags) * min(2, len(problem.tokens)) - 1),
    _beat(
        "meet", "both", facts.of_meeting, _meeting_bet,
        steps=lambda problem: range(len(problem.tokens)),
        opens=lambda problem: min(2, len(problem.tokens) - 1),
    ),
    _beat(
        "learn", "both", facts.of_learning, _learning_bet,
        extra=lambda state: {"learn": picture.pushes(state)},
    ),
    _beat("done", "both", lambda state, _: {}, extra=_questions),
)  # fmt: skip
