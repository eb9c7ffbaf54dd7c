"""Homework on its page: a sheet is answered, the code handed in and checked."""

import errno
import json
import stat
from dataclasses import replace

import pytest
import streamlit as st

from pages.homework import checking
from pages.shared.course import homework
from pages.shared.course.homework import HandedIn, Sheet, hand_in
from pages.shared.course.problem import ProblemError
from pages.shared.ui import class_key, drafts
from tests.apps import html_of, opened

SHEET = Sheet(7, ("path-score", "viterbi"), count=2)


LINK = SHEET.query() | {"sheet": "A", "class": "abcdefgh"}
TOKEN = homework.token_of("k" * 32, LINK["class"])


@pytest.fixture
def server_key(monkeypatch):
    monkeypatch.setenv(class_key.VARIABLE, "k" * 32)


def test_from_the_link_to_the_lecturer_s_table(server_key):
    app = opened("homework", **LINK)
    assert not app.exception
    score, path = SHEET.exercises("A")
    app.text_input(key="homework.name").set_value("<b>Ada</b>")
    app.text_input(key="homework.A.1·0").set_value(score.answer().values[0])
    for k, tag in enumerate(path.answer().values):
        app.selectbox(key=f"homework.A.2·{k}").set_value("B" if tag == "A" else "A")
    app.button[0].click().run()
    assert not app.exception
    (code,) = [c.value for c in app.code]

    check = opened("homework")
    check.text_input(key="homework.token").set_value(TOKEN)
    check.text_area(key="homework.codes").set_value(f"Ada: {code}\nBob: {code[:-4]}AAAA")
    check.button(key="homework.check").click().run()
    assert not check.exception
    assert "**1 of 2 codes are genuine.**" in [m.value for m in check.markdown]
    (table,) = [h.proto.body for h in check.get("html") if "Handed in" in h.proto.body]
    assert "&lt;b&gt;Ada&lt;/b&gt;" in table
    assert "1 of 2" in table
    assert "not genuine" in table


def test_the_address_keeps_what_the_sheets_are_made_of():
    app = opened("homework")
    assert app.query_params == {}
    app.number_input(key="homework.seed").set_value(7).run()
    app.button_group(key="homework.kinds.pills").set_value(["viterbi", "path-score"]).run()
    said = dict(app.query_params)
    assert said == {"seed": "7", "kinds": "viterbi~path-score"}
    again = opened("homework", **said)
    assert again.number_input(key="homework.seed").value == 7
    assert again.button_group(key="homework.kinds.pills").value == ["viterbi", "path-score"]
    (refused,) = [w.value for w in opened("homework", kinds="viterbi~no").warning]
    assert "The address asks for kinds" in refused


def test_a_sheet_ends_with_functions_to_implement(monkeypatch):
    saved = {}
    monkeypatch.setattr(
        st, "download_button", lambda _, data, name, *a, **k: saved.update({name: data})
    )
    app = opened("homework", program="viterbi~forward")
    assert app.button_group(key="homework.program.pills").value == ["viterbi", "forward"]
    paper, latex = saved["crf-sheet-1-B.html"](), saved["crf-sheet-1-B.tex"]()
    for text in (paper, latex.replace("{-}", "-")):  # which LaTeX would join to a dash
        assert "7. Implement viterbi, forward" in text
        assert "python -m crf lab new homework.py --only viterbi,forward" in text
        assert "python -m crf lab check homework.py" in text
    assert "def viterbi(emissions, transitions, start, end):" in paper
    assert "Answers" in paper.partition("def viterbi(")[2]


def test_links_and_token_are_saved_as_they_are_shown(monkeypatch):
    saved, real = {}, st.download_button

    def download(label, data, *args, **how):
        saved[label] = data
        return real(label, data, *args, **how)

    monkeypatch.setattr(st, "download_button", download)
    app = opened("homework")
    app.button(key="homework.make").click().run()
    *links, token = [code.value for code in app.code]
    assert len(links) == 2
    assert {*links, token} < set(saved["Save links and token"].splitlines())


def test_what_is_no_number_is_said_at_once_and_makes_no_code(server_key):
    app = opened("homework", **LINK)
    app.text_input(key="homework.name").set_value("Ada")
    field = app.text_input(key="homework.A.1·0")
    assert "⚠" not in html_of(app.run())
    for typed in ("−5,5", "1,263", "abc"):
        assert "expected a number" in html_of(field.set_value(typed).run())
        app.button(key="homework.code.make").click().run()
        assert "exercise 1" in app.warning[0].value
        assert not app.code
    field.set_value("-5.5").run()
    app.button(key="homework.code.make").click().run()
    assert not app.warning
    assert len(app.code) == 1


def test_a_name_twice_is_seen_and_a_sheet_half_filled_is_read():
    codes = [
        hand_in(TOKEN, HandedIn(SHEET, "A", name, (("",), ("A", "Z")), 9))
        for name in ("Ada", "ada")
    ]
    _, rows = checking.table(codes, TOKEN)
    assert [row[4] for row in rows] == ["genuine", "genuine; number 2 under this name"]
    assert rows[0][3] == "0 of 2"
    assert rows[0][5:] == ("–", "✗ A Z")


def test_of_a_column_each_value_has_its_own_sign():
    sheet = Sheet(7, ("forward",), count=2)
    one, two = sheet.exercises("A")
    right = one.answer().values
    half = (right[0], "99", *right[2:])
    left_out = (two.answer().values[0], *[""] * (len(two.answer().values) - 1))
    work = HandedIn(sheet, "A", "Ada", (half, left_out), 9)
    ((*_, first, second),) = checking.table([hand_in(TOKEN, work)], TOKEN)[1]
    assert first.startswith(f"✓ {right[0]} ✗ 99")
    assert second.startswith(f"– {left_out[0]} ?")
    (whole,) = checking.table([hand_in(TOKEN, replace(work, answers=(right, right)))], TOKEN)[1]
    assert whole[5] == f"✓ {' '.join(right)}"
    assert whole[3] == "1 of 2"


@pytest.mark.parametrize("changes", [{"class": "x"}, {"kinds": "<script>"}])
def test_a_forged_link_is_a_sentence(server_key, changes):
    app = opened("homework", **(LINK | changes))
    assert not app.exception
    assert "This sheet cannot be opened" in app.warning[0].value


class TestKey:
    @pytest.fixture(autouse=True)
    def at_home(self, monkeypatch, tmp_path):
        monkeypatch.delenv(class_key.VARIABLE, raising=False)
        monkeypatch.setattr(class_key.Path, "home", lambda: tmp_path)

    def test_it_is_made_once_and_for_its_owner_alone(self, tmp_path):
        key = class_key.class_key()
        assert key == class_key.class_key()
        (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def test_a_crash_while_it_is_written_leaves_no_half_of_it(self, monkeypatch, tmp_path):
        def crash(handle):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as broken:
            broken.setattr(class_key.os, "fsync", crash)
            with pytest.raises(ProblemError, match=r"~/\.config/crf/class-key \(No space left"):
                class_key.class_key()
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]
        assert len(class_key.class_key()) > 40

    def test_a_damaged_file_is_named_and_no_other_key_made(self, tmp_path):
        file = tmp_path / class_key._FILE
        file.parent.mkdir(parents=True)
        for content in (b"", b"short", b"\xff" * 40, b"a\x00" * 20):
            file.write_bytes(content)
            with pytest.raises(ProblemError, match=r"deletes the file ~/\.config/crf/class-key"):
                class_key.class_key()
            assert file.read_bytes() == content

    def test_where_none_can_be_kept_it_says_what_to_do(self, monkeypatch, tmp_path):
        (tmp_path / "file").touch()
        monkeypatch.setattr(class_key.Path, "home", lambda: tmp_path / "file")
        with pytest.raises(ProblemError, match=class_key.VARIABLE):
            class_key.class_key()
        monkeypatch.setenv(class_key.VARIABLE, "short")
        with pytest.raises(ProblemError, match="at least 16"):
            class_key.class_key()


def test_what_the_browser_has_kept_is_in_the_fields_again(server_key, session):
    key = "homework.A.1·0"
    fields = {key: None, "homework.A.2·0": ("A", "B"), "homework.A.2·1": ("A", "B")}
    kept = {key: "1.5", "homework.A.2·0": "B", "homework.A.2·1": "<b>", "homework.token": "x"}
    session.state["draft.mine"] = {"kept": json.dumps(kept)}
    drafts.keep("mine", fields)
    assert {name: session.state.get(name) for name in fields} == {
        key: "1.5", "homework.A.2·0": "B", "homework.A.2·1": None,
    }  # fmt: skip
    assert "homework.token" not in session.state
    session.state[key] = "2"
    drafts.keep("mine", fields)  # is heard once
    assert session.state[key] == "2"
    for said in ("", "[1]", "{", '{"homework.name": 3}', 7, "[" * 5000):  # made up
        session.open().state["draft.mine"] = {"kept": said}
        drafts.keep("mine", {"homework.name": None})
        assert not session.state.get("homework.name")
