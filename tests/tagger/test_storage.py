import copy
import hashlib
import json

import pytest
import safetensors.torch
import torch

from crf.tagger import ModelFileError, Tagger, TaggingDataset, shipped
from crf.tagger.model_files import words_of

SENTENCES = [["they", "fish", "the", "can", "!"], ["unheard", "of"]]


@pytest.fixture
def files(saved):
    return (saved / "tagger.json").read_bytes(), (saved / "weights.safetensors").read_bytes()


def with_weights(files, content: bytes) -> tuple[bytes, bytes]:
    """The two files with other weights under a checksum that fits: what a forger would send."""
    description = json.loads(files[0])
    description["sha256"] = hashlib.sha256(content).hexdigest()
    return json.dumps(description).encode(), content


def with_json(files, **changes) -> tuple[bytes, bytes]:
    return json.dumps({**json.loads(files[0]), **changes}).encode(), files[1]


def test_what_is_saved_comes_back_but_for_the_rounding_to_float16(tagger, saved):
    loaded = Tagger.load(saved)
    assert loaded.tags == tagger.tags
    assert loaded.sizes == tagger.sizes
    assert not loaded.training
    for (name, parameter), other in zip(
        tagger.named_parameters(), loaded.parameters(), strict=True
    ):
        assert torch.equal(parameter.half().float(), other), name
    assert loaded.tag(SENTENCES) == tagger.tag(SENTENCES)


def test_a_scheme_and_a_tokeniser_are_kept_in_the_file(tagger, tmp_path):
    assert TaggingDataset.read(b"a I-X\nb B-X\n").sentences[0].tags == ("I-X", "B-X")  # as they are
    own, spaced = copy.copy(tagger), copy.copy(tagger)
    spaced.written_as, spaced.tokeniser = "IOB1", "spaces"
    for kept, words in ((own, ["im", "Bad", ",", "don't"]), (spaced, ["im", "Bad,", "don't"])):
        kept.save(tmp_path)
        loaded = Tagger.load(tmp_path)
        assert (loaded.written_as, loaded.tokeniser) == (kept.written_as, kept.tokeniser)
        assert words_of(loaded, "im Bad, don't") == words
    local = Tagger.load(shipped("local"))
    assert words_of(local, "don't") == ["do", "n't"]
    assert words_of(local, "don't", by_spaces=True) == ["don't"]


@pytest.mark.parametrize("missing", ["tagger.json", "weights.safetensors"])
def test_a_missing_file_is_named(saved, missing):
    (saved / missing).unlink()
    with pytest.raises(ModelFileError, match=rf"{missing}: No such file.*a tagger is a directory"):
        Tagger.load(saved)


@pytest.mark.parametrize("cut", [0, 100, -1])
def test_truncated_files_are_refused(files, cut):
    with pytest.raises(ModelFileError, match=r"tagger\.json: not JSON"):
        Tagger.from_bytes(files[0][:cut], files[1])
    with pytest.raises(ModelFileError, match=r"weights\.safetensors: truncated"):
        Tagger.from_bytes(files[0], files[1][:cut])


def test_altered_and_huge_files_and_what_is_not_json_are_refused(files):
    altered = bytearray(files[1])
    altered[-1] ^= 1
    not_json = r"tagger\.json: (not JSON|expected an object)"
    for description, weights, message in (
        (files[0], bytes(altered), "altered"),
        (files[0], bytes(129 << 20), "expected at most"),
        (b" " * (17 << 20), files[1], r"tagger\.json: expected at most"),
        (b"[" * 100_000, files[1], not_json),
        (b"\xff\xfe", files[1], not_json),
        (b"1" * 10_000, files[1], not_json),
    ):
        with pytest.raises(ModelFileError, match=message):
            Tagger.from_bytes(description, weights)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "format"),
        ({"version": 2}, "expected format version 1, got 2"),
        ({"version": True}, "format version"),
        ({"extra": 1}, "the keys"),
        ({"tags": []}, "tags"),
        ({"tags": "NOUN"}, "tags"),
        ({"tags": ["NOUN", "NOUN"]}, "tags that differ"),
        ({"tags": ["NOUN", 3]}, "tags of 1 to 128 visible"),
        ({"tags": ["NOUN", "VERB"]}, r"weights.*(projection|crf)\S+ has shape"),
        ({"vocabularies": {"words": []}}, "vocabularies"),
        ({"vocabularies": {"words": 1, "affixes": [], "characters": []}}, "words a list"),
        ({"vocabularies": {"words": [1], "affixes": [], "characters": []}}, "of strings"),
        ({"vocabularies": {"words": ["a", "a"], "affixes": [], "characters": []}}, "twice"),
        ({"vocabularies": {"words": ["<PAD>"], "affixes": [], "characters": []}}, "distinct"),
        ({"hyperparameters": None}, "hyperparameters"),
        ({"hyperparameters": {"word_dim": "6"}}, "hyperparameters"),
        ({"hyperparameters": {"__class__": 1}}, "unexpected keyword"),
        ({"sha256": None}, "truncated, altered"),
        ({"scheme": "BIOES"}, "labels: expected BIOES labels"),
        ({"scheme": ["BIO"]}, "scheme: one of BIO, BIOES"),
        ({"tokeniser": "german"}, "tokeniser: one of unicode, english"),
        ({"written_as": "BIO"}, "written_as: IO, IOB1 or none"),
        ({"scheme": "BIO"}, "labels: expected BIO labels"),
        ({"clusters": ["0"]}, "clusters: words, by a path of zeros and ones"),
        ({"clusters": {"012": "fish"}}, "clusters: words, by a path of zeros and ones"),
        ({"clusters": {"01": "fish"}}, "clusters and hyperparameters do not fit"),
    ],
)
def test_a_forged_description_is_refused(files, changes, message):
    with pytest.raises(ModelFileError, match=message):
        Tagger.from_bytes(*with_json(files, **changes))


def test_forged_weights_are_refused(files):
    tensors = safetensors.torch.load(files[1])
    bias = tensors["projection.bias"]
    for changes, message in (
        ({"projection.bias": bias / 0}, "holds nan or infinity"),
        ({"projection.bias": bias[:-1].clone()}, "has shape"),
        ({"projection.bias": bias.float()}, "float32"),
        ({"surplus": bias.clone()}, "surplus does not belong"),
        ({"projection.bias": None}, "is missing"),
    ):
        forged = {name: x for name, x in (tensors | changes).items() if x is not None}
        with pytest.raises(ModelFileError, match=message):
            Tagger.from_bytes(*with_weights(files, safetensors.torch.save(forged)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        (2**63).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (90).to_bytes(8, "little")
        + b'{"x":{"dtype":"F16","shape":[99999999999,99999999999],"data_offsets":[0,8]}}'.ljust(90)
        + bytes(8),
    ],
)
def test_weights_that_are_no_safetensors_file_are_refused(files, content):
    with pytest.raises(ModelFileError, match="not a safetensors file"):
        Tagger.from_bytes(*with_weights(files, content))


def test_weights_that_float16_cannot_hold_are_not_saved(saved, tmp_path):
    tagger = Tagger.load(saved)
    with torch.no_grad():
        tagger.projection.bias[0] = 1e6
    with pytest.raises(ValueError, match=r"fit float16, got others in projection\.bias"):
        tagger.save(tmp_path / "broken")
    assert not (tmp_path / "broken").exists()


def test_shapes_are_compared_before_anything_is_converted(files, monkeypatch):
    def too_early(self):
        raise AssertionError(f"{tuple(self.shape)} was converted")

    tensors = safetensors.torch.load(files[1])
    content = safetensors.torch.save(tensors | {"projection.bias": torch.zeros(1000).half()})
    monkeypatch.setattr(torch.Tensor, "float", too_early)
    with pytest.raises(ModelFileError, match="has shape"):
        Tagger.from_bytes(*with_weights(files, content))
