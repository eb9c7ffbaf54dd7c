"""The lesson "Backward and marginals" without a browser."""

import math
import re
from types import SimpleNamespace

import pytest

from pages.backward import samples, sections, step_explanations
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import (
    format_log_probability,
    format_potential,
    format_probability,
    format_score,
)
from tests.apps import fresh
from tests.lessons.recursions.reading import blocks, cells, opened, read, sent, texts
from tests.oracles import marginals as oracle
from tests.oracles import recursions

OLD_MAN = EXAMPLES["old-man"].problem
DET, ADJ, NOUN, VERB = range(4)
OLD, MAN = 1, 2
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read_p(text):
    return {"<.01": 0.0, ">.99": 1.0}.get(text) if text[0] in "<>" else float(text)


@pytest.mark.parametrize("name", ["old-man", "bio", "no-path", "one-token"])
def test_every_column_holds_all_paths(name):
    app = opened("backward", "sums", ex=name, step="3")
    assert not app.exception
    problem = EXAMPLES[name].problem
    log_z = recursions.total(problem, "sum")
    rows = cells(app, "The total of each column, and its residual")
    assert len(rows) == len(problem.tokens)
    for _, value, residual in rows:
        assert read(value) == pytest.approx(log_z, abs=1e-6)
        if log_z == -math.inf:
            assert residual == "both −∞"
            continue
        assert abs(float(residual.replace(" × 10", "e").translate(_SUPERSCRIPTS))) < 1e-11
    assert ("no tag has a probability" in texts(app)) == (log_z == -math.inf)


@pytest.mark.parametrize("convention", ["state", "message", "pair"])
@pytest.mark.parametrize(("semiring", "space"), [("sum", "log"), ("max", "probability")])
def test_forward_meets_backward(convention, semiring, space):
    step = {"state": 11, "message": 7, "pair": 11}[convention]  # ‘man’, VERB
    query = {"convention": convention, "semiring": semiring, "space": space}
    app = opened("backward", step=str(step), **query)
    assert not app.exception
    write = format_score if space == "log" else format_potential
    value = oracle.beta(OLD_MAN, convention, semiring, MAN, VERB)
    here = sent(app, "backward")["steps"][step]
    assert f": {write(value)}." in " ".join(here["means"])
    both = sections.both_ways(OLD_MAN, convention, semiring)
    row = step_explanations.product_row(both, MAN, VERB, space)
    through = [pair for pair in oracle.every_path(OLD_MAN) if pair[0][MAN] == VERB]
    product, whole = oracle.total(OLD_MAN, semiring, through), oracle.total(OLD_MAN, semiring)
    last = {
        "sum": format_probability(math.exp(product - whole)),
        "max": format_score(whole - product),
    }
    assert row[-3:] == [write(value), write(product), last[semiring]]


def test_a_picked_cell_and_a_picked_pair_open():
    app = opened("backward", "unary", "pairs")
    app.session_state[sections.CELL.key] = (MAN, NOUN)
    app.session_state[sections.PLACE.key] = OLD
    app.session_state[sections.PAIR.key] = (ADJ, NOUN)
    app.run()
    p = format_probability(oracle.probability(OLD_MAN, lambda y: y[MAN] == NOUN))
    assert re.search(rf"p\(‘man’ = NOUN\) = .* = {re.escape(p)}", texts(app))
    rows = cells(app, "The neighbours’ tags, given ‘man’ = NOUN")
    given = oracle.unary(OLD_MAN, lambda y: y[MAN] == NOUN)
    assert [read_p(text) for text in rows[1][1:]] == pytest.approx(given[OLD], abs=0.0051)
    p = format_probability(oracle.pairs(OLD_MAN, OLD)[ADJ][NOUN])
    assert re.search(rf"p\(‘old’ = ADJ, ‘man’ = NOUN\) = .* = {re.escape(p)}", texts(app))
    next(b for b in app.button if b.key == "backward.to-beta").click().run()
    assert not app.exception
    place = app.session_state["backward.stepper·place"]
    assert (place.reached, place.sent) == (10, 1)  # 8 cells of boat and the; then DET, ADJ, NOUN


def test_entropies_after_a_guess():
    app = opened("backward", "entropy")
    assert "The whole sequence has" not in texts(app)
    guess = next(radio for radio in app.radio if "least certain" in radio.label)
    guess.set_value(MAN).run()
    next(button for button in app.button if button.label == "Commit, then see").click().run()
    assert "‘old’ has the largest entropy" in app.error[0].value
    rows = cells(app, "Entropy of each token’s tag")
    single = [-sum(p * math.log(p) for p in row) for row in oracle.unary(OLD_MAN)]
    assert rows[0][1:] == [format_score(h, 3) for h in single]
    assert f"The whole sequence has {format_score(oracle.entropy(OLD_MAN), 3)}" in texts(app)


def test_tokens_that_are_alike_uncertain_are_no_question():
    app = opened("backward", "entropy", ex="all-zero")
    assert not [radio for radio in app.radio if "least certain" in radio.label]
    row, *_ = cells(app, "Entropy of each token’s tag")
    assert len(set(row[1:])) == 1
    assert "all of them alike" in texts(app)


class TestFixedTags:
    def test_by_link_with_their_probability(self):
        app = opened("backward", fix="1.1~4.2")
        fits = [y for y in oracle.every_path(OLD_MAN) if y[0][OLD] == ADJ and y[0][-1] == NOUN]
        log_p = oracle.total(OLD_MAN, paths=fits) - oracle.total(OLD_MAN)
        assert f"What is fixed has probability {format_log_probability(log_p)}:" in texts(app)
        assert app.query_params["fix"] in ("1.1~4.2", ["1.1~4.2"])
        app.button(key="backward.free").click().run()
        assert "fix" not in app.query_params
        assert "What is fixed has probability" not in texts(app)

    def test_what_cannot_be(self):
        app = opened("backward", ex="bio", fix="0.2~1.1")
        assert "the probability of these tags together is 0" in app.warning[0].value

    @pytest.mark.parametrize("asked", ["9.0", "0.9", "1", "1.2~", "²", "0.0~0.1", "<b>"])
    def test_a_forged_value_is_answered_by_a_message(self, asked):
        app = opened("backward", fix=asked)
        assert not app.exception
        assert [w.value for w in app.warning if "The address" in w.value]
        assert "fix" not in app.query_params


class TestPosterior:
    def test_the_illegal_path(self):
        app = opened("backward", "posterior", ex="bio")
        assert "the likeliest tags, O I, make a sequence of probability 0" in texts(app)
        assert "(B begins a chunk" in texts(app)
        rows = cells(app, "Viterbi and posterior decoding")
        assert [row[1:3] for row in rows] == [["−0.92", "0.400"], ["−∞", "0"]]

    def test_how_many_are_right(self):
        right = format_score(sum(max(row) for row in oracle.unary(OLD_MAN)))
        text = texts(opened("backward", "posterior"))
        assert f"right on average: {right} of 5" in text
        assert "begins a chunk" not in text  # its tags are others


class TestSamples:
    def test_more_samples_come_closer(self):
        app = opened("backward", samples="10000", seed="7")
        rows = cells(app, "How often each tag was drawn in 10,000 samples")
        counts = [[int(text.replace(",", "")) for text in row[1:]] for row in rows[:4]]
        assert {sum(column) for column in zip(*counts, strict=True)} == {10_000}
        unary = oracle.unary(OLD_MAN)
        for t in range(5):
            for s in range(4):
                assert counts[s][t] / 10_000 == pytest.approx(unary[t][s], abs=0.03)
        query = {name: app.query_params[name] for name in ("samples", "seed")}
        assert query in ({"samples": "10000", "seed": "7"}, {"samples": ["10000"], "seed": ["7"]})
        app.number_input(key=samples.SEED.key).set_value(2).run()
        assert cells(app, "How often each tag was drawn in 10,000 samples") != rows

    @pytest.mark.parametrize("asked", ["150", "-5", "1e3", "²", "9" * 5000])
    def test_a_forged_number_is_answered_by_a_message(self, asked):
        app = opened("backward", "samples", samples=asked)
        assert [w.value for w in app.warning if "The address" in w.value]
        assert app.select_slider(key=samples.SIZE.key).value == samples.SIZE.default


@pytest.mark.parametrize("part", ["prose", "answers", "controls"])
def test_hidden_parts(part):
    app = opened("backward", hide=part, step="6")
    assert not app.exception
    shown = " ".join(blocks(app))
    assert ("data-means" in shown) == (part not in ("prose", "answers"))
    assert ("means" in sent(app, "backward")["steps"][0]) == (part not in ("prose", "answers"))


def test_every_table_can_be_exported():
    app = opened("backward")
    app.session_state["backward·export"] = True
    app.run()
    names = next(box for box in app.selectbox if box.key == "backward·table")
    assert {"Marginals", "Pair marginals", "Frequencies of samples"} <= set(names.options)
    for name in names.options:
        names.set_value(name).run()
        assert not app.exception, name


def test_one_token_has_no_neighbours_to_unfold():
    for name, there in (("old-man", True), ("one-token", False)):
        labels = [part.label for part in opened("backward", ex=name, all="1").expander]
        assert any("two neighbours" in label for label in labels) is there


def test_where_nothing_is_uncertain_no_token_is_called_so():
    text = texts(opened("backward", "entropy", t="A", w="x~y", e="1~2"))
    assert "No token is uncertain" in text
    assert "least certain, all" not in text
    assert "all 1 are" not in text


@pytest.mark.parametrize("gap", ["none", "small"])
def test_tags_are_called_independent_only_where_they_are(gap):
    table = {"none": "0_0~0_0", "small": ".02_0~0_.02"}[gap]
    text = texts(opened("backward", "entropy", t="A~B", w="x~y", e=".01_0~0_0", a=table))
    text = text if "whole sequence has" in text else told_after_a_guess(table)
    assert ("here the tags are independent" in text) == (gap == "none")
    assert ("hardly anything" in text) == (gap == "small")


def told_after_a_guess(table):
    app = opened("backward", "entropy", t="A~B", w="x~y", e=".01_0~0_0", a=table)
    next(button for button in app.button if button.label == "Just show me").click().run()
    return texts(app)


def test_chunks_are_named_only_where_an_i_after_o_is_what_is_forbidden():
    """Of B, O and I each begins a path, and no path may begin and end alike: O B is forbidden."""
    app = opened("backward", "posterior", ex="bio")
    assert "B begins a chunk" in texts(app)
    e, a = "0_0_0~0_0_0", "x_.4_.4~.3_x_x~.6_x_x"
    other = texts(opened("backward", "posterior", t="B~I~O", w="x~y", e=e, a=a))
    assert "uses a score of −∞" in other
    assert "B begins a chunk" not in other


def test_the_question_on_entropies_says_which_distribution_it_is_about():
    """What is fixed shows in the flow alone, and the question is about the chain without it."""
    free, held = (opened("backward", "entropy", **more) for more in ({}, {"fix": "1.1"}))
    (free, held) = ([radio.label for radio in app.radio] for app in (free, held))
    assert "In the flow: which token’s tag is least certain?" in free
    assert "With no tag fixed: which token’s tag is least certain?" in held
    assert "no tag fixed" in texts(opened("backward", "unary", fix="1.1"))
    assert "no tag fixed" not in texts(opened("backward", "unary"))


def test_another_sentence_s_neighbours_show_at_once():
    app = opened("backward", "pairs")
    label = next(box for box in app.selectbox if box.label == "Neighbours")
    assert not label.proto.set_value or label.value == 0
    use = EXAMPLES["bio"]
    app.session_state["shared_problem"].problem = use.problem
    box = next(box for box in app.run().selectbox if box.label == "Neighbours")
    assert box.options == ["‘x’ and ‘y’"]
    assert box.proto.set_value  # the browser would go on with the name that it knew


def test_what_is_all_but_certain_is_not_called_certain():
    """Each of the 256 paths is allowed, and the tags depend on each other."""
    said = entropies_told("fifty")
    assert "only one path is allowed" not in said
    assert "to nine digits it is one path" in said
    assert "or as good as that" in said


def test_the_difference_of_entropies_adds_up_in_sight():
    said = entropies_told("book")
    tokens, whole, gap = (
        float(re.search(pattern, said).group(1))
        for pattern in (
            r"tokens have ([\d.]+) nats",
            r"sequence has ([\d.]+)",
            r"difference, ([\d.]+)",
        )
    )
    assert tokens - whole == pytest.approx(gap, abs=1e-9)


def test_with_one_token_the_best_parts_always_make_the_best_whole():
    assert (
        "need not" not in texts(opened("backward", "posterior", ex="one-token")).split("Here")[-1]
    )
    assert "always agree" in texts(opened("backward", "posterior", ex="one-token"))


def entropies_told(example):
    app = fresh("backward", ex=example)
    app.session_state["backward.fold.entropy"] = app.session_state["guess.skipped"] = True
    return texts(app.run())


def test_entropies_that_print_alike_have_no_difference():
    """0.4404 and 0.4396, more than half of a last digit apart, and both 0.440 in print."""
    both = SimpleNamespace(unary=[[0.83958, 0.16042], [1.0, 0.0]], m=2, S=2)
    said = " ".join(step_explanations.entropy_told(both, 0.4396))
    assert said.count("0.44") == 2
    assert "To three digits the two are equal" in said
