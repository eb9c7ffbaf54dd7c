"""Derivations line by line: they stand in their folds, with numbers that are the page's own."""

import math
import re

import pytest

from tests.apps import fresh, text_of, unfolded

CASES = {
    "backward": r"in potentials: (.*?) = (\S+?)\.? ",
    "viterbi": r"so p = exp\((\S+ − \S+)\) = (\S+?)\.? ",
    "learning": r"T\[\w+, \w+\]: (\S+ − \S+) = (\S+?)\.? ",
}


def number(text: str) -> float:
    plain = text.replace("−", "-").replace("⁻", "-").replace("\u00a0", " ").replace(" × 10", "e")
    return float(plain.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


@pytest.mark.parametrize(("page", "pattern"), CASES.items())
def test_the_last_line_is_right_and_its_terms_light_up_in_the_picture(page, pattern):
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
