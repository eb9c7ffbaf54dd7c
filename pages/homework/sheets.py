"""For the lecturer: two sheets of one seed on paper, and as a link for a class."""

import secrets

import streamlit as st

from crf.lab import FUNCTIONS
from pages.shared.course import exercise_sheet, homework
from pages.shared.course.exercises import KINDS, LARGEST_SEED, SIZES
from pages.shared.course.homework import VARIANTS, Sheet
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui import implement, teacher
from pages.shared.ui.class_key import class_key
from pages.shared.ui.controls import Choice, Integer, Value
from pages.shared.ui.frame import note
from pages.shared.ui.state import InvalidError, SessionValue

_CLASS = SessionValue("homework.class", "")


def _size(size: str) -> str:
    tags, tokens = SIZES[size]
    return f"{size}: {tags} tags, {tokens} tokens"


def _kinds(said: object) -> tuple[str, ...]:
    if isinstance(said, (list, tuple)) and all(isinstance(k, str) and k in KINDS for k in said):
        return tuple(dict.fromkeys(said))
    raise InvalidError(f"There are {', '.join(KINDS)}.")


# Named as in the link of a class.
_SEED = Integer("homework.seed", 1, low=0, high=LARGEST_SEED, address="seed")
_COUNT = Integer("homework.count", 6, low=1, high=exercise_sheet.MOST, address="count")
_SIZE = Choice("homework.size", "small", labels={s: _size(s) for s in SIZES}, address="of")
_KINDS = Value(
    "homework.kinds", tuple(KINDS), address="kinds", checked=_kinds,
    reads=lambda text: _kinds(text.split("~") if text else ()), writes="~".join,
)  # fmt: skip


def _functions(said: object) -> tuple[str, ...]:
    if isinstance(said, (list, tuple)) and all(one in FUNCTIONS for one in said):
        return tuple(name for name in FUNCTIONS if name in said)
    raise InvalidError(f"There are {', '.join(FUNCTIONS)}.")


_PROGRAM = Value(
    "homework.program", (), address="program", checked=_functions,
    reads=lambda text: _functions(text.split("~") if text else ()), writes="~".join,
)  # fmt: skip


def query() -> dict[str, str]:
    """The sheet's part of the address."""
    return _SEED.query() | _COUNT.query() | _SIZE.query() | _KINDS.query() | _PROGRAM.query()


def show() -> None:
    """Choose what is on the sheets; take them away."""
    st.header("Sheets A and B", anchor=False)
    note(
        "The same kinds of questions with different numbers. One seed always gives the same two "
        "sheets."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = _SEED.widget("Seed", width=150)
        count = _COUNT.widget("Exercises", width=130)
        size = _SIZE.widget("Size", shape="select", width=230)
    chosen = st.pills(
        "Kinds, in turn", list(KINDS), selection_mode="multi", default=_KINDS.value,
        format_func=KINDS.__getitem__, key="homework.kinds.pills", wrap=True,
    )  # fmt: skip
    _KINDS.set(tuple(chosen))
    program = st.pills(
        "Functions to implement", list(FUNCTIONS), selection_mode="multi", default=_PROGRAM.value,
        key="homework.program.pills", wrap=True,
    )  # fmt: skip
    _PROGRAM.set(tuple(program))
    try:
        sheet = Sheet(seed, _KINDS.value, size, count)
    except ProblemError as error:
        st.warning(theme.markdown(str(error)))
        return
    for variant in VARIANTS:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Sheet {variant}**", width=80)
            for label, kind, mime in (
                ("To print, with its key", "html", "text/html"),
                ("LaTeX", "tex", "text/x-tex"),
            ):
                st.download_button(
                    label,
                    lambda variant=variant, kind=kind: exercise_sheet.sheet(
                        sheet.exercises(variant),
                        f"Linear-chain CRFs, sheet {variant}",
                        implement.task(program),
                        kind,
                    ),
                    f"crf-sheet-{seed}-{variant}.{kind}",
                    mime,
                    on_click="ignore",
                    key=f"homework.{variant}.{kind}",
                )
    _links(sheet)


def _links(sheet: Sheet) -> None:
    """A class's links, and the token with which its codes are checked."""
    st.header("A link for a class", anchor=False)
    note(
        "Students answer on the page and get a code, which they send you: by mail, in a form, as "
        "you like. This server keeps nothing of it. A link holds the seed, and this page prints "
        "the key of any seed: the codes are for practice, not for an exam."
    )
    if st.button("Make a class", key="homework.make", icon=":material/group_add:"):
        _CLASS.set(homework.new_class(secrets.token_bytes(5)))
    name = _CLASS.value
    if not name:
        return
    try:
        token = homework.token_of(class_key(), name)
    except ProblemError as error:
        st.warning(theme.markdown(f"{error}."))
        return
    lines = []
    for variant in VARIANTS:
        query = sheet.query() | {"sheet": variant, "class": name}
        link = teacher.link(st.context.url, "homework", query)
        st.caption(f"For those who get sheet {variant}")
        st.code(link, language=None, wrap_lines=True)
        lines += [f"For those who get sheet {variant}:", link, ""]
    teacher.say_who_can_open(st.context.url)
    st.caption("The class’s token. Keep it, and keep it to yourself: it checks the codes.")
    st.code(token, language=None)
    lines += ["The class’s token, for you alone:", token, ""]
    st.download_button(
        "Save links and token", "\n".join(lines), f"crf-class-{name}.txt", "text/plain",
        on_click="ignore", key="homework.class.save",
        help="This page shows them until it is closed or reloaded.",
    )  # fmt: skip
