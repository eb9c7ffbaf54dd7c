"""From words to scores: the network, a training, and what came out; below it what "⋯" opens."""

from pages.shared.ui.stage import reader
from pages.words import more
from pages.words.beats import BEATS

reader.show("words", BEATS, more.show)
