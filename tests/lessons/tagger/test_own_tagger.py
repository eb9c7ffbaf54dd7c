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
from pages.tagger import training_config, trainings
from tests.apps import fresh, html_of
from tests.lessons.tagger.test_tagger_page import FOLDS

ROWS = "Paris NNP I-NP I-LOC\nsings VBZ I-VP O\n\nAda NNP I-NP I-PER\nsings VBZ I-VP O\n\n" * 6
SIZES = {
    "plain": Hyperparameters(word_dim=8, affix_dim=0, char_filters=0, hidden=4),
    "affixes": Hyperparameters(word_dim=0, affix_dim=4, char_filters=0, hidden=0),
    "characters": Hyperparameters(word_dim=8, affix_dim=0, char_dim=4, char_filters=4, hidden=0),
}


@pytest.fixture(scope="module", params=SIZES)
def folder(request, tmp_path_factory):
    """A tagger as the command line writes it, one epoch old."""
    data, path = training_config.bundled("pos"), tmp_path_factory.mktemp("own") / request.param
    settings = Settings(epochs=1, sizes=SIZES[request.param], hints=0.0, batch_size=64)
    tagger, history = train(data.training, data.dev, settings)
    tagger.save(path)
    loaded = type(tagger).load(path)
    figures = model_card.metrics(
        evaluation.test(loaded, data.dev),
        hashlib.sha256((path / "weights.safetensors").read_bytes()).hexdigest(),
        history,
        {"settings": asdict(settings)},
    )
    (path / "metrics.json").write_text(json.dumps(figures))
    return path


def given(monkeypatch, folder):
    options = start_options.StartOptions((start_options.folder(folder),))
    monkeypatch.setattr(start_options, "_given", [options])
    taggers.given_entries.cache_clear()


def shown(**query):
    app = fresh("tagger", **query)
    for label in FOLDS:
        app.session_state[f"tagger.fold.{label}"] = True
    app.run()
    assert not app.exception
    return app


def said(app):
    """The words on the page, without its styles."""
    bodies = [b.proto.body for b in app.get("html") if not b.proto.body.startswith("<style")]
    return re.sub(r"<[^>]+>|\s+", " ", " ".join(bodies))


def test_words_and_layers_are_the_networks_own(folder, monkeypatch):
    given(monkeypatch, folder)
    app = shown(tagger=folder.name, layer="1", at="1")
    text = said(app).lower()
    looked_up = {"affixes": folder.name == "affixes", "characters": folder.name == "characters"}
    for part, is_there in looked_up.items():
        assert (f" {part}" in text) == is_there, part
    assert ("bilstm" in text) == (folder.name == "plain")
    assert ("stand side by side" in text) == (folder.name == "characters")
    tables = html_of(app)
    assert ("affix</th>" in tables) == looked_up["affixes"]


def test_a_tagger_of_the_command_line_shows_its_figures_and_its_history(folder, monkeypatch):
    given(monkeypatch, folder)
    figures = json.loads((folder / "metrics.json").read_text())
    app = shown(tagger=folder.name)
    assert f"{100 * figures['accuracy']:.1f} % of the words" in said(app)
    keys = [chart.proto.id for chart in app.get("plotly_chart")]
    assert any("tagger.curves" in key for key in keys)
    assert any("tagger.confusion" in key for key in keys)


@pytest.mark.parametrize("change", ["sha", "text", "shape", "none"])
def test_figures_of_others_or_none_are_no_figures(folder, monkeypatch, tmp_path, change):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    figures = json.loads((folder / "metrics.json").read_text())
    figures |= {"sha": {"weights_sha256": "0"}, "shape": {"confusion": [[1]]}}.get(change, {})
    text = {"text": '{"a": [', "none": "[]"}.get(change, json.dumps(figures))
    (tmp_path / "metrics.json").write_text(text)
    given(monkeypatch, tmp_path)
    assert "There are no figures of this tagger" in said(
        shown(tagger=next(iter(taggers.given_entries())))
    )


def test_it_is_judged_by_the_readers_own_sentences_and_never_by_the_sample(folder, monkeypatch):
    given(monkeypatch, folder)
    app = shown(tagger=folder.name)
    assert "came without tagged sentences to judge it by" in said(app)
    assert "expected calibration error" not in said(app)

    def judge(name, content):
        places = [u for u in app.file_uploader if "judge" in str(u.key)]
        next(u for u in places if "mistakes" in str(u.key)).upload(name, content).run()
        assert not app.exception

    judge("mine.txt", sample("dev.conllu").read_bytes())
    assert "expected calibration error" in said(app)
    assert "The first sentence of mine.txt is read as:" in said(app)
    menu = next(box for box in app.selectbox if box.label == "Column of the labels")
    assert menu.value == "UPOS"
    menu.set_value("DEPREL").run()
    assert "column DEPREL is empty" in app.error[0].value.replace("\\", "")
    judge("names", ROWS.encode())
    assert "None of the labels in names is a tag of this tagger" in said(app)


def test_the_columns_of_a_file_to_learn_from_are_a_menu():
    app = fresh("tagger", train="1", data="own").run()
    place = next(u for u in app.file_uploader if "tagger.file" in str(u.key))
    place.upload("conll.anything", ROWS.encode()).run()
    assert not app.exception
    menu = next(box for box in app.selectbox if box.label == "Column of the labels")
    assert (len(menu.options), menu.value) == (4, "4")
    assert "Paris/B-LOC sings/O" in said(app) or "Paris/I-LOC sings/O" in said(app)
    menu.set_value("2").run()
    assert "Paris/NNP sings/VBZ" in said(app)
    place = next(u for u in app.file_uploader if "tagger.file" in str(u.key))
    place.upload("notes.conllu", b"Plain text in a line.\nAnd one more.\n").run()
    error = app.error[0].value.replace("\\", "")
    assert "Expected sentences with a label for each word" in error


@pytest.mark.parametrize("files", [("tagger.json",), (), ("tagger.json", "weights.safetensors")])
def test_a_training_whose_files_are_not_all_there_raises_nothing(monkeypatch, tmp_path, files):
    """One that was stopped while it wrote."""
    training = trainings.Training("k", training_config.TrainingConfig(), tmp_path, "stopped")
    training.epochs.append(trainings.EpochFigures(1, 1.0, 0.5))
    (tmp_path / "tagger").mkdir()
    (tmp_path / "tagger" / ".metrics.json.abc").write_text("{")
    for name in files:
        (tmp_path / "tagger" / name).write_bytes((shipped("local") / name).read_bytes())
    training_config.write(
        tmp_path, training_config.TrainingConfig(), training_config.bundled("pos")
    )
    monkeypatch.setattr(trainings.QUEUE, "every", {"k": training})
    monkeypatch.setattr(trainings.QUEUE, "get", {"k": training}.get)
    app = fresh("tagger", training="k").run()
    assert not app.exception


def test_a_tagger_that_the_server_has_no_longer_is_said_and_nothing_raises():
    files = {n: (shipped("local") / n).read_bytes() for n in ("tagger.json", "weights.safetensors")}
    app = fresh("tagger", tagger=taggers.add_files(files)).run()
    assert app.selectbox(key="tagger").value.startswith(taggers.OWN)
    taggers._kept.clear()
    app.run()
    assert not app.exception


@pytest.mark.parametrize(("page", "opens"), [("tagger", "tagger.own"), ("scores", "bar.own")])
def test_a_tagger_is_uploaded_where_taggers_are_offered(page, opens):
    app = fresh(page)
    app.session_state[opens] = app.session_state["bar.open"] = True
    app.run()

    def place():
        return next(u for u in app.file_uploader if "upload" in str(u.key))

    for name in ("tagger.json", "weights.safetensors"):
        place().upload(name, (shipped("local") / name).read_bytes())
    app.run()
    assert not app.exception
    menu = next(box for box in app.selectbox if box.label == "Tagger")
    assert menu.value.startswith(taggers.OWN)
    place().upload("notes.txt", b"hello").run()
    assert "Expected a tagger as “crf train”" in app.error[0].value.replace("\\", "")
