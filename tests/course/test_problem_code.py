"""The problem as code: it runs, and its asserts hold for the core and for pytorch-crf alone."""

import numpy as np
import pytest
import torch

from crf import LinearChain
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import TABLES
from pages.shared.course.problem_code import problem_code
from tests.apps import benched

EXAMPLE_NAMES = ["old-man", "bio", "one-token", "zero-transitions", "pair-potentials"]


def run(example: str, flavour: str) -> dict:
    problem = EXAMPLES[example].problem
    path = problem.chain().viterbi().tags[0].tolist()
    names: dict = {}
    exec(problem_code(problem, flavour, path, answers=True), names)
    return names


@pytest.mark.parametrize("flavour", ["torch", "numpy"])
@pytest.mark.parametrize("example", EXAMPLE_NAMES)
def test_what_should_come_out_is_what_the_core_finds(example, flavour):
    names = run(example, flavour)
    problem = EXAMPLES[example].problem
    given = [torch.as_tensor(names[table], dtype=torch.float64) for table in TABLES]
    for k in range(2 if problem.per_step else 1):  # emissions, and transitions for each step
        given[k] = given[k][None]
    chain = LinearChain(*(table.requires_grad_() for table in given))
    loss = -chain.log_prob(torch.as_tensor(np.asarray(names["tags"]))[None]).sum()
    kind = torch.as_tensor if flavour == "torch" else np.asarray
    gradients = [
        kind(g.reshape(np.shape(names[name])))
        for g, name in zip(torch.autograd.grad(loss, given), TABLES, strict=True)
    ]
    names["check"](
        log_z=chain.log_partition.detach(),
        best_path=chain.viterbi().tags[0],
        marginals=kind(chain.marginals[0].detach()),
        gradients=gradients,
    )
    for wrong in (
        {"log_z": chain.log_partition.detach() + 0.01},
        {"gradients": [gradient + 0.01 for gradient in gradients]},
    ):
        with pytest.raises(AssertionError):
            names["check"](**wrong)


def test_pytorch_crf_s_asserts_hold_and_the_export_offers_the_code():
    app = benched("forward", "scores-as-code")
    problem = EXAMPLES["old-man"].problem
    path = problem.chain().viterbi().tags[0].tolist()
    text = problem_code(problem, "torch", path, answers=True).strip()
    assert text in [block.value for block in app.code]
    pytest.importorskip("torchcrf", reason="pytorch-crf is not installed")
    run("old-man", "pytorch-crf")
