"""Find the bug: every fault runs, stands where it is said to, and shows on the batch named."""

import inspect
import textwrap

import pytest
import torch
from torch import Tensor, nn

from pages.batches import faults, faulty_code
from pages.batches.bug_section import line_verdict
from pages.batches.controls import Attempts
from pages.batches.faults import FAULTS, OUTCOMES, asked, candidates, compare, on_screen, smallest
from tests.lessons.batches.batch_helpers import RAGGED, every_batch

EVERY = [on_screen(batch) for batch in every_batch()]
OUTCOME = {  # on the batch that the page opens with: row 1 and row 2
    "time-first": ["other", "other"],
    "integers": ["luck", "small"],
    "sorted": ["luck", "luck"],
    "pairs": ["large", "large"],
    "multiplied": ["luck", "luck"],
    "last-tag": ["luck", "path"],
    "unmasked": ["luck", "large"],
}
REVEALED = {  # (lengths, whether a tag is forbidden)
    "time-first": ((2,), False),
    "integers": ((1,), False),
    "sorted": ((1, 2), False),
    "pairs": ((1,), False),
    "multiplied": ((2,), True),
    "last-tag": ((1, 2), False),
    "unmasked": ((1, 2), False),
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
    def test_its_line(self, name):
        fault = FAULTS[name]
        assert fault.lines[fault.line].strip() == fault.wrong
        assert 10 <= len(fault.lines) <= 25
        assert set(fault.guesses) <= OUTCOMES.keys()

    def test_on_the_batch_that_the_page_opens_with(self, name):
        assert [row.outcome for row in compare(FAULTS[name], RAGGED)] == OUTCOME[name]

    @pytest.mark.parametrize("batch", [RAGGED, *EVERY[3:6]], ids=str)
    def test_set_right_it_gives_what_the_core_gives(self, name, batch, monkeypatch):
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
        for got, right in zip(run(batch), fault.right(batch), strict=True):
            assert got == (right if isinstance(right, tuple) else pytest.approx(right, rel=1e-9))

    def test_the_smallest_batch_that_reveals_it(self, name):
        found = smallest(name)
        assert (found.batch.lengths, found.forbids) == REVEALED[name]
        assert any(row.outcome != "luck" for row in found.compared)
        for batch, forbids in candidates():
            if (batch, forbids) == (found.batch, found.forbids):
                break
            assert {row.outcome for row in compare(FAULTS[name], batch)} == {"luck"}

    def test_no_batch_is_too_odd(self, name):
        for batch in EVERY:
            assert asked(compare(FAULTS[name], batch)).outcome in FAULTS[name].guesses

    def test_every_line_has_a_verdict(self, name):
        fault = FAULTS[name]
        for line in range(len(fault.lines)):
            if line != fault.line:
                first = line_verdict(fault, Attempts("", line, "", frozenset({line})))
                second = line_verdict(fault, Attempts("", line, "", frozenset({line, -1})))
                assert first.startswith(f"Not line {line + 1}. ")
                assert fault.told("hint-2") in second
                assert fault.mended not in first + second

    def test_what_is_said_of_other_lines_is_about_one_of_them(self, name):
        fault = FAULTS[name]
        for k, part in enumerate(fault.innocent, 1):
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


def test_rows_without_a_path_are_left_out():
    for batch in EVERY:
        assert batch.chain().feasible.all()
