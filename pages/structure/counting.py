"""Counting, in the lesson "Why structure": all paths listed, and how far such a list would get."""

import math

import streamlit as st

from pages.shared.course.brute_force import LIMIT, count_paths
from pages.shared.figures import decoders, tables
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import count, probability
from pages.shared.ui import computed, exports
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.structure import growth as rates
from pages.structure import prose as structure_prose

PAGE_OF_PATHS = 50
_MOST = "structure.most"  # (problem, how many paths are listed)


def section(shown: Lesson) -> None:
    """|S|^m: the list of all paths, or why there is none; how far one would get."""
    problem = shown.problem
    number = count_paths(problem)
    st.header("Why not try all sequences?", anchor=False)
    if shown.tells:
        st.html(prose(structure_prose.product_of_tags(problem)))
    if number <= LIMIT:
        with shown.results("Show all paths"):
            _all_paths(shown, number)
    elif shown.tells:
        st.html(
            prose(
                f"That is more than the {count(LIMIT)} that this page lists. Not that a list would "
                "help: see below how long it takes."
            )
        )
    _how_far(shown)


def _all_paths(shown: Lesson, number: int) -> None:
    problem = shown.problem
    paths = [path for path in computed.paths(problem) if path.score > -math.inf]
    if not paths:
        st.html(prose(structure_prose.none_allowed(number)))
        return
    if shown.tells:
        told = structure_prose.share_told([path.probability for path in paths])
        st.html(
            prose(
                "So here they are, best first: the score of each, and its exponential divided by "
                f"the sum Z of all {count(number)}. {told}"
            )
        )
    kept = st.session_state.get(_MOST)
    most = kept[1] if isinstance(kept, tuple) and kept[0] == problem else PAGE_OF_PATHS
    rows = [
        tables.Row(
            f"{count(rank)}.",
            [problem.tags[s] for s in path.tags],
            [
                decoders.format_score(path.score),
                probability(path.probability),
                structure_prose.cumulative(path.cumulative),
            ],
        )
        for rank, path in enumerate(paths[:most], 1)
    ]
    heads = ["score", "probability", "cumulative"]
    best = [problem.tags[s] for s in paths[0].tags]
    table = tables.path_table(problem.tokens, rows, best, heads, "All paths, best first")
    st.html(f'<div class="crf-long">{table}</div>')
    allowed = len(paths)
    if most < allowed:
        more = min(PAGE_OF_PATHS, allowed - most)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                f"Show {more} more",
                on_click=_show,
                args=(problem, most + more),
                key="structure.more",
            )
            note(f"{count(most)} of {count(allowed)} are listed.")
    if allowed > 1:
        note("Framed and marked ≠: not the best path’s tag.")
    if allowed < number:
        st.html(prose(structure_prose.forbidden(number - allowed)))


def _show(problem: object, most: int) -> None:
    st.session_state[_MOST] = (problem, most)


def _how_far(shown: Lesson) -> None:
    from pages.structure import figures as structure

    S, m = len(shown.problem.tags), len(shown.problem.tokens)
    rate = rates.paths_per_second()
    sizes = rates.sizes(S, max(2 * m, 40), rate)
    reach = rates.reach(S, rate)
    if shown.tells:
        st.html(
            prose(
                f"This machine, asked a moment ago, scores {count(round(rate))} paths a second (of "
                f"ten words each, in plain Python). With {S} tag{'s' * (S > 1)} that gets one so "
                "far:"
            )
        )
    header = ["time", "paths", f"sentences of at most, with {S} tag{'s' * (S > 1)}"]
    table = tables.text_table(header, structure_prose.reach_rows(reach), "How far one gets")
    st.html(f'<div class="crf-fit">{table}</div>')
    if shown.tells:
        here = sizes[m - 1]
        st.html(
            prose(
                f"This sentence, {m} token{'s' * (m > 1)}, takes "
                f"{structure_prose.duration(here.seconds)}; twice as long, "
                f"{structure_prose.duration(sizes[2 * m - 1].seconds)}. "
                f"{structure_prose.faster(S)}The recursions of the coming lessons need about "
                f"m · |S|² = {count(here.operations)} steps, and every lesson from here on lives "
                "from that."
            )
        )
    figure = structure.growth_plot(sizes, reach, m)
    st.plotly_chart(figure, key="structure.growth", config={"displayModeBar": False})
    with st.expander("The same as a table"):
        header = ["tokens", "paths", "time to try them all", "m · |S|²"]
        st.html(tables.text_table(header, structure_prose.size_rows(sizes), "Growth", {(m - 1, 1)}))


def export_table(shown: Lesson) -> exports.Table:
    """All paths, best first."""
    problem = shown.problem

    def rows() -> exports.Rows:
        body = [
            [*(problem.tags[s] for s in path.tags), *path[1:]] for path in computed.paths(problem)
        ]
        return [[*problem.tokens, "score", "probability", "cumulative"], *body]

    return exports.Table.of(rows)
