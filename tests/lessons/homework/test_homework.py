"""Sheets on their page: the address keeps what they are made of, and they are taken away."""

import re

import pytest
import streamlit as st

from tests.apps import of_stage, opened


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


def test_sheets_are_in_the_language_of_the_page(monkeypatch):
    saved = {}
    monkeypatch.setattr(
        st, "download_button", lambda _, data, name, *a, **k: saved.update({name: data})
    )
    for lang, words in {
        "de": ("1. Score eines Pfades, klein", "Emissionen", "Lösungen", "0,4"),
        "zh": ("1. 路径的分数，小", "发射分数", "答案", "词元", "请把起始、发射、转移"),
    }.items():
        opened("homework", lang=lang)
        paper, latex = saved["crf-sheet-1-A.html"](), saved["crf-sheet-1-A.tex"]()
        assert f'<html lang="{lang}">' in paper
        for text in (paper, latex):
            assert all(word in text for word in words)
            assert not re.search(r">(Answers|Emissions|token|start)<|\*\{Answers|& start", text)
        assert (r"\documentclass[11pt]{ctexart}" in latex) == (lang == "zh")


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


@pytest.mark.parametrize("address", ["lecture", "slide"])
@pytest.mark.parametrize("link", [{}, {"stops": "abc"}])
def test_old_addresses_of_lectures_lead_to_the_plan_beside_the_trellis(address, link):
    app = opened(address, **link)
    assert of_stage(app)["view"]["beat"] == "bet"
    asked = {key: "".join(value) for key, value in app.query_params.items()}
    assert asked == {"plan": "open"} | ({"lecture": "abc"} if link else {})


def test_kinds_and_sizes_are_called_in_the_language_of_the_page():
    app = opened("homework", lang="de")
    assert "Score eines Pfades" in app.button_group(key="homework.kinds.pills").options
    (size,) = app.selectbox
    assert (size.label, size.options[0]) == ("Größe", "klein: 2 Tags, 2 Token")
    assert [field.label for field in app.number_input] == ["Startwert", "Aufgaben"]
