"""Whose page is drawn now, while many ask for theirs."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Pages are drawn one at a time, as long as each is quick; up to three more beside a slow one.

    More at a time would only take the interpreter's lock from each other, which costs a class of
    phones a quarter of its time; and nobody has to wait for what takes one reader's page long.
    """

    SLOW, LONGEST = 0.3, 3.0  # seconds: of one page; that one waits for others in all
    QUICK = 0.015  # seconds that a page takes at least: who has many before them need not look up

    def __init__(self) -> None:
        self.alone, self.beside = threading.Lock(), threading.Semaphore(3)
        self.waiting: set[int] = set()  # threads
        self.began = 0.0  # when the page began that is drawn alone

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until it is this page's turn to be drawn."""
        place = self.alone if self._waited() else self.beside
        if place is self.alone:
            self.began = time.monotonic()
        try:
            yield
        finally:
            place.release()

    def _waited(self) -> bool:
        """Wait for either place; whether it is the one alone."""
        came, here = time.monotonic(), threading.get_ident()
        self.waiting.add(here)
        try:
            while not self.alone.acquire(timeout=max(self.SLOW, self.QUICK * len(self.waiting))):
                now = time.monotonic()
                if now - self.began >= self.SLOW or now - came >= self.LONGEST:
                    self.beside.acquire()
                    return False
            return True
        finally:
            self.waiting.discard(here)


TURNS = Turns()
