"""What the lesson "Viterbi" says of prefixes, ties and the way back, against every path."""

from itertools import pairwise

import pytest

from crf.figures.trellis.flips import flips, leaders
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.viterbi import backpointers, prefixes
from tests.figures.recursions import FORMS, OLD_MAN, run
from tests.oracles import recursions as oracle


class TestBackpointers:
    @pytest.mark.parametrize("convention", FORMS)
    def test_fill_and_are_followed(self, convention):
        trace = run(OLD_MAN, convention, "max")
        rows, followed = backpointers.rows(trace, len(trace.steps))
        assert not followed - {(2, 4), (0, 3), (3, 2), (2, 1)}
        assert len(followed) == 4
        for t in range(1, 5):
            for s in range(4):
                sums = [
                    oracle.cell(OLD_MAN, "state", "max", t - 1, i) + OLD_MAN.transitions[i][s]
                    for i in range(4)
                ]
                assert rows[s][t] == OLD_MAN.tags[sums.index(max(sums))]
        first = next(k for k, step in enumerate(trace.steps) if step.token == 2)
        before, none = backpointers.rows(trace, first)
        assert not none
        assert [row[2] for row in before] == [rows[0][2], *[backpointers.NOT_YET] * 3]
        assert {row[3] for row in before} == {backpointers.NOT_YET}

    def test_an_unreachable_cell_has_none(self):
        rows, followed = backpointers.rows(run(EXAMPLES["no-path"].problem, "state", "max"), 99)
        assert rows[0][1] == backpointers.NEVER
        assert not followed


class TestPrefixes:
    def test_flips_in_words(self):
        told = prefixes.flips_told(OLD_MAN, run(OLD_MAN, "state", "max"))
        assert told[0] == (
            "After ‘man’ the best prefix was DET ADJ NOUN; after ‘the’ it is DET NOUN VERB DET: "
            "‘old’ and ‘man’ change their tags."
        )

    @pytest.mark.parametrize("name", ["old-man", "fish", "time-flies", "three-one-three-steady"])
    def test_the_best_after_each_token(self, name):
        problem = EXAMPLES[name].problem
        found = prefixes.best_prefixes(run(problem, "state", "max"))
        for t, prefix in enumerate(found):
            cells = [oracle.cell(problem, "state", "max", t, s) for s in range(len(problem.tags))]
            assert prefix.score == pytest.approx(max(cells))
            assert oracle.prefix_score(problem, prefix.path) == pytest.approx(max(cells))
            assert len(prefix.path) == t + 1
        rows = prefixes.prefix_rows(problem, found)
        assert [row[-1] for row in rows] == [prefix.score for prefix in found]  # all its digits
        flips = sum(new.path[: len(old.path)] != old.path for old, new in pairwise(found))
        told = prefixes.flips_told(problem, run(problem, "state", "max"))
        assert sum("the best prefix was" in text for text in told) == flips

    def test_a_tie_is_no_reason_to_change(self):
        """N V is as good as V N, and goes on with N."""
        even = Problem(["N", "V"], ["x", "y"], [[5, 2]] * 2, [[-9, 6], [6, -9]], [0, 0], [0, 0])
        for form in FORMS:
            run_of = run(even, form, "max")
            assert [path for _, path in leaders(run_of)][-1] == (0, 1)
            assert flips(run_of) == []
        ahead = even.with_score("transitions", (1, 0), 6.5)
        assert [flip.new for flip in flips(run(ahead, "state", "max"))] == [(1, 0)]

    def test_the_end_can_overturn(self):
        told = prefixes.flips_told(
            EXAMPLES["one-token"].problem, run(EXAMPLES["one-token"].problem, "state", "max")
        )
        assert "with the end scores B is best" in told[0]

    def test_long_ones_are_cut(self):
        problem = EXAMPLES["ice-cream"].problem
        told = prefixes.flips_told(problem, run(problem, "state", "max"))
        assert "… C C" in told[1]
        assert max(map(len, told)) < 300


class TestTies:
    def test_none(self):
        (told,) = prefixes.ties_told(OLD_MAN, run(OLD_MAN, "state", "max"))
        assert told == "No two ways into a cell are tied: every argmax has one answer."

    def test_two_prefixes_that_are_best_at_a_token(self):
        """DET ADJ and DET NOUN both reach 7.5, each by one way only."""
        even = OLD_MAN.with_score("emissions", (1, 2), 1.5)
        (told,) = prefixes.ties_told(even, run(even, "state", "max"))
        assert "But at ‘old’ prefixes that end in different tags" in told

    @pytest.mark.parametrize(
        ("problem", "paths"),
        [
            (Problem.blank(["A", "B", "C"], "wxyz"), 81),
            (Problem.blank(["A", "B"], "xy").with_score("transitions", (0, 1), 1), 1),
            (Problem.blank(["A", "B"], "xy").with_score("end", 1, 1), 2),
            (OLD_MAN, 1),
        ],
    )
    def test_best_paths_are_counted(self, problem, paths):
        best = oracle.best_paths(problem, 10**4)
        assert sum(score == best[0][0] for score, _ in best) == paths
        assert prefixes.number_of_best(run(problem, "state", "max")) == paths

    def test_in_words(self):
        problem = Problem.blank(["A", "B", "C"], ["x", "y"])
        told = prefixes.ties_told(problem, run(problem, "state", "max"))
        assert told[0] == "On the best path A, B and C tie on the way into A at ‘y’ with 0.00."
        assert told[1] == "On the best path A, B and C tie at the end with 0.00."
        assert told[2].startswith("A, B and C tie on the way into B at ‘y’ with 0.00.")
        assert "1 more cell." in told[2]
        assert "9 paths share" in told[3]
