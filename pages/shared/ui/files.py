"""Loading files: one way for every kind; errors are shown beside it, and nothing is lost."""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import streamlit as st

from pages.shared.course.json_files import MAX_FILE
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui.state import SessionValue

_COUNT, _REFUSED = SessionValue("{}·files", 0), SessionValue("{}·refused", "")
_FILES = SessionValue[list | BytesIO | None]("{}·file·{}", None, kind=(list, BytesIO))


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
    _place(label, key, use_one, is_whole=True, help=expected, **limit)


def loader_of_several(label: str, key: str, use: Callable[[Mapping[str, bytes]], None]) -> None:
    """A place to drop files that belong together; it is empty again once they have been used.

    `use`: takes the files by name; a ProblemError says what is wrong, or as yet missing.
    """
    _place(label, key, use, is_whole=False, accept_multiple_files=True)


def _place(
    label: str, key: str, use: Callable[[Mapping[str, bytes]], None], *, is_whole: bool, **how
) -> None:
    count, refused = _COUNT.at(key), _REFUSED.at(key)
    place = _FILES.at(key, count.value)

    def load() -> None:
        listed = place.value if isinstance(place.value, list) else [place.value]
        files: list[Any] = [file for file in listed if isinstance(file, BytesIO)]
        refused.reset()
        if not files:  # taken away, or some that the server does not have
            return
        try:
            use({file.name: file.getvalue() for file in files})
        except ProblemError as error:
            refused.set(f"{error}.")
            if not is_whole:
                return
        count.set(count.value + 1)

    st.file_uploader(label, key=place.key, on_change=load, **how)
    if message := refused.take() if is_whole else refused.value:
        st.error(theme.markdown(message))
