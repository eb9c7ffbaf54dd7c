"""Lesson: numerical stability, or why one computes with logarithms of probabilities."""

from crf.course import stability, stability_chains, stability_forbidden
from pages.ui import (
    lesson,
    problem_bar,
    recursion,
    stability_chain,
    stability_closing,
    stability_scaling,
    stability_sections,
)
from pages.ui import stability_forbidden as forbidden

view = lesson.begin("stability")
stability_sections.what_formats_hold(view)
stability_sections.one_sum(view, stability_closing.publish)
stability_sections.two_at_a_time(view)
stability_chain.introduce(view)
problem = problem_bar.show(view)
stability_chain.growing(view, problem, stability_closing.publish)
stability_scaling.two_paths(view)
forbidden.stand_in(view, problem)
forbidden.nothing_but_forbidden(view)
stability_closing.summary(view)
recursion.code(
    (
        ("log Σ exp(q), as it is written", stability.naive),
        ("With the largest score subtracted", stability.shifted),
        ("Two at a time", stability.log_add),
        ("The forward recursion in probability space", stability_chains.probability),
        ("Scaled", stability_chains.scaled),
        ("In log space", stability_chains.log_space),
        ("logsumexp that expects −∞", stability_forbidden.handled_logsumexp),
    )
)
stability_closing.check_yourself(view)
stability_closing.exports(view, problem)
stability_closing.publish()
