"""What the lesson on marginals says and draws, against sums over all paths."""

import math
import re

import pytest

from crf.figures.heat.payload import Probabilities, payload
from crf.figures.trellis.equations import Writer
from pages.backward import clamping, samples, step_explanations
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import Marginals
from pages.shared.course.numbers import format_potential, format_probability, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import formulas
from pages.shared.ui.cell_table import check_pick
from tests.oracles import marginals as oracle

OLD_MAN = EXAMPLES["old-man"].problem
FORMS, SEMIRINGS = ("state", "message", "pair"), ("sum", "max")
SMALL = ["old-man", "fish", "bio", "no-path", "one-token", "all-forbidden"]


def both(problem, convention="state", semiring="sum"):
    how = {"convention": convention, "semiring": semiring}
    return Marginals(problem.trace("forward", **how), problem.trace("backward", **how))


def plain(html):
    return "".join(re.sub("<[^>]+>", "", html).split())


class TestFollow:
    @pytest.mark.parametrize("name", SMALL)
    @pytest.mark.parametrize("convention", FORMS)
    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_says_each_cells_value_in_both_spaces(self, name, convention, semiring):
        problem = EXAMPLES[name].problem
        trace = problem.trace("backward", convention=convention, semiring=semiring)
        total = oracle.total(problem, semiring)
        for index, step in enumerate(trace.steps):
            value = total
            if step.kind == "cell":
                value = oracle.beta(problem, convention, semiring, step.token, step.row)
            log, potential = (
                " ".join(step_explanations.follow(trace, index, space, total))
                for space in ("log", "probability")
            )
            assert format_score(value) in log
            assert (" allowed" if value == -math.inf else format_potential(value)) in potential

    def test_counts_suffixes_and_says_what_is_missing(self):
        trace = OLD_MAN.trace("backward")
        text = " ".join(step_explanations.follow(trace, 11, "log", 0.0))
        assert "all 16 ways to tag what follows ‘man’, if it is VERB" in text
        assert "The emission of ‘man’ is not in it, nor anything before" in text
        assert "not p(VERB)" in text
        first = " ".join(step_explanations.follow(trace, 16, "log", 0.0))
        assert "nor the start score" in first
        last = " ".join(step_explanations.follow(trace, 0, "log", 0.0))
        assert "nothing follows, so it is its end score" in last

    def test_the_total_is_compared_with_forwards(self):
        trace = OLD_MAN.trace("backward")
        last = len(trace.steps) - 1
        assert "found the same" in step_explanations.follow(trace, last, "log", trace.log_total)[1]
        other = step_explanations.follow(trace, last, "log", trace.log_total + 0.25)[1]
        assert f"found {format_score(trace.log_total + 0.25)}." in other

    def test_never_tells_the_guess(self):
        trace = OLD_MAN.trace("backward")
        for index, step in enumerate(trace.steps[:-1]):
            text = " ".join(step_explanations.follow(trace, index, "log", 0.0))
            others = {OLD_MAN.tags[s] for s in range(4)} - {OLD_MAN.tags[step.row]}
            assert not any(re.search(rf"\b{tag}\b", text) for tag in others)


class TestFormula:
    @pytest.mark.parametrize(
        ("convention", "semiring", "space", "line"),
        [
            ("state", "sum", "log", "log βt(s)=log Σs′exp(T[s,s′]+e[t+1,s′]+log βt+1(s′))"),
            ("state", "sum", "probability", "Z=Σs[σ(s)·ψ1(s)·β1(s)]"),
            ("state", "max", "log", "max-βt(s)=maxs′(T[s,s′]+e[t+1,s′]+max-βt+1(s′))"),
            ("message", "sum", "probability", "βt(s)=Σs′[ψt(s′)·ψ(s,s′)·βt+1(s′)]"),
            ("message", "sum", "log", "log Z=log Σsexp(start[s]+e[1,s]+log β2(s))"),
            ("pair", "sum", "probability", "βt(s)=Σs′[ψ(s,s′,t+1)·βt+1(s′)]"),
            ("pair", "sum", "log", "log βm(s)=0"),
        ],
    )
    def test_the_recursion_in_symbols(self, convention, semiring, space, line):
        trace = OLD_MAN.trace("backward", convention=convention, semiring=semiring)
        assert line.replace(" ", "") in plain(formulas.recursion(trace, space))

    @pytest.mark.parametrize(
        ("convention", "line"),
        [("state", "p(yt=s|x)=α̂t(s)·βt(s)/Z"), ("message", "p(yt=s|x)=αt−1(s)·ψt(s)·βt+1(s)/Z")],
    )
    def test_the_marginal_in_symbols(self, convention, line):
        assert line in plain(step_explanations.formula(convention))

    def test_a_backward_message_is_counted_by_the_token_it_comes_from(self):
        trace = OLD_MAN.trace("backward", convention="message")
        equation = Writer(trace).step(trace.steps[4])["equation"][0]  # to ‘man’, DET
        assert trace.steps[4].token == 2
        assert equation[0]["sub"] == "4"
        symbols = [piece for piece in equation if isinstance(piece, dict)]
        assert [one["sub"] for one in symbols if one["role"] == "p"] == ["4", "5"]
        assert [one["text"] for one in symbols if one["role"] == "e"] == ["e[4, s′]"]


class TestCell:
    @pytest.mark.parametrize("name", ["old-man", "bio", "ice-cream", "fifty"])
    def test_the_numbers_add_up_to_the_probability(self, name):
        found = both(EXAMPLES[name].problem)
        for t, s in ((0, 0), (found.m - 1, 1)):
            text = step_explanations.cell_told(found, t, s)
            assert text.endswith(f" = {format_probability(found.unary[t][s])}")
            inside = re.search(r"= exp\(([^a-z]+)\) = ", text)[1]
            terms = inside.replace(" − ", " -").replace(" + ", " +").replace("−", "-")
            terms = [math.inf if "∞" in n else float(n) for n in terms.split()]
            if math.inf not in terms:
                exact = found.product(t, s) - found.log_total
                assert sum(terms) == pytest.approx(exact, abs=0.002)

    def test_pair(self):
        text = step_explanations.pair_told(both(OLD_MAN), 1, 1, 2)
        p = format_probability(oracle.pairs(OLD_MAN, 1)[1][2])
        assert text.endswith(f" = {p}")
        assert "+ 1.500 + 2.000 +" in text  # ADJ → NOUN; the emission of ‘man’ as NOUN

    def test_pairs_sum_to_the_marginals(self):
        found = both(OLD_MAN)
        assert [sum(row) for row in found.pairs(2)] == pytest.approx(found.unary[2])
        columns = zip(*found.pairs(2), strict=True)
        assert [sum(column) for column in columns] == pytest.approx(found.unary[3])

    def test_entropy_of_independent_tags_has_no_difference(self):
        problem = EXAMPLES["zero-transitions"].problem
        text = step_explanations.entropy_told(both(problem), oracle.entropy(problem))
        assert "independent" in text[1]


class TestClamped:
    def test_arrows(self):
        now, old = [[0.9, 0.1, 0.301]], [[0.2, 0.5, 0.3]]
        assert clamping.moved(now, old) == [["▲ .90", "▼ .10", ".30"]]

    def test_what_moves_most_comes_first(self):
        before = both(OLD_MAN)
        given = oracle.unary(OLD_MAN, lambda y: y[2] == 2)
        log_p = math.log(oracle.probability(OLD_MAN, lambda y: y[2] == 2))
        log_z = oracle.total(OLD_MAN) + log_p
        now = clamping.Clamped((-1, -1, 2, -1, -1), given, log_z, log_p, True)
        _, moves = clamping.what_moved(OLD_MAN, now, before)
        changes = {
            (t, s): abs(given[t][s] - before.unary[t][s]) for t in (0, 1, 3, 4) for s in range(4)
        }
        t, s = max(changes, key=changes.get)
        assert moves.startswith(f"What has moved most: ‘{OLD_MAN.tokens[t]}’ {OLD_MAN.tags[s]} ")


def test_the_curve_carries_its_numbers():
    sizes = samples.SIZES
    found, expected = [1 / n for n in sizes], [2 / math.sqrt(n) for n in sizes]
    figure = samples.curve(found, expected, 100)
    assert list(figure.data[0].x) == list(sizes)
    assert list(figure.data[0].y) == [max(distance, min(expected) / 10) for distance in found]
    assert list(figure.data[1].y) == expected
    assert (figure.data[2].x, figure.data[2].y) == ((100,), (0.01,))


def test_a_columns_probabilities_sum_to_1_whatever_rounding_leaves():
    found = both(OLD_MAN)
    off = [t for t in range(found.m) if math.fsum(found.unary[t]) != 1]
    assert off
    for t in off:
        assert "<td>1</td></tr></tbody>" in step_explanations.column_table(
            found, t, "log", found.S, None
        )


def test_an_exact_hit_does_not_stretch_the_curve():
    expected = [2 / math.sqrt(n) for n in samples.SIZES]
    found = [0.0 if n == 100 else 1e-17 if n == 200 else 0.1 for n in samples.SIZES]
    figure = samples.curve(found, expected, 100)
    bottom = min(expected) / 10
    k = samples.SIZES.index(100)
    assert figure.data[0].y[k] == figure.data[0].y[k + 1] == figure.data[2].y[0] == bottom
    assert min(*figure.data[0].y, *figure.data[1].y) == bottom
    assert figure.data[0].text[k : k + 3] == ("0", "1.00 × 10⁻¹⁷", "0.100")


class TestCells:
    shown = Probabilities(
        "label", ["A", "B"], ["x"], [[0.25], [0.75]], lambda i, j: f"{i} {j}", {(1, 0)},
        sums=("sum", ["a", "b"]), footer=[("all", ["1"])],
    )  # fmt: skip

    def test_payload(self):
        sent = payload(self.shown)
        texts = [[cell[0] for cell in row["cells"]] for row in sent["rows"]]
        assert texts == [[".25"], [".75"]]
        assert [row["cells"][0][3:] for row in sent["rows"]] == [["0 0", False], ["1 0", True]]
        assert [row["sums"] for row in sent["rows"]] == [["a"], ["b"]]
        assert sent["footer"] == [["all", ["1"]]]

    @pytest.mark.parametrize(
        "pick",
        [None, [0], [2, 0], [0, 1], [-1, 0], [True, 0], [0.0, 0], "00", {"0": 0}, [[0], 0], 7],
    )
    def test_a_forged_pick_is_none(self, pick):
        assert check_pick(pick, self.shown) is None

    def test_a_pick(self):
        assert check_pick([1, 0], self.shown) == (1, 0)


def test_names_are_escaped():
    problem = Problem.blank(["<b>", "B"], ["<i>x</i>", "y"])
    found = both(problem)
    shown = step_explanations.column_table(
        found, 0, "log", 2, 0
    ) + step_explanations.neighbours_table(found, 0, 0)
    assert "<b>" not in shown
    assert "<i>x" not in shown
