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


def with_json(files, **changes) -> tuple[bytes, bytes]:
    return json.dumps({**json.loads(files[0]), **changes}).encode(), files[1]


def with_weights(files, content: bytes) -> tuple[bytes, bytes]:
    """The two files with other weights under a checksum that fits: what a forger would send."""
    return with_json(files, sha256=hashlib.sha256(content).hexdigest())[0], content


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
    assert TaggingDataset.read(b"a I-X\nb B-X\n")[0].tags == ("I-X", "B-X")  # as they are
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


def test_a_missing_file_is_named(saved):
    for missing in ("weights.safetensors", "tagger.json"):
        (saved / missing).unlink()
        with pytest.raises(ModelFileError, match=f"{missing}: No such file.*a tagger is a direct"):
            Tagger.load(saved)


def test_truncated_altered_and_huge_files_and_what_is_not_json_are_refused(files):
    description, weights = files
    for cut in (0, 100, -1):
        with pytest.raises(ModelFileError, match=r"tagger\.json: cannot be read"):
            Tagger.from_bytes(description[:cut], weights)
    for other in (b"", weights[:100], weights[:-1], weights[:-1] + bytes([weights[-1] ^ 1])):
        with pytest.raises(ModelFileError, match=r"weights\.safetensors: truncated, altered"):
            Tagger.from_bytes(description, other)
    with pytest.raises(ModelFileError, match=r"weights\.safetensors: expected at most"):
        Tagger.from_bytes(description, bytes(129 << 20))
    with pytest.raises(ModelFileError, match=r"tagger\.json: cannot be read.*expected at most"):
        Tagger.from_bytes(b" " * (17 << 20), weights)
    for other in (b"[" * 100_000, b"\xff\xfe", b"1" * 10_000):
        with pytest.raises(ModelFileError, match=r"tagger\.json: (cannot be read|expected an obj)"):
            Tagger.from_bytes(other, weights)


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
        ({"vocabularies": {"words": [1], "affixes": [], "characters": []}}, "words a list of str"),
        ({"vocabularies": {"words": ["a", "a"], "affixes": [], "characters": []}}, "distinct"),
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
        ({"clusters": {"01": "fish"}}, "clusters: expected 2, as the featuriser has, got 0"),
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


def test_weights_that_are_no_safetensors_file_are_refused(files):
    header = b'{"x":{"dtype":"F16","shape":[99999999999,99999999999],"data_offsets":[0,8]}}'
    for size, rest in ((2**63, b"{}"), (2, b"[]"), (90, header.ljust(90) + bytes(8))):
        with pytest.raises(ModelFileError, match="not a safetensors file"):
            Tagger.from_bytes(*with_weights(files, size.to_bytes(8, "little") + rest))
    with pytest.raises(ModelFileError, match="not a safetensors file"):
        Tagger.from_bytes(*with_weights(files, b""))


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
