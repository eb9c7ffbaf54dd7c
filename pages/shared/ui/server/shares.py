"""How much of the work that waits belongs to whom, so that nobody fills the queue for the others.

In a class, each phone has a few places, and the lecturer has some that nobody else gets. All who
have not joined are one visitor, with half of the places.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from pages.shared.ui.server.connections import LECTURER, Visitor

RESERVE = 2  # places beyond the others', for the lecturer


class NoPlaceError(Exception):
    """No place is free for this visitor."""


class Shares:
    """Places for requests that are in work or wait.

    Args:
        most: How many, without the lecturer's reserve.
        visitor: Who asks; None where there is no class.
        each: How many of them a phone has.
    """

    def __init__(self, most: int, visitor: Visitor | None = None, each: int = 1) -> None:
        self.most, self.visitor, self.each = most, visitor, each
        self.taken: Counter[str] = Counter()

    def who(self, request: Request) -> str:
        """A phone's name, `LECTURER`, or "" for anybody else."""
        if self.visitor is None:
            return ""
        return self.visitor(request.url.path, request.url.query, request.cookies)

    def is_free(self, who: str, taken: Counter[str]) -> bool:
        """Whether there is a place for this visitor beside those that are taken."""
        if who == LECTURER:
            return taken.total() < self.most + RESERVE
        each = self.most if self.visitor is None else self.each if who else self.most // 2
        return taken.total() < self.most and taken[who] < each

    @contextmanager
    def place(self, request: Request) -> Iterator[None]:
        """Hold a place while a request is answered.

        Raises:
            NoPlaceError: There is none.
        """
        who = self.who(request)
        if not self.is_free(who, self.taken):
            raise NoPlaceError
        self.taken[who] += 1
        try:
            yield
        finally:
            self.taken[who] -= 1
