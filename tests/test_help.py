"""The help of every command: each option says what it takes, and ends with its default."""

import argparse
import importlib.util
import re
import shlex
from collections.abc import Iterator

import pytest
import torch

from crf.__main__ import EXAMPLE, main, parser
from pages.shared.course import start_options

NO_NOUN_OR_VERB = {
    *("a", "an", "the", "of", "for", "from", "in", "on", "at", "as", "to", "with", "by", "where"),
    *("how", "what", "which", "default", "no", "its"),
}


def options(of: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    """Every option and argument, with its command."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from options(command)
        elif action.dest not in ("help", "version"):
            yield f"{of.prog} {'/'.join(action.option_strings) or action.dest}", action


EVERY = [*options(parser()), *options(start_options.parser())]


@pytest.mark.parametrize(("name", "option"), EVERY, ids=[name for name, _ in EVERY])
def test_an_option_says_what_it_takes_and_ends_with_its_default(name, option):
    text = option.help
    assert text, f"{name} has no help"
    assert re.match(r"\w+", text)[0].lower() not in NO_NOUN_OR_VERB
    assert "'" not in text  # as elsewhere in the help: ’
    flag = isinstance(option, argparse._StoreTrueAction)
    if not (flag or option.required):
        assert re.search(r"\(default: [^()]+\)$", text)
        if option.default and not isinstance(option.default, (list, tuple)):
            assert (
                f"(default: {option.default:g}"
                if isinstance(option.default, float)
                else (f"(default: {option.default}" in text)
            )


def test_the_examples_can_be_typed():
    lines = re.findall(r"^ +(?:echo .* \| )?(crf .*)$", EXAMPLE, re.MULTILINE)
    assert len(lines) == 7
    for line in (line for line in EXAMPLE.splitlines() if "crf " in line):
        assert not re.search(r"\S {2,}\S", line)
    for line in lines:
        parser().parse_args(shlex.split(line)[1:])


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--lr", "nan"], "crf train: --lr: expected a finite number above 0, got nan"),
        (["--embedding", "99999"], "crf train: --embedding: expected a whole number"),
        (["--column", "9"], "crf train: {file}: --column: expected one of 2, got '9'"),
    ],
)
def test_an_error_names_the_option_as_it_was_typed(typed, said, capsys, tmp_path):
    file = tmp_path / "train.txt"
    file.write_text("Ada NOUN\nsang VERB\n\n" * 3, encoding="utf-8")
    assert main(["train", str(file), str(file), "--output", str(tmp_path / "out"), *typed]) == 2
    assert capsys.readouterr().err.startswith(said.replace("{file}", str(file)))


@pytest.mark.parametrize(
    ("installed", "gpu", "said"),
    [
        (True, True, "yes: for chains on a GPU"),
        (True, False, "no: torch finds no GPU"),
        (False, True, "no: triton is not installed"),
    ],
)
def test_the_doctor_says_what_triton_lacks(installed, gpu, said, capsys, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: (installed or None) if name == "triton" else find(name),
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert main(["doctor"]) == 0
    assert re.search(r"^triton +(.*)$", capsys.readouterr().out, re.MULTILINE)[1] == said
