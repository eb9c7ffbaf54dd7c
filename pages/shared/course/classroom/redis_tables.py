"""A class in Redis: for several servers behind one address."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import redis
from redis.exceptions import AuthenticationError, ConnectionError, OutOfMemoryError, TimeoutError

from pages.shared.course.classroom.tables import StoreError, T, Transaction
from pages.shared.course.words import say

PASSWORD = "CRF_REDIS_PASSWORD"  # in the environment
_PREFIX, _CHANGES = "crf-class:", "crf-class:changes"
_KEPT = 2 * 24 * 3600  # seconds after which Redis forgets a class that nobody has changed


class RedisTables:
    """A connection pool, which threads share; a hash for each table.

    Args:
        url: "redis://host:port/db", without a password; one database holds one class.

    Raises:
        StoreError: The server does not answer, or the password is missing, wrong, or in the URL.
    """

    def __init__(self, url: str) -> None:
        self.notes, self._lock = [], threading.Lock()
        how = {"decode_responses": True, "socket_timeout": 5, "socket_connect_timeout": 5}
        with _said():
            self._redis: Any = redis.Redis.from_url(url, **how)
            if self._redis.get_connection_kwargs().get("password"):
                raise StoreError(say("store.password-in-url", variable=PASSWORD))
            password = os.environ.get(PASSWORD) or None
            self._redis = redis.Redis.from_url(url, password=password, **how)
            self._redis.ping()

    def run(self, step: Callable[[Transaction], T], *, changes: bool) -> T:
        """See `Tables`."""

        def change(pipe: Any) -> T:
            taken = _Transaction(pipe, self.clock(pipe))
            result = step(taken)
            pipe.multi()
            for write in taken.writes:
                write()
            if taken.writes:
                pipe.incr(_CHANGES)
                for key in {_CHANGES, *taken.touched}:
                    pipe.expire(key, _KEPT)
            return result

        if not changes:
            with _said():
                return step(_Transaction(self._redis, self.clock(self._redis)))
        with self._lock, _said():  # what changes meanwhile, another server has changed
            return self._redis.transaction(change, _CHANGES, value_from_callable=True)

    def clock(self, client: Any) -> float:
        """Seconds since 1970 on the store's own clock: those of the servers may differ."""
        seconds, microseconds = client.time()
        return seconds + microseconds / 1e6

    def close(self) -> None:
        """See `Tables`."""
        self._redis.close()


@contextmanager
def _said() -> Iterator[None]:
    """Say in a sentence what goes wrong inside."""
    try:
        yield
    except OutOfMemoryError:
        raise StoreError(say("store.redis-full")) from None
    except AuthenticationError:
        raise StoreError(say("store.password", variable=PASSWORD)) from None
    except (ConnectionError, TimeoutError, OSError) as error:
        raise StoreError(say("store.silent", why=error)) from None
    except (redis.RedisError, ValueError) as error:
        raise StoreError(say("store.redis", why=error)) from None


class _Transaction:
    def __init__(self, client: Any, now: float) -> None:
        self._client, self.time = client, now
        self.writes: list[Callable[[], Any]] = []
        self.touched: set[str] = set()

    def get(self, table: str, key: str) -> str | None:
        return self._client.hget(_PREFIX + table, key)

    def all(self, table: str) -> dict[str, str]:
        return self._client.hgetall(_PREFIX + table)

    def put(self, table: str, texts: Mapping[str, str]) -> None:
        if texts:
            self.touched.add(_PREFIX + table)
            self.writes.append(lambda: self._client.hset(_PREFIX + table, mapping=dict(texts)))

    def delete(self, table: str, *keys: str) -> None:
        name = _PREFIX + table
        self.writes.append(
            lambda: self._client.hdel(name, *keys) if keys else self._client.delete(name)
        )
