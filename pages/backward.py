"""The door /backward: the trellis opens where both sides meet."""

from pages.shared.ui.stage import reader
from pages.trellis import more
from pages.trellis.beats import BEATS

reader.show("trellis", BEATS, more.show, door="both")
