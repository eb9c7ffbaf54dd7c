"""Lesson: why tags are chosen together, and why that needs more than trying all sequences."""

from crf import chain
from pages.shared.course import brute_force
from pages.shared.ui.lesson import show_code
from pages.structure import (
    bias,
    counting,
    graph,
    greedy,
    independence,
    label_bias,
    questions,
    sections,
)

shown = sections.open_lesson()
sections.greedy(shown)
counting.section(shown)
sections.three_problems(shown)
sections.kin(shown)
graph.section(shown)
bias.section(shown)
sections.features(shown)
show_code(
    shown.name,
    (
        ("Both greedy decoders against the best path", greedy.against_the_best),
        ("Each word by itself", chain.LinearChain.greedy),
        ("All paths, best first", brute_force.enumerate_paths),
        ("Tags fixed, and every pair of the others compared", independence.given),
        ("The same scores, normalised state by state", label_bias.local_tables),
    ),
)
questions.check_yourself(shown.view)
questions.close(shown)
