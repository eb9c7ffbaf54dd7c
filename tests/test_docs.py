"""The API page is made from the docstrings, whole, without a word to the network."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import crf
from benchmarks import followers
from crf import figures

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


def test_the_wheel_names_the_licence_of_all_that_it_bundles():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = set(project["license"].split(" AND "))
    files = {file for pattern in project["license-files"] for file in ROOT.glob(pattern)}
    texts = [
        path
        for path in (ROOT / "crf").rglob("*.md")
        if re.search(r"licen[cs]e", path.read_text(encoding="utf-8"), re.IGNORECASE)
    ]
    assert len(texts) >= 6
    assert {ROOT / "LICENSE", *texts} <= files
    names = {"MIT": r"\bMIT\b", "CC-BY-SA-4.0": r"\bCC BY-SA 4\.0", "CC-BY-4.0": r"\bCC BY 4\.0"}
    whole = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "LICENSE", *texts])
    assert said == {name for name, pattern in names.items() if re.search(pattern, whole)}
    assert set(re.findall(r"\b(?:CC[ -](?:BY|0)\S* \d\.\d|GPL\S*|Apache\S*|LGPL\S*)", whole)) <= {
        "CC BY-SA 4.0", "CC BY 4.0",
    }  # fmt: skip


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
        "scores", "trellis", "heat", "flow", "gradient",
    }  # fmt: skip
    assert all(one.html() for one in drawn)
