import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crf import LinearChain
from crf.tagger import Hyperparameters, Tagger
from crf.tagger.encoder import both_ways, states_of_many
from tests.tagger.conftest import TINY

SENTENCES = [["they", "fish", "."], [], ["the"], ["they", "can", "the", "fish", "!"]]


@pytest.fixture(params=["bilstm", "local"])
def either(request, tagger):
    if request.param == "bilstm":
        return tagger
    torch.manual_seed(0)
    return Tagger(tagger.tags, tagger.featuriser, replace(TINY, hidden=0)).eval()


def test_chain_is_the_crf_over_the_emissions(either):
    chain = either.chain(SENTENCES)
    assert isinstance(chain, LinearChain)
    assert chain.marginals.shape == (4, 5, len(either.tags))
    features = either.featuriser(SENTENCES)
    tags = torch.zeros(4, 5, dtype=torch.long)
    nll = either.crf(either(features), tags, features.mask, reduction="none")
    torch.testing.assert_close(-chain.log_prob(tags), nll.detach())


def test_a_sentence_is_tagged_the_same_alone_and_in_a_batch(either):
    together = either.chain(SENTENCES)
    for row, sentence in enumerate(SENTENCES):
        alone = either.chain([sentence])
        length = len(sentence)
        torch.testing.assert_close(together.marginals[row, :length], alone.marginals[0])
        torch.testing.assert_close(together.log_partition[row], alone.log_partition[0])
    tags = either.tag(SENTENCES)
    assert [len(row) for row in tags] == [3, 0, 1, 5]
    assert {tag for row in tags for tag in row} <= set(either.tags)
    assert (either.tag([]), either.tag([[]])) == ([], [[]])
    assert either.chain([]).log_partition.shape == (0,)
    assert either.chain([[], []]).log_partition.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("layers", [1, 2])
def test_the_lstm_runs_over_padded_sentences_as_over_packed_ones(layers):
    torch.manual_seed(0)
    lstm = nn.LSTM(3, 4, layers, batch_first=True, bidirectional=True).double()
    tokens = torch.randn(3, 5, 3, dtype=torch.double, requires_grad=True)
    lengths = torch.tensor([5, 1, 3])
    mask = torch.arange(5) < lengths[:, None]
    packed = pack_padded_sequence(tokens, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(lstm(packed)[0], batch_first=True)
    states = both_ways(lstm, tokens, mask)
    torch.testing.assert_close(states, expected)
    weight = torch.randn_like(expected)
    ours, torchs = (torch.autograd.grad((s * weight).sum(), tokens) for s in (states, expected))
    torch.testing.assert_close(ours, torchs)


@pytest.mark.parametrize(("hidden", "layers"), [(0, 1), (5, 1), (5, 2)])
def test_many_sentences_without_gradient_give_the_same_vectors(tagger, hidden, layers):
    torch.manual_seed(0)
    sizes = replace(TINY, hidden=hidden, layers=layers)
    encoder = Tagger(tagger.tags, tagger.featuriser, sizes).eval().encoder
    for sentences in (SENTENCES, SENTENCES[:1], [[]]):
        features = tagger.featuriser(sentences)
        expected = encoder(features)
        with torch.no_grad():
            torch.testing.assert_close(states_of_many(encoder, features), expected)


def test_the_local_tagger_sees_one_word_and_the_bilstm_its_neighbours(tagger):
    torch.manual_seed(0)
    local = Tagger(tagger.tags, tagger.featuriser, replace(TINY, hidden=0)).eval()

    def first_emission(model: Tagger, sentence: list[str]) -> torch.Tensor:
        return model(model.featuriser([sentence]))[0, 0]

    one, two = ["fish", "row", "!"], ["fish", "boat", "."]
    assert torch.equal(first_emission(local, one), first_emission(local, two))
    assert not torch.allclose(first_emission(tagger, one), first_emission(tagger, two))


def test_any_string_can_be_tagged(either):
    tokens = ["a" * 500, "👩🏽‍🚀", "שלום", "<script>", "\x00", "\ud800", "<PAD>", " ", ""]
    assert either.chain([["they", token] for token in tokens]).log_partition.isfinite().all()
    assert all(either.unknown(tokens))


def test_impossible_sizes_are_refused():
    sizes = {"word_dim": 10**9, "affix_dim": 2.5, "char_dim": True, "dropout": 1.0}
    for name, value in (*sizes.items(), ("dropout", math.nan)):
        with pytest.raises(ValueError, match=f"{name}: expected"):
            Hyperparameters(**{name: value})
