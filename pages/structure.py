"""Lesson: why tags are chosen together, and why that needs more than trying all sequences."""

from crf import chain
from crf.course import brute_force, greedy, independence, label_bias
from pages.ui import (
    lesson,
    recursion,
    structure_bias,
    structure_counting,
    structure_graph,
    structure_questions,
    structure_sections,
)

view = lesson.begin("structure")
shown = structure_sections.open_lesson(view)
structure_sections.greedy(shown)
structure_counting.section(shown)
structure_sections.three_problems(shown)
structure_sections.kin(shown)
structure_graph.section(shown)
structure_bias.section(shown)
structure_sections.features(shown)
recursion.code(
    (
        ("Both greedy decoders against the best path", greedy.against_the_best),
        ("Each word by itself", chain.LinearChain.greedy),
        ("All paths, best first", brute_force.enumerate_paths),
        ("Tags fixed, and every pair of the others compared", independence.given),
        ("The same scores, normalised state by state", label_bias.local_tables),
    )
)
structure_questions.check_yourself(view)
structure_questions.close(shown)
