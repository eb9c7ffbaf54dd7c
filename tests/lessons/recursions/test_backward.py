"""The lesson "Backward and marginals", against sums over all paths."""

import math
import re
from types import SimpleNamespace

import pytest
import torch

from crf.figures.numbers import (
    format_log_probability,
    format_potential,
    format_probability,
    format_score,
)
from pages.backward import samples, sections, step_explanations
from pages.backward.alpha_beta_meeting import alpha_front, beta_front, fronts
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.viterbi.sections import TAU
from tests.apps import press, table, text_of, unfolded
from tests.lessons.recursions.reading import read, sent
from tests.oracles import marginals as oracle
from tests.oracles import recursions

OLD_MAN = EXAMPLES["old-man"].problem
ADJ, NOUN, VERB = 1, 2, 3
OLD, MAN = 1, 2
FORMS = ("state", "message", "pair")
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.mark.parametrize("convention", FORMS)
@pytest.mark.parametrize("semiring", ["sum", "max"])
def test_each_step_says_its_value_in_both_spaces_and_never_the_guess(convention, semiring):
    for name in ("old-man", "fish", "bio", "no-path", "one-token"):
        problem = EXAMPLES[name].problem
        trace = problem.trace("backward", convention=convention, semiring=semiring)
        for index, step in enumerate(trace.steps):
            value = oracle.total(problem, semiring)
            if step.kind == "cell":
                value = oracle.beta(problem, convention, semiring, step.token, step.row)
            log, potential = (
                " ".join(step_explanations.follow(trace, index, space))
                for space in ("log", "probability")
            )
            never = value == -math.inf
            assert format_score(value) in log
            assert (" allowed" if never else format_potential(value)) in potential
            if problem == OLD_MAN and step.kind == "cell":
                others = {OLD_MAN.tags[s] for s in range(4)} - {OLD_MAN.tags[step.row]}
                assert not any(re.search(rf"\b{tag}\b", log) for tag in others)


@pytest.mark.parametrize("name", ["bio", "no-path"])
def test_every_column_holds_all_paths(name):
    app = unfolded("backward", "sums", ex=name, step="3")
    problem = EXAMPLES[name].problem
    log_z = recursions.total(problem, "sum")
    rows = table(app, "The total of each column, and its residual")[1:]
    assert len(rows) == len(problem.tokens)
    for _, value, residual in rows:
        assert read(value) == pytest.approx(log_z, abs=1e-6)
        if log_z == -math.inf:
            assert residual == "both −∞"
            continue
        assert abs(float(residual.replace(" × 10", "e").translate(_SUPERSCRIPTS))) < 1e-11
    assert ("no tag has a probability" in text_of(app)) == (log_z == -math.inf)


@pytest.mark.parametrize(
    ("convention", "semiring", "space"),
    [("state", "sum", "log"), ("message", "sum", "log"), ("pair", "max", "probability")],
)
def test_forward_meets_backward(convention, semiring, space):
    step = {"state": 11, "message": 7, "pair": 11}[convention]  # ‘man’, VERB
    query = {"convention": convention, "semiring": semiring, "space": space}
    app = unfolded("backward", step=str(step), **query)
    write = format_score if space == "log" else format_potential
    value = oracle.beta(OLD_MAN, convention, semiring, MAN, VERB)
    assert f": {write(value)}." in " ".join(sent(app, "backward")["steps"][step]["means"])
    both = sections.both_ways(OLD_MAN, convention, semiring)
    row = step_explanations.product_row(both, MAN, VERB, space)
    through = [pair for pair in oracle.every_path(OLD_MAN) if pair[0][MAN] == VERB]
    product, whole = oracle.total(OLD_MAN, semiring, through), oracle.total(OLD_MAN, semiring)
    p, behind = format_probability(math.exp(product - whole)), format_score(whole - product)
    assert row[-3:] == [write(value), write(product), p if semiring == "sum" else behind]


def test_pairs_of_neighbours():
    app = unfolded("backward", "pairs")
    app.session_state[sections.PLACE.key] = OLD
    pairs = oracle.pairs(OLD_MAN, OLD)
    likeliest = re.search(r"p\(‘old’ = NOUN, ‘man’ = VERB\) = .* = exp\((.*?)\) = (\S+)\.",
                          text_of(app.run()))  # fmt: skip
    assert likeliest[2] == format_probability(pairs[NOUN][VERB])
    assert pairs[NOUN][VERB] == max(map(max, pairs))
    terms = likeliest[1].replace(" − ", " -").replace(" + ", " +").split()
    assert math.exp(math.fsum(map(float, terms))) == pytest.approx(pairs[NOUN][VERB], abs=0.002)
    app.session_state[sections.PAIR.key] = (ADJ, NOUN)
    told = text_of(app.run()).split("p(‘old’ = ADJ, ‘man’ = NOUN")[1]
    assert f"= {format_probability(pairs[ADJ][NOUN])}." in told
    row, column = pairs[ADJ], [line[NOUN] for line in pairs]
    slices = table(app, "The row and the column through the pair")[1:]
    for weights, shown in zip((row, column), slices, strict=True):
        found = [float(text.lstrip("<")) for text in shown[1:]]
        assert found == pytest.approx([w / sum(weights) for w in weights], abs=0.011)
    press(app, "Show ‘old’ = ADJ in the trellis")
    step = OLD_MAN.trace("backward").steps[int("".join(app.query_params["step"]))]
    assert (step.token, step.row) == (OLD, ADJ)
    app.session_state["shared_problem"].problem = EXAMPLES["bio"].problem
    box = next(box for box in app.run().selectbox if box.label == "Neighbours")
    assert box.options == ["‘x’ and ‘y’"]
    assert box.proto.set_value  # the browser would go on with the name that it knew


def test_a_point_of_the_curve_draws_as_many_samples(monkeypatch):
    found = []
    monkeypatch.setattr(type(samples.SIZE), "set", lambda self, value: found.append(value))
    for points in ([], [{"x": 7}], [{"x": 500}]):
        monkeypatch.setattr(samples.client_values, "points", lambda key, points=points: points)
        samples._choose_size(SimpleNamespace(publish=lambda: None))
    assert found == [500]


def test_entropies_after_a_guess():
    app = unfolded("backward", "entropy")
    assert "The whole sequence has" not in text_of(app)
    guess = next(radio for radio in app.radio if "In the flow: which token" in radio.label)
    guess.set_value(MAN).run()
    press(app, "Commit, then see")
    assert "‘old’ has the largest entropy" in app.error[0].value
    rows = table(app, "Entropy of each token’s tag")[1:]
    single = [-sum(p * math.log(p) for p in row) for row in oracle.unary(OLD_MAN)]
    assert rows[0][1:] == [format_score(h, 3) for h in single]
    tokens, whole, gap = (
        float(re.search(rf"{before} ([\d.]+)", text_of(app))[1])
        for before in ("tokens have", "sequence has", "difference,")
    )
    assert whole == pytest.approx(oracle.entropy(OLD_MAN), abs=5e-4)
    assert tokens - whole == pytest.approx(gap, abs=1e-9)


class TestFixedTags:
    def test_by_link_with_their_probability(self):
        app = unfolded("backward", fix="1.1~4.2")
        fits = [y for y in oracle.every_path(OLD_MAN) if y[0][OLD] == ADJ and y[0][-1] == NOUN]
        log_p = oracle.total(OLD_MAN, paths=fits) - oracle.total(OLD_MAN)
        assert f"What is held has probability {format_log_probability(log_p)} =" in text_of(app)
        assert app.query_params["fix"] in ("1.1~4.2", ["1.1~4.2"])
        app.button(key=f"backward.of-held.{OLD}").click().run()  # from a marginal to its step
        step = OLD_MAN.trace("backward").steps[int("".join(app.query_params["step"]))]
        assert (step.token, step.row) == (OLD, ADJ)
        app.button(key="backward.free").click().run()
        assert "fix" not in app.query_params
        assert "What is held has probability" not in text_of(app)

    @pytest.mark.parametrize("query", [
        {"fix": "9.0", "samples": "150"}, {"fix": "1.2~", "samples": "-5"},
        {"fix": "0.0~0.1", "samples": "²"}, {"fix": "<b>", "samples": "9" * 5000},
    ])  # fmt: skip
    def test_a_forged_address_is_answered_by_a_message(self, query):
        app = unfolded("backward", "samples", **query)
        assert len([w.value for w in app.warning if "The address" in w.value]) == 2
        assert "fix" not in app.query_params
        assert app.select_slider(key=samples.SIZE.key).value == samples.SIZE.default


def test_posterior_decoding():
    app = unfolded("backward", "posterior", ex="bio")
    assert "the likeliest tags, O I, make a sequence of probability 0" in text_of(app)
    rows = table(app, "Viterbi and posterior decoding")[1:]
    assert [row[1:3] for row in rows] == [["−0.92", "0.400"], ["−∞", "0"]]
    right = format_score(sum(max(row) for row in oracle.unary(OLD_MAN)))
    assert f"right on average: {right} of 5" in text_of(unfolded("backward", "posterior"))


class TestSamples:
    def test_more_samples_come_closer(self):
        app = unfolded("backward", samples="10000", seed="7")
        rows = table(app, "How often each tag was drawn in 10,000 samples")[1:]
        counts = [[int(text.replace(",", "")) for text in row[1:]] for row in rows[:4]]
        assert {sum(column) for column in zip(*counts, strict=True)} == {10_000}
        shares = torch.tensor(counts).T / 10_000
        assert (shares - torch.tensor(oracle.unary(OLD_MAN))).abs().max() < 0.03
        query = {name: "".join(app.query_params[name]) for name in ("samples", "seed")}
        assert query == {"samples": "10000", "seed": "7"}
        app.number_input(key=samples.SEED.key).set_value(2).run()
        assert table(app, "How often each tag was drawn in 10,000 samples")[1:] != rows

    def test_frequencies_approach_the_marginals_as_fast_as_expected(self):
        unary, k = oracle.unary(OLD_MAN), samples.SIZES.index(500)
        expected = samples.expected_distance(unary, 500)
        ratios = [(samples.distances(OLD_MAN, seed)[k] / expected) ** 2 for seed in range(20)]
        assert 0.6 < sum(ratios) / len(ratios) < 1.5  # its expectation is 1
        assert samples.expected_distance(unary, 5) == pytest.approx(10 * expected)

    def test_an_exact_hit_does_not_stretch_the_curve(self):
        expected = [2 / math.sqrt(n) for n in samples.SIZES]
        found = [0.0 if n == 100 else 0.1 for n in samples.SIZES]
        figure, bottom = samples.curve(found, expected, 100), min(expected) / 10
        assert list(figure.data[0].y) == [max(distance, bottom) for distance in found]
        assert list(figure.data[1].y) == expected
        assert (figure.data[2].x, figure.data[2].y) == ((100,), (bottom,))


@pytest.mark.parametrize("name", ["old-man", "bio", "pair-potentials", "one-token"])
def test_the_fronts_end_in_alpha_and_beta_and_ribbons_fill_the_blocks_at_both_ends(name):
    problem = EXAMPLES[name].problem
    chain = problem.chain()
    for t in range(len(problem.tokens)):
        alpha = torch.softmax(chain.log_alphas[0, t], 0)
        beta = torch.softmax(chain.log_betas[0, t], 0)
        front, back = alpha_front(chain, t).marginals[0, -1], beta_front(chain, t).marginals[0, 0]
        torch.testing.assert_close(front, alpha, rtol=1e-10, atol=1e-12)
        torch.testing.assert_close(back, beta, rtol=1e-10, atol=1e-12)
        product = alpha * beta / (alpha * beta).sum()
        torch.testing.assert_close(product, chain.marginals[0, t], rtol=1e-10, atol=1e-12)
        drawn = fronts(problem, chain, t)
        assert [c["part"] for c in drawn["columns"]].index("product") == t + 1
        assert len(drawn["columns"]) == len(problem.tokens) + 2 == len(drawn["ribbons"]) + 1
        for k, row in enumerate(drawn["ribbons"]):
            for column, end, width in (
                (drawn["columns"][k], 0, lambda r: r.p),
                (drawn["columns"][k + 1], 1, lambda r: r.p if r.right is None else r.right),
            ):
                for block in column["blocks"]:
                    filled = math.fsum(width(r) for r in row if r[end] == block.tag)
                    assert filled == pytest.approx(block.p, abs=1e-12)


def test_temperature_is_a_power_of_every_path_s_probability():
    paths = enumerate_paths(OLD_MAN)
    for tau in (TAU.low, 1.0, 3.0):
        heated = ChainSummary(OLD_MAN).at_temperature(tau)
        weights = [math.exp((path.score - 19.0) / tau) for path in paths]
        for path, weight in zip(paths[:20], weights, strict=False):
            p = heated.log_prob(torch.tensor([path.tags])).exp().item()
            assert p == pytest.approx(weight / math.fsum(weights), rel=1e-9)
    cold = ChainSummary(OLD_MAN).at_temperature(TAU.low)
    assert cold.log_prob(OLD_MAN.chain().viterbi().tags).exp().item() > 1 - 1e-4
    assert TAU.low * cold.log_partition.item() == pytest.approx(paths[0].score, abs=1e-4)
