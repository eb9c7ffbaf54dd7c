"""The door /scores: the trellis opens at the score of one path."""

from pages.shared.ui.stage import reader
from pages.trellis import more
from pages.trellis.beats import BEATS

reader.show("trellis", BEATS, more.show, door="path")
