"""Lesson: many sentences in one recursion; masks, broadcasting, and the faults one makes there."""

from crf import decoding, recursions
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
textbook_code.show(lesson, "forward_batch", now=now)
lesson.foot(
    sections.export_tables(loop),
    code=(
        ("The loop over the columns of a batch", recursions.forward),
        ("One step of it", recursions.log_matvec),
        ("With max", decoding.viterbi_forward),
        ("The way back of all rows", decoding.backtrace),
    ),
    at=(step, loop.last + 1),
)
lesson.close()
