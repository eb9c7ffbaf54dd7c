"""Lesson: from words to scores, or what a network makes of a sentence before the CRF sees it."""

from crf.tagger import Tagger
from crf.tagger.model import Encoder
from pages.shared.ui import taggers
from pages.shared.ui.lesson import Lesson
from pages.tagger import network, sections, train_section

PARTS = (
    ("How well it does, and how it was trained", sections.how_well),
    ("Which mistakes it makes", sections.mistakes),
    ("What the transitions learnt", sections.transitions),
    ("Is .9 right nine times in ten?", sections.calibrated),
)

lesson = Lesson.open("tagger", controls=(*sections.CONTROLS, *train_section.CONTROLS))
if taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
sections.sentence_and_tagger(lesson)
if is_ours := sections.opened(lesson):
    sections.through_the_network(lesson)
if not taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
for label, show in PARTS if is_ours else ():
    if show is sections.transitions and sections.chooses_alone():
        continue
    with lesson.fold(label) as is_open:
        if is_open:
            show(lesson)
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
