"""Lesson: why tags are chosen together, and why that needs more than trying all paths."""

import math

import streamlit as st

from pages.shared.course.brute_force import LIMIT, count_paths
from pages.shared.figures import decoders, growth, problem_scores, theme
from pages.shared.figures.paths import NamedPath
from pages.shared.figures.text import case
from pages.shared.ui import (
    computed,
    drawing,
    exports,
    menu,
    paths,
    presenter_view,
    problem_state,
    state,
)
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue
from pages.structure import facts, greedy, sections

MOVED = ("graph", "sees", "letter", "fix")  # parts of old addresses: their figures are in Graphs
SENT_ON = SessionValue("structure.sent_on", False)  # once a session, or Back would lead there again

if any(name in state.all_asked() for name in MOVED) and not SENT_ON.value:
    SENT_ON.set(True)
    menu.go("graphs", state.all_asked())

lesson = Lesson.open("structure")
lesson.bar(beside=True)
problem, say = lesson.problem, lesson.text.line
S, m, number = len(problem.tags), len(problem.tokens), count_paths(problem)
found = [greedy.against_the_best(problem, decoder) for decoder in greedy.DECODERS]
found = [one for one in found if one is not None]  # none where no path is allowed

# ---------------------------------------------------------------------- greedy fails

picture, text = lesson.split()
with text:
    lesson.editor()
    lesson.say("greedy")
    if problem_state.origin().example == "old-man":
        lesson.say("old-man")
    seen = bool(found) and sections.first_wrong(lesson.text, problem, found[0])
    if not found:
        lesson.say("none")
    elif seen:
        lesson.say("lines")
        for k, one in enumerate(found):
            if k and one.path == found[0].path and one.mistake is not None:
                lesson.say("same")
                continue
            paragraph, told = facts.mistake(problem, one)
            lesson.say(paragraph, **told)
            if one.mistake is not None:
                paragraph, told = facts.cost(one)
                lesson.say(paragraph, **told)
        if found[1].mistake is not None and greedy.misleads(problem):
            lesson.say("garden-path")
with picture:
    runs = []
    if found:  # it is what a guess compares with
        runs = [NamedPath(say("manner.best"), "best", found[0].best, found[0].best_score)]
    if seen:
        for one, style in zip(found, ("alone", "left"), strict=True):
            runs.append(NamedPath(say(f"manner.{one.decoder}"), style, one.path, one.score))
    explains = bool(seen and lesson.view.screen)  # before a class, which has no room for it sooner
    drawn, scores = st.columns([5, 3]) if explains else (st.container(), st.container())
    with drawn:
        paths.compare(problem, runs, key="structure.paths")
    if explains:
        tables = problem_scores.transitions(problem)
        folded = say("labels.transitions")
        with scores, st.expander(folded) if tables[1:] else st.container():
            for table in tables:
                st.html(table)

# ---------------------------------------------------------------------- counting paths

picture, text = lesson.split("growth")
measured = growth.growth(S)
with text:
    lesson.say("counting", **facts.counting(problem))
    if S > 1:
        lesson.say("growth", tags=S, **measured.facts())
        lesson.say("recursion", operations=theme.count(m * S * S))
    sections.how_many(lesson.text, problem, helps="answers" not in lesson.view.hide)
with picture:
    told = not lesson.view.screen or presenter_view.answers(lesson.view, "structure.growth")
    drawing.draw(growth.drawing(measured, S, m, tells=told), key="structure.growth")
with lesson.fold(say("labels.paths"), key="paths") as is_open:
    if is_open and number > LIMIT:
        lesson.say("too-many", limit=theme.count(LIMIT))
    elif is_open:
        allowed = [one for one in computed.paths(problem) if one.score > -math.inf]
        if allowed:
            told = [facts.spread([one.probability for one in allowed])]
            if number > len(allowed):
                told.append(case("spreads.forbidden", n=number - len(allowed)))
            lesson.say("spread", told=told)
            sections.show_paths(problem, allowed)
        else:
            lesson.say("none-allowed", count=theme.count(number))
taken: dict[str, exports.Table] = {}
if found:
    taken[say("labels.decoders")] = exports.Table.of(
        lambda: decoders.path_rows(problem, lesson.decoded)
    )
if number <= LIMIT:
    taken[say("labels.all")] = exports.Table.of(lambda: sections.path_rows(problem))
lesson.foot(taken, code="left_to_right")
lesson.close()
