"""Behind "⋯": runs until ‖∇‖ < ε, and the loss over two scores."""

from itertools import islice
from unittest.mock import Mock

import pytest
import streamlit as st

from pages.learning import descent
from pages.learning.corpus import CorpusSettings, corpus_text, parse
from pages.learning.sentence import climb
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.chart import look
from tests.apps import benched, section, text_of

OLD_MAN = EXAMPLES["old-man"].problem
PATH = (0, 2, 3, 0, 2)
PLACES = (("emissions", (1, 2)), ("transitions", (2, 3)))


def loss(problem):
    return -problem.chain().log_prob(problem.chain().viterbi().tags.new_tensor([PATH])).item()


def test_the_steps_on_a_sentence_are_those_of_the_picture():
    problem = OLD_MAN.remove_token(4).remove_token(3)  # without a word that comes twice
    steps = [*islice(descent.sentence_steps(problem, (0, 2, 3), 0.5), 6)]
    run = climb(problem, (0, 2, 3), 0.5, 5)
    assert [s[0] for s in steps] == pytest.approx((-run.log_p).tolist())
    assert [s[1] for s in steps] == pytest.approx(run.norms.tolist())


def test_a_corpus_climbs_without_a_gap_or_a_repeat():
    steps = [*islice(descent.corpus_steps(parse(corpus_text("fish")), CorpusSettings()), 80)]
    losses = [step[0] for step in steps]
    assert losses == sorted(losses, reverse=True)
    assert len(set(losses)) == len(losses)


@pytest.mark.parametrize("example", ["old-man", "old-man per step"])
def test_a_landscape_has_the_losses_of_its_chains(example):
    problem = OLD_MAN.per_step_form() if "per step" in example else OLD_MAN
    places = (PLACES[0], ("transitions", (1, 2, 3))) if problem.per_step else PLACES
    found = descent.landscape(problem, PATH, places, 2.0, 0.05)
    assert found.path[0][:2] == (0.5, 1.0)
    assert found.path[0][2] == pytest.approx(loss(problem))
    for i, j in ((0, 0), (10, 3), (60, 60)):
        moved = problem.with_score(*places[0], found.xs[i]).with_score(*places[1], found.ys[j])
        assert found.loss[j][i] == pytest.approx(loss(moved), abs=1e-9)
    for is_flat in (True, False):
        assert descent.surface(found, look("dark"), ("x", "y"), is_flat=is_flat).data


def test_the_page_says_when_it_is_there():
    assert "It is there after" in text_of(benched("learning", "climb", beat="counts"))
    app = benched("learning", "climb", beat="corpus", **{"with": "penalty_.1"})
    assert "loss 2.01" in text_of(app)
    assert "until ‖∇‖ < 0.001" in text_of(benched("learning", "surface", beat="counts"))


def test_a_press_of_stop_ends_a_long_run_and_keeps_its_steps(monkeypatch):
    """Streamlit ends a run at its first call after a press."""
    taken, bar, presses = [], Mock(), iter([st.rerun])

    def steps(*_):
        for n in range(500):
            taken.append(2.0 + 1 / (n + 1))
            yield taken[-1], 1.0

    bar.progress.side_effect = lambda *_: len(taken) > 60 and next(presses, int)()
    monkeypatch.setattr(descent, "sentence_steps", steps)
    monkeypatch.setattr(st, "progress", lambda _: bar)
    app = section("learning", "climb", "counts", **{"with": "rate_.37"})  # no other test has run it
    assert 60 < len(taken) <= 85
    assert app.dataframe[0].value.iloc[:, 0].tolist() == taken
    assert f"After {len(taken) - 1} steps it is not there yet" in text_of(app)
