"""What the lessons on recursions say of a step, and their formulas."""

import math
import re
from itertools import product

import pytest

from crf.figures.numbers import format_potential, format_probability, format_score
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures import formulas
from pages.shared.figures.recursion_prose import follow
from tests.figures.recursions import FORMS, OLD_MAN, SEMIRINGS, plain, run
from tests.oracles import recursions as oracle

SMALL = ["old-man", "bio", "no-path", "one-token"]


def marginals(problem):
    return problem.chain().marginals[0].tolist()


def told(problem, convention, semiring, index, space="log"):
    trace = run(problem, convention, semiring)
    return " ".join(follow(trace, index, space, marginals(problem)))


@pytest.mark.parametrize("convention", FORMS)
@pytest.mark.parametrize("semiring", SEMIRINGS)
@pytest.mark.parametrize("name", SMALL)
def test_each_step_says_its_value_in_both_spaces_and_never_tells_the_guess(
    convention, semiring, name
):
    problem = EXAMPLES[name].problem
    for index, step in enumerate(run(problem, convention, semiring).steps):
        if step.kind == "backtrace":
            continue
        value = oracle.total(problem, semiring)
        if step.kind == "cell":
            value = oracle.cell(problem, convention, semiring, step.token, step.row)
        log = told(problem, convention, semiring, index)
        assert format_score(value) in log
        if value > -math.inf:
            potential = told(problem, convention, semiring, index, "probability")
            assert format_score(value) in potential
            assert format_potential(value) in potential
        if name == "old-man" and step.kind == "cell" and step.column:
            others = set(problem.tags) - {problem.tags[step.row]}
            assert not any(re.search(rf"\b{tag}\b", log) for tag in others)


@pytest.mark.parametrize(
    ("convention", "semiring", "index", "said"),
    [
        ("state", "sum", 10, "the 16 prefixes that end in NOUN at ‘man’"),
        ("state", "sum", 10, "It has not seen what follows ‘man’"),
        ("state", "sum", 18, "All tokens are in it, not the end score"),
        ("pair", "sum", 18, "the end score too"),
        ("message", "sum", 6, "The emission of ‘man’ is not in it yet"),
        *((form, "max", -5, "Known from the right: NOUN; 4 more to find") for form in FORMS),
        *((form, "max", -2, "κ of VERB at ‘man’ is NOUN at ‘old’") for form in FORMS),
        *((form, "max", -1, "DET NOUN VERB DET NOUN, all of the sentence") for form in FORMS),
    ],
)
def test_what_is_in_it_and_what_is_missing(convention, semiring, index, said):
    assert said in told(OLD_MAN, convention, semiring, index)


@pytest.mark.parametrize("name", ["all-zero", "book", "bio", "one-token"])
@pytest.mark.parametrize("convention", FORMS)
def test_it_is_not_p_only_where_the_two_numbers_differ(name, convention):
    problem = EXAMPLES[name].problem
    trace, S = run(problem, convention, "sum"), len(problem.tags)
    last, equal_ends = len(problem.tokens) - 1, len(set(problem.end)) == 1
    every = oracle.best_paths(problem, 10**4)
    whole = math.fsum(math.exp(score) for score, _ in every)
    for index, step in enumerate(trace.steps):
        if step.kind != "cell" or step.log_value == -math.inf:
            continue
        text = follow(trace, index, "log", marginals(problem))[1]
        column = [oracle.cell(problem, convention, "sum", step.token, s) for s in range(S)]
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


def test_one_path_is_spoken_of_as_one_and_as_allowed_where_others_are_not():
    alone = Problem.blank(["A"], ["x", "y"])
    left = Problem.blank(["A", "B"], ["x", "y"])
    left = left.with_score("start", 1, -math.inf).with_score("end", 1, -math.inf)
    for (one, which), semiring, space in product(
        ((alone, ""), (left, "allowed ")), SEMIRINGS, ("log", "probability")
    ):
        S = len(one.tags)
        cell, total = (told(one, "state", semiring, k, space) for k in (S, 2 * S))
        assert f"of the one {which}prefix that ends in A" in cell
        assert f"of the only {which}path" in total
        assert "no single path" not in total
    nothing = OLD_MAN._with(end=(-math.inf,) * 4)
    assert "no path is allowed here, so no tag has" in told(nothing, "state", "sum", 0)


@pytest.mark.parametrize(
    ("algorithm", "convention", "semiring", "space", "line"),
    [
        ("forward", "state", "sum", "log", "log α̂t(s)=log Σs′exp(log α̂t−1(s′)+T[s′,s])+e[t,s]"),
        ("forward", "state", "sum", "probability", "α̂t(s)=Σs′[α̂t−1(s′)·ψ(s′,s)]·ψt(s)"),
        ("viterbi", "state", "max", "log", "δt(s)=maxs′(δt−1(s′)+T[s′,s])+e[t,s]"),
        ("viterbi", "state", "max", "log", "κt(s)=argmaxs′(δt−1(s′)+T[s′,s])"),
        ("forward", "message", "sum", "log",
         "log αt(s)=log Σs′exp(log αt−1(s′)+e[t,s′]+T[s′,s])"),
        ("forward", "message", "sum", "log", "αisα̂inmessageform"),
        ("viterbi", "message", "max", "probability",
         "exp vt(s)=maxs′[exp vt−1(s′)·ψt(s′)·ψ(s′,s)]"),
        ("forward", "pair", "sum", "probability", "αt(s)=Σs′[αt−1(s′)·ψ(s′,s,t)]"),
        ("forward", "pair", "sum", "log", "ψofthelasttokenalsohasend[s]init."),
        ("backward", "state", "sum", "log", "log βt(s)=log Σs′exp(T[s,s′]+e[t+1,s′]+log βt+1(s′))"),
        ("backward", "state", "max", "log", "max-βt(s)=maxs′(T[s,s′]+e[t+1,s′]+max-βt+1(s′))"),
        ("backward", "message", "sum", "probability", "βt(s)=Σs′[ψt(s′)·ψ(s,s′)·βt+1(s′)]"),
        ("backward", "pair", "sum", "probability", "βt(s)=Σs′[ψ(s,s′,t+1)·βt+1(s′)]"),
        ("backward", "pair", "sum", "log", "log βm(s)=0"),
        ("backward", "pair", "max", "probability", "ψofthelasttokenalsohasε(s′)init."),
    ],
)  # fmt: skip
def test_the_recursion_in_symbols(algorithm, convention, semiring, space, line):
    trace = OLD_MAN.trace(algorithm, convention=convention, semiring=semiring)
    shown = plain(formulas.recursion(trace, space))
    assert line.replace(" ", "") in shown
    assert ("κ" in shown) == (algorithm == "viterbi")
    steps = OLD_MAN.per_step_form().trace(algorithm, convention=convention, semiring=semiring)
    own = "hasatransitiontableofitsown" in plain(formulas.recursion(steps, space))
    assert own == (convention != "pair")
