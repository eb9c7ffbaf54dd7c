"""Each source is cited by a lesson, and each lesson ends with two to five of them."""

import pytest

from pages.shared.contents import COURSE
from pages.shared.course import bibliography
from tests.apps import html_of, opened

LESSONS = [entry.folder for entry in COURSE]


def test_each_source_is_cited_and_a_page_ends_with_its_own():
    for key, source in bibliography.sources().items():
        assert set(source.lessons) <= set(LESSONS), key
        assert all(source), key
    shown = html_of(opened("viterbi"))
    assert all(source.title in shown for source in bibliography.of_lesson("viterbi"))


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_has_two_to_five(lesson):
    assert 2 <= len(bibliography.of_lesson(lesson)) <= 5
