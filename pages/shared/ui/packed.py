"""What a component is sent, as bytes: much of it kept on the server as it goes out.

A trace or a training run has up to 150,000 numbers, as Python's objects some megabytes; a class
asks for many. Gzipped JSON is less than a tenth of that, and no run of the page goes through it
again.
"""

import gzip
import json
import struct
import time
from typing import Any


def zipped(shown: dict[str, Any]) -> bytes:
    """JSON, gzipped; the same data gives the same bytes."""
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode(), compresslevel=1, mtime=0)


def pack(kept: bytes, beside: bytes) -> bytes:
    """A serial number that grows from call to call, the length of the first part, both parts.

    Two repaints in quick succession may reach the browser in the wrong order; by the number it
    knows the newer one. `scripts/packed.js` takes it apart: both parts are objects, and what they
    hold together is the figure's data.
    """
    return struct.pack("<dI", time.monotonic(), len(kept)) + kept + beside
