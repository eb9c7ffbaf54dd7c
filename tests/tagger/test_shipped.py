"""The taggers in assets/: whole, small enough, and described by the cards beside them."""

import hashlib
import json
from pathlib import Path

import pytest

from crf.tagger import Tagger, model_card

ASSETS = Path(__file__).parents[2] / "crf" / "tagger" / "shipped"
NAMES = ("bilstm", "local")
FILES = {"tagger.json", "weights.safetensors", "metrics.json", "training.csv", "MODEL_CARD.md"}
MEGABYTE = 1_000_000


@pytest.fixture(params=NAMES)
def directory(request):
    return ASSETS / request.param


@pytest.fixture
def figures(directory):
    return json.loads((directory / "metrics.json").read_text(encoding="utf-8"))


def test_both_together_are_at_most_8_megabytes():
    files = [path for path in ASSETS.rglob("*") if path.is_file()]
    assert sorted(path.relative_to(ASSETS).as_posix() for path in files) == sorted(
        f"{name}/{file}" for name in NAMES for file in FILES
    )
    assert sum(path.stat().st_size for path in files) <= 8 * MEGABYTE


def test_the_figures_are_of_these_weights(directory, figures):
    weights = (directory / "weights.safetensors").read_bytes()
    assert figures["weights_sha256"] == hashlib.sha256(weights).hexdigest()


def test_the_card_says_what_the_figures_say(directory, figures):
    sizes = {
        name: (directory / name).stat().st_size for name in ("tagger.json", "weights.safetensors")
    }
    card = model_card.render(Tagger.load(directory), figures, sizes)
    assert card == (directory / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_the_figures_agree_with_each_other(figures):
    viterbi = figures["decoders"]["viterbi"]
    assert {key: figures[key] for key in viterbi} == viterbi
    assert sum(map(sum, figures["confusion"])) == figures["tokens"]
    right = sum(row[i] for i, row in enumerate(figures["confusion"]))
    assert right / figures["tokens"] == figures["accuracy"]


def test_the_crf_works_visibly_in_the_local_tagger_and_little_over_the_bilstm():
    gains = {}
    for name in NAMES:
        figures = json.loads((ASSETS / name / "metrics.json").read_text(encoding="utf-8"))
        gains[name] = figures["accuracy"] - figures["decoders"]["greedy"]["accuracy"]
    assert gains["local"] > 0.02 > gains["bilstm"] > 0


def test_only_one_of_them_has_an_lstm():
    assert Tagger.load(ASSETS / "bilstm").encoder.lstm is not None
    assert Tagger.load(ASSETS / "local").encoder.lstm is None


def test_plain_sentences_come_out_right(directory):
    tagger = Tagger.load(directory)
    assert tagger.tag(
        [["It", "is", "the", "old", "house", "."], ["She", "wrote", "a", "book"]]
    ) == [
        ["PRON", "AUX", "DET", "ADJ", "NOUN", "PUNCT"],
        ["PRON", "VERB", "DET", "NOUN"],
    ]
