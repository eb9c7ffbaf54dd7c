"""The textbooks' implementations give what the core gives, and every line has its step."""

import pytest
import torch

from crf import LinearChain
from pages.shared.course import textbook

F64 = torch.float64


def chain_of(B: int, m: int, S: int):
    draw = torch.Generator().manual_seed(10 * m + S)
    tables = [torch.randn(*shape, generator=draw, dtype=F64) for shape in ((B, m, S), (S, S))]
    ends = [torch.randn(S, generator=draw, dtype=F64) for _ in range(2)]
    mask = torch.arange(m) < torch.randint(1, m + 1, (B, 1), generator=draw)
    return LinearChain(*tables, *ends, mask=mask), [*tables, *ends], mask


@pytest.mark.parametrize(("m", "S"), [(1, 1), (1, 3), (4, 1), (5, 3)])
def test_they_agree_with_the_core(m, S):
    _, (unary, *rest), _ = chain_of(1, m, S)
    chain = LinearChain(unary, *rest)
    log_z = chain.log_partition[0]
    for name in ("forward", "backward"):
        torch.testing.assert_close(getattr(textbook, name)(unary[0], *rest), log_z)
    score, tags = textbook.viterbi(unary[0], *rest)
    torch.testing.assert_close(score, chain.viterbi().scores[0])
    assert tags == chain.viterbi().tags[0].tolist()


def test_the_batch_agrees_with_the_core():
    chain, (unary, *rest), mask = chain_of(6, 5, 3)
    torch.testing.assert_close(textbook.forward_batch(unary, mask, *rest), chain.log_partition)


@pytest.mark.parametrize("name", ["forward", "backward", "viterbi", "forward_batch"])
def test_each_kind_of_step_has_lines(name):
    kinds = [kind for _, kind in textbook.lines(getattr(textbook, name))]
    assert {"first", "cell", "total"} <= set(kinds) <= {"", "first", "cell", "total", "backtrace"}
    assert ("backtrace" in kinds) == (name == "viterbi")
