"""The small corpus: reading it, its presets’ claims, training it, what every method makes of it."""

import math
from itertools import pairwise, product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.learning.beats import conclusion
from pages.learning.corpus import (
    OPTIMISERS,
    PRESETS,
    STARTS,
    CorpusSettings,
    Trainer,
    corpus_text,
    hmm_of,
    parse,
)
from pages.learning.more import record_of
from pages.shared.course.problem import ProblemError


def train(name: str, iterations: int = 60, **settings):
    """A run on a preset or on a text."""
    return Trainer(parse(corpus_text(name)), CorpusSettings(**settings)).run(iterations)


def enumerated_nll(corpus, weights, n: int, b: int) -> float:
    """−log p of one sentence under the weights of one iteration, by listing every path."""
    words, tags = weights.words[n].tolist(), weights.tags[n].tolist()
    sentence = corpus.word_of[b]

    def score(path) -> float:
        own = sum(words[w][s] for w, s in zip(sentence, path, strict=True))
        return own + sum(tags[i][j] for i, j in pairwise(path))

    scores = [score(path) for path in product(range(len(corpus.tags)), repeat=len(sentence))]
    top = max(scores)
    log_z = top + math.log(math.fsum(math.exp(s - top) for s in scores))
    return log_z - score(corpus.tag_of[b])


@pytest.mark.parametrize(
    ("name", "optimiser"),
    [  # the perceptron has no probabilities
        *((name, "ascent") for name in PRESETS),
        *(("fish", other) for other in OPTIMISERS[1:3]),
    ],
)
def test_the_record_is_what_enumeration_gives(name: str, optimiser: str):
    run = train(name, 7, optimiser=optimiser)
    record = record_of(run)
    assert list(record["step"]) == list(range(8))
    for n in (0, 1, 7):
        each = [enumerated_nll(run.corpus, run.weights, n, b) for b in range(5)]
        assert record["nll"][n] == pytest.approx(math.fsum(each), abs=1e-9)
        assert record["nll_3"][n] == pytest.approx(each[2], abs=1e-9)


def test_the_gradient_is_the_slope_of_the_objective():
    rate = 1e-6
    run = train("fish", 1, rate=rate, penalty=0.3, start="random 1")
    gain = (run.objective[1] - run.objective[0]).item() / rate
    assert gain == pytest.approx(run.norms[0].item() ** 2, rel=1e-4)


CORPORA = st.lists(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("XY")), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
).map(lambda rows: "\n".join(" ".join(f"{w}/{s}" for w, s in row) for row in rows))


@settings(max_examples=15)
@given(CORPORA, st.sampled_from([0.0, 0.1, 1.0]), st.sampled_from(STARTS))
def test_small_steps_never_go_down(text: str, penalty: float, start: str):
    run = train(text, 15, rate=0.02, penalty=penalty, start=start)
    assert (run.objective.diff() >= -1e-12).all()


class TestWhatThePageSays:
    def test_starts_meet_in_one_optimum(self):
        first, *others = (
            train("fish", optimiser="lbfgs", rate=1.0, penalty=0.1, start=start) for start in STARTS
        )
        for run in others:
            assert (run.weights.words[-1] - first.weights.words[-1]).abs().max() < 1e-4
            assert (run.weights.words[0] - first.weights.words[0]).abs().max() > 1

    def test_separable_weights_grow_without_bound_unless_punished(self):
        free, held = (train("separable", 200, penalty=penalty) for penalty in (0, 0.3))
        lengths, bounded = (run.weights.squared().sqrt() for run in (free, held))
        assert (lengths.diff() > 0).all()
        assert lengths[200] - lengths[100] > 0.3
        assert free.nll[-1].sum() < 0.04
        assert abs(bounded[200] - bounded[100]) < 1e-3

    def test_two_readings_cannot_both_be_right_and_the_wrong_tag_is_outvoted(self):
        run = train("not-separable", optimiser="lbfgs", rate=1.0)
        assert run.nll[-1].sum().item() == pytest.approx(2 * math.log(2), abs=1e-3)
        run = train("wrong-tag", 100, penalty=0.1)
        assert run.wrong[-1].tolist() == [0, 0, 0, 0, 1]

    def test_context_tells_fish_apart_and_a_softmax_cannot(self):
        corpus, wrong = parse(corpus_text("fish")), {}
        for name, how in {
            "crf": {},
            "perceptron": {"optimiser": "perceptron"},
            "softmax": {"transitions": False},
        }.items():
            run = train("fish", 100, **how)
            wrong[name] = int(run.wrong[-1].sum())
        wrong["hmm"] = int((hmm_of(corpus).viterbi().tags != corpus.batch.tags).sum())
        assert wrong == {"crf": 0, "perceptron": 0, "softmax": 1, "hmm": 0}

    def test_the_perceptron_is_told_in_its_own_counts(self):
        run = train("fish", 4, optimiser="perceptron", penalty=1.0)
        record = record_of(run)
        assert not {"nll", "objective"} & set(record.columns)
        assert record["wrong"].tolist() == [9, 2, 0, 0, 0]
        moves = [table.diff(dim=0).flatten(1).square().sum(1) for table in run.weights]
        assert run.norms[:-1].tolist() == pytest.approx(sum(moves).sqrt().tolist())
        assert (run.weights.words == run.weights.words.round()).all()  # only whole counts


def test_a_training_goes_on_where_it_has_stopped():
    training = Trainer(parse(corpus_text("fish")), CorpusSettings("adam", penalty=0.1))
    whole = train("fish", optimiser="adam", penalty=0.1)
    for iterations in (3, 8, 5):
        run = training.run(iterations)
        assert run.iterations == iterations
        assert torch.equal(run.nll, whole.nll[: iterations + 1])


@pytest.mark.parametrize(("penalty", "overflows"), [(0.0, False), (1.0, True)])
def test_weights_beyond_float64_end_the_run(penalty: float, overflows: bool):
    run = train("fish", rate=1e9, penalty=penalty)
    assert run.overflowed == (run.iterations < 60) == overflows
    assert run.nll.isfinite().all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" \n\n", "an empty text"),
        ("dog", "write its tag after a slash"),
        ("dog/", "write its tag after a slash"),
        ("…/PUNCT", "a word with a letter or digit"),
        ("a/A " * 10_000, "10,000 words"),
        ("a/A\n" * 20, "20 lines"),
        (f"a/{'x' * 129}", "at most 128 characters"),
        ("a/A b/B c/C d/D e/E f/F g/G", "1 to 6 names"),
        ("a/<ROOT>", "rename the tag"),
    ],
)
def test_bad_corpora_are_answered(text: str, message: str):
    with pytest.raises(ProblemError, match=message):
        parse(text)


def test_a_corpus_is_read_as_it_was_typed():
    corpus = parse("They/PRON fish/VERB\n<b>/X 🐟1/Y and/or/Z")
    assert corpus.sentences == (("They", "fish"), ("<b>", "🐟1", "and/or"))
    assert corpus.tags == ("PRON", "VERB", "X", "Y", "Z")


@pytest.mark.parametrize(
    ("text", "settings", "case"),
    [
        ("fish", {}, "grows"),
        ("separable", {}, "grows"),
        ("separable", {"optimiser": "lbfgs"}, "grows"),
        ("not-separable", {}, "stuck"),
        ("wrong-tag", {}, "stuck"),
        ("fish", {"penalty": 0.1}, "held"),
        ("fish", {"rate": 3.0, "penalty": 1.0}, "swings"),
        ("fish", {"optimiser": "perceptron"}, "mistakes"),
        ("a/X b/X", {}, "one-tag"),
        ("a/X b/X", {"optimiser": "perceptron", "rate": 0.0}, "one-tag"),
        ("a/X b/X\nc/Y", {"rate": 0.0}, "still"),  # all scores stay 0
        ("a/X\nb/Y", {"rate": 0.0, "start": "random 1"}, "still"),
    ],
)
def test_what_is_said_of_a_run_is_so(text: str, settings: dict, case: str):
    assert conclusion(train(text, **settings))["shows"] == case
