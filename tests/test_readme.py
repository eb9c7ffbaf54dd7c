"""What the README says that its commands print is what they print."""

import io
import re
import runpy
import sys
from pathlib import Path

import pytest

from crf.__main__ import main

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", re.findall(r"^echo .*\n# → .*$", README, re.MULTILINE))
def test_an_example_prints_what_it_says(line, monkeypatch, capsys):
    found = re.fullmatch(r'echo "(.*)" \| crf (.*?)(?: *#.*)?\n# → (.*)', line)
    assert found is not None, line
    sentence, arguments, said = found.groups()
    typed = io.TextIOWrapper(io.BytesIO(f"{sentence}\n".encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", typed)
    main(arguments.split())
    assert capsys.readouterr().out.strip() == said


@pytest.mark.parametrize("name", re.findall(r"python -m (examples\.\w+)", README))
def test_the_scripts_run_as_it_says(name, capsys):
    runpy.run_module(name, run_name="__main__")
    assert capsys.readouterr().out
