"""What the pad's tick compares: the network that reads the whole sentence with the local one."""

from typing import TYPE_CHECKING, Any

from crf.figures.numbers import decimal, format_percent
from pages.shared.course.state import State
from pages.shared.figures.beat_text import BeatText, Tagged

if TYPE_CHECKING:
    from torch import Tensor

MOVED = 0.02  # probability; less is called “much the same”


def facts(state: State, marginals: "Tensor", words: BeatText) -> dict[str, Any]:
    """How its tags differ from those of the tagger that reads one word at a time, both with a CRF.

    Args:
        state: With the scores of either.
        marginals: [L, S] at λ = 1, τ = 1.
        words: The lesson's.
    """
    other = state.given.reader.word_by_word
    if other is None or state.edits or state.fixed:
        return {"network": 0, "measured": 0}
    local, tags = other(), state.problem.tags
    now, before = marginals.argmax(-1).tolist(), local.argmax(-1).tolist()
    change = [(marginals[t, s] - local[t, s]).item() for t, s in enumerate(now)]
    differs = [t for t in range(len(now)) if now[t] != before[t]]
    found: dict[str, Any] = {"network": 1, "differs": len(differs), "surer": 0, "less": 0}
    found |= _measured(state)
    if differs:
        t = max(differs, key=change.__getitem__)
        found |= {
            "netword": Tagged(state.problem.tokens[t], now[t]),
            "nettag": Tagged(words.plain("tag", {"tag": tags[now[t]]}), now[t]),
            "localtag": words.plain("tag", {"tag": tags[before[t]]}),
        }
    for name, sign in (("surer", 1), ("less", -1)):
        t = max(range(len(now)), key=lambda t: sign * change[t])
        if sign * change[t] >= MOVED:
            found |= {
                name: 1,
                f"{name}_word": Tagged(state.problem.tokens[t], now[t]),
                f"{name}_is": short_probability(marginals[t, now[t]].item()),
                f"{name}_was": short_probability(local[t, now[t]].item()),
            }
    return found


def _measured(state: State) -> dict[str, Any]:
    """Shares of sentences with all tags right, by the model cards."""
    right = state.given.reader.right
    if not {"local", "bilstm"} <= right.keys():
        return {"measured": 0}
    shares = {
        f"{name}_{how}": format_percent(share, 0)
        for name in ("local", "bilstm")
        for how, share in zip(("softmax", "crf"), right[name], strict=True)
    }
    return {"measured": 1, **shares}


def short_probability(p: float) -> str:
    """A probability with two decimals, as in a block.

    >>> short_probability(0.3298), short_probability(0.9999), short_probability(0.001)
    ('.33', '1.00', '.00')
    """
    return decimal(f"{p:.2f}".removeprefix("0"))
