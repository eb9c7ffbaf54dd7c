"""What the lessons on recursions say and export, against values found path by path."""

import csv
import io
import json
import math
import re
from itertools import pairwise

import pytest

from crf import LinearChain, decoding
from crf.course.brute_force import enumerate_paths
from crf.course.examples import EXAMPLES
from crf.course.numbers import format_count, format_potential, format_probability, format_score
from crf.course.problem import Problem
from pages.figures import backpointers, cost, decoders, formulas, prefixes
from pages.figures.decoders import Decoded
from pages.figures.recursion_prose import follow
from pages.ui import exports
from tests.pages import recursion_oracle as oracle

OLD_MAN = EXAMPLES["old-man"].problem
FORMS = ("state", "message", "pair")
SEMIRINGS = ("sum", "max")
SMALL = ["old-man", "fish", "bio", "no-path", "one-token", "all-forbidden"]
WITH_ENDS = Problem.blank(["A", "B"], ["x", "y", "z"]).random(5)


def run(problem, convention, semiring):
    return problem.trace("forward" if semiring == "sum" else "viterbi", convention=convention)


def marginals(problem):
    return problem.chain().marginals[0].tolist()


def plain(html):
    return "".join(re.sub("<[^>]+>", "", html).split())


class TestFollow:
    @pytest.mark.parametrize("name", SMALL)
    @pytest.mark.parametrize("convention", FORMS)
    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_says_each_cells_value_in_both_spaces(self, name, convention, semiring):
        problem = EXAMPLES[name].problem
        trace = run(problem, convention, semiring)
        for index, step in enumerate(trace.steps):
            if step.kind == "backtrace":
                continue
            if step.kind == "cell":
                value = oracle.cell(problem, convention, semiring, step.token, step.row)
            else:
                value = oracle.total(problem, semiring)
            log, potential = (
                " ".join(follow(trace, index, space, marginals(problem)))
                for space in ("log", "probability")
            )
            if value == -math.inf:
                assert "−∞" in log
                continue
            assert format_score(value) in log
            assert format_score(value) in potential
            assert format_potential(value) in potential

    def test_counts_prefixes_and_says_what_is_missing(self):
        trace = run(OLD_MAN, "state", "sum")
        text = " ".join(follow(trace, 10, "log", marginals(OLD_MAN)))
        assert "the 16 prefixes that end in NOUN at ‘man’" in text
        assert "It has not seen what follows ‘man’" in text
        assert "not p(NOUN)" in text
        last = " ".join(follow(trace, 18, "log", marginals(OLD_MAN)))
        assert "All tokens are in it, not the end score" in last
        folded = " ".join(follow(run(OLD_MAN, "pair", "sum"), 18, "log", marginals(OLD_MAN)))
        assert "the end score too" in folded
        message = " ".join(follow(run(OLD_MAN, "message", "sum"), 6, "log", marginals(OLD_MAN)))
        assert "The emission of ‘man’ is not in it yet" in message

    def test_a_cells_share_of_its_column_is_not_the_marginal(self):
        trace = run(OLD_MAN, "state", "sum")
        text = " ".join(follow(trace, 10, "log", marginals(OLD_MAN)))
        column = [oracle.cell(OLD_MAN, "state", "sum", 2, s) for s in range(4)]
        share = math.exp(column[2] - oracle.merge(column, "sum"))
        every = oracle.best_paths(OLD_MAN, 4**5)
        marginal = math.fsum(math.exp(score) for score, y in every if y[2] == 2)
        marginal /= math.fsum(math.exp(score) for score, _ in every)
        assert f"α̂ divided by its column’s sum is {share:.3f}, but" in text
        assert f"has the probability {marginal:.3f}" in text

    @pytest.mark.parametrize("name", ["old-man", "all-zero", "book", "bio", "one-token", "fish"])
    @pytest.mark.parametrize("convention", FORMS)
    def test_it_is_not_p_only_where_the_two_numbers_differ(self, name, convention):
        problem = EXAMPLES[name].problem
        trace = run(problem, convention, "sum")
        last = len(problem.tokens) - 1
        equal_ends = len(set(problem.end)) == 1
        every = oracle.best_paths(problem, 10**4)
        whole = math.fsum(math.exp(score) for score, _ in every)
        for index, step in enumerate(trace.steps):
            if step.kind != "cell" or step.log_value == -math.inf:
                continue
            text = follow(trace, index, "log", marginals(problem))[1]
            column = [
                oracle.cell(problem, convention, "sum", step.token, s)
                for s in range(len(problem.tags))
            ]
            share = math.exp(column[step.row] - oracle.merge(column, "sum"))
            p = math.fsum(math.exp(score) for score, y in every if y[step.token] == step.row)
            shown, marginal = format_probability(share), format_probability(p / whole)
            assert marginal in text
            by_definition = step.token == last and (
                convention == "pair" or (convention == "state" and equal_ends)
            )
            assert ("and that is p(" in text) == by_definition
            assert ("So it is not p(" in text) == (shown != marginal)
            assert ("happen to agree" in text) == (shown == marginal and not by_definition)
            assert f"divided by its column’s sum is {shown}" in text

    @pytest.mark.parametrize("convention", FORMS)
    def test_tells_the_way_back(self, convention):
        trace = run(OLD_MAN, convention, "max")
        told = [" ".join(follow(trace, k, "log", marginals(OLD_MAN))) for k in range(-5, 0)]
        assert "Known from the right: NOUN; 4 more to find" in told[0]
        assert "The backpointer κ of VERB at ‘man’ is NOUN at ‘old’" in told[3]
        assert "DET NOUN VERB DET NOUN, all of the sentence" in told[4]

    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_never_tells_the_guess(self, semiring):
        trace = run(OLD_MAN, "state", semiring)
        for index, step in enumerate(trace.steps):
            if step.kind == "cell" and step.column:
                text = " ".join(follow(trace, index, "log", marginals(OLD_MAN)))
                others = {OLD_MAN.tags[s] for s in range(4)} - {OLD_MAN.tags[step.row]}
                assert not any(re.search(rf"\b{tag}\b", text) for tag in others)


class TestFormula:
    @pytest.mark.parametrize(
        ("convention", "semiring", "space", "line"),
        [
            ("state", "sum", "log", "log α̂t(s)=log Σs′exp[log α̂t−1(s′)+T(s′→s)]+et(s)"),
            ("state", "sum", "probability", "α̂t(s)=Σs′[α̂t−1(s′)·ψ(s′→s)]·ψt(s)"),
            ("state", "max", "log", "δt(s)=maxs′[δt−1(s′)+T(s′→s)]+et(s)"),
            ("message", "sum", "log", "log αt(s)=log Σs′exp[log αt−1(s′)+et(s′)+T(s′→s)]"),
            ("message", "max", "probability", "exp vt(s)=maxs′[exp vt−1(s′)·ψt(s′)·ψ(s′→s)]"),
            ("pair", "sum", "probability", "αt(s)=Σs′[αt−1(s′)·ψ(s′,s,t)]"),
        ],
    )
    def test_the_step_in_symbols(self, convention, semiring, space, line):
        shown = plain(formulas.recursion(run(OLD_MAN, convention, semiring), space))
        assert line.replace(" ", "") in shown

    @pytest.mark.parametrize(
        ("convention", "space", "line"),
        [
            ("state", "log", "κt(s)=argmaxs′[δt−1(s′)+T(s′→s)]"),
            ("message", "log", "κt(s)=argmaxs′[vt−1(s′)+et(s′)+T(s′→s)]"),
            ("pair", "probability", "κt(s)=argmaxs′[exp δt−1(s′)·ψ(s′,s,t)]"),
        ],
    )
    def test_backpointers_belong_to_a_maximum(self, convention, space, line):
        best = plain(formulas.recursion(run(OLD_MAN, convention, "max"), space))
        assert line.replace(" ", "") in best
        assert "κ" not in plain(formulas.recursion(run(OLD_MAN, convention, "sum"), space))

    def test_messages_are_explained(self):
        for semiring, text in (("sum", "αisα̂inmessageform"), ("max", "visδinmessageform")):
            for form in FORMS:
                shown = plain(formulas.recursion(run(OLD_MAN, form, semiring), "log"))
                assert (text in shown) == (form == "message")

    @pytest.mark.parametrize("convention", FORMS)
    def test_factors_are_named_before_they_are_used(self, convention):
        trace = run(OLD_MAN, convention, "sum")
        shown = plain(formulas.products_and_logs(trace))
        for name, use in (("σ=exp(start)", "σ(s"), ("ψt=exp(emission", "ψt(s"), ("=exp(tr", "=Σ")):
            assert 0 <= shown.index(name) < shown.rindex(use)
        weights, logs = shown.index("Weights"), shown.index("Inlogs")
        products, sums = (
            plain(formulas.recursion(trace, space)).split("Hereandbelow")[0]
            for space in ("probability", "log")
        )
        assert weights < shown.index(products) < logs < shown.index(sums)
        assert "ψt=exp(emission" in plain(formulas.recursion(trace, "probability"))
        assert ("αisα̂inmessageform" in shown) == (convention == "message")


class TestCost:
    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_the_conventions_agree(self, semiring):
        traces = [run(WITH_ENDS, form, semiring) for form in FORMS]
        for found, trace in zip(cost.totals(traces), traces, strict=True):
            assert found.value == pytest.approx(oracle.total(WITH_ENDS, semiring), abs=1e-12)
            assert found.residual == abs(trace.log_total - traces[0].log_total) < 1e-12
            assert found.columns == (2 if trace.convention == "message" else 3)
            assert found.cells == 2 * found.columns + 1

    def test_enumerated(self):
        paths = enumerate_paths(WITH_ENDS)
        for semiring in SEMIRINGS:
            expected = oracle.total(WITH_ENDS, semiring)
            assert cost.enumerated(paths, semiring) == pytest.approx(expected)

    def test_growth(self):
        rows = cost.growth_rows(cost.growth(4, 5))
        assert rows[4] == ["5", "1,024", "1,023", str(4 * 4 * 3 + 3)]
        assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "10", "20", "50"]
        assert [row[0] for row in cost.growth_rows(cost.growth(2, 33))][-2:] == ["33", "50"]

    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_rearranged(self, semiring):
        text = cost.rearranged(OLD_MAN, run(OLD_MAN, "state", semiring))
        symbol = "α̂" if semiring == "sum" else "expδ"
        for row, tag in enumerate(OLD_MAN.tags[:2]):
            value = format_potential(oracle.cell(OLD_MAN, "state", semiring, 1, row))
            line = next(p for p in text.split("</p>") if plain(p).startswith(f"{symbol}₂({tag})"))
            assert plain(line).endswith(f"·ψ₂({tag})={value}")

    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_rearranged_without_its_answers(self, semiring):
        trace = run(OLD_MAN, "state", semiring)
        text = plain(cost.rearranged(OLD_MAN, trace, values=False))
        assert "·ψ₂(DET)" in text
        for column in trace.table:
            for value in column:
                assert f"={format_potential(value)}" not in text

    @pytest.mark.parametrize("semiring", SEMIRINGS)
    @pytest.mark.parametrize("problem", [OLD_MAN, WITH_ENDS, EXAMPLES["one-token"].problem])
    def test_units_are_those_of_the_trace(self, problem, semiring):
        """Counted step by step."""
        text = cost.units(len(problem.tags), len(problem.tokens), semiring)
        steps = [s for s in run(problem, "state", semiring).steps if s.kind != "backtrace"]
        merged = [s for s in steps if s.kind == "total" or s.column > 0]
        terms = sum(len(s.terms) for s in merged)
        act = "additions of exponentials" if semiring == "sum" else "comparisons"
        assert act in text
        if len(problem.tokens) == 1:
            assert text.endswith(f"= {terms - 1} {act}.")
            return
        assert f"= {len(steps) - 1} cells, {len(steps)} with END" in text
        assert f"= {terms - len(problem.tags)} sums of two scores" in text
        assert f"{terms} − {len(merged)} = {sum(len(s.terms) - 1 for s in merged)}." in text

    @pytest.mark.parametrize("tags", [2, 4, 17])
    def test_where_the_gain_begins(self, tags):
        rows = [
            [int(n.replace(",", "")) for n in row]
            for row in cost.growth_rows(cost.growth(tags, 6))[:6]
        ]
        first = next(tokens for tokens, _, listed, recursion in rows if recursion < listed)
        assert rows[first - 2][2] == rows[first - 2][3]
        words = ["first", "second", "third", "fourth"]
        assert f"begins with the {words[first - 1]} token" in cost.gain_begins(tags, "sum")
        assert "nothing to gain" in cost.gain_begins(1, "sum")

    def test_memory(self):
        assert "4 · 5 = 20 cells do the work of 1,024 paths" in cost.memory(OLD_MAN, "sum")


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
        flips = sum(new.path[: len(old.path)] != old.path for old, new in pairwise(found))
        told = prefixes.flips_told(problem, run(problem, "state", "max"))
        assert sum("the best prefix was" in text for text in told) == flips

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
        assert "no tie" in prefixes.ties_told(OLD_MAN, run(OLD_MAN, "state", "max"))[0]

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


class TestDecoders:
    def found(self, problem, path):
        score = oracle.prefix_score(problem, path) + problem.end[path[-1]]
        return Decoded("It", "", path, score, score - oracle.total(problem, "sum"))

    def test_where_it_goes_wrong(self):
        best, other = self.found(OLD_MAN, (0, 2, 3, 0, 2)), self.found(OLD_MAN, (0, 1, 2, 0, 2))
        text = decoders.went_wrong(OLD_MAN, other, best)
        assert text.startswith(
            "It takes ADJ (2.00) instead of NOUN (0.50) for ‘old’ and NOUN (2.00) instead of VERB "
            "(0.50) for ‘man’."
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
        text = prefixes.agreement_told(run(problem, "state", "max"))
        assert ("rule for ties" in text) == (tied > 1)
        assert (f"{format_count(tied)} paths share" in text) == (tied > 1)

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


class TestExports:
    @pytest.mark.parametrize("convention", FORMS)
    def test_the_trellis_as_csv(self, convention):
        trace = run(OLD_MAN, convention, "sum")
        written = exports.trace_tables(trace, 0)["Trellis"].csv()
        header, *rows = csv.reader(io.StringIO(written))
        shift = convention == "message"
        assert header == ["tag", *OLD_MAN.tokens[shift:]]
        for s, (tag, *cells) in enumerate(rows):
            assert tag == OLD_MAN.tags[s]
            for t, cell in enumerate(cells, shift):
                expected = oracle.cell(OLD_MAN, convention, "sum", t, s)
                assert float(cell) == pytest.approx(expected, abs=1e-12)

    def test_the_terms_of_a_step_as_csv(self):
        trace = run(OLD_MAN, "state", "sum")
        written = exports.trace_tables(trace, 10)["Terms of this step"].csv()
        header, *rows = csv.reader(io.StringIO(written))
        assert header == ["from", "previous", "transition", "sum", "share"]
        assert [row[0] for row in rows] == list(OLD_MAN.tags)
        assert math.fsum(float(row[-1]) for row in rows) == pytest.approx(1)
        for i, row in enumerate(rows):
            before = oracle.cell(OLD_MAN, "state", "sum", 1, i)
            assert float(row[3]) == pytest.approx(before + OLD_MAN.transitions[i][2])
        first = exports.trace_tables(trace, 0)["Terms of this step"].csv()
        assert "START" in first

    def test_the_way_back_has_no_terms(self):
        trace = run(OLD_MAN, "state", "max")
        written = exports.trace_tables(trace, len(trace.steps) - 1)["Terms of this step"].csv()
        assert written == "from,sum,share\n"

    def test_forbidden_scores_and_latex(self):
        problem = EXAMPLES["bio"].problem
        tables = exports.problem_tables(problem)
        assert "-inf" in tables["Transitions"].csv()
        assert r"-\infty" in tables["Transitions"].latex()
        assert list(tables) == ["Emissions", "Transitions", "Start and end"]

    def test_one_matrix_for_each_step(self):
        problem = OLD_MAN.per_step_form()
        assert exports.problem_tables(problem)["Transitions"].latex().count("tabular") == 8

    def test_the_trace_as_json(self):
        trace = run(EXAMPLES["no-path"].problem, "state", "sum")
        read = json.loads(exports.to_json(trace), parse_constant=pytest.fail)
        assert read["log_total"] == "-inf"
        assert len(read["steps"]) == len(trace.steps)
