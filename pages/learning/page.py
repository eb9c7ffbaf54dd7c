"""Lesson: learning, or where scores come from: observed minus expected, until both are equal."""

from pages.learning import corpus_section, sentence_section, ways_section
from pages.shared.ui.exports import Table
from pages.shared.ui.lesson import Lesson

lesson = Lesson.open(
    "learning",
    controls=(*sentence_section.CONTROLS, *corpus_section.CONTROLS, *ways_section.CONTROLS),
)
lesson.bar()
sentence_section.section(lesson)
corpus_section.section(lesson)
ways_section.section(lesson)
run = corpus_section.the_run()
tables = {"Training run": Table.of_frame(run.record)} if run else {}
tables |= sentence_section.exports(lesson)
lesson.foot(tables, code="gradient")
lesson.close()
