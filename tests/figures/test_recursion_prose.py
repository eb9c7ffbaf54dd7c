"""What the lessons on recursions say of a step, and their formulas."""

import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_potential, format_probability, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import formulas
from pages.shared.figures.recursion_prose import follow
from tests.figures.recursions import FORMS, OLD_MAN, SEMIRINGS, plain, run
from tests.oracles import recursions as oracle

SMALL = ["old-man", "fish", "bio", "no-path", "one-token", "all-forbidden"]


def marginals(problem):
    return problem.chain().marginals[0].tolist()


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
            assert ("usually they don’t" in text) == (shown == marginal and not by_definition)
            assert f"divided by its column’s sum is {shown}" in text

    @pytest.mark.parametrize("space", ["log", "probability"])
    def test_one_path_is_spoken_of_as_one_and_as_allowed_where_others_are_not(self, space):
        alone = Problem.blank(["A"], ["x", "y"])
        left = Problem.blank(["A", "B"], ["x", "y"])
        left = left.with_score("start", 1, -math.inf).with_score("end", 1, -math.inf)
        for one, which in ((alone, ""), (left, "allowed ")):
            S = len(one.tags)
            for semiring in ("sum", "max"):
                trace = run(one, "state", semiring)
                means = [" ".join(follow(trace, k, space, marginals(one))) for k in (S, 2 * S)]
                assert f"of the one {which}prefix that ends in A" in means[0]
                assert f"of the only {which}path" in means[1]
                assert "no single path" not in means[1]
                assert "best of" not in " ".join(means)

    def test_one_token_has_no_other_columns(self):
        problem = EXAMPLES["one-token"].problem
        (_, text) = follow(run(problem, "pair", "sum"), 0, "log", marginals(problem))
        assert "and that is p(A)" in text
        assert "columns" not in text
        assert "its end: 1.00" in follow(
            run(problem, "pair", "sum"), 0, "log", marginals(problem)
        )[0]  # fmt: skip

    def test_no_tag_has_a_probability_where_no_path_is_allowed(self):
        nothing = OLD_MAN
        for tag in range(len(OLD_MAN.tags)):
            nothing = nothing.with_score("end", tag, -math.inf)
        trace = run(nothing, "state", "sum")
        text = " ".join(follow(trace, 0, "log", marginals(nothing)))
        assert "no path is allowed here, so no tag has a probability" in text
        assert "whole sentence read" not in text

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
            ("state", "sum", "log", "log α̂t(s)=log Σs′exp(log α̂t−1(s′)+T[s′,s])+e[t,s]"),
            ("state", "sum", "probability", "α̂t(s)=Σs′[α̂t−1(s′)·ψ(s′,s)]·ψt(s)"),
            ("state", "max", "log", "δt(s)=maxs′(δt−1(s′)+T[s′,s])+e[t,s]"),
            ("message", "sum", "log", "log αt(s)=log Σs′exp(log αt−1(s′)+e[t,s′]+T[s′,s])"),
            ("message", "max", "probability", "exp vt(s)=maxs′[exp vt−1(s′)·ψt(s′)·ψ(s′,s)]"),
            ("pair", "sum", "probability", "αt(s)=Σs′[αt−1(s′)·ψ(s′,s,t)]"),
        ],
    )
    def test_the_step_in_symbols(self, convention, semiring, space, line):
        shown = plain(formulas.recursion(run(OLD_MAN, convention, semiring), space))
        assert line.replace(" ", "") in shown

    @pytest.mark.parametrize(
        ("convention", "space", "line"),
        [
            ("state", "log", "κt(s)=argmaxs′(δt−1(s′)+T[s′,s])"),
            ("message", "log", "κt(s)=argmaxs′(vt−1(s′)+e[t,s′]+T[s′,s])"),
            ("pair", "probability", "κt(s)=argmaxs′[exp δt−1(s′)·ψ(s′,s,t)]"),
        ],
    )
    def test_backpointers_belong_to_a_maximum(self, convention, space, line):
        best = plain(formulas.recursion(run(OLD_MAN, convention, "max"), space))
        assert line.replace(" ", "") in best
        assert "κ" not in plain(formulas.recursion(run(OLD_MAN, convention, "sum"), space))

    @pytest.mark.parametrize("semiring", ["sum", "max"])
    @pytest.mark.parametrize("algorithm", ["forward", "backward"])
    def test_the_end_is_in_the_last_tokens_factor(self, algorithm, semiring):
        trace = OLD_MAN.trace(algorithm, convention="pair", semiring=semiring)
        at = "s′" if algorithm == "backward" else "s"
        for space, end in (("log", f"end[{at}]"), ("probability", f"ε({at})")):
            shown = plain(formulas.recursion(trace, space))
            assert f"ψofthelasttokenalsohas{end}init." in shown

    @pytest.mark.parametrize("convention", FORMS)
    def test_that_t_is_many_tables_is_said_where_it_is_named(self, convention):
        for problem in (OLD_MAN, OLD_MAN.per_step_form()):
            for semiring in ("sum", "max"):
                shown = plain(formulas.recursion(run(problem, convention, semiring), "log"))
                told = "hasatransitiontableofitsown" in shown
                assert told == (problem.per_step and convention != "pair")

    def test_messages_are_explained(self):
        for semiring, text in (("sum", "αisα̂inmessageform"), ("max", "visδinmessageform")):
            for form in FORMS:
                shown = plain(formulas.recursion(run(OLD_MAN, form, semiring), "log"))
                assert (text in shown) == (form == "message")

    @pytest.mark.parametrize("convention", FORMS)
    def test_factors_are_named_where_there_are_any(self, convention):
        trace = run(OLD_MAN, convention, "sum")
        assert "ψt(s)=exp(e[t,s])" in plain(formulas.recursion(trace, "probability"))
        assert "exp(e[" not in plain(formulas.recursion(trace, "log"))
