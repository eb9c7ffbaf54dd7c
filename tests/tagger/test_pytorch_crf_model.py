"""pytorch-crf's state dict and a sentence's emissions: what is read, what is refused and why."""

import json

import pytest
import safetensors.torch
import torch

from crf import LinearChain
from crf.tagger import ModelFileError
from crf.tagger.pytorch_crf_model import PytorchCrfModel

TAGS, TOKENS = ["DET", "NOUN"], ["the", "man"]
EMISSIONS = [[2.0, -1.0], [-1.5, float("-inf")]]
TABLES = {
    "transitions": torch.tensor([[0.0, 1.0], [-1.0, 0.5]]),
    "start_transitions": torch.tensor([0.2, -0.2]),
    "end_transitions": torch.tensor([-0.3, 0.3]),
}
WEIGHTS = safetensors.torch.save(TABLES)
CSV = "token,DET,NOUN\nthe,2.0,-1.0\nman,-1.5,-inf\n"
JSON = {"tokens": TOKENS, "labels": TAGS, "emissions": [[2.0, -1.0], [-1.5, "-inf"]]}


@pytest.mark.parametrize(
    ("content", "name"), [(CSV, "scores.csv"), (json.dumps(JSON), "scores.json")]
)
@pytest.mark.parametrize("prefix", ["", "model.crf."])
def test_its_chain_is_that_of_the_tables(content, name, prefix):
    weights = {prefix + key: table for key, table in TABLES.items()} | {"other": torch.zeros(3)}
    found = PytorchCrfModel.from_bytes(safetensors.torch.save(weights), content.encode(), name)
    assert (found.tags, found.tokens) == (tuple(TAGS), tuple(TOKENS))
    expected = LinearChain(torch.tensor([EMISSIONS]), *TABLES.values())
    chain = found.chain([TOKENS])
    assert torch.allclose(chain.log_partition.float(), expected.log_partition)
    with pytest.raises(ModelFileError, match="the man"):
        found.chain([["another", "sentence"]])


@pytest.mark.parametrize(
    ("weights", "content", "reason"),
    [
        (WEIGHTS[:-4], CSV, "not a safetensors file"),
        (safetensors.torch.save({"transitions": torch.zeros(2, 2)}), CSV, "start_transitions"),
        (safetensors.torch.save(TABLES | {"transitions": torch.zeros(3, 3)}), CSV, r"\(3, 3\)"),
        (safetensors.torch.save(TABLES | {"transitions": torch.full((2, 2), torch.nan)}), CSV,
         "nan"),
        (WEIGHTS, "", "a header"),
        (WEIGHTS, "token,DET,DET\nthe,1,2", "differ"),
        (WEIGHTS, "token,DET,NOUN\nthe,1", "2 emissions"),
        (WEIGHTS, "token,DET,NOUN\nthe,1,nan", "a number of at most .* or -inf, got .nan"),
        (WEIGHTS, "token," + ",".join(f"L{k}" for k in range(10_000)) + "\nx,1", "10,000"),
        (WEIGHTS, json.dumps(JSON | {"labels": 7}), "tags"),
        (WEIGHTS, json.dumps(JSON | {"emissions": [[1, 2]]}), "2 words"),
        (WEIGHTS, "[" * 100_000, "not JSON"),
        (safetensors.torch.save(TABLES | {"transitions": torch.zeros(2, 2) + 1j}), CSV,
         "floating-point numbers, got torch.complex64"),
        (safetensors.torch.save(TABLES | {"transitions": torch.full((2, 2), 1e38)}), CSV, "1e.09"),
        (WEIGHTS, "token,DET,NOUN\nthe,1,1.7e308", "1e.09 in size"),
        (WEIGHTS, "token,DET,NOUN\nthe,1,-1.7e308", "1e.09 in size"),
        (WEIGHTS, json.dumps(JSON | {"emissions": [[1, True], [1, 2]]}), "got True"),
        (WEIGHTS, json.dumps(JSON | {"tokens": ["the", "\ud800"]}), "half of a surrogate pair"),
        (WEIGHTS, json.dumps(JSON | {"tokens": ["the", "a\x07b"]}), "tokens of visible char"),
        (WEIGHTS, json.dumps(JSON)[:-1] + ', "labels": ["A", "B"]}', "'labels' twice"),
    ],
)  # fmt: skip
def test_what_is_refused_and_why(weights, content, reason):
    name = "x.json" if content[:1] in ("{", "[") else "x.csv"
    with pytest.raises(ModelFileError, match=reason):
        PytorchCrfModel.from_bytes(weights, content.encode(), name)


def test_shapes_are_compared_before_anything_is_converted(monkeypatch):
    def too_early(self):
        raise AssertionError(f"{tuple(self.shape)} was converted")

    weights = safetensors.torch.save(TABLES | {"transitions": torch.zeros(1000, 1000).bool()})
    monkeypatch.setattr(torch.Tensor, "double", too_early)
    with pytest.raises(ModelFileError, match=r"\(1000, 1000\)"):
        PytorchCrfModel.from_bytes(weights, CSV.encode(), "scores.csv")
