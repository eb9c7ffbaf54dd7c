"""The API page is made from the docstrings, whole, without a word to the network."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import crf
from crf import figures
from pages.beats import LESSONS
from pages.shared import contents
from pages.shared.ui.stage import look

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("[bd]*/README.md")]


def test_the_api_pages_are_those_of_the_docstrings(tmp_path: Path):
    pytest.importorskip("pdoc", reason="pdoc is not installed")
    command = [sys.executable, "-W", "error", ROOT / "docs" / "api.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "crf.html").read_text(encoding="utf-8")
    for name in crf.__all__:
        ours = [c for c in getattr(crf, name).__mro__ if c.__module__.startswith("crf.")]
        for member in (n for c in ours for n in vars(c) if not n.startswith("_")):
            assert f'id="{name}.{member}"' in page, f"{name}.{member}"
    assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//', page)
    kept = ROOT / "docs" / "api"
    files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {path.relative_to(kept) for path in kept.rglob("*") if path.is_file()}
    stale = [
        str(file) for file in files if (tmp_path / file).read_bytes() != (kept / file).read_bytes()
    ]
    assert not stale, "a docstring has changed: run `make docs` and commit docs/api"


def slug(heading: str) -> str:
    """The part of an address that a heading has on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_the_pages_lead_somewhere(page: Path):
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(((?!https?:)[^)]+)\)", text):
        path, _, part = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if part:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert part in map(slug, headings), link


def test_the_list_of_the_documentation_has_each_page():
    listed = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        link = os.path.relpath(page, ROOT / "docs")
        assert link in ("../README.md", "README.md") or f"]({link})" in listed, link


def rows_of_the_syllabus():
    text = (ROOT / "docs" / "syllabus.md").read_text(encoding="utf-8")
    return re.findall(
        r"^\| .* \| `/([\w-]*)(?:\?beat=([\w-]+))?`(?: ⋯ (.+?))? \|$", text, re.MULTILINE
    )


@pytest.mark.parametrize(("address", "beat", "section"), rows_of_the_syllabus())
def test_each_topic_of_the_syllabus_is_where_it_says(address, beat, section):
    entry = contents.entry(address)
    assert entry.address == address or not address
    lesson = entry.folder
    assert not beat or beat in [each.name for each in LESSONS[lesson]]
    groups = look.menu(lesson, import_module(f"pages.{lesson}.more").SECTIONS) if section else []
    assert not section or section in [one["label"] for group in groups for one in group["entries"]]


def test_every_row_of_the_syllabus_was_read():
    text = (ROOT / "docs" / "syllabus.md").read_text(encoding="utf-8")
    assert len(rows_of_the_syllabus()) == len(re.findall(r"^\| [^-T]", text, re.MULTILINE)) + len(
        re.findall(r"^\| T(?!opic \|)", text, re.MULTILINE)
    )


def test_the_tree_fits_on_a_screen_and_is_true():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text.split("## What is where")[1].split("```")[1].strip().splitlines()
    assert len(tree) <= 45
    folder = named = ""
    for line in tree:
        path = line.split()[0]
        folder = "" if not line.startswith(" ") else folder
        assert (ROOT / folder / path).exists(), line
        folder = folder or (path if path.endswith("/") else "")
        named += line
    top = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    for name in {name for name in top if not name.startswith((".", "__"))} - {"build"}:
        assert f"{name}/" in named, name
    for path in (ROOT / "crf").glob("[!_]*.py"):
        assert path.name in named, path


def test_the_citation_is_of_this_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation


def test_the_library_is_under_mit_and_bundles_nothing_under_another_licence():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["license"], project["license-files"]) == ("MIT", ["LICENSE"])
    files = [path for path in (ROOT / "crf").rglob("*") if path.suffix in (".md", ".js", ".css")]
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(CC[ -]BY|GPL|Apache)", text), path
    assert sum(path.stat().st_size for path in files) < 1_000_000


def test_the_taggers_wheel_names_the_licence_of_all_that_it_bundles():
    folder = ROOT / "assets" / "taggers"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = set(project["license"].split(" AND "))
    files = {file for pattern in project["license-files"] for file in folder.glob(pattern)}
    texts = {
        path
        for path in folder.rglob("*.md")
        if "build" not in path.parts  # what a build has left
        and re.search(r"licen[cs]e", path.read_text(encoding="utf-8"), re.IGNORECASE)
    }
    assert len(texts) >= 6
    assert texts <= files
    names = {"MIT": r"\bMIT\b", "CC-BY-SA-4.0": r"\bCC BY-SA 4\.0", "CC-BY-4.0": r"\bCC BY 4\.0"}
    whole = "\n".join(path.read_text(encoding="utf-8") for path in texts)
    assert said == {name for name, pattern in names.items() if re.search(pattern, whole)}
    assert set(re.findall(r"\b(?:CC[ -](?:BY|0)\S* \d\.\d|GPL\S*|Apache\S*|LGPL\S*)", whole)) <= {
        "CC BY-SA 4.0",
        "CC BY 4.0",
    }


def test_the_notebook_runs_and_each_step_has_its_figure():
    """Every cell in order, as a kernel runs it; what it asserts compares it with the core."""
    notebook = json.loads((ROOT / "docs" / "from-scratch.ipynb").read_text(encoding="utf-8"))
    namespace, shown = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"]  # what is saved has been run by nobody
        source = ast.parse("".join(cell["source"]))
        last = source.body.pop() if isinstance(source.body[-1], ast.Expr) else None
        exec(compile(source, "from-scratch", "exec"), namespace)
        if last is not None:
            value = compile(ast.Expression(last.value), "from-scratch", "eval")
            shown.append(eval(value, namespace))
    drawn = [one for one in shown if isinstance(one, figures.Figure)]
    assert {one.folder.split("/")[-1] for one in drawn} == {
        "scores",
        "trellis",
        "heat",
        "flow",
        "gradient",
    }
    assert all(one.html() for one in drawn)
