"""Lesson: what the model assumes, drawn as a graph, and how HMM, MEMM and CRF differ."""

from pages.graphs import more
from pages.graphs.beats import BEATS
from pages.shared.ui.stage import reader

reader.show("graphs", BEATS, more.show)
