import copy
import random
from dataclasses import replace

import pytest
import torch

from crf.tagger import Sentence, Tagger, TaggingDataset, train
from crf.tagger.checkpoint import CheckpointError
from crf.tagger.training import RunState


class KillError(Exception):
    """Stands for a kill at some step."""


def killed(*_):
    raise KillError


def kill_at(epoch: int, step: int):
    return lambda now: killed() if (now.epoch, now.step) == (epoch, step) else None


def assert_same(one: Tagger, other: Tagger) -> None:
    for name, tensor in one.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name]), name


def test_it_learns_the_toy_language(toy, settings):
    tagger, history = train(toy, toy, settings)
    assert [epoch.epoch for epoch in history] == list(range(1, len(history) + 1))
    assert history[-1].loss < 0.5 * history[0].loss
    assert max(epoch.accuracy for epoch in history) == 1.0
    assert tagger.tag([sentence.words for sentence in toy]) == [
        list(sentence.tags) for sentence in toy
    ]


def test_the_seed_determines_the_weights_and_global_randomness_plays_no_part(toy, settings):
    settings = replace(settings, epochs=2)
    torch.manual_seed(1)
    one = train(toy, toy, settings).tagger
    torch.manual_seed(2)
    state = torch.get_rng_state()
    assert_same(one, train(toy, toy, settings).tagger)
    assert torch.equal(torch.get_rng_state(), state)
    weights = one.state_dict()
    for other in (replace(settings, seed=1), replace(settings, hints=0.0)):
        changed = train(toy, toy, other).tagger.state_dict()
        assert changed.keys() == weights.keys()  # classifiers of hints are not kept
        for name in ("projection.weight", "encoder.word_embedding.weight"):
            assert not torch.equal(weights[name], changed[name])


def test_data_without_hints_and_a_tag_of_dev_alone_will_do(toy, settings):
    plain = TaggingDataset([Sentence(s.words, s.tags) for s in toy])
    assert train(plain, plain, settings).history[-1].accuracy == 1.0
    dev = TaggingDataset([*toy, Sentence(("oh",), ("INTJ",))])
    tagger, history = train(toy, dev, replace(settings, epochs=1))
    assert tagger.tags == dev.tags
    assert history[0].accuracy < 1.0


def test_a_killed_run_goes_on_to_the_same_weights(toy, settings, tmp_path, monkeypatch):
    checkpoint = tmp_path / "checkpoint.safetensors"
    uninterrupted = train(toy, toy, settings)
    for epoch in (1, 3):
        with pytest.raises(KillError):
            train(toy, toy, settings, checkpoint=checkpoint, report=kill_at(epoch, 5))
    before = checkpoint.read_bytes()
    with monkeypatch.context() as patched:  # while the checkpoint is written
        patched.setattr("crf.tagger.storage.os.replace", killed)
        with pytest.raises(KillError):
            train(toy, toy, settings, checkpoint=checkpoint)
    assert checkpoint.read_bytes() == before
    assert list(tmp_path.iterdir()) == [checkpoint]
    told = []
    resumed = train(toy, toy, settings, checkpoint=checkpoint, report=told.append)
    assert min(progress.epoch for progress in told) > 1  # it went on, it did not start over
    assert_same(uninterrupted.tagger, resumed.tagger)
    assert uninterrupted.history == resumed.history


def test_a_checkpoint_of_another_run_or_a_damaged_one_is_refused(toy, settings, tmp_path):
    checkpoint = tmp_path / "c"
    settings = replace(settings, epochs=1)
    train(toy, toy, settings, checkpoint=checkpoint)
    shorter = TaggingDataset(toy[1:])
    for data, other in ((toy, replace(settings, epochs=2)), (shorter, settings)):
        with pytest.raises(CheckpointError, match="other data or settings; delete it"):
            train(data, toy, other, checkpoint=checkpoint)
    for content in (b"", b"PK", b"\x02" + bytes(7) + b"{}"):
        checkpoint.write_bytes(content)
        with pytest.raises(CheckpointError, match="delete it"):
            train(toy, toy, settings, checkpoint=checkpoint)


def test_early_stopping_keeps_the_best_epoch(toy, settings):
    """Tags drawn by lot cannot be learnt, so the accuracy on them wanders."""
    draw = random.Random(0)
    noise = [Sentence(s.words, tuple(draw.sample(s.tags, len(s.tags)))) for s in toy]
    noise = TaggingDataset(noise)
    stopped = train(toy, noise, replace(settings, epochs=30, patience=2))
    accuracies = [epoch.accuracy for epoch in stopped.history]
    best = accuracies.index(max(accuracies))
    assert len(accuracies) == best + 3 < 30


def test_clusters_carry_over_to_words_never_seen(settings, tmp_path):
    """ "Zyq" and "Xyq" are unknown, spelt like nothing else, and told apart by their cluster."""
    places, people = ("Ulm", "Bonn", "Rome"), ("Ada", "Eve", "Bob")
    clusters = {word.lower(): "0110" for word in (*places, "Zyq")}
    clusters |= {word.lower(): "1101" for word in (*people, "Xyq")}
    pairs = [(word, "B-LOC") for word in places] + [(word, "B-PER") for word in people]
    data = TaggingDataset([Sentence((word, "!"), (tag, "O")) for word, tag in pairs] * 6)
    sizes = replace(settings.sizes, clusters=2, hidden=0)
    settings = replace(settings, sizes=sizes, scheme="BIO", hints=0.0, epochs=20, patience=20)
    dev = [Sentence(("Zyq", "!"), ("B-LOC", "O")), Sentence(("Xyq", "!"), ("B-PER", "O"))]
    dev, unseen = TaggingDataset(dev), [sentence.words for sentence in dev]
    tagger = train(data, dev, settings, clusters=clusters).tagger
    assert tagger.tag(unseen) == [["B-LOC", "O"], ["B-PER", "O"]]
    without = train(data, dev, replace(settings, sizes=replace(sizes, clusters=0))).tagger
    assert len({tuple(tags) for tags in without.tag(unseen)}) == 1  # nothing tells them apart
    tagger.save(tmp_path)
    loaded = Tagger.load(tmp_path)
    assert loaded.featuriser.clusters == clusters
    assert loaded.scheme == "BIO"
    assert loaded.tag(unseen) == tagger.tag(unseen)


def test_an_epoch_sees_every_sentence_with_a_span_and_a_share_of_the_others(settings):
    named = [Sentence(("Ulm", str(n)), ("B-LOC", "O")) for n in range(7)]
    others = [Sentence(("the", str(n)), ("O", "O")) for n in range(20)]
    data = TaggingDataset([*others, *named])
    settings = replace(settings, scheme="BIO", empty=0.25, hints=0.0)
    with torch.random.fork_rng():
        run = RunState(data, data.tags, settings, torch.device("cpu"), None)
        epochs = [sorted(row for batch in run.batches() for row in batch) for _ in range(2)]
    for rows in epochs:
        assert rows[5:] == list(range(20, 27))
        assert len(set(rows)) == len(rows) == run.sentences == 7 + 5
    assert epochs[0] != epochs[1]


def test_a_module_on_another_device_gives_its_features_there(tagger):
    moved = copy.deepcopy(tagger).to("meta")
    assert moved.device.type == "meta"
    assert {part.device.type for part in moved.features([["they", "fish"]])} == {"meta"}
    assert moved(moved.features([["they", "fish"]])).shape == (1, 2, len(tagger.tags))


def test_plain_gradient_descent_learns_too_and_goes_on_after_a_kill(toy, settings, tmp_path):
    settings = replace(settings, optimiser="sgd", learning_rate=0.5, epochs=3)
    whole = train(toy, toy, settings)
    assert whole.history[-1].loss < whole.history[0].loss
    with pytest.raises(KillError):
        train(toy, toy, settings, checkpoint=tmp_path / "c", report=kill_at(2, 1))
    assert_same(train(toy, toy, settings, checkpoint=tmp_path / "c").tagger, whole.tagger)
    with pytest.raises(ValueError, match="optimiser"):
        replace(settings, optimiser="lbfgs")
