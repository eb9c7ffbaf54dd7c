"""Lesson: from words to scores, or what a network makes of a sentence before the CRF sees it."""

from pages.shared.ui import taggers
from pages.shared.ui.lesson import Lesson
from pages.tagger import judging, sections, train_section

FIRST = (("well", "", sections.how_well), ("mistakes", "", judging.mistakes))
FURTHER = (
    ("transitions", "", judging.transitions),
    ("calibration", "", judging.calibrated),
    ("reading", "", sections.reading_along),
)


def shows(part: str) -> bool:
    """Whether this tagger has what a further part is about."""
    has_transitions = is_ours and not sections.chooses_alone()
    return {"transitions": has_transitions, "calibration": is_ours}.get(part, True)


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
