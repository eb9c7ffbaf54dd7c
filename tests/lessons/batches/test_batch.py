"""Sentences as a padded batch, its loop, its slabs, what changes nothing."""

import itertools
import math

import pytest
import torch

from pages.batches import broadcast_slabs, operations, pictures
from pages.batches.batch import MOST_ROWS, Batch, presets
from pages.batches.loop import Loop
from pages.batches.throughput import waste
from pages.shared.course.problem import MAX_NAME, Problem, ProblemError
from tests.lessons.batches.batch_helpers import BIO, OLD_MAN, RAGGED, every_batch

EVERY = every_batch()


class TestBatch:
    def test_presets(self):
        lengths = {
            name: Batch.of(OLD_MAN, text).lengths for name, (_, text) in presets(OLD_MAN).items()
        }
        assert lengths == {"ragged": (5, 3), "short": (4, 1, 0), "left": (8, 5), "holes": (5, 5)}

    @pytest.mark.parametrize("batch", EVERY)
    def test_a_row_is_the_sentence_alone(self, batch):
        for b, length in enumerate(batch.lengths):
            if not length:
                assert batch.chain().log_partition[b] == 0
                continue
            alone = batch.problem(b).chain()
            assert batch.chain().log_partition[b].item() == alone.log_partition.item()
            found = [s for s in batch.chain().viterbi().tags[b].tolist() if s >= 0]
            assert found == [s for s in alone.viterbi().tags[0].tolist() if s >= 0]

    def test_the_problem_itself_keeps_each_place(self):
        """The same word has other scores at each place, as a tagger gives them."""
        two = Problem.blank(["A", "B"], ["x", "x"]).with_score("emissions", (1, 0), 5)
        assert Batch.of(two, "x x").emissions[0] == two.emissions
        again = Batch.of(two, "x X x _").emissions[0]  # a word that comes again: its next place
        assert again == (*two.emissions, two.emissions[0], (0.0, 0.0))

    def test_words_of_kin_are_known_and_others_score_nothing(self):
        """A row that was taken into all lessons still knows the words of the others."""
        taken = RAGGED.problem(1).remove_token(4)
        batch = Batch.of(taken, "boat xyzzy")
        assert batch.emissions[0][0] == OLD_MAN.emissions[4]
        assert batch.unknown == ("xyzzy",)
        assert batch.emissions[0][1] == (0.0,) * 4

    @pytest.mark.parametrize("text", ["", "  \n ", "x\n" * 64, "x " * 61, "x" * 30_000])
    def test_what_is_no_batch_is_refused_in_a_sentence(self, text):
        with pytest.raises(ProblemError, match=r"expected .*, got"):
            Batch.of(OLD_MAN, text)

    @pytest.mark.parametrize("text", ["x y\n_ x\n_", "x _ y\nx", "_", "x _\n_", "_ _ x y\nx"])
    def test_its_text_reads_back(self, text):
        batch = Batch.of(OLD_MAN, text)
        assert Batch.of(OLD_MAN, batch.text) == batch

    def test_long_rows_and_words(self):
        batch = Batch.of(OLD_MAN, f"{'x ' * 60}\n_\n{'y' * 500}")
        assert batch.lengths == (60, 0, 1)
        assert all(len(word) <= MAX_NAME for row in batch.rows for word in row)
        assert Batch.of(OLD_MAN, "_").chain().log_partition.tolist() == [0.0]
        assert MOST_ROWS == 4

    def test_waste(self):
        assert waste((8, 5), 16, in_order=False) == 1 - 13 / 16
        assert waste((4, 1), 128, in_order=True) == 0


class TestLoop:
    @pytest.mark.parametrize("semiring", ["sum", "max"])
    @pytest.mark.parametrize("batch", EVERY)
    def test_where_is_all_that_happens(self, batch, semiring):
        loop = Loop(batch, semiring)
        mask = loop.chain.mask.T[:, :, None]
        stepped = torch.where(mask, loop.new, loop.kept[:-1])
        torch.testing.assert_close(stepped, loop.kept[1:], rtol=1e-12, atol=1e-12)

    @pytest.mark.parametrize("batch", EVERY)
    def test_the_last_column_has_log_z(self, batch):
        """Which is why a row that has ended needs no if."""
        loop = Loop(batch)
        carried = torch.logsumexp(loop.kept[-1] + loop.chain.potentials.end, 1)
        for b, length in enumerate(batch.lengths):
            if length:
                assert carried[b].item() == pytest.approx(loop.totals[b])

    def test_where_rows_end(self):
        assert Loop(RAGGED).ends == (7, 4)
        short = Batch.of(OLD_MAN, presets(OLD_MAN)["short"][1])
        assert (Loop(short).ends, Loop(short).begins) == ((3, 0, -1), (0, 0, -1))

    def test_captions(self):
        said = pictures.captions(Loop(RAGGED, "max"))
        assert len(said) == Loop(RAGGED, "max").last + 1 == 17
        assert "Row 2 ends here: best score = 16.50." in said[5]
        assert "Row 2 has ended and keeps its old column." in said[6]
        assert "Row 2 starts here, with its own last tag, NOUN." in said[12]
        left = pictures.captions(Loop(Batch.of(OLD_MAN, presets(OLD_MAN)["left"][1])))
        assert "Row 2 has not begun and keeps start." in left[1]

    @pytest.mark.parametrize("preset", ["ragged", "short", "left", "holes"])
    def test_no_row_goes_where_it_has_no_word(self, preset):
        loop = Loop(Batch.of(OLD_MAN, presets(OLD_MAN)[preset][1]), "max")
        said = pictures.captions(loop)
        columns = loop.batch.shape[1]
        for t, told in zip(reversed(range(columns)), said[-columns:], strict=True):
            assert told.startswith(f"The way back, column {t + 1}.")
            for b, mask in enumerate(loop.batch.mask):
                assert (f"Row {b + 1} has no word here" in told) == (not mask[t])
            if "Each row goes" in told:
                assert all(mask[t] for mask in loop.batch.mask)

    def test_the_drawing_is_the_core_s(self):
        loop = Loop(RAGGED, "max")
        drawn = pictures.drawing(loop)
        assert drawn["rows"][1]["path"] == loop.chain.viterbi().tags[1].tolist()
        assert drawn["rows"][0]["pointers"] == loop.best.backpointers[0].tolist()  # pyright: ignore
        assert drawn["rows"][1]["total"] == "16.50"


class TestSlabs:
    @pytest.mark.parametrize("semiring", ["sum", "max"])
    @pytest.mark.parametrize("batch", EVERY)
    def test_over_from_it_is_the_step_of_the_core(self, batch, semiring):
        loop = Loop(batch, semiring)
        for t in broadcast_slabs.columns(loop):
            found = broadcast_slabs.step(loop, t)
            begun = torch.tensor(loop.begins) >= 0
            torch.testing.assert_close(found.right[begun], loop.new[t][begun])

    def test_over_to_the_shape_is_the_same_and_the_number_wrong(self):
        right, wrong = (broadcast_slabs.step(Loop(RAGGED), 3, axis) for axis in (1, 2))
        assert right.reduced.shape == wrong.reduced.shape
        assert not torch.isclose(right.reduced, wrong.reduced).all(1).any()
        assert broadcast_slabs.step(Loop(RAGGED), 3, 0).reduced.shape == (4, 4)

    def test_the_drawing_has_the_cell_s_three_inputs(self):
        loop = Loop(RAGGED)
        drawn = broadcast_slabs.drawing(
            broadcast_slabs.step(loop, 3), 1, ["row 1", "row 2"], OLD_MAN.tags, "logsumexp"
        )
        alpha, T, e = drawn["layers"][1]["operands"]
        parts = [alpha[2][0][0], T[2][3][0], e[0][3][0]]
        total = sum(float(part.replace("−", "-")) for part in parts)
        assert total == pytest.approx(float(drawn["layers"][1]["sum"][2][3][0]), abs=0.011)
        assert [name["shape"] for name in drawn["names"]] == ["[2, 4, 1]", "[1, 4, 4]", "[2, 1, 4]"]

    def test_one_word_has_no_step(self):
        assert broadcast_slabs.columns(Loop(Batch.of(OLD_MAN, "the\n_"))) == []


class TestNothingChanges:
    @pytest.mark.parametrize("batch", EVERY)
    def test_whatever_is_done_together(self, batch):
        before = operations.results(operations.rearranged(batch, ()))
        names = tuple(operations.OPERATIONS)
        for some in (*itertools.combinations(names, 1), names[::2], names[1:], names):
            assert operations.results(operations.rearranged(batch, some)) == before, some

    def test_padding_of_two_kinds_takes_turns(self):
        arranged = operations.rearranged(RAGGED, ("nan", "forbidden"))
        held = arranged.batch.tensors(*arranged.padding)[0][1, -2:, 0].tolist()
        assert str(sorted(held, key=str)) == "[-inf, nan]"

    def test_they_do_something(self):
        for name in operations.OPERATIONS:
            done = operations.rearranged(RAGGED, (name,))
            assert done != operations.rearranged(RAGGED, ()), name

    def test_a_long_batch_does_not_outgrow_the_limit(self):
        long = Batch.of(OLD_MAN, "the " * 60)
        assert len(operations.rearranged(long, ("left", "right")).batch.rows[0]) == 60

    @pytest.mark.parametrize("filled", ["nan", "forbidden"])
    def test_the_mask_multiplied_does(self, filled):
        right = operations.results(operations.rearranged(RAGGED, ()))
        lucky = operations.results(operations.rearranged(RAGGED, ()), multiplied=True)
        assert lucky.log_z == pytest.approx(right.log_z, abs=1e-12)
        assert right.paths
        assert not lucky.paths  # that code knows no best path
        spoilt = operations.results(operations.rearranged(RAGGED, (filled,)), multiplied=True)
        assert math.isnan(spoilt.log_z[1])

    def test_a_forbidden_tag_is_enough(self):
        batch = Batch.of(BIO, presets(BIO)["ragged"][1])
        found = operations.results(operations.rearranged(batch, ()), multiplied=True)
        assert all(map(math.isnan, found.log_z))
