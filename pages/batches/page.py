"""Lesson: many sentences in one recursion; masks, broadcasting, and the faults one makes there."""

from pages.batches import bug_section, loop_section, sections
from pages.batches.controls import CONTROLS
from pages.shared.ui import textbook_code
from pages.shared.ui.lesson import Lesson

lesson = Lesson.open("batches", controls=CONTROLS)
lesson.bar()
sections.contents(lesson)
loop, step = loop_section.section(lesson)
sections.broadcasting(lesson, loop, step)
sections.nothing_changes(lesson, loop.batch)
sections.scores(lesson, loop)
bug_section.section(lesson, loop.batch)
sections.speed(lesson, loop.batch)
now = {0: "", 1: "first"}.get(step, "cell")  # nothing has run at step 0
runs = bool(loop.chain.mask[:, 0].all())  # the textbook's code begins with a word in each row
answers = textbook_code.of_chain("forward_batch", loop.chain) if runs else None
lesson.code("forward_batch", answers=answers, now=now)
lesson.foot(sections.export_tables(loop), at=(step, loop.last + 1))
lesson.close()
