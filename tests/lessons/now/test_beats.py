"""What now?: what it says with and without taggers, its numbers, where its questions lead."""

import json
import re

import pytest

from benchmarks.raw_client import run_apart
from pages.beats import LESSONS
from pages.now import beats as now
from pages.now import sheet
from pages.shared import contents
from pages.shared.ui import taggers
from pages.shared.ui.language import speaking
from pages.shared.ui.server.moved import Moved
from pages.shared.ui.stage.view import state_of
from tests.apps import benched, table
from tests.beats.test_every_beat import find, told

ROWS = [
    (
        "questions",
        {},
        "You need a CRF when the network sees little, or when tags must fit together.",
    ),
]


@pytest.mark.parametrize(("beat", "query", "sentence"), ROWS)
def test_what_is_said(beat, query, sentence):
    assert sentence in told("now", beat, query)


def picture():
    return find("now", "questions").figure(state_of({}, "now")[0])["picture"]


def test_the_pairs_are_the_model_cards():
    shipped = contents.ROOT / "assets" / "taggers" / "shipped"

    def card(name):
        return json.loads((shipped / name / "metrics.json").read_text(encoding="utf-8"))

    local, bilstm, ner, twin = map(card, ("local", "bilstm", "ner", "ner-softmax"))
    expected = [
        [one["softmax"]["sentence_accuracy"], one["sentence_accuracy"]] for one in (local, bilstm)
    ] + [[twin["span_f1"], ner["span_f1"]]]
    pairs = picture()["pairs"]
    assert [pair["values"] for pair in pairs] == [
        pytest.approx([100 * share for share in pair], abs=0.051) for pair in expected
    ]
    for pair in pairs:
        before, after = pair["values"]
        assert pair["gain"].startswith(f"+{after - before:.1f}")
    assert ner["invalid_tags"] == 0
    assert "no tag breaks BIO" in pairs[2]["gain"]


def test_without_taggers_it_says_so(monkeypatch):
    monkeypatch.setattr(taggers, "metrics", lambda name: None)
    assert "nothing is measured" in told("now", "questions", {})
    assert picture()["pairs"] == []
    assert picture()["source"]["text"] == ""


def test_a_crf_that_adds_little_is_not_praised(monkeypatch):
    card = {"sentence_accuracy": 0.5, "sentences": 10, "softmax": {"sentence_accuracy": 0.49}}
    monkeypatch.setattr(taggers, "metrics", {"local": card, "bilstm": card}.get)
    assert "You need" not in told("now", "questions", {})


def test_each_question_leads_to_a_beat_that_there_is():
    questions = picture()["questions"]
    assert len(questions) == 12
    for question in questions:
        address, _, beat = question["href"].removeprefix("/").partition("?beat=")
        entry = contents.entry(address)
        assert entry.address == address
        assert entry.folder == question["lesson"]
        names = [one.name for one in LESSONS[entry.folder]]
        assert (beat or entry.beat or names[0]) == question["beat"]
        assert question["beat"] in names


def test_the_ten_lines_are_those_of_the_readme():
    readme = (contents.ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0] == now.LAYER.read_text()


MOVES = [
    ("/structure", "beat=done", "/now"),
    ("/scores", "ex=old-man&beat=done&step=3&lang=de", "/now?ex=old-man&lang=de"),
    ("/beat/trellis/done", "ex=old-man", "/beat/now/questions?ex=old-man"),
    ("/structure", "beat=learn", ""),
    ("/learning", "beat=done", ""),
    ("/beat/trellis", "beat=done", ""),
]


@pytest.mark.parametrize(("path", "query", "to"), MOVES)
def test_the_old_end_leads_to_the_new_one(path, query, to):
    sent = []

    async def app(scope, receive, send):
        sent.append("app")

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode()}
    run_apart(lambda: Moved(app)(scope | {"headers": []}, None, send))
    if to:
        assert dict(sent[0]["headers"])[b"location"].decode() == to
        assert sent[0]["status"] == 307
    else:
        assert sent == ["app"]


@pytest.mark.parametrize("speak", ["en", "de", "zh"])
def test_the_sheet_has_five_formulas_five_pictures_and_the_example(speak):
    with speaking(speak):
        written = sheet.page()
    assert written.count("<li>") == written.count("<figure>") == 5
    assert "DET NOUN VERB DET NOUN" in written
    assert re.search(r"19[.,]4324", written)
    assert re.search(r"0?[.,]649", written)
    assert f'href="/now?lang={speak}"' in written
    assert re.search(r">0?[.,]74<", written)  # a marginal: the question is answered
    assert not re.search(r"→ ?</text>", written)  # no button
    if speak != "en":
        assert not re.search("expected|together|all over|observed|from the left", written)
    assert "{" not in re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", written, flags=re.DOTALL)


def test_what_was_measured_is_a_table():
    app = benched("now", "measured")
    rows = table(app, "In percent")
    assert [row[2:4] for row in rows[1:]] == [["39.8", "54.2"], ["68.0", "69.0"], ["68.8", "72.0"]]
