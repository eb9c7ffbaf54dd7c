"""SemiMarkov against every segmentation, enumerated in plain Python."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch

from crf import SemiMarkov
from tests.core.batches import batch
from tests.core.checks import close
from tests.core.oracle import log_sum

D = 3
SHAPE = (4, 6, 2)


def compositions(m: int):
    """Every way to cut m tokens into segments of at most D."""
    if m == 0:
        yield ()
    for d in range(1, min(D, m) + 1):
        for rest in compositions(m - d):
            yield (d, *rest)


def enumerated(scores, durations, row: int) -> dict[tuple, float]:
    """Each segmentation of a row, as ((first cell, label, length), …), with its score."""
    emissions, transitions, start, end, mask = (x.tolist() for x in scores)
    per_step = scores[1].dim() == 4
    cells = [t for t, inside in enumerate(mask[row]) if inside]
    found = {}
    for lengths in compositions(len(cells)):
        borders = [sum(lengths[:k]) for k in range(len(lengths))]
        for labels in product(range(SHAPE[2]), repeat=len(lengths)):
            parts = [start[labels[0]], end[labels[-1]]] if labels else []
            for k, (first, s, d) in enumerate(zip(borders, labels, lengths, strict=True)):
                table = durations[row][cells[first]] if durations.dim() == 4 else durations
                parts.append(float(table[s][d - 1]))
                parts += [emissions[row][cells[t]][s] for t in range(first, first + d)]
                if k:
                    into = transitions[row][cells[first] - 1] if per_step else transitions
                    parts.append(into[labels[k - 1]][s])
            firsts = [cells[first] for first in borders]
            found[tuple(zip(firsts, labels, lengths, strict=True))] = math.fsum(parts)
    return found


def case(seed: int, *, own: bool = False, forbidden: float = 0.15, holes: float = 0.2):
    scores = batch(SHAPE, seed, forbidden=forbidden, holes=holes, own="step" if own else "")
    source = torch.Generator().manual_seed(seed)
    shape = (*SHAPE[:2], SHAPE[2], D) if own else (SHAPE[2], D)
    durations = torch.randn(shape, generator=source, dtype=torch.float64)
    durations = durations.masked_fill(torch.rand(shape, generator=source) < 0.1, -math.inf)
    if own:
        durations = durations.masked_fill(~scores[-1][:, :, None, None], math.nan)
    emissions, transitions, start, end, mask = scores
    every = [enumerated(scores, durations, row) for row in range(SHAPE[0])]
    return SemiMarkov(emissions, transitions, durations, start, end, mask), every


def as_cells(segmentation: tuple, mask) -> tuple[list[int], list[bool]]:
    """A segmentation's labels and begins, cell by cell."""
    tokens = [(s, k == 0) for _, s, d in segmentation for k in range(d)]
    tokens = iter(tokens)
    line = [next(tokens) if inside else (-1, False) for inside in mask.tolist()]
    return [s for s, _ in line], [begins for _, begins in line]


def as_segments(cells, index: tuple[int, ...], mask) -> tuple:
    """The segmentation that one line of cells shows."""
    found = []
    labels, begins = cells.labels[index].tolist(), cells.begins[index].tolist()
    for t, (s, first, inside) in enumerate(zip(labels, begins, mask.tolist(), strict=True)):
        assert inside == (s >= 0)
        if first:
            found.append([t, s, 0])
        if inside:
            assert found[-1][1] == s
            found[-1][2] += 1
    return tuple(map(tuple, found))


CASES = [pytest.param(seed, own, id=f"{seed}-{'own' if own else 'shared'}")
         for seed in range(4) for own in (False, True)]  # fmt: skip


@pytest.mark.parametrize(("seed", "own"), CASES)
def test_sums(seed, own):
    segments, every = case(seed, own=own)
    log_z = [log_sum(scores.values()) for scores in every]
    close(segments.log_partition, log_z)
    marginals = torch.zeros(*SHAPE[:2], SHAPE[2], D, dtype=torch.float64)
    tokens = torch.zeros(SHAPE, dtype=torch.float64)
    entropy = [0.0] * len(every)
    for row, scores in enumerate(every):
        for segmentation, score in scores.items():
            if score == -math.inf:
                continue
            p = math.exp(score - log_z[row])
            entropy[row] -= p * (score - log_z[row])
            for first, s, d in segmentation:
                marginals[row, first, s, d - 1] += p
            for t, s in enumerate(as_cells(segmentation, segments.mask[row])[0]):
                if s >= 0:
                    tokens[row, t, s] += p
    close(segments.segment_marginals, marginals)
    close(segments.marginals, tokens)
    close(segments.entropy, entropy)


@pytest.mark.parametrize(("seed", "own"), CASES)
def test_segmentations(seed, own):
    segments, every = case(seed, own=own)
    k = 5
    best, top = segments.viterbi(), segments.topk(k)
    for row, scores in enumerate(every):
        mask = segments.mask[row]
        for segmentation, score in list(scores.items())[:: 1 + len(scores) // 40]:
            labels, begins = torch.zeros(SHAPE[:2], dtype=torch.long), segments.mask.clone()
            labels[row], begins[row] = map(torch.tensor, as_cells(segmentation, mask))
            close(segments.score(labels, begins)[row], score)
        ranked = sorted((s for s in scores.values() if s > -math.inf), reverse=True)[:k]
        close(top.scores[row], ranked + [-math.inf] * (k - len(ranked)))
        found = [as_segments(top, (row, place), mask) for place in range(len(ranked))]
        assert len(set(found)) == len(found)
        close(top.scores[row, : len(found)], [scores[one] for one in found])
        if ranked:
            close(best.scores[row], ranked[0])
            close(best.scores[row], scores[as_segments(best, (row,), mask)])
        else:
            assert best.labels[row].max() == -1


def test_samples_have_the_segments_marginals():
    segments, _ = case(1, forbidden=0.0)
    drawn = segments.sample(4000, torch.Generator().manual_seed(0))
    close(drawn.scores, segments.score(drawn.labels.clamp(min=0), drawn.begins))
    shares = drawn.begins.double().mean(0)
    close(shares, segments.segment_marginals.sum((2, 3)), atol=0.03)


def test_where_nothing_is_said_a_segment_begins_where_the_label_changes():
    segments, _ = case(2, holes=0.0)
    labels = torch.tensor([[0, 0, 1, 1, 0, 1]]).expand(4, 6)
    begins = torch.tensor([[1, 0, 1, 0, 1, 1]]).bool().expand(4, 6)
    assert torch.equal(segments.log_prob(labels), segments.log_prob(labels, begins))


def test_with_durations_of_one_it_is_the_chain_and_gradients_are_segments():
    emissions, transitions, start, end, mask = batch(SHAPE, 3)
    durations = torch.zeros(*SHAPE[:2], SHAPE[2], D, dtype=torch.float64, requires_grad=True)
    segments = SemiMarkov(emissions, transitions, durations, start, end, mask)
    (gradient,) = torch.autograd.grad(segments.log_partition.sum(), durations)
    close(gradient, segments.segment_marginals.detach())
    single = SemiMarkov(emissions, transitions, durations.detach()[..., :1], start, end, mask)
    close(single.log_partition, single.chain.log_partition)
    assert single.chain.marginals.shape == SHAPE
    assert float(single.kl(single).abs().max()) < 1e-12
    close(single.cross_entropy(single), single.entropy)


@pytest.mark.parametrize(
    ("durations", "call", "message"),
    [
        (torch.zeros(3, 4), (None, None), r"durations: expected shape \[2, D\] or \[4, 6, 2, D\]"),
        (torch.zeros(2, 0), (None, None), "durations: expected at least one length"),
        (torch.full((2, 3), math.nan), (None, None), "durations: expected real numbers"),
        (torch.zeros(2, 3), ([0, 0, 0, 0, 1, 1], None), r"at most 3 tokens long.*\[0, 0\]"),
        (torch.zeros(2, 3), ([0, 0, 1, 1, 1, 0], [1, 0, 0, 1, 0, 1]), r"begins.*\[0, 2\]"),
        (torch.zeros(2, 3), ([0, 0, 2, 1, 1, 0], None), "labels: expected tags from 0 to 1"),
    ],
)
def test_refusals(durations, call, message):
    labels, begins = (None if x is None else torch.tensor(x).expand(4, 6) for x in call)
    begins = None if begins is None else begins.bool()
    with pytest.raises(ValueError, match=message):
        SemiMarkov(torch.zeros(4, 6, 2), torch.zeros(2, 2), durations).score(labels, begins)
