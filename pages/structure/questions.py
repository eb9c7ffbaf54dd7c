"""Check yourself, in the lesson "Why structure"; and what stands at the lesson's foot."""

import random
import secrets

import streamlit as st

from pages.shared.course.brute_force import LIMIT, count_paths
from pages.shared.course.numbers import parse_count
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui import exports, recursion, teacher
from pages.shared.ui.recursion import Recursion
from pages.shared.ui.second_try import checked
from pages.shared.ui.view import View
from pages.structure import bias, graph, sections
from pages.structure import counting as structure_counting

_SEED = "structure.seed"


def counting(seed: int) -> tuple[int, int]:
    """Tags and tokens of the first question."""
    draw = random.Random(seed)
    return draw.randint(2, 6), draw.randint(3, 6)


def diagnose(S: int, m: int, answer: int) -> str:
    """What may have gone wrong with a learner's count of paths."""
    faults = {
        S * m: "That is how many cells there are. A path chooses one in each column.",
        m**S: "Base and exponent are swapped: each token chooses one of the tags.",
        m * S * S: "So many steps a recursion takes; there are more paths.",
        S ** (m - 1): "One token is missing.",
        S * (m - 1): "Choices are multiplied, not added.",
    }
    return faults.get(answer, "Every token may have any tag: multiply once for each token.")


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
    key = f"structure.count.{seed}"
    with st.form(key):
        typed = st.text_input(
            f"With {S} tags and {m} tokens, how many paths are there?",
            key=f"{key}.answer",
            max_chars=30,
            autocomplete="off",
            width=420,
        )
        pressed = st.form_submit_button("Check")
        if not checked(key, pressed, typed) or not typed.strip():
            return
        try:
            given = parse_count(typed, "The number of paths")
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
            return
        if given == S**m:
            _verdict(True, f"{S}^{m} = {theme.count(S**m)}.")
        else:
            _verdict(False, diagnose(S, m, given) if helps else "")


def _cut(seed: int) -> None:
    m, fixed, pairs, right = cut(seed)
    names = [f"tokens {a} and {b}" for a, b in pairs]
    key = f"structure.cut.{seed}"
    with st.form(key):
        said = st.radio(
            f"A chain of {m} tokens, and the tag of token {fixed} is fixed. Which tags are now "
            "independent of each other?",
            range(len(pairs)),
            index=None,
            format_func=names.__getitem__,
            key=f"{key}.answer",
        )
        if checked(key, st.form_submit_button("Check"), said) and said is not None:
            a, b = pairs[right]
            why = f"Token {fixed} stands between tokens {a} and {b}, and nothing goes round it."
            wrong = "No fixed tag stands between these two."
            _verdict(said == right, why if said == right else wrong)


def _verdict(right: bool, text: str) -> None:
    if right:
        st.success(f"Right. {theme.markdown(text)}", icon=":material/check:")
    else:
        st.error(f"Not right. {theme.markdown(text)}", icon=":material/close:")


def close(shown: Recursion) -> None:
    """Exports, the teacher's link, and the address."""
    if "controls" not in shown.view.hide:
        exports.show_tables(_tables(shown), key="structure", problem=shown.problem)
        teacher.link_builder("structure", None, shown.switches, shown.defaults)
    recursion.close(shown)


def _tables(shown: Recursion) -> dict[str, exports.Table]:
    """What the lesson's own tables hold."""
    found = {"Label bias": bias.export_table(shown)}
    if shown.reading.feasible:
        found["Decoders"] = sections.export_table(shown)
        found["Dependence of pairs"] = graph.export_table(shown)
    if count_paths(shown.problem) <= LIMIT:
        found["All paths"] = structure_counting.export_table(shown)
    return found
