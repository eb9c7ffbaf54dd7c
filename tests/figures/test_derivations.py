"""Derivations are right: nested sums are read back, evaluated, and give log Z and the cells."""

import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.figures import derivations
from pages.shared.figures.derivations import FORMULAS, MARGINALS, equations, nested
from tests.oracles.recursions import matrix, total

ALGORITHMS, FORMS = ("forward", "backward", "viterbi"), ("state", "message", "pair")
_TOKEN = re.compile(
    r"\\(sum|max)_\{y_\{(\d+)\}\}|\\psi\((.*?)\)(?= |$|\})|\\(sigma|varepsilon)\(y_\{(\d+)\}\)"
    r"|(\\underbrace\{)|\}_\{((?:\\exp )?[^ ]*?\(y_\{(\d+)\}\))\}(?= |$|\})|(1)(?=\})|\\,| "
)


class Evaluated:
    """The value of a nested sum for a problem, tag by tag."""

    def __init__(self, problem, text):
        self.problem, self.parts, self.cells = problem, [], {}
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            assert found, text[at:]
            if found[0].strip() not in ("", "\\,"):
                self.parts.append(found)
            at = found.end()

    def value(self, tags, at=0):
        """The product from a place on, to the end of its brace; and where that is."""
        product = 1.0
        while at < len(self.parts):
            part = self.parts[at]
            if part[1]:
                each = range(len(self.problem.tags))
                found = [self.value(tags | {int(part[2]): s}, at + 1) for s in each]
                values = [value for value, _ in found]
                return product * (sum(values) if part[1] == "sum" else max(values)), found[0][1]
            if part[6]:
                inner, at = self.value(tags, at + 1)
                product *= inner
            elif part[7]:
                return product, at
            else:
                product *= self.factor(part, tags)
            at += 1
        return product, at

    def factor(self, part, tags):
        problem, last = self.problem, len(self.problem.tokens)
        if part[9]:
            return 1.0
        if part[4]:
            ends = problem.start if part[4] == "sigma" else problem.end
            return math.exp(ends[tags[int(part[5])]])
        names = [int(n) for n in re.findall(r"y_\{(\d+)\}", part[3])]
        t = names[-1]
        here = tags[t]
        emission = problem.emissions[t - 1][here]
        if "text" in part[3]:
            return math.exp(emission)
        move = matrix(problem, t - 1)[tags[t - 1]][here] if len(names) == 2 else problem.start[here]
        is_pair = part[3].rstrip().endswith(f", {t}")
        if not is_pair:
            return math.exp(move)
        return math.exp(move + emission + (problem.end[here] if t == last else 0.0))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("example", ["old-man", "fish", "bio"])
def test_the_nested_sums_are_the_total(example, algorithm, form):
    problem = EXAMPLES[example].problem
    words = [f"w{t}" for t in range(len(problem.tokens))]
    _, text = nested(algorithm, form, words)
    value, _ = Evaluated(problem, text.split(" = ", 1)[1]).value({})
    expected = total(problem, "max" if algorithm == "viterbi" else "sum")
    assert math.log(value) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_cell_of_the_middle_is_the_trace_s(algorithm, form):
    problem = EXAMPLES["fish"].problem
    how = {"semiring": "max"} if algorithm == "viterbi" else {}
    trace = problem.trace(algorithm, convention=form, **how)
    text, _ = nested(algorithm, form, ["a", "b", "c"], 1)
    symbol, _, right = text.partition(" = ")
    tag = int(re.findall(r"y_\{(\d+)\}", symbol)[-1])
    column = 1 if form != "message" or algorithm != "backward" else 0
    for s in range(2):
        value, _ = Evaluated(problem, right).value({tag: s})
        assert math.log(value) == pytest.approx(trace.table[column][s], rel=1e-9, abs=1e-9)


def test_a_long_sentence_has_braces_up_to_a_depth_and_odd_words_are_numbered():
    text, whole = nested("forward", "state", [f"w{t}" for t in range(20)] + ["$x_1$"], 20)
    assert text.count("underbrace") == derivations.DEEPEST
    assert "x_{21}" in whole
    assert "$" not in text + whole


@pytest.mark.parametrize("topic", ["alpha", "beta", "delta", "marginal", *FORMULAS])
def test_every_topic_has_equations_with_balanced_braces(topic):
    for words in (["a"], ["a", "b"], list("abcdefgh")):
        for line in equations(topic, words, len(words) // 2):
            assert line.count("{") == line.count("}")
            assert line.count(r"\begin") == line.count(r"\end")
    assert len(MARGINALS) == len(FORMS)
