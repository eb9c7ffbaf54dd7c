"""A store of either kind, and a Redis server of the tests' own."""

import shutil
import subprocess
import time

import pytest

from benchmarks.serving import free_port
from pages.shared.course.classroom.store import StoreError, open_store


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory):
    """A real server that keeps nothing; skips, with the reason, where it is not installed."""
    pytest.importorskip("redis", reason="redis is not installed (requirements-redis.txt)")
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server found (on Debian: apt-get install redis-server)")
    port, folder = free_port(), tmp_path_factory.mktemp("redis")
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}/0"
    for _ in range(100):
        try:
            open_store(url).close()
            break
        except StoreError:
            time.sleep(0.05)
    yield url
    server.kill()  # it keeps nothing
    server.wait(10)


@pytest.fixture(params=["sqlite", "redis"])
def where(request, tmp_path):
    """The name of an empty store."""
    if request.param == "sqlite":
        return str(tmp_path / "class.sqlite3")
    import redis

    url = request.getfixturevalue("redis_url")
    with redis.Redis.from_url(url) as server:
        server.flushall()
    return url
