"""Tables: inert text; numbers that can be read on their colours."""

import re
import xml.etree.ElementTree as ET

import pytest

from crf.figures.colours import probability_colours, score_background, tag_colours
from pages.shared.figures import chart, tables
from tests.contrast import contrast

POS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
HOSTILE = '<img src=x onerror="alert(1)">&'


def rows(html):
    return [["".join(cell.itertext()) for cell in row] for row in ET.fromstring(html).iter("tr")]


def test_hostile_text_is_inert():
    given = tables.given_tables([(HOSTILE, ["", HOSTILE], [[HOSTILE, HOSTILE]])], HOSTILE)
    for html in (tables.text_table([HOSTILE], [[HOSTILE, HOSTILE]], HOSTILE), given):
        assert {part.tag for part in ET.fromstring(html).iter()}.isdisjoint({"img", "script"})
        assert rows(html)[-1] == [HOSTILE, HOSTILE]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_numbers_can_be_read_on_every_shade_of_a_heat_map(name):
    colours = chart.look(name)
    for shade in colours.shades:
        assert contrast(shade, colours.ink) >= 4.5, shade


def test_probabilities_can_be_read_on_every_colour():
    for i in range(101):
        background, text = probability_colours(i / 100)
        assert contrast(background, text) >= 4.5, i


@pytest.mark.parametrize(
    ("page", "text"), [((255, 255, 255), "#1b2126"), ((18, 22, 26), "#e8ecef")]
)
@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_scores_can_be_read_on_the_strongest_colour(page, text, value):
    *rgb, alpha = map(float, re.findall(r"[\d.]+", score_background(value, 1.0)))
    blend = [alpha * c + (1 - alpha) * p for c, p in zip(rgb, page, strict=True)]
    assert contrast(blend, text) >= 4.5


@pytest.mark.parametrize("tags", [POS, ["O", "B-PER", "I-LOC", "B-ORG", "B-MISC"], ["H", "C"]])
def test_white_letters_can_be_read_on_each_tag_s_colour(tags):
    for tag, hue in tag_colours(tags).items():
        rgb = [int(part) for part in hue.split(",")]
        assert contrast(rgb, "#ffffff") >= 4.5, tag
        assert contrast(rgb, "#12161a") >= 3.0, tag
