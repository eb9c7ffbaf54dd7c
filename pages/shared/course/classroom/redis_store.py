"""A class in Redis: for several servers behind one address."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
from redis.exceptions import OutOfMemoryError

from pages.shared.course.classroom.store import (
    LIFE,
    MOST_BALLOTS,
    MOST_STUDENTS,
    PAUSE,
    Keys,
    Now,
    StoreError,
)

_PREFIX = "crf-class"
_CLASS, _BALLOTS, _STUDENTS = _PREFIX, f"{_PREFIX}:ballots", f"{_PREFIX}:students"
_VOTES, _TIMES = f"{_PREFIX}:votes:", f"{_PREFIX}:times"

# Scripts run whole or not at all, on the store's own clock: those of the servers may differ.
# KEYS: class, ballots, students, times, votes of the question. Each change puts the end off.
_START = """
local class, ballots, students, times, votes = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local life = tonumber(ARGV[1])
local function later() for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, life) end end
local function changed() redis.call('HINCRBY', class, 'serial', 1); later() end
"""
_GOES_ON = """
if redis.call('EXISTS', class) == 0 then
  return redis.error_reply('the class is over; start the app again for another')
end
"""
_OPEN = """
if redis.call('EXISTS', class) == 0 then
  redis.call('DEL', ballots, students, times)
  for k = 1, tonumber(ARGV[5]) do redis.call('DEL', votes .. k) end
  redis.call('HSET', class, 'code', ARGV[2], 'token', ARGV[3], 'secret', ARGV[4], 'serial', 0,
             'number', 0, 'stop', '', 'ballot', 0, 'phase', 'over')
end
later()
return redis.call('HMGET', class, 'code', 'token', 'secret')
"""
_LEAD = """
redis.call('HSET', class, 'stop', ARGV[2])
changed()
return redis.call('HINCRBY', class, 'number', 1)
"""
_ASK = """
if redis.call('LLEN', ballots) >= tonumber(ARGV[3]) then return 0 end
local number = redis.call('RPUSH', ballots, ARGV[2])
redis.call('HSET', class, 'ballot', number, 'phase', 'open')
changed()
return number
"""
_TURN = """
local latest = redis.call('HGET', class, 'ballot')
if latest == '0' or latest ~= ARGV[2] then return 0 end
redis.call('HSET', class, 'phase', ARGV[3])
changed()
return 1
"""
_ADMIT = """
if redis.call('SISMEMBER', students, ARGV[2]) == 1 then return 1 end
if redis.call('SCARD', students) >= tonumber(ARGV[3]) then return 0 end
redis.call('SADD', students, ARGV[2])
later()
return 1
"""
_VOTE = """
if redis.call('SISMEMBER', students, ARGV[2]) == 0 then return 'stranger' end
local now = redis.call('HMGET', class, 'ballot', 'phase')
if now[1] ~= ARGV[5] or now[2] ~= 'open' then return 'closed' end
local time = redis.call('TIME')
local at = time[1] + time[2] / 1e6
local last = redis.call('HGET', times, ARGV[2])
if last and math.abs(at - last) < tonumber(ARGV[4]) then return 'early' end
redis.call('HSET', votes, ARGV[2], ARGV[3])
redis.call('HSET', times, ARGV[2], string.format('%.6f', at))
later()
return 'counted'
"""


class RedisStore:
    """A connection pool, which threads share.

    Args:
        url: "redis://host:port/db"; one database holds one class.

    Raises:
        StoreError: The server does not answer.
    """

    def __init__(self, url: str) -> None:
        with _saying():
            self._redis: Any = redis.Redis.from_url(
                url, decode_responses=True, socket_timeout=5, socket_connect_timeout=5
            )
            self._redis.ping()
        later = {"lead": _LEAD, "ask": _ASK, "turn": _TURN, "admit": _ADMIT, "vote": _VOTE}
        scripts = {"open": _OPEN} | {name: _GOES_ON + script for name, script in later.items()}
        self._scripts = {
            name: self._redis.register_script(_START + script) for name, script in scripts.items()
        }

    def _run(self, name: str, *values: object, votes: str = _VOTES) -> Any:
        keys = [_CLASS, _BALLOTS, _STUDENTS, _TIMES, votes]
        with _saying():
            return self._scripts[name](keys=keys, args=[int(LIFE), *values])

    def open(self, fresh: Keys) -> Keys:
        """See `Store`."""
        return Keys(*self._run("open", *fresh, MOST_BALLOTS))

    def now(self) -> Now:
        """See `Store`."""
        with _saying():
            serial, number, stop, ballot, phase = self._redis.hmget(_CLASS, *Now._fields)
        if serial is None:
            return Now()
        return Now(int(serial), int(number), stop, int(ballot), phase)

    def lead(self, stop: str) -> int:
        """See `Store`."""
        return self._run("lead", stop)

    def ask(self, ballot: str) -> int:
        """See `Store`."""
        return self._run("ask", ballot, MOST_BALLOTS)

    def turn(self, ballot: int, phase: str) -> bool:
        """See `Store`."""
        return bool(self._run("turn", ballot, phase))

    def ballots(self) -> list[str]:
        """See `Store`."""
        with _saying():
            return self._redis.lrange(_BALLOTS, 0, -1)

    def admit(self, student: str) -> bool:
        """See `Store`."""
        return bool(self._run("admit", student, MOST_STUDENTS))

    def students(self) -> int:
        """See `Store`."""
        with _saying():
            return self._redis.scard(_STUDENTS)

    def vote(self, ballot: int, student: str, answer: str) -> str:
        """See `Store`."""
        return self._run("vote", student, answer, PAUSE, ballot, votes=f"{_VOTES}{ballot}")

    def answer(self, ballot: int, student: str) -> str | None:
        """See `Store`."""
        with _saying():
            return self._redis.hget(f"{_VOTES}{ballot}", student)

    def answers(self, ballot: int) -> list[str]:
        """See `Store`."""
        with _saying():
            return self._redis.hvals(f"{_VOTES}{ballot}")

    def close(self) -> None:
        """See `Store`."""
        self._redis.close()


@contextmanager
def _saying() -> Iterator[None]:
    """What goes wrong inside is said in a sentence."""
    try:
        yield
    except OutOfMemoryError:
        raise StoreError(
            "The class’s Redis server is full, so this could not be kept. What was kept before is "
            "safe. Give it more memory, then do it again."
        ) from None
    except (redis.RedisError, ValueError, OSError) as error:
        raise StoreError(
            f"The class’s Redis server cannot be used: {error}. Is it running at the address "
            "given by --store?"
        ) from None
