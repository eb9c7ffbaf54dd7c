"""Lesson: write a CRF of your own, paste what it prints, and see the first wrong cell."""

from pages.implement import more
from pages.implement.beats import BEATS
from pages.shared.ui.stage import reader

reader.show("implement", BEATS, more.show, door="cell")
