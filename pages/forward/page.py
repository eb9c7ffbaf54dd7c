"""Lesson: the forward recursion, which adds up all paths without listing them, and log Z."""

from crf import recursions
from crf import trace as traces
from pages.forward import sections
from pages.shared.figures.leads import lead
from pages.shared.figures.recursion_prose import follow
from pages.shared.ui import practice, recursion
from pages.shared.ui.fill_column import fill_column
from pages.shared.ui.lesson import show_code

shown = recursion.open_lesson(
    "forward",
    idea=lead,
    own=lambda _: practice.query(),
    products_first=True,
)
recursion.step_by_step(shown, follow, tables=sections.export_tables(shown))
sections.cheap(shown)
sections.conventions(shown)
fill_column(shown.problem, shown.trace, shown.space, key="forward.fill", view=shown.view)
show_code(
    shown.name,
    (
        ("The recursion on batches, which gives log Z and the marginals", recursions.forward),
        ("Every step of it written down, for the trellis above", traces.trace),
    ),
)
practice.practice(["forward", "log-z"], key="forward.practice", view=shown.view)
shown.close()
