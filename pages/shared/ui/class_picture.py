"""The picture of a stop, which phones show until they have its page.

The lecturer's window sends it: which figure it is, and its data; where the stop has none yet, as
before its question, no folder and what it says. All phones get the same answer, made once; two
hundred pages take a server seconds.
"""

import asyncio
import gzip
import json

from crf.figures import modules
from crf.strict_json import read_json
from pages.shared.course.classroom.store import MOST_TEXT, StoreError
from pages.shared.ui import client_values, component
from pages.shared.ui.class_news import PERIOD, News
from pages.shared.ui.component_data import as_json

_PATIENCE = 5 * PERIOD  # seconds: another server may have heard of it earlier


def sent(message: object) -> str:
    """The picture as it is kept, of what the lecturer's window says; "" if it has none."""
    picture = client_values.record(
        folder=client_values.one_of({"", *component.folders()}), data=client_values.text(MOST_TEXT)
    )
    found = client_values.genuine(message, client_values.record(picture=picture))
    return json.dumps(found["picture"]) if found else ""


class StopPictures:
    """What phones are answered; that of the present stop is made once.

    Args:
        news: Of the class.
    """

    def __init__(self, news: News) -> None:
        self.news = news
        self._made: tuple[int, asyncio.Future[bytes]] | None = None  # of which stop, and the answer

    async def answer(self, number: int) -> bytes:
        """The picture of the present stop with its style, as gzipped JSON; b"" of any other."""
        waited = 0.0
        while self.news.now.picture < number and waited < _PATIENCE:
            await asyncio.sleep(PERIOD)
            waited += PERIOD
        if self.news.now.picture != number:
            return b""
        if self._made is None or self._made[0] != number:
            self._made = number, asyncio.ensure_future(asyncio.to_thread(self._make, number))
        return await asyncio.shield(self._made[1])

    def _make(self, number: int) -> bytes:
        try:
            kept = self.news.room.store.picture(number)
        except StoreError:
            kept = ""
        if not kept:
            return b""
        picture = read_json(kept, 2 * MOST_TEXT)
        figure = picture["folder"]
        picture["style"] = modules.style(*component.styles(figure)) if figure else ""
        return gzip.compress(as_json(picture), mtime=0)
