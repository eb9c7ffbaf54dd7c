"""A file of tagged sentences of a reader's own: as it is read, and the place for it on the page."""

from typing import NamedTuple

import streamlit as st

from crf.tagger import DataFileError, Sentence
from crf.tagger.columns import FileColumn
from crf.tagger.reading import TaggedFile
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue

MOST_BYTES = 3 << 20  # of a file: some 40,000 words
MOST_UNPACKED = 16 << 20
SHOWN_WORDS = 12  # of the first sentence


def fault(name: str, **facts: int | str) -> ProblemError:
    """An error about a file or its sentences, worded by the lesson's text."""
    return ProblemError(LessonText.of("words").line(f"file-faults.{name}", **facts))


class TaggedUpload(NamedTuple):
    """A file as it was read."""

    name: str  # of the file
    content: bytes  # its bytes, to read another column
    sentences: tuple[Sentence, ...]  # all of them
    columns: tuple[FileColumn, ...]  # that were found
    label: str  # name of the one with the labels
    notes: tuple[str, ...]  # what was assumed, in sentences

    @classmethod
    def read(
        cls, content: bytes, name: str, column: str = "", tags: tuple[str, ...] = ()
    ) -> "TaggedUpload":
        """Read a file of any format that `TaggedFile` recognises.

        The labels are in the column of this name, else in the likeliest: with a tagger's tags, the
        one that holds most of them.

        Raises:
            ProblemError: It is too large, empty or of another format; the message says what to do.
        """
        if len(content) > MOST_BYTES:
            raise fault("large", most=MOST_BYTES, got=len(content))
        try:
            file = TaggedFile(
                content, name, column=column, tags=tags, repair=True, max_bytes=MOST_UNPACKED
            )
            if tags:
                file.rewrite_for(tags)
            elif file.scheme == "IOB1":
                file.rewrite("BIO")  # what is learnt
            sentences = tuple(file)
        except DataFileError as error:
            raise ProblemError(str(error).removeprefix(name).lstrip(":, ")) from None
        return cls(name, content, sentences, tuple(file.columns), file.label, tuple(file.notes))


_FILE = SessionValue[TaggedUpload | None]("{}·tagged", None, kind=TaggedUpload)
_COLUMN, _FAULT = SessionValue("{}·column·{}", ""), SessionValue("{}·fault", "")


def tagged_file(
    text: LessonText, key: str, *, place: str = "", tags: tuple[str, ...] = ()
) -> TaggedUpload | None:
    """A place for a file, a menu of its columns, and its first sentence as it is read.

    The file is kept by the key and read for these tags; `place` tells two places for it apart.
    """
    say = text.line
    kept, problem, column = _FILE.at(key), _FAULT.at(key), _COLUMN.at(key, place)

    def use(content: bytes, name: str) -> None:
        problem.reset()
        kept.set(TaggedUpload.read(content, name, tags=tags))

    def choose() -> None:
        problem.reset()
        if (file := kept.value) is None:
            return
        try:
            kept.set(TaggedUpload.read(file.content, file.name, column.value, tags))
        except ProblemError as error:
            problem.set(f"{error}.")

    expected = text.plain("tagged-file")
    loader(say("own-training.own"), expected, f"{key}.{place}", use, most=MOST_BYTES)
    if (file := kept.value) is None:
        return None
    if len(file.columns) > 2:
        names = {one.name: f"{one.name}: {', '.join(one.examples)}" for one in file.columns}
        column.set(file.label)
        st.selectbox(
            say("own-training.column"), list(names), key=column.key, on_change=choose,
            format_func=lambda name: theme.shorten(names.get(name) or name, 60),
        )  # fmt: skip
    if problem.value:
        st.error(theme.markdown(problem.value))
    words, labels = file.sentences[0].words, file.sentences[0].tags
    pairs = [f"{w}/{t}" for w, t in zip(words, labels, strict=True)][:SHOWN_WORDS]
    more = " …" if len(words) > SHOWN_WORDS else ""
    st.html(text.html("first-sentence", file=file.name, pairs=" ".join(pairs) + more))
    if file.notes:
        note(". ".join(file.notes) + ".")
    return file
