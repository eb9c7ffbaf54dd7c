"""Tables: inert text, the right number in the right cell, differences marked."""

import math
import re
import xml.etree.ElementTree as ET

import pytest

from crf.figures.colours import tag_colours
from crf.figures.flow.payload import drawn_tags
from pages.shared.figures import chart, tables, theme

POS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
HOSTILE = '<img src=x onerror="alert(1)">&'


def rows(html):
    return [["".join(cell.itertext()) for cell in row] for row in ET.fromstring(html).iter("tr")]


class TestPathTable:
    def table(self, tokens=("a", "b"), tags=("NOUN", "VERB")):
        row, known = tables.PathRow("Greedy", tags, ["0.5"], "about"), ["NOUN", "NOUN"]
        how = {"tags": [*known, *tags]}
        return tables.path_table(tokens, [row], known, ["probability"], "caption", **how)

    def test_cells(self):
        head, row = rows(self.table())
        assert head == ["", "probability", "a", "b"]
        assert row == ["Greedyabout", "0.5", "NOUN", "≠ VERB"]

    @pytest.mark.parametrize("tags", [("O", "I-ORG"), ("NOUN", "X")])
    def test_a_tag_is_as_in_the_pictures(self, tags):
        hues = re.findall(r"--tag:([\d, ]+)", self.table(tags=tags))
        known = drawn_tags(["NOUN", "NOUN", *tags])
        assert hues == [{tag["name"]: tag["colour"] for tag in known}[name] for name in tags]

    def test_hostile_text_is_inert(self):
        html = self.table((HOSTILE, "b"), (HOSTILE, "NOUN"))
        assert {part.tag for part in ET.fromstring(html).iter()}.isdisjoint({"img", "script"})
        assert HOSTILE in rows(html)[0]


def test_scores_and_probabilities():
    scores = ((1.25, -2.5), (None, -math.inf))
    html = tables.score_table(["x", "y"], ["u", "v"], scores, "caption")
    assert rows(html)[1:] == [["x", "1.2", "−2.5"], ["y", "", "−∞"]]
    assert html.count("crf-forbidden") == 1  # hatched
    values, footer = [[0.934], [0.066]], [("sum", ["1.0000"])]
    html = tables.probability_table(["x", "y"], ["u"], values, "caption", footer)
    assert rows(html)[1:] == [["x", ".93"], ["y", ".07"], ["sum", "1.0000"]]


def luminance(colour):
    if isinstance(colour, str):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
        channels = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    else:
        channels = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_numbers_can_be_read_on_every_shade_of_a_heat_map(name):
    colours = chart.look(name)
    for shade in colours.shades:
        assert contrast(shade, colours.ink) >= 4.5, shade


def test_probabilities_can_be_read_on_every_colour():
    for i in range(101):
        background, text = theme.probability_colours(i / 100)
        assert contrast(background, text) >= 4.5, i


@pytest.mark.parametrize(
    ("page", "text"), [((255, 255, 255), "#1b2126"), ((18, 22, 26), "#e8ecef")]
)
@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_scores_can_be_read_on_the_strongest_colour(page, text, value):
    *rgb, alpha = map(float, re.findall(r"[\d.]+", theme.score_background(value, 1.0)))
    blend = [alpha * c + (1 - alpha) * p for c, p in zip(rgb, page, strict=True)]
    assert contrast(blend, text) >= 4.5


@pytest.mark.parametrize("tags", [POS, ["O", "B-PER", "I-LOC", "B-ORG", "B-MISC"], ["H", "C"]])
def test_white_letters_can_be_read_on_each_tag_s_colour(tags):
    for tag, hue in tag_colours(tags).items():
        rgb = [int(part) for part in hue.split(",")]
        assert contrast(rgb, "#ffffff") >= 4.5, tag
        assert contrast(rgb, "#12161a") >= 3.0, tag
