"""Reading a JSON file of ours: an object with a format, a version, and known fields only."""

from collections.abc import Collection
from typing import Any

from crf.strict_json import JsonError, read_json, read_text
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
        data = read_json(content, MAX_FILE)
    except JsonError as error:
        raise _in_file(error, noun) from None
    if not isinstance(data, dict):
        raise refuse("file", "an object of fields", type(data).__name__, f"save the {noun} again")
    check_fields("file", data, ("format", "version", *fields), needed=())
    for name, value in (("format", what), ("version", version)):
        if name not in data:
            raise refuse("file", f"a {noun} saved here", f"no “{name}” field", "load one of those")
        if data.get(name) != value or isinstance(data.get(name), bool):
            raise refuse(name, repr(value), short(data.get(name)), "load a file of this kind")
    check_fields("file", data, ("format", "version", *fields), needed=fields)
    return data


def check_fields(
    where: str, data: dict[str, Any], fields: Collection[str], needed: Collection[str]
) -> None:
    """Refuse an object that has a field too many or too few."""
    for name in data:
        if name not in fields:
            names = [one for one in fields if one not in ("format", "version")]
            raise refuse(where, f"the fields {', '.join(names)}", short(name), "remove that field")
    for name in needed:
        if name not in data:
            field = name if where == "file" else f"{where}, {name}"
            raise refuse(field, "a field of this name", "none", "add it")


def text_of(content: str | bytes) -> str:
    """The text of a file."""
    try:
        return read_text(content, MAX_FILE)
    except JsonError as error:
        raise _in_file(error, "table") from None


def _in_file(error: JsonError, noun: str) -> ProblemError:
    where = "" if str(error).startswith("line") else "file: "
    return ProblemError(f"{where}{error}; fix it there, or save the {noun} again")
