"""The reader's language: the address's, then the session's own choice; pages and links keep it."""

import re

import pytest
import streamlit as st

from crf.figures.languages import LANGUAGES, language
from pages.shared.contents import entry
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
    app = opened("stability", lang=name)  # what is not translated is English
    assert not app.exception
    assert " the " in html_of(app)


@pytest.mark.parametrize("address", ["", "forward", "glossary", "homework"])
def test_each_language_is_a_link_of_the_course(address):
    courses = re.findall('<nav class="crf-course">.*?</nav>', html_of(opened(address, lang="de")))
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

    def navigation(sections, **how):
        menus.append([page.title for pages in sections.values() for page in pages])
        return real(sections, **how)

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
