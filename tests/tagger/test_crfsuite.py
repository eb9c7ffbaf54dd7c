"""Models of CRFsuite against python-crfsuite's own marginals and probabilities."""

import itertools
import random

import pytest

from crf.__main__ import main
from crf.tagger import ModelFileError, crfsuite, model_files

pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")

TAGGED = ["The/D man/N sees/V the/D dog/N", "Dogs/N bark/V", "A/D cat/N in/P Paris/N sees/V Ada/N"]
WORDS = ["The", "cat", "sees", "PARIS", "3"]


def strings(words):
    """The attributes of python-crfsuite's tutorial."""
    return [[name for name in item if "=" in name or name in ("bias", "BOS", "EOS")]
            for item in crfsuite.items_of(words)]  # fmt: skip


def numbers(words):
    """The features of sklearn-crfsuite's tutorial, with values that are no 1."""
    return [
        {"bias": 1.0, "word.lower()": w.lower(), "word[-3:]": w[-3:], "word.isupper()": w.isupper(),
         "word.istitle()": w.istitle(), "word.isdigit()": w.isdigit()}
        for w in words
    ]  # fmt: skip


@pytest.fixture(scope="module", params=[strings, numbers])
def trained(request, tmp_path_factory):
    """A model's path, and what makes its items."""
    path = tmp_path_factory.mktemp("crfsuite") / "a model"
    trainer = pycrfsuite.Trainer(verbose=False)
    for line in TAGGED:
        words, tags = zip(*(pair.split("/") for pair in line.split()), strict=True)
        trainer.append(request.param(words), tags)
    trainer.set_params({"c2": 0.1, "max_iterations": 60})
    trainer.train(str(path))
    return path, request.param


def test_probabilities_and_marginals_are_crfsuites_own(trained, capsys, tmp_path):
    path, items = trained
    (tmp_path / "text").write_text("The cat sees Paris\n")
    assert main(["tag", str(tmp_path / "text"), "--model", str(path)]) == 0
    assert capsys.readouterr().out.startswith("The/D cat/N sees/")
    own = pycrfsuite.Tagger()
    own.open(str(path))
    own.set(items(WORDS))
    tagger = crfsuite.load(path.read_bytes())
    assert set(tagger.tags) == set(own.labels())
    chain = tagger.chain([WORDS, WORDS[:1], []])
    best = [tagger.tags[k] for k in chain.viterbi().tags[0].tolist()]
    assert best == own.tag()
    for t, (s, tag) in itertools.product(range(len(WORDS)), enumerate(tagger.tags)):
        assert chain.marginals[0, t, s].item() == pytest.approx(own.marginal(tag, t), abs=1e-5)
    for path_ in (best, ["D", "N", "V", "N", "N"]):
        tags = [[tagger.tags.index(tag) for tag in path_], [0] + [-1] * 4, [-1] * 5]
        p = chain.log_prob(chain.viterbi().tags.new_tensor(tags))[0].exp().item()
        assert p == pytest.approx(own.probability(path_), rel=1e-4)
    assert tagger.unknown(["man", "xyz"]) == [False, True]


def test_items_of_a_file_and_their_values_for_which_other_attributes_ask(trained, tmp_path):
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.append([["f1"], ["f2"]], ["A", "B"])
    trainer.train(str(tmp_path / "m"))
    with pytest.raises(ModelFileError, match=r"attributes such as 'f[12]'.*file of items"):
        crfsuite.load((tmp_path / "m").read_bytes()).chain([["a"]])
    path, _ = trained
    model = {"m": path.read_bytes()}
    rows = "N\tword.lower=the:0.5\tbias\nN\tword.lower=man\ta\\:b\n\nV\tx\n"
    (opened,) = model_files.load_upload(model | {"items.txt": rows.encode()})
    tagger = opened.tagger
    assert tagger.tokens == ("the", "man")
    alone = crfsuite.load(path.read_bytes())
    items = [{"word.lower=the": 0.5, "bias": 1.0}, {"word.lower=man": 1.0, "a:b": 1.0}]
    expected = alone.chain_of([items]).marginals
    assert tagger.chain([["the", "man"]]).marginals.allclose(expected)
    for wrong, reason in ((b"", "got no such line"), (b"N\ta:x", "a number after the colon"),
                          (b"\xff", "UTF-8 text")):  # fmt: skip
        with pytest.raises(ModelFileError, match=reason):
            model_files.load_upload(model | {"items.txt": wrong})


def test_damaged_models_are_refused_and_nothing_falls(trained):
    """The library ends the process that opens some of these."""
    content, draw = trained[0].read_bytes(), random.Random(0)
    damaged = [content[:300], crfsuite.MAGIC]
    for _ in range(3):
        changed = bytearray(content)
        for _ in range(30):
            changed[draw.randrange(4, len(changed))] = draw.randrange(256)
        damaged.append(bytes(changed))
    for one in damaged:
        with pytest.raises(ModelFileError, match="damaged or truncated"):
            crfsuite.load(one)
