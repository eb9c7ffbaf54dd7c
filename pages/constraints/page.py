"""Lesson: constraints, or how a CRF is told what may not follow what."""

from pages.constraints import controls, rules, sections
from pages.shared.ui.lesson import Lesson

controls.first_example()
lesson = Lesson.open("constraints", controls=controls.CONTROLS, own=controls.query)
controls.begin(lesson.problem)
lesson.bar()
sections.table_and_flow(lesson)
sections.who_obeys(lesson)
sections.known_in_part(lesson)
sections.check_yourself(lesson)
lesson.folds([("when", "", sections.when), ("failures", "", sections.failures)])
lesson.code("bio", answers=rules.bio_answers(lesson.problem.tags))
lesson.foot({lesson.text.line("labels.export"): sections.export_table(lesson)})
lesson.close()
