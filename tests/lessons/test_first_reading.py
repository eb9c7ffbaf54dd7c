"""A first reading: few parts to unfold on each lesson, and one switch for all the others."""

import pytest

from pages.shared.contents import COURSE
from tests.apps import opened

REFERENCE = {  # in the menu of problems, and at a page's end
    "A tagger of your own", "Export", "How is it written in code?", "Implement it", "Sources",
}  # fmt: skip
BEHIND = {  # the switch: a part of each lesson that has one
    "start": "Which sequences are the best?",
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
