"""A tagger of the reader's own on this page: its own layers, figures and sentences."""

import hashlib
import json
import re
from dataclasses import asdict

import pytest
import torch

from crf import LinearChain
from crf.tagger import Hyperparameters, Settings, evaluation, model_card, train
from crf.tagger.bundled import sample, shipped
from crf.tagger.training import Epoch
from pages.shared.course import start_options
from pages.shared.ui import taggers
from pages.shared.ui.stage.view import state_of
from pages.words import judge_sections, runs
from pages.words import more as sections
from pages.words.beats import BEATS
from pages.words.training import TrainingConfig, bundled, write_job
from tests.apps import benched, fresh, html_of, messages, of_stage, press, table, text_of, upload
from tests.beats.test_every_beat import plain

ROWS = "Paris NNP I-NP I-LOC\nsings VBZ I-VP O\n\nAda NNP I-NP I-PER\nsings VBZ I-VP O\n\n" * 6
FILES = {n: (shipped("local") / n).read_bytes() for n in ("tagger.json", "weights.safetensors")}
SIZES = {
    "plain": Hyperparameters(word_dim=8, affix_dim=0, char_filters=0, hidden=4),
    "affixes": Hyperparameters(word_dim=0, affix_dim=4, char_filters=0, hidden=0),
    "characters": Hyperparameters(word_dim=8, affix_dim=0, char_dim=4, char_filters=4, hidden=0),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Taggers as the command line writes them, one epoch old."""
    data, found = bundled("pos"), {}
    for name, sizes in SIZES.items():
        path = found[name] = tmp_path_factory.mktemp("own") / name
        settings = Settings(epochs=1, sizes=sizes, hints=0.0, batch_size=64)
        tagger, history = train(data.training, data.dev, settings)
        tagger.save(path)
        figures = model_card.metrics(
            evaluation.test(type(tagger).load(path), data.dev),
            hashlib.sha256((path / "weights.safetensors").read_bytes()).hexdigest(),
            history,
            {"settings": asdict(settings)},
        )
        (path / "metrics.json").write_text(json.dumps(figures))
    return found


def given(monkeypatch, folder):
    options = start_options.StartOptions((start_options.folder(folder),))
    monkeypatch.setattr(start_options, "given", options)
    taggers.given_entries.cache_clear()


def shown(beat, **query):
    """The picture and its sentence."""
    state, fault = state_of(query, "words")
    assert not fault
    found = next(one for one in BEATS if one.name == beat).figure(state)["picture"]
    return found, plain(found["now"]["say"])


def more(beat, section, **query):
    """The page with an entry of "⋯" open."""
    return benched("tagger", section, beat=beat, **query)


@pytest.mark.parametrize("name", SIZES)
def test_words_and_layers_are_the_networks_own(folders, name, monkeypatch):
    given(monkeypatch, folders[name])
    picture, _ = shown("network", sentence="Run away !", tagger=name)
    expected = {"plain": ["word"], "affixes": ["affixes"], "characters": ["word", "characters"]}
    assert picture["parts"] == expected[name]
    assert len(picture["layers"]) == (3 if name == "plain" else 1)
    card = json.loads((folders[name] / "metrics.json").read_text())
    good, _ = shown("good", sentence="Run !", tagger=name, **{"with": "tagger_own"})
    assert good["chosen"] == "own"
    assert good["rows"][0]["right"] == card["sentence_accuracy"]
    assert sum(map(len, (row["columns"] for row in good["rows"]))) == len(card["sureness"]) == 5
    app = more("good", "well", sentence="Run !", tagger=name, **{"with": "tagger_own"})
    assert f"{100 * card['accuracy']:.1f} %" in text_of(app)


@pytest.mark.parametrize("beat", ["good", "errs"])
def test_one_s_own_tagger_is_judged_first_and_the_shipped_ones_on_request(
    folders, monkeypatch, beat
):
    given(monkeypatch, folders["affixes"])
    assert shown(beat, sentence="Run !", tagger="affixes")[0]["chosen"] == "own"
    other = shown(beat, sentence="Run !", tagger="affixes", **{"with": "tagger_local"})[0]
    assert other["chosen"] == "local"
    assert shown(beat, sentence="Run !", tagger="bilstm")[0]["chosen"] == "local"


@pytest.mark.parametrize("change", ["sha", "text", "shape", "none", "columns", "many"])
def test_figures_of_others_or_none_are_no_figures(folders, monkeypatch, tmp_path, change):
    folder = folders["affixes"]
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    figures = json.loads((folder / "metrics.json").read_text())
    false = {"sentences": 2, "right": 3, "promised": 1}
    figures |= {
        "sha": {"weights_sha256": "0"},
        "shape": {"confusion": [[1]]},
        "columns": {"sureness": [false]},
        "many": {"sureness": figures["sureness"] * 5},
    }.get(change, {})
    text = {"text": '{"a": [', "none": "[]"}.get(change, json.dumps(figures))
    (tmp_path / "metrics.json").write_text(text)
    given(monkeypatch, tmp_path)
    query = {"sentence": "Run !", "tagger": next(iter(taggers.given_entries()))}
    for beat, said in (("good", "came without its metrics"), ("errs", "no mistake")):
        assert said in shown(beat, **query, **{"with": "tagger_own"})[1]


def test_a_card_without_columns_says_so(folders, monkeypatch, tmp_path):
    for file in folders["affixes"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    figures = json.loads((tmp_path / "metrics.json").read_text())
    del figures["sureness"]
    (tmp_path / "metrics.json").write_text(json.dumps(figures))
    given(monkeypatch, tmp_path)
    query = {"sentence": "Run !", "tagger": next(iter(taggers.given_entries()))}
    assert "does not say how sure" in shown("good", **query, **{"with": "tagger_own"})[1]


def test_it_is_judged_by_the_readers_own_sentences_and_never_by_the_sample(folders, monkeypatch):
    given(monkeypatch, folders["affixes"])
    query = {"sentence": "Run !", "tagger": "affixes", "with": "tagger_own"}
    app = more("errs", "calibration", **query)
    assert "came without tagged sentences to judge it by" in text_of(app)
    assert "expected calibration error" not in text_of(app)
    upload(app, {"mine.txt": sample("dev.conllu").read_bytes()}, "judge")
    assert "expected calibration error" in text_of(app)
    assert "The first sentence of mine.txt is read as:" in text_of(app)
    menu = next(box for box in app.selectbox if box.label == "Column of the labels")
    assert menu.value == "UPOS"
    menu.set_value("DEPREL").run()
    assert "column DEPREL is empty" in messages(app)
    upload(app, {"names": ROWS.encode()}, "judge")
    assert "None of the labels in names is a tag of this tagger" in text_of(app)


def test_a_file_that_one_section_was_given_is_read_by_another(folders, monkeypatch):
    given(monkeypatch, folders["affixes"])
    query = {"sentence": "Run !", "tagger": "affixes", "with": "tagger_own"}
    app = more("errs", "mistakes", **query)
    upload(app, {"mine.txt": sample("dev.conllu").read_bytes()}, "judge", "mistakes")
    app.session_state["words.look"] = "calibration"
    app.run()
    assert "The first sentence of mine.txt is read as:" in text_of(app)
    assert "expected calibration error" in text_of(app)


class ForeignTagger:
    """One that is no network of ours: two tags, and T(B, A) = −2."""

    tags = ("A", "B")

    def chain(self, sentences, backend="auto", **_):
        return LinearChain(
            torch.zeros(len(sentences), 3, 2), torch.tensor([[0.0, 1.0], [-2.0, 0.0]])
        )

    def unknown(self, tokens):
        return [False] * len(tokens)


def test_the_transitions_of_another_program_s_tagger_are_listed(monkeypatch):
    entry = taggers.TaggerEntry("theirs", taggers.POS, ForeignTagger())
    monkeypatch.setitem(taggers.uploaded, f"{taggers.OWN}theirs", entry)
    query = {"sentence": "a b c", "tagger": f"{taggers.OWN}theirs", "with": "tagger_own"}
    app = more("good", "transitions", **query)
    assert table(app, "The transitions with the lowest")[1] == ["B → A", "−2.00", "0"]


def test_the_columns_of_a_file_to_learn_from_are_a_menu():
    app = more("train", "train")
    app.selectbox(key="words.data").set_value("own").run()
    upload(app, {"conll.anything": ROWS.encode()}, "words.file")
    menu = next(box for box in app.selectbox if box.label == "Column of the labels")
    assert (len(menu.options), menu.value) == (4, "4")
    assert re.search("Paris/[BI]-LOC sings/O", text_of(app))
    menu.set_value("2").run()
    assert "Paris/NNP sings/VBZ" in text_of(app)
    upload(app, {"notes.conllu": b"Plain text in a line.\nAnd one more.\n"}, "words.file")
    assert "Expected sentences with a label for each word" in messages(app)


@pytest.mark.parametrize("beat", [beat.name for beat in BEATS])
def test_every_section_of_every_beat_opens(beat):
    is_sentence = beat in ("network", "replace")
    for query in ({}, *({"ex": name} for name in ("old-man", "arrow") if is_sentence)):
        for name in (name for group in sections.SECTIONS.values() for name in group):
            more(beat, name, **query)


def test_the_shortest_sentences_with_a_mistake_are_listed():
    app = more("errs", "mistakes")
    shown_ = re.findall(r'<p class="crf-note">(.*?)<br>', html_of(app))
    lengths = [len(sentence.split()) for sentence in shown_]
    assert len(lengths) == judge_sections.SHOWN
    assert lengths == sorted(lengths)
    press(app, "Open")
    assert of_stage(app)["set"]["beat"] == "network"


def test_the_tagger_in_one_place_has_the_numbers_of_the_core():
    loss, score, tags = sections.run(taggers.get("bilstm"), ["Fish", "swim", "."])
    chain = taggers.get("bilstm").chain([["Fish", "swim", "."]])
    assert loss.item() == pytest.approx(-chain.log_prob(tags).item(), abs=1e-4)
    assert score.item() == pytest.approx(chain.score(tags).item(), abs=1e-4)


def test_the_names_in_a_textbook_have_ours_beside_them():
    names = more("network", "library").dataframe[0].value
    assert "LinearChain.score" in list(names["here"])
    assert "index 0 is <PAD>" in list(names["note"])


@pytest.mark.parametrize("files", [(), ("tagger.json",), tuple(FILES)])
def test_a_training_whose_files_are_not_all_there_raises_nothing(monkeypatch, tmp_path, files):
    """One that was stopped while it wrote."""
    training = runs.Training("k", TrainingConfig(), tmp_path, state="stopped")
    training.epochs.append(Epoch(1, 1.0, 0.5))
    (tmp_path / "tagger").mkdir()
    (tmp_path / "tagger" / ".metrics.json.abc").write_text("{")
    for name in files:
        (tmp_path / "tagger" / name).write_bytes(FILES[name])
    write_job(tmp_path, training.config, bundled("pos"))
    monkeypatch.setattr(runs.QUEUE, "every", {"k": training})
    app = more("train", "train", **{"with": "training_k"})
    run = of_stage(app)["view"]["picture"]["now"]["run"]
    assert bool(run["own"]) == (len(files) == 2)


def test_a_tagger_that_the_server_has_no_longer_is_said_and_nothing_raises():
    app = fresh("tagger", tagger=taggers.add_files(FILES), sentence="Fish swim .").run()
    assert of_stage(app)["view"]["picture"]["tokens"] == ["Fish", "swim", "."]
    taggers.uploaded.clear()
    app.run()
    assert not app.exception


def test_a_tagger_is_uploaded_behind_the_dots():
    app = more("network", "whose")
    upload(app, FILES, "upload")
    assert of_stage(app)["set"]["tagger"].startswith(taggers.OWN)
    upload(app, {"notes.txt": b"hello"}, "upload")
    assert "Expected a tagger as “crf train”" in messages(app)


def test_errors_of_an_uploaded_file_stand_in_a_table_by_type_and_border():
    spans = [{"start": 0, "end": 5, "label": "ORG"}]
    lines = [
        {"text": "Paris is big.", "spans": spans},
        {"text": "We went to New York.", "spans": []},
    ]
    app = more("errs", "mistakes", tagger="names", **{"with": "tagger_names"})
    upload(app, {"mine.jsonl": "\n".join(map(json.dumps, lines)).encode()}, "judge")
    assert table(app, "Errors, and how often")[0] == ["name", "wrong type", "invented"]
    assert "LOC" in str(table(app, "Errors, and how often"))


def test_a_script_that_the_tagger_never_saw_is_said_under_the_sentence():
    fault = state_of({"sentence": "東京 is big", "tagger": "bilstm"})[1]
    assert fault == (
        "The tagger learnt from English and has never seen letters such as 東京. "
        "Tags of such words are guesses."
    )


def test_the_sentences_are_those_of_the_pressed_confusion():
    tags = taggers.get("local").tags
    place = tags.index("PROPN") * len(tags) + tags.index("NOUN")
    session = {"words.confusion": {"selection": {"points": [{"point_index": place}]}}}
    app = benched("tagger", "mistakes", session=session, beat="errs")
    wrong = re.findall(r'<p class="crf-note">.*?<br>(.*?)</p>', html_of(app))
    assert wrong
    assert all("PROPN" in one and "NOUN" in one for one in wrong)
