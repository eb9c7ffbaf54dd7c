"""The reader's language: the session's choice, at its start the address's; else the browser's.

Texts ask for it when they are shown (`crf.figures.words.language`); nothing keeps a sentence.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from crf.figures.languages import LANGUAGES, ask_for_language
from pages.shared.ui import state
from pages.shared.ui.controls import Choice

P = ParamSpec("P")
T = TypeVar("T")

CHOSEN = Choice("lang", "", address=state.LANGUAGE, labels={"": "", **LANGUAGES})
# of a run, or of a thread without a session
_BOUND: ContextVar[str] = ContextVar("language", default="")


def current() -> str:
    """Return the language of the session that runs; English where there is none."""
    if bound := _BOUND.get():
        return bound
    if get_script_run_ctx(suppress_warning=True) is None:
        return "en"
    _BOUND.set(of_browser(st.context.locale))  # what is wrong with the address's is said so
    _BOUND.set(CHOSEN.value or _BOUND.get())  # for the rest of the run: also of a fragment's
    return _BOUND.get()


def of_browser(locale: str | None) -> str:
    """Return the language for a browser's locale, or for the header in which it lists several.

    >>> of_browser("de-AT"), of_browser("zh_Hans_CN"), of_browser("fr"), of_browser(None)
    ('de', 'zh', 'en', 'en')
    >>> of_browser("de,en;q=0.7")
    'de'
    """
    name = re.split("[-_,;]", (locale or "").lower())[0]
    return name if name in LANGUAGES else "en"


def bound(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that speaks this session's language in any thread."""
    here = current()

    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        with speaking(here):
            return function(*args, **kwargs)

    return call


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Use a language within the block, for code that runs without a session."""
    token = _BOUND.set(name)
    try:
        yield
    finally:
        _BOUND.reset(token)


def bind() -> None:
    """Look the language up once for the run that begins; put a chosen one into the address."""
    _BOUND.set("")
    _BOUND.set(current())
    state.publish_one(state.LANGUAGE, CHOSEN.value)


ask_for_language(current)
