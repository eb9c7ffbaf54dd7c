"""The trellis: one picture, four modes, one story; below it what stands behind "⋯"."""

from pages.shared.ui.stage import reader
from pages.trellis import more
from pages.trellis.beats import BEATS

reader.show("trellis", BEATS, more.show, door="bet")
