"""The reader's language: the address's, then the session's own choice; pages and links keep it."""

import re

import pytest
import streamlit as st

from crf.figures.languages import LANGUAGES, language
from pages.beats import LESSONS
from pages.shared import contents
from pages.shared.contents import entry
from pages.shared.figures.beat_text import shown_at
from pages.shared.ui.language import CHOSEN, bound
from pages.shared.ui.stage.view import kept_from
from tests.apps import html_of, of_stage, opened, switch

TITLES = {"en": "Forward", "de": "Vorwärtsrekursion", "zh": "前向算法"}


@pytest.mark.parametrize(("name", "said"), [("de", "Rückgängig"), ("zh", "撤销")])
def test_the_address_chooses(name, said):
    app = opened("forward", lang=name)
    assert not app.exception
    assert app.title[0].value == TITLES[name]
    assert of_stage(app)["language"] == name
    assert of_stage(app)["view"]["words"]["undo"] == said


@pytest.mark.parametrize("address", ["", "forward", "glossary", "homework"])
def test_each_language_is_a_link_of_the_course(address):
    courses = re.findall(
        '<nav class="crf-course"[^>]*>.*?</nav>', html_of(opened(address, lang="de"))
    )
    links = re.findall('<a href="([^"]*)"[^>]* lang="(..)" hreflang="(..)"([^>]*)>(.*?)<', *courses)
    assert [(key, name) for _, key, _, _, name in links] == [*LANGUAGES.items()]
    assert all(href == f"?lang={key}" and key == other for href, key, other, _, _ in links)
    assert all('data-keeps="*"' in more for *_, more, _ in links)
    assert [key for _, key, _, more, _ in links if "aria-current" in more] == ["de"]


def test_among_lessons_on_the_same_scores_links_keep_the_scores():
    kept = kept_from("trellis", "learning").split()
    assert {"lang", "ex", "sentence", "t", "edit", "fix"} <= {*kept}
    assert not {"beat", "step", "bet", "path", "with"} & {*kept}
    assert kept_from("trellis", "constraints") == kept_from("words", "trellis") == "lang"


def test_the_language_of_an_address_holds_in_the_menu_and_on_other_pages(monkeypatch):
    menus, real = [], st.navigation

    def navigation(pages, **how):
        menus.append([page.title for page in pages])
        return real(pages, **how)

    monkeypatch.setattr("pages.shared.ui.menu.st.navigation", navigation)
    app = opened("forward", ex="bio", lang="zh")
    assert app.title[0].value == TITLES["zh"]
    assert TITLES["zh"] in menus[-1]
    assert "".join(app.query_params["lang"]) == "zh"  # a text or a list of one
    switch(app, "viterbi")
    assert app.title[0].value == "维特比算法"
    assert app.session_state[CHOSEN.key] == "zh"


@pytest.mark.parametrize("forged", ["xx", "<b>", ""])
def test_an_unknown_language_is_english(forged):
    app = opened("stability", lang=forged)
    assert app.title[0].value == entry("stability").title == "Numerical stability"
    assert bool(of_stage(app)["view"]["message"]) == bool(forged)


def test_a_thread_without_a_session_speaks_what_it_was_bound_to(monkeypatch):
    assert language() in LANGUAGES
    monkeypatch.setattr("pages.shared.ui.language.current", lambda: "de")
    speaks = bound(language)
    monkeypatch.undo()
    assert (language(), speaks()) == ("en", "de")


def test_the_map_has_each_beat_once_and_the_modes_of_the_trellis():
    course = re.findall('<nav class="crf-course".*?</nav>', html_of(opened("forward")))[0]
    named = re.findall(r'data-beat-of="([\w/-]+)"', course)
    lessons = [one.folder for one in contents.lessons()]
    every = [f"{folder}/{beat.name}" for folder in lessons for beat in LESSONS[folder]]
    assert sorted(named) == sorted(every)
    assert len({*named}) == len(named)
    modes = {beat.mode: beat.name for beat in reversed(LESSONS["trellis"])}
    assert modes == contents.MODES
    assert re.findall('aria-current="page">(.*?)<', course) == ["add all"]
    assert course.count("<ol>") == 1
    assert "Forward" not in course  # a door, no lesson


def test_a_term_says_which_beat_shows_it():
    place = shown_at("bilstm")
    assert (place.lesson.folder, place.beat) == ("words", "network")
    assert shown_at("no-such-term") is None
    said = html_of(opened("glossary"))
    assert '<a href="/tagger?beat=network"' in said
