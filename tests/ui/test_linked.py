"""Modules linked to one file: they export what they did, and each line leads back to its source."""

import gzip
import json
import re

from starlette.applications import Starlette

from pages.shared.contents import ROOT
from pages.shared.ui import component, linked
from pages.shared.ui.stage.view import STAGE
from tests.ui.asgi import answer

MODULES = [
    p.relative_to(ROOT).as_posix() for d in ("crf", "pages") for p in (ROOT / d).rglob("*.js")
]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def numbers(letters: str):
    """The numbers of a part of a source map."""
    value, shift = 0, 0
    for letter in letters:
        digit = LETTERS.index(letter)
        value |= (digit & 31) << shift
        shift += 5
        if digit < 32:
            yield -(value >> 1) if value & 1 else value >> 1
            value, shift = 0, 0


def test_modules_are_written_as_the_linker_reads_them():
    """An import or export of another form would stay in the file; a browser would refuse it."""
    for path in MODULES:
        text = (ROOT / path).read_text(encoding="utf-8")
        ways = len(re.findall(r"^export\b", text, re.MULTILINE))
        if not ways and not re.search(r"^import\b", text, re.MULTILINE):
            continue  # a host's script
        code = linked.link([path]).code
        cut = code.rindex("})();")
        assert not re.search(r"^\s*(?:import\s|export\s)", code[:cut], re.MULTILINE), path
        how = r"^export (?:async )?(?:function\*? |class |const )(\w+)"
        named = re.findall(how, text, re.MULTILINE)
        has_default = bool(re.search(r"^export default", text, re.MULTILINE))
        assert ways == len(named) + has_default, path
        exported = re.findall(r"\w+", code[cut:].partition("{")[2].partition("}")[0])
        assert set(exported) == set(named), path
        assert ("export default" in code[cut:]) == has_default, path


def test_each_line_leads_to_its_source():
    made = linked.link(["pages/index.js"])
    source_map = json.loads(made.source_map)
    lines, file, line, read = made.code.split("\n"), 0, 0, 0
    for number, part in enumerate(source_map["mappings"].split(";")):
        if not part:
            continue
        column, to_file, to_line, from_column = numbers(part)
        file, line = file + to_file, line + to_line
        assert (column, from_column) == (0, 0)
        source = source_map["sourcesContent"][file].split("\n")[line]
        assert (
            source == (ROOT / source_map["sources"][file][1:]).read_text("utf-8").split("\n")[line]
        )
        if not source.startswith(("import", "export")):
            assert lines[number] in (source, source.lstrip())
            read += 1
    assert read > 5000


def test_what_the_server_sends():
    server = Starlette(routes=component.routes())
    address = component.module_address("crf/figures/shared/dom.js")
    status, headers, body = answer(server, address, headers={"accept-encoding": "gzip"})
    assert status == 200
    assert headers["content-type"].startswith("text/javascript")
    assert "immutable" in headers["cache-control"]
    text = gzip.decompress(body).decode()
    assert text == answer(server, address)[2].decode()
    assert text.endswith("//# sourceMappingURL=dom.js.map\n")
    assert json.loads(answer(server, f"{address}.map")[2])["version"] == 3
    for none in ("pages/index.py", "crf/figures/shared/none.js", "../app.py", "x.map.map"):
        assert answer(server, address.replace("crf/figures/shared/dom.js", none))[0] == 404


def test_the_figures_of_a_page_are_one_file():
    """They share modules, some of which remember something, as the mark of decimals."""
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "pages").rglob("*.py"))
    folders = re.findall(r'component\(\s*"\w+", "([^"]+)"', pages)
    assert len(folders) > 3
    folders += [STAGE, component.TOGETHER[0].removesuffix("/streamlit.js")]  # the host
    assert {f"{folder}/index.js" for folder in folders} == {
        path.replace("streamlit.js", "index.js") for path in component.TOGETHER
    }
