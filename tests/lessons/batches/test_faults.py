"""Find the bug: every fault runs, stands where it is said to, and shows on the batch named."""

import inspect
import textwrap

import pytest
import torch
from torch import Tensor, nn

from pages.batches import faults, faulty_code
from pages.batches.bug_section import line_verdict
from pages.batches.faults import FAULTS, compare, on_screen
from tests.lessons.batches.test_batch import EVERY, RAGGED

RUNNABLE = [on_screen(batch) for batch in EVERY]
SAME = {  # whether row 1 and row 2 of the batch that the page opens with come out right
    "time-first": [False, False],
    "integers": [True, False],
    "sorted": [True, True],
    "pairs": [False, False],
    "multiplied": [True, True],
    "last-tag": [True, False],
    "unmasked": [True, False],
}


def mended(name: str):
    """The fault with its line set right, in the place of the faulty code."""
    fault = FAULTS[name]
    source = textwrap.dedent(inspect.getsource(fault.code))
    assert source.count(fault.wrong) == 1
    names = {"torch": torch, "nn": nn, "Tensor": Tensor}
    exec(source.replace(fault.wrong, fault.mended), names)
    return names[fault.code.__name__]


@pytest.mark.parametrize("name", FAULTS)
class TestEveryFault:
    def test_it_shows_on_its_small_batch_and_runs_on_every_other(self, name):
        fault = FAULTS[name]
        assert [row.same for row in compare(fault, RAGGED)] == SAME[name]
        assert not all(row.same for row in compare(fault, fault.smallest))
        if fault.forbids:
            allowed = faults.small(fault.lengths)
            assert all(row.same for row in compare(fault, allowed))
        for batch in RUNNABLE:
            assert batch.chain().feasible.all()
            assert len(compare(fault, batch)) == len(batch.rows)

    def test_set_right_it_gives_what_the_core_gives(self, name, monkeypatch):
        fault = FAULTS[name]
        code = mended(name)
        if name == "time-first":  # the right one is this code with this switch
            assert code(3, 2).lstm.batch_first
            return
        monkeypatch.setattr(faulty_code, fault.code.__name__, code)
        runs = {
            "sorted": faults._by_lengths(code),
            "multiplied": faults._by_mask(code),
            "unmasked": faults._by_mask(code),
            "last-tag": lambda b: faults._paths(code(*b.tensors())),
        }
        run = runs.get(name, fault.run)
        for batch in (RAGGED, *RUNNABLE[3:6]):
            for got, right in zip(run(batch), fault.right(batch), strict=True):
                is_path = isinstance(right, tuple)
                assert got == (right if is_path else pytest.approx(right, rel=1e-9))

    def test_every_line_has_a_verdict(self, name):
        fault = FAULTS[name]
        assert fault.lines[fault.line].strip() == fault.wrong
        for line in range(len(fault.lines)):
            if line != fault.line:
                first, second = (line_verdict(fault, line, wrong) for wrong in (1, 2))
                assert first.startswith(f"Not line {line + 1}. ")
                assert fault.told("hint-2") in second
                assert fault.mended not in first + second
        for k, part in enumerate(fault.innocent, 1):  # it is about one of them
            assert fault.told(f"innocent-{k}")
            assert any(part in line for line in fault.lines), part
            assert part not in fault.wrong


def test_time_first_depends_on_the_other_rows():
    """What the answer says: a word's context comes from the other sentences."""
    fault = FAULTS["time-first"]
    turned = type(RAGGED)(RAGGED.model, RAGGED.rows[::-1])
    assert fault.run(RAGGED)[0] != pytest.approx(fault.run(turned)[1])
    assert fault.right(RAGGED)[0] == pytest.approx(fault.right(turned)[1])


def test_the_encoder_leaves_the_generator_alone_that_all_threads_share(monkeypatch):
    def refuse(seed):
        raise AssertionError("a seed for all threads")

    monkeypatch.setattr(torch, "manual_seed", refuse)
    first, second = (faults._encoded(RAGGED, True) for _ in range(2))
    assert first == second
