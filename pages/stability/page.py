"""Lesson: numerical stability, or why one computes with logarithms of probabilities."""

from pages.shared.ui.stage import reader
from pages.stability import more
from pages.stability.beats import BEATS

reader.show("stability", BEATS, more.show)
