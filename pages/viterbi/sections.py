"""The sections of the lesson "Viterbi" around its stepper."""

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st

from crf.figures.flow.payload import of_chain
from crf.figures.numbers import format_probability, format_score
from crf.figures.trellis import payload as trellis
from crf.figures.words import join
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders, tables
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.text import Case, LessonText, case, prose, say
from pages.shared.figures.theme import log_probability, probability
from pages.shared.ui import computed
from pages.shared.ui.controls import Choice, Integer, Number
from pages.shared.ui.exports import Table
from pages.shared.ui.flow import flow
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.recursion import Recursion
from pages.shared.ui.stepper import PathOverlay
from pages.viterbi import prefixes

LARGEST_K, USUAL_K = 10, 5


OVERLAY = Choice(
    "viterbi.overlay",
    "none",
    address="draw",
    labels=dict.fromkeys(
        ["none", "greedy", "posterior", *(str(k) for k in range(2, LARGEST_K + 1))], ""
    ),
    words=lambda chosen: LessonText.of("viterbi").line(f"draw.{chosen}"),
)
TAU = Number("viterbi.tau", 1.0, low=0.05, high=20, address="tau")
_STOPS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 3.0, 5.0, 10.0, 20.0)
MOST = Integer("viterbi.k", USUAL_K, address="k", low=1, high=LARGEST_K)


# ---------------------------------------------------------------------- what is found


def best(shown: Recursion, k: int = LARGEST_K) -> list[Decoded]:
    """The k best paths, best first; none where no path is allowed."""
    found = shown.summary.chain.topk(k)
    paths = found.tags[0][found.valid[0]].tolist()
    scores = found.scores[0][found.valid[0]].tolist()
    log_z = shown.summary.log_z
    return [
        Decoded(f"{rank}.", tuple(path), score, min(score - log_z, 0.0))
        for rank, (path, score) in enumerate(zip(paths, scores, strict=True), 1)
    ]


def overlays(chosen: str, problem: Problem) -> list[PathOverlay]:
    """The best path over the trellis, and one more, if the reader has chosen one of `OVERLAY`."""
    chain = computed.summary(problem).chain
    best_path = computed.best_path(problem)
    if not best_path:
        return []

    def overlay(name: str, style: Any, path: Sequence[int]) -> PathOverlay:
        return PathOverlay(name, style, [problem.tags[s] for s in path])

    drawn = [overlay(say("decoder.viterbi"), "viterbi", best_path)]
    if chosen in ("greedy", "posterior"):
        path = chain.greedy() if chosen == "greedy" else chain.posterior_decode()
        drawn.append(overlay(say(f"decoder.{chosen}"), chosen, path[0].tolist()))
    elif chosen != "none":
        found = chain.topk(int(chosen))
        if found.valid[0, -1]:
            drawn.append(overlay(OVERLAY.label(chosen), "kbest", found.tags[0, -1].tolist()))
    return drawn


def export_tables(shown: Recursion) -> dict[str, Table]:
    """This lesson's own tables."""
    if not shown.summary.feasible:
        return {}
    problem, run, line = shown.problem, shown.trace_in("state", "max"), shown.text.line

    def pointers() -> list[list[Any]]:
        body, _ = prefixes.pointer_rows(run)
        return [[line("labels.tag"), *problem.tokens[1:]], *body]

    def best_prefixes() -> list[list[Any]]:
        found = prefixes.best_prefixes(run)
        header = ["", *problem.tokens, line("labels.score")]
        return [header, *prefixes.prefix_rows(problem, found)]

    return {
        line("labels.backpointers"): Table.of(pointers),
        line("labels.prefixes"): Table.of(best_prefixes),
        line("labels.paths"): Table.of(lambda: decoders.path_rows(problem, best(shown))),
        line("labels.decoders"): Table.of(lambda: decoders.path_rows(problem, shown.decoded)),
    }


# ---------------------------------------------------------------------- on the page


def flips(shown: Recursion) -> None:
    """Where the best prefix changes its mind."""
    shown.say("flips")
    if trellis.surprises(shown.trace):  # else there is no such button
        shown.say("surprise")


def changes_of_mind(shown: Recursion) -> None:
    """Every change of mind, and every tie, in a part to unfold."""
    if shown.tells and "answers" not in shown.view.hide:
        with shown.fold(key="flips") as is_open:
            if is_open:
                problem, run = shown.problem, shown.trace_in("state", "max")
                st.html(prefixes.prefix_table(problem, prefixes.best_prefixes(run)))
                st.html(prose(*prefixes.flips_told(problem, run)))
                st.html(prose(*prefixes.ties_told(run)))


def decoders_compared(shown: Recursion) -> None:
    """Viterbi, both greedies and posterior decoding; one may be drawn over the trellis."""
    problem = shown.problem
    shown.say("decoders")
    if shown.asks and "answers" not in shown.view.hide:
        OVERLAY.widget(shown.text.line("labels.draw"), shape="select")
    with shown.fold(key="decoders") as is_open:
        if not is_open:
            return
        found = shown.decoded
        viterbi, greedy, left_to_right, posterior = found
        st.html(decoders.path_table(problem, found, shown.text.line("labels.four")))
        if shown.tells:
            marginals = shown.summary.chain.marginals[0].tolist()
            wrong = [decoders.went_wrong(problem, one, viterbi) for one in found[1:]]
            if left_to_right.path == greedy.path != viterbi.path:
                facts = {"decoder": left_to_right.label, "other": greedy.label}
                wrong[1] = say("wrong.same", **facts)
            wrong[1] = join(wrong[1], decoders.greedy_step(problem, left_to_right, viterbi))
            likelier = decoders.posterior_step(problem, posterior, viterbi, marginals)
            wrong[2] = join(wrong[2], likelier)
            if all(one.path == viterbi.path for one in found):
                wrong = [prefixes.agreement_told(problem, shown.trace_in("state", "max"))]
            st.html(prose(*wrong))


# ---------------------------------------------------------------------- in parts to unfold


def derived(shown: Recursion) -> None:
    """From the most probable path to the largest w · Φ, line by line, with its numbers."""
    shown.say("derive")
    if "answers" in shown.view.hide:
        return
    (found,) = best(shown, 1)
    shown.say(
        "derive-numbers", score=format_score(found.score),
        total=format_score(shown.summary.log_z), p=log_probability(found.log_p),
    )  # fmt: skip


def k_best(shown: Recursion) -> None:
    """The best paths."""
    with shown.results(shown.text.line("labels.show-paths")):
        k = MOST.widget(shown.text.line("labels.how-many"), shape="slider", width=220)
        paths = best(shown, k)
        st.html(_best_table(shown, paths))
        share: str | Case = _share(math.fsum(math.exp(path.log_p) for path in paths))
        if share == "1":
            share = case("number.all" if len(paths) < k else "number.nearly-all")
        if len(paths) == 1:
            shown.say("kbest-one", share=share)
        else:
            shown.say("kbest", share=share, k=str(k))


def pointers(shown: Recursion) -> None:
    """The matrix of backpointers, with those on the best path; what doing without them costs."""
    if "answers" in shown.view.hide:
        return
    if shown.semiring == "sum":
        shown.say("sum-pointers")
        return
    st.html(prefixes.pointer_table(shown.trace))
    shown.say("pointers")
    S, steps = len(shown.problem.tags), len(shown.problem.tokens) - 1
    n = S * steps
    shown.say(
        "without",
        entries=case("number.entries", n=n),
        sums=case("number.sums", n=n),
        tags=case("number.tags", n=S),
        steps=case("number.tokens", n=steps),
    )
    line = shown.text.line
    with shown.results(line("labels.show-back")):
        rows = prefixes.way_back(shown.problem, shown.trace_in("state", "max"))
        header = [line("labels.token"), line("labels.compared"), "argmax"]
        st.html(tables.text_table(header, rows, line("labels.way-back")))


def _share(total: float) -> str:
    """Probabilities added up; all paths together have 1, whatever rounding leaves."""
    return probability(1.0 if total > 1 - 1e-12 else total)


def _best_table(shown: Recursion, paths: list[Decoded]) -> str:
    problem, line = shown.problem, shown.text.line
    cumulative = 0.0
    rows = []
    for path in paths:
        cumulative += math.exp(path.log_p)
        numbers = [
            format_score(path.score),
            log_probability(path.log_p),
            _share(cumulative),
        ]
        rows.append(tables.PathRow(path.label, [problem.tags[s] for s in path.path], numbers))
    return tables.path_table(
        problem.tokens,
        rows,
        [problem.tags[s] for s in paths[0].path],
        [line(f"labels.{name}") for name in ("score", "probability", "cumulative")],
        line("labels.best-first"),
        tags=problem.tags,
    )


# ---------------------------------------------------------------------- from sum to max


@st.fragment
def temperature(lesson: Lesson) -> None:
    """All scores divided by τ, as flow: towards τ = 0 one ribbon is left; some path is allowed."""
    problem, best = lesson.problem, lesson.decoded[0]
    lesson.say("temperature-tied" if lesson.summary.has_ties else "temperature")
    tau = TAU.widget("τ", options=_STOPS) if lesson.asks else TAU.value
    heated = computed.at_temperature(problem, tau)
    with lesson.picture("tau"):
        flow(
            of_chain(
                heated,
                problem.tags,
                problem.tokens,
                path=best.path,
                choices=(),
                label=lesson.text.line("labels.at-tau", tau=f"{tau:g}"),
                hint=lesson.text.line("labels.outlined"),
            ),
            key="viterbi.heat",
            height=220,
            numbers="answers" not in lesson.view.hide,
        )
    if "answers" not in lesson.view.hide:
        log_z = heated.log_partition.item()
        lesson.say(
            "temperature-now",
            tau=f"{tau:g}",
            p=format_probability(min(math.exp(best.score / tau - log_z), 1.0)),
            soft=format_score(tau * log_z),
            hard=format_score(best.score),
        )
