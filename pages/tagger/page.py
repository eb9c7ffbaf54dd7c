"""Lesson: from words to scores, or what a network makes of a sentence before the CRF sees it."""

from pages.shared.ui import taggers
from pages.shared.ui.lesson import Lesson
from pages.tagger import judging, sections, train_section

lesson = Lesson.open("tagger", controls=(*sections.CONTROLS, *train_section.CONTROLS))
if taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
sections.sentence_and_tagger(lesson)
if is_ours := sections.opened(lesson):
    sections.through_the_network(lesson)
if not taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
if is_ours:
    lesson.folds([("well", "", sections.how_well), ("mistakes", "", judging.mistakes)])
if lesson.shows_everything("transitions", "calibration", "reading"):
    if is_ours and not sections.chooses_alone():
        lesson.folds([("transitions", "", judging.transitions)])
    if is_ours:
        lesson.folds([("calibration", "", judging.calibrated)])
    lesson.folds([("reading", "", sections.reading_along)])
if is_ours:
    sections.code(lesson)
lesson.foot(sections.export_tables())
lesson.close()
