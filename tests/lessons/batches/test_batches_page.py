"""The lesson "Batches" as a reader uses it, and its bugs to be found, each on the batch named."""

import inspect
import re
import textwrap
from html import escape

import pytest
import torch
from torch import Tensor, nn

from pages.batches import faults
from pages.batches.bug_section import line_verdict
from pages.batches.faults import FAULTS, compare, on_screen
from pages.shared.ui.problem_state import SHARED
from tests.apps import html_of, messages, opened, press
from tests.lessons.batches.test_batch import EVERY, RAGGED


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
    monkeypatch.setattr("pages.batches.bug_section.genuine", lambda *_: lines[-1])

    def clicked(line):
        lines.append(line)
        app.run()
        assert not app.exception
        shown = html_of(app)
        return [one.value.replace("\\", "") for one in (*app.success, *app.error)], shown

    app = opened("batches", bug="unmasked")
    guess = faults.FAULTS["unmasked"].words("result")
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


RUNNABLE = [on_screen(batch) for batch in EVERY]
SAME = {  # whether row 1 and row 2 of the batch that the page opens with come out right
    "time-first": [False, False],
    "integers": [False, True],
    "sorted": [True, True],
    "pairs": [False, False],
    "multiplied": [True, True],
    "last-tag": [True, False],
    "unmasked": [True, False],
}


def mended(name: str):
    """The fault with its line set right, in the place of the faulty code."""
    fault = FAULTS[name]
    source = textwrap.dedent(inspect.getsource(fault.code))
    assert source.count(fault.wrong) == 1
    names = {"torch": torch, "nn": nn, "Tensor": Tensor}
    exec(source.replace(fault.wrong, fault.mended), names)
    return names[fault.code.__name__]


@pytest.mark.parametrize("name", FAULTS)
class TestEveryFault:
    def test_it_shows_on_its_small_batch_and_runs_on_every_other(self, name):
        fault = FAULTS[name]
        assert [row.same for row in compare(fault, RAGGED)] == SAME[name]
        assert not all(row.same for row in compare(fault, fault.smallest))
        if fault.forbids:
            allowed = faults.small(fault.lengths)
            assert all(row.same for row in compare(fault, allowed))
        for batch in RUNNABLE:
            assert batch.chain().feasible.all()
            assert len(compare(fault, batch)) == len(batch.rows)

    def test_set_right_it_gives_what_the_core_gives(self, name):
        fault, code = FAULTS[name], mended(name)
        if name == "time-first":  # the right one is this code with this switch
            assert code(3, 2).lstm.batch_first
            return
        for batch in (RAGGED, *RUNNABLE[3:6]):
            right = [row.right for row in compare(fault, batch)]
            for got, wanted in zip(faults.results(code, batch), right, strict=True):
                is_path = isinstance(wanted, tuple)
                assert got == (wanted if is_path else pytest.approx(wanted, rel=1e-9))

    def test_every_line_has_a_verdict(self, name):
        fault = FAULTS[name]
        assert fault.lines[fault.line].strip() == fault.wrong
        for line in range(len(fault.lines)):
            if line != fault.line:
                first, second = (line_verdict(fault, line, wrong) for wrong in (1, 2))
                assert first.startswith(f"Not line {line + 1}. ")
                assert fault.words("hint-2") in second
                assert fault.mended not in first + second
        for k, part in enumerate(fault.innocent, 1):  # it is about one of them
            assert fault.words(f"innocent-{k}")
            assert any(part in line for line in fault.lines), part
            assert part not in fault.wrong


def test_time_first_depends_on_the_other_rows():
    """What the answer says: a word's context comes from the other sentences."""
    fault = FAULTS["time-first"]
    turned = type(RAGGED)(RAGGED.model, RAGGED.rows[::-1])
    (first, _), (_, last) = compare(fault, RAGGED), compare(fault, turned)
    assert first.got != pytest.approx(last.got)
    assert first.right == pytest.approx(last.right)
