"""The API page is made from the docstrings, whole, without a word to the network."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import crf
from benchmarks import followers

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.thorough
def test_the_api_page_has_every_public_name(tmp_path: Path):
    pytest.importorskip("pdoc", reason="pdoc is not installed")
    command = [sys.executable, "-W", "error", ROOT / "docs" / "api.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "crf.html").read_text(encoding="utf-8")
    for name in crf.__all__:
        for member in (n for n in vars(getattr(crf, name)) if not n.startswith("_")):
            assert f'id="{name}.{member}"' in page, f"{name}.{member}"
    assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//', page)


def test_links_between_the_pages_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(((?!https?:)[^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_says_of_a_class_what_was_measured():
    measured = json.loads((ROOT / "benchmarks" / "class.json").read_text(encoding="utf-8"))
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert followers.sentence(measured) in readme


def test_the_tree_in_the_readme_fits_on_a_screen_and_is_true():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
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
