"""Tags that the reader has fixed: in the session and in the address, with their chain.

Each lesson has its own; all, and the page "Tag a sentence", write `fix=2.3~4.0` into their
addresses.
"""

from collections.abc import Sequence

from pages.shared.course.problem import Problem
from pages.shared.ui import problem_state
from pages.shared.ui.state import SessionValue, asked, complain
from pages.shared.ui.words import say

ADDRESS = "fix"  # "2.3~4.0": token 2 has tag 3, token 4 has tag 0, both counted from 0
FREE = -1
Fixed = dict[int, int]  # token → tag index, by token
_FIXED = SessionValue[tuple]("{}.fixed", ())  # (tags, tokens, what is fixed)


def is_new(page: str) -> bool:
    """Whether the session has not asked yet what is fixed, so that the address will be asked."""
    return not _FIXED.at(page).is_set


def fixed(page: str, problem: Problem) -> Fixed:
    """The tags that are fixed: the session's, else the address's, else none.

    Another sentence, or other tags, have none.
    """
    kept = _FIXED.at(page).value
    if len(kept) == 3 and kept[:2] == (problem.tags, problem.tokens):
        return kept[2]
    found = from_address(problem.tags, problem.tokens) if is_new(page) else {}
    _keep(page, problem, found)
    return found


def fix(page: str, problem: Problem, token: int, tag: int) -> None:
    """Fix a token's tag, or free it."""
    others = {t: s for t, s in fixed(page, problem).items() if t != token}
    _keep(page, problem, others if tag == FREE else others | {token: tag})


def free_all(page: str, problem: Problem) -> None:
    """Fix nothing."""
    _keep(page, problem, {})


def query(page: str, problem: Problem) -> dict[str, str]:
    """What is fixed, for the address; nothing where the address cannot carry its problem."""
    held = "" if problem_state.address() is None else to_text(fixed(page, problem))
    return {ADDRESS: held} if held else {}


def to_text(held: Fixed) -> str:
    """Fixed tags as a value for the address.

    >>> to_text({2: 3, 4: 0})
    '2.3~4.0'
    """
    return "~".join(f"{t}.{s}" for t, s in held.items())


def _keep(page: str, problem: Problem, held: Fixed) -> None:
    _FIXED.at(page).set((problem.tags, problem.tokens, dict(sorted(held.items()))))


def from_address(tags: Sequence[str], tokens: Sequence[str]) -> Fixed:
    """What the address fixes; nothing, after a message, if these tags and tokens have it not."""
    text = asked(ADDRESS) or ""
    found = from_text(text, tags, tokens)
    if found is None:
        complain(say("fix.unknown", asked=text[:40], last=len(tags) - 1))
    return found or {}


def from_text(text: str, tags: Sequence[str], tokens: Sequence[str]) -> Fixed | None:
    """What `to_text` has written, of these tags and tokens; None for any other text."""
    found: Fixed = {}
    for pair in filter(None, text.split("~")):
        t, _, s = pair.partition(".")
        if t.isascii() and t.isdigit() and s.isascii() and s.isdigit() and len(pair) < 8:
            found[int(t)] = int(s)
    is_whole = to_text(found) == text
    fits = all(t < len(tokens) and s < len(tags) for t, s in found.items())
    return found if is_whole and fits else None
