"""A lecture: what its file and its link carry, and what neither may bring in."""

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pages.shared.course import lecture as lectures
from pages.shared.course.json_files import MAX_FILE
from pages.shared.course.lecture import Lecture, Stop, from_json, from_link, to_json, to_link
from pages.shared.course.problem import ProblemError

letters = some.characters(exclude_categories=["C", "Z"])
lines = some.text(letters, min_size=1, max_size=lectures.LONGEST_TITLE)
stops = some.builds(
    Stop,
    page=some.sampled_from(lectures.PAGES),
    query=some.text(sorted(lectures._IN_A_QUERY), max_size=60),
    title=lines,
    note=some.text(letters | some.just("\n"), max_size=80),
    minutes=some.floats(0, lectures.MOST_MINUTES),
)
some_lectures = some.builds(Lecture, lines, some.lists(stops, max_size=8).map(tuple))
PLAIN = Lecture("L", (Stop("forward", "ex=old-man&step=3", "One", "say it", 5),))


@given(some_lectures)
def test_files_and_links_give_back_what_went_in(lecture):
    assert from_json(to_json(lecture)) == lecture
    assert from_json(to_json(lecture).encode()) == lecture
    assert from_link(to_link(lecture)) == lecture


@given(some.one_of(some.text(max_size=300), some.integers(0, len(to_link(PLAIN)) - 1)))
def test_a_forged_link_is_refused_in_a_sentence_or_reads_as_a_lecture(forged):
    if isinstance(forged, int):  # the place of a wrong letter
        forged = to_link(PLAIN)[:forged] + "A" + to_link(PLAIN)[forged + 1 :]
    try:
        found: object = from_link(forged)
    except ProblemError as error:
        found = str(error)
    assert isinstance(found, Lecture) or "; " in str(found)


def test_the_largest_lecture_goes_into_a_link_and_none_unpacks_without_end():
    stop = Stop("forward", "", "t" * lectures.LONGEST_TITLE, "😀" * lectures.LONGEST_NOTE)
    lecture = Lecture("L", (stop,) * lectures.MOST_STOPS)
    assert from_link(to_link(lecture)) == lecture
    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * 5_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < lectures.MAX_LINK
    with pytest.raises(ProblemError, match="expected a lecture"):
        from_link(bomb)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"page": "../etc"}, "page: expected one of scores"),
        ({"page": ["forward"]}, "page: expected one of"),
        ({"query": "x=<script>"}, "query: expected what stands after"),
        ({"query": None}, "query: expected a text"),
        ({"title": " "}, "title: expected one line of text"),
        ({"title": "a\nb"}, "title: expected one line of text"),
        ({"title": "x" * 81}, "title: expected at most 80"),
        ({"note": "x" * 501}, "note: expected at most 500"),
        ({"note": "\ud800"}, "note: expected visible characters"),
        ({"minutes": -1}, "minutes: expected 0 to 240"),
        ({"minutes": True}, "minutes: "),
    ],
)
def test_a_stop_refuses(changes, message):
    given = {"page": "forward", "query": "", "title": "t", "note": "", "minutes": 1} | changes
    with pytest.raises(ProblemError, match="^" + message):
        Stop(**given)
    written = {"format": "crf lecture", "version": 1, "title": "t", "stops": [given]}
    with pytest.raises(ProblemError):
        from_json(json.dumps(written))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version": 1', '"version": 2', "version: expected 1, got 2"),
        ("crf lecture", "linear-chain problem", "format: expected 'crf lecture'"),
        ('"title": "L",', "", "title: expected a field of this name"),
        ('"note"', '"notes"', "stop 1: expected the fields page, query, title, note, minutes"),
        ('"page": "forward",', "", "stop 1, page: expected a field of this name"),
        ('"minutes": 5.0', '"minutes": NaN', "file: expected numbers"),
        ('"forward",', '"forward"', r"line 8, column 4: this is not JSON"),
    ],
)
def test_a_file_is_refused_where_it_is_wrong(old, new, message):
    assert old in to_json(PLAIN)
    with pytest.raises(ProblemError, match=message):
        from_json(to_json(PLAIN).replace(old, new))
    for rubbish in ("[]", "[" * 100_000, "", " " * 2_000_000, b"\xff\xfe"):
        with pytest.raises(ProblemError):  # as a file of a problem is refused
            from_json(rubbish)


def test_what_a_person_leaves_out_of_a_stop_is_filled_in():
    stop = {"page": "", "query": "", "title": "front"}
    file = json.dumps({"format": "crf lecture", "version": 1, "title": "L", "stops": [stop]})
    assert from_json(file.ljust(MAX_FILE)).stops == (Stop("", "", "front"),)


class TestChanges:
    ABC = Lecture("L", tuple(Stop("", "", name, minutes=k) for k, name in enumerate("abc")))

    def order(self, lecture):
        return "".join(stop.title for stop in lecture.stops)

    def test_each(self):
        for index, to, order in ((0, 1, "bac"), (2, 0, "cab"), (1, 9, "acb"), (1, -4, "bac")):
            assert self.order(self.ABC.moved(index, to)) == order
        assert self.order(self.ABC.with_changed(1)) == "ac"
        assert self.order(self.ABC.with_stop(Stop("", "", "d"))) == "abcd"
        assert self.ABC.with_changed(1, Stop("", "", "b", minutes=4)).starts() == (0, 0, 4)
        assert self.ABC.minutes == 3

    def test_as_many_as_there_may_be(self):
        full = Lecture("L", (Stop("", "", "a"),) * lectures.MOST_STOPS)
        with pytest.raises(ProblemError, match="stops: expected at most 64, got 65; delete one"):
            full.with_stop(Stop("", "", "b"))
