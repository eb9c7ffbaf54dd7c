import io
import json
import math
import subprocess
import sys

import pytest

from crf import tagger as package
from crf.__main__ import main
from crf.tagger import Sentence, Settings, Tagger, TaggingDataset
from tests.tagger.conftest import TINY, toy_sentences


def run(capsys, *arguments) -> tuple[int, str, str]:
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as exit_:  # argparse's way
        code = int(exit_.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def treebank(tmp_path):
    def lines(sentence: Sentence) -> str:
        return "".join(
            f"{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n"
            for n, (word, tag) in enumerate(
                zip(sentence.words, sentence.tags, strict=True), start=1
            )
        )

    path = tmp_path / "toy.conllu"
    path.write_text("\n".join(lines(sentence) for sentence in toy_sentences()) + "\n")
    return path


@pytest.fixture
def feed(monkeypatch):
    def put(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.mark.parametrize("command", [[], ["train"], ["evaluate"], ["tag"], ["fetch"]])
def test_help(capsys, command):
    code, out, _ = run(capsys, *command, "--help")
    assert code == 0
    assert "usage: python -m crf" in out


def test_evaluate_json_is_what_test_measures(capsys, saved, treebank):
    code, out, err = run(capsys, "evaluate", treebank, "--model", saved, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    expected = package.test(Tagger.load(saved), TaggingDataset.from_conllu(treebank)).summary()
    assert json.loads(out) == expected
    assert set(expected) == {
        "tokens",
        "sentences",
        "accuracy",
        "sentence_accuracy",
        "unknown_word_accuracy",
        "nll",
    }


def test_evaluate_in_words(capsys, saved, treebank):
    code, out, _ = run(capsys, "evaluate", treebank, "--model", saved)
    assert code == 0
    assert "100.00 % of 200 tokens right" in out


def test_tag_answers_line_by_line(capsys, saved, feed):
    feed("They fish the boat.\n\n<b>שלום</b> the boat!".encode() + b" \xff\n")
    code, out, _ = run(capsys, "tag", "--model", saved, "--json")
    assert code == 0
    answers = [json.loads(line) for line in out.splitlines()]
    assert [set(answer) for answer in answers] == [{"tokens", "tags", "log_prob"}] * 3
    assert answers[0]["tokens"] == ["They", "fish", "the", "boat", "."]
    assert answers[0]["tags"] == ["PRON", "VERB", "DET", "NOUN", "PUNCT"]
    assert answers[1] == {"tokens": [], "tags": [], "log_prob": 0.0}
    tagger = Tagger.load(saved)
    for answer in answers:
        best = tagger.chain([answer["tokens"]]).topk(1)
        log_prob = best.scores[0, 0] - tagger.chain([answer["tokens"]]).log_partition[0]
        assert math.isclose(answer["log_prob"], log_prob.item(), abs_tol=1e-5)


def test_tag_in_words(capsys, saved, feed):
    feed(b"They fish the boat.\n")
    code, out, _ = run(capsys, "tag", "--model", saved)
    assert (code, out) == (0, "They/PRON fish/VERB the/DET boat/NOUN ./PUNCT\n")


def test_train_writes_a_tagger_its_figures_and_its_card(capsys, treebank, tmp_path, monkeypatch):
    tiny = Settings(sizes=TINY)
    monkeypatch.setattr("crf.tagger.commands.SETTINGS", {False: tiny, True: tiny})
    out_dir = tmp_path / "out"
    command = ["train", treebank, treebank, "--output", out_dir, "--epochs", 2, "--seed", 3]
    code, out, err = run(capsys, *command, "--quiet")
    assert (code, err) == (0, "")
    names = ["MODEL_CARD.md", "metrics.json", "tagger.json", "weights.safetensors"]
    assert sorted(path.name for path in out_dir.iterdir()) == names
    figures = json.loads((out_dir / "metrics.json").read_text())
    measured = package.test(Tagger.load(out_dir), TaggingDataset.from_conllu(treebank))
    assert {key: figures[key] for key in measured.summary()} == measured.summary()
    assert len(figures["training"]["history"]) == 2
    card = (out_dir / "MODEL_CARD.md").read_text(encoding="utf-8")
    shown = "python -m crf train toy.conllu toy.conllu --output out --epochs 2 --seed 3"
    assert shown in card
    assert "CC BY-SA 4.0" in card
    assert f"| {100 * measured.decoders['viterbi'].accuracy:.2f} % |" in card
    assert str(tmp_path) not in card + json.dumps(figures)
    assert f"{measured.tokens:,} tokens" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "nowhere.conllu"], "nowhere.conllu: No such file"),
        (["evaluate", "BAD"], "line 2: expected 10 tab-separated columns, got 1"),
        (["evaluate", "TOY", "--model", "nowhere"], "tagger.json: No such file"),
        (["tag", "--model", "TOY"], "tagger.json: Not a directory"),
        (["train", "TOY", "nowhere", "--output", "OUT"], "nowhere: No such file"),
        (["train", "TOY", "TOY", "--output", "TOY"], "File exists"),
        (["train", "TOY", "TOY", "--output", "OUT", "--epochs", "0"], "whole number from 1"),
        (["fetch", "no-such-treebank"], "no-such-treebank"),
        (["parse"], "invalid choice"),
        ([], "required"),
    ],
)
def test_bad_arguments_and_files_are_one_line_and_exit_code_2(
    capsys, treebank, tmp_path, arguments, message
):
    bad = tmp_path / "bad.conllu"
    bad.write_text("# text\nnot a treebank\n")
    names = {"TOY": treebank, "BAD": bad, "OUT": tmp_path / "out"}
    code, out, err = run(capsys, *(names.get(argument, argument) for argument in arguments))
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]
    assert "Traceback" not in err


def test_it_runs_as_a_module_and_stops_quietly_when_nobody_reads(saved):
    process = subprocess.run(
        f"yes 'The boat.' | head -2000 | {sys.executable} -m crf tag --model {saved} | head -1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert process.stdout.startswith("The/")
    assert process.stdout.count("\n") == 1
    assert process.stderr == ""
