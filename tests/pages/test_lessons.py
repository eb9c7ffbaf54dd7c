"""The lessons "Forward" and "Viterbi" on every example, with every switch, without a browser."""

import html
import math
import re
from pathlib import Path

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_log_probability, format_potential, format_score
from pages.shared.figures import cost
from pages.viterbi import sections
from tests.apps import opened, switch
from tests.pages import recursion_oracle as oracle

APP = str(Path(__file__).resolve().parents[2] / "app.py")
OLD_MAN = EXAMPLES["old-man"].problem
PAGES = {"forward": ("Forward", "sum"), "viterbi": ("Viterbi", "max")}
EVERY = [(page, name) for page in PAGES for name in EXAMPLES]


def open_page(page, **query):
    return opened(page, **query)


def blocks(app):
    return [b.proto.body for b in app.get("html") if not b.proto.body.startswith("<style>")]


def _bare(app):
    """What is on the page without unfolding or opening anything."""

    def walk(node):
        if getattr(node, "type", "") in ("expander", "popover"):
            return
        if hasattr(node, "children"):
            for child in node.children.values():
                yield from walk(child)
        elif node.type == "html":
            yield html.unescape(node.proto.body)

    return " ".join(walk(app.main))


def texts(app):
    return re.sub("<[^>]+>", " ", " ".join(blocks(app)))


def cells(app, caption):
    """Rows of the table with this caption, as texts."""
    table = next(body for body in blocks(app) if caption in body)
    rows = re.findall("<tr>(.*?)</tr>", table.split("</thead>")[1])
    return [
        [re.sub("<[^>]+>", "", cell) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in rows
    ]


def read(text):
    return -math.inf if text == "−∞" else float(text.replace("−", "-"))


@pytest.mark.parametrize(("page", "name"), EVERY)
def test_every_example(page, name):
    app = open_page(page, ex=name)
    assert not app.exception
    assert app.title[0].value == PAGES[page][0]
    problem = EXAMPLES[name].problem
    log_z = oracle.total(problem, "sum")
    if page == "forward":
        rows = cells(app, "The total in three conventions")
        assert [row[0] for row in rows] == ["State", "Message", "Pair"]
        for row in rows:
            assert read(row[3]) == pytest.approx(log_z, abs=1e-6)
        return
    if log_z == -math.inf:
        assert "No path is allowed" in app.info[0].value
        return
    numbers = re.findall('crf-big">(.*?)</span>', " ".join(blocks(app)))
    score, total = (re.sub("<[^>]+>|[^0-9.−]", "", number) for number in numbers[1:3])
    digits = len(total.split(".")[1])
    best = oracle.total(problem, "max")
    assert score == format_score(best, digits)
    assert total.removeprefix("−") == format_score(log_z, digits)
    assert numbers[0] == format_log_probability(best - log_z)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("convention", ["state", "message", "pair"])
@pytest.mark.parametrize("semiring", ["sum", "max"])
def test_every_switch(page, convention, semiring):
    query = {"convention": convention, "semiring": semiring, "space": "probability", "step": "9"}
    app = open_page(page, **query)
    assert not app.exception
    S = len(OLD_MAN.tags)
    t = 9 // S + (convention == "message")
    value = oracle.cell(OLD_MAN, convention, semiring, t, 9 % S)
    follow = next(body for body in blocks(app) if "crf-follow" in body)
    assert f"Its logarithm: {format_score(value)}." in follow
    for key, wanted in query.items():
        usual = {"convention": "state", "semiring": PAGES[page][1]}.get(key)
        value = app.query_params.get(key, usual)
        assert (value[0] if isinstance(value, list) else value) == wanted


def test_sum_and_max_are_each_pages_own():
    app = open_page("forward")
    ways = next(c for c in app.get("button_group") if c.key == "lesson.forward.semiring")
    assert ways.value == "sum"
    ways.set_value("max").run()
    assert "best score" in texts(app)
    switch(app, "viterbi")
    assert app.session_state["lesson.viterbi.semiring"] == "max"
    switch(app, "forward")
    assert app.session_state["lesson.forward.semiring"] == "max"


class TestViterbi:
    @pytest.mark.parametrize("name", ["old-man", "can-fish", "bio", "all-zero", "no-path"])
    def test_best_paths(self, name):
        problem = EXAMPLES[name].problem
        app = open_page("viterbi", ex=name)
        expected = [pair for pair in oracle.best_paths(problem, 5) if pair[0] > -math.inf]
        if not expected:
            assert "The best paths" not in texts(app)
            return
        log_z, cumulative = oracle.total(problem, "sum"), 0.0
        rows = cells(app, "The best paths, best first")
        assert len(rows) == len(expected)
        for row, (score, _) in zip(rows, expected, strict=True):
            cumulative += math.exp(score - log_z)
            assert row[1] == format_score(score)
            assert row[2] == format_log_probability(score - log_z)
            assert read(row[3]) == pytest.approx(cumulative, abs=6e-4)
        assert row[3] != "1" or len(rows) == 3

    def test_the_lit_path_is_drawn(self):
        app = open_page("viterbi")
        lit = next(c for c in app.get("button_group") if c.key == sections.LIT)
        lit.set_value(2).run()
        assert not app.exception
        assert app.session_state[sections.LIT] == 2

    def test_four_decoders(self):
        rows = cells(open_page("viterbi"), "Four decoders’ paths")
        assert [row[0].split("best")[0].split("likeliest")[0] for row in rows] == [
            "Viterbi", "Greedy", "Left to right", "Posterior"
        ]  # fmt: skip
        assert [row[1] for row in rows] == ["17.50", "16.50", "16.50", "17.50"]

    def test_flips_and_backpointers(self):
        app = open_page("viterbi", step="25")
        text = texts(app)
        assert "‘old’ and ‘man’ change their tags" in text
        table = next(body for body in blocks(app) if "Backpointers: " in body)
        followed = re.findall('crf-ring">(.*?)<', table)
        assert sorted(followed) == ["DET", "DET", "NOUN", "VERB"]

    def test_all_of_the_probability(self):
        assert "they have all of the probability" in texts(open_page("viterbi", ex="one-token"))
        assert "they have all of the probability" not in texts(open_page("viterbi"))

    def test_the_way_forth_is_counted_as_on_forward(self):
        assert cost.units(4, 5, "max") in texts(open_page("viterbi"))

    def test_practice_is_not_the_smallest(self):
        app = open_page("viterbi")
        assert app.selectbox(key="viterbi.practice·size").value == "medium"
        assert "ask" not in app.query_params

    def test_a_sum_keeps_no_backpointers(self):
        assert "keeps no backpointers" in texts(open_page("viterbi", semiring="sum"))


class TestForward:
    @pytest.mark.parametrize("semiring", ["sum", "max"])
    def test_enumeration(self, semiring):
        app = open_page("forward", semiring=semiring)
        text = texts(app)
        value = oracle.total(OLD_MAN, semiring)
        listed = re.search(r"All 1,024 paths .*? = (\S+)\. The recursion: (\S+)\. ", text)
        assert [read(number) for number in listed.groups()] == pytest.approx([value] * 2, abs=1e-6)
        assert all(re.fullmatch(r"−?\d+\.\d{6}", number) for number in listed.groups())
        assert "the gain begins with the third token" in text.lower()
        assert cost.units(4, 5, semiring) in text
        headers = [header.value for header in app.header]
        assert headers.index("Why it is cheap") < headers.index("Three conventions, one total")

    @pytest.mark.parametrize("name", ["no-path", "all-forbidden"])
    @pytest.mark.parametrize("semiring", ["sum", "max"])
    def test_no_path_is_no_difference(self, name, semiring):
        text = texts(open_page("forward", ex=name, semiring=semiring))
        assert "None of the paths is allowed" in text
        assert "both −∞, the same" in text
        assert "Difference" not in text

    @pytest.mark.parametrize("name", ["old-man", "one-token"])
    def test_the_one_cell_of_messages(self, name):
        text = texts(open_page("forward", ex=name))
        assert ("its one cell is the total itself" in text.lower()) == (name == "one-token")

    def test_sums_of_products_come_first(self):
        def formulas(**query):
            page = " ".join(b for b in blocks(open_page("forward", **query)) if "crf-formula" in b)
            return page.count("crf-recursion"), "Potentials</div>" in page

        assert formulas() == (2, True)
        assert formulas(space="probability") == (1, False)
        assert formulas(semiring="max") == (1, False)
        assert formulas(hide="equation") == (0, False)

    def test_hidden_answers_are_nowhere(self):
        """None of the cells' values is in the text, nor what the example is there to show."""
        full, less = open_page("forward"), open_page("forward", hide="answers")
        why = EXAMPLES["old-man"].why
        assert why in _bare(full)
        assert why not in _bare(less)
        assert why in " ".join(html.unescape(block) for block in blocks(less))
        assert "The sum, rearranged" in [header.value for header in less.subheader]
        for s in range(2):
            value = format_potential(oracle.cell(OLD_MAN, "state", "sum", 1, s))
            assert f"= <b>{value}</b>" in " ".join(blocks(full))
            assert f"<b>{value}</b>" not in " ".join(blocks(less))

    def test_too_many_to_list(self):
        text = texts(open_page("forward", ex="pair-potentials"))
        assert "9,765,625 paths, more than the 20,000" in text


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("part", ["prose", "answers", "controls", "equation"])
def test_hidden_parts(page, part):
    app = open_page(page, hide=part, step="6")
    assert not app.exception
    shown = " ".join(blocks(app))
    assert ("crf-follow" in shown) == (part not in ("prose", "answers"))
    assert ("crf-recursion" in shown) == (part != "equation")
    assert bool(app.get("button_group")) or part == "controls"
    in_parts = [e.label for e in app.expander if e.label.startswith("Show")]
    assert bool(in_parts) == (part == "answers")


@pytest.mark.parametrize("page", PAGES)
def test_the_export_is_made_when_it_is_open(page):
    app = open_page(page, step="6")
    assert not app.get("download_button") or all(
        "CSV" not in button.proto.label for button in app.get("download_button")
    )
    app.session_state[f"{page}·export"] = True
    app.run()
    assert not app.exception
    assert any("alpha" in c.value or "delta" in c.value for c in app.code)
    names = next(box for box in app.selectbox if box.key == f"{page}·table")
    for name in names.options:
        names.set_value(name).run()
        assert not app.exception, name


@pytest.mark.parametrize("page", PAGES)
def test_the_code_that_ran(page):
    app = open_page(page)
    assert not app.code
    app.session_state["code"] = True
    app.run()
    sources = " ".join(block.value for block in app.code)
    assert ("def forward(" if page == "forward" else "def backtrace(") in sources


def test_a_step_beyond_the_last_is_answered_by_how_many_there_are():
    last = len(OLD_MAN.trace("viterbi").steps) - 1
    warned = [w.value for w in open_page("viterbi", step="99999").warning]
    assert any(f"step {99999 + 1}, and there are {last + 1}" in text for text in warned)
    assert not open_page("viterbi", step=str(last)).warning
