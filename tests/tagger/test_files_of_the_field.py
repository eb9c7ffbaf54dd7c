"""Training, evaluating and tagging with the files that people have, from the command line."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import torch

from crf.schemes import Span, spans, write
from crf.tagger import Settings, Tagger
from crf.tagger.commands import SETTINGS
from crf.tagger.storage import check_sizes
from tests.tagger.conftest import TINY, run

NAMES = [
    ([who, "met", *other, "in", *place, "."], len(other), len(place))
    for who in ("Ada", "Bob", "Eve")
    for other in (["Sam"], ["Max", "Moritz"])
    for place in (["Ulm"], ["New", "York"], ["Rome"])
]


def _lines(form: str, words: list[str], tags: list[str]) -> str:
    pairs = list(zip(words, tags, strict=True))
    if form == "jsonl":
        return json.dumps({"tokens": words, "tags": tags})
    return "\n".join(f"{w} NN B-NP {t}" if form == "conll" else f"{w}\t{t}" for w, t in pairs)


FORMS = {"conll": "IOB1", "bioes": "BIOES", "jsonl": "BIO", "types": "IO"}


def sentences(scheme: str) -> list[tuple[list[str], list[str]]]:
    """Ada met Max Moritz (two persons side by side, where two stand there) in New York."""
    found = []
    for words, others, place in NAMES:
        who = [Span("PER", 2 + n, 3 + n) for n in range(others)]
        start = 3 + others
        all_spans = [Span("PER", 0, 1), *who, Span("LOC", start, start + place)]
        found.append((words, write(all_spans, len(words), scheme)))
    return found


def write_file(path: Path, scheme: str) -> Path:
    """Writes these sentences in the form that the file is named after."""
    form = path.name
    blocks = [_lines(form, *sentence) for sentence in sentences(scheme)]
    start = "-DOCSTART- -X- O O\n\n" * (form == "conll")
    path.write_text(start + ("\n" if form == "jsonl" else "\n\n").join(blocks))
    return path


@pytest.mark.parametrize(("form", "scheme"), FORMS.items())
def test_train_evaluate_and_tag_with_no_option_but_the_paths(
    capsys, tmp_path, monkeypatch, form, scheme
):
    path = write_file(tmp_path / form, scheme)
    settings = Settings(sizes=TINY, learning_rate=0.05, epochs=12, averaging=0.8)
    monkeypatch.setitem(SETTINGS, ("ner", False), settings)
    code, out, err = run(capsys, "train", path, path, "--output", tmp_path / "out")
    assert code == 0, err
    assert f"label scheme {scheme}" in err
    assert "the first sentence: Ada/" in err
    tagger = Tagger.load(tmp_path / "out")
    assert tagger.tokeniser == "unicode"
    assert tagger.label_scheme == ("BIO" if scheme == "IOB1" else scheme)
    card = (tmp_path / "out" / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert not re.search("English|EWT|UNER|CC BY-SA", card)
    assert f"label scheme {scheme}" in card

    code, out, _ = run(capsys, "evaluate", path, "--model", tmp_path / "out", "--json")
    figures = json.loads(out)
    assert (figures["span_f1"] > 0.9, figures["unseen_tags"]) == (True, {})
    gold = [tags for _, tags in sentences(scheme)]
    names = Counter(span.kind for tags in gold for span in spans(tags))
    assert {kind: row["support"] for kind, row in figures["types"].items()} == names

    for other in ("BIO", "BIOES", "BILOU", "BMES"):  # the same names, written otherwise
        other_path = write_file(tmp_path / other, other)
        _, out, err = run(capsys, "evaluate", other_path, "--model", tmp_path / "out", "--json")
        assert (json.loads(out), err) == (figures, ""), other

    _, out, _ = run(capsys, "tag", path, "--model", tmp_path / "out", "--format", "columns")
    blocks = out.strip().split("\n\n")
    predicted = [[line.split("\t")[1] for line in block.splitlines()] for block in blocks]
    right = sum(len({*spans(p)} & {*spans(g)}) for p, g in zip(predicted, gold, strict=True))
    share = 2 * right / sum(len(spans(labels)) for labels in predicted + gold)
    assert share == pytest.approx(figures["span_f1"])  # the scheme that came in, counted again
    if scheme == "IOB1":
        assert "B-LOC" not in out
        assert "I-LOC" in out


WORDS, BIO = ["Zoë", "met", "Ada", "in", "New", "York"], "B-PER O B-PER O B-LOC I-LOC".split()
KINDS, NOTHING = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], ["_"] * 6
NUMBERED = json.dumps({"tokens": WORDS, "ner_tags": [KINDS.index(tag) for tag in BIO]})


def _columns(*cells: list[str]) -> str:
    return "".join("\t".join(row) + "\n" for row in zip(*cells, strict=True))


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (_columns([*"123456"], WORDS, *[NOTHING] * 2, BIO, *[NOTHING] * 5), ["--column", "XPOS"]),
        (_columns(WORDS, BIO, ["B-NP"] * 6), ["--column", "2"]),
        (NUMBERED, ["--labels", ",".join(KINDS)]),
        (_columns(WORDS, BIO).encode("latin-1"), ["--encoding", "latin-1"]),
        (_columns(WORDS, ["I-PER", *BIO[1:]]), ["--scheme", "IOB2", "--repair"]),
        (_columns(WORDS, ["I-PER", *BIO[1:]]), ["--scheme", "IOB1"]),
    ],
)
def test_options_say_how_a_file_is_read(capsys, tmp_path, content, options):
    path = tmp_path / "anything"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = run(capsys, "evaluate", path, "--model", "ner", "--json", *options)
    assert code == 0, err
    found = json.loads(out)
    supports = {kind: row["support"] for kind, row in found["types"].items()}
    assert (found["tokens"], supports, found["unseen_tags"]) == (6, {"LOC": 1, "PER": 2}, {})
    assert found["types"]["LOC"]["f1"] == 1.0


CONLLU = (
    "# sent_id = 7\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tthe\tle\t_\t_\t_\t_\t_\t_\tX=Y\n2\tfish\t_\t_\t_\t_\t_\t_\t_\t_\n"
)


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        ("the fish.", [], "the/DET fish/NOUN ./PUNCT\n"),
        ("the fish .", ["--tokenised"], "the/DET fish/NOUN ./PUNCT\n"),
        ("the\nfish\n\nthe\n", ["--input", "columns"], "the/DET fish/NOUN\nthe/DET\n"),
        ('{"tokens": ["the", "fish"]}\n', ["--input", "jsonl"], "the/DET fish/NOUN\n"),
        ("the fish.", ["--format", "columns"], "the\tDET\nfish\tNOUN\n.\tPUNCT\n\n"),
        (
            "the fish.",
            ["--format", "conllu"],
            "# text = the fish.\n1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n"
            "2\tfish\t_\tNOUN\t_\t_\t_\t_\t_\tSpaceAfter=No\n3\t.\t_\tPUNCT\t_\t_\t_\t_\t_\t_\n\n",
        ),
        (
            CONLLU,
            ["--format", "conllu"],
            CONLLU.replace("le\t_", "le\tDET").replace("fish\t_\t_", "fish\t_\tNOUN") + "\n",
        ),
    ],
)
def test_words_come_in_and_go_out_in_every_form(capsys, saved, feed, given, options, expected):
    feed(given.encode())
    code, out, _ = run(capsys, "tag", "--model", saved, *options)
    assert (code, out) == (0, expected)


def test_names_in_json_have_offsets_and_a_probability_and_stand_in_misc_of_conllu(capsys, feed):
    sentence = b"Ada Lovelace lived in New York.\n"
    feed(sentence)
    _, out, _ = run(capsys, "tag", "--model", "ner", "--json")
    answer = json.loads(out)
    assert [start for start, _ in answer["offsets"]] == [0, 4, 13, 19, 22, 26, 30]
    names = [(e["type"], e["text"], e["start"], e["end"]) for e in answer["entities"]]
    assert ("LOC", "New York", 22, 30) in names
    assert all(0 < entity["probability"] <= 1 for entity in answer["entities"])
    feed(sentence)
    _, out, _ = run(capsys, "tag", "--model", "ner", "--format", "conllu")
    assert "\n5\tNew" + "\t_" * 7 + "\tNER=B-LOC\n" in out


def test_a_tag_that_was_never_seen_counts_as_wrong_and_is_named(capsys, saved, tmp_path):
    path = tmp_path / "gold"
    path.write_text("the DET\nfish NOUN\n\nthe WOW\nman NOUN\n")
    code, out, _ = run(capsys, "evaluate", path, "--model", saved)
    assert code == 0
    assert "75.00 % of 4 tokens right" in out
    assert "1 tokens have tags the tagger has never seen (WOW)" in out
    assert re.search(r"WOW +0\.00 +0\.00 +0\.00 +1$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tags": ["T" * 129, "B"]}, "tags of 1 to 128 visible"),
        ({"tags": ["\u200e", "B"]}, "tags of 1 to 128 visible"),
        ({"tags": [f"T{n}" for n in range(1001)]}, "expected 1 to 1,000 tags"),
        ({"vocabularies": {"words": ["w" * 1001]}}, "words: expected at most 1,000 characters"),
        ({"vocabularies": {"words": [f"{n:0900}" for n in range(20_000)]}}, "tagger.json: would"),
        ({"weights": {"w": torch.empty(100_000, 1000, device="meta")}}, "weights.safetensors: wo"),
    ],
)
def test_what_could_not_be_read_again_is_refused_before_training(tagger, change, message):
    check_sizes(tagger.contents())
    with pytest.raises(ValueError, match=message):
        check_sizes(tagger.contents()._replace(**change))
