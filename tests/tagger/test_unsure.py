"""`crf tag --unsure N`: the least sure sentences, by values that all paths of a sentence give."""

import itertools
import json
import math

import pytest
import torch

from crf.tagger import Tagger, sample, shipped
from tests.tagger.conftest import run

TEXTS = ["In London.", "They sang.", "Rome Paris", "Ulm", "They sang.", "", "Go, Bill"]


def _probabilities(tagger, words):
    chain = tagger.chain([words], "plain")
    paths = itertools.product(range(len(tagger.tags)), repeat=len(words))
    found = [math.exp(chain.log_prob(torch.tensor([path]))) for path in paths]
    return sorted(found, reverse=True)


VALUES = {
    "entropy": lambda p, n: -sum(x * math.log(x) for x in p if x > 0) / n,
    "least-confident": lambda p, n: 1 - p[0],
    "margin": lambda p, n: p[0] - p[1],
}


@pytest.mark.parametrize("by", VALUES)
def test_the_least_sure_come_first_with_the_value_by_all_paths(capsys, tmp_path, feed, by):
    path, tagger = tmp_path / "file", Tagger.load(shipped("ner"))
    path.write_text("\n".join(map(json.dumps, ({"id": n, "text": t} for n, t in enumerate(TEXTS)))))
    options = ["--model", "ner", "--unsure", "3", "--by", by]
    code, out, err = run(capsys, "tag", path, *options)
    assert code == 0, err
    answers = [json.loads(line) for line in out.splitlines()]
    values = {}
    for text in filter(None, TEXTS):
        words = text.replace(".", " .").replace(",", " ,").split()
        values[text] = VALUES[by](_probabilities(tagger, words), len(words))
    expected = sorted(values, key=values.__getitem__, reverse=by != "margin")[:3]
    assert [one["text"] for one in answers] == expected
    for one in answers:
        assert one["unsure"] == pytest.approx(values[one["text"]], abs=1e-4)
        assert one["id"] == TEXTS.index(one["text"])
        assert "spans" in one
    feed(path.read_bytes())
    assert run(capsys, "tag", *options)[1] == out


def test_plain_tags_go_out_with_their_words_and_arrays_as_arrays(capsys, tmp_path):
    code, out, err = run(capsys, "tag", sample("dev.conllu"), "--unsure", "2")
    assert code == 0, err
    assert all({"tokens", "tags", "unsure"} <= set(json.loads(x)) for x in out.splitlines())
    path = tmp_path / "file"
    path.write_text(json.dumps([{"data": {"text": text}} for text in TEXTS]))
    _, out, _ = run(capsys, "tag", path, "--model", "ner", "--unsure", "2")
    assert len(json.loads(out)) == 2


def test_unsure_and_output_do_not_go_together(capsys, tmp_path):
    options = ["--unsure", "2", "--output", tmp_path / "out"]
    code, _, err = run(capsys, "tag", sample("dev.iob2"), "--model", "ner", *options)
    assert (code, "--unsure writes to standard output" in err) == (2, True)
