"""The lesson "Backward and marginals" on every example, with every switch, without a browser."""

import html
import math
import re

import pytest

from pages.backward import draws, marginals
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import (
    format_log_probability,
    format_potential,
    format_probability,
    format_score,
)
from pages.shared.ui import fixed_tags
from tests.pages import marginal_oracle as oracle
from tests.pages import recursion_oracle
from tests.pages.path_oracle import printed
from tests.pages.test_lessons import blocks, open_page, read, texts

OLD_MAN = EXAMPLES["old-man"].problem
DET, ADJ, NOUN, VERB = range(4)
OLD, MAN = 1, 2


def cells(app, caption):
    """Rows of the table with this caption as texts, those at its foot included."""
    table = next(body for body in blocks(app) if caption in body)
    rows = re.findall("<tr[^>]*>(.*?)</tr>", table.split("</thead>")[1])
    return [
        [
            html.unescape(re.sub("<[^>]+>", "", cell))
            for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)
        ]
        for row in rows
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example(name):
    app = open_page("backward", ex=name, step="3")
    assert not app.exception
    assert app.title[0].value == "Backward and marginals"
    problem = EXAMPLES[name].problem
    log_z = recursion_oracle.total(problem, "sum")
    totals, residuals = cells(app, "The total of each column, and its residual")
    assert len(totals) == len(residuals) == len(problem.tokens) + 1
    for value, residual in zip(totals[1:], residuals[1:], strict=True):
        assert read(value) == pytest.approx(log_z, abs=1e-6)
        assert abs(float(residual.replace(" × 10", "e").translate(_SUPERSCRIPTS))) < 1e-11
    if log_z == -math.inf:
        assert "no tag has a probability" in app.info[0].value
        assert "Draw paths" not in texts(app)
        assert "0/0, which is no number" in texts(app)
        assert "Divided by it they are" not in texts(app)
        assert {row[-1] for row in cells(app, "β for each tag")} <= {"–", "?"}
        return
    frequencies = cells(app, "Frequencies of the tags among 100 samples")
    assert [row[0] for row in frequencies[:-1]] == list(problem.tags)


_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.mark.parametrize("convention", ["state", "message", "pair"])
@pytest.mark.parametrize("semiring", ["sum", "max"])
@pytest.mark.parametrize("space", ["log", "probability"])
def test_every_switch(convention, semiring, space):
    step = {"state": 11, "message": 7, "pair": 11}[convention]  # ‘man’, VERB
    query = {"convention": convention, "semiring": semiring, "space": space}
    app = open_page("backward", step=str(step), **query)
    assert not app.exception
    value = oracle.beta(OLD_MAN, convention, semiring, MAN, VERB)
    write = format_score if space == "log" else format_potential
    follow = next(body for body in blocks(app) if "crf-follow" in body)
    assert f": {write(value)}." in follow
    rows = cells(app, "β for each tag of ‘man’")
    through = [pair for pair in oracle.every_path(OLD_MAN) if pair[0][MAN] == VERB]
    product = oracle.total(OLD_MAN, semiring, through)
    assert rows[VERB][-3:-1] == [write(value), write(product)]
    whole = oracle.total(OLD_MAN, semiring)
    if semiring == "sum":
        assert rows[VERB][-1] == format_probability(math.exp(product - whole))
    else:
        assert rows[VERB][-1] == format_score(whole - product)
    assert rows[-1][-2] == write(whole)
    assert ("all is computed in state form" in texts(app)) == (
        convention != "state" or semiring == "max"
    )


@pytest.mark.parametrize("convention", ["state", "message", "pair"])
@pytest.mark.parametrize("space", ["log", "probability"])
def test_the_words_follow_the_switch_to_maxima(convention, space):
    """No α, no sum where the table compares; the heads are those of the numbers under them."""
    app = open_page("backward", step="7", semiring="max", convention=convention, space=space)
    above = texts(app).split("From here on all is computed")[0]
    for told in (
        "Forward’s",
        "α̂ ·",
        "log β",
        "add up to Z",
        "Multiply" if space == "log" else "Add",
    ):
        assert told not in above
    head = step_table(app).split("</thead>")[0]
    symbol = "v" if convention == "message" else "δ"
    factors = [symbol, *(["e"] if convention == "message" else []), "max-β"]
    if space == "probability":
        factors = ["ψ" if name == "e" else f"exp {name}" for name in factors]
    assert f"{(' + ' if space == 'log' else ' · ').join(factors)} =" in head
    assert "behind the best (nats)" in head
    assert any("Every column holds the best path" in h.value for h in app.header)


@pytest.mark.parametrize(
    ("space", "head"), [("log", "exp(· − log Z) = p(tag)"), ("probability", "÷ Z = p(tag)")]
)
def test_the_last_head_fits_the_numbers_beside_it(space, head):
    table = step_table(open_page("backward", space=space))
    assert f'<th scope="col">{head}</th>' in table.split("</thead>")[0]


def test_betas_that_are_not_computed_yet_are_open():
    rows = cells(open_page("backward", step="9"), "β for each tag of ‘man’")
    assert [row[2] == "?" for row in rows] == [False, False, True, True]
    assert [row[3:] for row in rows[2:]] == [["?", "?"]] * 2
    assert len(rows) == 4  # their sum is not known either


def step_table(app):
    return next(body for body in blocks(app) if "as the step has it" in body)


def test_both_forms_of_the_product():
    text = texts(open_page("backward", step="11"))
    alpha = recursion_oracle.cell(OLD_MAN, "message", "sum", MAN, VERB)
    hat = recursion_oracle.cell(OLD_MAN, "state", "sum", MAN, VERB)
    beta = oracle.beta(OLD_MAN, "state", "sum", MAN, VERB)
    product = format_score(hat + beta)
    assert f"{format_score(alpha)} + 0.50 + {format_score(beta)} = {product}" in text
    assert f"{format_score(hat)} + {format_score(beta)} = {product}" in text
    assert "takes the emission of ‘man’ out of α̂ and calls the rest α:" in text
    assert "out of α̂ and leaves the start score: start + e + log β" in texts(
        open_page("backward", step="19")
    )


def test_a_picked_cell_opens():
    app = open_page("backward")
    app.session_state[marginals.CELL] = (MAN, NOUN)
    app.run()
    p = format_probability(oracle.probability(OLD_MAN, lambda y: y[MAN] == NOUN))
    assert re.search(rf"p\(‘man’ = NOUN\) = .* = {re.escape(p)}", texts(app))
    rows = cells(app, "The neighbours’ tags, given ‘man’ = NOUN")
    given = oracle.unary(OLD_MAN, lambda y: y[MAN] == NOUN)
    assert [read_p(text) for text in rows[1][1:]] == pytest.approx(given[OLD], abs=0.0051)
    assert [read_p(text) for text in rows[3][1:]] == pytest.approx(given[3], abs=0.0051)


def read_p(text):
    return {"<.01": 0.0, ">.99": 1.0}.get(text) if text[0] in "<>" else float(text)


def test_a_picked_pair_opens():
    app = open_page("backward")
    app.session_state[marginals.PLACE] = OLD
    app.session_state[marginals.PAIR] = (ADJ, NOUN)
    app.run()
    p = format_probability(oracle.pairs(OLD_MAN, OLD)[ADJ][NOUN])
    assert re.search(rf"p\(‘old’ = ADJ, ‘man’ = NOUN\) = .* = {re.escape(p)}", texts(app))


def test_entropies_after_a_guess():
    app = open_page("backward")
    assert "The whole sequence has" not in texts(app)
    guess = next(radio for radio in app.radio if "least certain" in radio.label)
    guess.set_value(MAN).run()
    next(button for button in app.button if button.label == "Commit, then see").click().run()
    assert not app.exception
    assert "‘old’ has the largest entropy" in app.error[0].value
    unary = oracle.unary(OLD_MAN)
    single = [-sum(p * math.log(p) for p in row) for row in unary]
    rows = cells(app, "Entropy of each token’s tag")
    assert rows[0][1:] == [format_score(h, 3) for h in single]
    whole = oracle.entropy(OLD_MAN)
    text = texts(app)
    assert f"The whole sequence has {format_score(whole, 3)}" in text
    assert f"The difference, {format_score(sum(single) - whole, 3)} nats" in text


class TestFixedTags:
    def fix(self, problem_name, tags):
        problem = EXAMPLES[problem_name].problem
        app = open_page("backward", ex=problem_name)
        held = {t: s for t, s in enumerate(tags) if s >= 0}
        app.session_state[fixed_tags.slot("backward")] = (problem.tags, problem.tokens, held)
        return app.run()

    def test_the_probability_of_what_is_fixed(self):
        text = texts(self.fix("old-man", (-1, ADJ, -1, -1, NOUN)))
        fits = [y for y in oracle.every_path(OLD_MAN) if y[0][OLD] == ADJ and y[0][-1] == NOUN]
        part, whole = oracle.total(OLD_MAN, paths=fits), oracle.total(OLD_MAN)
        sums = re.search(r"log Z\) = exp\(([\d.]+) − ([\d.]+)\)", text)
        assert printed(part).fullmatch(sums[1])
        assert printed(whole).fullmatch(sums[2])
        assert f"= {format_log_probability(part - whole)}." in text
        given = oracle.unary(OLD_MAN, lambda y: y[OLD] == ADJ and y[-1] == NOUN)
        now = format_probability(given[MAN][NOUN])
        before = format_probability(oracle.unary(OLD_MAN)[MAN][NOUN])
        assert f"‘man’ NOUN {before} → {now}" in text
        assert "shows p(· | ‘old’ = ADJ, ‘boat’ = NOUN)" in text

    def test_what_cannot_be(self):
        app = self.fix("bio", (2, 1))
        assert not app.exception
        assert "‘x’ = O, ‘y’ = I: the probability of these tags together is 0" in (
            app.warning[0].value
        )

    def test_another_sentence_has_none(self):
        app = self.fix("old-man", (-1, ADJ, -1, -1, -1))
        assert "Free all" in [button.label for button in app.button]
        next(b for b in app.button if b.key == "backward.illegal").click().run()
        assert "Free all" not in [button.label for button in app.button]
        assert "Nothing is fixed" in texts(app)


class TestPosterior:
    def test_the_illegal_path(self):
        app = open_page("backward")
        assert "make a sequence of probability 0" not in texts(app)
        next(b for b in app.button if b.key == "backward.illegal").click().run()
        assert "(B begins a chunk, I is inside one, O is outside; " in texts(app)
        assert "the likeliest tags, O I, make a sequence of probability 0" in texts(app)
        rows = cells(app, "Viterbi and posterior decoding")
        assert [row[1:3] for row in rows] == [["−0.92", "0.400"], ["−∞", "0"]]

    def test_how_many_are_right(self):
        unary = oracle.unary(OLD_MAN)
        right = format_score(sum(max(row) for row in unary))
        assert f"right on average: {right} of 5" in texts(open_page("backward"))

    def test_a_tie(self):
        assert "yet have the same score" in texts(open_page("backward", ex="ice-cream"))


class TestSamples:
    def test_more_samples_come_closer(self):
        app = open_page("backward")
        slider = next(s for s in app.select_slider if s.key == draws.SIZE)
        slider.set_value(10_000).run()
        assert not app.exception
        rows = cells(app, "Frequencies of the tags among 10,000 samples")
        unary = oracle.unary(OLD_MAN)
        for t in range(5):
            assert read(rows[-1][1 + t]) < 0.02
            for s in range(4):
                assert read_p(rows[s][1 + t]) == pytest.approx(unary[t][s], abs=0.03)
        most = cells(app, "The paths drawn most often")
        best = recursion_oracle.best_paths(OLD_MAN, 1)[0]
        p = math.exp(best[0] - oracle.total(OLD_MAN))
        assert most[0][3] == format_probability(p)
        assert int(most[0][1].replace(",", "")) / 10_000 == pytest.approx(p, abs=0.02)

    def test_the_seed_draws_others(self):
        app = open_page("backward")
        before = cells(app, "Frequencies of the tags among 100 samples")
        next(n for n in app.number_input if n.key == draws.SEED).set_value(2).run()
        assert cells(app, "Frequencies of the tags among 100 samples") != before


@pytest.mark.parametrize("part", ["prose", "answers", "controls", "equation"])
def test_hidden_parts(part):
    app = open_page("backward", hide=part, step="6")
    assert not app.exception
    shown = " ".join(blocks(app))
    assert ("crf-follow" in shown) == (part not in ("prose", "answers"))
    assert ("crf-recursion" in shown) == (part != "equation")
    in_parts = [e.label for e in app.expander if e.label.startswith(("Show", "Draw", "Fix"))]
    assert bool(in_parts) == (part == "answers")


def test_every_table_can_be_exported():
    app = open_page("backward")
    app.session_state["backward·export"] = True
    app.run()
    names = next(box for box in app.selectbox if box.key == "backward·table")
    assert {"Marginals", "Pair marginals", "Entropies", "Frequencies of samples"} <= set(
        names.options
    )
    for name in names.options:
        names.set_value(name).run()
        assert not app.exception, name


def test_to_a_cells_step():
    app = open_page("backward")
    app.session_state[marginals.CELL] = (OLD, NOUN)
    app.run()
    next(b for b in app.button if b.key == "backward.to-beta").click().run()
    assert not app.exception
    place = app.session_state["backward.stepper·place"]
    assert (place.start, place.sent) == (14, 1)  # 12 cells of boat, the, man; then DET, ADJ, NOUN


class TestAddress:
    """What is fixed, how many samples are drawn and their seed come by link, and go into it."""

    def test_a_link_restores_them(self):
        app = open_page("backward", fix="1.1~4.2", samples="2000", seed="7")
        assert not app.exception
        assert not app.warning
        assert "shows p(· | ‘old’ = ADJ, ‘boat’ = NOUN)" in texts(app)
        assert app.select_slider(key=draws.SIZE).value == 2000
        assert app.number_input(key=draws.SEED).value == 7
        rows = cells(app, "Frequencies of the tags among 2,000 samples")
        other = open_page("backward", samples="2000", seed="8")
        assert cells(other, "Frequencies of the tags among 2,000 samples") != rows
        query = {name: app.query_params[name] for name in ("fix", "samples", "seed")}
        assert query == {"fix": "1.1~4.2", "samples": "2000", "seed": "7"}

    def test_what_is_usual_is_left_out(self):
        app = open_page("backward", fix="1.1", samples="100", seed="1")
        assert "samples" not in app.query_params
        assert "seed" not in app.query_params
        app.button(key="backward.free").click().run()
        assert "fix" not in app.query_params
        assert "Nothing is fixed" in texts(app)

    def test_a_change_goes_into_the_address(self):
        app = open_page("backward")
        app.select_slider(key=draws.SIZE).set_value(500).run()
        assert app.query_params["samples"] == "500"
        app.number_input(key=draws.SEED).set_value(2).run()
        assert app.query_params["seed"] == "2"

    @pytest.mark.parametrize(
        ("name", "asked"),
        [
            *(("samples", x) for x in ("150", "0", "-5", "", "1e3", "²", "<b>", "9" * 5000)),
            *(("seed", x) for x in ("1000", "-1", "", "x", "١", "0.5", "7" * 5000)),
            *(("fix", x) for x in ("9.0", "0.9", "1", "1.2~", "²", "0.0~0.1", "<b>")),
        ],
    )
    def test_a_forged_value_is_answered_by_a_message_and_the_usual_one(self, name, asked):
        app = open_page("backward", **{name: asked})
        assert not app.exception
        assert [w.value for w in app.warning if "The address" in w.value]
        assert name not in app.query_params
        assert "Nothing is fixed" in texts(app)
        assert app.select_slider(key=draws.SIZE).value == draws.USUAL_SIZE
        assert app.number_input(key=draws.SEED).value == draws.FIRST_SEED

    def test_a_teacher_link_carries_them(self):
        app = open_page("backward", fix="1.1", samples="2000", seed="7")
        app.button(key="teacher.backward.open").click().run()
        link = next(code.value for code in app.code if "/backward?" in code.value)
        assert {"fix=1.1", "samples=2000", "seed=7"} <= set(link.split("?")[1].split("&"))
