"""Names in tagged sentences, each with the probability that the model gives to this very span.

    p(span) = p(y_(s−1) joins not, y_s) · Π p(y_t | y_(t−1)) · p(y_e continues not | y_(e−1))

The first factor and the last matter where the label before or after might be of the same span: an
I- after it, in BIO. The rest are conditional probabilities of the labels inside.

Source: Culotta and McCallum (2004), "Confidence estimation for information extraction".
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .. import LinearChain
from ..schemes import spans, split


class Entity(NamedTuple):
    """A name in a sentence."""

    kind: str
    start: int  # its first word
    end: int  # the word after its last one
    probability: float  # of these labels at these words, and that the span does not reach further


def entities(chain: LinearChain, paths: Tensor, tags: Sequence[str]) -> list[list[Entity]]:
    """Find the names of tagged sentences.

    Args:
        chain: Of B sentences of up to L words.
        paths: [B, L] their tags; −1 after the last word.
        tags: The S tags, labels of spans in any scheme.
    """
    parts = [split(tag) for tag in tags]
    rows = [[tag for tag in row if tag >= 0] for row in paths.tolist()]
    labels = [[str(tags[tag]) for tag in row] for row in rows]
    all_spans = [(b, span) for b, row in enumerate(labels) for span in spans(row)]
    after, before = [], []  # sentence, word, and a label there that would make the span longer
    for b, span in all_spans:
        same = [n for n, part in enumerate(parts) if part.kind == span.kind]
        if parts[rows[b][span.end - 1]].role in "BI" and span.end < len(rows[b]):
            after += [(b, span.end, n) for n in same if parts[n].role in "IE"]
        if parts[rows[b][span.start]].role in "IE" and span.start:
            before += [(b, span.start - 1, n) for n in same if parts[n].role in "BI"]
    marginals = chain.marginals.double().cpu()
    longer = _probabilities(chain, paths, after, 0)
    earlier = _probabilities(chain, paths, before, 1)
    steps = chain.token_log_probs(paths.clamp(min=0)).double().exp().cpu()
    answers: list[list[Entity]] = [[] for _ in rows]
    for b, span in all_spans:
        p = float(marginals[b, span.start, rows[b][span.start]])
        for n, step in earlier.get((b, span.start - 1), []):
            p -= float(marginals[b, span.start - 1, n]) * step
        p *= float(steps[b, span.start + 1 : span.end].prod())
        p *= 1 - sum(step for _, step in longer.get((b, span.end), []))
        answers[b].append(Entity(*span, min(max(p, 0.0), 1.0)))
    return answers


def _probabilities(
    chain: LinearChain, paths: Tensor, cells: Sequence[tuple[int, int, int]], step: int
) -> dict[tuple[int, int], list[tuple[int, float]]]:
    """By cell, each label n with a probability if the path had n there, other cells as they are.

    The probability is that of the label at the cell, given the one before it; with `step` 1, of the
    label after the cell, given n. Neighbours are not replaced in the same path.
    """
    by_cell: dict[tuple[int, int], list[tuple[int, float]]] = {}
    passes: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for b, t, n in cells:
        rank = len(by_cell.setdefault((b, t), []))
        by_cell[b, t].append((n, 0.0))
        passes.setdefault((rank, t % 2), []).append((b, t, n))
    for (rank, _), replaced in passes.items():
        changed = paths.clamp(min=0)
        at = torch.tensor(replaced, device=paths.device).T
        changed[at[0], at[1]] = at[2]
        log_probs = chain.token_log_probs(changed).double()
        values = log_probs[at[0], at[1] + step].exp().tolist()
        for (b, t, n), value in zip(replaced, values, strict=True):
            by_cell[b, t][rank] = (n, value)
    return by_cell
