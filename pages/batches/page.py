"""Lesson: many sentences in one recursion; masks, broadcasting, and the faults one makes there."""

from functools import partial

from markupsafe import Markup

from pages.batches import broadcasting, bug_section, loop_section, operations, terms, throughput
from pages.batches.controls import CONTROLS
from pages.shared.figures.text import anchor
from pages.shared.ui import textbook_code
from pages.shared.ui.lesson import Lesson

PARTS = ("loop", "warm-up", "same", "bugs", "speed")  # paragraphs whose headings begin a part

lesson = Lesson.open("batches", controls=(*CONTROLS, bug_section.BUG))
lesson.bar()
titles = [lesson.text.title(part) for part in PARTS]
links = [Markup('<a href="#{}">{}</a>').format(anchor(title), title) for title in titles]
lesson.say("contents", parts=Markup(" · ").join(links))
loop, step = loop_section.section(lesson)
broadcasting.section(lesson, loop, step)
operations.section(lesson, loop.batch)
lesson.folds([("score", "", partial(terms.section, loop=loop))])
bug_section.section(lesson, loop.batch)
throughput.section(lesson, loop.batch)
now = {0: "", 1: "first"}.get(step, "cell")  # nothing has run at step 0
runs = bool(loop.chain.mask[:, 0].all())  # the textbook's code begins with a word in each row
answers = textbook_code.of_chain("forward_batch", loop.chain) if runs else None
lesson.code("forward_batch", answers=answers, now=now)
lesson.foot(terms.exports(loop), at=(step, loop.last + 1))
lesson.close()
