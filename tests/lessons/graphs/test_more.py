"""What stands behind "⋯" of Graphs: each section opens, the beat's own first."""

import pytest

from pages.graphs import more
from pages.shared.figures.text import LessonText
from tests.apps import unfolded


@pytest.mark.parametrize("beat", more.FIRST)
def test_every_section_opens_and_the_beat_s_own_stands_first(beat):
    app = unfolded("graphs", *more.EQUATIONS, beat=beat)
    labels = [part.label for part in app.expander if part.label != "Sources"]
    text = LessonText.of("graphs")
    assert labels[0] == text.line(f"folds.{more.FIRST[beat]}")
    assert sorted(labels) == sorted(text.line(f"folds.{name}") for name in more.EQUATIONS)
    assert len(app.latex) == sum(map(len, more.EQUATIONS.values()))
