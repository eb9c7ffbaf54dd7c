"""Lesson: constraints, or how a CRF is told what may not follow what."""

from pages.constraints import more
from pages.constraints.beats import BEATS
from pages.shared.ui.stage import reader

reader.show("constraints", BEATS, more.show)
