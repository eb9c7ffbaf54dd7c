"""Each source is cited by a lesson, and each lesson ends with two to five of them."""

from pages.shared.contents import COURSE, STORY
from pages.shared.course import bibliography
from tests.apps import benched, html_of

LESSONS = [entry.name for entry in (*COURSE, STORY)]


def test_each_source_is_cited_and_a_page_ends_with_its_own():
    for key, source in bibliography.sources().items():
        assert set(source.lessons) <= set(LESSONS), key
        assert all(source), key
    shown = html_of(benched("viterbi", "sources"))
    assert all(source.title in shown for source in bibliography.of_lesson("viterbi"))
    assert all(2 <= len(bibliography.of_lesson(lesson)) <= 5 for lesson in LESSONS)
