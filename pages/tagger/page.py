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

lesson = Lesson.open("tagger", controls=(*sections.CONTROLS, *train_section.CONTROLS))
if taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
sections.sentence_and_tagger(lesson)
if is_ours := sections.opened(lesson):
    sections.through_the_network(lesson)
if not taggers.TRAIN_FIRST.value:
    train_section.train_one(lesson)
shown = [*FIRST] if is_ours else []
if lesson.shows_everything(*(key for key, _, _ in FURTHER)):
    shown += [part for part in FURTHER if is_ours or part[0] == "reading"]
for key, label, show in shown:
    if show is judging.transitions and sections.chooses_alone():
        continue
    with lesson.fold(label, key=key) as is_open:
        if is_open:
            show(lesson)
if is_ours:
    sections.code(lesson)
lesson.foot(sections.export_tables())
lesson.close()
