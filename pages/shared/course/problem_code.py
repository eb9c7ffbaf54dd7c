"""A problem as code to copy: its scores as tensors, arrays or lists, and what should come out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pages.shared.course.problem import Problem

if TYPE_CHECKING:
    from crf import LinearChain

FLAVOURS = {"lists": "Lists", "numpy": "numpy", "torch": "PyTorch", "pytorch-crf": "pytorch-crf"}
_HEADS = {
    "lists": "",
    "numpy": "import numpy as np\n\n",
    "torch": "import torch\n\n",
    "pytorch-crf": "import torch\nfrom torchcrf import CRF\n\n",
}
_CHECK = '''

def check(log_z=None, best_path=None, marginals=None, gradients=None):
    """Compare the answers of your own code; gradients are those of -log p(tags)."""
    if log_z is not None:
        assert abs(float(log_z) - expected_log_z) < 1e-4, (log_z, expected_log_z)
    if best_path is not None:
        assert [int(tag) for tag in best_path] == expected_path, (best_path, expected_path)
    if marginals is not None:
        assert {close}(marginals, expected_marginals, atol=1e-4), marginals
    if gradients is not None:
        for got, expected in zip(gradients, expected_gradients, strict=True):
            assert {close}(got, expected, atol=1e-4), got
'''
_PYTORCH_CRF = """
model = CRF({S}, batch_first=True).double()
with torch.no_grad():
    model.transitions.copy_(transitions)
    model.start_transitions.copy_(start)
    model.end_transitions.copy_(end)

log_p = model(emissions, tags, mask)  # its "loss" is a log-likelihood: the other sign
assert abs(float(-log_p.detach()) - expected_nll) < 1e-4
assert model.decode(emissions, mask) == [expected_path]
"""


def problem_code(
    problem: Problem,
    flavour: str,
    tags: Sequence[int],
    *,
    batched: bool = False,
    answers: bool = False,
) -> str:
    """Return assignments that make a problem's arguments.

    Args:
        problem: The problem.
        flavour: One of `FLAVOURS`; pytorch-crf takes a batch.
        tags: The right tags.
        batched: Whether as a batch of one, with a mask.
        answers: Whether with what should come out, as a function `check` of asserts.
    """
    chain = problem.chain()
    batched = batched or flavour == "pytorch-crf"
    transitions = [problem.matrix(t) for t in range(1, len(problem.tokens))]
    values: dict[str, Any] = {
        "emissions": [problem.emissions] if batched else problem.emissions,
        "transitions": transitions if problem.per_step else problem.matrix(1),
        "start": problem.start,
        "end": problem.end,
        "tags": [tags] if batched else tags,
    }
    if batched:
        values["mask"] = [[True] * len(problem.tokens)]
    kind = "torch" if flavour == "pytorch-crf" else flavour
    text = "".join(f"{name} = {_made(name, value, kind)}\n" for name, value in values.items())
    if flavour == "lists" and "inf" in text:
        text = f'inf = float("inf")\n\n{text}'
    if answers:
        text += "\n# What comes out of these scores.\n" + _answers(chain, tags, flavour)
    if flavour == "pytorch-crf" and answers:
        text += _PYTORCH_CRF.format(S=len(problem.tags))
    elif answers:
        text += _CHECK.format(close={"numpy": "np.allclose", "torch": "torch.allclose"}[kind])
    return _HEADS[flavour] + text


def _answers(chain: "LinearChain", tags: Sequence[int], flavour: str) -> str:
    """What a program should find, from the core."""
    import torch

    given = torch.tensor([list(tags)])
    nll = -chain.log_prob(given).item()
    if flavour == "pytorch-crf":
        values: dict[str, Any] = {"expected_nll": nll}
    else:
        expected, observed = chain.expected_counts, chain.clamp(given).expected_counts
        tables = ("emissions", "transitions", "start", "end")
        gradients = [(getattr(expected, x) - getattr(observed, x))[0] for x in tables]
        values = {
            "expected_log_z": chain.log_partition.item(),
            "expected_marginals": chain.marginals[0].tolist(),
            "expected_gradients": [gradient.tolist() for gradient in gradients],
        }
    values["expected_path"] = chain.viterbi().tags[0].tolist()
    kind = "torch" if flavour == "pytorch-crf" else flavour
    parts = []
    for name, value in values.items():
        if name == "expected_gradients":  # of emissions, transitions, start, end
            made = ",\n    ".join(_made("", each, kind) for each in value)
            parts.append(f"{name} = [\n    {made},\n]\n")
        elif name == "expected_marginals":
            parts.append(f"{name} = {_made(name, value, kind)}\n")
        else:
            parts.append(f"{name} = {value!r}\n")
    return "".join(parts)


def _made(name: str, value: Any, flavour: str) -> str:
    kinds = {"tags": "long", "mask": "bool"}
    text = _nested(value)
    if flavour == "torch":
        text = text.replace("inf", "torch.inf")
        return f"torch.tensor({text}, dtype=torch.{kinds.get(name, 'float64')})"
    return f"np.array({text.replace('inf', 'np.inf')})" if flavour == "numpy" else text


def _nested(value: Any) -> str:
    """Nested lists, a row on each line."""
    if isinstance(value, list | tuple):
        deep = bool(value) and isinstance(value[0], list | tuple)
        between = ",\n    " if deep else ", "
        return f"[{between.join(map(_nested, value))}]"
    return repr(value)
