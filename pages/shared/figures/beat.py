"""A beat: one picture, one sentence, sometimes one bet. A lesson is a list of them.

A beat is plain data: what is drawn, what is said, what is asked. It knows no host: a page, a
student's phone, a frame on a course site and a test show it from the same JSON.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.course.state import State


class Bet(NamedTuple):
    """A question to commit to before the answer is drawn.

    Attributes:
        options: Their names: "w3" is the word with index 3; (): the answer is a number.
        right: The option that is right, or the number as text.
        labels: What options are called that are neither words nor passages `option-NAME`.
        numbers: Numbers that the answer tells apart, by what they are: the right one, known slips.
    """

    options: tuple[str, ...]
    right: str
    labels: Mapping[str, str] = {}
    numbers: Mapping[str, float] = {}


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
        bet: State → the question before the picture; None: there is none.
        more: What stands behind "⋯": code, derivation, table, exercise.
    """

    name: str
    mode: str
    figure: Callable[[State], Payload]
    now: Callable[[State], Payload]
    steps: Callable[[Problem], range] = lambda problem: range(1)
    opens: Callable[[Problem], int] = lambda problem: 0
    facts: Callable[[State], dict[str, object]] = lambda state: {}
    bet: Callable[[State], Bet] | None = None
    tables: Callable[[State], Payload] | None = None
    more: tuple[str, ...] = ()
