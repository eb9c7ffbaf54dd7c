"""The lesson "Batches" as a reader uses it, without a browser."""

import re
from html import escape

import pytest

from pages.batches import faults
from pages.shared.course.examples import EXAMPLES
from tests.apps import html_of, opened


def button(app, label):
    return next(b for b in app.button if b.label == label)


def told(app):
    return " ".join(str(block.value) for block in [*app.success, *app.error, *app.warning])


class TestPage:
    @pytest.mark.parametrize("example", ["no-path", "pair-potentials"])
    def test_opens(self, example):
        app = opened("batches", ex=example, max="1")
        assert not app.exception
        assert app.title[0].value == "Batches"

    def test_no_spoilers_before_the_guesses(self):
        app = opened("batches")
        text = html_of(app)
        assert "No <code>if</code>" not in text
        assert "axis-" not in text
        next(b for b in app.button if b.label == "Just show me").click().run()
        text = html_of(app)
        assert "No <code>if</code>" in text
        assert "one number for each row and next tag" in text

    def test_a_row_goes_into_all_lessons_and_the_batch_stays(self):
        app = opened("batches")
        before = [t.value for t in app.text_area]
        button(app, "Take row 2 into all lessons").click().run()
        assert not app.exception
        assert [t.value for t in app.text_area] == before
        assert app.query_params["rows"]

    @pytest.mark.parametrize("example", ["old-man", "ice-cream", "bio"])
    def test_numbers_that_print_alike_are_called_the_same(self, example):
        app = opened("batches", ex=example, multiply="1", batch="short")
        [table] = [html for html in app.get("html") if "log Z before and after" in html.proto.body]
        rows = [re.findall("<td.*?>(.*?)</td>", row) for row in table.proto.body.split("<tr>")]
        found = [(row[0] == row[1], row[2]) for row in rows if len(row) > 2]
        assert found
        assert {(alike, said == "the same") for alike, said in found} <= {(1, True), (0, False)}

    def test_with_max_nothing_is_said_to_be_summed(self):
        app = opened("batches", max="1", axis="2")
        button(app, "Just show me").click().run()
        text = html_of(app)
        assert "the maximum runs over where one can go" in text

    def test_the_problem_becomes_a_row(self):
        app = opened("batches", ex="old-man")
        button(app, "Add the problem on screen as a row").click().run()
        assert str(app.text_area[0].value).split("\n")[2:] == ["The old man the boat"]

    def test_what_an_address_cannot_have(self):
        app = opened(
            "batches", rows="x\n" * 64, batch="huge", axis="7", changes="left~up", bug="<b>"
        )
        assert not app.exception
        said = [warning.value.replace("\\", "") for warning in app.warning]
        assert len(said) == 5
        assert "1 to 4 sentences, got 64" in said[1]

    @pytest.mark.parametrize(
        "rows", ["_\n_", "<b>x</b> 👍🏽 :red[x]\n" + "y" * 500 + "\n" + "a " * 60]
    )
    def test_odd_sentences(self, rows):
        app = opened("batches", rows=rows, changes="left~nan", multiply="1")
        assert not app.exception
        assert not app.warning

    def test_an_empty_batch_that_is_typed(self):
        app = opened("batches")
        app.text_area[0].input(" ")
        button(app, "Use these").click().run()
        assert "write one a line" in app.warning[0].value.replace("\\", "")


class TestFindTheBug:
    def test_without_a_line_it_asks_for_one(self):
        app = opened("batches", bug="unmasked")
        button(app, "Run it").click().run()
        assert "Mark a line" in app.info[0].value

    def test_found(self, monkeypatch):
        fault = faults.FAULTS["unmasked"]
        marked = [fault.line]
        monkeypatch.setattr("pages.batches.bug_section.checked_line", lambda *_: marked[-1])
        app = opened("batches", bug="unmasked")
        next(r for r in app.radio if "what comes out" in r.label).set_value("large")
        button(app, "Run it").click().run()
        assert "Line 8 it is" in told(app)
        assert "You guessed right" in told(app)
        assert any(escape(fault.mended) in one.proto.body for one in app.get("html"))
        marked.append(0)  # another line is tried for the fun of it
        button(app, "Run it").click().run()
        assert "Not line 1" in told(app).replace("\\", "")
        assert any("Found so far: 1 " in each.proto.body for each in app.get("html"))

    def test_two_wrong_lines_then_the_answer_may_be_shown(self, monkeypatch):
        lines = iter([3, 3, 4, 4, 4, 4, 4, 4])
        fault = faults.FAULTS["multiplied"]
        monkeypatch.setattr("pages.batches.bug_section.checked_line", lambda *_: next(lines))
        app = opened("batches", bug="multiplied")
        next(r for r in app.radio if "what comes out" in r.label).set_value("nan")
        button(app, "Run it").click().run()
        assert "Not line 4" in told(app).replace("\\", "")
        assert "right result, by luck" in told(app).replace("\\", "")
        assert not [b for b in app.button if b.label == "Show the line"]
        button(app, "Run it").click().run()
        button(app, "Show the line").click().run()
        assert not app.exception
        assert any(escape(fault.mended) in one.proto.body for one in app.get("html"))


class TestOddProblems:
    def words(self, **query: str) -> str:
        app = opened("batches", **query)
        assert not app.exception
        return html_of(app)

    def test_a_table_for_each_step_is_said_to_give_way_to_the_first(self):
        assert "for all steps: here it is the first" in self.words(ex="pair-potentials")
        assert "here it is the first" not in self.words(ex="old-man")

    @pytest.mark.parametrize(("semiring", "total"), [("0", "log Z"), ("1", "best score")])
    def test_no_path_is_said_of_the_total_on_screen(self, semiring, total):
        said = self.words(ex="no-path", max=semiring)
        assert f"A {total} of −∞ says that a row has no allowed path" in said

    def test_a_row_of_one_word_has_one_word(self):
        app = opened("batches", ex="old-man", rows="The")
        asked = [radio.label for radio in app.radio if "what comes out" in radio.label]
        assert asked
        assert "1 words" not in asked[0]


class TestRowsWithoutAPath:
    WORDS = "says that a row has no allowed path."

    def said(self, **query):
        app = opened("batches", **query)
        return html_of(app)

    @pytest.mark.parametrize("example", ["rib-rob", "no-path", "all-forbidden"])
    def test_where_none_has_one_there_are_no_others(self, example):
        told = self.said(ex=example, batch="left")
        assert f"{self.WORDS} Here none has one." in told
        assert "are not affected" not in told

    def test_the_others_do_not_notice(self):
        assert f"{self.WORDS} The other rows" in self.said(ex="no-path", rows="x\nx y z")


def test_the_line_of_an_example_of_one_token_is_about_one_token():
    assert "One token uses no transition" in EXAMPLES["one-token"].why
