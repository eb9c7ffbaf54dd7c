"""No text that a request can carry costs others more than half a second of a processor."""

import time
from collections.abc import Callable

import pytest

from crf.lab import pasted
from pages.beats import LESSONS
from pages.shared.course.problem_checks import phrase
from pages.shared.course.right_to_left import isolate
from pages.shared.figures.beat import Beat
from pages.shared.ui.stage import view as views

MORE = 0.5  # seconds of processor time above those of an ordinary text
LONGEST = 4000  # characters of a control
PARTS = [
    "1",
    " ",
    "[",
    "+-",
    "a",
    "1,",
    "1e",
    "1.",
    "size=<",
    "(",
    "-1.5e[",
    "\u05d0-",
    "a.",
    "\u2068",
]
CONTROLS = {
    (lesson, name): beats
    for lesson, all_beats in LESSONS.items()
    for name in sorted({name for beat in all_beats for name in beat.controls})
    if (beats := [beat for beat in all_beats if name in beat.controls])
}


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def hostile(part: str, length: int) -> str:
    """A text of one part again and again, which at its end is not what it promised to be."""
    return (part * length)[: length - 1] + "x"


def drawn(lesson: str, beat: Beat, control: str, text: str) -> None:
    state, _ = views.state_of({"with": f"{control}_{text}"}, lesson)
    beat.now(state)


def check(lesson: str, beat: Beat, control: str) -> None:
    drawn(lesson, beat, control, "1")  # imports, caches
    usual = seconds(lambda: drawn(lesson, beat, control, "2"))
    for part in PARTS:
        cost = seconds(lambda part=part: drawn(lesson, beat, control, hostile(part, LONGEST)))
        assert cost < usual + MORE, (lesson, beat.name, control, part)


@pytest.mark.parametrize(("lesson", "control"), CONTROLS)
def test_no_text_of_a_control_costs_much(lesson, control):
    check(lesson, CONTROLS[lesson, control][0], control)


@pytest.mark.thorough
@pytest.mark.parametrize(("lesson", "control"), CONTROLS)
def test_no_text_of_a_control_costs_much_in_any_beat(lesson, control):
    for beat in CONTROLS[lesson, control]:
        check(lesson, beat, control)


def read(text: str) -> None:
    with pytest.raises(pasted.PastedError):
        pasted.read(text, 2, 2)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("reads", "length"), [(read, pasted.LONGEST), (isolate, 20_000), (phrase, 20_000)]
)
def test_what_reads_texts_goes_over_them_once(reads, length, part, monkeypatch):
    monkeypatch.setattr("pages.shared.course.problem_checks.language", lambda: "de")
    assert seconds(lambda: reads(hostile(part, length))) < MORE


@pytest.mark.parametrize("text", ["1.5e999 2 3 4", "1e5000 1.5 2 3", f"1.5e{'9' * 3000} 1 2 3"])
def test_a_number_too_large_for_a_float_is_infinite_and_tells_nothing_of_precision(text):
    read = pasted.read(text, 2, 2)
    assert float("inf") in read.rows[0]
    assert read.tolerance < 1


def test_a_factor_too_large_for_a_float_is_refused():
    with pytest.raises(pasted.PastedError, match="larger than any number"):
        pasted.read("1e999 * [[1, 2], [3, 4]]", 2, 2)
