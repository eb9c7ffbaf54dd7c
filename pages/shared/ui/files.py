"""Loading files: one way for every kind; errors are shown beside it, and nothing is lost."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.shared.course.json_files import MAX_FILE
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui.state import SessionValue

_COUNT = SessionValue("{}·files", 0)  # how many were used: each has a new place


Use = Callable[[bytes, str], None]  # does something with a file's content and name


def loader(label: str, expected: str, key: str, use: Use, *, most: int | None = MAX_FILE) -> None:
    """A place to drop a file; after each file it is empty again, ready for the next.

    A file is read by what is in it, whatever it is called; what is wrong is a ProblemError.

    `expected`: a sentence that says what the file should hold and where one gets it.
    `most`: how many bytes it may have; None where `use` says so itself.
    """

    def use_one(files: Mapping[str, bytes]) -> None:
        ((name, content),) = files.items()
        try:
            if most and len(content) > most:
                raise ProblemError(f"expected at most {most:,} bytes, got {len(content):,}")
            use(content, name)
        except ProblemError as error:
            raise ProblemError(f"{name}: {error}. {expected.rstrip('.')}") from None

    limit = {} if most is None else {"max_upload_size": -(-most // (1 << 20))}
    _place(label, key, use_one, help=expected, **limit)


def loader_of_several(label: str, key: str, use: Callable[[Mapping[str, bytes]], None]) -> None:
    """A place to drop files that belong together; it is empty again once they have been used.

    `use`: takes the files by name; a ProblemError says what is wrong, or as yet missing.
    """
    _place(label, key, use, accept_multiple_files=True)


def _place(label: str, key: str, use: Callable[[Mapping[str, bytes]], None], **how: Any) -> None:
    """Use what lies there and empty the place; what is refused stays there with the reason."""
    count = _COUNT.at(key)
    found: Any = st.file_uploader(label, key=f"{key}·file·{count.value}", **how)
    files = found if isinstance(found, list) else [found] if found else []
    if not files:
        return
    try:
        use({file.name: file.getvalue() for file in files})
    except ProblemError as error:
        st.error(theme.markdown(f"{error}."))
        return
    count.set(count.value + 1)
    st.rerun()
