"""Lesson: from words to scores, or what a network makes of a sentence before the CRF sees it."""

from pages.shared.ui import taggers
from pages.shared.ui.lesson import Lesson
from pages.tagger import judging, sections, train_section

FIRST = (
    ("well", "How well does it do, and how was it trained?", sections.how_well),
    ("mistakes", "Which mistakes does it make?", judging.mistakes),
)
FURTHER = (
    ("transitions", "What did the transitions learn?", judging.transitions),
    ("calibration", "Is .9 right nine times in ten?", judging.calibrated),
    ("reading", "What are its parts called in textbooks?", lambda _: sections.reading_along()),
)


def shows(part: str) -> bool:
    """Whether this tagger has what a further part is about."""
    return part == "reading" or (
        is_ours and not (part == "transitions" and sections.chooses_alone())
    )


lesson = Lesson.open("tagger", controls=(*sections.CONTROLS, *train_section.CONTROLS))
if taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
sections.sentence_and_tagger(lesson)
if is_ours := sections.opened(lesson):
    sections.through_the_network(lesson)
if not taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
if is_ours:
    lesson.folds(FIRST)
if lesson.shows_everything(*(key for key, _, _ in FURTHER)):
    lesson.folds(part for part in FURTHER if shows(part[0]))
if is_ours:
    sections.code(lesson)
lesson.foot(sections.export_tables())
lesson.close()
