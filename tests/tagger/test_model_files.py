"""Uploaded files and folders: which kind of model they are; what is refused and why; the pages."""

import io
import json
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
import safetensors.torch
import torch

from crf.tagger import ModelFileError, model_files
from crf.tagger.bundled import shipped
from crf.tagger.model_files import HUGGING_FACE, OURS, RECORDED, Files
from pages.shared.course import start_options
from pages.shared.ui import taggers
from tests.apps import opened

LOCAL = {
    name: (shipped("local") / name).read_bytes() for name in ("tagger.json", "weights.safetensors")
}
TABLES = {
    "transitions": torch.zeros(2, 2),
    "start_transitions": torch.tensor([0.2, -0.2]),
    "end_transitions": torch.zeros(2),
}
CRF = {
    "crf.safetensors": safetensors.torch.save(TABLES),
    "scores.csv": b"token,DET,NOUN\nthe,2.0,-1.0\nman,-1.5,0.5\n",
}


def zipped(contents, times=1):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content * times)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("contents", "kind"),
    [
        (LOCAL, OURS),
        (LOCAL | {"metrics.json": b"{}", "training.csv": b"epoch"}, OURS),
        ({"tagger.zip": zipped({f"../../x/{name}": c for name, c in LOCAL.items()})}, OURS),
        (CRF, RECORDED),
        ({"w.safetensors": b"", "s.json": json.dumps({"emissions": []}).encode()}, RECORDED),
        ({"config.json": b"{}", "model.safetensors": b"", "vocab.txt": b""}, HUGGING_FACE),
        # by what is in a file, whatever it is called
        ({"a.txt": LOCAL["tagger.json"], "b.bin": LOCAL["weights.safetensors"]}, OURS),
        ({"download": zipped(LOCAL)}, OURS),
        ({"x.zip": zipped(CRF | {f"__MACOSX/._{name}": b"\0\5\x16\7" for name in CRF})}, RECORDED),
        ({"x.zip": zipped(LOCAL | {".DS_Store": b"x", "t/._weights.safetensors": b"x"})}, OURS),
    ],
)
def test_the_kinds(contents, kind):
    assert model_files.kind_of(Files.of_upload(contents)) == kind


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        ({}, "got nothing"),
        ({"pytorch_model.bin": b"\x80", "config.json": b"{}"}, "is a pickle.*safe_serialization"),
        ({"a.pt": b"\x80\x02"}, "save_file"),
        ({"m.crfsuite": b"lCRF" + b"\0" * 44}, "^Expected a tagger .*; got m.crfsuite$"),
        ({"notes.txt": b"hello"}, "got notes.txt. A file of tagged sentences is no model"),
        ({"tagger.json": LOCAL["tagger.json"]}, "add weights.safetensors"),
        ({"config.json": b"{}"}, "add model.safetensors"),
        ({"w.safetensors": b""}, "choose all files of their folder"),
        ({"a.safetensors": b"", "b.safetensors": b""}, "got a.safetensors, b.safetensors"),
        ({"x.zip": b"PK\x03\x04 but no more"}, "damaged"),
        ({"x.zip": zipped({"a": b"0" * (1 << 20)}, 100)}, "bytes when unpacked"),
        ({"x.zip": zipped({"x.zip": zipped(LOCAL)})}, "got x.zip"),
    ],
)
def test_what_is_refused_and_why(contents, reason):
    with pytest.raises(ModelFileError, match=reason):
        model_files.kind_of(Files.of_upload(contents))


def test_one_upload_is_read_at_a_time(monkeypatch):
    at_once, most = [], []

    def slow(files):
        at_once.append(1)
        most.append(len(at_once))
        time.sleep(0.02)
        at_once.pop()
        return []

    monkeypatch.setattr(model_files, "load", slow)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(model_files.load_upload, [CRF] * 8))
    assert most == [1] * 8


def test_a_crf_of_another_program_tags_its_sentence_and_says_so_of_others():
    app = opened()
    app.session_state["tag.own"] = True
    app.run()
    for name, content in CRF.items():
        app.file_uploader[0].upload(name, content)
    app.run()
    assert not app.exception
    assert app.text_input(key="sentence").value == "the man"
    assert any('"crf-sum"' in element.value for element in app.html)
    app.text_input(key="sentence").set_value("Another sentence.").run()
    assert not app.exception
    assert "the man" in app.info[0].value
    next(b for b in app.button if b.label == "Use that sentence").click().run()
    assert any('"crf-sum"' in element.value for element in app.html)


def test_a_folder_given_at_the_start_is_offered_to_all_and_a_bad_one_is_named(
    tmp_path, monkeypatch
):
    good, bad, altered = (tmp_path / name for name in ("good one", "bad", "altered"))
    for folder in (good, bad, altered):
        folder.mkdir()
    for name, content in LOCAL.items():
        (good / name).write_bytes(content)
        (altered / name).write_bytes(content.replace(b'"version": 1', b'"version": 9'))
    (bad / "model.pt").write_bytes(b"\x80")
    folders = tuple(start_options.folder(path) for path in (good, bad, altered))
    options = start_options.StartOptions(folders)
    monkeypatch.setattr(start_options, "_given", [options])
    taggers.given_entries.cache_clear()
    try:
        app = opened(tagger="good-one")
        assert not app.exception
        assert app.selectbox(key=taggers.TAGGER.key).value == "good-one"
        assert any('"crf-sum"' in element.value for element in app.html)
        assert any("The folder bad: model.pt is a pickle" in h.value for h in app.html)
        assert not any(str(tmp_path) in h.value for h in app.html)
        assert any("The folder altered: tagger.json: expected format version 1" in h.value
                   for h in app.html)  # fmt: skip
        assert list(taggers.given_entries()) == ["good-one"]
    finally:
        taggers.given_entries.cache_clear()
