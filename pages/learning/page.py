"""Lesson: learning, or where scores come from: observed minus expected, until both are equal."""

from pages.learning import more
from pages.learning.beats import BEATS
from pages.shared.ui.stage import reader

reader.show("learning", BEATS, more.show)
