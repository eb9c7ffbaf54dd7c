"""A server of our own: `streamlit run` on a free port, for benchmarks and tests."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def free_port() -> int:
    """A port below those that the system gives to connections, which might take it before us."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


class Server(NamedTuple):
    """A server of ours."""

    url: str  # its address
    process: subprocess.Popen  # that it runs in


@contextmanager
def running(script: Path | str, log: Path) -> Iterator[str]:
    """Run `streamlit run script` from the repository root on a free port; yield its URL."""
    with serving(script, log) as server:
        yield server.url


@contextmanager
def serving(
    script: Path | str,
    log: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    port: int = 0,
    root: Path = ROOT,
) -> Iterator[Server]:
    """Run it with options of the script's own; yield the server, which may be killed.

    `before` is a command that starts what follows it, as `prlimit` does; `port` 0 is a free one;
    `root` is the checkout that runs.
    """
    port = port or free_port()
    command = [*before, sys.executable, "-m", "streamlit", "run", str(script)]
    command += [f"--server.port={port}", "--server.headless=true", "--server.fileWatcherType=none"]
    command += ["--", *options]
    variables = {**os.environ, "PYTHONPATH": str(root), **(environment or {})}
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=root, env=variables, stdout=output, stderr=subprocess.STDOUT
        )
        url = f"http://127.0.0.1:{port}"
        try:
            deadline = time.monotonic() + 120.0
            while not _healthy(url):
                if server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"streamlit did not come up:\n{log.read_text()}")
                time.sleep(0.1)
            yield Server(url, server)
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False
