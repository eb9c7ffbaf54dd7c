"""Training that continues from a tagger: what it keeps, what it adds, what it refuses."""

import pytest
import torch

from crf.tagger import Sentence, Tagger, TaggingDataset, train
from crf.tagger.continuing import all_tags, extended, notes, settings_of
from crf.tagger.training import Settings, StopTraining
from tests.tagger.conftest import run, toy_sentences, write_treebank

NEW = TaggingDataset([Sentence(("the", "zebra", "ran"), ("DET", "NOUN", "X"))] * 8)


def test_old_rows_stay_and_new_ones_are_0(tagger, toy):
    tags = all_tags(tagger, NEW.tags)
    assert tags == (*tagger.tags, "X")
    larger = extended(tagger, NEW, tags, 1)
    assert larger.featuriser.words.entries[-2:] == ("ran", "zebra")
    for name, old in tagger.state_dict().items():
        new = larger.state_dict()[name]
        part = tuple(slice(size) for size in old.shape)
        assert torch.equal(new[part], old), name
        rest = new.clone()
        rest[part] = 0
        assert not rest.any(), name


def test_without_new_tags_nothing_changes_for_old_words(tagger, toy):
    larger = extended(tagger, NEW, tagger.tags, 1).eval()
    words = [sentence.words for sentence in toy]
    assert torch.equal(
        larger.chain(words, "plain").marginals, tagger.chain(words, "plain").marginals
    )


def test_notes_say_what_is_kept_what_is_new_and_what_will_be_forgotten(tagger):
    larger = extended(tagger, NEW, all_tags(tagger, NEW.tags), 1)
    kept, new, forgotten = notes(tagger, larger, NEW)
    assert kept.startswith(
        f"kept: {len(tagger.tags)} tags, {len(tagger.featuriser.words.known)} words"
    )
    assert new.startswith("new, from 0: X; 2 words, ")
    assert forgotten.startswith("no PRON, PUNCT, VERB in the training file")


def test_a_stopped_continuation_ends_as_an_uninterrupted_one(tagger, tmp_path):
    settings = Settings(epochs=3, batch_size=4, **settings_of(tagger))
    whole = train(NEW, NEW, settings, start=tagger)
    path = tmp_path / "checkpoint"

    def stop(progress):
        if progress.finished:
            raise StopTraining

    train(NEW, NEW, settings, start=tagger, checkpoint=path, report=stop)
    again = train(NEW, NEW, settings, start=tagger, checkpoint=path)
    assert len(again.history) == 3
    for name, weights in whole.tagger.state_dict().items():
        assert torch.equal(weights, again.tagger.state_dict()[name]), name


def test_the_command_goes_on_with_new_labels(capsys, saved, tmp_path):
    path = write_treebank(tmp_path / "new.conllu", [*toy_sentences(), *NEW])
    out_dir = tmp_path / "out"
    options = ["--output", out_dir, "--from", saved, "--epochs", "3", "--lr", "0.02"]
    code, out, err = run(capsys, "train", path, path, *options)
    assert code == 0, err
    assert "new, from 0: X; 2 words" in err
    assert Tagger.load(out_dir).tags == (*Tagger.load(saved).tags, "X")
    assert "--from tagger" in (out_dir / "MODEL_CARD.md").read_text()
    assert not (out_dir / "command.txt").exists()
    assert float(out.split(": ")[1].split(" %")[0]) > 95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--hidden", "8"], "--hidden: the tagger of --from determines it"),
        (["--tokeniser", "spaces"], "--tokeniser: the tagger of --from determines it"),
        (["--from", "ner"], "expected labels of names, as the tagger of --from has, got DET"),
    ],
)
def test_what_does_not_fit_the_tagger_is_refused(
    capsys, saved, treebank, tmp_path, options, message
):
    given = ["train", treebank, treebank, "--output", tmp_path / "out", "--from", saved, *options]
    code, _, err = run(capsys, *given)
    assert (code, message in err) == (2, True), err


def test_a_training_that_was_cut_names_the_command_that_continues_it(
    capsys, treebank, tmp_path, monkeypatch
):
    def interrupt(progress):
        if progress.finished:
            raise KeyboardInterrupt

    out_dir = tmp_path / "out"
    given = ["train", treebank, treebank, "--output", out_dir, "--epochs", "2", "--local"]
    with monkeypatch.context() as patch:
        patch.setattr("crf.tagger.commands.say_epoch", interrupt)
        code, _, err = run(capsys, *given)
    assert code == 130
    _, _, err = run(capsys, "tag", "--model", out_dir)
    command = err.strip().partition("this command continues it: python -m crf ")[2]
    assert command.split() == [*map(str, given[:5]), "--local", "--epochs", "2"]
