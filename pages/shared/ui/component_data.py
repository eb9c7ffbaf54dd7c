"""The data sent to a component, as bytes: JSON, gzipped in parts if there is much of it.

In a dict Streamlit would look for data frames, for which it imports pandas. A trace or a training
run has up to 150,000 numbers, as Python's objects some megabytes; a class asks for many, on phones
that share one network. Gzipped they have less than a fifth of JSON's bytes, and no run of the page
goes through them again.
"""

import gzip
import json
import struct
import time
from typing import Any

_HEAD, _GZIP = struct.calcsize("<dI"), b"\x1f\x8b"


def as_json(shown: Any) -> bytes:
    """JSON as text."""
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def zipped(shown: dict[str, Any]) -> bytes:
    """JSON, gzipped; the same data gives the same bytes."""
    return gzip.compress(as_json(shown), compresslevel=1, mtime=0)


def pack(kept: bytes, beside: bytes) -> bytes:
    """A serial number that grows from call to call, the length of the first part, both parts.

    Two repaints in quick succession may reach the browser in the wrong order; by the number it
    knows the newer one. `scripts/packed.js` takes it apart: both parts are objects, and what they
    hold together is the figure's data.
    """
    return struct.pack("<dI", time.monotonic(), len(kept)) + kept + beside


def parts(sent: bytes) -> list[Any]:
    """The values in a message: one for plain JSON, two if it was packed.

    Example:
        >>> parts(as_json({"a": 1})), parts(pack(zipped({"a": 1}), zipped({"b": 2})))
        ([{'a': 1}], [{'a': 1}, {'b': 2}])
    """
    if sent[_HEAD : _HEAD + 2] != _GZIP:
        return [json.loads(sent)]
    until = _HEAD + int.from_bytes(sent[8:_HEAD], "little")
    return [json.loads(gzip.decompress(part)) for part in (sent[_HEAD:until], sent[until:])]
