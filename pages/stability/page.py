"""Lesson: numerical stability, or why one computes with logarithms of probabilities."""

from pages.shared.ui.lesson import Lesson, show_code
from pages.stability import chains, closing, scaling, sections, sums
from pages.stability import forbidden as stability_forbidden
from pages.stability import forbidden_sections as forbidden
from pages.stability import growing as stability_chain

lesson = Lesson.open("stability", own=closing.query)
view = lesson.view
sections.what_formats_hold(view)
sections.one_sum(view, lesson.publish)
sections.two_at_a_time(view)
stability_chain.introduce(view)
lesson.bar()
problem = lesson.problem
stability_chain.growing(view, problem, lesson.publish)
scaling.two_paths(view)
forbidden.stand_in(view, problem)
forbidden.nothing_but_forbidden(view)
closing.summary(view)
show_code(
    lesson.name,
    (
        ("log Σ exp(q), as it is written", sums.naive),
        ("With the largest score subtracted", sums.shifted),
        ("Two at a time", sums.log_add),
        ("The forward recursion in probability space", chains.probability),
        ("Scaled", chains.scaled),
        ("In log space", chains.log_space),
        ("logsumexp that expects −∞", stability_forbidden.handled_logsumexp),
    ),
)
closing.check_yourself(view)
closing.exports(lesson)
lesson.close()
