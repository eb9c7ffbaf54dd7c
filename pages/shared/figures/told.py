"""Beats from tellings: how a lesson without a trellis is told.

    tell("stability", TEXT, Telling("multiply", drawn=lanes, facts=of_product, steps=words), …)

Each telling becomes a `Beat` whose picture is drawn by the lesson's own module (`PICTURES` in
pages/pictures.js, by its kind) from `view.picture`: what `drawn` gives, with `view.picture.now`,
which is what `at` gives with the step, the sentence, the equation and the question. The words
stand in the lesson's beats.md:

    ## multiply-label        what the bar of beats calls it
    ## multiply-question     the question above the picture
    ## multiply              the sentence below it
    ## multiply-equation     the line below the sentence; where there is none, there is none
    ## multiply-bet          the question to commit to; with option-NAME and multiply-answer
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart
from pages.shared.figures.beat import Beat, Bet, bet_payload, step_of, waits
from pages.shared.figures.beat_text import BeatText


class Telling(NamedTuple):
    """Everything that makes one beat of a lesson: pure functions of a state.

    Attributes:
        name: The beat's.
        drawn: State → the whole picture, plain JSON.
        facts: State, step → what fills the holes of its text and decides its guards.
        at: State, step → the part of the picture that belongs to the step, as `column`.
        steps: Problem → the steps that → and ← go through.
        opens: Problem → the step where it opens.
        bet: State → its question; None: there is none, or nothing to ask in this state.
        veil: Picture and its step → both without what answers an open question.
        controls: The controls that it reads.
        mode: Its mode, where the lesson has modes.
    """

    name: str
    drawn: Callable[[State], Payload]
    facts: Callable[[State, int], dict[str, Any]] = lambda state, step: {}
    at: Callable[[State, int], Payload] = lambda state, step: {}
    steps: Callable[[Problem], range] = lambda problem: range(1)
    opens: Callable[[Problem], int] = lambda problem: 0
    bet: Callable[[State], Bet | None] | None = None
    veil: Callable[[Payload, Payload], tuple[Payload, Payload]] = lambda picture, now: (
        picture,
        now,
    )
    controls: Mapping[str, StatePart] = {}
    mode: str = ""


def tell(kind: str, text: Path, *tellings: Telling, chooses: bool = True) -> tuple[Beat, ...]:
    """The beats of a lesson.

    Args:
        kind: The picture that draws them, a name in pages/pictures.js.
        text: The lesson's beats.md.
        tellings: One for each beat, in their order.
        chooses: Whether the reader may choose the sentence; not in a lesson that brings its own.
    """
    return tuple(_beat(kind, text, one, chooses) for one in tellings)


def _beat(kind: str, path: Path, telling: Telling, chooses: bool) -> Beat:
    def drawn(state: State, whole: Payload) -> tuple[Payload, Payload]:
        """The picture and its step, without what answers an open question."""
        step, steps = step_of(beat, state), beat.steps(state.problem)
        text, facts = BeatText.load(path), telling.facts(state, step)
        bet = telling.bet(state) if telling.bet else None
        now = {"column": None, "step": step, "first": steps.start, "of": steps.stop}
        now |= telling.at(state, step) | {
            "say": [],
            "equation": [],
            "bet": bet_payload(telling.name, bet, state, text, facts),
        }
        if waits(bet, state):
            return telling.veil(whole, now)
        now["say"] = text.segments(telling.name, facts)
        if text.has(f"{telling.name}-equation"):
            now["equation"] = text.segments(f"{telling.name}-equation", facts)
        return whole, now

    def figure(state: State) -> Payload:
        whole, now = drawn(state, telling.drawn(state))
        picture = whole | {"now": now}
        return {"kind": kind, "mode": telling.mode, "chooses": chooses, "picture": picture}

    beat = Beat(
        telling.name,
        telling.mode,
        figure,
        lambda state: drawn(state, {})[1],
        telling.steps,
        telling.opens,
        facts=lambda state: telling.facts(state, step_of(beat, state)),
        bet=telling.bet,
        tables=lambda state: drawn(state, telling.drawn(state))[0],
        controls=telling.controls,
    )
    return beat
