"""A typed sentence's scores by a trained tagger, exactly as the tagger gives them.

With fewer tags than all, those are kept whose marginal probabilities over all tokens add up to
most; how much of the probability their sequences hold is told with the problem.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_checks import refuse, short
from pages.shared.ui import taggers
from pages.shared.ui.taggers import MAX_CHARACTERS, MAX_TOKENS, TAGGER

if TYPE_CHECKING:
    from crf import LinearChain

KEYS = ("sentence", TAGGER.address, "keep")
KEEP = 17  # tags, which are all, unless somebody asks for fewer
FEWEST = 2


class Scored(NamedTuple):
    """A problem; what its sequences hold of the tagger's probability; of how many tags it had."""

    problem: Problem
    share: float
    tags: int


def problem_of(text: str, tagger: str, keep: int = KEEP) -> Scored:
    """The problem for a sentence; a ProblemError for none, a long one, or a damaged tagger."""
    loaded = taggers.get(tagger)
    tokens = taggers.tokens_of(loaded, text[:MAX_CHARACTERS])
    if not 1 <= len(tokens) <= MAX_TOKENS or len(text) > MAX_CHARACTERS:
        got = f"{len(tokens)} words" if len(text) <= MAX_CHARACTERS else "a longer text"
        raise refuse("sentence", f"1 to {MAX_TOKENS} words", got, "type one sentence")
    try:
        chain = loaded.chain([tokens], backend="plain")
    except ValueError as error:  # of a model that reads fewer words, or one sentence only
        raise ProblemError(str(error)) from None
    S = len(loaded.tags)
    if keep >= S:
        return Scored(Problem.from_chain(chain, loaded.tags, tokens), 1.0, S)
    mass = chain.marginals[0].sum(0)
    best = sorted(sorted(range(S), key=lambda s: -mass[s].item())[:keep])
    kept = Problem.from_chain(_only(chain, best), [loaded.tags[s] for s in best], tokens)
    share = (kept.chain().log_partition - chain.log_partition).exp().item()
    return Scored(kept, min(share, 1.0), S)


def _only(chain: "LinearChain", tags: list[int]) -> "LinearChain":
    """The chain of one sentence with these tags alone."""
    from crf import LinearChain

    scores = chain.potentials
    transitions = scores.transitions[tags][:, tags]
    emissions, ends = scores.emissions[:, :, tags], (scores.start[tags], scores.end[tags])
    return LinearChain(emissions, transitions, *ends, backend="plain")


def to_query(text: str, tagger: str, keep: int) -> dict[str, str]:
    """Values for an address; `from_query` reads them."""
    query = dict(zip(KEYS, (text, tagger), strict=False)) | taggers.SPACES.query()
    return query if keep == KEEP else query | {"keep": str(keep)}


def from_query(query: Mapping[str, str]) -> tuple[str, str, int]:
    """Sentence, tagger and number of tags of an address, or their defaults; or a ProblemError."""
    tagger, keep = query.get(TAGGER.address, TAGGER.default), query.get("keep", str(KEEP))
    if tagger.startswith(taggers.OWN):
        taggers.adopt(tagger)  # one that the server has no longer is refused when it is asked
    elif tagger not in taggers.choices():
        keys = " or ".join(taggers.choices())
        raise refuse("tagger", keys, short(tagger), "choose one of these")
    if not (keep.isascii() and keep.isdigit() and len(keep) <= 3 and int(keep) >= FEWEST):
        raise refuse("keep", f"a number of tags from {FEWEST}", short(keep), f"try {KEEP}")
    return query["sentence"], tagger, int(keep)
