"""Why minibatches: the noise halves with four times the sentences; the textbook's training."""

from itertools import pairwise

import pytest
import torch

from pages.tagger import minibatches
from pages.tagger.training_config import TrainingConfig
from tests.apps import unfolded


def test_four_times_the_sentences_halve_the_noise_of_a_gradient_that_is_right_on_average():
    one, four, sixteen = (minibatches.draws(size).noise for size in (1, 4, 16))
    assert one / four == pytest.approx(2, rel=0.3)
    assert four / sixteen == pytest.approx(2, rel=0.3)
    rows = torch.arange(minibatches.SENTENCES).split(8)
    mean = torch.stack([minibatches._gradient(part) for part in rows]).mean(0)
    torch.testing.assert_close(mean, minibatches._whole(), atol=1e-5, rtol=1e-4)


def test_small_batches_come_further_and_jump():
    small = [value for _, value in minibatches.losses(4)]
    whole = [value for _, value in minibatches.losses(minibatches.SENTENCES)]
    assert sum(small[-5:]) / 5 < whole[-1]
    assert any(b > a for a, b in pairwise(small))


@pytest.mark.parametrize(("batch", "optimiser"), [(0, "sgd"), (1, "adam")])
def test_plain_is_the_textbook_s_model(batch, optimiser):
    settings = TrainingConfig(
        "plain", size=16, rate=0.1, batch=batch, optimiser=optimiser
    ).settings("AB")
    assert (settings.sizes.affix_dim, settings.sizes.char_filters, settings.hints) == (0, 0, 0.0)
    assert settings.xavier
    assert not settings.schedule
    assert settings.optimiser == optimiser
    assert settings.batch_size == (batch or 10**6)


def test_it_is_offered_where_one_trains():
    app = unfolded("tagger", "train", "batches", encoder="plain", batch="4")
    assert any("tagger.batches" in chart.proto.id for chart in app.get("plotly_chart"))
    assert {"Batch size", "Optimiser"} <= {g.label for g in app.get("button_group")}
