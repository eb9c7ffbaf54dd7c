"""Each source is cited by a lesson, and each lesson ends with two to five of them."""

import pytest

from pages.shared.contents import COURSE
from pages.shared.course import bibliography
from tests.apps import opened

LESSONS = [entry.folder for entry in COURSE]


def test_each_source_is_cited_and_complete():
    for key, source in bibliography.sources().items():
        assert source.lessons, key
        assert set(source.lessons) <= set(LESSONS), key
        assert all((source.authors, source.title, source.where)), key


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_has_two_to_five(lesson):
    assert 2 <= len(bibliography.of_lesson(lesson)) <= 5


def test_a_page_ends_with_them():
    app = opened("viterbi")
    listed = [block.proto.body for block in app.get("html") if "data-sources" in block.proto.body]
    assert len(listed) == 1
    assert all(source.title in listed[0] for source in bibliography.of_lesson("viterbi"))
