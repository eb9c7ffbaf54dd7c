"""A beat: one picture, one sentence, sometimes one bet. A lesson is a list of them.

    BEATS = lesson("stability", TEXT, Beat("multiply", lanes, of_product, steps=words), …)

A beat is pure functions of a state: what is drawn, what is said, what is asked. It knows no host: a
page, a student's phone, a frame on a course site and a test show it from the same JSON. The
lesson's own module draws it (`PICTURES` in pages/pictures.js, by its kind) from `view.picture`:
what `drawn` gives, with `view.picture.now`, which is what `at` gives with the step, the sentence,
the equation and the question. The words stand in the lesson's beats.md:

    ## multiply-label        what the bar of beats calls it
    ## multiply-question     the question above the picture
    ## multiply              the sentence below it
    ## multiply-equation     the line below the sentence; where there is none, there is none
    ## multiply-bet          the question to commit to; with option-NAME and multiply-answer
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart
from pages.shared.figures.beat_text import BeatText, Segment


class Bet(NamedTuple):
    """A question that the reader answers before the result is drawn.

    Attributes:
        options: Their names: "w3" is the word with index 3; (): the answer is a number.
        right: The option that is right, or the number as text.
        labels: What options are called that are neither words nor passages `option-NAME`.
        numbers: Numbers that the answer tells apart, by what they are: the right one, known slips.
        verdict: Choice → what the text of the answer calls it; "right" or "wrong" without it.
    """

    options: tuple[str, ...]
    right: str
    labels: Mapping[str, str] = {}
    numbers: Mapping[str, float] = {}
    verdict: Callable[[str], str] | None = None


class Task(NamedTuple):
    """A task that a class shares out at a beat: each phone computes one cell.

    Attributes:
        kind: "number": a cell's number is typed; "edge": the way that a cell keeps is chosen.
        steps: The steps that are shared out.
        cells: (token, tag) of each.
        options: Names of the ways, "t0" from the first tag; (): a number is typed.
        verdict: (step, answer) → "right", a known slip or "other"; an answer is a number, or the
            name of a way.
        right: Step → the right answer.
    """

    kind: str
    steps: tuple[int, ...]
    cells: tuple[tuple[int, int], ...]
    options: tuple[str, ...]
    verdict: Callable[[int, Any], str]
    right: Callable[[int], float | str]


SHOWN = "-"  # a state's bet where the question is settled
TOLD = "."  # where the reader wants to read the answer without a bet
AGAIN = "~"  # before a number that is typed after a wrong one; alone: the film has gone on from it


def _say(text: BeatText, name: str, facts: Mapping[str, Any]) -> list[Segment]:
    return text.segments(name, facts)


class Beat(NamedTuple):
    """One picture of a lesson with its sentence: everything that makes it.

    Attributes:
        name: Heading in the lesson's beats.md, and part of the address.
        drawn: State → the whole picture, plain JSON.
        facts: State, step → what fills the holes of its text and decides its guards.
        at: State, step → the part of the picture that belongs to the step, as `column`.
        steps: Problem, as it is before any edit → the steps that there are.
        opens: Problem → the step where it opens.
        bet: State, step → its question; None: nothing to ask in this state, or ever.
        veil: Picture and its step → both without what answers an open question.
        controls: The controls that it reads: name → default, and how it is read.
        mode: The group of beats that it belongs to; "" where there are none.
        rest: State → what the picture has besides, drawn only when nothing moves.
        say: Text, name, facts → the sentence.
        equation: State, step → the line below it; None: it is a passage of the text.
        task: State, step → what a class does together in place of the bet; None: it votes.
        trace: The recursion that it goes through; beats with the same one share its steps, so that
            a step beyond the range of one is another's. "": its steps are its own.
        prepare: State → the one that all of these get.
        kind: The picture that draws it, a name in pages/pictures.js; `lesson` fills in the rest.
        text: The lesson's beats.md.
        chooses: Whether the reader may choose the sentence.
        slot: How its words stand below the picture: "low", "beside" (sentence and equation),
            "button" (with room for one); "first": above it; "": as usual.
        lacks: State → how many of the first steps its notation does without.
        stops: Problem → the steps at which → and ← stop, where others say nothing new; (): all.
    """

    name: str
    drawn: Callable[[State], Payload] = lambda state: {}
    facts: Callable[[State, int], Mapping[str, Any]] = lambda state, step: {}
    at: Callable[[State, int], Payload] = lambda state, step: {}
    steps: Callable[[Problem], range] = lambda problem: range(1)
    opens: Callable[[Problem], int] = lambda problem: 0
    bet: Callable[[State, int], Bet | None] = lambda state, step: None
    veil: Callable[[Payload, Payload], tuple[Payload, Payload]] = lambda picture, now: (
        picture,
        now,
    )
    controls: Mapping[str, StatePart] = {}
    mode: str = ""
    rest: Callable[[State], Payload] = lambda state: {}
    say: Callable[[BeatText, str, Mapping[str, Any]], list[Segment]] = _say
    equation: Callable[[State, int], list[Segment]] | None = None
    task: Callable[[State, int], Task | None] | None = None
    trace: str = ""
    prepare: Callable[[State], State] = lambda state: state
    kind: str = ""
    text: Path = Path()
    chooses: bool = True
    slot: str = ""
    lacks: Callable[[State], int] = lambda state: 0
    stops: Callable[[Problem], Sequence[int]] = lambda problem: ()

    def figure(self, state: State) -> Payload:
        """What the stage draws, whole."""
        state = self.prepare(state)
        whole, now = self._veiled(state, {**self.drawn(state), **self.rest(state)})
        return {
            "kind": self.kind,
            "mode": whole.get("mode", self.mode),
            "chooses": self.chooses,
            "slot": self.slot,
            "picture": whole | {"now": now},
        }

    def now(self, state: State) -> Payload:
        """The part of it that belongs to the step on screen."""
        return self._veiled(self.prepare(state), {})[1]

    def typed(self, state: State) -> Payload | None:
        """The picture while its sentence is being typed; None: it is drawn when that is done."""
        return None

    def tables(self, state: State) -> Payload | None:
        """What a dragged score changes besides, for `now`; None: nothing."""
        state = self.prepare(state)
        return self._veiled(state, self.drawn(state))[0]

    def asks(self, state: State) -> Bet | None:
        """The question before the picture."""
        state = self.prepare(state)
        return self.bet(state, step_of(self, state))

    def shares(self, state: State) -> Task | None:
        """What a class does together in place of the question."""
        state = self.prepare(state)
        return self.task(state, step_of(self, state)) if self.task else None

    def _veiled(self, state: State, whole: Payload) -> tuple[Payload, Payload]:
        """The picture and its step, without what answers an open question."""
        step, steps = step_of(self, state), steps_of(self, state)
        text, facts, bet = BeatText.load(self.text), self.facts(state, step), self.bet(state, step)
        now = {"column": None, "step": step, "first": steps.start, "of": steps.stop}
        if stops := set(self.stops(state.given.problem)):
            now["stops"] = sorted((stops | {steps.start, steps.stop - 1}) & set(steps))
        now |= self.at(state, step) | {
            "say": [],
            "equation": [],
            "bet": bet_payload(self.name, bet, state, text, facts),
        }
        if waits(bet, state):
            return self.veil(whole, now)
        now["say"] = self.say(text, self.name, facts)
        if self.equation:
            now["equation"] = self.equation(state, step)
        elif text.has(f"{self.name}-equation"):
            now["equation"] = text.segments(f"{self.name}-equation", facts)
        return whole, now


def lesson(kind: str, text: Path, *beats: Beat, chooses: bool = True) -> tuple[Beat, ...]:
    """The beats of a lesson, or a group of them.

    Args:
        kind: The picture that draws them, a name in pages/pictures.js.
        text: The lesson's beats.md.
        beats: In their order.
        chooses: Whether the reader may choose the sentence; not in a lesson that brings its own.
    """
    return tuple(beat._replace(kind=kind, text=text, chooses=chooses) for beat in beats)


def step_of(beat: Beat, state: State) -> int:
    """The step on screen: the state's if the beat has such a step, else the one where it opens.

    An edit does not move it.
    """
    steps = steps_of(beat, state)
    if state.step is None or state.step not in steps:
        return max(beat.opens(state.given.problem), steps.start)
    return state.step


def steps_of(beat: Beat, state: State) -> range:
    """The steps of a beat that there are in the state's notation."""
    steps, lacks = beat.steps(state.given.problem), beat.lacks(state)
    return range(max(steps.start, lacks), steps.stop) if lacks else steps


def beat_with(beat: Beat, state: State, beats: Sequence[Beat]) -> tuple[Beat, State]:
    """The beat that has the state's step, if this one lacks it, and the state there.

    Who comes to a step of another beat sees it: a question that stands there counts as told.
    """
    if state.step is None or not beat.trace or has_step(beat, state):
        return beat, state
    others = (one for one in beats if one.trace == beat.trace and has_step(one, state))
    return next(((one, replace(state, bet=TOLD)) for one in others), (beat, state))


def has_step(beat: Beat, state: State) -> bool:
    """Whether the state's step is one of the beat's."""
    return state.step in range_of(beat, state)


def range_of(beat: Beat, state: State) -> range:
    """The steps of a beat in a state as it is given."""
    return steps_of(beat, beat.prepare(state))


def waits(bet: Bet | None, state: State) -> bool:
    """Whether a question still waits for its answer, which must stay hidden until then.

    After a wrong number there is a second try; what is no number is no try.
    """
    if bet is None or state.bet in (SHOWN, TOLD, AGAIN):
        return False
    if bet.options:
        return state.bet not in bet.options
    verdict = bet.verdict(state.bet.removeprefix(AGAIN)) if bet.verdict and state.bet else ""
    return not state.bet or verdict == "unreadable" or not (verdict == "right" or is_last(state))


def is_last(state: State) -> bool:
    """Whether the number that was typed is the second one."""
    return state.bet.startswith(AGAIN)


def bet_payload(
    name: str, bet: Bet | None, state: State, text: BeatText, facts: Mapping[str, object]
) -> Payload | None:
    """The question as the stage draws it, and its answer once the reader has chosen.

    Args:
        name: The beat's; passages `NAME-bet`, `NAME-answer` and `option-OPTION` are its words, and
            where there is one, `NAME-told`: the answer for a reader who has not bet. `NAME-again`
            is said after a number that leaves a second try.
        bet: The question; None: there is none.
        state: Its state.
        text: The lesson's words.
        facts: What fills their holes; the answer has `verdict` besides.
    """
    if bet is None:
        return None
    revealed, chosen = not waits(bet, state), state.bet.removeprefix(AGAIN)
    verdict = bet.verdict or (lambda choice: "right" if choice == bet.right else "wrong")
    answer, hit = None, False
    if revealed and chosen == TOLD and text.has(f"{name}-told"):
        answer = text.segments(f"{name}-told", facts)
    elif revealed and chosen not in (SHOWN, TOLD, ""):
        hit = verdict(chosen) == "right"
        answer = text.segments(f"{name}-answer", {**facts, "verdict": verdict(chosen)})
    elif not revealed and chosen and not bet.options:
        answer = text.segments(f"{name}-again", {**facts, "verdict": verdict(chosen)})
    return {
        "question": text.segments(f"{name}-bet", facts),
        "options": [_option(option, bet, state, text, facts) for option in bet.options],
        "number": not bet.options,
        "chosen": chosen if revealed else "",
        "right": bet.right if revealed else None,
        "revealed": revealed,
        "hit": hit,
        "answer": answer,
        "tried": not bet.options and bool(chosen) and verdict(chosen) != "unreadable",
    }


def _option(
    name: str, bet: Bet, state: State, text: BeatText, facts: Mapping[str, object]
) -> Payload:
    tokens = state.problem.tokens
    token = int(name[1:]) if name[:1] == "w" and name[1:].isdigit() else None
    if token is not None and token < len(tokens):
        return {"name": name, "label": tokens[token], "token": token}
    label = bet.labels.get(name) or text.plain(f"option-{name}", facts)
    return {"name": name, "label": label, "token": None}
