"""Uploaded files and folders: which kind of model they are; what is refused and why; the pages."""

import io
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from crf.tagger import ModelFileError, hugging_face, model_files
from crf.tagger.bundled import shipped
from crf.tagger.model_files import HUGGING_FACE, OURS, Files
from pages.shared.course import start_options
from pages.shared.ui import taggers
from tests.apps import benched, of_stage

LOCAL = {
    name: (shipped("local") / name).read_bytes() for name in ("tagger.json", "weights.safetensors")
}
TABLES = {
    "transitions": torch.zeros(2, 2),
    "start_transitions": torch.tensor([0.2, -0.2]),
    "end_transitions": torch.zeros(2),
}


def zipped(contents, times=1):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in contents.items():
            archive.writestr(name, content * times)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("contents", "kind"),
    [
        (LOCAL, OURS),
        (LOCAL | {"metrics.json": b"{}", "training.csv": b"epoch"}, OURS),
        ({"tagger.zip": zipped({f"../../x/{name}": c for name, c in LOCAL.items()})}, OURS),
        ({"config.json": b"{}", "model.safetensors": b"", "vocab.txt": b""}, HUGGING_FACE),
        # by what is in a file, whatever it is called
        ({"a.txt": LOCAL["tagger.json"], "b.bin": LOCAL["weights.safetensors"]}, OURS),
        ({"download": zipped(LOCAL)}, OURS),
        ({"x.zip": zipped(LOCAL | {f"__MACOSX/._{name}": b"\0\5\x16\7" for name in LOCAL})}, OURS),
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
        ({"w.safetensors": b""}, "choose all files of their folder.*into crf.ChainCRF"),
        ({"w.safetensors": b"", "scores.csv": b"token,DET"}, "got w.safetensors, scores.csv"),
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
        list(pool.map(model_files.load_upload, [LOCAL] * 8))
    assert most == [1] * 8


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"e.json": b'{"a": '}, "^e.json: cannot be read .*line 1, column 7"),
        ({"e.json": b'{"emissions": []}'}, "^e.json: expected format"),
        (
            {"e.json": LOCAL["tagger.json"].replace(b'"version": 1', b'"version": 9')},
            "^e.json: expected format version 1",
        ),
        ({"w.safetensors": LOCAL["weights.safetensors"][:-4]}, "^w.safetensors: .* that e.json"),
    ],
)
def test_a_damaged_file_is_called_by_its_own_name(changed, reason):
    files = {"e.json": LOCAL["tagger.json"], "w.safetensors": LOCAL["weights.safetensors"]}
    assert model_files.load_upload(files)[0].tagger.tags
    with pytest.raises(ModelFileError, match=reason) as refused:
        model_files.load_upload(files | changed)
    assert "tagger.json" not in str(refused.value)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, "one tensor called transitions.*got 0"),
        ({"crf.transitions": TABLES["transitions"]}, "one tensor called transitions.*got 2"),
        ({"transitions": torch.zeros(3, 3)}, r"shape \(2, 2\) for the 2 labels of x, got \(3, 3\)"),
        ({"transitions": torch.full((2, 2), torch.nan)}, "nan"),
        ({"transitions": torch.full((2, 2), 1e38)}, "1e.09"),
        ({"transitions": torch.zeros(2, 2) + 1j}, "floating-point numbers, got torch.complex64"),
    ],
)
def test_which_tables_of_a_crf_are_refused_and_why(changed, reason):
    assert hugging_face.crf_tables({f"my.{k}": v for k, v in TABLES.items()}, 2, "x")
    tables = TABLES | changed if changed else {}
    with pytest.raises(ModelFileError, match=reason):
        hugging_face.crf_tables(tables, 2, "x")


def test_shapes_are_compared_before_anything_is_converted(monkeypatch):
    def too_early(self):
        raise AssertionError(f"{tuple(self.shape)} was converted")

    monkeypatch.setattr(torch.Tensor, "double", too_early)
    with pytest.raises(ModelFileError, match=r"\(1000, 1000\)"):
        hugging_face.crf_tables(TABLES | {"transitions": torch.zeros(1000, 1000).bool()}, 2, "x")


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
    monkeypatch.setattr(start_options, "given", options)
    taggers.given_entries.cache_clear()
    try:
        app = benched("", "whose", tagger="good-one")
        assert of_stage(app)["view"]["state"]["tagger"] == "good-one"
        said = " ".join(warning.value for warning in app.warning).replace("\\", "")
        assert "The folder bad: model.pt is a pickle" in said
        assert "The folder altered: tagger.json: expected format version 1" in said
        assert str(tmp_path) not in said
        assert list(taggers.given_entries()) == ["good-one"]
    finally:
        taggers.given_entries.cache_clear()
