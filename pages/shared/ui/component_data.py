"""The data sent to a component or a phone, as bytes: JSON, gzipped where a network is shared.

In a dict Streamlit would look for data frames, for which it imports pandas.
"""

import gzip
import json
from typing import Any


def as_json(data: Any) -> bytes:
    """JSON as text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def zipped(data: dict[str, Any]) -> bytes:
    """JSON, gzipped; the same data gives the same bytes."""
    return gzip.compress(as_json(data), compresslevel=1, mtime=0)
