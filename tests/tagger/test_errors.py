"""What `crf evaluate --errors` lists: each wrong name or word once, with exact probabilities."""

import csv
import itertools
import json

import pytest
import torch

from crf.schemes import Span, spans
from crf.tagger import Tagger, TaggingDataset, sample, shipped
from crf.tagger.errors import ErrorCounts, pair, wrong_ones
from crf.tagger.reading import Sentence
from tests.tagger.conftest import run

ORG, PER = "ORG", "PER"


@pytest.mark.parametrize(
    ("gold", "predicted", "errors"),
    [
        ([(ORG, 0, 2)], [(ORG, 0, 2)], []),
        ([(ORG, 0, 2)], [(PER, 0, 2)], ["type"]),
        ([(ORG, 0, 2)], [(ORG, 0, 3)], ["border"]),
        ([(ORG, 0, 2)], [(PER, 1, 3)], ["both"]),
        ([(ORG, 0, 2)], [(PER, 2, 3)], ["missed", "invented"]),
        ([(ORG, 0, 3)], [(ORG, 0, 1), (ORG, 2, 3)], ["border", "invented"]),
        ([(ORG, 0, 3)], [(PER, 0, 1), (ORG, 2, 3)], ["invented", "border"]),
        ([(ORG, 0, 1), (PER, 2, 3)], [(PER, 0, 1)], ["type", "missed"]),
    ],
)
def test_wrong_names_are_told_apart_by_type_and_border(gold, predicted, errors):
    found = pair([Span(*one) for one in gold], [Span(*one) for one in predicted])
    assert sorted(error for error, _, _ in found) == sorted(errors)


NAMES = [
    Sentence(("Marie", "Curie", "lived", "in", "Paris"), ("B-PER", "I-PER", "O", "O", "B-ORG")),
    Sentence(("They", "sang"), ("O", "O")),
    Sentence(("In", "London", "."), ("B-LOC", "I-LOC", "O")),
    Sentence(("Rome", "sang"), ("B-Disease", "O")),
]


def test_each_probability_is_the_sum_over_the_paths_that_have_this_very_name():
    """By going through all paths of the sentence, in Python floats."""
    tagger = Tagger.load(shipped("ner"))
    found = list(wrong_ones(tagger, NAMES))
    assert {one.sentence for one in found} == {1, 3, 4}
    for one in found:
        chain = tagger.chain([one.words], "plain")
        shares = dict.fromkeys([one.gold, one.predicted], 0.0)
        paths = list(itertools.product(range(len(tagger.tags)), repeat=len(one.words)))
        probabilities = chain.log_prob(torch.tensor(paths)[:, None]).exp()[:, 0].tolist()
        for path, p in zip(paths, probabilities, strict=True):
            names = spans([tagger.tags[tag] for tag in path])
            for name in shares:
                shares[name] += p * (name in names)
        for name, p in (
            (one.gold, one.gold_probability),
            (one.predicted, one.predicted_probability),
        ):
            if name and name.kind != "Disease":
                assert p == pytest.approx(shares[name], abs=1e-4)
            else:
                assert p is None


def test_the_list_and_the_counts_agree_with_the_metrics(capsys, tmp_path):
    path, listed = sample("dev.iob2"), tmp_path / "errors.tsv"
    code, out, err = run(capsys, "evaluate", path, "--model", "ner", "--errors", listed, "--json")
    assert code == 0, err
    figures = json.loads(out)
    with listed.open(newline="") as file:
        rows = list(csv.DictReader(file, dialect="excel-tab"))
    gold = {kind: sum(row["gold"] == kind for row in rows) for kind in figures["types"]}
    for kind, scores in figures["types"].items():
        missed = round(scores["support"] * (1 - scores["recall"]))
        assert gold[kind] == missed, kind
    assert sum(sum(row.values()) for row in figures["errors"]["types"].values()) == len(rows)
    sentences = TaggingDataset.read(path)
    for row in rows:
        words = sentences[int(row["sentence"]) - 1].words
        assert row["text"] == " ".join(words)
        name = (row["gold_words"] or row["predicted_words"]).split(" ")
        start = int(row["word"]) - 1
        assert list(words[start : start + len(name)]) == name
    code, out, _ = run(capsys, "evaluate", path, "--model", "ner", "--errors", listed)
    assert "missed" in out.split("Errors, listed in")[1]


def test_words_of_plain_tags_are_listed_with_their_marginals(capsys, saved, treebank, tmp_path):
    listed, text = tmp_path / "errors.tsv", treebank.read_text()
    treebank.write_text(text.replace("\tfish\t_\tNOUN", "\tfish\t_\tVERB", 1))
    code, out, err = run(capsys, "evaluate", treebank, "--model", saved, "--errors", listed)
    assert code == 0, err
    assert "1 times NOUN for VERB" in out
    _, row = listed.read_text().splitlines()
    cells = row.split("\t")
    assert cells[2:5] == ["tag", "VERB", "fish"]
    assert cells[6:8] == ["NOUN", "fish"]
    assert float(cells[5]) < float(cells[8]) <= 1


def test_counts_without_errors_say_so():
    assert ErrorCounts().table() == "no errors"
