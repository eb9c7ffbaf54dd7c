"""Lesson: the backward recursion; with forward it gives the probability of each tag."""

from pages.backward import alpha_beta_meeting, clamping, samples, sections
from pages.shared.ui import fixed_tags, frame, practice, recursion
from pages.shared.ui.marginal_views import VIEW

lesson = recursion.open_lesson(
    "backward",
    backward=True,
    controls=(VIEW["backward"], alpha_beta_meeting.MEET, samples.SIZE, samples.SEED),
    own=lambda problem: fixed_tags.query("backward", problem) | practice.query(),
)
picture, text = lesson.split()

with picture:
    recursion.stepper(
        lesson, sections.follow, beside=sections.products, below=clamping.view_of_paths
    )

recursion.end_if_bare(lesson)
is_feasible = lesson.summary.feasible
drawn = bool(samples.SIZE.query() | samples.SEED.query())  # the address asks for samples
of_paths = (  # parts to unfold where some path is allowed
    ("pairs", sections.pairwise),
    ("posterior", sections.posterior),
    ("samples", samples.sampled),
)
with text:
    with frame.passage():
        recursion.opening(
            lesson,
            {
                "": "idea",
                "message": "idea-message",
                "pair": "idea-pair",
                "max": "idea-max",
                "max-message": "idea-max-message",
            },
        )
        recursion.formula(lesson)
        lesson.say("colours")
        recursion.this_step(lesson)
        sections.meeting(lesson)
        if is_feasible:
            alpha_beta_meeting.explanation(lesson)
        else:
            lesson.say("infeasible")
    if is_feasible:
        clamping.section(lesson)
        if "answers" not in lesson.view.hide:
            for t, s in fixed_tags.fixed("backward", lesson.problem).items():
                sections.step_button(lesson, t, s, "of-held")
        with lesson.fold(key="entropy") as is_open:
            if is_open:
                if fixed_tags.fixed("backward", lesson.problem):
                    lesson.say("without-fixed")
                sections.uncertainty(lesson)
    recursion.exercises(lesson)
    if lesson.shows_everything(
        "variants", "derive", "sums", "pairs", "posterior", "samples", "whole",
        asked=drawn or not recursion.is_usual(lesson),
    ):  # fmt: skip
        recursion.whole(lesson)
        recursion.variants(lesson, lambda: lesson.say("variants"))
        lesson.folds((("derive", "", sections.derived), ("sums", "", sections.sums)))
        for key, draw in of_paths if is_feasible else ():
            if key == "pairs" and len(lesson.problem.tokens) < 2:
                continue
            with lesson.fold(key=key, expanded=key == "samples" and drawn) as is_open:
                if is_open:
                    if fixed_tags.fixed("backward", lesson.problem):
                        lesson.say("without-fixed")
                    draw(lesson)

if is_feasible and lesson.view.screen:
    alpha_beta_meeting.on_screen(lesson)
lesson.has("fronts")
taken = sections.export_tables(lesson)
if is_feasible:
    taken[lesson.text.line("labels.frequencies")] = samples.export_table(lesson)
recursion.foot(lesson, taken)
lesson.close()
