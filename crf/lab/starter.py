"""Write a homework to fill in: each function with its equation, its shapes and a tiny example.

The texts are in `starter.md`: the head of the file, and the docstring of each function.
"""

import textwrap
from pathlib import Path

from .homework import FUNCTIONS, arguments_of
from .reference import Reference, Scores, mapped

FLAVOURS = {
    "plain": ("math", "lists of floats"),
    "numpy": ("numpy as np", "numpy arrays"),
    "torch": ("torch", "torch tensors (float64)"),
}
"""By name: the module that is imported, and what the arguments are."""
_TINY = Scores(
    [[1.0, 2.0], [3.0, 0.0]], [[0.0, 1.0], [2.0, -1.0]], [0.0, 0.5], [0.0, 1.0], [1, 0], [True] * 2
)


def starter(flavour: str = "plain", *, batched: bool = False, only: tuple[str, ...] = ()) -> str:
    """Return the text of a homework to fill in: some of `FUNCTIONS`, or all."""
    text = Path(__file__).with_name("starter.md").read_text(encoding="utf-8")
    parts = dict(part.split("\n", 1) for part in text.removeprefix("# ").split("\n# "))
    module, given = FLAVOURS[flavour]
    head = parts["file"].format(
        module=module,
        given=given,
        shapes="emissions [B][L][S], mask [B][L]" if batched else "emissions [L][S]",
        tags="[B][L]" if batched else "[L]",
        more=", B sentences; the first cell of each sentence is in the mask" if batched else "",
    )
    names = [name for name in FUNCTIONS if not only or name in only]
    return head + "".join(_function(name, parts[name].strip(), batched) for name in names)


def _function(name: str, text: str, batched: bool) -> str:
    arguments = arguments_of(name, batched)
    if batched:
        task, _, returns = text.rpartition("\n")
        returns = returns.replace("[L]", "[B][L]").replace("a number", "[B] numbers")
        text = f"{task}\n{returns}"
    else:
        text += _example(name, has_tags="tags" in arguments)
    body = textwrap.indent(f'"""{text}\n"""\nraise NotImplementedError\n', "    ")
    return f"\n\ndef {name}({', '.join(arguments)}):\n{body}"


def _example(name: str, *, has_tags: bool) -> str:
    """A tiny example; its numbers are those of the reference."""
    x = _TINY
    answer = mapped(lambda number: round(number, 4), Reference(x).answer(name))
    problem = f"emissions {x.emissions}, transitions {x.transitions},\nstart {x.start}, end {x.end}"
    tags = f", tags {x.tags}" if has_tags else ""
    return f"\n\nFor {problem}{tags}:\n{answer}"
