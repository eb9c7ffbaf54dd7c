"""Problems: what is refused, what the edits do, and that the chain has the same numbers."""

import math
from dataclasses import replace
from itertools import product

import pytest
import torch

from pages.shared.course.problem import Problem, ProblemError, clean_name

INF = math.inf


def example() -> Problem:
    tables = ((1.0, 2.0), (3.0, -INF), (5.0, 6.0)), ((0.1, 0.2), (0.3, -INF))
    return Problem(("D", "N"), ("the", "old", "man"), *tables, (7.0, 8.0), (9.0, 10.0))


def per_step() -> Problem:
    first, second = ((0.1, 0.2), (0.3, 0.4)), ((1.1, 1.2), (1.3, 1.4))
    return replace(example(), transitions=(first, second))


class TestValidation:
    def test_lists_and_whole_numbers_are_taken(self):
        problem = Problem(["A"], ["x"], [[1]], [[-INF]], [-0.0], [2])
        assert problem == Problem(("A",), ("x",), ((1.0,),), ((-INF,),), (0.0,), (2.0,))
        assert math.copysign(1, problem.start[0]) == 1
        assert hash(problem) == hash(replace(problem))

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"tags": ("D", "D")}, r"tag 2: expected a name not used before, got 'D' again"),
            ({"tags": ("D", "")}, r"tag 2: expected a name, got ''"),
            ({"tags": ("D", "x" * 129)}, r"tag 2: expected at most 128 characters, got 129"),
            ({"tags": ("D", "a\u202eb")}, r"tag 2: .*U\+202E"),
            ({"tags": ("D", " N")}, r"tag 2: expected no blanks"),
            ({"tags": ("D", "<ROOT>")}, r"tag 2: expected a name other than <ROOT>"),
            ({"tags": ("D", 3)}, r"tag 2: expected a name, got 3"),
            ({"tags": "DN"}, r"tags: expected a list of names, got str"),
            ({"tags": ()}, r"tags: expected 1 to 20 names, got 0"),
            ({"tokens": ("w",) * 61}, r"tokens: expected 1 to 60 names, got 61"),
            ({"emissions": ((1.0,),) * 3}, r"emissions of token 1: expected 2 entries, got 1"),
            ({"emissions": 3}, r"emissions: expected a table of shape \[3, 2\], got 3"),
            ({"start": (0.0, math.nan)}, r"start of tag 2: .* got nan"),
            ({"start": (0.0, 10**400)}, r"start of tag 2: expected -inf or a number"),
            ({"start": (0.0, "1")}, r"start of tag 2: expected a number or -inf, got '1'"),
            ({"end": (0.0, 2e6)}, r"end of tag 2: expected -inf or a number from -1e\+06 to 1e"),
            ({"transitions": ((0.0, 0.0),)}, r"transitions: expected 2 entries, got 1"),
        ],
    )
    def test_refusals(self, changes, message):
        with pytest.raises(ProblemError, match=f"^{message}.*; .+"):
            replace(example(), **changes)

    def test_ordinary_names_of_the_world(self):
        names = ("זמן", "👩‍👧", "naïve", "時間", "'s", "<b>", "$")
        assert Problem.blank(["A"], names).tokens == names

        for text in ("x" * 500, "a\tb\x00", "", "\u202e", " x ", "\ud800"):
            assert Problem.blank(["A"], [clean_name(text)])

    def test_editable_is_smaller_than_what_can_be_shown(self):
        for S, m, small in ((12, 20, True), (13, 1, False), (1, 21, False)):
            assert Problem.blank([f"t{s}" for s in range(S)], ["w"] * m).is_editable == small


class TestChain:
    @pytest.mark.parametrize("problem", [example(), per_step()], ids=["one matrix", "per step"])
    def test_the_same_numbers(self, problem: Problem):
        chain = problem.chain()
        assert chain.dtype == torch.float64
        assert chain.backend == "plain"
        path, total = [1, 0, 1], 8.0 + 2.0 + 3.0 + 6.0 + 10.0
        total += problem.matrix(1)[1][0] + problem.matrix(2)[0][1]
        assert chain.score(torch.tensor([path])).item() == pytest.approx(total, abs=1e-12)
        assert Problem.from_chain(chain, problem.tags, problem.tokens) == problem

    def test_one_token_with_transitions_per_step(self):
        problem = per_step().remove_token(0).remove_token(0)
        assert (problem.transitions, problem.per_step) == ((), True)
        assert problem.chain().log_partition.item() == pytest.approx(
            math.log(math.exp(7 + 5 + 9) + math.exp(8 + 6 + 10))
        )


class TestEdits:
    @pytest.mark.parametrize(
        ("problem", "table", "at", "value", "row"),
        [
            (example(), "emissions", (1, 1), 4, (3.0, 4.0)),
            (example(), "transitions", (1, 0), -INF, (-INF, -INF)),
            (example(), "start", 1, 0.5, (7.0, 0.5)),
            (example(), "end", (0,), 0.5, (0.5, 10.0)),
            (per_step(), "transitions", (1, 0, 1), 5.0, (1.1, 5.0)),
        ],
    )
    def test_one_score(self, problem, table, at, value, row):
        changed = problem.with_score(table, at, value)
        assert changed.score_at(table, at) == value
        found = getattr(changed, table)
        for k in at[:-1] if isinstance(at, tuple) else ():
            found = found[k]
        assert found == row
        assert changed.with_score(table, at, problem.score_at(table, at)) == problem

    @pytest.mark.parametrize("problem", [example(), per_step()], ids=["one matrix", "per step"])
    def test_several_scores(self, problem):
        at = (1, 0, 1) if problem.per_step else (1, 0)
        edits = {("emissions", (2, 0)): 4, ("transitions", at): -INF, ("end", 1): 0.5}
        edits |= {("emissions", (0, 1)): -5.0, ("transitions", (*at[:-1], 1 - at[-1])): 0.0}
        one_by_one = problem
        for (table, place), value in edits.items():
            one_by_one = one_by_one.with_score(table, place, value)
        assert problem.with_scores(edits) == one_by_one
        assert problem.with_scores({}) is problem

    @pytest.mark.parametrize(
        ("table", "at", "value", "message"),
        [
            ("emissions", (3, 0), 0.0, "emissions: expected an index below"),
            ("emissions", (0, -1), 0.0, "emissions: expected an index below"),
            ("transitions", (0, 0, 0), 0.0, "transitions: expected an index below"),
            ("tags", 0, 0.0, "table: expected one of"),
            ("emissions", (2, 1), math.nan, "emission of token 3, tag 2: "),
        ],
    )
    def test_no_score_at_such_a_place(self, table, at, value, message):
        with pytest.raises(ProblemError, match="^" + message):
            example().with_score(table, at, value)

    def test_tags(self):
        assert example().rename_tag(1, "NOUN").tags == ("D", "NOUN")
        more = example().add_tag("V")
        assert more.tags == ("D", "N", "V")
        assert more.transitions == ((0.1, 0.2, 0.0), (0.3, -INF, 0.0), (0.0, 0.0, 0.0))
        assert more.emissions[1] == (3.0, -INF, 0.0)
        for problem in (example(), per_step()):
            assert problem.add_tag("V").remove_tag(2) == problem
        swapped = example().keep_tags([1, 0])
        assert (swapped.tags, swapped.start) == (("N", "D"), (8.0, 7.0))
        assert swapped.transitions == ((-INF, 0.3), (0.2, 0.1))
        assert swapped.chain().log_partition == pytest.approx(example().chain().log_partition)
        for refused in (
            lambda: example().keep_tags([0, 0]),
            lambda: example().remove_tag(0).remove_tag(0),
            lambda: example().add_tag("D"),
        ):
            with pytest.raises(ProblemError):
                refused()

    def test_tokens(self):
        for problem, at in product((example(), per_step()), (None, 0, 1, 3)):
            more = problem.add_token("boat", at)
            place = 3 if at is None else at
            assert more.tokens[place] == "boat"
            assert more.emissions[place] == (0.0, 0.0)
            assert more.remove_token(place) == problem
        assert example().rename_token(0, "a").tokens[0] == "a"
        assert per_step().remove_token(1).transitions == (per_step().transitions[1],)
        for one in (Problem.blank(["A"], ["x"]), Problem.blank(["A"], ["x"]).per_step_form()):
            with pytest.raises(ProblemError, match="1 to 60 names"):
                one.remove_token(0)

    def test_fills(self):
        for problem in (example(), per_step()):
            zero = problem.zeros()
            assert zero.chain().log_partition.item() == pytest.approx(3 * math.log(2))
            drawn = problem.random(7)
            assert drawn == problem.random(7) != problem.random(8)
            flat = [x for row in drawn.emissions for x in row]
            assert all(-3 <= x <= 3 and x == round(x, 1) for x in flat)
            assert (drawn.tags, drawn.tokens) == (problem.tags, problem.tokens)
        # the draw is fixed for all machines and versions
        assert Problem.blank(["A"], ["x"]).random(1).emissions == ((-2.2,),)

    def test_symmetric(self):
        assert example().symmetric().transitions == ((0.1, 0.25), (0.25, -INF))
        assert per_step().symmetric().matrix(2) == ((1.1, 1.25), (1.25, 1.4))


class TestForms:
    def test_per_step_and_back(self):
        stepped = example().per_step_form()
        assert stepped.per_step
        assert stepped.homogeneous_form() == example()
        assert stepped.chain().log_partition == example().chain().log_partition
        assert example().homogeneous_form() == example()
        one = Problem.blank(["A"], ["x"]).per_step_form()
        assert (one.transitions, one.homogeneous_form().transitions) == ((), ((0.0,),))
        with pytest.raises(ProblemError, match=r"^transitions\[1\]: "):
            per_step().homogeneous_form()

    def test_folded(self):
        tags = (-INF, 0.1, 0.2, 9.0), (-INF, 0.3, -INF, 10.0)
        assert example().folded() == ((-INF, 7.0, 8.0, -INF), *tags, (-INF,) * 4)
        assert per_step().folded(2)[1] == (-INF, 1.1, 1.2, 9.0)
