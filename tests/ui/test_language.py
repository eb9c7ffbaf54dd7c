"""The reader's language: the address's, then the session's own choice; pages and links keep it."""

import pytest

from crf.figures.languages import LANGUAGES, language
from pages.shared.ui.language import CHOSEN, bound
from tests.apps import html_of, opened, switch

TITLES = {"en": "Forward", "de": "Forward", "zh": "前向算法"}


@pytest.mark.parametrize(("name", "said"), [("de", "Dieser Schritt"), ("zh", "这一步")])
def test_the_address_chooses(name, said):
    app = opened("forward", lang=name)
    assert not app.exception
    assert app.title[0].value == TITLES[name]
    assert said in html_of(app)
    assert f'lang="{name}"' in html_of(app)


def test_a_choice_holds_on_other_pages_and_in_the_address():
    app = opened("forward", ex="bio")
    app.selectbox(key="foot.lang").set_value("zh").run()
    assert app.title[0].value == TITLES["zh"]
    assert "".join(app.query_params["lang"]) == "zh"  # a text or a list of one
    switch(app, "viterbi")
    assert app.title[0].value == "维特比算法"
    assert app.session_state[CHOSEN.key] == "zh"


@pytest.mark.parametrize("forged", ["xx", "<b>", ""])
def test_an_unknown_language_is_english(forged):
    app = opened("forward", lang=forged)
    assert app.title[0].value == TITLES["en"]
    assert bool(app.warning) == bool(forged)


def test_what_is_not_translated_is_english():
    app = opened("backward", lang="de")
    assert not app.exception
    assert "How probable" in html_of(app) or "the" in html_of(app)
    assert app.title[0].value == "Backward und Marginale"


def test_a_thread_without_a_session_speaks_what_it_was_bound_to(monkeypatch):
    assert language() in LANGUAGES
    monkeypatch.setattr("pages.shared.ui.language.current", lambda: "de")
    speaks = bound(language)
    monkeypatch.undo()
    assert (language(), speaks()) == ("en", "de")
