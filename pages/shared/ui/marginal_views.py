"""The marginals of a sentence as flow, as heat map or as table: one picture in three views."""

from collections.abc import Mapping, Sequence

from crf.figures.flow.payload import THRESHOLD
from crf.figures.heat.payload import Probabilities
from pages.shared.figures.theme import probability
from pages.shared.ui.words import say

_MANY = 12  # tags; of more, those that are improbable at every token are left out, as in the flow


def heat_map(
    tags: Sequence[str],
    tokens: Sequence[str],
    marginals: Sequence[Sequence[float]],
    held: Mapping[int, int],
) -> Probabilities:
    """The heat map, tags by tokens."""
    by_tag = list(zip(*marginals, strict=True))
    rows = range(len(tags))
    if len(tags) > _MANY:
        rows = [s for s in rows if max(by_tag[s]) >= THRESHOLD or s in held.values()]
    names, values = [tags[s] for s in rows], [by_tag[s] for s in rows]
    return Probabilities(
        say("marginals.title"), names, tokens, values,
        lambda k, t: f"p({tokens[t]} = {names[k]}) = {probability(values[k][t])}",
        {(rows.index(s), t) for t, s in held.items()},
    )  # fmt: skip
