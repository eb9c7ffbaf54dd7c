"""Reading a JSON file of ours: an object with a format, a version, and known fields only."""

import json
from collections.abc import Collection
from typing import Any

from pages.shared.course.problem_checks import ProblemError, refuse, short

MAX_FILE = 1_000_000  # bytes; the largest problem needs about half of that


def read_object(
    content: str | bytes, what: str, version: int, fields: Collection[str]
) -> dict[str, Any]:
    """The object in the text of a JSON file, with all these fields and no other.

    Args:
        content: As it was loaded, at most `MAX_FILE` bytes.
        what: Its format: "linear-chain problem".
        version: Of the format.
        fields: Their names, beside "format" and "version".

    Raises:
        ProblemError: Too large, not JSON (with line and column), another format or version, or a
            field is missing, unknown or there twice.
    """
    noun = what.split()[-1]
    try:
        data = json.loads(
            text_of(content, noun),
            object_pairs_hook=_no_field_twice,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise ProblemError(
            f"line {error.lineno}, column {error.colno}: this is not JSON: {_said(error.msg)}; "
            f"mend it there, or save the {noun} again"
        ) from None
    except ProblemError:
        raise
    except (
        RecursionError,
        ValueError,
    ):  # nested thousands deep, or a number of thousands of digits
        raise refuse("file", f"a {noun}", "something else", "save it again") from None
    if not isinstance(data, dict):
        raise refuse("file", "an object of fields", type(data).__name__, f"save the {noun} again")
    check_fields("file", data, ("format", "version", *fields), needed=())
    for name, wanted in (("format", what), ("version", version)):
        if name not in data:
            raise refuse("file", f"a {noun} saved here", f"no “{name}” field", "load one of those")
        if data.get(name) != wanted or isinstance(data.get(name), bool):
            raise refuse(name, repr(wanted), short(data.get(name)), "load a file of this kind")
    check_fields("file", data, ("format", "version", *fields), needed=fields)
    return data


def check_fields(
    where: str, data: dict[str, Any], known: Collection[str], needed: Collection[str]
) -> None:
    """Refuse an object that has a field too many or too few.

    Raises:
        ProblemError: It names the field.
    """
    for name in data:
        if name not in known:
            names = [one for one in known if one not in ("format", "version")]
            raise refuse(where, f"the fields {', '.join(names)}", short(name), "remove that field")
    for name in needed:
        if name not in data:
            field = name if where == "file" else f"{where}, {name}"
            raise refuse(field, "a field of this name", "none", "add it")


def text_of(content: str | bytes, noun: str = "problem") -> str:
    """The text of a file.

    Raises:
        ProblemError: Larger than `MAX_FILE`, or not UTF-8.
    """
    size = len(content) if isinstance(content, bytes) else len(content.encode(errors="replace"))
    if size > MAX_FILE:
        raise refuse("file", f"at most {MAX_FILE:,} bytes", f"{size:,}", f"load a smaller {noun}")
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1  # pyright: ignore  (these are bytes)
        raise ProblemError(
            f"line {line}: expected UTF-8, got another encoding; save it as UTF-8"
        ) from None
    return text.removeprefix("\ufeff")


def _said(message: str) -> str:
    """What Python says of bad JSON, in the words of the other messages.

    >>> _said("Expecting property name enclosed in double quotes"), _said("Extra data")
    ('a property name enclosed in double quotes is missing', 'extra data')
    """
    what = message.removeprefix("Expecting ")
    if what == message:
        return message[:1].lower() + message[1:]
    return f"{what if what.startswith(chr(39)) else 'a ' + what} is missing"


def _no_field_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise refuse("file", "each field once", f"{short(twice)} twice", "remove one of them")
    return fields


def _no_constant(name: str) -> Any:
    raise refuse("file", 'numbers, and "-inf" in quotes', name, 'write "-inf" to forbid')
