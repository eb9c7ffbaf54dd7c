"""A lecture as a list of beats: its file, its link, and what neither may bring in."""

import base64
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pages import beats
from pages.shared.contents import PAGES
from pages.shared.course import lecture_plan as plans
from pages.shared.course.lecture_plan import (
    LecturePlan,
    PlannedBeat,
    from_json,
    from_link,
    to_json,
    to_link,
)
from pages.shared.course.problem import ProblemError

KNOWN = {(lesson, beat.name) for lesson, all_beats in beats.LESSONS.items() for beat in all_beats}
letters = some.characters(exclude_categories=["C", "Z"])
lines = some.text(letters, min_size=1, max_size=plans.LONGEST_TITLE)
names = some.sampled_from(sorted(KNOWN))
planned = some.builds(
    lambda name, *rest: PlannedBeat(*name, *rest),
    names,
    some.sampled_from(["", "ex=old-man", "ex=old-man&step=3&bet=old", "sentence=a%20b&tagger=x"]),
    some.floats(0, plans.MOST_MINUTES),
    some.text(letters | some.just("\n"), max_size=80),
)
some_plans = some.builds(LecturePlan, lines, some.lists(planned, max_size=8).map(tuple))
PLAIN = LecturePlan("L", (PlannedBeat("trellis", "add", "ex=old-man&step=3", 5, "say it"),))


def old(*stops):
    """A file of version 1."""
    return json.dumps({"format": "crf lecture", "version": 1, "title": "L", "stops": list(stops)})


@given(some_plans)
def test_files_and_links_give_back_what_went_in(plan):
    assert from_json(to_json(plan), KNOWN) == (plan, ())
    assert from_json(to_json(plan).encode(), KNOWN) == (plan, ())
    assert from_link(to_link(plan), KNOWN) == (plan, ())


@given(some.one_of(some.text(max_size=300), some.integers(0, len(to_link(PLAIN)) - 1)))
def test_a_forged_link_is_refused_in_a_sentence_or_reads_as_a_lecture(forged):
    if isinstance(forged, int):  # the place of a wrong letter
        forged = to_link(PLAIN)[:forged] + "A" + to_link(PLAIN)[forged + 1 :]
    try:
        found: object = from_link(forged, KNOWN)[0]
    except ProblemError as error:
        found = str(error)
    assert isinstance(found, LecturePlan) or "; " in str(found)


def test_a_link_does_not_unpack_without_end():
    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * 5_000_000, 9)).decode().rstrip("=")
    with pytest.raises(ProblemError, match="expected a lecture"):
        from_link(bomb, KNOWN)


@pytest.mark.parametrize(
    ("was", "forged", "message"),
    [
        ('"crf lecture"', '"crf problem"', "format: expected 'crf lecture'"),
        ('"version": 2', '"version": 3', "version: expected 2"),
        ('"version": 2', '"version": true', "version: expected 2"),
        ('"L"', '" "', "title: expected one line of text"),
        ('"L"', '"' + "x" * 81 + '"', "title: expected at most 80 characters"),
        ('"add"', '"../x"', "beat 1, beat: expected a name as in an address"),
        ('"add"', '["add"]', "beat 1, beat: expected a name as in an address"),
        ('"add"', '"nope"', "beat 1: expected a beat of the course, got 'trellis/nope'"),
        ('"ex=old-man&step=3"', '"<b>"', "beat 1, state: expected what stands after"),
        ('"ex=old-man&step=3"', f'"ex={"x" * 4000}"', "state: expected at most 4000"),
        ("5.0", "-1", "beat 1, minutes: expected 0 to 240"),
        ("5.0", '"5"', "beat 1, minutes: expected 0 to 240"),
        ("5.0", "NaN", "file: expected numbers"),
        ('"say it"', '"\\u0007"', "beat 1, note: expected visible characters"),
        ('"note"', '"code"', "beat 1: expected the fields lesson, beat, state"),
        ('"lesson": "trellis",', "", "beat 1, lesson: expected a field of this name"),
        ('"title": "L",', "", "title: expected a field of this name"),
    ],
)
def test_a_forged_file_is_refused_where_it_is_wrong(was, forged, message):
    assert was in to_json(PLAIN)
    with pytest.raises(ProblemError, match=message):
        from_json(to_json(PLAIN).replace(was, forged, 1), KNOWN)


@pytest.mark.parametrize(
    "content",
    ["[]", "[" * 100_000, "", " " * 2_000_000, b"\xff\xfe", '{"beats": 1}', old(1), old({})],
    ids=range(8),
)
def test_rubbish_is_refused(content):
    with pytest.raises(ProblemError, match="; "):
        from_json(content, KNOWN)


def test_a_lecture_has_so_many_beats_at_most():
    with pytest.raises(ProblemError, match="at most 64, got 65"):
        LecturePlan("L", PLAIN.beats * 65)
    long = to_json(PLAIN).replace('"beats": [', '"beats": [' + "1, " * 70)
    with pytest.raises(ProblemError, match="at most 64, got 71"):
        from_json(long, KNOWN)


def test_keys_that_are_no_part_of_a_state_are_left_out():
    beat = PlannedBeat("trellis", "add", "hide=title&ex=old-man&size=large&screen=1&told=x")
    assert beat.state == "ex=old-man"


@pytest.mark.parametrize(
    ("page", "query", "beat"),
    [
        ("", "ex=arrow", ("tag", "flow", "ex=arrow")),
        ("structure", "guess=1", ("trellis", "bet", "ex=old-man")),
        ("structure", "picture=growth", ("trellis", "count", "ex=old-man")),
        ("scores", "y=0~1~2~0~2", ("trellis", "path", "ex=old-man&path=0~1~2~0~2")),
        ("forward", "step=5&hide=x", ("trellis", "add", "ex=old-man&step=5")),
        ("forward", "picture=fill", ("trellis", "column", "ex=old-man")),
        ("viterbi", "t=A~B&w=x~y&step=1", ("trellis", "best", "t=A~B&w=x~y&step=1")),
        ("backward", "step=2", ("trellis", "both", "ex=old-man&step=2")),
        ("backward", "picture=fronts&meet=2", ("trellis", "meet", "ex=old-man&step=2")),
    ],
)
def test_a_stop_of_version_1_becomes_the_beat_that_shows_it(page, query, beat):
    stop = {"page": page, "query": query, "title": "T", "note": "n", "minutes": 4, "image": ""}
    plan, left_out = from_json(old(stop), KNOWN)
    (made,) = plan.beats
    assert (made.lesson, made.beat) == beat[:2]
    assert sorted(made.state.split("&")) == sorted(beat[2].split("&"))
    assert (made.minutes, made.note, left_out) == (4, "n", ())


def test_a_stop_that_no_beat_shows_is_named_and_the_others_stay():
    stops = [{"page": page, "query": "", "title": f"On {page}"} for page in ("learning", "forward")]
    for found in (from_json(old(*stops), KNOWN), from_link(packed(old(*stops)), KNOWN)):
        plan, left_out = found
        assert [beat.beat for beat in plan.beats] == ["add"]
        assert plan.beats[0].note == "On forward"
        assert left_out == (
            "Stop 1, 'On learning', is left out, because no beat shows the page 'learning'. "
            "Add a beat in its place.",
        )


def packed(text):
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


@pytest.mark.parametrize(("name", "minutes"), [("twenty-minutes", 20), ("fifty-minutes", 50)])
def test_the_default_plans_tell_the_story_in_their_time(name, minutes):
    file = Path(PAGES) / "trellis" / f"{name}.json"
    plan, left_out = from_json(file.read_bytes(), KNOWN)
    assert (plan.minutes, left_out) == (minutes, ())
    order = [beat.name for beat in beats.LESSONS["trellis"]]
    told = [beat.beat for beat in plan.beats if beat.lesson == "trellis"]
    assert told == sorted(told, key=order.index)
    assert all(beat.note for beat in plan.beats)
