"""What figures are sent is what it was; `python -m tests.golden DIR` writes it out to compare."""

import json

import pytest

from tests.golden import FILE, digest, payloads, states


@pytest.mark.parametrize("state", states())
def test_figures_are_sent_what_they_were(state):
    known = json.loads(FILE.read_text(encoding="utf-8")).get(state)
    now = {name: digest(p) for name, p in payloads(*states()[state]).items()}
    assert now == known, "if this change is meant, write them anew: python -m tests.golden"
