"""Sentences as a padded batch, its loop, its slabs, what changes nothing."""

import itertools
import math

import pytest
import torch

from pages.batches import broadcasting, faults, operations, pictures, terms
from pages.batches.batch import OPERATIONS, Batch, presets
from pages.batches.loop import Loop
from pages.batches.throughput import waste
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import MAX_NAME, Problem, ProblemError

OLD_MAN = EXAMPLES["old-man"].problem
BIO = EXAMPLES["bio"].problem  # has forbidden transitions
RAGGED = Batch.of(OLD_MAN, "The old man the boat The old man\nthe boat The old man")
EVERY = [
    Batch.of(EXAMPLES[name].problem, text)
    for name in ("old-man", "bio", "pair-potentials", "no-path")
    for _, text in presets(EXAMPLES[name].problem).values()
]


class TestBatch:
    def test_presets(self):
        lengths = {
            name: Batch.of(OLD_MAN, text).lengths for name, (_, text) in presets(OLD_MAN).items()
        }
        assert lengths == {"ragged": (5, 3), "short": (4, 1, 0), "left": (8, 5), "holes": (5, 5)}

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
        for text in ("", "  \n ", "x\n" * 64, "x " * 61, "x" * 30_000):
            with pytest.raises(ProblemError, match=r"expected .*, got"):
                Batch.of(OLD_MAN, text)

    def test_its_text_reads_back_also_of_long_rows_and_words(self):
        for text in ("x y\n_ x\n_", "x _ y\nx", "_", "x _\n_", "_ _ x y\nx"):
            batch = Batch.of(OLD_MAN, text)
            assert Batch.of(OLD_MAN, batch.text) == batch
        batch = Batch.of(OLD_MAN, f"{'x ' * 60}\n_\n{'y' * 500}")
        assert batch.lengths == (60, 0, 1)
        assert all(len(word) <= MAX_NAME for row in batch.rows for word in row)


class TestLoop:
    @pytest.mark.parametrize("is_max", [False, True])
    @pytest.mark.parametrize("batch", EVERY)
    def test_where_is_all_that_happens(self, batch, is_max):
        loop = Loop(batch, is_max)
        mask = loop.chain.mask.T[:, :, None]
        stepped = torch.where(mask, loop.new, loop.kept[:-1])
        torch.testing.assert_close(stepped, loop.kept[1:], rtol=1e-12, atol=1e-12)
        if not is_max:  # which is why a row that has ended needs no if
            carried = torch.logsumexp(loop.kept[-1] + loop.chain.potentials.end, 1).tolist()
            for b, length in enumerate(batch.lengths):
                assert not length or carried[b] == pytest.approx(loop.totals[b])

    def test_captions(self):
        loop = Loop(RAGGED, True)
        steps = pictures.captions(loop)
        names = [[one.name.split(".")[1] for one in step] for step in steps]
        assert names[:2] == [["before"], ["column", "all"]]
        assert names[5] == ["column", "all", "ends"]
        assert names[6] == ["column", "ended"]
        assert names[12] == ["back", "starts"]
        second = pictures.drawing(loop)["rows"][1]
        assert second["path"] == loop.chain.viterbi().tags[1].tolist()
        assert second["total"] == "18.00"

    def test_no_row_goes_where_it_has_no_word(self):
        for _, text in presets(OLD_MAN).values():
            loop = Loop(Batch.of(OLD_MAN, text), True)
            back = pictures.captions(loop)[-loop.batch.shape[1] :]
            for t, step in enumerate(reversed(back)):
                idle = [one.facts["row"] for one in step if one.name.split(".")[1] in
                        ("waits", "passes", "done")]  # fmt: skip
                masked = [f"Row {b + 1}" for b, mask in enumerate(loop.batch.mask) if not mask[t]]
                assert idle == masked
                assert step[0].facts == {"t": t + 1}


class TestTerms:
    @pytest.mark.parametrize("batch", EVERY)
    def test_where_they_count_they_add_up_to_the_best_score(self, batch):
        loop = Loop(batch, True)
        found = terms.counted_terms(loop).values()
        for b, (total, length) in enumerate(zip(loop.totals, batch.lengths, strict=True)):
            rows = [[x for x in table[b] if x is not None] for table in found]
            words = min(length, 1)
            assert list(map(len, rows)) == [length, length - words, words, words]
            if math.isfinite(total):
                assert math.fsum(x for row in rows for x in row) == pytest.approx(total)

    def test_they_can_be_taken_away(self):
        loop = Loop(RAGGED)
        found = {name: one.csv().splitlines() for name, one in terms.exports(loop).items()}
        cells, totals = found["Cells of the batch"], found["Totals of the batch"]
        assert len(cells) == 1 + sum(RAGGED.lengths)
        assert [float(line.split(",")[1]) for line in totals[1:]] == pytest.approx(loop.totals)
        assert waste((8, 5), 16, in_order=False) == 1 - 13 / 16  # padding's share
        assert waste((4, 1), 128, in_order=True) == 0


class TestSlabs:
    @pytest.mark.parametrize("is_max", [False, True])
    @pytest.mark.parametrize("batch", EVERY)
    def test_over_from_it_is_the_step_of_the_core(self, batch, is_max):
        loop = Loop(batch, is_max)
        begun = torch.tensor(loop.begins) >= 0
        for t in broadcasting.columns(loop):
            found = broadcasting.reduced(loop, t)
            torch.testing.assert_close(found[begun], loop.new[t][begun])

    def test_over_to_the_shape_is_the_same_and_the_number_wrong(self):
        over_from, over_to, over_rows = (
            broadcasting.reduced(Loop(RAGGED), 3, axis) for axis in (1, 2, 0)
        )
        assert over_from.shape == over_to.shape
        assert not torch.isclose(over_from, over_to).all(1).any()
        assert over_rows.shape == (4, 4)
        assert broadcasting.columns(Loop(Batch.of(OLD_MAN, "the\n_"))) == []


class TestNothingChanges:
    @pytest.mark.parametrize("batch", EVERY)
    def test_whatever_is_done_together(self, batch):
        before = operations.results(operations.rearranged(batch, ()))
        names = OPERATIONS
        for some in (*itertools.combinations(names, 1), names[::2], names[1:], names):
            done = operations.rearranged(batch, some)
            assert done != operations.rearranged(batch, ()) or not any(some)
            assert operations.results(done) == before, some

    def test_padding_of_two_kinds_takes_turns_and_a_batch_does_not_outgrow_the_limit(self):
        arranged = operations.rearranged(RAGGED, ("nan", "forbidden"))
        held = arranged.batch.tensors(*arranged.padding)[0][1, -2:, 0].tolist()
        assert str(sorted(held, key=str)) == "[-inf, nan]"
        long = Batch.of(OLD_MAN, "the " * 60)
        assert len(operations.rearranged(long, ("left", "right")).batch.rows[0]) == 60

    def test_the_mask_multiplied_does(self):
        right = operations.results(operations.rearranged(RAGGED, ()))
        lucky = operations.results(operations.rearranged(RAGGED, ()), multiplied=True)
        assert lucky.log_z == pytest.approx(right.log_z, abs=1e-12)
        assert not lucky.paths  # that code knows no best path
        for fill in ("nan", "forbidden"):
            spoilt = operations.results(operations.rearranged(RAGGED, (fill,)), multiplied=True)
            assert math.isnan(spoilt.log_z[1])
        batch = Batch.of(BIO, presets(BIO)["ragged"][1])  # a forbidden tag is enough
        found = operations.results(operations.rearranged(batch, ()), multiplied=True)
        assert all(map(math.isnan, found.log_z))


def test_the_encoder_leaves_the_generator_alone_that_all_threads_share(monkeypatch):
    def refuse(seed):
        raise AssertionError("a seed for all threads")

    monkeypatch.setattr(torch, "manual_seed", refuse)
    first, second = (faults.encoded(RAGGED).tolist() for _ in range(2))
    assert first == second
