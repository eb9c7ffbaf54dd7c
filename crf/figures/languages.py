"""The reader's language, as the host of the figures names it."""

from collections.abc import Callable

LANGUAGES = {"en": "English", "de": "Deutsch", "zh": "中文"}  # each by its own name


def language() -> str:
    """Return the reader's language, a key of `LANGUAGES`."""
    return _ask()


def _english() -> str:
    return "en"


_ask = _english


def ask_for_language(ask: Callable[[], str]) -> None:
    """Let a host name the reader's language each time that words are needed.

    Args:
        ask: Returns a key of `LANGUAGES`.
    """
    global _ask
    _ask = ask
