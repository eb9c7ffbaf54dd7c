"""A tagger of the reader's own on this page: its own layers, figures and sentences."""

import hashlib
import json
import re
from dataclasses import asdict

import pytest

from crf.tagger import Hyperparameters, Settings, evaluation, model_card, train
from crf.tagger.bundled import sample, shipped
from pages.shared.course import start_options
from pages.shared.ui import taggers
from pages.words import training_config, trainings
from tests.apps import fresh, html_of, messages, text_of, unfolded, upload
from tests.lessons.tagger.test_tagger_page import FOLDS

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
    data, found = training_config.bundled("pos"), {}
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
    monkeypatch.setattr(start_options, "_given", [options])
    taggers.given_entries.cache_clear()


@pytest.mark.parametrize("name", SIZES)
def test_words_and_layers_are_the_networks_own(folders, name, monkeypatch):
    given(monkeypatch, folders[name])
    app = unfolded("tagger", *FOLDS, tagger=name, layer="1", at="1")
    text = text_of(app).lower()
    for part in ("affixes", "characters"):
        assert (f" {part}" in text) == (name == part), part
    assert ("bilstm" in text) == (name == "plain")
    assert ("stand side by side" in text) == (name == "characters")
    assert ("affix</th>" in html_of(app)) == (name == "affixes")
    figures = json.loads((folders[name] / "metrics.json").read_text())
    assert f"{100 * figures['accuracy']:.1f} % of the words" in text
    keys = [chart.proto.id for chart in app.get("plotly_chart")]
    assert any("tagger.curves" in key for key in keys)
    assert any("tagger.confusion" in key for key in keys)


@pytest.mark.parametrize("change", ["sha", "text", "shape", "none"])
def test_figures_of_others_or_none_are_no_figures(folders, monkeypatch, tmp_path, change):
    folder = folders["affixes"]
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    figures = json.loads((folder / "metrics.json").read_text())
    figures |= {"sha": {"weights_sha256": "0"}, "shape": {"confusion": [[1]]}}.get(change, {})
    text = {"text": '{"a": [', "none": "[]"}.get(change, json.dumps(figures))
    (tmp_path / "metrics.json").write_text(text)
    given(monkeypatch, tmp_path)
    app = unfolded("tagger", *FOLDS, tagger=next(iter(taggers.given_entries())))
    assert "There are no figures of this tagger" in text_of(app)


def test_it_is_judged_by_the_readers_own_sentences_and_never_by_the_sample(folders, monkeypatch):
    given(monkeypatch, folders["affixes"])
    app = unfolded("tagger", *FOLDS, tagger="affixes")
    assert "came without tagged sentences to judge it by" in text_of(app)
    assert "expected calibration error" not in text_of(app)
    upload(app, {"mine.txt": sample("dev.conllu").read_bytes()}, "judge", "mistakes")
    assert "expected calibration error" in text_of(app)
    assert "The first sentence of mine.txt is read as:" in text_of(app)
    menu = next(box for box in app.selectbox if box.label == "Column of the labels")
    assert menu.value == "UPOS"
    menu.set_value("DEPREL").run()
    assert "column DEPREL is empty" in messages(app)
    upload(app, {"names": ROWS.encode()}, "judge", "mistakes")
    assert "None of the labels in names is a tag of this tagger" in text_of(app)


def test_the_columns_of_a_file_to_learn_from_are_a_menu():
    app = fresh("tagger", train="1", data="own").run()
    upload(app, {"conll.anything": ROWS.encode()}, "tagger.file")
    menu = next(box for box in app.selectbox if box.label == "Column of the labels")
    assert (len(menu.options), menu.value) == (4, "4")
    assert re.search("Paris/[BI]-LOC sings/O", text_of(app))
    menu.set_value("2").run()
    assert "Paris/NNP sings/VBZ" in text_of(app)
    upload(app, {"notes.conllu": b"Plain text in a line.\nAnd one more.\n"}, "tagger.file")
    assert "Expected sentences with a label for each word" in messages(app)


@pytest.mark.parametrize("files", [(), ("tagger.json",), tuple(FILES)])
def test_a_training_whose_files_are_not_all_there_raises_nothing(monkeypatch, tmp_path, files):
    """One that was stopped while it wrote."""
    training = trainings.Training("k", training_config.TrainingConfig(), tmp_path, "stopped")
    training.epochs.append(trainings.EpochFigures(1, 1.0, 0.5))
    (tmp_path / "tagger").mkdir()
    (tmp_path / "tagger" / ".metrics.json.abc").write_text("{")
    for name in files:
        (tmp_path / "tagger" / name).write_bytes(FILES[name])
    training_config.write(tmp_path, training.asked, training_config.bundled("pos"))
    monkeypatch.setattr(trainings.QUEUE, "every", {"k": training})
    monkeypatch.setattr(trainings.QUEUE, "get", {"k": training}.get)
    app = fresh("tagger", training="k").run()
    assert not app.exception


def test_a_tagger_that_the_server_has_no_longer_is_said_and_nothing_raises():
    app = fresh("tagger", tagger=taggers.add_files(FILES)).run()
    assert app.selectbox(key="tagger").value.startswith(taggers.OWN)
    taggers._kept.clear()
    app.run()
    assert not app.exception


@pytest.mark.parametrize(("page", "opens"), [("tagger", "tagger.own"), ("learning", "bar.own")])
def test_a_tagger_is_uploaded_where_taggers_are_offered(page, opens):
    app = fresh(page)
    app.session_state[opens] = app.session_state["bar.open"] = True
    app.run()
    upload(app, FILES, "upload")
    menu = next(box for box in app.selectbox if box.label == "Tagger")
    assert menu.value.startswith(taggers.OWN)
    upload(app, {"notes.txt": b"hello"}, "upload")
    assert "Expected a tagger as “crf train”" in messages(app)
