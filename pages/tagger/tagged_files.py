"""The place for a file of tagged sentences: the column of its labels, its first sentence."""

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue
from pages.tagger.uploads import MOST_BYTES, TaggedUpload

SHOWN_WORDS = 12  # of the first sentence

_FILE = SessionValue[TaggedUpload | None]("{}·tagged", None, kind=TaggedUpload)
_COLUMN, _FAULT = SessionValue("{}·column·{}", ""), SessionValue("{}·fault", "")


def tagged_file(
    lesson: Lesson, key: str, *, place: str = "", tags: tuple[str, ...] = ()
) -> TaggedUpload | None:
    """A place for a file, a menu of its columns, and its first sentence as it is read.

    Args:
        lesson: Whose words explain what is expected.
        key: What the file is kept by.
        place: Tells two places for the same file apart.
        tags: Of the tagger that the file is for.

    Returns:
        The file; None as long as there is none.
    """
    kept, fault = _FILE.at(key), _FAULT.at(key)
    column = _COLUMN.at(key, place)

    def use(content: bytes, name: str) -> None:
        fault.reset()
        kept.set(TaggedUpload.read(content, name, tags=tags))
        column.set(kept.value.label if kept.value else "")

    def choose() -> None:
        fault.reset()
        if (file := kept.value) is None:
            return
        try:
            kept.set(TaggedUpload.read(file.content, file.name, column.value, tags))
        except ProblemError as error:
            fault.set(f"{error}.")

    expected = lesson.text.plain("tagged-file")
    loader("Tagged sentences", expected, f"{key}.{place}", use, most=MOST_BYTES)
    if (file := kept.value) is None:
        return None
    if len(file.columns) > 2:
        names = {one.name: f"{one.name}: {', '.join(one.examples)}" for one in file.columns}
        column.set(file.label)
        st.selectbox(
            "Column of the labels",
            list(names),
            format_func=lambda name: theme.shorten(names.get(name) or name, 60),
            key=column.key,
            on_change=choose,
        )
    if fault.value:
        st.error(theme.markdown(fault.value))
    words, labels = file.sentences[0].words, file.sentences[0].tags
    pairs = [f"{w}/{t}" for w, t in zip(words, labels, strict=True)][:SHOWN_WORDS]
    more = " …" if len(words) > SHOWN_WORDS else ""
    lesson.say("first-sentence", file=file.name, pairs=" ".join(pairs) + more)
    if file.notes:
        note(". ".join(file.notes) + ".")
    return file
