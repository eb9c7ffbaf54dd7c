"""Loading a file: one way for every kind, with what is wrong said beside it and nothing lost."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.shared.course.problem import ProblemError
from pages.shared.course.problem_files import MAX_FILE
from pages.shared.figures import theme
from pages.shared.ui.state import Kept

T = TypeVar("T")
_COUNT, _REFUSED = Kept("{}·files", 0), Kept("{}·refused", "")
_FILE = Kept[UploadedFile | None]("{}·file·{}", None, kind=UploadedFile)


def loader(
    label: str,
    kind: str,
    key: str,
    read: Callable[[bytes], T],
    use: Callable[[T, str], None],
) -> None:
    """A place to drop a file; after each file it is empty again, ready for the next.

    Args:
        label: What it is for.
        kind: The file's extension, without a dot.
        key: Unique on the page.
        read: From the file's content; raises a ProblemError that says what is wrong.
        use: What to do with what was read, and the file's name.
    """
    count, refused = _COUNT.at(key), _REFUSED.at(key)
    place = _FILE.at(key, count.value)

    def load() -> None:
        file = place.value
        if file is None:  # or one that the server does not have
            return
        count.set(count.value + 1)
        if file.size > MAX_FILE:
            refused.set(f"{file.name}: expected at most {MAX_FILE:,} bytes, got {file.size:,}.")
            return
        try:
            use(read(file.getvalue()), file.name)
        except ProblemError as error:
            refused.set(f"{file.name} cannot be used. {error}")

    st.file_uploader(label, type=[kind], key=place.key, on_change=load)
    if message := refused.take():
        st.warning(theme.markdown(message))
