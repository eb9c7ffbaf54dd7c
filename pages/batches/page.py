"""Lesson: many sentences in one recursion, masks, broadcasting, and what goes wrong there."""

from pages.batches import more
from pages.batches.beats import BEATS
from pages.shared.ui.stage import reader

reader.show("batches", BEATS, more.show)
