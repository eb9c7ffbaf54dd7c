"""Hues and meanings of tags: the labels of a kind of names belong together in every scheme."""

import pytest

from crf.figures.colours import tag_colours, tag_meaning

MEANINGS = {"B": "begins", "S": "is all of", "U": "is all of"}
MEANINGS |= dict.fromkeys("IM", "continues") | dict.fromkeys("EL", "ends")


@pytest.mark.parametrize("letters", ["BI", "BIES", "BILU", "BMES"])
@pytest.mark.parametrize("kinds", [("PER", "LOC"), ("GENE", "CELL")])
def test_the_labels_of_a_kind_share_a_hue(letters, kinds):
    colours = tag_colours(["O", *(f"{letter}-{kind}" for kind in kinds for letter in letters)])
    one, other = ({colours[f"{letter}-{kind}"] for letter in letters} for kind in kinds)
    assert len(one) == len(other) == 1
    assert one != other


@pytest.mark.parametrize("letter", MEANINGS)
def test_a_label_says_which_part_of_a_name_it_is(letter):
    assert tag_meaning(f"{letter}-PER") == f"{MEANINGS[letter]} a person’s name"
