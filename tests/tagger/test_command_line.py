import errno
import fcntl
import gzip
import json
import math
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from crf import Constraints, LinearChain
from crf import tagger as package
from crf.__main__ import main
from crf.tagger import ModelFileError, Settings, Tagger, TaggingDataset, tag_lines
from crf.tagger.commands import SETTINGS
from crf.tagger.decoders import DECODERS
from crf.tagger.storage import alone_in
from crf.tagger.tag_lines import answers
from crf.tagger.text_input import SplitText
from tests.tagger.conftest import TINY, python, run


def test_evaluate_json_is_what_test_measures(capsys, saved, treebank):
    code, out, err = run(capsys, "evaluate", treebank, "--model", saved, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    measured = package.test(Tagger.load(saved), TaggingDataset.read(treebank))
    found = json.loads(out)
    assert found == json.loads(json.dumps(measured.report()))
    assert found["tags"]["DET"]["support"] == 40
    names = "tokens sentences accuracy sentence_accuracy unknown_word_accuracy nll".split()
    assert list(measured.summary()) == names
    assert {name: found[name] for name in names} == measured.summary()


KEYS = {"text", "tokens", "tags", "log_prob", "offsets"}


def test_tag_answers_line_by_line(capsys, saved, feed):
    long = b"fish " * 20_000
    feed("They fish the boat.\n\n<b>שלום</b> the boat!\n".encode() + long)
    code, out, _ = run(capsys, "tag", "--model", saved, "--json")
    assert code == 0
    answers = [json.loads(line) for line in out.splitlines()]
    assert [set(answer) for answer in answers] == [KEYS] * 4
    assert answers[0]["tokens"] == ["They", "fish", "the", "boat", "."]
    assert answers[0]["tags"] == ["PRON", "VERB", "DET", "NOUN", "PUNCT"]
    assert answers[1] == {"text": "", "tokens": [], "tags": [], "log_prob": 0.0, "offsets": []}
    assert len(answers.pop()["tags"]) == 20_000
    tagger = Tagger.load(saved)
    for answer in answers:
        best = tagger.chain([answer["tokens"]]).topk(1)
        log_prob = best.scores[0, 0] - tagger.chain([answer["tokens"]]).log_partition[0]
        assert math.isclose(answer["log_prob"], log_prob.item(), abs_tol=1e-5)


GREEDY = ("--decoder", "greedy")
LABELS = ("B-PER", "I-PER", "O")
ZEROS = (torch.zeros(3, 3), torch.zeros(3), torch.zeros(3))


@pytest.mark.parametrize("decoder", DECODERS)
def test_each_decoder_of_the_table_is_on_the_command_line(capsys, saved, feed, decoder):
    words = ["the", "boat", "can", "fish", "."]
    feed(" ".join(words).encode())
    code, out, _ = run(capsys, "tag", "--model", saved, "--decoder", decoder, "--tokenised")
    tagger = Tagger.load(saved)
    (path,) = DECODERS[decoder].tags(tagger.chain([words])).tolist()
    assert code == 0
    assert [pair.split("/")[1] for pair in out.split()] == [tagger.tags[tag] for tag in path]


def test_a_path_that_is_forbidden_is_valid_json():
    """Each word’s best label may not follow the one before: log p is −∞, no number of JSON."""
    scores = torch.tensor([[[0.0, 0.0, 9.0], [0.0, 9.0, 0.0]]])  # O, then I-PER
    chain = LinearChain(scores, *Constraints.bio(LABELS).apply(scores, *ZEROS)[1:])
    assert chain.log_prob(chain.greedy()).item() == -math.inf
    form = tag_lines.Form("json", decoder="greedy")
    given = SimpleNamespace(tags=LABELS, chain=lambda *_: chain)
    source = SplitText("a b", ((0, 1), (2, 3)))
    (answer,) = answers(given, [source], form)
    found = json.loads(answer, parse_constant=pytest.fail)
    assert (found["log_prob"], found["tags"]) == ("-inf", ["O", "I-PER"])


def test_train_writes_the_textbooks_model_its_figures_and_its_card(capsys, treebank, tmp_path):
    out_dir = tmp_path / "out"
    options = "--plain --embedding 6 --hidden 5 --layers 2 --epochs 4 --batch-size 5 --lr 0.05 "
    options += "--dropout 0.1 --seed 7 --bf16"
    command = ["train", treebank, treebank, "--output", out_dir, *options.split(), "--quiet"]
    code, out, err = run(capsys, *command)
    assert (code, err) == (0, "")
    names = ["MODEL_CARD.md", "metrics.json", "tagger.json", "training.csv", "weights.safetensors"]
    assert sorted(path.name for path in out_dir.iterdir()) == names
    tagger = Tagger.load(out_dir)
    parts = {name.partition(".")[0] for name in tagger.encoder.state_dict()}
    assert parts == {"word_embedding", "lstm"}
    figures = json.loads((out_dir / "metrics.json").read_text())
    measured = package.test(tagger, TaggingDataset.read(treebank))
    assert {key: figures[key] for key in measured.summary()} == measured.summary()
    assert figures["accuracy"] > 0.9
    assert len(figures["training"]["history"]) == 4
    card = (out_dir / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert f"python -m crf train toy.conllu toy.conllu --output out {options}\n" in card
    assert not re.search("English|EWT|UNER|CC BY-SA", card)
    assert f"| {100 * measured.decoders['viterbi'].accuracy:.2f} % |" in card
    assert str(tmp_path) not in card + json.dumps(figures)
    assert f"{measured.tokens:,} tokens" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "nowhere.conllu"], "nowhere.conllu: No such file"),
        (["evaluate", "TOY", "--model", "nowhere"], "tagger.json: No such file"),
        (["train", "TOY", "nowhere", "--output", "OUT"], "nowhere: No such file"),
        (["tag", "nowhere.txt"], "nowhere.txt: No such file"),
        (["train", "TOY", "TOY", "--output", "TOY"], "File exists"),
        (["train", "TOY", "TOY", "--output", "BUSY"], "another training writes there; wait for it"),
        (["train", "TOY", "TOY", "--output", "OUT", "--epochs", "0"], "whole number from 1"),
        (["fetch", "no-such-treebank"], "no-such-treebank"),
        (["parse"], "invalid choice"),
        (["train", "TOY", "TOY", "--output", "OUT", "--lr", "nan"], "finite number above 0"),
        (["train", "TOY", "TOY", "--output", "OUT", "--hidden", "9999"], "hidden: expected"),
        (["train", "TOY", "TOY", "--output", "OUT", "--task", "ner"], "--task ner: "),
        (["evaluate", "TOY", "--device", "cuda"], "torch finds no CUDA GPU here"),
        (["evaluate", "TOY", "--model", "local", "--constraints", "bio"], "labels: expected BIO"),
        (["evaluate", "BINARY"], "of the file; convert it to UTF-8, or name its"),
        (["tag", "BINARY"], "line 2: expected UTF-8 text"),
        (["train", "ONE", "ONE", "--output", "OUT"], "1000 different tags in column UPOS, got 1;"),
        (["train", "MANY", "MANY", "--output", "OUT"], "tags in column UPOS, got 10,000;"),
        (["tag", "LONG"], "line 1: expected at most 1,000,000 characters"),
        (["tag", "GZIP"], "the gzip file is damaged"),
        (["tag", "TOY", "--output", "binary/out"], "Not a directory"),
        (["tag", "--output", "OUT"], "FILE: expected a file"),
    ],
)
def test_bad_arguments_and_files_are_one_line_and_exit_code_2(
    capsys, treebank, tmp_path, monkeypatch, arguments, message
):
    names = {"TOY": treebank, "OUT": tmp_path / "out", "BUSY": tmp_path / "busy"}
    contents = {"binary": bytes(range(256)), "LONG": b"x" * 3_000_000}
    row = "{}\tw\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    contents["one"] = row.format(1, "NOUN").encode()
    contents["many"] = "\n".join(row.format(1, f"T{k}") for k in range(10_000)).encode()
    contents["GZIP.gz"] = b"\x1f\x8b" + bytes(100)
    for name, content in contents.items():
        names[name.removesuffix(".gz").upper()] = tmp_path / name
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    names["BUSY"].mkdir()
    with (names["BUSY"] / ".training").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, out, err = run(capsys, *(names.get(argument, argument) for argument in arguments))
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]
    assert "Traceback" not in err
    assert [path.name for path in names["BUSY"].iterdir()] == [".training"]


def test_a_file_that_is_no_text_is_refused_before_torch_is_imported(tmp_path):
    (tmp_path / "line").write_bytes(b"x" * 100_000_000)
    code = """
import sys
from crf.__main__ import main
look, out = ["line"], ["--output", "out"]
for command in (["train", *look, *look, *out], ["evaluate", *look], ["tag", *look]):
    assert main(command) == 2
assert not {"torch", "crf.lab"} & sys.modules.keys()
"""
    done = python("-c", code, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("line 1: expected at most 1,000,000")) == (0, 3)


def test_it_runs_as_a_module_and_stops_quietly_when_nobody_reads(saved):
    command = (
        f"yes 'The boat.' | head -2000 | {sys.executable} -m crf tag --model {saved} | head -1"
    )
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("The/")
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


@pytest.mark.parametrize("link", [False, True])
def test_a_file_is_not_replaced_by_its_own_tags(capsys, tmp_path, saved, link):
    words = tmp_path / "words.txt"
    words.write_text("The boat.\n", encoding="utf-8")
    output = tmp_path / "other.txt" if link else words
    if link:
        output.symlink_to(words)
    code, out, err = run(capsys, "tag", words, "--model", saved, "--output", output)
    assert (code, out) == (2, "")
    assert "--output: expected another file than FILE" in err
    assert words.read_text(encoding="utf-8") == "The boat.\n"


def test_a_folder_called_like_a_tagger_of_the_package_is_not_passed_over(
    capsys, tmp_path, monkeypatch, saved
):
    shutil.copytree(saved, tmp_path / "local")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("They fish because it rains.\n", encoding="utf-8")
    code, packaged, err = run(capsys, "tag", "words.txt", "--model", "local")
    assert (code, "for the folder write ./local" in err) == (0, True)
    code, own, err = run(capsys, "tag", "words.txt", "--model", "./local")
    assert (code, err) == (0, "")
    assert own != packaged


def test_a_closed_output_is_said(tmp_path):
    command = f"{sys.executable} -m crf doctor >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "standard output is closed" in done.stderr


def test_a_softmax_tagger_of_names(capsys, tmp_path, monkeypatch):
    """Of sentences in which what stands after "in" is a place."""
    names = tmp_path / "names.iob2.gz"
    lines = [
        f"1\t{who}\tB-PER\n2\tlives\tO\n3\tin\tO\n4\t{place}\tB-LOC\n5\tCity\tI-LOC\n\n"
        for who in ("Ada", "Bob", "Eve", "Sam")
        for place in ("Ulm", "Rome", "York", "Mexico", "Kansas")
    ]
    names.write_bytes(gzip.compress("".join(lines).encode()))
    monkeypatch.setitem(SETTINGS, ("ner", False), Settings(sizes=TINY, learning_rate=0.05))
    out_dir = tmp_path / "names"
    command = ["train", "--task", "ner", names, names, "--output", out_dir, "--epochs", 8]
    code, _, err = run(capsys, *command, "--quiet", "--softmax")
    assert (code, err) == (0, "")
    figures = json.loads((out_dir / "metrics.json").read_text())
    keys = ["tokens", "sentences", "span_precision", "span_recall", "span_f1", "invalid_tags"]
    assert list(figures)[:6] == keys
    assert "viterbi_constrained" in figures["spans"]
    log = (out_dir / "training.csv").read_text().splitlines()
    assert (log[0], len(log) > 3) == ("epoch,loss,accuracy,span_f1", True)
    _, out, _ = run(capsys, "evaluate", names, "--model", out_dir, "--json")
    assert list(json.loads(out)) == [*keys, "types", "unseen_tags"]
    assert {key: json.loads(out)[key] for key in keys} == {key: figures[key] for key in keys}
    _, out, _ = run(capsys, "evaluate", names, "--model", out_dir, "--constraints", "bio")
    assert "0 of 100 labels break their scheme" in out
    tagger = Tagger.load(out_dir)
    assert tagger.scheme is None
    assert not tagger.crf.transitions.any()
    card = (out_dir / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "softmax, no transitions" in card


def test_a_full_disk_is_a_sentence(capsys, saved, treebank, feed, monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    text = tmp_path / "text"
    text.write_text("They fish.\n")
    monkeypatch.setattr("crf.tagger.storage.os.fsync", full)
    output = tmp_path / "out"
    commands = [
        ["tag", text, "--model", saved, "--output", output],
        ["train", treebank, treebank, "--output", output, "--plain", "--epochs", 1, "--quiet"],
    ]
    for command, file in zip(commands, ["out.parts/run", "out/"], strict=True):
        code, _, err = run(capsys, *command)
        assert code == 2
        assert err.startswith(f"crf {command[0]}: {tmp_path}/{file}")
        assert err.endswith(": No space left on device\n")
        assert not output.is_file()
        assert not list(tmp_path.glob("out/[!.]*"))
    feed(b"They fish.\n")
    with open("/dev/full", "w") as full_file:
        monkeypatch.setattr(sys, "stdout", full_file)
        assert main(["tag", "--model", str(saved)]) == 2
        full_file.flush()  # as Python does at exit
    assert capsys.readouterr().err.endswith(" tag: standard output: No space left on device\n")


def test_a_file_is_tagged_like_standard_input_and_goes_on_after_a_kill(
    capsys, saved, feed, tmp_path, monkeypatch
):
    monkeypatch.setattr("crf.tagger.tag_lines.PIECE", 64)
    lines = [" ".join(["They fish the boat."] * (1 + n % 3)) for n in range(30)]
    text, output = tmp_path / "text.gz", tmp_path / "tagged"
    text.write_bytes(gzip.compress("\n".join(lines).encode()))
    feed("\n".join(lines).encode())
    _, expected, _ = run(capsys, "tag", "--model", saved, "--json")
    assert run(capsys, "tag", text, "--model", saved, "--json") == (0, expected, "")

    command = ["tag", text, "--model", saved, "--json", "--output", output]
    done = []

    def killed(tagger, sentences, form):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(sentences)
        return answers(tagger, sentences, form)

    with monkeypatch.context() as patched:
        patched.setattr("crf.tagger.tag_lines.answers", killed)
        assert run(capsys, *command)[0] == 130
        assert not output.exists()
        for other in ([word for word in command if word != "--json"], [*command, *GREEDY]):
            code, _, err = run(capsys, *other)
            assert code == 2
            assert "the parts of a run with another form of answer; delete it" in err
    kept = {part.name: part.stat().st_mtime_ns for part in tmp_path.glob("tagged.parts/0*")}
    assert len(kept) == 3
    assert run(capsys, *command) == (0, "", "")
    assert output.read_text() == expected
    assert sorted(path.name for path in tmp_path.glob("tagged*")) == ["tagged"]


def test_an_output_that_is_a_link_a_pipe_or_a_device_stays_one(capsys, saved, tmp_path):
    text, target, link = (tmp_path / name for name in ("text", "target", "link"))
    text.write_text("They fish.\n")
    _, expected, _ = run(capsys, "tag", text, "--model", saved)
    link.symlink_to("target")
    for before in (None, "old\n"):  # a link that leads nowhere yet, and one to a file
        if before:
            target.write_text(before)
        assert run(capsys, "tag", text, "--model", saved, "--output", link) == (0, "", "")
        assert (link.is_symlink(), target.read_text()) == (True, expected)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)) as reader:
        assert run(capsys, "tag", text, "--model", saved, "--output", pipe) == (0, "", "")
        assert (reader.read(), pipe.is_fifo()) == (expected, True)
    device = tmp_path / "device"
    device.symlink_to("/dev/full")
    code, _, err = run(capsys, "tag", text, "--model", saved, "--output", device)
    assert (code, err) == (2, f"crf tag: {device}: No space left on device\n")
    assert device.is_char_device()
    assert not list(tmp_path.glob("*.parts"))


def test_two_at_one_output_or_under_torchrun_are_refused(capsys, saved, tmp_path, monkeypatch):
    text, output, link = (tmp_path / name for name in ("text", "out", "link"))
    text.write_text("They fish.\n")
    link.symlink_to(output)
    parts = tmp_path / "out.parts"
    with alone_in(parts, "tagging"):
        for name in (output, link):
            code, _, err = run(capsys, "tag", text, "--model", saved, "--output", name)
            assert (code, err.count("\n")) == (2, 1)
            assert f"{parts}: another tagging writes there; wait for it" in err
    assert not parts.exists()
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, _, err = run(capsys, "tag", text, "--model", saved, "--output", output)
    assert (code, "expected one process, got 2" in err) == (2, True)
    assert not output.exists()


def test_without_its_packages_the_extra_is_named(capsys, monkeypatch, saved):
    for module in [name for name in sys.modules if name.startswith(("crf.tagger", "safetensors"))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr("crf.tagger")
    monkeypatch.setitem(sys.modules, "safetensors", None)
    code, _, err = run(capsys, "tag", "--model", saved)
    assert (code, err.count("\n")) == (2, 1)
    assert "pip install 'linear-chain-crf[tagger]'" in err


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        (LONG := "the fish.\n\nthe old man.\nthe man.\n", [], 3),
        (LONG.replace("\n", "\n\n").replace(" ", "\n"), ["--input", "columns"], 6),
    ],
)
def test_a_sentence_that_a_model_cannot_read_is_marked_and_the_others_are_tagged(
    capsys, saved, feed, monkeypatch, given, options, expected
):
    real, most = Tagger.chain, 4 - len(options) // 2

    def chain(tagger, sentences, *args, **how):
        if max(map(len, sentences)) >= most:
            raise ModelFileError("expected a sentence of at most 3 sub-tokens, got 4")
        return real(tagger, sentences, *args, **how)

    monkeypatch.setattr(Tagger, "chain", chain)
    feed(given.encode())
    code, out, err = run(capsys, "tag", "--model", saved, *options)
    found = [line for line in out.splitlines() if line]
    assert code == 0
    assert [line.count("/_") for line in found] == [0, most, 0]
    assert found[0].startswith("the/DET fish")
    assert found[2].startswith("the/DET man")
    assert f"line {expected}: expected a sentence of at most 3" in err
    assert "each of its tags is written as _" in err
