"""A lecture as one HTML file: what → reaches in its beats, and answers to bets, without a server.

Steps mostly share their picture, and answers to a bet their step, so each different one is held
once: `pictures` and `nows` by the hash of what they are, `views` with the names of its own.
"""

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

from crf.figures import file
from pages.shared.course.lecture_plan import LecturePlan, to_data
from pages.shared.course.problem_checks import refuse
from pages.shared.course.state import State
from pages.shared.figures.beat import AGAIN, SHOWN, TOLD, Beat
from pages.shared.ui.stage import view as views
from pages.shared.ui.stage.draw import Lessons

MOST = 20_000_000  # bytes of what any lecture holds
FEW = 64  # steps; of a longer beat, bets are answered where it opens, and elsewhere only told
_SHARED = ("words", "map", "beats", "modes", "headline")  # the same in all views of a lesson
_OTHER, _UNREADABLE = "99999", "x"  # typed numbers that are wrong for no known reason, and none


def document(plan: LecturePlan, lessons: Lessons, seconds: float = math.inf) -> str:
    """The lecture as one HTML file, which opens on its first beat.

    Args:
        plan: Its beats.
        lessons: The beats of every lesson.
        seconds: How long this may take.

    Raises:
        ProblemError: It takes longer, or is larger than `MOST`: the message names the beat.
    """
    until = time.monotonic() + seconds
    bases: dict[str, tuple[str, dict[str, str]]] = {}
    for one in plan.beats:
        parts = {key: text for key, text in parse_qsl(one.state) if key not in ("step", "bet")}
        bases.setdefault(_key(one.lesson, "", parts), (one.lesson, parts))
    held = nothing()
    size = 0
    for lesson, parts in bases.values():
        beats = _beats_of(plan, lesson, lessons)
        for beat in beats:
            for added in hold(held, beat, lesson, beats, parts):
                size += added
                if size > MOST or time.monotonic() > until:
                    where = f"{lesson}/{beat.name}"
                    short = "a shorter sentence or fewer tags there, or leave this beat out"
                    raise refuse("lecture", "a file that is small enough", where, f"take {short}")
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
    figure = file.FigureInFile(views.STAGE, whole, plan.title, note)
    return file.document(plan.title, [figure])


def _beats_of(plan: LecturePlan, lesson: str, lessons: Lessons) -> list[Beat]:
    """The plan's beats of a lesson, each once, in the plan's order."""
    by_name = {beat.name: beat for beat in lessons[lesson]}
    return [
        by_name[name] for name in dict.fromkeys(b.beat for b in plan.beats if b.lesson == lesson)
    ]


def nothing() -> dict[str, Any]:
    """The data of a file that holds no beat yet."""
    return {"shared": {}, "pictures": {}, "nows": {}, "views": {}, "numbers": {}}


def hold(
    held: dict[str, Any], beat: Beat, lesson: str, beats: Sequence[Beat], parts: Mapping[str, str]
) -> Iterator[int]:
    """Add the views of a beat to a file's data; how many bytes each has added.

    Args:
        held: The data, as `nothing` begins them.
        beat: The beat.
        lesson: Its lesson.
        beats: Those on the bar of beats; none where there is no such bar.
        parts: The state's parts.
    """
    base, _ = views.state_of(parts, lesson)
    address = {key: text for key, text in views.address(base, beat)["state"].items() if text}
    base, _ = views.state_of(address, lesson)
    steps = beat.steps(base.given.problem)
    # where one step asks, another that asks nothing may be reached with its question settled
    settled = (SHOWN, TOLD, AGAIN) if any(beat.asks(replace(base, step=s)) for s in steps) else ()
    for step in (None, *steps):
        at, written = replace(base, step=step), "" if step is None else str(step)
        answers_all = len(steps) <= FEW or step in (None, beat.opens(base.given.problem))
        for bet in ("", *settled, *(_bets(beat, at) if answers_all else ())):
            view = views.view(beat, lesson, replace(at, bet=bet), "", beats)
            held["shared"].setdefault(lesson, {key: view[key] for key in _SHARED if key in view})
            rest = {key: part for key, part in view.items() if key not in _SHARED}
            where = "picture" if "picture" in rest else rest["kind"]
            figure = rest.pop(where)
            now = figure.pop("now")
            rest["bet"] = now.pop("bet", None)
            names = [_once(held["pictures"], figure), _once(held["nows"], now)]
            added = sum(size for _, size in names)
            rest["held"] = [where, *(name for name, _ in names)]
            held["views"][_key(lesson, beat.name, address, written, bet)] = rest
            yield added + len(json.dumps(rest, allow_nan=False))
        if answers_all and (numbers := _numbers(beat, at)):
            typed = {"values": numbers, "other": _OTHER, "unreadable": _UNREADABLE}
            held["numbers"][_key(lesson, beat.name, address, written)] = typed


def _once(table: dict[str, Any], part: Any) -> tuple[str, int]:
    """Hold a part once; its name there, and how many bytes it has added."""
    text = json.dumps(part, allow_nan=False)
    name = sha256(text.encode()).hexdigest()[:12]
    added = 0 if name in table else len(text)
    table[name] = part
    return name, added


def _bets(beat: Beat, state: State) -> Iterator[str]:
    bet = beat.asks(state)
    if bet is None:
        return
    yield from bet.options
    if numbers := _numbers(beat, state):
        for again in ("", AGAIN):
            yield from dict.fromkeys(again + text for _, text in numbers)
            yield from (again + _OTHER, again + _UNREADABLE)


def _numbers(beat: Beat, state: State) -> list[tuple[float, str]]:
    """The numbers that the beat's question distinguishes, with their texts."""
    bet = beat.asks(state)
    numbers = bet.numbers if bet else {}
    return [(value, f"{value:.3f}") for value in numbers.values() if abs(value) < 1e6]


def _key(lesson: str, beat: str, parts: Mapping[str, str], *rest: str) -> str:
    """The key of a state, built as in `answers.js`."""
    entries = [list(pair) for pair in sorted(parts.items())]
    key = [lesson, beat, entries, *rest]
    return json.dumps(key, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
