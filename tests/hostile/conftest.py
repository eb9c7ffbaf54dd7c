"""The server that most of these tests ill-treat, one after the other."""

from collections.abc import Iterator

import pytest

from tests.hostile.watch import Server, server

# Every look-up of a name, and every connection, is written down; the resolver does not answer.
_RESOLVER = """
import ipaddress, os, sys, time
def watch(event, args):
    if event not in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect"):
        return
    host = args[1] if event == "socket.connect" else args[0]
    host = host[0] if isinstance(host, tuple) else host
    try:
        away = not ipaddress.ip_address(host).is_loopback
    except ValueError:
        away = host not in (None, "", "localhost", b"localhost")
    if away and host != "192.0.2.1":  # which is asked nothing, but for the way to it
        with open(os.environ["LOOKUPS"], "a") as file:
            print(event, host, file=file)
        time.sleep(5)
sys.addaudithook(watch)
"""


@pytest.fixture(scope="session")
def alone() -> Iterator[Server]:
    with server(site=_RESOLVER) as running:
        yield running
