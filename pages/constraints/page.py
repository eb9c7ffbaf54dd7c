"""Lesson: constraints, or how a CRF is told what may not follow what."""

from crf import Constraints, chain, decoding
from pages.constraints import sections
from pages.shared.ui.lesson import Lesson

sections.first_example()
lesson = Lesson.open("constraints", controls=sections.CONTROLS, own=sections.query)
sections.begin(lesson.problem)
lesson.bar()
sections.table_and_flow(lesson)
sections.who_obeys(lesson)
sections.known_in_part(lesson)
sections.check_yourself(lesson)
with lesson.fold("At training, or only when decoding?") as is_open:
    if is_open:
        sections.when(lesson)
with lesson.fold("When the table forbids the right path") as is_open:
    if is_open:
        sections.failures(lesson)
lesson.foot(
    {"Decoders": sections.export_table(lesson)},
    code=(
        ("The tables of BIO", Constraints.bio),
        ("A table put into the scores", Constraints.apply),
        ("The probability of a set of paths", chain.LinearChain.partial_log_prob),
        ("The best path", decoding.viterbi_forward),
    ),
)
lesson.close()
