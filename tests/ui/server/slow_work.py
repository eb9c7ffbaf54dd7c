"""A worker's program for tests: it says who it is, waits, or takes memory."""

import os
import time

from pages.shared.ui.server.worker import serve


def answer(job: bytes) -> bytes:
    what, _, n = job.decode().strip().partition(" ")
    try:
        if what == "wait":
            time.sleep(float(n))
        if what == "take":
            bytearray(int(n))
    except MemoryError:
        return b"too much"
    return str(os.getpid()).encode()


if __name__ == "__main__":
    serve(answer, 200_000_000)
