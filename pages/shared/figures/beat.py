"""A beat: one picture, one sentence, sometimes one bet. A lesson is a list of them.

A beat is plain data: what is drawn, what is said, what is asked. It knows no host: a page, a
student's phone, a frame on a course site and a test show it from the same JSON.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart
from pages.shared.figures.beat_text import BeatText


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


class Beat(NamedTuple):
    """One picture of a lesson with its sentence.

    Attributes:
        name: Heading in the lesson's beats.md, and part of the address.
        mode: The trace that it belongs to: "path", "add", "best", "both"; "" where there is none.
        figure: State → what the stage draws, whole, plain JSON. Pure.
        now: State → the part of it that belongs to the step on screen.
        tables: State → what a dragged score changes besides, for `now`; None: nothing.
        steps: Problem → the steps that → and ← go through.
        opens: Problem → the step where the beat opens.
        facts: State → what fills the holes of the beat's text and decides its guards.
        bet: State → the question before the picture, or None; None: it never has one.
        task: State → what a class does together in place of the bet; None: it votes on the bet.
        more: What stands behind "⋯": code, derivation, table, exercise.
        controls: Those of the lesson's own that it reads: name → default, and how it is read.
    """

    name: str
    mode: str
    figure: Callable[[State], Payload]
    now: Callable[[State], Payload]
    steps: Callable[[Problem], range] = lambda problem: range(1)
    opens: Callable[[Problem], int] = lambda problem: 0
    facts: Callable[[State], dict[str, object]] = lambda state: {}
    bet: Callable[[State], Bet | None] | None = None
    task: Callable[[State], Task] | None = None
    tables: Callable[[State], Payload] | None = None
    more: tuple[str, ...] = ()
    controls: Mapping[str, StatePart] = {}


SHOWN = "-"  # a state's bet where the question is settled
TOLD = "."  # where the reader wants to read the answer without a bet


def step_of(beat: Beat, state: State) -> int:
    """The step on screen: the state's if the beat has such a step, else the one where it opens.

    An edit does not move it.
    """
    steps = beat.steps(state.problem)
    if state.step is None or state.step not in steps:
        return beat.opens(state.given.problem)
    return state.step


def waits(bet: Bet | None, state: State) -> bool:
    """Whether a question still waits for its answer, which must stay hidden until then."""
    if bet is None or state.bet in (SHOWN, TOLD):
        return False
    return state.bet not in bet.options if bet.options else not state.bet


def bet_payload(
    name: str, bet: Bet | None, state: State, text: BeatText, facts: Mapping[str, object]
) -> Payload | None:
    """The question as the stage draws it, and its answer once the reader has chosen.

    Args:
        name: The beat's; passages `NAME-bet`, `NAME-answer` and `option-OPTION` are its words, and
            where there is one, `NAME-told`: the answer for a reader who has not bet.
        bet: The question; None: there is none.
        state: Its state.
        text: The lesson's words.
        facts: What fills their holes; the answer has `verdict` besides.
    """
    if bet is None:
        return None
    revealed, chosen = not waits(bet, state), state.bet
    answer = None
    if revealed and chosen == TOLD and text.has(f"{name}-told"):
        answer = text.segments(f"{name}-told", facts)
    elif revealed and chosen not in (SHOWN, TOLD):
        verdict = bet.verdict or (lambda choice: "right" if choice == bet.right else "wrong")
        answer = text.segments(f"{name}-answer", {**facts, "verdict": verdict(chosen)})
    return {
        "question": text.segments(f"{name}-bet", facts),
        "options": [_option(option, bet, state, text, facts) for option in bet.options],
        "number": not bet.options,
        "chosen": chosen if revealed else "",
        "right": bet.right if revealed else None,
        "revealed": revealed,
        "answer": answer,
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
