"""Parts that many lessons have: derivations, code, folds, other views, scores to be edited."""

import re

import pytest
import torch
from starlette.applications import Starlette

from pages.shared.contents import COURSE
from pages.shared.course import textbook
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import component
from tests.apps import fresh, html_of, opened, text_of, unfolded
from tests.ui.asgi import answer


def number(text: str) -> float:
    plain = text.replace("−", "-").replace("⁻", "-").replace("\u00a0", " ").replace(" × 10", "e")
    return float(plain.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


def test_the_last_line_of_a_derivation_is_right_and_its_terms_light_up():
    app = fresh("learning", steps="1")
    app.session_state["guess.skipped"] = app.session_state["learning.fold.derive"] = True
    app.run()
    found = re.search(r"T\[\w+, \w+\]: (\S+ − \S+) = (\S+?)\.? ", text_of(app) + " ")
    assert found
    a, b = map(number, found[1].split(" − "))
    assert a - b == pytest.approx(number(found[2]), abs=0.01)
    listed = next(p.proto.body for p in app.get("html") if p.proto.body.count("<li>") > 4)
    assert {"observed", "expected", "gradient"} <= set(re.findall(r'data-lights="(\w+)"', listed))


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
    "learning": "What are features?",
    "tagger": "Is .9 right nine times in ten?",
}


def parts(app):
    """The folds of a page."""
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


OF_A_CHAIN = sorted(textbook.CORE.keys() - {"bio", "network", "forward_batch"})
LISTINGS = [
    ("learning", {}, "difference -=", ""),
    ("tagger", {"tagger": "bilstm"}, "lstm(vectors)", ""),
    ("tagger", {"tagger": "local"}, "lstm(vectors)", ""),
    ("batches", {}, "new_alpha_e", "log_alphas"),
    ("constraints", {}, "allowed", ""),
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
    assert ("crf-runs" in listing) == (page == "batches")


@pytest.mark.parametrize("name", OF_A_CHAIN)
def test_the_textbook_s_code_equals_the_library_on_examples(name):
    for example in ("old-man", "fish", "bio", "three-one-three", "one-token"):
        mine, core = textbook.answers(name, EXAMPLES[example].problem.chain())
        assert torch.allclose(mine.double(), core.double())


def test_the_library_s_files_are_served_as_text_and_nothing_else_is():
    def asked(file):
        return answer(Starlette(routes=component.routes()), component.core_address(file))

    for file in set(textbook.CORE.values()):
        status, headers, body = asked(file)
        assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert "def " in body.decode()
    for file in ("../app.py", "/etc/passwd", "nothing.py", "tagger/shipped/local/tagger.json", ""):
        assert asked(file)[0] == 404
