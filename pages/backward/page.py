"""Lesson: the backward recursion; with forward it gives the probability of each tag."""

from pages.backward import alpha_beta_meeting, clamping, export_tables, posterior, samples, sections
from pages.shared.ui import fixed_tags, practice, recursion
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
        lesson, sections.follow, beside=sections.products, below=clamping.flow_of_paths
    )

recursion.end_if_bare(lesson)
with text:
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
    if recursion.tells_steps(lesson):
        lesson.say("step")
        recursion.this_step(lesson)
    sections.meeting(lesson)
    if lesson.summary.feasible:
        alpha_beta_meeting.told(lesson)
        clamping.section(lesson)
    else:
        lesson.say("infeasible")
    if lesson.summary.feasible:
        with lesson.fold("Which token is least certain?", key="entropy") as is_open:
            if is_open:
                if fixed_tags.fixed("backward", lesson.problem):
                    lesson.say("without-fixed")
                sections.uncertainty(lesson)
    with lesson.fold("Can you fill a column?", key="fill") as is_open:
        if is_open:
            recursion.exercise(lesson, "fill")
    with lesson.fold(
        "Can you do it with new numbers?", key="practice", expanded=bool(practice.query())
    ) as is_open:
        if is_open:
            recursion.exercise(lesson, "practice")
    if lesson.shows_everything(
        "variants", "derive", "sums", "unary", "pairs", "posterior", "samples", "whole",
        asked=bool(samples.SIZE.query() | samples.SEED.query()) or not recursion.is_usual(lesson),
    ):  # fmt: skip
        recursion.whole(lesson)
        with lesson.fold(
            "Textbook variants: how else is it written?",
            key="variants",
            expanded=not recursion.is_usual(lesson),
        ) as is_open:
            if is_open:
                recursion.switches(lesson)
                lesson.say("variants")
                sections.between(lesson)
        with lesson.fold("How does β come about?", key="derive") as is_open:
            if is_open:
                sections.derived(lesson)
        with lesson.fold("Does every column hold all paths?", key="sums") as is_open:
            if is_open:
                sections.sums(lesson)
        if lesson.summary.feasible:
            held = fixed_tags.fixed("backward", lesson.problem)
            for key, label, draw in (
                ("unary", "What is each marginal made of?", sections.unary),
                ("pairs", "How probable are two neighbours’ tags together?", sections.pairwise),
                ("posterior", "Do the best parts make the best whole?", posterior.posterior),
                ("samples", "Do drawn paths show the marginals?", samples.sampled),
            ):
                if key == "pairs" and len(lesson.problem.tokens) < 2:
                    continue
                asked = key == "samples" and bool(samples.SIZE.query() | samples.SEED.query())
                with lesson.fold(label, key=key, expanded=asked) as is_open:
                    if is_open:
                        if held:
                            lesson.say("without-fixed")
                        draw(lesson)

if lesson.summary.feasible and lesson.view.screen:
    alpha_beta_meeting.on_screen(lesson)
lesson.has("fronts")
recursion.foot(lesson, export_tables.export_tables(lesson))
lesson.close()
