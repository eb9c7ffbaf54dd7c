"""The graph of the lesson "Why structure": fixed tags, and what they make independent."""

import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.theme import probability
from pages.shared.ui import fixed_tags
from pages.structure import graph as structure_graph
from pages.structure import independence_prose
from pages.structure.graph_component import check_click
from tests.pages.structure_helpers import OLD_MAN, enumerated, open_page, texts

DET, ADJ, NOUN, VERB = range(4)


def test_a_fixed_tag_is_changed_and_freed_by_its_menu():
    app = open_page(fix="2.3~4.2")
    p = enumerated(OLD_MAN)

    def mass(fixed):
        return math.fsum(
            share for y, share in p.items() if all(y[t] == s for t, s in fixed.items())
        )

    assert f"probability {probability(mass({2: VERB, 4: NOUN}))}." in texts(app)
    app.selectbox(key="structure.fix.2").set_value(NOUN).run()
    assert f"probability {probability(mass({2: NOUN, 4: NOUN}))}." in texts(app)
    app.selectbox(key="structure.fix.4").set_value(-1).run()
    told = f"You fixed ‘man’ = NOUN, which has probability {probability(mass({2: NOUN}))}."
    assert told in texts(app)
    app.selectbox(key="structure.fix.2").set_value(DET).run()
    assert "You fixed ‘man’ = DET" in texts(app)


def test_what_is_fixed_goes_with_its_problem():
    app = open_page(fix="2.3")
    app.selectbox(key="bar.example").set_value("can-fish").run()
    assert "You fixed" not in texts(app)
    assert "fix" not in app.query_params


def test_tags_that_cannot_be():
    app = open_page(ex="bio", fix="0.1")  # I may not begin
    assert not app.exception
    assert "No allowed path has that" in texts(app)


@pytest.mark.parametrize(
    "asked", ["9.0", "0.9", "x", "1", "1.2~", "1.-1", "1.2~1.3", "².", "02.3", "2.3" * 999, "<b>"]
)
def test_a_forged_address_is_answered_by_a_message(asked):
    app = open_page(fix=asked)
    assert not app.exception
    assert any("fixes" in warning.value for warning in app.warning)
    assert "You fixed" not in texts(app)


@pytest.mark.parametrize("kept", [7, (), ("x", {0: 0}), ("x", "y", {0: 9}), None])
def test_a_forged_session(kept):
    app = open_page()
    app.session_state[fixed_tags.slot("structure")] = kept
    app.run()
    assert not app.exception
    assert "You fixed" not in texts(app)


def test_what_later_words_may_change_in_a_memm():
    """One definition of label bias, in its own section; none that contradicts what a MEMM sees."""
    own, whole = (texts(open_page(graph="memm", sees=sees)) for sees in ("token", "sentence"))
    cannot, can = "later words cannot change", "a later word can change an earlier choice"
    assert (cannot in own, can in own) == (True, False)
    assert (cannot in whole, can in whole) == (False, True)
    assert "Only the graph is the MEMM’s" in own
    assert "Only the graph is" not in texts(open_page())


def test_the_formula_has_the_factors_that_the_figure_has():
    formula, none = "σ(y₁) ε(y<sub>m</sub>)", "so σ = ε = exp(0) = 1"
    for sees in ("token", "sentence"):
        assert formula in texts(open_page(sees=sees))
        assert none in texts(open_page(sees=sees))
    other = texts(open_page(ex="three-one-three"))
    assert (formula in other, none in other) == (True, False)
    other = texts(open_page(ex="three-one-three", graph="hmm"))
    assert (formula in other, none in other) == (False, False)


class TestIndependence:
    def test_told(self):
        p = enumerated(OLD_MAN)
        whole = math.fsum(share for y, share in p.items() if y[2] == VERB)

        def given(test):
            return math.fsum(s for y, s in p.items() if y[2] == VERB and test(y)) / whole

        app = open_page(fix="2.3")
        shown = texts(app)
        joint = given(lambda y: (y[1], y[3]) == (NOUN, DET))
        apart = given(lambda y: y[1] == NOUN) * given(lambda y: y[3] == DET)
        assert joint == pytest.approx(apart, abs=1e-14)
        assert f"it is {probability(joint)} and the product {probability(apart)}, the same" in shown
        before = math.fsum(s for y, s in p.items() if (y[1], y[3]) == (NOUN, DET))
        assert f"p(‘old’ = NOUN, token 4 ‘the’ = DET) was {before:.4f}" in shown or (
            f"p(‘old’ = NOUN, ‘the’ = DET) was {before:.4f}" in shown
        )

    @pytest.mark.parametrize("name", ["old-man", "can-fish", "three-one-three"])
    def test_rows(self, name):
        problem = EXAMPLES[name].problem
        middle = len(problem.tokens) // 2
        before = structure_graph.given(problem, {})
        now = structure_graph.given(problem, {middle: 0})
        _, rows, ringed = independence_prose.dependence_rows(problem, before, now)
        m = len(problem.tokens)
        assert ringed == {(a, b) for a in range(middle) for b in range(middle + 1, m)}
        for a, b in ringed:
            assert rows[a][b].endswith("→ 0")
            assert not rows[a][b].startswith("0 ")
        p = enumerated(problem)
        S = range(len(problem.tags))

        def mass(**at):
            return math.fsum(x for y, x in p.items() if all(y[int(t[1:])] == s
                             for t, s in at.items()))  # fmt: skip

        gap = max(abs(mass(t0=i, t1=j) - mass(t0=i) * mass(t1=j)) for i in S for j in S)
        pair = next(pair for pair in before.pairs if pair[:2] == (0, 1))
        assert pair.dependence == pytest.approx(gap, abs=1e-12)

    def test_a_long_chain_shows_the_pairs_around_what_is_fixed(self):
        problem = EXAMPLES["ice-cream"].problem
        before, now = (structure_graph.given(problem, held) for held in ({}, {20: 0}))
        header, rows, ringed = independence_prose.dependence_rows(problem, before, now)
        assert header[1:] == list(problem.tokens[17:26])
        assert [row[0] for row in rows] == list(problem.tokens[16:25])
        assert ringed == {(i, j) for i in range(4) for j in range(5, 10)}
        assert "‘1: 2 … 20: 1’" in independence_prose.split(problem, now)

    def test_address(self):
        assert fixed_tags.to_text({}) == ""

    @pytest.mark.parametrize(
        "choice", [None, 3, {}, {"token": "1"}, {"token": -1}, {"token": 5}, {"token": True},
                   {"token": 1.0}, {"token": None}, [1]],
    )  # fmt: skip
    def test_a_forged_click_is_none(self, choice):
        assert check_click(choice, 5) is None

    def test_a_click(self):
        assert check_click({"token": 4, "serial": 1}, 5) == 4
