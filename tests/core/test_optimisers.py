"""torch's optimisers without its compiler: the same numbers, and no compiler."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from crf import optimisers

ROOT = Path(__file__).resolve().parents[2]


def climbed(module, name: str, **how) -> list[torch.Tensor]:
    """Parameters after some steps, with the optimiser's state saved and loaded in the middle."""
    generator = torch.Generator().manual_seed(0)
    values = [torch.randn(5, 4, generator=generator, requires_grad=True) for _ in range(3)]
    optimiser = getattr(module, name)(values, **how)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        total = sum((v.sin() ** 2 + (v - 1) ** 4).sum() for v in values)
        total.backward()
        return total

    for k in range(20):
        if name == "Adam":
            loss()
            optimiser.step()
        else:
            optimiser.step(loss)
        if k == 9:
            optimiser.load_state_dict(optimiser.state_dict())
    return values


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("Adam", {"lr": 0.1}),
        ("Adam", {"lr": 0.1, "maximize": True}),
        ("LBFGS", {"max_iter": 2, "line_search_fn": "strong_wolfe"}),
    ],
)
def test_the_same_to_the_last_bit(name, how):
    ours, theirs = climbed(optimisers, name, **how), climbed(torch.optim, name, **how)
    assert all(map(torch.equal, ours, theirs))
    assert all(value.requires_grad for value in ours)


_WITHOUT = """
import sys
import torch
from tests.core.test_optimisers import climbed, optimisers
from crf import FeatureCRF
from crf.tagger import Settings, TaggingDataset, sample, train

for name in ("Adam", "LBFGS"):
    climbed(optimisers, name)
FeatureCRF(algorithm="lbfgs", c1=0.0, max_iterations=2).fit([[{"a": 1.0}]], [["A"]])
data = TaggingDataset.from_conllu(sample("dev.conllu"))
train(data, data, Settings(epochs=1), checkpoint=sys.argv[1])
print("torch._dynamo" in sys.modules)
"""


def test_no_compiler_comes_with_them(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, tmp_path / "checkpoint"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "False", done.stdout + done.stderr
