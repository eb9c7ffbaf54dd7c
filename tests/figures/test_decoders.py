"""What the lesson "Viterbi" says of other decoders, against values found path by path."""

import math
import re

import pytest

from crf import LinearChain, decoding
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_count, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders
from pages.shared.figures.decoders import Decoded
from pages.viterbi import prefixes
from tests.figures.recursions import OLD_MAN, run
from tests.oracles import recursions as oracle


class TestDecoders:
    def found(self, problem, path):
        score = oracle.prefix_score(problem, path) + problem.end[path[-1]]
        return Decoded("greedy", path, score, score - oracle.total(problem, "sum"))

    @pytest.mark.parametrize(
        ("path", "more"), [((0, 1, 3, 0, 2), ""), ((0, 1, 2, 0, 2), ", and so on")]
    )
    def test_a_forbidden_path_is_said_with_its_first_word(self, path, more):
        best = self.found(OLD_MAN, (0, 2, 3, 0, 2))
        problem = OLD_MAN.with_score("transitions", (0, 1), -math.inf)
        other = Decoded("greedy", path, -math.inf, -math.inf)
        said = decoders.went_wrong(problem, other, best)
        assert said.startswith(f"Greedy takes ADJ for ‘old’{more}: its path uses a score of −∞.")

    def test_where_it_goes_wrong(self):
        best, other = self.found(OLD_MAN, (0, 2, 3, 0, 2)), self.found(OLD_MAN, (0, 1, 2, 0, 2))
        text = decoders.went_wrong(OLD_MAN, other, best)
        assert text.startswith(
            "Greedy takes ADJ (2.00) instead of NOUN (0.50) for ‘old’ and NOUN (2.00) instead of "
            "VERB (0.50) for ‘man’."
        )
        emissions = sum(OLD_MAN.emissions[t][s] for t, s in enumerate(other.path)) - sum(
            OLD_MAN.emissions[t][s] for t, s in enumerate(best.path)
        )
        assert f"In emissions, those in brackets, it is {emissions:.2f} ahead" in text
        assert f"end it is {emissions + best.score - other.score:.2f} behind" in text
        assert f"{best.score - other.score:.2f} behind in all" in text
        there = decoders.greedy_step(OLD_MAN, other, best)
        adj = OLD_MAN.transitions[0][1] + OLD_MAN.emissions[1][1]
        noun = OLD_MAN.transitions[0][2] + OLD_MAN.emissions[1][2]
        assert f"coming from DET, ADJ with {adj:.2f} and NOUN with {noun:.2f}" in there

    @pytest.mark.parametrize("path", [(0, 1, 2, 0, 2), (3, 2, 3, 0, 2), (0, 2, 3, 0, 0)])
    def test_what_is_named_adds_up(self, path):
        """Its numbers in brackets, and those of the steps, give the two differences."""
        best, other = self.found(OLD_MAN, (0, 2, 3, 0, 2)), self.found(OLD_MAN, path)
        text = decoders.went_wrong(OLD_MAN, other, best).replace("−", "-")
        words, steps = text.split("In transitions, start and end")
        pairs = re.findall(r"\((-?[\d.]+)\) instead of \S+ \((-?[\d.]+)\)", words)
        assert len(pairs) == sum(a != b for a, b in zip(path, best.path, strict=True))
        ahead = sum(float(a) - float(b) for a, b in pairs)
        own, against = (
            sum(map(float, re.findall(r"\S+→\S+ \(?(-?[\d.]+)", side)))
            for side in steps.split(", against ")
        )
        assert ahead + own - against == pytest.approx(other.score - best.score)
        assert f"{abs(own - against):.2f} {'behind' if own < against else 'ahead'} (" in steps

    def test_long_lists_are_cut(self):
        problem = EXAMPLES["pair-potentials"].problem
        path = tuple((s + 1) % 5 for s in problem.trace("viterbi").best_path)
        text = decoders.went_wrong(
            problem,
            self.found(problem, path),
            self.found(problem, problem.trace("viterbi").best_path),
        )
        more = len(problem.tokens) - decoders.MOST_DIFFERING
        assert f"and others for {more} more words" in text
        assert "against" not in text

    def test_at_the_last_word_nothing_follows(self):
        problem = EXAMPLES["one-token"].problem
        best, other = self.found(problem, (1,)), self.found(problem, (0,))
        text = decoders.greedy_step(problem, other, best)
        assert "what follows" not in text
        assert "the end score it did not count" in text
        best, other = self.found(OLD_MAN, (0, 2, 3, 0, 2)), self.found(OLD_MAN, (0, 1, 2, 0, 2))
        assert "what follows it could not see" in decoders.greedy_step(OLD_MAN, other, best)

    @pytest.mark.parametrize("name", ["all-zero", "time-flies"])
    def test_agreement_by_the_tie_rule_is_told_from_the_other(self, name):
        problem = EXAMPLES[name].problem
        ranked = oracle.best_paths(problem, 10**4)
        tied = sum(score == ranked[0][0] for score, _ in ranked)
        text = prefixes.agreement_told(problem, run(problem, "state", "max"))
        assert ("how ties are settled" in text) == (tied > 1)
        assert (f"{format_count(tied)} paths share" in text) == (tied > 1)

    def test_agreement_that_must_be_is_told_from_the_other(self):
        def said(problem):
            return prefixes.agreement_told(problem, run(problem, "state", "max"))

        assert "Nothing says that they must" in said(EXAMPLES["time-flies"].problem)
        assert "and they must" in said(EXAMPLES["zero-transitions"].problem)
        assert "only one path" in said(Problem.blank(["A"], ["x", "y"]))

    def test_a_tie_is_not_blamed_on_what_was_not_seen(self):
        blank = Problem.blank(["A", "B"], ["x"])
        tied = [self.found(blank, (s,)) for s in (1, 0)]
        assert decoders.greedy_step(blank, *tied) == ""

    def test_of_equally_likely_tags_none_is_called_likelier(self):
        blank = Problem.blank(["A", "B"], ["x"])
        tied = [self.found(blank, (s,)) for s in (1, 0)]
        assert "equally likely" in decoders.posterior_step(blank, *tied, [[0.5, 0.5]])
        assert "likelier" in decoders.posterior_step(blank, *tied, [[0.4, 0.6]])

    def test_the_same_a_tie_and_a_forbidden_one(self):
        best = self.found(OLD_MAN, (0, 2, 3, 0, 2))
        assert "finds the best path" in decoders.went_wrong(OLD_MAN, best, best)
        blank = Problem.blank(["A", "B"], ["x"])
        tied = [self.found(blank, (s,)) for s in (1, 0)]
        assert "a tie" in decoders.went_wrong(blank, *tied)
        bio = EXAMPLES["bio"].problem
        illegal, legal = self.found(bio, (2, 1)), self.found(bio, (0, 1))
        assert "forbidden, probability 0" in decoders.went_wrong(bio, illegal, legal)

    def test_tables(self):
        rows = decoders.path_rows(OLD_MAN, [self.found(OLD_MAN, (0, 2, 3, 0, 2))])
        assert rows[1][3:] == ["DET", "NOUN", "VERB", "DET", "NOUN"]
        assert rows[1][1] == pytest.approx(17.5)


class TestWithoutBackpointers:
    @pytest.mark.parametrize("name", [n for n in EXAMPLES if n not in ("no-path", "all-forbidden")])
    def test_is_the_same_path(self, name):
        problem = EXAMPLES[name].problem
        chain: LinearChain = problem.chain()
        deltas, pointers = decoding.viterbi_forward(chain.potentials)
        stored, scores = decoding.backtrace(chain.potentials, deltas, pointers)
        again, same = decoding.backtrace(chain.potentials, deltas, None)
        assert stored.tolist() == again.tolist()
        assert scores.item() == same.item() == pytest.approx(oracle.total(problem, "max"))
        rows = decoders.recomputed(problem, run(problem, "state", "max"))
        assert [tag for *_, tag in rows][::-1] == [problem.tags[s] for s in stored[0].tolist()]

    def test_the_sums_that_are_compared(self):
        rows = decoders.recomputed(OLD_MAN, run(OLD_MAN, "state", "max"))
        sums = [
            oracle.cell(OLD_MAN, "state", "max", 2, i) + OLD_MAN.transitions[i][0] for i in range(4)
        ]
        named = ", ".join(
            f"{tag} {format_score(value)}" for tag, value in zip(OLD_MAN.tags, sums, strict=True)
        )
        assert rows[2] == ["‘man’", named, "VERB"]


def test_what_is_behind_by_less_than_is_printed_is_not_called_level():
    assert decoders._more(-0.002) == "level, to 2 decimals"
    digits = decoders._that_add_up(3.886, -16.634)  # 3.89 and 16.63, and yet 12.75
    assert [decoders._more(x, digits) for x in (3.886, -16.634, 3.886 - 16.634)] == [
        "3.886 ahead", "16.634 behind", "12.748 behind",
    ]  # fmt: skip
    assert decoders._more(0.0) == "level"
