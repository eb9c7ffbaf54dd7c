"""Lesson: learning, or where scores come from: observed minus expected, until both are equal."""

from pages.learning import corpus_section, sentence_section, tables, ways_section
from pages.shared.ui.lesson import Lesson

lesson = Lesson.open(
    "learning",
    controls=(*sentence_section.CONTROLS, *corpus_section.CONTROLS, *ways_section.CONTROLS),
)
lesson.bar()
sentence_section.section(lesson)
corpus_section.section(lesson)
ways_section.section(lesson)
lesson.foot(tables.every(lesson), code="gradient")
lesson.close()
