"""The small corpus: reading it, its presets’ claims, training it, what every method makes of it."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.learning import corpus_section, payloads, training, ways_figures
from pages.learning.corpus import PRESETS, parse
from pages.learning.training import OPTIMISERS, STARTS, CorpusSettings, plane, train
from pages.shared.course.problem import ProblemError


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


@pytest.mark.parametrize("optimiser", OPTIMISERS[:3])  # the perceptron has no probabilities
@pytest.mark.parametrize("name", PRESETS)
def test_the_record_is_what_enumeration_gives(name: str, optimiser: str):
    run = train(parse(PRESETS[name].text), CorpusSettings(optimiser, iterations=7))
    record = run.record()
    assert list(record["iteration"]) == list(range(8))
    for n in (0, 1, 7):
        each = [enumerated_nll(run.corpus, run.weights, n, b) for b in range(5)]
        assert record["nll"][n] == pytest.approx(math.fsum(each), abs=1e-9)
        assert record["nll_3"][n] == pytest.approx(each[2], abs=1e-9)


def test_the_gradient_is_the_slope_of_the_objective():
    corpus = parse(PRESETS["fish"].text)
    rate = 1e-6
    run = train(corpus, CorpusSettings("ascent", rate, penalty=0.3, start="random 1", iterations=1))
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
    run = train(parse(text), CorpusSettings("ascent", 0.02, penalty, start, iterations=25))
    assert (run.objective.diff() >= -1e-12).all()


class TestWhatThePageSays:
    def test_starts_meet_in_one_optimum(self):
        runs = [
            train(parse(PRESETS["fish"].text), CorpusSettings("lbfgs", 1.0, 0.1, start, 60))
            for start in STARTS
        ]
        for run in runs[1:]:
            torch.testing.assert_close(run.weights.words[-1], runs[0].weights.words[-1], atol=1e-4,
                                       rtol=0)  # fmt: skip
            assert (run.weights.words[0] - runs[0].weights.words[0]).abs().max() > 1

    def test_separable_weights_grow_without_bound_unless_punished(self):
        corpus = parse(PRESETS["separable"].text)
        free, held = (
            train(corpus, CorpusSettings("ascent", 0.5, penalty, iterations=400))
            for penalty in (0, 0.1)
        )
        lengths = free.weights.squared().sqrt()
        assert (lengths.diff() > 0).all()
        assert lengths[400] - lengths[200] > 0.3
        assert free.nll[-1].sum() < 0.02
        bounded = held.weights.squared().sqrt()
        assert abs(bounded[400] - bounded[200]) < 1e-3

    def test_a_large_rate_swings(self):
        run = train(parse(PRESETS["fish"].text), CorpusSettings("ascent", 3.0, 1.0, iterations=20))
        assert (run.objective.diff() < -1).any()

    def test_two_readings_cannot_both_be_right(self):
        run = train(
            parse(PRESETS["not-separable"].text), CorpusSettings("lbfgs", 1.0, iterations=60)
        )
        assert run.nll[-1].sum().item() == pytest.approx(2 * math.log(2), abs=1e-3)

    def test_the_wrong_tag_is_outvoted(self):
        run = train(
            parse(PRESETS["wrong-tag"].text), CorpusSettings("ascent", 0.5, 0.1, iterations=100)
        )
        assert run.right()[-1].tolist() == [3, 3, 3, 3, 2]

    def test_context_tells_fish_apart_and_a_softmax_cannot(self):
        corpus = parse(PRESETS["fish"].text)
        chain, local = (
            train(corpus, CorpusSettings(iterations=100, transitions=t)) for t in (True, False)
        )
        total = sum(map(len, corpus.sentences))
        assert chain.right()[-1].sum() == total
        assert local.right()[-1].sum() == total - 1
        assert (local.weights.tags == 0).all()

    def test_the_perceptron_is_told_in_its_own_counts(self):
        run = train(
            parse(PRESETS["fish"].text), CorpusSettings("perceptron", penalty=1.0, iterations=4)
        )
        record = run.record()
        assert not {"nll", "objective"} & set(record.columns)
        assert record["wrong"].tolist() == [9, 2, 0, 0, 0]
        moves = [table.diff(dim=0).flatten(1).square().sum(1) for table in run.weights]
        assert run.norms[:-1].tolist() == pytest.approx(sum(moves).sqrt().tolist())
        shown = payloads.training(run.corpus, run.settings)
        assert {p for row in shown["marginals"][1] for column in row for p in column} == {0.0, 1.0}
        assert shown["total"] == run.wrong().sum(1).tolist()

    def test_the_perceptron_stops_when_nothing_is_wrong(self):
        run = train(parse(PRESETS["separable"].text), CorpusSettings("perceptron", iterations=20))
        assert run.right()[-1].sum() == run.right()[-2].sum() == 15
        torch.testing.assert_close(run.weights.words[-1], run.weights.words[-2])
        assert (run.weights.words == run.weights.words.round()).all()  # only whole counts


class TestOverflow:
    def test_a_rate_of_1e9_is_survived(self):
        run = train(parse(PRESETS["fish"].text), CorpusSettings("ascent", 1e9))
        assert not run.overflowed
        assert run.nll.isfinite().all()

    def test_weights_beyond_float64_end_the_run(self):
        run = train(parse(PRESETS["fish"].text), CorpusSettings("ascent", 1e9, 1.0))
        assert run.overflowed
        assert run.iterations < 60
        assert run.nll.isfinite().all()

    def test_no_step_is_no_change(self):
        run = train(parse(PRESETS["fish"].text), CorpusSettings("ascent", 0.0))
        assert (run.nll == run.nll[0]).all()


@pytest.mark.parametrize("optimiser", ["adam", "perceptron"])
def test_how_many_iterations_are_told_at_once_changes_nothing(optimiser, monkeypatch):
    corpus = parse(PRESETS["separable"].text)
    settings = CorpusSettings(optimiser=optimiser, iterations=23)
    first, second = ("words", (0, 0)), ("tags", (0, 1))
    found = []
    for at_once in (1000, 7):
        monkeypatch.setattr(training, "_AT_ONCE", at_once)
        run = train(corpus, settings)
        values = plane(run, 5, first, second, [0.0, 0.5, 1.0], [-1.0, 0.0, 1.0, 2.0])
        found.append((run.nll, run.norms, run.decoded, torch.tensor(values)))
    assert all(map(torch.equal, *found))


def test_the_plane_goes_through_the_run():
    run = train(parse(PRESETS["fish"].text), CorpusSettings(penalty=0.2, iterations=10))
    first, second = ("words", (1, 2)), ("tags", (0, 1))
    x, y = run.weights.words[-1, 1, 2].item(), run.weights.tags[-1, 0, 1].item()
    values = plane(run, -1, first, second, [x - 1, x], [y, y + 1])
    assert values[0][1] == pytest.approx(run.objective[-1].item())
    assert values[0][0] != values[0][1] != values[1][1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty text"),
        (" \n\n", "an empty text"),
        ("dog", "write its tag behind a slash"),
        ("dog/", "write its tag behind a slash"),
        ("/NOUN", "a word with a letter or digit"),
        ("…/PUNCT", "a word with a letter or digit"),
        ("a/A " * 10_000, "10,000 words"),
        ("a/A\n" * 20, "20 lines"),
        (f"{'x' * 129}/A", "at most 128 characters"),
        (f"a/{'x' * 129}", "at most 128 characters"),
        ("a/A b/B c/C d/D e/E f/F g/G", "1 to 6 names"),
        ("a/<ROOT>", "rename the tag"),
    ],
)  # fmt: skip
def test_bad_corpora_are_answered(text: str, message: str):
    with pytest.raises(ProblemError, match=message):
        parse(text)


def test_a_corpus_comes_back_as_it_was_typed():
    text = "They/PRON fish/VERB\n<b>/X 🐟1/Y and/or/Z"
    corpus = parse(text, tags=("NOUN",))
    assert corpus.text() == text
    assert corpus.unused == ("NOUN",)
    run = train(corpus, CorpusSettings(iterations=30))
    assert (run.weights.words[-1][:, 0] < 0).all()  # what never occurs only ever goes down


@pytest.mark.parametrize("rate", [0.5, 1e3, 1e9])
def test_a_plane_is_drawn_however_far_the_weights_went(rate):
    corpus = parse(next(iter(PRESETS.values())).text)
    run = train(corpus, CorpusSettings(rate=rate, penalty=10.0, iterations=20))
    first, second = ("words", (0, 0)), ("words", (0, 1))
    z = ways_figures.valley({"Zeros": run}, len(run.nll) - 1, first, second).data[0].z
    assert not np.isnan(np.array(z, float)).all()


def test_a_run_until_convergence_ends_at_the_first_short_gradient():
    corpus = parse(PRESETS["fish"].text)
    long = train(corpus, CorpusSettings(penalty=0.1, iterations=400))
    run = train(corpus, CorpusSettings(penalty=0.1, iterations=400, tolerance=1e-3))
    assert run.converged
    assert 10 < run.iterations < 400
    assert run.norms[-2] >= 1e-3 > run.norms[-1]
    assert torch.equal(run.norms, long.norms[: run.iterations + 1])
    assert not train(corpus, CorpusSettings(iterations=20, tolerance=1e-3)).converged


@pytest.mark.parametrize(
    ("name", "kind"),
    [("fish", "grows"), ("separable", "grows"), ("not-separable", "stuck"), ("wrong-tag", "stuck")],
)
def test_what_is_said_of_a_preset_is_so(name: str, kind: str):
    run = payloads.run(parse(PRESETS[name].text), CorpusSettings())
    assert corpus_section.kind(run) == kind
    held = payloads.run(parse(PRESETS[name].text), CorpusSettings(penalty=0.1))
    assert corpus_section.kind(held) == "held"
    swings = payloads.run(parse(PRESETS[name].text), CorpusSettings(rate=3.0, penalty=1.0))
    assert corpus_section.kind(swings) == "swings"
    perceptron = payloads.run(parse(PRESETS[name].text), CorpusSettings("perceptron"))
    assert corpus_section.kind(perceptron) == "mistakes"


def test_weights_that_lbfgs_drives_away_on_a_separable_corpus_grow():
    run = payloads.run(parse(PRESETS["separable"].text), CorpusSettings("lbfgs"))
    assert corpus_section.kind(run) == "grows"


@pytest.mark.parametrize(
    ("text", "settings", "kind"),
    [
        ("a/X b/X", {}, "one-tag"),
        ("a/X b/X", {"optimiser": "perceptron"}, "one-tag"),
        ("a/X b/X\nc/Y", {"rate": 0.0}, "still"),  # all scores stay 0
        ("a/X b/X", {"rate": 0.0}, "one-tag"),
        ("a/X\nb/Y", {"rate": 0.0, "start": "random 1"}, "still"),
    ],
)
def test_weights_that_cannot_grow_are_not_said_to(text, settings, kind):
    assert corpus_section.kind(payloads.run(parse(text), CorpusSettings(**settings))) == kind
