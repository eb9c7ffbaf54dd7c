"""The story of the trellis, beat by beat; four modes are four ways to read the same picture."""

from collections.abc import Callable, Mapping
from typing import Any

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import AGAIN, Beat, Bet, Task, lesson, waits
from pages.shared.figures.beat_text import BeatText, Segment
from pages.trellis import (
    column,
    equations,
    facts,
    meeting,
    picture,
    spans,
    textbook,
    your_words,
)
from pages.trellis.facts import BeatFacts

MOST_OPTIONS = 8  # words that a bet offers

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


def _learning_bet(state: State, number: int) -> Bet:
    """Whether a transition goes up or down."""
    return Bet(("up", "down"), "up" if facts.of_learning(state, number)["rises"] else "down")


def _mind_task(state: State, number: int) -> Task | None:
    """Each phone of a class chooses the way that one cell of the column keeps."""
    if spans.behind_change(state, number):
        return None

    def largest(step: int) -> list[str]:
        return [f"t{s}" for s in picture.step_at(state, "best", step).ties]

    def verdict(step: int, choice: str) -> str:
        return "right" if choice in largest(step) else "other"

    ways = tuple(f"t{s}" for s in range(len(state.problem.tags)))
    return Task(
        "edge", *column.cells_of(state, number), ways, verdict, lambda step: largest(step)[0]
    )


# ---------------------------------------------------------------------- what is left to ask


def _ask(
    bet: Callable[[State, int], Bet], is_idle: Callable[[State, int], bool]
) -> Callable[[State, int], Bet | None]:
    """A question, where the problem leaves something to ask: a path, and what `is_idle` denies."""

    def asked(state: State, number: int) -> Bet | None:
        if not picture.numbers(state.problem).feasible or is_idle(state, number):
            return None
        return bet(state, number)

    return asked


def _has_one_tag(state: State, _number: int) -> bool:
    return len(state.problem.tags) < 2


def _has_one_term(state: State, _number: int) -> bool:
    return not picture.has_steps(state.problem)


def _has_one_leader(state: State, number: int) -> bool:
    """Whether something else could lead, and no other beginning scores as much."""
    values = facts.of_mind(state, number)
    return bool(values["other"]) and not values["level"]


_on_difference = _ask(
    _difference_bet,
    lambda state, number: (
        _has_one_tag(state, number)
        or your_words.are_there(state)
        or bool(facts.of_problem(state)["greedy_best"])
    ),
)
_on_column = _ask(
    column.bet,
    lambda state, number: (
        spans.asked_column(state.given.problem) is None or spans.behind_column(state, number)
    ),
)
_on_mind = _ask(
    _mind_bet,
    lambda state, number: (
        spans.changed_column(state.given.problem) is None
        or spans.behind_change(state, number)
        or not _has_one_leader(state, number)
    ),
)
_on_meeting = _ask(meeting.bet, lambda state, t: _has_one_tag(state, t) or t in state.fixed)
_on_learning = _ask(
    _learning_bet, lambda state, number: bool(facts.of_learning(state, number)["idle"])
)
_on_count = _ask(_count_bet, _has_one_tag)
_on_total = _ask(_logz_bet, _has_one_tag)
_on_regrouping = _ask(lambda *_: Bet(("m8", "m6", "m4"), "m6"), _has_one_term)

# ---------------------------------------------------------------------- what is drawn


def _at_cell(mode: str) -> Callable[[State, int], Payload]:
    return lambda state, number: facts.with_remainder(
        state, mode, picture.at_step(state, mode, number)
    )


def _on_best(state: State, _number: int) -> Payload:
    return picture.on_path(state, "best")


def _at_difference(state: State, number: int) -> Payload:
    if your_words.are_there(state):
        return your_words.at(state)
    hides = waits(_on_difference(state, number), state)
    return picture.on_path(state, "greedy" if hides else "best") | {"stairs": None}


def _at_column(state: State, number: int) -> Payload:
    if _is_further(state, number):
        return _at_cell("add")(state, number)
    return column.at(state, number, asks=waits(_on_column(state, number), state))


def _at_meeting(state: State, number: int) -> Payload:
    return meeting.at(state, number, asks=waits(_on_meeting(state, number), state))


def _at_mind(state: State, number: int) -> Payload:
    if _is_past_change(state, number):
        return _at_cell("best")(state, number)
    hides = waits(_on_mind(state, number), state)
    now = picture.at_step(state, "best", picture.last_before(state, number) if hides else number)
    now["folded"] = None  # the sentence is about the whole column
    leading = picture.leading_prefix(state, now["column"])
    if not hides:
        S = len(state.problem.tags)
        if spans.changed_column(state.given.problem) is None:
            now["shown"] = max(now["shown"], (number // S + 1) * S)
        return now | leading  # because the sentence is about the whole column
    veiled = {"step": number, "cell": None, "kind": "veiled", "terms": [], "was": None}
    return now | veiled | {"lead": leading["lead"]}


def _pushes(state: State) -> Payload:
    if len(state.problem.tokens) < 2:
        return {}  # the trellis itself is drawn
    hides = waits(_on_learning(state, 0), state)
    return {"learn": picture.observed_counts(state) if hides else picture.pushes(state)}


def _without_best(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    return whole | {"best": [], "best_score": None, "log_z": None}, now


def _without_way(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    return whole | {"best": [], "back": []}, now


def _say(text: BeatText, name: str, values: Mapping[str, Any]) -> list[Segment]:
    """The sentence; where a beat opens, what the cells that are there already hold comes first."""
    if values["none"]:
        return text.segments("none", values)
    name = values.get("says", name)
    sentence = text.segments(name, values)
    if not values.get("opening"):
        return sentence
    return [*text.segments(f"{name}-cells", values), text.between, *sentence]


def _equation_of(mode: str) -> Callable[[State, int], list[Segment]]:
    return lambda state, number: equations.step_equation(
        state, picture.step_at(state, mode, number), mode
    )


def _of_the_leader(state: State, number: int) -> list[Segment]:
    """The equation of the cell that the sentence is about: the best one of the step's column."""
    if _is_past_change(state, number):
        return _equation_of("best")(state, number)
    S, cells = len(state.problem.tags), picture.columns(picture.trace_of(state, "best"))
    leader = max(cells[number // S], key=lambda cell: cell.log_value)
    return equations.step_equation(state, leader, "best")


def _in_column(state: State, number: int) -> list[Segment]:
    """The equation of the cell that was asked for, and of those after it."""
    goes_on = _is_further(state, number)
    return (_equation_of("add") if goes_on else column.equation)(state, number)


def _regrouped(state: State, number: int) -> list[Segment]:
    return [] if _has_one_term(state, number) else equations.regroup_equation(state, number)


# ---------------------------------------------------------------------- the beats


def _always(_state: State) -> bool:
    return True


def _never(_state: State) -> bool:
    return False


def _beat(
    name: str,
    mode: str,
    facts_at: Callable[[State, int], BeatFacts],
    *,
    follows: Callable[[State], bool] = _never,
    symbols: Callable[[State, int], list[Segment]] | None = None,
    **how: Any,
) -> Beat:
    """A beat; fixed tags are a score of −∞ for a word's other tags, in every mode.

    Args:
        name: The beat's.
        mode: The trace that it steps through.
        facts_at: State, step → its facts, beside those of all beats.
        follows: State → whether it is in the reader's notation, once its question is settled.
        symbols: State, step → the recursion in symbols; None: that of the mode's trace.
        how: Of `Beat`.
    """
    bet, steps = how.get("bet"), how.get("steps", lambda problem: range(1))
    opens = how.get("opens", lambda problem: 0)

    def is_followed(state: State) -> bool:
        problem = state.given.problem
        number = state.step if state.step in steps(problem) else opens(problem)
        return follows(state) and not (bet and waits(bet(picture.ours(state), number), state))

    def prepare(state: State) -> State:
        state = picture.clamped(state)
        ours = picture.ours(state)  # a question costs a trace, so it is asked last
        return state if state == ours or is_followed(state) else ours

    drawn = how.pop("drawn", lambda state: picture.whole(state, mode))

    def whole(state: State) -> Payload:
        return drawn(state) | {"notation": is_followed(state)}

    def of_step(state: State, number: int) -> list[Segment]:
        return equations.symbols(state, picture.step_at(state, mode, number), mode)

    at = how.pop("at", _on_best)
    how.setdefault("equation", lambda state, number: [])

    def at_step(state: State, number: int) -> Payload:
        now = at(state, number)
        if picture.ours(state) != state and is_followed(state):
            now |= {"symbols": (symbols or of_step)(state, number)}
        return {key: now[key] for key in now if key != "of"}  # the trace's; a beat has its own

    return Beat(
        name,
        whole,
        lambda state, number: facts.of_problem(state) | facts_at(state, number),
        at_step,
        mode=mode,
        say=_say,
        prepare=how.pop("prepare", prepare),
        **how,
    )


def _stepping(
    name: str, opens: Callable[[Problem], int], steps: Callable[..., range], **how: Any
) -> Beat:
    """A beat that goes through its mode's trace."""
    return _beat(
        name,
        name,
        facts.of_steps(name, opens),
        at=_at_cell(name),
        equation=_equation_of(name),
        opens=opens,
        steps=steps,
        trace=name,
        follows=_always if name != "best" else _never,
        lacks=picture.lacks if name != "best" else lambda state: 0,
        **how,
    )


def _or_further(
    facts_at: Callable[[State, int], BeatFacts],
    mode: str,
    goes_on: Callable[[State, int], bool],
) -> Callable[[State, int], BeatFacts]:
    """A beat's facts about its column, and behind it those of the mode's steps."""
    of_steps = facts.of_steps(mode, lambda problem: -1)

    def facts_of(state: State, number: int) -> BeatFacts:
        if goes_on(state, number):
            return of_steps(state, number) | {"says": mode}
        return facts_at(state, number)

    return facts_of


def _of_mind(state: State, number: int) -> BeatFacts:
    """Facts of the column in which the leader changes, of its other cells, and of what follows."""
    if not _is_past_change(state, number):
        return facts.of_mind(state, number)
    of_cell = facts.of_steps("best", lambda problem: -1)(state, number) | {"says": "best"}
    if spans.behind_change(state, number):
        return of_cell
    return facts.of_mind(state, number) | of_cell  # what the answer says is of the column


def _is_past_change(state: State, number: int) -> bool:
    """Whether the film has gone on from the cell at which the leader changes."""
    if spans.changed_column(state.given.problem) is None:
        return False
    is_open = number == spans.opens_mind(state.given.problem) or waits(
        _on_mind(state, number), state
    )
    return spans.behind_change(state, number) or not is_open


def _is_further(state: State, number: int) -> bool:
    """Whether the film has gone on from the cell that was asked for."""
    return state.bet == AGAIN or spans.behind_column(state, number)


BEATS = lesson(
    "trellis",
    facts.TEXT,
    _beat(
        "bet", "path", facts.of_greedy,
        at=_at_difference, bet=_on_difference, veil=_without_best,
        drawn=lambda state: your_words.whole(state) if your_words.are_there(state)
        else picture.whole(state, "path"),
        equation=lambda state, _: your_words.equation(state) if your_words.are_there(state) else [],
    ),
    _beat(
        "path", "path", lambda state, _: facts.of_path(state, picture.path_of(state)), slot="low"
    ),
    _beat(
        "count", "path", facts.of_count, bet=_on_count,
        rest=lambda state: {"count": picture.count_table(state)},
    ),
    _beat(
        "regroup", "add", facts.of_regroup,
        at=lambda state, number: picture.on_path(state, "best") | {"step": number},
        bet=_on_regrouping,
        rest=lambda state: {"regroup": picture.regrouping(state)}
        if picture.has_steps(state.problem) else {},
        equation=_regrouped,
        steps=lambda problem: range(picture.STILLS if picture.has_steps(problem) else 1),
    ),
    _stepping(
        "add", spans.in_last(lambda problem: spans.asked_column(problem) or len(problem.tokens)),
        spans.until(spans.asked_column),
    ),
    _beat(
        "column", "add", _or_further(column.facts_of, "add", _is_further), trace="add",
        at=_at_column, bet=_on_column, veil=column.veil, task=column.task,
        equation=_in_column, symbols=column.symbols, follows=column.follows,
        steps=spans.since(spans.asked_column, column.opens), opens=column.opens,
    ),
    _beat(
        "logz", "add", facts.of_logz,
        at=_at_cell("add"), bet=_on_total, equation=_equation_of("add"),
        follows=_always, lacks=picture.lacks, trace="add", steps=spans.end, opens=spans.cells,
    ),
    _stepping(
        "best", spans.in_last(lambda problem: spans.changed_column(problem) or spans.ASKED),
        spans.until(spans.changed_column),
    ),
    _beat(
        "mind", "best", _of_mind, trace="best",
        at=_at_mind, bet=_on_mind, veil=column.veil, task=_mind_task,
        equation=_of_the_leader,
        steps=spans.since(spans.changed_column, spans.opens_mind), opens=spans.opens_mind,
        stops=spans.then_columns(lambda problem: (spans.changed_column(problem) or 0) + 1),
    ),
    _beat(
        "back", "best", facts.of_back, at=_at_cell("best"), equation=_equation_of("best"),
        steps=spans.back, opens=lambda problem: spans.cells(problem) + 1, trace="best",
    ),
    _stepping(
        "both",
        picture.in_row(lambda problem: len(problem.tags) * min(2, len(problem.tokens)) - 1),
        lambda problem: range(spans.cells(problem) + 1),
        stops=spans.then_columns(lambda problem: 3),
    ),
    _beat(
        "meet", "both", meeting.facts_of,
        at=_at_meeting, bet=_on_meeting, veil=_without_way,
        equation=meeting.equation, symbols=meeting.symbols, follows=_always,
        steps=lambda problem: range(len(problem.tokens)),
        opens=lambda problem: min(2, len(problem.tokens) - 1),
    ),
    _beat(
        "textbook", "both", textbook.facts_of, prepare=textbook.in_one_form, at=textbook.at,
        equation=textbook.equation, steps=textbook.steps, rest=textbook.whole,
    ),
    _beat(
        "learn", "both", facts.of_learning,
        at=lambda state, _: picture.on_path(state, "right"), bet=_on_learning, rest=_pushes,
    ),
)  # fmt: skip
