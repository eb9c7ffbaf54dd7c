"""Loading a file: one way for every kind, with what is wrong said beside it and nothing lost."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.shared.course.problem import ProblemError
from pages.shared.course.problem_files import MAX_FILE
from pages.shared.figures import theme

T = TypeVar("T")


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
    count = f"{key}·files"
    slot = f"{key}·{st.session_state.setdefault(count, 0)}"
    refused = f"{key}·refused"

    def load() -> None:
        file = st.session_state[slot]
        if not isinstance(file, UploadedFile):  # none, or one that the server does not have
            return
        st.session_state[count] += 1
        if file.size > MAX_FILE:
            st.session_state[refused] = (
                f"{file.name}: expected at most {MAX_FILE:,} bytes, got {file.size:,}."
            )
            return
        try:
            use(read(file.getvalue()), file.name)
        except ProblemError as error:
            st.session_state[refused] = f"{file.name} cannot be used. {error}"

    st.file_uploader(label, type=[kind], key=slot, on_change=load)
    if message := st.session_state.pop(refused, None):
        st.warning(theme.markdown(message))
