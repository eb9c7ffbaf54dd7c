"""The scores that the reader has pinned, to compare later ones with: in session and address."""

from urllib.parse import parse_qsl, urlencode

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_links import KEYS, MAX_LINK, from_query, to_query
from pages.shared.ui.state import SessionValue, asked, complain
from pages.shared.ui.words import say

ADDRESS = "pin"  # the name of a worked example, or what `problem_links` writes, encoded once more
_PINNED = SessionValue[Problem | None]("recursion.pinned", None, kind=Problem)


def pin(problem: Problem | None) -> None:
    """Compare with this from now on; None: with nothing."""
    _PINNED.set(problem)


def current(problem: Problem) -> Problem | None:
    """What the problem on screen is compared with: the session's, at its start the address's.

    Only a problem with the same tags, tokens and kind of transitions can stand beside it.
    """
    if not _PINNED.is_set:
        _PINNED.set(_from_address())
    pinned = _PINNED.value
    if pinned is None or (pinned.tags, pinned.tokens) != (problem.tags, problem.tokens):
        return None
    return pinned if pinned.per_step == problem.per_step else None


def query(problem: Problem) -> dict[str, str]:
    """It, for the address; nothing where nothing is pinned, or it is too large for a link."""
    pinned = current(problem)
    if pinned is None:
        return {}
    for name, example in EXAMPLES.items():
        if example.problem == pinned:
            return {ADDRESS: name}
    try:
        return {ADDRESS: urlencode(to_query(pinned))}
    except ProblemError:
        return {}


def _from_address() -> Problem | None:
    text = asked(ADDRESS) or ""
    if text in EXAMPLES:
        return EXAMPLES[text].problem
    try:
        fields = parse_qsl(text if len(text) <= MAX_LINK else "", max_num_fields=len(KEYS))
        return from_query(dict(fields)) if text else None
    except (ProblemError, ValueError):
        complain(say("pin.unreadable", asked=text[:40]))
        return None
