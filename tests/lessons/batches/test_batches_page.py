"""The lesson "Batches" as a reader uses it, without a browser."""

import re
from html import escape

import pytest

from pages.batches import faults
from pages.shared.ui.problem_state import SHARED
from tests.apps import html_of, messages, opened, press


def test_no_spoilers_before_the_guesses():
    app = opened("batches", max="1", axis="2")
    assert "No <code>if</code>" not in html_of(app)
    assert "where one can go" not in html_of(app)
    shown = html_of(press(app, "Just show me"))
    assert "No <code>if</code>" in shown
    assert "the maximum runs over where one can go" in shown


@pytest.mark.parametrize("example", ["old-man", "ice-cream"])
def test_numbers_that_print_alike_are_called_the_same(example):
    app = opened("batches", ex=example, multiply="1", batch="short")
    [table] = [html for html in app.get("html") if "log Z before and after" in html.proto.body]
    rows = [re.findall("<td.*?>(.*?)</td>", row) for row in table.proto.body.split("<tr>")]
    found = [(row[0] == row[1], row[2]) for row in rows if len(row) > 2]
    assert found
    assert {(alike, said == "the same") for alike, said in found} <= {(1, True), (0, False)}


def test_the_problem_becomes_a_row_and_a_row_the_problem():
    app = opened("batches", ex="old-man")
    before = app.text_area[0].value
    press(app, "Take row 2 into all lessons")
    assert app.text_area[0].value == before
    assert " ".join(app.session_state[SHARED.key].problem.tokens) == before.split("\n")[1]
    app = opened("batches", ex="old-man")
    press(app, "Add the problem on screen as a row")
    assert str(app.text_area[0].value).split("\n")[2:] == ["The old man the boat"]
    app.text_area[0].input(" ")
    press(app, "Use these")
    assert "write one a line" in messages(app)


def test_the_wrong_line_is_found(monkeypatch):
    fault, lines = faults.FAULTS["unmasked"], [0]
    monkeypatch.setattr("pages.batches.bug_section.checked_line", lambda *_: lines[-1])

    def clicked(line):
        lines.append(line)
        app.run()
        assert not app.exception
        shown = html_of(app)
        return [one.value.replace("\\", "") for one in (*app.success, *app.error)], shown

    app = opened("batches", bug="unmasked")
    guess = faults.FAULTS["unmasked"].told("result")
    said, shown = clicked(2)
    assert not said  # first a guess
    assert "on the batch above" not in shown
    radio = next(r for r in app.radio if r.label == f"{guess}, row 2 (3 words): what comes out?")
    radio.set_value(radio.options.index("too large"))
    [b for b in app.button if b.label == "Commit, then see"][-1].click().run()
    assert "right" in app.success[0].value.lower()
    assert "on the batch above" in html_of(app)
    for line in (3, 4):  # after the third wrong line the answer is told
        (_, said), shown = clicked(line)
        assert said.startswith(f"Not line {line + 1}")
    assert f"It is line {fault.line + 1}" in shown
    assert escape(fault.mended) in shown
    assert "Found so far: 0 of 7" in shown
    (_, said), shown = clicked(fault.line)
    assert said.startswith(f"Line {fault.line + 1} it is")
    assert "Found so far: 1 of 7" in shown
