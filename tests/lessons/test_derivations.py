"""Derivations line by line: they stand in their folds, with numbers that are the page's own."""

import math
import re

import pytest

from tests.apps import fresh

CASES = {
    "backward": ("derive", r"in potentials: (.*?) = (\S+?)\.? "),
    "viterbi": ("derive", r"so p = exp\((\S+ − \S+)\) = (\S+?)\.? "),
    "learning": ("derive", r"T\[\w+, \w+\]: (\S+ − \S+) = (\S+?)\.? "),
}


def told(app) -> str:
    bodies = " ".join(part.proto.body for part in app.get("html"))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", bodies)) + " "


def number(text: str) -> float:
    plain = text.replace("−", "-").replace("⁻", "-").replace("\u00a0", " ").replace(" × 10", "e")
    return float(plain.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


@pytest.mark.parametrize("page", CASES)
def test_the_last_line_is_right(page):
    key, pattern = CASES[page]
    app = fresh(page, steps="1")
    app.session_state["guess.skipped"] = True
    app.session_state[f"{page}.fold.{key}"] = True
    app.run()
    assert not app.exception
    found = re.search(pattern, told(app))
    assert found, told(app)[-3000:]
    left, right = found[1], number(found[2])
    if page == "backward":
        assert sum(map(number, left.split(" + "))) == pytest.approx(right, rel=0.01)
        return
    a, b = map(number, left.split(" − "))
    assert (math.exp(a - b) if page == "viterbi" else a - b) == pytest.approx(right, abs=0.01)


@pytest.mark.parametrize("page", ["backward", "viterbi", "learning"])
def test_its_terms_light_up_in_the_picture(page):
    app = fresh(page, steps="1")
    app.session_state[f"{page}.fold.derive"] = True
    app.run()
    listed = next(p.proto.body for p in app.get("html") if p.proto.body.count("<li>") > 4)
    wanted = {"learning": {"observed", "expected", "gradient"}}.get(page, {"emission", "cell"})
    assert wanted <= set(re.findall(r'data-lights="(\w+)"', listed))


def test_the_derivative_of_p_with_respect_to_a_potential():
    app = fresh("learning", model="pairs")
    app.session_state["learning.fold.ways"] = True
    text = told(app.run())
    found = re.search(r"For T\[.*?\]: (.+?) · (\S+) / (\S+) = (.+?)\. ", text)
    assert found, text[-2000:]
    p, slope, psi, product = map(number, found.groups())
    assert p * slope / psi == pytest.approx(product, rel=0.01)
