"""The problem as code: it runs, and its asserts hold for the core and for pytorch-crf alone."""

import numpy as np
import pytest
import torch

from crf import LinearChain
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem_code import problem_code
from tests.apps import fresh

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
    scores = [
        torch.as_tensor(names[name], dtype=torch.float64)
        for name in ("emissions", "transitions", "start", "end")
    ]
    per_step = scores[1].dim() == 3
    given = [
        (x[None] if k == 0 or (k == 1 and per_step) else x).requires_grad_()
        for k, x in enumerate(scores)
    ]
    chain = LinearChain(*given)
    loss = -chain.log_prob(torch.as_tensor(np.asarray(names["tags"]))[None]).sum()
    kind = torch.as_tensor if flavour == "torch" else np.asarray
    found = torch.autograd.grad(loss, given)
    gradients = [
        kind(g[0].detach()) if k == 0 or (k == 1 and per_step) else kind(g.detach())
        for k, g in enumerate(found)
    ]
    names["check"](
        log_z=chain.log_partition.detach(),
        best_path=chain.viterbi().tags[0],
        marginals=kind(chain.marginals[0].detach()),
        gradients=gradients,
    )
    with pytest.raises(AssertionError):
        names["check"](log_z=chain.log_partition.detach() + 0.01)
    with pytest.raises(AssertionError):
        names["check"](gradients=[gradient + 0.01 for gradient in gradients])


def test_pytorch_crf_s_asserts_hold():
    torchcrf = pytest.importorskip("torchcrf", reason="pytorch-crf is not installed")
    assert torchcrf.CRF
    for example in ("old-man", "bio"):
        if not torch.isinf(torch.tensor(EXAMPLES[example].problem.transitions)).any():
            run(example, "pytorch-crf")


def test_the_export_offers_it():
    app = fresh("forward")
    app.session_state["forward·export"] = True
    app.run()
    problem = EXAMPLES["old-man"].problem
    path = problem.chain().viterbi().tags[0].tolist()
    text = problem_code(problem, "torch", path, answers=True).strip()
    assert text in [block.value for block in app.code]
