"""The taggers that come with the package: whole, small enough, and as the cards beside them say."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from crf.schemes import spans
from crf.tagger import Tagger, TaggingDataset, model_card, sample, shipped, shipped_names
from crf.tagger import test as evaluate

ASSETS = Path(__file__).parents[2] / "assets" / "taggers" / "shipped"
NAMES = ("bilstm", "local")
SPANS = ("ner", "ner-softmax")
FILES = {"tagger.json", "weights.safetensors", "metrics.json", "training.csv", "MODEL_CARD.md"}
MEGABYTE = 1_000_000
FLOOR_F1 = 0.72


def test_they_are_whole_and_small():
    """Both for parts of speech have at most 8 MB together, each for names 4."""
    files = [path for path in ASSETS.rglob("*") if path.is_file()]
    assert sorted(path.relative_to(ASSETS).as_posix() for path in files) == sorted(
        f"{name}/{file}" for name in NAMES + SPANS for file in FILES
    )
    assert sorted(NAMES + SPANS) == shipped_names()
    size = {name: sum((ASSETS / name / f).stat().st_size for f in FILES) for name in NAMES + SPANS}
    assert sum(size[name] for name in NAMES) <= 8 * MEGABYTE
    assert all(size[name] <= 4 * MEGABYTE for name in SPANS)


def figures_of(name):
    return json.loads((ASSETS / name / "metrics.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES + SPANS)
def test_card_and_log_say_what_the_figures_of_these_weights_say(name):
    directory, figures = ASSETS / name, figures_of(name)
    weights = (directory / "weights.safetensors").read_bytes()
    assert figures["weights_sha256"] == hashlib.sha256(weights).hexdigest()
    assert (directory / "training.csv").read_text() == model_card.log(figures)
    viterbi = figures.get("spans", figures["decoders"])["viterbi"]
    assert {key: figures[key] for key in viterbi} == viterbi
    assert sum(map(sum, figures["confusion"])) == figures["tokens"]
    right = sum(row[i] for i, row in enumerate(figures["confusion"]))
    assert right / figures["tokens"] == figures["decoders"]["viterbi"]["accuracy"]

    sizes = {f: (directory / f).stat().st_size for f in ("tagger.json", "weights.safetensors")}
    card = (directory / "MODEL_CARD.md").read_text(encoding="utf-8").splitlines()
    said = model_card.render(Tagger.load(directory), figures, sizes).splitlines()
    start, how = said.index("## How it was made"), said.index(figures["how_measured"])
    assert [line for line in said[start:how] if line not in card] == []
    assert next(line for line in said if line.startswith("Files: ")) in card
    tables = [[line for line in text if line.startswith("|")] for text in (card, said)]
    assert tables[0] == tables[1]


def test_the_crf_is_worth_much_in_the_local_tagger_and_little_over_the_bilstm():
    gains = {}
    for name in NAMES:
        figures, tagger = figures_of(name), Tagger.load(shipped(name))
        gains[name] = figures["accuracy"] - figures["decoders"]["greedy"]["accuracy"]
        plain = [["It", "is", "the", "old", "house", "."], ["She", "wrote", "a", "book"]]
        right = ["PRON AUX DET ADJ NOUN PUNCT", "PRON VERB DET NOUN"]
        assert [" ".join(tags) for tags in tagger.tag(plain)] == right
    assert gains["local"] > 0.02 > gains["bilstm"] > 0
    card = (ASSETS / "local" / "MODEL_CARD.md").read_text(encoding="utf-8")
    figures = figures_of("local")
    gain = 100 * (figures["accuracy"] - figures["softmax"]["accuracy"])
    assert gain > 2
    assert f"The CRF is worth {gain:.2f} points of token accuracy" in card


def test_the_tagger_of_names_obeys_bio_and_finds_names():
    tagger = Tagger.load(shipped("ner"))
    assert tagger.scheme == "BIO"
    figures = figures_of("ner")
    assert figures["invalid_tags"] == 0
    assert figures["span_f1"] > FLOOR_F1
    words = [["President", "Bush", "flew", "from", "New", "York", "to", "Baghdad", "."]]
    assert spans(tagger.tag(words)[0]) == [("PER", 1, 2), ("LOC", 4, 6), ("LOC", 7, 8)]
    data = TaggingDataset.read(sample("dev.iob2"))
    assert evaluate(tagger, data, ("viterbi",)).spans["viterbi"].invalid_tags == 0


def test_the_softmax_twin_has_the_same_size_and_breaks_bio():
    crf, softmax = (Tagger.load(shipped(name)) for name in SPANS)
    assert crf.sizes == softmax.sizes
    assert softmax.scheme is None
    assert all(not parameter.any() for parameter in softmax.crf.parameters())
    shared = [figures_of(name) for name in SPANS]
    at_training, nowhere = (figures["spans"]["viterbi"] for figures in shared)
    at_decoding = shared[1]["spans"]["viterbi_constrained"]
    assert nowhere == shared[1]["spans"]["greedy"]  # without transitions Viterbi is greedy
    assert nowhere["invalid_tags"] > 0 == at_decoding["invalid_tags"] == at_training["invalid_tags"]
    assert at_training["span_f1"] > at_decoding["span_f1"] > nowhere["span_f1"]
    settings = [figures["training"]["settings"] for figures in shared]
    differ = {key for key, value in settings[0].items() if settings[1][key] != value}
    assert differ == {"loss", "scheme"}


def test_a_twin_that_was_trained_otherwise_is_refused(tmp_path):
    shutil.copytree(ASSETS / "local", tmp_path / "local")
    twin = figures_of("local")
    twin["training"]["settings"] |= {"loss": "softmax", "seed": 1}
    with pytest.raises(ValueError, match="expected a twin trained alike"):
        model_card.add_twin(tmp_path / "local", twin)
    twin["training"]["settings"]["seed"] = 0
    model_card.add_twin(tmp_path / "local", twin)
    card = (tmp_path / "local" / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "is worth 0.00 points" in card
