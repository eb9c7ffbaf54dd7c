"""What every page shares: the way in, the style sheet, the header and the footer."""

import runpy
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.figures import theme
from pages.shared.ui import state

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

SITE = "Linear-chain CRFs, step by step"
ROOT = Path(__file__).resolve().parents[3]
ICON = str(ROOT / "assets" / "icon.png")  # a Material icon would be an external request
_STYLES = ROOT / "assets" / "styles.css"


class _Router:
    """Whether app.py has run in this process: see `start_page`."""

    has_run = False


def open_app() -> None:
    """Called by app.py before the page: marks the router as run and adds the style sheet."""
    _Router.has_run = True
    st.html(_STYLES)


def start_page(title: str, question: str) -> "DeltaGenerator":
    """The head of every page: its title, and the question that it answers.

    On a server that nobody has visited yet, Streamlit takes the folder pages/ for its old
    multipage layout, and runs a page that is asked for by its address without app.py. Then app.py
    is run here, which runs the page in its frame.

    Args:
        title: The heading.
        question: One line beside it.

    Returns:
        The row in which both stand.
    """
    if not _Router.has_run:
        runpy.run_path(str(ROOT / "app.py"), run_name="__main__")
        st.stop()
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    row.title(title, anchor=False, width="content")
    row.markdown(question, width="content")
    return row


def show_complaints() -> None:
    """Say what was wrong with the last input, or with the address."""
    for message in state.take_complaints():
        st.warning(theme.markdown(message))


def note(text: str) -> None:
    """A small remark, as plain text."""
    st.html(f'<p class="crf-note">{escape(text)}</p>')


def close_app() -> None:
    """Called by app.py after the page: where the data come from."""
    st.html(
        '<footer class="crf-footer">The shipped taggers were trained on '
        '<a href="https://universaldependencies.org/treebanks/en_ewt/" target="_blank" '
        'rel="noopener noreferrer">Universal Dependencies English EWT</a> '
        '(<a href="https://creativecommons.org/licenses/by-sa/4.0/" target="_blank" '
        'rel="noopener noreferrer">CC BY-SA 4.0</a>). What you type stays on the machine that runs '
        "this app.</footer>"
    )
