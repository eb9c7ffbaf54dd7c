"""Lesson: from words to scores, or what a network makes of a sentence before the CRF sees it."""

from pages.shared.ui import taggers
from pages.shared.ui.lesson import Lesson
from pages.tagger import judging, sections, train_section

PARTS = (
    ("How well it does, and how it was trained", sections.how_well),
    ("Which mistakes it makes", judging.mistakes),
    ("What the transitions learnt", judging.transitions),
    ("Is .9 right nine times in ten?", judging.calibrated),
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
    if show is judging.transitions and sections.chooses_alone():
        continue
    with lesson.fold(label) as is_open:
        if is_open:
            show(lesson)
with lesson.fold("Reading along: the names in textbooks and ours") as is_open:
    if is_open:
        sections.reading_along()
lesson.foot(sections.export_tables(), code=sections.code_that_ran() if is_ours else ())
lesson.close()
