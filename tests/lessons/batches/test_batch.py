"""Sentences as a padded batch: its loop, its slabs, its score, what changes nothing, the bugs."""

import inspect
import itertools
import math
import textwrap

import pytest
import torch
from torch import nn

from pages.batches import batch as batches
from pages.batches import faults
from pages.batches.batch import CHANGES, Batch, Loop, presets, usual
from pages.batches.faults import FAULTS, compare, on_screen
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import MAX_NAME, Problem, ProblemError

OLD_MAN = EXAMPLES["old-man"].problem
RAGGED = Batch.of(OLD_MAN, "The old man the boat The old man\nthe boat The old man")
EVERY = [
    Batch.of(EXAMPLES[name].problem, text)
    for name in ("old-man", "bio", "pair-potentials", "no-path")
    for text in presets(EXAMPLES[name].problem).values()
]


class TestBatch:
    def test_presets(self):
        lengths = {name: Batch.of(OLD_MAN, t).lengths for name, t in presets(OLD_MAN).items()}
        assert lengths == {"three": (5, 3, 4), "short": (4, 1, 0), "left": (8, 5), "holes": (5, 5)}
        for name in EXAMPLES:
            assert Batch.of(EXAMPLES[name].problem, usual(EXAMPLES[name].problem)).lengths == (8, 5)

    @pytest.mark.parametrize("batch", EVERY)
    def test_a_row_is_the_sentence_alone(self, batch):
        model, chain = batch.model, batch.chain()
        for b, (words, mask) in enumerate(zip(batch.emissions, batch.mask, strict=True)):
            emissions = [e for e, inside in zip(words, mask, strict=True) if inside]
            if not emissions:
                assert chain.log_partition[b] == 0
                continue
            tables = (model.tags, batch.words(b), emissions, batch.transitions)
            alone = Problem(*tables, model.start, model.end).chain()
            assert chain.log_partition[b].item() == alone.log_partition.item()
            found = [s for s in chain.viterbi().tags[b].tolist() if s >= 0]
            assert found == [s for s in alone.viterbi().tags[0].tolist() if s >= 0]

    def test_emissions_are_those_of_the_word_s_place(self):
        """The same word has other scores at each place, as a tagger gives them."""
        two = Problem.blank(["A", "B"], ["x", "x"]).with_score("emissions", (1, 0), 5)
        assert Batch.of(two, "x x").emissions[0] == two.emissions
        again = Batch.of(two, "x X x _").emissions[0]  # a word that comes again: its next place
        assert again == (*two.emissions, two.emissions[0], (0.0, 0.0))
        unknown = Batch.of(OLD_MAN, "boat xyzzy")
        assert unknown.unknown == ("xyzzy",)
        assert unknown.emissions[0] == (OLD_MAN.emissions[4], (0.0,) * 4)

    def test_what_is_no_batch_is_refused_in_a_sentence(self):
        for text in ("", "  \n ", "x\n" * 64, "x " * 13, "x" * 30_000):
            with pytest.raises(ProblemError, match=r"expected .*, got"):
                Batch.of(OLD_MAN, text)

    def test_its_text_reads_back_also_of_long_rows_and_words(self):
        for text in ("x y\n_ x\n_", "x _ y\nx", "_", "x _\n_", "_ _ x y\nx"):
            batch = Batch.of(OLD_MAN, text)
            assert Batch.of(OLD_MAN, batch.text) == batch
        batch = Batch.of(OLD_MAN, f"{'x ' * 12}\n_\n{'y' * 500}")
        assert batch.lengths == (12, 0, 1)
        assert all(len(word) <= MAX_NAME for row in batch.rows for word in row)


class TestLoop:
    @pytest.mark.parametrize("is_max", [False, True])
    @pytest.mark.parametrize("batch", EVERY)
    def test_a_step_is_the_core_s_and_where_is_all_that_happens(self, batch, is_max):
        loop = Loop(batch, is_max)
        mask = loop.chain.mask[:, :, None]
        for t in loop.plain_steps:
            new = loop.step_sum(t).amax(1) if is_max else loop.step_sum(t).logsumexp(1)
            kept = torch.where(mask[:, t], new, loop.kept[t])
            torch.testing.assert_close(kept, loop.kept[t + 1], rtol=1e-12, atol=1e-12)
        if not is_max:  # which is why a row that has ended needs no if
            carried = torch.logsumexp(loop.kept[-1] + loop.chain.potentials.end, 1).tolist()
            for b, length in enumerate(batch.lengths):
                assert not length or carried[b] == pytest.approx(loop.totals[b])

    def test_its_steps_begin_where_each_row_has_a_word_before(self):
        steps = {
            "x y\n_ x\n_ _": [],
            "x y z\n_ x y\n_": [2],
            "x y\nx": [1],
            "x\n_": [],
            "_": [],
        }
        for text, columns in steps.items():
            assert list(Loop(Batch.of(OLD_MAN, text)).plain_steps) == columns

    def test_over_to_the_shape_is_the_same_and_the_number_wrong(self):
        sums = Loop(RAGGED).step_sum(3)
        over_from, over_to, over_rows = (sums.logsumexp(axis) for axis in (1, 2, 0))
        assert over_from.shape == over_to.shape
        assert not torch.isclose(over_from, over_to).all(1).any()
        assert over_rows.shape == (4, 4)

    @pytest.mark.parametrize("batch", EVERY)
    def test_the_terms_that_count_add_up_to_the_best_score(self, batch):
        best = Loop(batch, True)
        counted = best.counted_terms()
        for b, (total, length) in enumerate(zip(best.totals, batch.lengths, strict=True)):
            rows = [[x for x in table[b] if x is not None] for table in counted]
            words = min(length, 1)
            assert list(map(len, rows)) == [length, length - words, words, words]
            if math.isfinite(total):
                assert math.fsum(x for row in rows for x in row) == pytest.approx(total)


class TestNothingChanges:
    @pytest.mark.parametrize("batch", EVERY)
    def test_whatever_is_done_together(self, batch):
        before = batches.results(batches.rearranged(batch, ()))
        for some in (*itertools.combinations(CHANGES, 1), CHANGES[::2], CHANGES[1:], CHANGES):
            done = batches.rearranged(batch, some)
            assert done != batches.rearranged(batch, ())
            assert batches.results(done) == before, some

    def test_padding_of_two_kinds_takes_turns(self):
        arranged = batches.rearranged(RAGGED, ("nan", "forbidden"))
        held = arranged.batch.tensors(*arranged.padding)[0][1, -2:, 0].tolist()
        assert str(sorted(held, key=str)) == "[-inf, nan]"


RUNNABLE = [on_screen(batch) for batch in EVERY]
SAME = {  # whether row 1 and row 2 come out right
    "time-first": [False, False],
    "integers": [False, True],
    "sorted": [True, True],
    "pairs": [False, False],
    "multiplied": [True, True],
    "last-tag": [True, False],
    "unmasked": [True, False],
}


def mended(name: str):
    """The faulty code with its wrong line corrected."""
    fault = FAULTS[name]
    source = textwrap.dedent(inspect.getsource(fault.code))
    assert source.count(fault.wrong) == 1
    names = {"torch": torch, "nn": nn, "logsumexp": torch.logsumexp}
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

    def test_set_right_it_gives_what_the_core_gives(self, name):
        fault, code = FAULTS[name], mended(name)
        if name == "time-first":  # the right one is this code with this switch
            assert code(3, 2).lstm.batch_first
            return
        for batch in (RAGGED, *RUNNABLE[3:6]):
            right = [row.right for row in compare(fault, batch)]
            for got, wanted in zip(faults.results(code, batch), right, strict=True):
                is_path = isinstance(wanted, tuple)
                assert got == (wanted if is_path else pytest.approx(wanted, rel=1e-9))

    def test_a_line_that_is_right_is_spoken_of(self, name):
        fault = FAULTS[name]
        assert fault.lines[fault.line].strip() == fault.wrong
        for part in fault.innocent:
            assert any(part in line for line in fault.lines), part
            assert part not in fault.wrong


def test_time_first_depends_on_the_other_rows():
    """What the answer says: a word's context comes from the other sentences."""
    fault = FAULTS["time-first"]
    turned = type(RAGGED)(RAGGED.model, RAGGED.rows[::-1])
    (first, _), (_, last) = compare(fault, RAGGED), compare(fault, turned)
    assert first.got != pytest.approx(last.got)
    assert first.right == pytest.approx(last.right)


def test_the_columns_of_a_faulty_loop_end_in_what_it_returns():
    for name in ("multiplied", "unmasked", "sorted"):
        kept = faults.alphas(FAULTS[name], RAGGED)
        got = [row.got for row in compare(FAULTS[name], RAGGED)]
        ended = torch.logsumexp(kept[-1] + torch.tensor(OLD_MAN.end), 1).tolist()
        assert ended == pytest.approx(got)
    assert faults.alphas(FAULTS["last-tag"], RAGGED) == []


def test_the_encoder_leaves_the_generator_alone_that_all_threads_share(monkeypatch):
    def refuse(seed):
        raise AssertionError("a seed for all threads")

    monkeypatch.setattr(torch, "manual_seed", refuse)
    first, second = (faults.encoded(RAGGED).tolist() for _ in range(2))
    assert first == second
