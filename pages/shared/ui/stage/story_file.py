"""A lecture as one HTML file: its beats in every step and after every bet, without a server."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from crf.figures import file
from pages.shared.course.lecture_plan import LecturePlan, to_data
from pages.shared.course.state import State
from pages.shared.figures.beat import SHOWN, TOLD, Beat
from pages.shared.ui.stage import view as views
from pages.shared.ui.stage.beat_page import FOLDER
from pages.shared.ui.stage.draw import Lessons

LARGEST = 1_500_000  # bytes
_SHARED = ("words", "map", "beats", "modes", "headline")  # the same in all views of a lesson
_OTHER, _UNREADABLE = "99999", "x"  # typed numbers that are wrong for no known reason, and none


def document(plan: LecturePlan, lessons: Lessons) -> str:
    """The lecture as one HTML file, which opens on its first beat.

    Args:
        plan: Its beats; each is there with all its steps and bets.
        lessons: The beats of every lesson.
    """
    bases: dict[str, tuple[str, dict[str, str]]] = {}
    for one in plan.beats:
        parts = {key: text for key, text in parse_qsl(one.state) if key not in ("step", "bet")}
        bases.setdefault(_key(one.lesson, "", parts), (one.lesson, parts))
    held: dict[str, Any] = {"shared": {}, "views": {}, "numbers": {}}
    for lesson, parts in bases.values():
        beats = _beats_of(plan, lesson, lessons)
        for beat in beats:
            _hold(held, beat, lesson, beats, parts)
    first = plan.beats[0]
    state, fault = views.state_of(dict(parse_qsl(first.state)), first.lesson)
    beats = _beats_of(plan, first.lesson, lessons)
    data = views.data(beats[0], first.lesson, state, fault, "file", opens=False, beats=beats)
    whole = data | {"links": {}, "story": held}
    places = {key for one in plan.beats for key, _ in parse_qsl(one.state)} & {"step", "bet"}
    in_order = [one.name for one in beats] == [one.beat for one in plan.beats]
    if len(bases) > 1 or places or not in_order:
        whole |= {"lecture": to_data(plan)}  # else the bar of beats has the lecture's order
    note = views.all_words()["file-note"]
    figure = file.FigureInFile(FOLDER, whole, plan.title, note, views.STYLES)
    return file.document(plan.title, [figure])


def _beats_of(plan: LecturePlan, lesson: str, lessons: Lessons) -> list[Beat]:
    """The plan's beats of a lesson, each once, in the plan's order."""
    by_name = {beat.name: beat for beat in lessons[lesson]}
    return [
        by_name[name] for name in dict.fromkeys(b.beat for b in plan.beats if b.lesson == lesson)
    ]


def _hold(
    held: dict[str, Any], beat: Beat, lesson: str, beats: Sequence[Beat], parts: Mapping[str, str]
) -> None:
    """Add every view of a beat to the file's data."""
    base, _ = views.state_of(parts, lesson)
    address = {key: text for key, text in views.address(base, beat)["state"].items() if text}
    for step in ("", *map(str, beat.steps(base.problem))):
        state, _ = views.state_of({**address, "step": step}, lesson)
        for bet in ("", *_bets(beat, state)):
            state, fault = views.state_of({**address, "step": step, "bet": bet}, lesson)
            view = views.view(beat, lesson, state, fault, beats)
            held["shared"].setdefault(lesson, {key: view[key] for key in _SHARED if key in view})
            rest = {key: part for key, part in view.items() if key not in _SHARED}
            held["views"][_key(lesson, beat.name, address, step, bet)] = rest
        if numbers := _numbers(beat, state):
            typed = {"values": numbers, "other": _OTHER, "unreadable": _UNREADABLE}
            held["numbers"][_key(lesson, beat.name, address, step)] = typed


def _bets(beat: Beat, state: State) -> Iterator[str]:
    bet = beat.bet and beat.bet(state)
    if bet is None:
        return
    yield from (SHOWN, TOLD)
    yield from bet.options
    if numbers := _numbers(beat, state):
        yield from dict.fromkeys(text for _, text in numbers)
        yield from (_OTHER, _UNREADABLE)


def _numbers(beat: Beat, state: State) -> list[tuple[float, str]]:
    """The numbers that the beat's question distinguishes, with their texts."""
    bet = beat.bet and beat.bet(state)
    numbers = bet.numbers if bet else {}
    return [(value, f"{value:.3f}") for value in numbers.values() if abs(value) < 1e6]


def _key(lesson: str, beat: str, parts: Mapping[str, str], *rest: str) -> str:
    """The key of a state, built as in `answers.js`."""
    entries = [list(pair) for pair in sorted(parts.items())]
    key = [lesson, beat, entries, *rest]
    return json.dumps(key, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
