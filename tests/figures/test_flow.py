"""Flow: the payload holds the core's numbers, columns are equally high, what flows in flows out."""

import math

import pytest
import torch

from crf.figures.flow.payload import OTHER, THRESHOLD, figure_data, folded, shown
from pages.shared.course.examples import EXAMPLES

OLD_MAN = EXAMPLES["old-man"].problem


def drawn(problem, **how):
    return figure_data(problem.chain(), problem.tags, problem.tokens, **how)


def blocks(payload):
    """tag → probability, by token."""
    names = [tag["name"] for tag in payload["tags"]]
    columns = zip(payload["shown"], payload["blocks"], strict=True)
    return [dict(zip([names[s] for s in own], ps, strict=True)) for own, ps in columns]


@pytest.mark.parametrize("name", ["can-fish", "ice-cream", "bio", "one-token"])
def test_every_column_is_equally_high_and_what_flows_in_flows_out(name):
    payload = drawn(EXAMPLES[name].problem)
    columns = payload["blocks"]
    for column in columns:
        assert math.fsum(column) == pytest.approx(1, abs=1e-12)
    for t, matrix in enumerate(payload["ribbons"]):
        table = torch.tensor(matrix, dtype=torch.float64)
        assert table.sum(1).tolist() == pytest.approx(columns[t], abs=1e-12)
        assert table.sum(0).tolist() == pytest.approx(columns[t + 1], abs=1e-12)


def test_blocks_and_ribbons_are_the_cores_numbers():
    chain, payload = OLD_MAN.chain(), drawn(OLD_MAN)
    assert payload["path"] == chain.viterbi().tags[0].tolist()
    for t, own in enumerate(payload["shown"]):
        for k, s in enumerate(own):
            if s < len(OLD_MAN.tags):
                p = chain.marginals[0, t, s].item()
                assert payload["blocks"][t][k] == pytest.approx(p, abs=1e-15)
                assert p >= THRESHOLD
    adj, verb = (OLD_MAN.tags.index(tag) for tag in ("ADJ", "VERB"))
    ribbon = payload["ribbons"][1][payload["shown"][1].index(adj)][payload["shown"][2].index(verb)]
    assert ribbon == pytest.approx(chain.pair_marginals[0, 1, adj, verb].item(), abs=1e-15)


def test_a_tag_keeps_its_place_and_what_is_rare_is_gathered_last():
    for man in (-4.0, 0.0, 4.0):
        payload = drawn(OLD_MAN.with_score("emissions", (2, 3), man))
        for own, column, token in zip(
            payload["shown"], blocks(payload), payload["tokens"], strict=True
        ):
            assert own == sorted(own)
            rare = [p for _, p, _ in token["choices"] if p < THRESHOLD]
            assert column.get(OTHER, 0.0) == pytest.approx(math.fsum(rare), abs=1e-15)
    verb = OLD_MAN.tags.index("VERB")  # what is held has a block however rare
    payload = drawn(OLD_MAN, held={0: verb})
    assert "VERB" in blocks(payload)[0]
    assert [token["fixed"] for token in payload["tokens"]] == [verb, None, None, None, None]


def test_what_is_folded_is_added_up_in_every_state():
    draw = torch.Generator().manual_seed(0)
    marginals = torch.rand(3, 2, 2, 4, generator=draw).double()
    marginals /= marginals.sum(-1, keepdim=True)
    marginals[..., 3] *= 1e-4
    pairs = marginals[..., :1, :, None] * marginals[..., 1:, None, :]
    own = shown(marginals, {1: 3})
    assert own == [[0, 1, 2, 4], [0, 1, 2, 3]]
    columns, [ribbons] = folded(marginals, pairs, own)
    assert columns[0][..., 3].tolist() == marginals[..., 0, 3].tolist()
    assert ribbons[..., 3, :].tolist() == pairs[..., 0, 3, :].tolist()


def test_of_a_chain_without_a_path_no_block_is_left():
    payload = drawn(EXAMPLES["no-path"].problem)
    assert not any(payload["shown"])
    assert not any(blocks(payload))
