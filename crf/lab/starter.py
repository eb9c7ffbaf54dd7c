"""Write a homework to fill in: each function with its equation, its shapes and a tiny example."""

from typing import NamedTuple

from .homework import FUNCTIONS
from .reference import Reference, Scores

FLAVOURS = ("plain", "numpy", "torch")
_TINY = Scores(
    [[1.0, 2.0], [3.0, 0.0]], [[0.0, 1.0], [2.0, -1.0]], [0.0, 0.5], [0.0, 1.0], [1, 0], [True] * 2
)


class _Task(NamedTuple):
    tags: bool  # whether the right tags are an argument
    what: str
    equation: str
    returns: str


_TASKS = {
    "score": _Task(
        True,
        "The score of one tag sequence.",
        "start[y_0] + Σ_t emissions[t][y_t] + Σ_t transitions[y_(t−1)][y_t] + end[y_(L−1)]",
        "a number",
    ),
    "forward": _Task(
        False,
        "The forward recursion in log space, emission at t included.",
        "α[0][s] = start[s] + emissions[0][s]\n"
        "    α[t][s] = emissions[t][s] + log Σ_i exp(α[t−1][i] + transitions[i][s])",
        "log α, [L][S]",
    ),
    "nll": _Task(
        True,
        "The negative log-likelihood of the right tags, in nats.",
        "log Z − score,   log Z = log Σ_s exp(α[L−1][s] + end[s])",
        "a number, never negative",
    ),
    "viterbi": _Task(
        False,
        "The best tag sequence; of several equally good, the lowest tag wins.",
        "δ[t][s] = emissions[t][s] + max_i (δ[t−1][i] + transitions[i][s])\n"
        "    the last tag maximises δ[L−1][s] + end[s]; then follow the backpointers",
        "tags, [L]",
    ),
    "backward": _Task(
        False,
        "The backward recursion in log space, emission at t not included.",
        "β[L−1][s] = end[s]\n"
        "    β[t][s] = log Σ_j exp(transitions[s][j] + emissions[t+1][j] + β[t+1][j])",
        "log β, [L][S]",
    ),
    "marginals": _Task(
        False,
        "The probability of each tag at each token.",
        "p(y_t = s) = exp(α[t][s] + β[t][s] − log Z)",
        "probabilities, [L][S]; each row sums to 1",
    ),
    "gradients": _Task(
        True,
        "The gradient of nll: expected minus observed counts.",
        "∂/∂emissions[t][s] = p(y_t = s) − [y_t = s]\n"
        "    ∂/∂transitions[i][j] = Σ_t p(y_(t−1) = i, y_t = j) − [y_(t−1) = i, y_t = j]",
        "four of them: of emissions [L][S], transitions [S][S], start [S], end [S]",
    ),
}
_HEADS = {
    "plain": ("import math", "lists of floats"),
    "numpy": ("import numpy as np", "numpy arrays"),
    "torch": ("import torch", "torch tensors (float64)"),
}


def starter(flavour: str = "plain", *, batched: bool = False, only: tuple[str, ...] = ()) -> str:
    """Return the text of a homework to fill in.

    Args:
        flavour: "plain", "numpy" or "torch".
        batched: Whether its functions take a batch and a mask.
        only: The functions to write; (): all.

    Raises:
        ValueError: There is no such flavour or function.
    """
    if flavour not in FLAVOURS:
        raise ValueError(f"flavour: expected one of {', '.join(FLAVOURS)}, got {flavour!r}")
    for name in only:
        if name not in FUNCTIONS:
            raise ValueError(f"only: expected some of {', '.join(FUNCTIONS)}, got {name!r}")
    imported, given = _HEADS[flavour]
    shapes = "emissions [B][L][S], mask [B][L]" if batched else "emissions [L][S]"
    more = ", B sentences; the first cell of each sentence is in the mask" if batched else ""
    head = f'''"""A linear-chain CRF of my own. Check it with: python -m crf lab check THIS_FILE

All arguments are {given}: {shapes}, transitions [S][S] from row to column,
start [S], end [S], tags {"[B][L]" if batched else "[L]"}.
All scores are logarithms of factors; −∞ forbids. L tokens, S tags{more}.
"""

{imported}
'''
    names = [name for name in FUNCTIONS if not only or name in only]
    return head + "".join(_function(name, batched) for name in names)


def _function(name: str, batched: bool) -> str:
    task = _TASKS[name]
    arguments = ["emissions", *(["tags"] if task.tags else []), "transitions", "start", "end"]
    returns = task.returns
    if batched:
        arguments.append("mask")
        returns = returns.replace("[L]", "[B][L]").replace("a number", "[B] numbers")
    return f'''

def {name}({", ".join(arguments)}):
    """{task.what}

    {task.equation}

    Returns {returns}.{"" if batched else _example(name)}
    """
    raise NotImplementedError
'''


def _example(name: str) -> str:
    """A tiny example; its numbers are those of the reference."""

    def rounded(value: object) -> object:
        if isinstance(value, list):
            return [rounded(each) for each in value]
        return round(value, 4) if isinstance(value, float) else value

    x = _TINY
    given = (
        f"emissions {x.emissions}, transitions {x.transitions},\n    start {x.start}, end {x.end}"
    )
    tags = f", tags {x.tags}" if _TASKS[name].tags else ""
    return f"\n\n    For {given}{tags}:\n    {rounded(Reference(x).answer(name))}"
