"""The door /viterbi: the trellis opens where only the best is kept."""

from pages.shared.ui.stage import reader
from pages.trellis import more
from pages.trellis.beats import BEATS

reader.show("trellis", BEATS, more.show, door="best")
