"""The page "Tag a sentence" without a browser: every example, bad input, forged state, uploads."""

import html
import re
import shutil
from pathlib import Path

import pytest
import torch

from crf import LinearChain
from crf.tagger import Tagger, tokenise
from pages.shared.contents import COURSE, PAGES
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import taggers
from pages.shared.ui.lesson import FOLD
from pages.shared.ui.taggers import MAX_CHARACTERS, MAX_TOKENS, TAGGER
from pages.tag.by_hand import BY_HAND
from pages.tag.controls import EXAMPLE, SENTENCE
from pages.tag.examples import BY_NAME, EXAMPLES
from tests.apps import fresh, html_of, opened, plain, switch

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "crf" / "tagger" / "shipped"


@pytest.fixture
def app():
    torch.set_num_threads(1)  # as the page does: other numbers of threads round otherwise
    return opened()


def page_text(app):
    return html.unescape(" ".join(element.value for element in app.html))


def shown_in_equation(app):
    """Score and log Z, as the page shows them: to as many digits as tell them apart."""
    equation = next(element.value for element in app.html if '"crf-sum"' in element.value)
    numbers = re.findall(r"(?:exp\(|− )</i>([−\d.]+)", equation)
    return [float(number.replace("−", "-")) for number in numbers]


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


@pytest.mark.parametrize("tagger", ["bilstm", "local"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_example_shows_the_cores_numbers(app, example, tagger):
    before = app.session_state[TAGGER.key]
    app.selectbox(key=EXAMPLE.key).set_value(example.name).run()
    assert app.session_state[TAGGER.key] == before  # an example changes the sentence alone
    app.selectbox(key=TAGGER.key).set_value(tagger).run()
    assert not app.exception
    assert app.title[0].value == "Tag a sentence"
    assert app.text_input(key=SENTENCE.key).value == example.sentence

    model = Tagger.load(SHIPPED / tagger)
    scores = model.chain([tokenise(example.sentence)]).potentials
    chain = LinearChain(*scores, backend="plain")
    best = chain.viterbi()
    text = page_text(app)
    score, log_partition = shown_in_equation(app)
    assert score == pytest.approx(best.scores.item(), abs=6e-3)
    assert log_partition == pytest.approx(chain.log_partition.item(), abs=6e-3)
    difference = chain.log_prob(best.tags).item()
    assert score - log_partition == pytest.approx(difference, abs=6e-3, rel=0.1)
    assert theme.log_probability(chain.log_prob(best.tags).item()) in text
    words = LessonText.load(PAGES / "tag" / "text.md")
    for by, paragraph in example.notes.items():
        assert (html.unescape(str(words.html(paragraph))) in plain(text)) == (tagger == by)


def test_an_example_of_the_other_tagger_shows_the_way_to_it(app):
    example = next(example for example in EXAMPLES if TAGGER.default not in example.notes)
    app.selectbox(key=EXAMPLE.key).set_value(example.name).run()
    next(b for b in app.button if b.label.startswith("Use the")).click().run()
    assert app.session_state[TAGGER.key] == example.tagger
    assert app.selectbox(key=TAGGER.key).value == example.tagger
    assert not any(b.label.startswith("Use the") for b in app.button)


@pytest.mark.parametrize("text", ["", "\t\n", "\x00\x07", "\u200b\u202e"])
def test_nothing_to_tag(app, text):
    type_in(app, text)
    assert not app.exception
    assert not is_tagged(app)
    assert "no word" in app.info[0].value


@pytest.mark.parametrize(
    "text",
    [
        "x" * 500,
        "<script>alert(1)</script> <img src=x onerror=alert(1)> **bold** :red[x] $a$",
        "I ❤️ 👩‍👩‍👧‍👦 🇪🇺 👍🏽 !",
        "שלום עולם, مرحبا",
        "a\x00b\x07c \u202eevil\u202c \ufffd",
        "a\u0301" * 40,
    ],
)
def test_odd_text_is_tagged_and_inert(app, text):
    type_in(app, text)
    assert not app.exception
    assert is_tagged(app)
    raw = " ".join(element.value for element in app.html)
    assert "<script" not in raw
    assert "<img" not in raw


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


def test_the_address_chooses_sentence_and_tagger():
    app = opened(sentence="Fish swim.", tagger="local")
    assert app.text_input(key=SENTENCE.key).value == "Fish swim."
    assert app.session_state[TAGGER.key] == "local"
    assert is_tagged(app)
    assert "1,001 characters" in opened(sentence="x" * (MAX_CHARACTERS + 1)).warning[0].value


@pytest.mark.parametrize("forged", ["<b>x", "../../etc/passwd", "BILSTM", "x" * 5000])
def test_a_forged_tagger_in_the_address(forged):
    app = fresh()
    app.query_params[TAGGER.key] = forged
    app.run()
    assert not app.exception
    assert "one of bilstm" in app.warning[0].value
    assert len(app.warning[0].value) < 400
    assert app.session_state[TAGGER.key] == TAGGER.default
    assert is_tagged(app)


@pytest.mark.parametrize("forged", ["x", ["bilstm", "local"], 7, None, {"a": 1}])
def test_forged_session_values(app, forged):
    app.session_state[BY_HAND.key] = forged
    app.run()
    assert not app.exception
    assert is_tagged(app)


class TestUpload:
    description = (SHIPPED / "local" / "tagger.json").read_bytes()
    weights = (SHIPPED / "local" / "weights.safetensors").read_bytes()

    def upload(self, app, *files):
        app.session_state["tag.own"] = True
        app.run()
        for name, content in files:
            app.file_uploader[0].upload(name, content)
        app.run()
        assert not app.exception
        return app

    def both(self, app):
        return self.upload(
            app, ("weights.safetensors", self.weights), ("tagger.json", self.description)
        )

    def test_a_good_one_tags_like_the_shipped_one(self, app):
        app.selectbox(key=TAGGER.key).set_value("local").run()
        shipped = next(e.value for e in app.html if '"crf-sum"' in e.value)
        self.both(app)
        assert app.selectbox(key=TAGGER.key).value.startswith(taggers.OWN)
        assert next(e.value for e in app.html if '"crf-sum"' in e.value) == shipped

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("altered weights", lambda d, w: (d, w[:-1] + bytes([w[-1] ^ 1]))),
            ("not JSON", lambda d, w: (b"\x80\x04pickle", w)),
            ("swapped", lambda d, w: (w, d)),
        ],
    )
    def test_a_damaged_one_is_refused_with_the_reason(self, app, name, change):
        description, weights = change(self.description, self.weights)
        self.upload(app, ("tagger.json", description), ("weights.safetensors", weights))
        assert len(app.error) == 1
        assert len(app.error[0].value) > 20
        assert app.selectbox(key=TAGGER.key).value == "bilstm"
        assert is_tagged(app)  # with the tagger as before: nothing is lost

    def test_a_good_one_stays_when_pages_change_and_goes_into_the_lessons(self, app):
        self.both(app)
        own = app.selectbox(key=TAGGER.key).value
        switch(app, "tagger")
        assert not app.exception
        assert app.selectbox(key=TAGGER.key).value == own
        switch(app, "start")
        assert app.selectbox(key=TAGGER.key).value == own
        assert is_tagged(app)
        next(b for b in app.button if "into the lessons" in b.label).click().run()
        assert not app.exception
        shared = app.session_state["shared_problem"]
        assert len(shared.problem.tags) == 17
        assert "your tagger" in shared.origin.label
        switch(app, "viterbi")
        app.button(key="bar.undo").click().run()
        assert "your tagger" not in app.session_state["shared_problem"].origin.label
        app.session_state["bar.open"] = True
        app.run()
        app.selectbox(key="bar.tagger").set_value(own)
        app.text_input(key="bar.sentence").set_value("Fish swim.")
        next(b for b in app.button if b.label == "Use these scores").click().run()
        assert "your tagger’s scores of “Fish swim .”" in (
            app.session_state["shared_problem"].origin.label
        )

    def test_it_is_found_again_by_the_address_while_the_server_has_it(self, app):
        own = self.both(app).selectbox(key=TAGGER.key).value
        assert is_tagged(opened(tagger=own))
        stranger = opened(tagger=taggers.OWN + "0" * 20)
        assert "no such tagger" in stranger.warning[0].value
        assert stranger.selectbox(key=TAGGER.key).value == "bilstm"


def test_a_damaged_shipped_tagger(app, tmp_path, monkeypatch):
    shutil.copytree(SHIPPED / "local", tmp_path / "local")
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


def test_setting_a_tag_by_hand_and_undoing_it(app):
    hand = app.session_state[BY_HAND.key]
    before = page_text(app)
    hand.choose(0, 3)
    app.run()
    assert "of the probability. The best of them" in page_text(app)
    next(button for button in app.button if button.label == "Undo").click().run()
    assert page_text(app) == before


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
    said = LessonText.load(PAGES / "tag" / "text.md").html(example.paragraph)
    assert "of the probability. The best of them" in page_text(app)
    assert (html.unescape(str(said)) in page_text(app)) == example.holds == (name == "garden-path")


def test_tags_set_by_hand_stay_when_the_tagger_changes_and_are_in_the_address(app):
    app.session_state[BY_HAND.key].choose(0, 3)
    app.run()
    app.selectbox(key=TAGGER.key).set_value("local").run()
    assert "of the probability. The best of them" in page_text(app)
    assert "".join(app.query_params["fix"]) == "0.3"  # a text or a list of one
    reader = fresh()
    reader.query_params["fix"] = "0.3"
    assert "of the probability. The best of them" in page_text(reader.run())
    type_in(reader, "Fish swim.")
    assert "of the probability. The best of them" not in page_text(reader)
    assert "fix" not in reader.query_params


def test_impossible_tags_leave_the_picture_and_are_named():
    """From the address: I-LOC may not begin a sentence; B-ORG at the next word is held."""
    app = fresh(sentence="The University of Chicago is in Chicago.", tagger="ner", fix="0.3~1.1")
    app.run()
    assert not app.exception
    assert "‘The’ cannot be I-LOC: I-LOC may not begin" in app.error[0].value.replace("\\", "")
    assert "‘<bdi>University</bdi>’" in page_text(app)
    assert "of the probability. The best of them" in page_text(app)
    next(button for button in app.button if button.label == "Free all").click().run()
    assert not app.error


def test_the_tags_of_names_are_explained():
    app = fresh(sentence="The University of Chicago is in Chicago.", tagger="ner-softmax")
    app.session_state[FOLD.at("tag", "meanings").key] = True
    text = re.sub("<[^>]*>", "", page_text(app.run()))
    for told in ("O outside of names", "B-PER begins a person’s", "I-ORG goes on with an organisa"):
        assert told in text
    figures = (taggers.metrics("ner-softmax") or {})["spans"]["viterbi"]
    assert f"{theme.percent(figures['span_recall'])} of the names" in text


@pytest.mark.parametrize(
    "forged", ["9.0", "0.17", "x", "0.1~", "-1.2", "0.1.2", "<b>", "0." + "9" * 99]
)
def test_a_forged_address_sets_no_tag(forged):
    app = fresh()
    app.query_params["fix"] = forged
    app.run()
    assert not app.exception
    assert "which this sentence has not" in app.warning[0].value
    assert "of the probability. The best of them" not in page_text(app)
    assert is_tagged(app)


def test_a_sentence_goes_on_to_the_first_lesson_with_all_its_scores(app):
    type_in(app, "They can fish.")
    log_z = Tagger.load(SHIPPED / "bilstm").chain([tokenise("They can fish.")]).log_partition
    next(b for b in app.button if "into the lessons" in b.label).click().run()
    assert not app.exception
    assert app.title[0].value == COURSE[1].title
    assert dict(app.query_params)["sentence"] == "They can fish."
    problem = app.session_state["shared_problem"].problem
    assert len(problem.tags) == 17
    assert problem.chain().log_partition.item() == pytest.approx(log_z.item(), rel=1e-7)


def ingredients(**query: str) -> str:
    """What the page says with its tables open, all tabs of them."""
    app = fresh("start", **query)
    app.session_state["tag.fold.ingredients"] = True
    said = ""
    for name in ("Emission scores", "Transition scores", "Marginal probabilities"):
        app.session_state["ingredients"] = name
        app.run()
        assert not app.exception
        said += html_of(app)
    return re.sub(r"<[^>]+>", "", said)


def test_a_tagger_without_a_crf_has_learnt_no_order_of_tags():
    said = ingredients(tagger="ner-softmax", sentence="Ann flew home")
    assert "This tagger has no CRF, so all its transition scores are 0" in said
    assert "has learnt of the order" not in said
    named = ingredients(tagger="ner", sentence="Ann flew home")
    assert "scores O right after B-PER" in named
    assert "T[DET, NOUN]" not in named


def test_a_single_word_has_no_neighbours():
    said = ingredients(sentence="Run")
    assert "neighbours tell" not in said
    assert "where one tag is certain" in said


def test_words_that_are_separated_by_spaces_stay_whole_also_in_the_link_and_the_lessons():
    app = opened(sentence="I don't im Bad , Mr. X", spaces="1")
    assert is_tagged(app)
    toggle = next(one for one in app.toggle if one.label == "Words are separated by spaces")
    assert toggle.value is True
    assert app.query_params["spaces"] in ("1", ["1"])
    words = app.session_state["by_hand"]
    assert "don't" in str(words)
    toggle.set_value(False).run()
    assert "spaces" not in app.query_params
    assert "n't" in str(app.session_state["by_hand"])


def test_readings_are_pinned_and_let_go(app):
    def press(label):
        next(b for b in app.button if b.label == label).click().run()

    press("Pin to compare")
    assert "To three digits they are the same" in page_text(app)
    app.session_state[BY_HAND.key].hold(2, 2)
    app.run()
    assert "Most has changed at ‘<bdi>guide</bdi>’" in page_text(app)
    press("Unpin")
    assert "A is what you pinned" not in page_text(app)


def test_a_link_has_what_is_pinned():
    given = {"sentence": "They can fish.", "tagger": "local", "pin": "bilstm!2.3!They fish!"}
    app = opened(**given)
    then = app.session_state["tag.pinned"]
    assert then.analysis.tokens == ("They", "fish", "!")
    assert then.analysis.fixed == (-1, -1, 3)
    assert app.query_params["pin"] == given["pin"]
    assert "A is what you pinned" in page_text(app)


@pytest.mark.parametrize("forged", ["x", "none!!They fish", "bilstm!9.3!They fish", "bilstm!!"])
def test_a_forged_pin_in_a_link_is_a_sentence(forged):
    app = opened(pin=forged)
    assert not app.exception
    assert any("Nothing is pinned" in warning.value for warning in app.warning)
    assert "pin" not in app.query_params
