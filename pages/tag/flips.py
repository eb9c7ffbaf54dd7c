"""Words whose tag the neighbours change, and words that could be swapped in to have one."""

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from crf.figures.flow.payload import Payload
from pages.shared.course import surprises
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat_text import Segment
from pages.tag import places

if TYPE_CHECKING:
    from torch import Tensor

MOST_CELLS = 5200  # words in the batch of sentences that are tried: 742 of 7 words take 63 ms
SURE = 0.55  # probability of both tags of an offered swap
OFFERED = 2
ENGLISH = ("local", "bilstm")  # taggers that learnt from English
_NEAR = 2  # words around a swap that its chip shows of a long sentence
_SHORT = 8  # words of a sentence that is shown whole


class Swap(NamedTuple):
    """Words that replace those from an index on, and how sure the flip is."""

    token: int
    words: tuple[str, ...]
    sure: float


def offers(state: State, together: Sequence[int]) -> list[Payload]:
    """Sentences that do flip: the reader's own with other words; else two of the tested ones.

    Args:
        state: A sentence whose words are read one at a time, and none of which flips.
        together: [L] the most probable tag of each word.
    """
    found = [] if is_strange(state) else swaps(state, together)
    own = [{"own": True, "sentence": sentence(state, s), "say": chip(state, s)} for s in found]
    others = [
        {"own": False, "sentence": text, "say": [text]} for text in surprises.sentences()[:OFFERED]
    ]
    return own or others


def is_strange(state: State) -> bool:
    """Whether a tagger that learnt from English has not seen most of the words."""
    unknown = sum(state.given.unknown)
    return state.given.source in ENGLISH and 2 * unknown >= len(state.problem.tokens)


def are_offered(state: State) -> bool:
    """Whether other words could be swapped in, should no tag flip."""
    is_bare = not state.edits and not state.fixed
    return is_bare and state.given.reader.alone is not None and len(state.problem.tokens) > 1


def swaps(state: State, together: Sequence[int]) -> list[Swap]:
    """Words that flip when they are swapped in, while all tags stay as they are.

    Args:
        state: A sentence whose words are read one at a time, and none of which flips.
        together: [L] the most probable tag of each word.
    """
    tokens, words = state.problem.tokens, surprises.swaps()
    tags = [state.problem.tags[s] for s in together]
    kinds = {t: kind for t in range(len(tokens)) if (kind := places.kind(tokens, tags, t))}
    fit = {t: [_like(word, tokens[t]) for word in words[kind]] for t, kind in kinds.items()}
    most = max(MOST_CELLS // len(tokens), 1)
    single = [(t, (word,)) for t, own in fit.items() for word in own if word != tokens[t]]
    found = _flipping(state, together, single[:most])
    if len(found) < OFFERED:
        pairs = [(t, pair) for t in fit if t + 1 in fit for pair in product(fit[t], fit[t + 1])]
        found += _flipping(state, together, pairs[:most])
    return _apart(found)


def _apart(found: Sequence[Swap]) -> list[Swap]:
    """The first of them, and one with another word, at another place if there is one."""
    if not found:
        return []
    best = found[0]
    others = [swap for swap in found if swap.words[-1].lower() != best.words[-1].lower()]
    others.sort(key=lambda swap: swap.token == best.token)
    return [best, *others[: OFFERED - 1]]


def _like(word: str, old: str) -> str:
    return word.capitalize() if old[:1].isupper() and old != "I" else word


def _flipping(
    state: State,
    together: Sequence[int],
    tried: Sequence[tuple[int, tuple[str, ...]]],
) -> list[Swap]:
    """Those that flip to a sure tag, and leave all words the tags that they had."""
    if not tried:
        return []
    alone = state.given.reader.alone
    assert alone
    names = tuple(sorted({word for _, words in tried for word in words}))
    scores = dict(zip(names, alone(names), strict=True))
    after = _marginals(state.problem, [(t, [scores[w] for w in words]) for t, words in tried])
    sure, tags = (part.tolist() for part in after.max(-1))
    import torch

    before = {word: torch.tensor(row).softmax(-1).max(-1) for word, row in scores.items()}
    found = []
    for k, (t, words) in enumerate(tried):
        last = t + len(words) - 1
        was, at = before[words[-1]].values.item(), before[words[-1]].indices.item()
        if tags[k][last] == at or min(was, sure[k][last]) < SURE:
            continue
        if tags[k] == list(together):  # a word of another kind leaves no sentence
            found.append(Swap(t, words, min(was, sure[k][last])))
    return found


def _marginals(
    problem: Problem, changes: Sequence[tuple[int, Sequence[Sequence[float]]]]
) -> "Tensor":
    """Marginals [N, L, S] of a sentence with the scores of some words changed, in one batch."""
    import torch

    from crf import LinearChain

    scores = problem.chain().potentials
    emissions = scores.emissions.repeat(len(changes), 1, 1)
    for k, (t, rows) in enumerate(changes):
        emissions[k, t : t + len(rows)] = torch.tensor(rows, dtype=emissions.dtype)
    return LinearChain(emissions, scores.transitions, scores.start, scores.end).marginals


def parts(state: State, swap: Swap) -> tuple[str, str, str]:
    """The reader's sentence with the words swapped in: what stands before them, they, the rest."""
    text, at = state.base.sentence or " ".join(state.problem.tokens), 0
    last, spans = swap.token + len(swap.words), []
    for token in state.problem.tokens[:last]:
        start = text.find(token, at)
        if start < 0:  # the tagger has changed its letters
            tokens = state.problem.tokens
            return " ".join(tokens[: swap.token]), " ".join(swap.words), " ".join(tokens[last:])
        at = start + len(token)
        spans.append((start, at))
    return text[: spans[swap.token][0]], " ".join(swap.words), text[at:]


def sentence(state: State, swap: Swap) -> str:
    """The reader's sentence with the words swapped in."""
    return "".join(parts(state, swap))


def chip(state: State, swap: Swap) -> list[Segment]:
    """What a swap's button shows: the sentence, or the words around, with the new one bold."""
    before, words, after = parts(state, swap)
    if len(state.problem.tokens) > _SHORT:
        near = before.split()[-_NEAR:], after.split()[:_NEAR]
        before = " ".join(["…", *near[0], ""]) if len(before.split()) > _NEAR else before
        after = " ".join(["", *near[1], "…"]) if len(after.split()) > _NEAR else after
    return [before, {"text": words, "bold": True}, after]
