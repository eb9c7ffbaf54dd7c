"""The lessons "Forward" and "Viterbi" without a browser: switches, examples, what is hidden."""

import math
import re

import pytest

from crf.figures.numbers import format_log_probability, format_potential, format_score
from pages.shared.course.examples import EXAMPLES
from pages.viterbi import sections
from tests.apps import html_of, messages, press, switch, table, text_of, unfolded
from tests.lessons.recursions.reading import read, sent
from tests.oracles import recursions as oracle

OLD_MAN = EXAMPLES["old-man"].problem
PAGES = ("forward", "viterbi")
TELLING = ("old-man", "one-token", "no-path", "bio")


@pytest.mark.parametrize("name", ["bio", "one-token"])
def test_three_conventions_have_one_total(name):
    app = unfolded("forward", "variants", ex=name)
    log_z = oracle.total(EXAMPLES[name].problem, "sum")
    rows = table(app, "The total in three conventions")[1:]
    assert [row[0] for row in rows] == ["State", "Message", "Pair"]
    for row in rows:
        assert read(row[3]) == pytest.approx(log_z, abs=1e-6)
    assert ("Its total comes straight from" in text_of(app)) == (name == "one-token")


@pytest.mark.parametrize("convention", ["state", "message", "pair"])
@pytest.mark.parametrize(("page", "semiring"), [("forward", "sum"), ("viterbi", "max")])
def test_every_switch_is_in_the_address_and_in_the_trellis(page, semiring, convention):
    query = {"convention": convention, "space": "probability", "step": "9"}
    app = unfolded(page, **query)
    S = len(OLD_MAN.tags)
    value = oracle.cell(OLD_MAN, convention, semiring, 9 // S + (convention == "message"), 9 % S)
    step = sent(app, page)["steps"][9]
    assert f"Its logarithm: {format_score(value)}." in " ".join(step["means"])
    wanted = {key: value for key, value in query.items() if value != "state"}
    assert {key: app.query_params.get(key) for key in wanted} == wanted


def test_sum_and_max_are_each_pages_own():
    app = unfolded("forward", "variants")
    ways = next(c for c in app.get("button_group") if c.key == "lesson.forward.semiring")
    assert ways.value == "sum"
    ways.set_value("max").run()
    assert "best score" in text_of(app)
    switch(app, "viterbi")
    assert app.session_state["lesson.viterbi.semiring"] == "max"
    switch(app, "forward")
    assert app.session_state["lesson.forward.semiring"] == "max"


@pytest.mark.parametrize("page", PAGES)
def test_a_switch_keeps_the_cell_and_another_sentence_begins_with_its_first_column(page):
    app = unfolded(page, step="9")
    S = len(OLD_MAN.tags)
    at_message = 9 - S  # one column fewer before it
    app.session_state["lesson.convention"] = "message"
    app.run()
    assert app.session_state[f"{page}.stepper·place"].reached == at_message
    kept = app.session_state["shared_problem"]
    kept.problem = OLD_MAN.with_score("transitions", (0, 1), 3.0)
    app.run()
    assert app.session_state[f"{page}.stepper·place"].reached == at_message
    flies = kept.problem = EXAMPLES["time-flies"].problem
    app.run()
    assert app.session_state[f"{page}.stepper·place"].reached == len(flies.tags) - 1


class TestViterbi:
    @pytest.mark.parametrize("name", TELLING)
    def test_the_best_paths(self, name):
        problem = EXAMPLES[name].problem
        app = unfolded("viterbi", "best", ex=name)
        expected = [pair for pair in oracle.best_paths(problem, 5) if pair[0] > -math.inf]
        if not expected:
            assert "Nothing can be decoded here" in text_of(app)
            return
        log_z = oracle.total(problem, "sum")
        rows = table(app, "The best paths, best first")[1:]
        assert [row[1] for row in rows] == [format_score(score) for score, _ in expected]
        assert [row[2] for row in rows] == [
            format_log_probability(score - log_z) for score, _ in expected
        ]
        assert ("they have all of the probability" in text_of(app)) == (len(expected) < 5)

    @pytest.mark.parametrize(("draw", "name"), [("greedy", "Greedy"), ("2", "2nd best")])
    def test_what_is_drawn_over_the_trellis_is_in_the_address(self, draw, name):
        app = unfolded("viterbi")
        app.selectbox(key=sections.OVERLAY.key).set_value(draw).run()
        assert app.query_params["draw"] in (draw, [draw])
        assert [path["name"] for path in sent(app, "viterbi")["paths"]] == [name]

    def test_the_four_decoders_and_the_change_of_mind(self):
        app = unfolded("viterbi", "decoders", "flips", "pointers")
        rows = table(app, "Four decoders’ paths")[1:]
        assert [row[1] for row in rows] == ["19.00", "18.00", "18.00", "19.00"]
        assert "‘old’ and ‘man’ change their tags" in text_of(app)
        body = next(h.proto.body for h in app.get("html") if "Backpointers: " in h.proto.body)
        assert sorted(re.findall('crf-ring">(.*?)<', body)) == ["DET", "DET", "NOUN", "VERB"]


class TestForward:
    @pytest.mark.parametrize("semiring", ["sum", "max"])
    def test_enumeration_and_the_sum_rearranged(self, semiring):
        app = unfolded("forward", "growth", semiring=semiring)
        text, value = text_of(app), oracle.total(OLD_MAN, semiring)
        listed = re.search(r"All 1,024 paths .*? = (\S+)\. The recursion: (\S+)\. ", text)
        assert listed
        assert [read(number) for number in listed.groups()] == pytest.approx([value] * 2, abs=1e-6)
        rows = table(app, "What it costs, by the number of tokens")[1:]
        assert rows[4] == ["5", "1,024", "1,023", str(4 * 4 * 3 + 3)]
        assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "10", "20", "50"]
        line = "".join(text.split())
        for row, tag in enumerate(OLD_MAN.tags[:2]):
            cell = format_potential(oracle.cell(OLD_MAN, "state", semiring, 1, row))
            assert f"·ψ₂({tag})={cell}".replace(" ", "") in line
        hidden = text_of(unfolded("forward", "growth", semiring=semiring, hide="answers"))
        assert "·ψ₂(DET)=" not in "".join(hidden.split())
        assert "4 · 5 = 20 cells do the work of 1,024 paths" in text


@pytest.mark.parametrize(
    ("emissions", "right", "said"),
    [
        ("x_0", 2, "No allowed path uses"),
        ("0_x", 0, "by exactly 1"),
        ("9000_0", 1, "no digit shows it"),
        ("7.5_0", 1, "no digit shows it"),  # by 0.9997
        ("0_0", 1, "by less than 1: by log(1 + p"),
        ("0_9000", 1, "by less than 1: by log(1 + p"),
    ],
)
def test_what_raising_a_score_does_is_told_of_every_case(emissions, right, said):
    """Of two tags one is forbidden, alone, or neither, however probable."""
    app = unfolded("forward", t="A~B", w="x", e=emissions)
    radio = next(radio for radio in app.radio if "log Z" in radio.label)
    radio.set_value(right).run()
    press(app, "Commit, then see")
    assert app.success
    assert said in text_of(app)
    told = re.search(r"on screen p = (\S+), and to raise this one by 1 adds (\S+)\.", text_of(app))
    if told:
        p, by = map(float, told.groups())
        assert by == pytest.approx(math.log1p(p * (math.e - 1)), abs=2e-3)


@pytest.mark.parametrize("page", [*PAGES, "backward"])
@pytest.mark.parametrize("part", ["prose", "answers", "controls", "equation"])
def test_hidden_parts(page, part):
    app = unfolded(page, "variants", hide=part, step="6")
    shown, tells = html_of(app), part not in ("prose", "answers")
    trace = sent(app, page)
    assert ("data-means" in shown) is ("means" in trace["steps"][0]) is tells
    if page != "backward":
        assert ("crf-recursion" in shown) == (part != "equation")
        assert bool(app.get("button_group")) == (part != "controls")
        assert (trace["best"] is None) == (part == "answers" and page == "forward")


@pytest.mark.parametrize("page", [*PAGES, "backward"])
def test_every_table_can_be_exported(page):
    app = unfolded(page, step="6")
    assert all("CSV" not in button.proto.label for button in app.get("download_button"))
    app.session_state[f"{page}·export"] = True
    app.run()
    names = next(box for box in app.selectbox if box.key == f"{page}·table")
    for name in names.options:
        names.set_value(name).run()
        assert not app.exception, name


def test_a_step_beyond_the_last_is_told_and_another_lesson_starts_at_its_first_step():
    last = len(OLD_MAN.trace("viterbi").steps) - 1
    warned = messages(unfolded("viterbi", step="99999"))
    assert f"step 100,000, and there are {last + 1}" in warned
    app = unfolded("viterbi", step=str(last))
    assert not app.warning
    switch(app, "forward")
    assert "step" not in app.query_params
    switch(app, "viterbi")
    assert app.query_params["step"] in (str(last), [str(last)])
