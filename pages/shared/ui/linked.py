"""JavaScript modules linked to one file: a browser asks once, not a hundred times, level by level.

The repository's modules stay as they are, and a browser's tools show them, by a source map. Each
becomes a function that is called at once, after those that it imports from:

    const m1 = (() => { const { html } = m0; …; return { Stage }; })();

The form of an import is that of `crf.figures.modules.texts`, and an export stands at the beginning
of a line: prettier writes both so, and a test reads every module.
"""

import json
import re
from collections.abc import Sequence
from posixpath import dirname, join, normpath
from typing import NamedTuple

from crf.figures import modules

_IMPORT = re.compile(r'import (.*) from "(\..*)";')
_EXPORT = re.compile(r"export (?:async )?(?:function\*?|class|const) (\w+)")
_DEFAULT = "export default "
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Linked(NamedTuple):
    """One file and where its lines come from."""

    code: str
    source_map: str  # of version 3, as JSON


def link(entries: Sequence[str]) -> Linked:
    """Link modules and all that they import.

    Args:
        entries: Paths from the root of the repository. One alone exports what it exports; several
            are exported as `modules`: path → what the module exports.

    Raises:
        FileNotFoundError: A module is missing.
    """
    texts: dict[str, str] = {}
    for entry in entries:
        texts |= modules.texts(entry)
    names = {path: f"m{i}" for i, path in enumerate(texts)}
    code: list[str] = []
    origins: list[tuple[int, int] | None] = []  # file and line of each line
    for file, (path, text) in enumerate(texts.items()):
        lines, exports = _lines(path, text, names)
        code += [f"const {names[path]} = (() => {{", *(line for _, line in lines)]
        code += [f"return {{ {', '.join(exports)} }};", "})();"]
        origins += [None, *((file, number) for number, _ in lines), None, None]
    if len(entries) > 1:
        held = ", ".join(f"'{path}': {names[path]}" for path in entries)
        code.append(f"export const modules = {{ {held} }};")
    else:
        code += _exported(texts[entries[0]], names[entries[0]])
    return Linked("\n".join(code) + "\n", _source_map(texts, origins))


def _lines(path: str, text: str, names: dict[str, str]) -> tuple[list[tuple[int, str]], list[str]]:
    """The lines of a module, each with its number, and what it exports.

    Comments and indentation are left out, but for the inside of a template, which is text.
    """
    lines, exports, in_template = [], [], False
    for number, line in enumerate(text.split("\n")):
        if not in_template and (not line.strip() or line.lstrip().startswith("//")):
            continue
        if not in_template:
            line = line.lstrip()
        in_template ^= line.count("`") % 2 == 1
        if found := _IMPORT.fullmatch(line):
            module = names[normpath(join(dirname(path), found[2]))]
            line = f"const {_pattern(found[1])} = {module};"
        elif found := _EXPORT.match(line):
            exports.append(found[1])
            line = line.removeprefix("export ")
        elif line.startswith(_DEFAULT):
            exports.append("default: _default")
            line = "const _default = " + line.removeprefix(_DEFAULT)
        lines.append((number, line))
    if in_template:
        raise ValueError(f"{path}: a template has no end, or a line a ` that opens none")
    return lines, exports


def _pattern(what: str) -> str:
    """What is imported, as a pattern of an object: `{ a as b }`, `name` or `* as name`."""
    if what.startswith("* as "):
        return what.removeprefix("* as ")
    return what.replace(" as ", ": ") if what.startswith("{") else f"{{ default: {what} }}"


def _exported(text: str, name: str) -> list[str]:
    exports = [found[1] for line in text.split("\n") if (found := _EXPORT.match(line))]
    lines = [f"export const {{ {', '.join(exports)} }} = {name};"] if exports else []
    if re.search(f"^{_DEFAULT}", text, re.MULTILINE):
        lines.append(f"export default {name}.default;")
    return lines


def _source_map(texts: dict[str, str], origins: Sequence[tuple[int, int] | None]) -> str:
    """Say of each line where it comes from (ECMA-426)."""
    mappings, before = [], (0, 0)
    for origin in origins:
        if origin is None:
            mappings.append("")
            continue
        steps = (0, origin[0] - before[0], origin[1] - before[1], 0)
        mappings.append("".join(map(_vlq, steps)))
        before = origin
    written = {"version": 3, "sources": [f"/{path}" for path in texts], "names": []}
    contents = {"sourcesContent": list(texts.values()), "mappings": ";".join(mappings)}
    return json.dumps(written | contents, allow_nan=False)


def _vlq(value: int) -> str:
    """A number in base 64: five bits a letter, the lowest first, the sign as the lowest bit."""
    rest, letters = (abs(value) << 1) | (value < 0), ""
    while True:
        rest, digit = rest >> 5, rest & 31
        letters += _BASE64[digit | (32 if rest else 0)]
        if not rest:
            return letters
