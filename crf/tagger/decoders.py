"""Ways to choose one tag sequence of a chain: the one table of them.

A line here is all that a new decoder needs: `crf tag` and `crf evaluate` offer it by `--decoder`,
a run that goes on keeps it apart from others, and what is measured after a training has it, too.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

    from .. import LinearChain


class TagDecoder(NamedTuple):
    """A way to choose."""

    title: str  # in model cards
    tags: "Callable[[LinearChain], Tensor]"  # [B, L] tag indices, −1 after the last token


DECODERS = {
    "viterbi": TagDecoder("Viterbi", lambda chain: chain.viterbi().tags),
    "posterior_decode": TagDecoder(
        "Posterior (best tag of each token)", lambda chain: chain.posterior_decode()
    ),
    "greedy_left_to_right": TagDecoder(
        "Greedy, left to right", lambda chain: chain.greedy_left_to_right()
    ),
    "greedy": TagDecoder(
        "Transitions ignored (best emission of each token)", lambda chain: chain.greedy()
    ),
}
