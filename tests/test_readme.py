"""What the README says that its commands print is what they print."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(*command: str, given: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *command], input=given, capture_output=True, text=True, cwd=ROOT,
        encoding="utf-8", env=dict(os.environ), check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("line", re.findall(r"^echo .*\n# → .*$", README, re.MULTILINE))
def test_an_example_prints_what_it_says(line):
    found = re.fullmatch(r'echo "(.*)" \| crf (.*?)(?: *#.*)?\n# → (.*)', line)
    assert found is not None, line
    sentence, arguments, said = found.groups()
    assert run("-m", "crf", *arguments.split(), given=f"{sentence}\n").strip() == said


@pytest.mark.parametrize("name", re.findall(r"python -m (examples\.\w+)", README))
def test_the_scripts_run_as_it_says(name, capsys):
    runpy.run_module(name, run_name="__main__")
    assert capsys.readouterr().out
