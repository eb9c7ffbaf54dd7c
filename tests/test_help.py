"""The help of every command: each option says what it takes, and ends with its default."""

import importlib.util
import itertools
import re
import shlex
from collections.abc import Iterator

import pytest
import torch

from crf.__main__ import COMMANDS, EXAMPLE, main, parser
from crf.lab import command as lab
from crf.tagger import commands, training
from pages.shared.course import start_options
from pages.shared.course.words import say

NO_NOUN_OR_VERB = {
    *("a", "an", "the", "of", "for", "from", "in", "on", "at", "as", "to", "with", "by", "where"),
    *("how", "what", "which", "default", "no", "its"),
}


def every_option() -> Iterator[tuple[str, str, dict]]:
    """Every option and argument with its command, its help, and what argparse is told of it."""
    for command, (*_, groups) in COMMANDS.items():
        for name, text, how in itertools.chain(*groups.values()):
            yield f"crf {command} {name}", text, how
    for command, (*_, of_lab) in lab.COMMANDS.items():
        for name, text, how in of_lab:
            yield f"crf lab {command} {name}", text, how
    for name, how in start_options.OPTIONS.items():
        yield f"app.py --{name}", say(f"option.{name}"), how


OPTIONS = list(every_option())


@pytest.mark.parametrize(("name", "text", "how"), OPTIONS, ids=[name for name, *_ in OPTIONS])
def test_an_option_says_what_it_takes_and_ends_with_its_default(name, text, how):
    assert re.match(r"\w+", text)[0].lower() not in NO_NOUN_OR_VERB
    assert "'" not in text  # as elsewhere in the help: ’
    is_needed = how.get("required", " --" not in name and how.get("nargs") != "?")
    if not is_needed and how.get("action") != "store_true":
        default = how.get("default")
        said = re.search(r"\(default: ([^()]+)\)$", text)[1]
        if default and not isinstance(default, (list, tuple)):
            assert said.startswith(f"{default:g}" if isinstance(default, float) else str(default))


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


def _of(settings) -> dict[str, float]:
    """The values of the options that train has by task and model."""
    sizes = settings.sizes
    return {
        "embedding": sizes.word_dim,
        "affixes": sizes.affix_dim,
        "layers": sizes.layers,
        "characters": sizes.char_filters,
        "hidden": sizes.hidden,
        "dropout": sizes.dropout,
        "epochs": settings.epochs,
        "patience": settings.patience,
        "batch-size": settings.batch_size,
        "lr": settings.learning_rate,
    }


def test_train_s_help_has_the_defaults_of_each_task():
    kinds = {"": ("pos", False), "names": ("ner", False), "--local": ("pos", True)}
    settings = {word: _of(commands.SETTINGS[kind]) for word, kind in kinds.items()}
    settings["--plain"] = _of(training.plain())
    helps = {name: text for name, text, _ in every_option() if name.startswith("crf train --")}
    for option, usual in settings[""].items():
        (said,) = re.findall(r"\(default: (.*)\)$", helps[f"crf train --{option}"])
        shown = dict(part.rpartition(" ")[::2] for part in said.split("; ") if "few" not in part)
        for kind, values in settings.items():
            if (kind, option) != ("--local", "hidden"):  # which has no LSTM
                assert float(shown.get(kind, usual)) == values[option], (option, kind)
