"""Parts that many lessons have: derivations, code, folds, other views, scores to be edited."""

import math
import re

import pytest
import torch
from starlette.applications import Starlette

from pages.shared.contents import COURSE
from pages.shared.course import textbook
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import component
from pages.shared.ui.marginal_views import VIEW
from tests.apps import fresh, html_of, opened, press, switch, text_of, unfolded
from tests.golden import decoded
from tests.ui.asgi import answer

LAST_LINES = {
    "backward": r"in potentials: (.*?) = (\S+?)\.? ",
    "viterbi": r"so p = exp\((\S+ − \S+)\) = (\S+?)\.? ",
    "learning": r"T\[\w+, \w+\]: (\S+ − \S+) = (\S+?)\.? ",
}


def number(text: str) -> float:
    plain = text.replace("−", "-").replace("⁻", "-").replace("\u00a0", " ").replace(" × 10", "e")
    return float(plain.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


@pytest.mark.parametrize(("page", "pattern"), LAST_LINES.items())
def test_the_last_line_of_a_derivation_is_right_and_its_terms_light_up(page, pattern):
    app = fresh(page, steps="1")
    app.session_state["guess.skipped"] = app.session_state[f"{page}.fold.derive"] = True
    app.run()
    found = re.search(pattern, text_of(app) + " ")
    assert found
    left, right = found[1], number(found[2])
    if page == "backward":
        assert sum(map(number, left.split(" + "))) == pytest.approx(right, rel=0.01)
    else:
        a, b = map(number, left.split(" − "))
        assert (math.exp(a - b) if page == "viterbi" else a - b) == pytest.approx(right, abs=0.01)
    listed = next(p.proto.body for p in app.get("html") if p.proto.body.count("<li>") > 4)
    wanted = {"learning": {"observed", "expected", "gradient"}}.get(page, {"emission", "cell"})
    assert wanted <= set(re.findall(r'data-lights="(\w+)"', listed))


def test_the_derivative_of_p_with_respect_to_a_potential():
    said = text_of(unfolded("learning", "ways", model="pairs"))
    found = re.search(r"For T\[.*?\]: (.+?) · (\S+) / (\S+) = (.+?)\. ", said)
    assert found
    p, slope, psi, product = map(number, found.groups())
    assert p * slope / psi == pytest.approx(product, rel=0.01)


REFERENCE = {  # in the menu of problems, and at a page's end
    "A tagger of your own", "Export", "How is it written in code?", "Implement it", "Sources",
}  # fmt: skip
BEHIND = {  # the switch: a part of each lesson that has one
    "scores": "How is the score linear in the weights?",
    "forward": "Textbook variants: how else is it written?",
    "backward": "Do drawn paths show the marginals?",
    "viterbi": "Which paths come after the best?",
    "learning": "What are features?",
    "tagger": "Is .9 right nine times in ten?",
    "stability": "How does one add two at a time?",
}


def parts(app):
    return [part.label for part in app.expander if part.label not in REFERENCE]


@pytest.mark.parametrize("address", [entry.address for entry in COURSE])
def test_at_most_three_parts_are_folded_and_the_switch_brings_the_others(address):
    app = opened(address)
    assert not app.exception
    assert len(parts(app)) <= 3, parts(app)
    if address not in BEHIND:
        return
    assert BEHIND[address] not in parts(app)
    next(switch for switch in app.toggle if switch.label == "Show everything").set_value(True).run()
    assert not app.exception
    assert BEHIND[address] in parts(app)
    assert app.query_params["all"] in ("1", ["1"])


def figures(app):
    return [part.proto.component_name.split(".")[-1] for part in app.get("bidi_component")]


def test_marginals_are_a_flow_a_heat_map_or_a_table():
    app = opened("backward")
    flows = figures(app).count("flow")  # Backward has another one further down
    next(g for g in app.get("button_group") if g.key == VIEW["backward"].key).set_value(
        "heat"
    ).run()
    assert not app.exception
    assert figures(app).count("flow") == flows - 1
    protos = [part.proto for part in app.get("bidi_component")]
    heat = next(proto for proto in protos if proto.component_name.endswith("cell_table"))
    rows = [
        [0.0 if cell[0][0] == "<" else float(cell[0].lstrip(">")) for cell in row["cells"]]
        for row in decoded(heat)["rows"]
    ]
    assert len(rows) > 3
    assert all(abs(sum(column) - 1) < 0.1 for column in zip(*rows, strict=True))
    app = opened("backward", **{"as": "table"})
    assert not app.exception
    assert (figures(app).count("flow"), figures(app).count("cell_table")) == (flows - 1, 0)
    assert any('data-figure="marginals"' in part.proto.body for part in app.get("html"))


def test_a_sentence_s_scores_can_be_edited_one_press_from_where_they_are_shown():
    app = press(unfolded("tagger"), "Edit these scores")
    assert app.session_state["bar.editing"]
    assert "score_editor" in figures(switch(app, "scores"))


@pytest.mark.parametrize("is_folded", [False, True])
def test_the_folded_matrix_is_shown_where_the_transitions_are_read(is_folded):
    app = fresh("scores")
    app.session_state["editor·folded"] = is_folded
    app.session_state["scores.fold.More: reading the table of transitions"] = True
    app.run()
    assert not app.exception
    assert ("&lt;ROOT&gt;" in html_of(app)) == is_folded


OF_A_CHAIN = sorted(textbook.CORE.keys() - {"bio", "network", "forward_batch"})
LISTINGS = [
    ("scores", {}, "total = root", ""),
    ("structure", {}, "argmax", ""),
    ("forward", {}, "alpha_e", "log_alphas"),
    ("backward", {}, "beta_e", "log_betas"),
    ("viterbi", {}, "last_tag_index", "backpointers"),
    ("viterbi", {"semiring": "sum"}, "alpha_e", "log_alphas"),
    ("learning", {}, "difference -=", ""),
    ("tagger", {"tagger": "bilstm"}, "lstm(vectors)", ""),
    ("tagger", {"tagger": "local"}, "lstm(vectors)", ""),
    ("stability", {}, "largest", ""),
    ("batches", {}, "new_alpha_e", "log_alphas"),
    ("constraints", {}, "allowed", ""),
    ("cost", {}, "parts", ""),
]


@pytest.mark.parametrize(("page", "query", "there", "here"), LISTINGS)
def test_the_textbook_s_code_stands_on_its_page_with_what_the_library_does(
    page, query, there, here
):
    shown = html_of(unfolded(page, "textbook", **query))
    listing = shown[shown.index('<pre class="crf-listing"') :]
    assert there in listing
    assert here in listing
    assert "returns the same" in listing
    assert ("crf-runs" in listing) == (page == "batches")  # elsewhere the stepper marks its lines
    if here and page != "batches":
        assert f'data-code="{page}.stepper"' in shown


@pytest.mark.parametrize("name", OF_A_CHAIN)
def test_the_textbook_s_code_equals_the_library_on_examples(name):
    for example in ("old-man", "fish", "bio", "three-one-three", "one-token"):
        mine, core = textbook.answers(name, EXAMPLES[example].problem.chain())
        assert torch.allclose(mine.double(), core.double())


def test_code_that_cannot_be_run_says_where_the_library_does_it():
    shown = html_of(unfolded("forward", "textbook", ex="no-path"))
    assert "does the same for whole batches" in shown
    assert "returns the same" not in shown


def test_the_library_s_files_are_served_as_text_and_nothing_else_is():
    def asked(file):
        return answer(Starlette(routes=component.routes()), component.core_address(file))

    for file in set(textbook.CORE.values()):
        status, headers, body = asked(file)
        assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert "def " in body.decode()
    for file in ("../app.py", "/etc/passwd", "nothing.py", "tagger/shipped/local/tagger.json", ""):
        assert asked(file)[0] == 404
