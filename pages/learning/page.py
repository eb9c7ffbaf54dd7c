"""Lesson: learning, or where scores come from: observed minus expected, until both are equal."""

from pages.learning import corpus_beats, more
from pages.learning.beats import BEATS
from pages.shared.ui.stage import reader

corpus_beats.prepare()
reader.show("learning", BEATS, more.show)
