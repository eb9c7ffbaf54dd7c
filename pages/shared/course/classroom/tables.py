"""Where a class is kept: named tables of texts, and steps that change them wholly or not at all."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

T = TypeVar("T")


class StoreError(Exception):
    """The store cannot keep or give what it is asked for; the message is a sentence."""


class Transaction(Protocol):
    """The tables as one step sees and changes them."""

    time: float  # seconds since 1970, by the one clock that all servers of the class share

    def get(self, table: str, key: str) -> str | None:
        """The text under a key."""
        ...

    def all(self, table: str) -> dict[str, str]:
        """A whole table; empty if there is none."""
        ...

    def put(self, table: str, texts: Mapping[str, str]) -> None:
        """Set texts under their keys; a step reads what it puts only in the next step."""

    def delete(self, table: str, *keys: str) -> None:
        """Delete these keys; without keys, the whole table."""


class Tables(Protocol):
    """What SQLite and Redis both are to a class; every method may raise `StoreError`."""

    notes: list[str]  # sentences for whoever has started the server

    def run(self, step: Callable[[Transaction], T], *, changes: bool) -> T:
        """Run a step, again where another server was quicker; its changes are kept all, or none."""
        ...

    def close(self) -> None:
        """Let go of the file or the connection."""
