"""The door /forward: the trellis opens where all paths are added up."""

from pages.shared.ui.stage import reader
from pages.trellis import more
from pages.trellis.beats import BEATS

reader.show("trellis", BEATS, more.show, door="add")
