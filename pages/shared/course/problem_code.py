"""A problem as code to copy: its scores as tensors, arrays or lists, and the right results."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pages.shared.course.problem import TABLES, Problem
from pages.shared.course.templates import fill

if TYPE_CHECKING:
    from crf import LinearChain

FLAVOURS = {"lists": "Lists", "numpy": "numpy", "torch": "PyTorch", "pytorch-crf": "pytorch-crf"}
_FILE = "problem_code.txt"
_HEADS = {
    "lists": "",
    "numpy": "import numpy as np\n\n",
    "torch": "import torch\n\n",
    "pytorch-crf": "import torch\nfrom torchcrf import CRF\n\n",
}
_KINDS = {"tags": "long", "mask": "bool"}  # other tensors hold float64


def problem_code(
    problem: Problem,
    flavour: str,
    tags: Sequence[int],
    *,
    batched: bool = False,
    answers: bool = False,
) -> str:
    """Return assignments that make a problem's arguments, in one of the `FLAVOURS`.

    `batched` makes a batch of one with a mask, which pytorch-crf always takes; `answers` adds what
    should come out, as a function `check` of asserts.
    """
    arguments = {
        "emissions": problem.emissions,
        "transitions": problem.transitions if problem.per_step else problem.matrix(1),
        "start": problem.start,
        "end": problem.end,
        "tags": tags,
    }
    if batched or flavour == "pytorch-crf":
        arguments |= {name: [arguments[name]] for name in ("emissions", "tags")}
        arguments["mask"] = [[True] * len(problem.tokens)]
    text = _assignments(arguments, flavour)
    if flavour == "lists" and "inf" in text:
        text = f'inf = float("inf")\n\n{text}'
    if answers:
        text += f"\n# What comes out of these scores.\n{_answers(problem.chain(), tags, flavour)}"
        close = {"numpy": "np.allclose", "torch": "torch.allclose"}.get(flavour, "")
        check = "check" if close else "check-pytorch-crf"
        text += fill(_FILE, check, close=close, tags=str(len(problem.tags))) + "\n"
    return _HEADS[flavour] + text


def _answers(chain: "LinearChain", tags: Sequence[int], flavour: str) -> str:
    """The results that a program should find, computed by the core."""
    import torch

    gold = torch.tensor([list(tags)])
    path = f"expected_path = {chain.viterbi().tags[0].tolist()!r}\n"
    if flavour == "pytorch-crf":
        return f"expected_nll = {-chain.log_prob(gold).item()!r}\n{path}"
    expected, observed = chain.expected_counts, chain.clamp(gold).expected_counts
    gradients = [(getattr(expected, x) - getattr(observed, x))[0].tolist() for x in TABLES]
    tables = ",\n    ".join(_value("", gradient, flavour) for gradient in gradients)
    marginals = _assignments({"expected_marginals": chain.marginals[0].tolist()}, flavour)
    return (
        f"expected_log_z = {chain.log_partition.item()!r}\n{marginals}"
        f"expected_gradients = [\n    {tables},\n]\n{path}"
    )


def _assignments(values: Mapping[str, Any], flavour: str) -> str:
    return "".join(f"{name} = {_value(name, value, flavour)}\n" for name, value in values.items())


def _value(name: str, value: Any, flavour: str) -> str:
    text = _nested(value)
    if flavour == "lists":
        return text
    if flavour == "numpy":
        return f"np.array({text.replace('inf', 'np.inf')})"
    dtype = _KINDS.get(name, "float64")
    return f"torch.tensor({text.replace('inf', 'torch.inf')}, dtype=torch.{dtype})"


def _nested(value: Any) -> str:
    """Nested lists, a row on each line."""
    if isinstance(value, list | tuple):
        deep = bool(value) and isinstance(value[0], list | tuple)
        between = ",\n    " if deep else ", "
        return f"[{between.join(map(_nested, value))}]"
    return repr(value)
