"""A typed sentence's scores by a trained tagger, made small enough for a lesson.

The tags that the sentence hardly uses are dropped: those are kept whose marginal probabilities
over all tokens add up to most. Scores are rounded to two decimals, so that what is shown adds up.
"""

from collections.abc import Mapping

from pages.shared.course.problem import NEG_INF, Problem, ProblemError
from pages.shared.course.problem_checks import refuse, short
from pages.shared.ui import state

KEYS = (state.SENTENCE, state.TAGGER, "keep")
TAGGERS = ("bilstm", "local")
KEEP = 5  # tags, unless somebody asks for more
FEWEST = 2
MOST_TOKENS = 40
DECIMALS = 2


def problem_of(text: str, tagger: str, keep: int) -> Problem:
    """The problem for a sentence.

    Args:
        text: A sentence of 1 to `MOST_TOKENS` tokens.
        tagger: One of `TAGGERS`.
        keep: How many tags to keep.

    Raises:
        ProblemError: The sentence is empty or too long, or the tagger's files are damaged.
    """
    from crf.tagger import ModelFileError, tokenise
    from pages.shared.ui import taggers

    tokens = tokenise(text[: state.MAX_CHARACTERS])
    if not 1 <= len(tokens) <= MOST_TOKENS or len(text) > state.MAX_CHARACTERS:
        got = f"{len(tokens)} words" if len(text) <= state.MAX_CHARACTERS else "a longer text"
        raise refuse("sentence", f"1 to {MOST_TOKENS} words", got, "type one sentence")
    try:
        loaded = taggers.shipped(tagger)
    except ModelFileError as error:
        raise ProblemError(f"This shipped tagger cannot be used: {error}") from None
    chain = loaded.chain([tokens], backend="plain")
    mass = chain.marginals[0].sum(0)
    keep = min(keep, len(loaded.tags))
    kept = sorted(sorted(range(len(mass)), key=lambda s: -mass[s].item())[:keep])
    return _rounded(Problem.from_chain(chain, loaded.tags, tokens).keep_tags(kept))


def _rounded(problem: Problem) -> Problem:
    def around(table):
        if isinstance(table, tuple):
            return tuple(map(around, table))
        return table if table == NEG_INF else round(table, DECIMALS) + 0.0

    names = ("emissions", "transitions", "start", "end")
    return Problem(problem.tags, problem.tokens, *(around(getattr(problem, n)) for n in names))


def to_query(text: str, tagger: str, keep: int) -> dict[str, str]:
    """Values for an address; `from_query` reads them."""
    return {state.SENTENCE: text, state.TAGGER: tagger, "keep": str(keep)}


def from_query(query: Mapping[str, str]) -> tuple[str, str, int]:
    """Sentence, tagger and number of tags of an address; what is left out has its default.

    Raises:
        ProblemError: There is no such tagger or number of tags.
    """
    tagger, keep = query.get(state.TAGGER, state.DEFAULT_TAGGER), query.get("keep", str(KEEP))
    if tagger not in TAGGERS:
        raise refuse("tagger", " or ".join(TAGGERS), short(tagger), "choose one of these")
    if not (keep.isascii() and keep.isdigit() and len(keep) <= 3 and int(keep) >= FEWEST):
        raise refuse("keep", f"a number of tags from {FEWEST}", short(keep), f"try {KEEP}")
    return query[state.SENTENCE], tagger, int(keep)
