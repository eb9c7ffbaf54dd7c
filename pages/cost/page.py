"""Lesson: what the recursion costs, and how time can be run in parallel."""

from pages.cost import more
from pages.cost.beats import BEATS
from pages.shared.ui.stage import reader

reader.show("cost", BEATS, more.show)
