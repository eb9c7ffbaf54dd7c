"""Lesson: from words to scores, or what a network makes of a sentence before the CRF sees it."""

from crf.tagger import Tagger
from crf.tagger.model import Encoder
from pages.shared.ui.lesson import Lesson
from pages.tagger import network, sections

lesson = Lesson.open("tagger", controls=sections.CONTROLS)
sections.sentence_and_tagger(lesson)
sections.through_the_network(lesson)
with lesson.fold("How well it does, and how it was trained") as is_open:
    if is_open:
        sections.how_well(lesson)
with lesson.fold("Which mistakes it makes") as is_open:
    if is_open:
        sections.mistakes(lesson)
with lesson.fold("What the transitions learnt") as is_open:
    if is_open:
        sections.transitions(lesson)
with lesson.fold("Is .9 right nine times in ten?") as is_open:
    if is_open:
        sections.calibrated(lesson)
with lesson.fold("Reading along: the names in textbooks and ours") as is_open:
    if is_open:
        sections.reading_along()
lesson.foot(
    sections.export_tables(),
    code=(
        ("The network: slabs side by side, then the LSTM", Encoder.forward),
        ("The characters of each word", Encoder.by_character),
        ("Emissions and transitions make a chain", Tagger.chain),
        ("What stands in the picture", network.run),
    ),
)
lesson.close()
