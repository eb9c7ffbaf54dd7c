"""The pages in the order in which they are read: the menu, and each page's way to the next."""

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from pages.shared.ui.frame import note, start_page

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


class Page(NamedTuple):
    """A page of the course.

    Attributes:
        script: Its file in pages/.
        url: Its address.
        title: What the menu calls it, and its heading.
        question: The question that it answers.
    """

    script: str
    url: str
    title: str
    question: str


COURSE = (
    Page(
        "tag.py", "start", "Tag a sentence",
        "Which tags fit the whole sentence best, and how sure is the model?",
    ),
    Page(
        "structure.py", "structure", "Why structure", "Why not simply tag each word by itself?"
    ),
    Page(
        "scores.py", "scores", "Scores",
        "How well does a tag sequence fit, and how probable is it?",
    ),
    Page("forward.py", "forward", "Forward", "How can one add up |S|ᵐ paths in m · |S|² steps?"),
    Page(
        "backward.py", "backward", "Backward and marginals",
        "How probable is each tag, when every path counts?",
    ),
    Page(
        "viterbi.py", "viterbi", "Viterbi",
        "Which tag sequence is best, and how is it found without trying them all?",
    ),
    Page(
        "stability.py", "stability", "Numerical stability",
        "What goes wrong when one multiplies a thousand numbers?",
    ),
)  # fmt: skip
_BY_URL = {page.url: page for page in COURSE}


def begin(url: str) -> "DeltaGenerator":
    """The first line of every page; what it is called and what it asks stand in `COURSE` alone.

    Args:
        url: Of the page.

    Returns:
        The row in which both stand.
    """
    page = _BY_URL[url]
    return start_page(page.title, page.question)


def navigation() -> "st.navigation":
    """The menu on top, with every page's address; the first page is also found at /tag."""
    first, *others = COURSE
    return st.navigation(
        [
            st.Page(f"pages/{first.script}", title=first.title, url_path=first.url, default=True),
            *(st.Page(f"pages/{p.script}", title=p.title, url_path=p.url) for p in others),
            st.Page(
                f"pages/{first.script}", title=first.title, url_path="tag", visibility="hidden"
            ),
        ],
        position="top",
    )


def way_on(url: str) -> None:
    """At the foot of a page: the page before it, and the next with its question.

    Args:
        url: Of the page; any that is not of the course stands for the first one.
    """
    k = next((k for k, page in enumerate(COURSE) if page.url == url), 0)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if k > 0:
            before = COURSE[k - 1]
            st.page_link(f"pages/{before.script}", label=f"← {before.title}")
        if k + 1 < len(COURSE):
            after = COURSE[k + 1]
            with st.container(width="content", gap=None):
                note(after.question)
                st.page_link(f"pages/{after.script}", label=f"Next: **{after.title}** →")
