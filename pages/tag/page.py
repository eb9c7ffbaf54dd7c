"""The front page: a sentence, all its readings, and the pad; below it what stands behind "⋯"."""

from pages.shared.ui import taggers
from pages.shared.ui.stage import reader
from pages.tag import more
from pages.tag.beats import BEATS

chosen = taggers.TAGGER.value
usual = {"tagger": chosen} if chosen.startswith(taggers.OWN) else {}
reader.show("tag", BEATS, more.show, usual=usual)
