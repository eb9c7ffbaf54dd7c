"""Write JSON, and read untrusted JSON from files, links and browsers.

Python's reader accepts duplicate fields, NaN and half of a surrogate pair, and raises five kinds of
errors. This reader accepts what the standard allows and raises one kind, with what is wrong.

Source: RFC 8259, sections 4, 6 and 8.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

_FEW = 40  # a message quotes this many characters of a name


class JsonError(ValueError):
    """A text that is no JSON, or not the kind that is read; the message says where and why."""


def read_json(content: bytes | str, most: int) -> Any:
    r"""The value in a JSON text.

    Args:
        content: The text, or its UTF-8 bytes, with or without a byte order mark.
        most: Upper limit of its size, in bytes.

    Raises:
        JsonError: Too large, not UTF-8, not JSON (with line and column), nested too deeply, or with
            a field that is there twice, a number that is none or that no float holds, or half of a
            surrogate pair.

    Example:
        >>> read_json('{"tags": ["DET"], "score": "-inf"}', most=100)
        {'tags': ['DET'], 'score': '-inf'}
        >>> read_json('{"tags": 1, "tags": 2}', most=100)
        Traceback (most recent call last):
        crf.strict_json.JsonError: expected each field once, got 'tags' twice
    """
    text = read_text(content, most)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_no_field_twice,
            parse_constant=_no_constant,
            parse_float=_no_overflow,
        )
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise JsonError(
            f"line {error.lineno}, column {error.colno}: this is not JSON: {_reason(error.msg)}"
        ) from None
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise JsonError(
            f"expected whole characters, got U+{half:04X}, half of a surrogate pair"
        ) from None
    except JsonError:
        raise
    except (RecursionError, ValueError):
        raise JsonError(
            "expected lists within lists a few deep and numbers of a few digits, got far more"
        ) from None
    return value


def write_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON that `read_json` reads.

    −∞, ∞ and nan, which JSON has no numbers for, become the strings "-inf", "inf" and "nan"; half
    of a surrogate pair becomes "?".

    Args:
        value: Of dicts, lists, tuples, strings, numbers, booleans and None.
        indent: Spaces for each level; None: all in one line.

    Example:
        >>> write_json({"log_prob": float("-inf"), "tags": ("DET", "NOUN")})
        '{"log_prob": "-inf", "tags": ["DET", "NOUN"]}'
    """
    text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return text.encode(errors="replace").decode()


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(float(value))
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    return list(map(_finite, value)) if isinstance(value, list | tuple) else value


def read_text(content: bytes | str, most: int) -> str:
    """The text in some bytes of UTF-8, without a byte order mark.

    Args:
        content: The bytes; or a text, which is checked alike.
        most: Upper limit of its size, in bytes.

    Raises:
        JsonError: Too large, or not UTF-8 (with the line).
    """
    try:
        encoded = content if isinstance(content, bytes) else content.encode()
        size = len(encoded)
        text = encoded.decode() if size <= most else ""
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise JsonError(f"line {line}: expected UTF-8, got another encoding") from None
    except UnicodeEncodeError:
        raise JsonError("expected whole characters, got half of a surrogate pair") from None
    if size > most:
        raise JsonError(f"expected at most {most:,} bytes, got {size:,}")
    return text.removeprefix("\ufeff")


def _no_field_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = ascii(next(name for name in names if names.count(name) > 1))
        raise JsonError(f"expected each field once, got {twice[:_FEW]} twice")
    return fields


def _no_constant(name: str) -> Any:
    raise JsonError(f'expected numbers, and "-inf" in quotes, got {name}')


def _no_overflow(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise JsonError(f'expected numbers, and "-inf" in quotes, got {digits[:_FEW]}')
    return value


def _reason(message: str) -> str:
    """Python's message about bad JSON, as a clause.

    >>> _reason("Expecting property name enclosed in double quotes"), _reason("Extra data")
    ('a property name enclosed in double quotes is missing', 'extra data')
    """
    what = message.removeprefix("Expecting ")
    if what == message:
        return message[:1].lower() + message[1:]
    return f"{what if what.startswith(chr(39)) else 'a ' + what} is missing"
