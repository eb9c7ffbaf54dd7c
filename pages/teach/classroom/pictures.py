"""The current beat as phones are sent it, and the counting of their answers.

A beat is sent as two parts: the picture, which stays while one steps and is fetched once under the
name of its own hash, and `now`, the step on screen, which stands in the event itself. As long as a
question is open, neither holds its answer: the beat's own view leaves it out.
"""

import gzip
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from crf.figures.colours import tag_colours
from crf.figures.numbers import format_score
from crf.strict_json import write_json
from pages.shared.contents import PAGES
from pages.shared.course.state import State
from pages.shared.course.typed_numbers import parse_score
from pages.shared.figures.beat import SHOWN, TOLD, Beat, Task
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui.component_data import as_json
from pages.shared.ui.language import speaking
from pages.shared.ui.stage import view as views
from pages.shared.ui.stage.draw import Lessons

MOST_KEPT = 24  # pictures: a few beats in each language
ROUNDED = 0.0501  # numbers that differ by no more agree: one may round to a decimal
OPEN, NAMED, OVER = "open", "named", "over"  # phases of a question
_OF_STEP = ("state", "query", "trellis", "message")  # parts of a view that change with the step
_NOT_ASKED = (
    "bet",
    "edit",
    "path",
    "step",
    "with",
)  # parts of a state that make no other question of it


@dataclass(frozen=True)
class Shown:
    """What the lecturer presents: a beat in a state.

    Attributes:
        lesson: Its folder.
        beat: Its name.
        parts: The state, as an address has it.
        named: Whether the slips are named on the projector, so that answers are closed.
        resting: Whether nothing moves; else `now` alone is sent, with the tables of a drag.
    """

    lesson: str
    beat: str
    parts: dict[str, str]
    named: bool = False
    resting: bool = True


class ShownBeat(NamedTuple):
    """A beat in its state, and what is asked there."""

    beat: Beat
    state: State
    task: Task | None  # what each phone does one part of; None: all are asked the same
    options: tuple[str, ...]  # of the question; (): there is none, or a number is asked for
    phase: str  # "": nothing is asked
    question: str  # its name, the same whenever it is shown again; "": nothing is asked


def scene(shown: Shown, lessons: Lessons) -> ShownBeat:
    """Read the beat that is shown, in its state."""
    beat = next(one for one in lessons[shown.lesson] if one.name == shown.beat)
    state, _ = views.state_of(shown.parts, shown.lesson)
    now = beat.now(state)
    bet = now.get("bet")
    if not bet:
        return ShownBeat(beat, state, None, (), "", "")
    phase = OVER if bet["revealed"] else NAMED if shown.named else OPEN
    options = tuple(option["name"] for option in bet["options"])
    task = beat.shares(state)
    same = sorted((name, text) for name, text in shown.parts.items() if name not in _NOT_ASKED)
    about = [shown.lesson, shown.beat, same, list(task.steps) if task else now.get("step")]
    question = sha256(write_json(about).encode()).hexdigest()[:16]
    if phase == OVER and state.bet != SHOWN:  # whatever the lecturer has bet
        state, _ = views.state_of(shown.parts | {"bet": TOLD}, shown.lesson)
    return ShownBeat(beat, state, task, options, phase, question)


class SentPictures:
    """What phones are sent, and the last pictures, apart from what /draw computes."""

    def __init__(self, lessons: Lessons) -> None:
        self.lessons = lessons
        self._cache: OrderedDict[str, bytes] = OrderedDict()  # by hash, gzipped

    def picture(self, name: str) -> bytes | None:
        """A picture by its hash, gzipped; None: it is none of the last ones."""
        return self._cache.get(name)

    def told(self, shown: Shown, language: str) -> dict[str, Any]:
        """The event's data about the beat that is shown, in one language."""
        with speaking(language):
            shown_beat = scene(shown, self.lessons)
            beat, state, task = shown_beat.beat, shown_beat.state, shown_beat.task
            event: dict[str, Any] = {
                "lesson": shown.lesson,
                "beat": shown.beat,
                "phase": shown_beat.phase,
                "question": shown_beat.question,
            }
            if task:
                cells = [list(cell) for cell in task.cells]
                event["task"] = {"kind": task.kind, "steps": task.steps, "cells": cells}
            if not shown.resting:
                now = beat.now(state)
                if changed := beat.tables(state):
                    now |= {"picture": changed}
                return event | {"now": now, "picture": ""}
            view = views.view(beat, shown.lesson, state, "", self.lessons[shown.lesson])
            now = (view.get("picture") or view[view["kind"]]).pop("now")
            step = {name: view.pop(name) for name in _OF_STEP}
            if shown_beat.phase == OVER and shown_beat.options and state.bet == TOLD:
                now["bet"]["answers"] = self._answers(shown_beat, shown)
            return event | {"now": now, "of_step": step, "picture": self._keep(as_json(view))}

    def _answers(self, scene: ShownBeat, shown: Shown) -> dict[str, Any]:
        """The sentences for students who were right, and for those who were not."""
        answers = {}
        for option in scene.options:
            parts = shown.parts | {"bet": option}
            state, _ = views.state_of(parts, shown.lesson)
            answers[option] = scene.beat.now(state)["bet"]["answer"]
        return answers

    def _keep(self, picture: bytes) -> str:
        name = sha256(picture).hexdigest()[:20]
        if name not in self._cache:
            self._cache[name] = gzip.compress(picture, compresslevel=6, mtime=0)
        self._cache.move_to_end(name)
        while len(self._cache) > MOST_KEPT:
            self._cache.popitem(last=False)
        return name


# ---------------------------------------------------------------------- answers


def step_of(scene: ShownBeat, place: int) -> int:
    """The step that a phone is asked about, by its place: all steps get as many phones."""
    return scene.task.steps[place % len(scene.task.steps)] if scene.task else 0


def read_answer(scene: ShownBeat, text: str) -> str:
    """Read an answer as a phone sends it: an option's name, or a number in the phone's language.

    Returns:
        The name; of a number its shortest decimal with a point, the same in every language. Nothing
        else of the text is kept.

    Raises:
        ProblemError: It is no number, where one is asked for; the message says so.
        ValueError: It is none of the options; it has no message.
    """
    options = scene.task.options if scene.task else scene.options
    if not options:
        return repr(parse_score(text, "number"))
    if text not in options:
        raise ValueError
    return text


def _value(scene: ShownBeat, vote: str) -> float | str | None:
    """A kept vote as a number or an option's name; None: it is neither.

    Earlier versions kept what was typed: of that, a number is read, with a point or a comma.
    """
    options = scene.task.options if scene.task else scene.options
    if options:
        return vote if vote in options else None
    try:
        return float(vote.replace(",", "."))
    except ValueError:
        return None


def tally(scene: ShownBeat, votes: Sequence[tuple[int, str]], lesson: str) -> dict[str, Any]:
    """The counted answers: for each option, or for each cell that is shared out.

    Args:
        scene: What is asked.
        votes: (step, answer) of each phone that has answered, as `read_answer` gives it.
        lesson: Its folder, whose text names the slips.
    """
    values = [(step, value) for step, vote in votes if (value := _value(scene, vote)) is not None]
    counted: dict[str, Any] = {"answered": len(values), "phase": scene.phase}
    if scene.task is None:
        by_option = Counter(value for _, value in values)
        counted["options"] = {name: by_option[name] for name in scene.options}
        return counted
    text = BeatText.load(PAGES / lesson / "beats.md")
    rows, verdicts, tags = [], Counter[str](), scene.state.problem.tags
    colours = tag_colours(tags)
    for step, cell in zip(scene.task.steps, scene.task.cells, strict=True):
        mine = [value for at, value in values if at == step]
        judged = [scene.task.verdict(step, value) for value in mine]
        verdicts.update(judged)
        commonest, agree = _commonest(mine)
        row: dict[str, Any] = {
            "cell": list(cell),
            "colour": colours[tags[cell[1]]],
            "answered": len(mine),
            "commonest": commonest,
            "agree": agree,
        }
        if scene.phase != OPEN:
            row["value"] = _written(scene.task.right(step))
            row["right"] = judged.count("right")
            row["slips"] = _slips(mine, judged, text)
        rows.append(row)
    counted["cells"] = rows
    if scene.phase != OPEN:
        counted["say"] = text.segments(f"{scene.beat.name}-class", _class_facts(rows, verdicts))
    return counted


def _slips(
    answers: Sequence[float | str], verdicts: Sequence[str], text: BeatText
) -> list[dict[str, Any]]:
    """The wrong answers to a cell, the commonest first: equal slips together, each other alone."""
    first: dict[tuple[str, str], str] = {}
    counts = Counter[tuple[str, str]]()
    for answer, verdict in zip(answers, verdicts, strict=True):
        if verdict != "right":
            name = "way" if isinstance(answer, str) else verdict
            slip = (name, _written(answer) if verdict == "other" else "")
            first.setdefault(slip, _written(answer))
            counts[slip] += 1
    return [
        {"value": first[slip], "n": n, "label": text.plain(f"slip-{slip[0]}", {})}
        for slip, n in counts.most_common()
    ]


def _class_facts(rows: Sequence[Mapping[str, Any]], verdicts: Counter[str]) -> dict[str, object]:
    """What the sentence about a class tells: who was right, and which known slip most made."""
    named = [(n, name) for name, n in verdicts.items() if name not in ("right", "other")]
    most, slip = max(named, default=(0, "none"))
    answered = sum(verdicts.values())
    return {"right": verdicts["right"], "n": most, "slip": slip, "answered": answered}


def _commonest(answers: Sequence[float | str]) -> tuple[str, int]:
    """The most frequent answer and its count; a rounded number counts with the exact one.

    >>> _commonest([9.13, 9.1, 8.63]), _commonest(["t1", "t3", "t3"]), _commonest([])
    (('9.13', 2), ('t3', 2), ('', 0))
    """

    def agree(one: float | str, other: float | str) -> bool:
        is_near = (
            isinstance(one, float) and isinstance(other, float) and abs(one - other) <= ROUNDED
        )
        return is_near or one == other

    counts = [sum(agree(one, other) for other in answers) for one in answers]
    best = max(range(len(answers)), key=lambda k: (counts[k], len(str(answers[k]))), default=None)
    return ("", 0) if best is None else (_written(answers[best]), counts[best])


def _written(answer: float | str) -> str:
    """A number as it is shown, with two decimals; an option's name as it is."""
    return answer if isinstance(answer, str) else format_score(answer)
