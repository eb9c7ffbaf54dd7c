"""Tags that the reader has fixed: in the session and in the address, with their problem."""

import streamlit as st

from crf.course.problem import Problem
from pages.ui import problem_state
from pages.ui.state import complain

FIXED = "structure.fixed"  # (what it is fixed in, {token: tag index})
ADDRESS = "fix"  # "2.3~4.0": token 2 has tag 3, token 4 has tag 0, both counted from 0
FREE = -1
Fixed = dict[int, int]


def fixed(problem: Problem) -> Fixed:
    """The tags on screen that are fixed: the session's, else the address's, else none."""
    subject = _subject(problem)
    kept = st.session_state.get(FIXED)
    if isinstance(kept, tuple) and len(kept) == 2 and kept[0] == subject:
        return kept[1]
    found = _from_address(problem) if kept is None else {}
    st.session_state[FIXED] = (subject, found)
    return found


def fix(token: int, tag: int) -> None:
    """Fix a token's tag, or free it."""
    problem = problem_state.current()
    others = {t: s for t, s in fixed(problem).items() if t != token}
    now = others if tag == FREE else others | {token: tag}
    st.session_state[FIXED] = (_subject(problem), dict(sorted(now.items())))


def address(held: Fixed) -> str:
    """Fixed tags as a value for the address.

    >>> address({2: 3, 4: 0})
    '2.3~4.0'
    """
    return "~".join(f"{t}.{s}" for t, s in held.items())


def free_all() -> None:
    """Fix nothing."""
    st.session_state[FIXED] = (_subject(problem_state.current()), {})


def _subject(problem: Problem) -> tuple[str, int, int]:
    return problem_state.origin().label, len(problem.tags), len(problem.tokens)


def _from_address(problem: Problem) -> Fixed:
    asked = st.query_params.get(ADDRESS, "")
    found: Fixed = {}
    for pair in filter(None, asked.split("~")):
        t, _, s = pair.partition(".")
        if t.isascii() and t.isdigit() and s.isascii() and s.isdigit() and len(pair) < 8:
            found[int(t)] = int(s)
    S, m = len(problem.tags), len(problem.tokens)
    if address(found) != asked or any(t >= m or s >= S for t, s in found.items()):
        complain(f"The address fixes “{asked[:40]}”, which this problem has not.")
        return {}
    return found
