"""The page "Tag a sentence" without a browser: every example, bad input, forged state, uploads."""

import html
import re
import shutil

import pytest
import torch

from crf import LinearChain
from crf.tagger import Tagger, tokenise
from crf.tagger.bundled import shipped
from pages.shared.contents import COURSE
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import taggers
from pages.shared.ui.taggers import MAX_CHARACTERS, MAX_TOKENS, TAGGER
from pages.tag.by_hand import BY_HAND
from pages.tag.controls import EXAMPLE, SENTENCE
from pages.tag.examples import BY_NAME, EXAMPLES
from tests.apps import html_of, messages, opened, plain, press, switch, text_of, unfolded, upload

TEXT = LessonText.of("tag")
UNIVERSITY = "The University of Chicago is in Chicago."
HELD = "of the probability. The best of them"  # what is said where tags are held
FILES = {n: (shipped("local") / n).read_bytes() for n in ("tagger.json", "weights.safetensors")}


@pytest.fixture
def app():
    torch.set_num_threads(1)  # as the page does: other numbers of threads round otherwise
    return opened()


def page_text(app):
    return html.unescape(" ".join(element.value for element in app.html))


def equation(app):
    return next(element.value for element in app.html if '"crf-sum"' in element.value)


def type_in(app, text):
    return app.text_input(key=SENTENCE.key).set_value(text).run()


def is_tagged(app):
    return "probability of this sequence" in page_text(app)


def test_a_sentence_typed_at_once_after_another_is_not_lost(app):
    """The browser may still have the example lit that the first sentence has put out."""
    app.selectbox(key=EXAMPLE.key).set_value(EXAMPLES[1].name).run()
    type_in(app, "Fish swim.")
    app.text_input(key=SENTENCE.key).set_value("Birds sing.")
    app.selectbox(key=EXAMPLE.key).set_value(EXAMPLES[1].name).run()
    assert app.text_input(key=SENTENCE.key).value == "Birds sing."
    app.selectbox(key=EXAMPLE.key).set_value(EXAMPLES[1].name).run()  # chosen
    assert app.text_input(key=SENTENCE.key).value == EXAMPLES[1].sentence


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_example_shows_the_cores_numbers(app, example):
    app.selectbox(key=EXAMPLE.key).set_value(example.name).run()
    assert app.session_state[TAGGER.key] == TAGGER.default  # an example changes the sentence alone
    for name in ("bilstm", "local"):
        app.selectbox(key=TAGGER.key).set_value(name).run()
        assert not app.exception
        assert app.text_input(key=SENTENCE.key).value == example.sentence
        scores = Tagger.load(shipped(name)).chain([tokenise(example.sentence)]).potentials
        chain = LinearChain(*scores, backend="plain")
        best = chain.viterbi()
        numbers = re.findall(r"(?:exp\(|− )</i>([−\d.]+)", equation(app))
        score, log_z = (float(number.replace("−", "-")) for number in numbers)
        assert score == pytest.approx(best.scores.item(), abs=6e-3)
        assert log_z == pytest.approx(chain.log_partition.item(), abs=6e-3)
        log_p = chain.log_prob(best.tags).item()  # shown to as many digits as tell them apart
        assert score - log_z == pytest.approx(log_p, abs=6e-3, rel=0.1)
        text = page_text(app)
        assert theme.log_probability(log_p) in text
        for by, paragraph in example.notes.items():
            assert (html.unescape(str(TEXT.html(paragraph))) in plain(text)) == (name == by)


def test_an_example_of_the_other_tagger_shows_the_way_to_it(app):
    example = next(example for example in EXAMPLES if TAGGER.default not in example.notes)
    app.selectbox(key=EXAMPLE.key).set_value(example.name).run()
    next(b for b in app.button if b.label.startswith("Use the")).click().run()
    assert app.selectbox(key=TAGGER.key).value == example.tagger
    assert not any(b.label.startswith("Use the") for b in app.button)


def test_odd_text_is_tagged_and_inert_or_said_to_have_no_word(app):
    for text in ("", "\t\n", "\x00\x07", "\u200b\u202e"):
        type_in(app, text)
        assert not app.exception
        assert not is_tagged(app)
        assert "no word" in app.info[0].value
    for text in (
        "x" * 500,
        "<script>alert(1)</script> <img src=x onerror=alert(1)> **bold** :red[x] $a$",
        "I ❤️ 👩‍👩‍👧‍👦 🇪🇺 👍🏽 !",
        "שלום עולם, مرحبا",
        "a\x00b\x07c \u202eevil\u202c \ufffd" + "a\u0301" * 40,
    ):
        type_in(app, text)
        assert not app.exception
        assert is_tagged(app)
        assert not re.search("<script|<img", html_of(app))


def test_a_text_that_is_too_long_is_cut_or_not_drawn(app):
    type_in(app, "a " * MAX_TOKENS)
    assert is_tagged(app)
    type_in(app, "a " * (MAX_TOKENS + 1))
    assert not is_tagged(app)
    assert f"{MAX_TOKENS + 1} tokens" in app.warning[0].value
    type_in(app, "word " * 4000)
    assert not app.exception
    assert "20,000 characters" in app.warning[0].value
    assert len(app.text_input(key=SENTENCE.key).value) == MAX_CHARACTERS
    type_in(app, "Short again.")
    assert not app.warning
    assert is_tagged(app)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"sentence": "x" * (MAX_CHARACTERS + 1)}, "1,001 characters"),
        ({"tagger": "../../<b>" + "x" * 5000, "pin": "bilstm!9.3!They fish"}, "one of bilstm"),
        ({"tagger": taggers.OWN + "0" * 20}, "no such tagger"),
        ({"fix": "9.0", "pin": "x"}, "which this sentence has not"),
        ({"fix": "0.1~<b>", "pin": "none!!They fish"}, "which this sentence has not"),
        ({"fix": "0." + "9" * 99, "pin": "bilstm!!"}, "which this sentence has not"),
    ],
)
def test_a_forged_address_is_answered_and_changes_nothing(query, said):
    app = opened(**query)
    assert not app.exception
    warned = messages(app)
    assert said in warned
    assert ("Nothing is pinned" in warned) == ("pin" in query)
    assert max(len(warning.value) for warning in app.warning) < 400
    assert app.session_state[TAGGER.key] == TAGGER.default
    assert HELD not in page_text(app)
    assert "pin" not in app.query_params
    assert is_tagged(app)


class TestUpload:
    def upload(self, app, files=FILES):
        app.session_state["tag.own"] = True
        return upload(app.run(), files)

    def test_a_good_one_tags_like_the_shipped_one_and_is_found_again_by_the_address(self, app):
        app.selectbox(key=TAGGER.key).set_value("local").run()
        before = equation(app)
        self.upload(app)
        own = app.selectbox(key=TAGGER.key).value
        assert own.startswith(taggers.OWN)
        assert equation(app) == before
        assert is_tagged(opened(tagger=own))  # while the server has it

    def test_a_damaged_one_is_refused_with_the_reason(self, app):
        self.upload(app, FILES | {"weights.safetensors": FILES["weights.safetensors"][:-1]})
        assert len(app.error) == 1
        assert len(app.error[0].value) > 20
        assert app.selectbox(key=TAGGER.key).value == "bilstm"
        assert is_tagged(app)  # with the tagger as before: nothing is lost

    def test_a_good_one_stays_when_pages_change_and_goes_into_the_lessons(self, app):
        def label():
            return app.session_state["shared_problem"].origin.label

        own = self.upload(app).selectbox(key=TAGGER.key).value
        for page in ("tagger", "start"):
            switch(app, page)
            assert not app.exception
            assert app.selectbox(key=TAGGER.key).value == own
        assert is_tagged(app)
        next(b for b in app.button if "into the lessons" in b.label).click().run()
        assert not app.exception
        assert len(app.session_state["shared_problem"].problem.tags) == 17
        assert "your tagger" in label()
        switch(app, "viterbi")
        app.button(key="bar.undo").click().run()
        assert "your tagger" not in label()
        app.session_state["bar.open"] = True
        app.run()
        app.selectbox(key="bar.tagger").set_value(own)
        app.text_input(key="bar.sentence").set_value("Fish swim.")
        press(app, "Use these scores")
        assert "your tagger’s scores of “Fish swim .”" in label()


def test_a_damaged_shipped_tagger(app, tmp_path, monkeypatch):
    shutil.copytree(shipped("local"), tmp_path / "local")
    weights = tmp_path / "local" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    monkeypatch.setattr(taggers, "_SHIPPED", tmp_path)
    taggers.shipped.clear()
    try:
        app.selectbox(key=TAGGER.key).set_value("local").run()
        assert "cannot be used" in app.error[0].value
        assert not is_tagged(app)
    finally:
        taggers.shipped.clear()


@pytest.mark.parametrize(("lang", "pos", "local"), [
    ("de", ["Wortarten", "Namen"], "lokales CRF"), ("zh", ["词性", "命名实体"], "局部 CRF"),
])  # fmt: skip
def test_tasks_taggers_and_the_tour_speak_the_readers_language(lang, pos, local):
    app = opened(lang=lang)
    assert app.get("button_group")[0].options == pos
    assert local in app.selectbox(key=TAGGER.key).options
    tour = next(p for p in app.get("bidi_component") if "tour" in p.proto.component_name)
    assert "New here" not in tour.proto.bytes.decode()


@pytest.mark.parametrize("name", ["kindly-guide", "garden-path"])
def test_a_note_that_asks_to_hold_tags_stays_while_they_are_held(name):
    example = BY_NAME[name]
    app = opened(sentence=example.sentence, fix="2.15")
    said = html.unescape(str(TEXT.html(example.paragraph)))
    assert HELD in page_text(app)
    assert (said in page_text(app)) == example.holds == (name == "garden-path")


def test_tags_set_by_hand_stay_with_the_sentence_in_the_address_and_are_undone(app):
    before = page_text(app)
    app.session_state[BY_HAND.key].choose(0, 3)
    app.run()
    assert HELD in page_text(app)
    press(app, "Undo")
    assert page_text(app) == before
    app.session_state[BY_HAND.key].choose(0, 3)
    app.run()
    app.selectbox(key=TAGGER.key).set_value("local").run()
    assert HELD in page_text(app)
    assert "".join(app.query_params["fix"]) == "0.3"  # a text or a list of one
    reader = opened(fix="0.3")
    assert HELD in page_text(reader)
    type_in(reader, "Fish swim.")
    assert HELD not in page_text(reader)
    assert "fix" not in reader.query_params


def test_impossible_tags_leave_the_picture_and_are_named():
    """From the address: I-LOC may not begin a sentence; B-ORG at the next word is held."""
    app = opened(sentence=UNIVERSITY, tagger="ner", fix="0.3~1.1")
    assert not app.exception
    assert "‘The’ cannot be I-LOC: I-LOC may not begin" in messages(app)
    assert "‘<bdi>University</bdi>’" in page_text(app)
    assert HELD in page_text(app)
    press(app, "Free all")
    assert not app.error


def test_the_tags_of_names_are_explained():
    text = text_of(unfolded("start", "meanings", sentence=UNIVERSITY, tagger="ner-softmax"))
    for told in ("O outside of names", "B-PER begins a person’s", "I-ORG goes on with an organisa"):
        assert told in text
    figures = (taggers.metrics("ner-softmax") or {})["spans"]["viterbi"]
    assert f"{theme.percent(figures['span_recall'])} of the names" in text


def test_the_address_s_sentence_goes_on_to_the_first_lesson_with_all_its_scores():
    app = opened(sentence="They can fish.", tagger="local")
    assert app.text_input(key=SENTENCE.key).value == "They can fish."
    assert app.session_state[TAGGER.key] == "local"
    log_z = Tagger.load(shipped("local")).chain([tokenise("They can fish.")]).log_partition
    next(b for b in app.button if "into the lessons" in b.label).click().run()
    assert not app.exception
    assert app.title[0].value == COURSE[1].title
    assert dict(app.query_params)["sentence"] == "They can fish."
    problem = app.session_state["shared_problem"].problem
    assert len(problem.tags) == 17
    assert problem.chain().log_partition.item() == pytest.approx(log_z.item(), rel=1e-7)


@pytest.mark.parametrize(
    ("sentence", "tagger", "said", "unsaid"),
    [
        ("Ann flew home", "ner-softmax", "all its transition scores are 0", "learnt of the order"),
        ("Ann flew home", "ner", "scores O right after B-PER", "T[DET, NOUN]"),
        ("Run", "bilstm", "where one tag is certain", "neighbours tell"),
    ],
)
def test_the_tables_speak_of_this_tagger_and_sentence(sentence, tagger, said, unsaid):
    app, text = unfolded("start", "ingredients", sentence=sentence, tagger=tagger), ""
    for name in ("Emission scores", "Transition scores", "Marginal probabilities"):
        app.session_state["ingredients"] = name
        text += text_of(app.run())
    assert not app.exception
    assert said in text
    assert unsaid not in text


def test_words_that_are_separated_by_spaces_stay_whole():
    app = opened(sentence="I don't im Bad , Mr. X", spaces="1")
    assert is_tagged(app)
    toggle = next(one for one in app.toggle if one.label == "Words are separated by spaces")
    assert toggle.value is True
    assert app.query_params["spaces"] in ("1", ["1"])
    assert "don't" in str(app.session_state["by_hand"])
    toggle.set_value(False).run()
    assert "spaces" not in app.query_params
    assert "n't" in str(app.session_state["by_hand"])


def test_readings_are_pinned_and_let_go(app):
    press(app, "Pin to compare")
    assert "To three digits they are the same" in page_text(app)
    app.session_state[BY_HAND.key].hold(2, 2)
    app.run()
    assert "Most has changed at ‘<bdi>guide</bdi>’" in page_text(app)
    press(app, "Unpin")
    assert "A is what you pinned" not in page_text(app)
    link = {"sentence": "They can fish.", "tagger": "local", "pin": "bilstm!2.3!They fish!"}
    app = opened(**link)
    then = app.session_state["tag.pinned"]
    assert then.analysis.tokens == ("They", "fish", "!")
    assert then.analysis.fixed == (-1, -1, 3)
    assert app.query_params["pin"] == link["pin"]
    assert "A is what you pinned" in page_text(app)
