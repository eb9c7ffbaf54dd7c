"""The story of the trellis, beat by beat; four modes are four ways to read the same picture."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat, Bet, Task, bet_payload, step_of, waits
from pages.shared.figures.beat_text import BeatText
from pages.trellis import beat_facts, bets, facts, picture, pushes, regroup
from pages.trellis.beat_facts import BeatFacts

# ---------------------------------------------------------------------- steps of each beat


def _cells(problem: Problem) -> range:
    return range(len(problem.tags) * len(problem.tokens))


def _total(problem: Problem) -> range:
    end = len(_cells(problem))
    return range(end, end + 1)


def _with_total(problem: Problem) -> range:
    return range(len(_cells(problem)) + 1)


def _third_column(problem: Problem) -> int:
    """The last tag of the third column, or of the last one.

    Of many tags, and where a score of −∞ forbids that one, it is the best path's there.
    """
    S, t = len(problem.tags), min(3, len(problem.tokens)) - 1
    best = picture.numbers(problem).best_path
    chooses = S > picture.FEW_TAGS or problem.emissions[t][S - 1] == -math.inf
    return t * S + (best[t] if chooses and best else S - 1)


def _fourth_column(problem: Problem) -> int:
    """The first cell of the column that a class fills."""
    return len(problem.tags) * min(3, len(problem.tokens) - 1)


def _before_last(problem: Problem) -> int:
    """Going backward: the last tag of the column before the last."""
    return len(problem.tags) * min(2, len(problem.tokens)) - 1


def _backtrace(problem: Problem) -> range:
    end = len(_cells(problem))
    return range(end, end + 1 + len(problem.tokens))


def _words(problem: Problem) -> range:
    return range(len(problem.tokens))


def _first_change(problem: Problem) -> int:
    """The cell in which the leading prefix first changes; else the last cell."""
    trace = picture.numbers(problem).viterbi
    S = len(trace.tags)
    cells = [step for step in trace.steps if step.kind == "cell"]
    before: tuple[int, ...] = ()
    for t in range(len(trace.tokens)):
        column = cells[t * S : (t + 1) * S]
        leading = picture.best_prefix(column)
        if before and leading and leading[:t] != before:
            return t * S + leading[-1]
        before = leading
    return len(cells) - 1


# ---------------------------------------------------------------------- what is drawn and said


def _payload(beat_name: str) -> Callable[[State], Payload]:
    def figure(state: State) -> Payload:
        state, beat = picture.clamped(state), BY_NAME[beat_name]
        extra = EXTRA.get(beat_name)
        tables = picture.whole(state, beat.mode)
        if extra is not None:
            tables |= extra(state)
        tables = veiled(beat, state, tables)
        return {
            "kind": "trellis",
            "mode": beat.mode,
            "picture": tables | {"now": now_of(beat, state)},
        }

    return figure


def _now(beat_name: str) -> Callable[[State], Payload]:
    def now(state: State) -> Payload:
        return now_of(BY_NAME[beat_name], picture.clamped(state))

    return now


def _tables(beat_name: str) -> Callable[[State], Payload]:
    def tables(state: State) -> Payload:
        state, beat = picture.clamped(state), BY_NAME[beat_name]
        return veiled(beat, state, picture.whole(state, beat.mode))

    return tables


def is_open(beat: Beat, state: State) -> bool:
    """Whether the beat's question waits for an answer, so that nothing may show it."""
    if beat.bet is None or not picture.numbers(state.problem).feasible:
        return False
    return not is_idle(beat, state) and waits(beat.bet(state), state)


def is_idle(beat: Beat, state: State) -> bool:
    """Whether this problem leaves nothing to ask: one word, one tag, or nothing to learn."""
    S, L = len(state.problem.tags), len(state.problem.tokens)
    if beat.name in ("bet", "column", "logz", "meet"):
        return S < 2
    if beat.name == "regroup":
        return S < 2 or L < 2
    if beat.name == "mind":
        return not beat.facts(state)["other"]
    return beat.name == "learn" and bool(beat.facts(state)["idle"])


def veiled(beat: Beat, state: State, tables: Payload) -> Payload:
    """The tables without what answers an open question."""
    if not is_open(beat, state):
        return tables
    if beat.name == "bet":
        return tables | {"best": [], "best_score": None, "log_z": None}
    if beat.name == "learn":
        return tables | {"learn": pushes.only_observed(state)}
    if beat.name in ("column", "mind"):
        until, S = _veiled_from(beat, state), len(state.problem.tags)
        cells = [
            [value if t * S + s < until else None for s, value in enumerate(column)]
            for t, column in enumerate(tables["values"])
        ]
        fills = [
            [part if t * S < until else 0.0 for part in column]
            for t, column in enumerate(tables["shares"])
        ]
        hidden = {"values": cells, "shares": fills, "left": [], "left_shares": [], "best": []}
        return tables | hidden | {"back": [], "total": tables["total"] | {"value": None}}
    if beat.name == "meet":
        return tables | {"best": [], "back": []}
    return tables


def _veiled_from(beat: Beat, state: State) -> int:
    """The first cell that an open question hides: all of its column."""
    S = len(state.problem.tags)
    return step_of(beat, state) // S * S


def now_of(beat: Beat, state: State) -> Payload:
    """The step on screen: its numbers, its sentence, its equation, its bet."""
    number, text = step_of(beat, state), beat_facts.text()
    steps, veils = beat.steps(state.problem), is_open(beat, state)
    bounds = {"first": steps.start, "of": steps.stop}
    drawn: Payload
    if veils and beat.name in ("column", "mind"):
        shown = max(_veiled_from(beat, state) - 1, 0)
        drawn = picture.at_step(state, beat.mode, shown) | {"step": number, **bounds}
        if beat.name == "mind":
            drawn |= {"cell": None, "kind": "veiled", "terms": [], "was": None}
            drawn["lead"] = picture.leading_prefix(state, drawn["column"])["lead"]
        known = beat.facts(state)
        return drawn | {"say": [], "equation": [], "bet": _bet(beat, state, known, text)}
    if beat.name in ("bet", "path", "count", "learn", "done"):
        usual = {"bet": "greedy" if veils else "best", "learn": "right"}.get(beat.name, "best")
        drawn = picture.on_path(state, usual)
    elif beat.name == "meet":
        drawn = picture.meeting(state, number)
    elif beat.name == "regroup":
        drawn = picture.on_path(state, "best") | {"step": number, "of": regroup.STILLS}
    else:
        drawn = picture.at_step(state, beat.mode, number)
        if beat.name == "mind":  # because the sentence is about the whole column
            drawn |= picture.leading_prefix(state, drawn["column"])
    known = beat.facts(state)
    said = {
        "say": [] if veils else _say(beat, known, text),
        "equation": [] if veils else _equation(beat, state, number),
        "bet": _bet(beat, state, known, text),
    }
    if veils and beat.name == "meet":
        both_sides = {key: drawn["meet"][key] for key in ("left", "right")}
        drawn |= {"meet": both_sides | {"both": None}, "marginals": None, "pairs": None}
    return drawn | said | bounds


def _say(beat: Beat, known: BeatFacts, text: BeatText) -> list[Any]:
    """The sentence; where a beat opens, what the cells that are there already hold comes first."""
    if known["none"]:
        return text.segments("none", known)
    said = text.segments(beat.name, known)
    if not known.get("opening"):
        return said
    return [*text.segments(f"{beat.name}-cells", known), text.between, *said]


def _equation(beat: Beat, state: State, number: int) -> list[Any]:
    if beat.name == "meet":
        return facts.meeting_equation(state, number)
    if beat.name == "regroup":
        return [] if is_idle(beat, state) else regroup.equation(state, number)
    if beat.name in ("add", "logz", "best", "mind", "both", "back"):
        return facts.equation(state, picture.step_at(state, beat.mode, number), beat.mode)
    return []


def _bet(beat: Beat, state: State, known: BeatFacts, text: BeatText) -> Payload | None:
    """The question, and its answer once the reader has chosen."""
    if beat.bet is None or known["none"] or is_idle(beat, state):
        return None
    return bet_payload(beat.name, beat.bet(state), state, text, known)


# ---------------------------------------------------------------------- the beats


EXTRA: dict[str, Callable[[State], Payload]] = {
    "count": lambda state: {"count": facts.count_table(state)},
    "regroup": lambda state: {"regroup": regroup.table(state)},
    "learn": lambda state: {"learn": pushes.pushes(state)},
    "done": lambda state: {"questions": _questions()},
}
QUESTIONS = (
    "bet", "path", "count", "regroup", "add", "logz",
    "best", "mind", "back", "both", "meet", "learn",
)  # fmt: skip


def _questions() -> list[Payload]:
    text = beat_facts.text()
    return [
        {"text": text.plain(f"question-{k}", {}), "beat": beat}
        for k, beat in enumerate(QUESTIONS, 1)
    ]


T = TypeVar("T")


def _at_step(name: str, of: Callable[[State, int], T]) -> Callable[[State], T]:
    """What belongs to the step on screen."""
    return lambda state: of(state, step_of(BY_NAME[name], state))


def _beat(
    name: str, mode: str, known: Callable[[State, int], BeatFacts],
    bet: Callable[[State, int], Bet] | None = None,
    task: Callable[[State, int], Task] | None = None, **how: Any,
) -> Beat:  # fmt: skip
    """A beat; fixed tags are a score of −∞ for a word's other tags, in every mode."""
    return Beat(
        name, mode, _payload(name), _now(name), tables=_tables(name),
        facts=lambda state: _at_step(name, known)(picture.clamped(state)),
        bet=bet and (lambda state: _at_step(name, bet)(picture.clamped(state))),
        task=task and (lambda state: _at_step(name, task)(picture.clamped(state))), **how,
    )  # fmt: skip


def _stepping(
    name: str, mode: str, steps: Callable[[Problem], range], opens: Callable[[Problem], int]
) -> Beat:
    """A beat that goes through a mode's trace."""
    known = beat_facts.of_step(mode, opens)
    return _beat(name, mode, known, steps=steps, opens=opens)


BEATS = (
    _beat("bet", "path", beat_facts.of_bet, bets.of_bet),
    _beat("path", "path", beat_facts.of_path),
    _beat("count", "path", beat_facts.of_count, bets.of_count),
    _beat(
        "regroup", "add", beat_facts.of_regroup, bets.of_regroup,
        steps=lambda problem: range(regroup.STILLS),
    ),
    _stepping("add", "add", _with_total, _third_column),
    _beat(
        "column", "add", beat_facts.of_column, bets.of_column, bets.column_task,
        steps=_cells, opens=_fourth_column,
    ),
    _beat(
        "logz", "add", beat_facts.of_logz, bets.of_logz,
        steps=_total, opens=lambda problem: len(_cells(problem)),
    ),
    _stepping("best", "best", _with_total, _third_column),
    _beat(
        "mind", "best", beat_facts.of_mind, bets.of_mind, bets.mind_task,
        steps=_cells, opens=_first_change,
    ),
    _beat(
        "back", "best", beat_facts.of_back,
        steps=_backtrace, opens=lambda problem: len(_cells(problem)) + 1,
    ),
    _stepping("both", "both", _with_total, _before_last),
    _beat(
        "meet", "both", beat_facts.of_meeting, bets.of_meeting,
        steps=_words, opens=lambda problem: min(2, len(problem.tokens) - 1),
    ),
    _beat("learn", "both", beat_facts.of_learning, bets.of_learning),
    _beat("done", "both", beat_facts.of_done),
)  # fmt: skip
BY_NAME = {beat.name: beat for beat in BEATS}
