"""Check yourself, in the lesson "Why structure"; and what stands at the lesson's foot."""

import random
import secrets

import streamlit as st

from pages.shared.course.brute_force import LIMIT, count_paths
from pages.shared.course.numbers import parse_count
from pages.shared.figures import theme
from pages.shared.ui import exports, question
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.question import Verdict
from pages.shared.ui.view import View
from pages.structure import bias, graph, sections
from pages.structure import counting as structure_counting

_SEED = "structure.seed"


def counting(seed: int) -> tuple[int, int]:
    """Tags and tokens of the first question."""
    draw = random.Random(seed)
    return draw.randint(2, 6), draw.randint(3, 6)


def judge_count(S: int, m: int, answer: float) -> Verdict:
    """What is to be said of a learner's count of paths: what may have gone wrong."""
    right = S**m
    solution = f"{S}^{m} = {theme.count(right)}."
    if answer == right:
        return Verdict(True, solution)
    faults = {
        S * m: "That is how many cells there are. A path chooses one in each column.",
        m**S: "Base and exponent are swapped: each token chooses one of the tags.",
        m * S * S: "So many steps a recursion takes; there are more paths.",
        S ** (m - 1): "One token is missing.",
        S * (m - 1): "Choices are multiplied, not added.",
    }
    hint = next((why for count, why in faults.items() if count == answer), None)
    usual = "Every token may have any tag: multiply once for each token."
    return Verdict(False, hint or usual, solution)


def cut(seed: int) -> tuple[int, int, list[tuple[int, int]], int]:
    """The second question: m tokens, the one that is fixed, pairs, which of them it separates."""
    draw = random.Random(seed + 1)
    m = draw.randint(5, 8)
    fixed = draw.randint(3, m - 2)  # counted from 1
    apart = (draw.randint(1, fixed - 1), draw.randint(fixed + 1, m))
    pairs = [apart, (1, 2), (m - 1, m)] if fixed < m - 1 else [apart, (1, 2)]
    draw.shuffle(pairs)
    return m, fixed, pairs, pairs.index(apart)


def check_yourself(view: View) -> None:
    """Two questions with numbers of their own, and one to think about."""
    st.header("Check yourself", anchor=False)
    seed = st.session_state.setdefault(_SEED, secrets.randbelow(10**6))
    _count(seed, helps="answers" not in view.hide)
    _cut(seed)
    st.button("New numbers", on_click=lambda: st.session_state.pop(_SEED), key="structure.new")


def _count(seed: int, helps: bool) -> None:
    S, m = counting(seed)
    question.number(
        f"With {S} tags and {m} tokens, how many paths are there?",
        lambda answer: judge_count(S, m, answer),
        key=f"structure.count.{seed}",
        name="The number of paths",
        read=parse_count,
        helps=helps,
    )


def _cut(seed: int) -> None:
    m, fixed, pairs, right = cut(seed)
    a, b = pairs[right]
    why = f"Token {fixed} stands between tokens {a} and {b}, and nothing goes round it."

    def judge(said: int) -> Verdict:
        return (
            Verdict(True, why)
            if said == right
            else Verdict(False, "No fixed tag stands between these two.", why)
        )

    question.choice(
        f"A chain of {m} tokens, and the tag of token {fixed} is fixed. Which tags are now "
        "independent of each other?",
        [f"tokens {i} and {j}" for i, j in pairs],
        judge,
        key=f"structure.cut.{seed}",
    )


def close(shown: Lesson) -> None:
    """Exports, the teacher's link, and the address."""
    if "controls" not in shown.view.hide:
        exports.show_tables(_tables(shown), key="structure", problem=shown.problem)
        shown.teacher()
    shown.close()


def _tables(shown: Lesson) -> dict[str, exports.Table]:
    """What the lesson's own tables hold."""
    found = {"Label bias": bias.export_table(shown)}
    if shown.reading.feasible:
        found["Decoders"] = sections.export_table(shown)
        found["Dependence of pairs"] = graph.export_table(shown)
    if count_paths(shown.problem) <= LIMIT:
        found["All paths"] = structure_counting.export_table(shown)
    return found
