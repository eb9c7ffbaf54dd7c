"""A place for a file with tagged sentences: which column has the labels, how it is read."""

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import taggers
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.words.training import MOST_BYTES, TaggedUpload

SHOWN_WORDS = 12  # of the first sentence
_FILE = SessionValue[TaggedUpload | None]("{}·tagged", None, kind=TaggedUpload)


def tagged_file(
    text: LessonText, key: str, place: str = "", tagger: str = ""
) -> TaggedUpload | None:
    """A place for tagged sentences, a menu of their columns, and the first one as it is read.

    The file is kept by the key and read for the tags of a tagger; `place` tells two places for it
    apart.
    """
    reader = taggers.get(tagger) if tagger else None
    tags = reader.tags if reader else ()
    tokeniser = getattr(reader, "tokeniser", "unicode")
    upload = _FILE.at(key)

    def use(content: bytes, name: str, label: str = "") -> None:
        upload.set(TaggedUpload.read(content, name, label, tags, tokeniser))

    expected = text.plain("tagged-file")
    loader(text.line("own-training.own"), expected, f"{key}.{place}", use, most=MOST_BYTES)
    if (file := upload.value) is None:
        return None
    if len(file.columns) > 2:
        names = {one.name: f"{one.name}: {', '.join(one.examples)}" for one in file.columns}
        columns = list(names)
        chosen = st.selectbox(  # of another file it is another widget
            text.line("own-training.column"),
            columns,
            index=columns.index(file.label) if file.label in names else 0,
            format_func=lambda name: theme.shorten(names.get(name) or name, 60),
        )
        if chosen != file.label:
            try:
                use(file.content, file.name, chosen)
                file = upload.value or file
            except ProblemError as error:
                st.error(theme.markdown(f"{error}."))
    pairs = [f"{w}/{t}" for w, t in zip(*file.sentences[0][:2], strict=True)]
    pairs[SHOWN_WORDS:] = ["…"] if len(pairs) > SHOWN_WORDS else []
    st.html(text.html("first-sentence", file=file.name, pairs=" ".join(pairs)))
    if file.notes:
        note(". ".join(file.notes) + ".")
    return file
