"""The sections of the page "Scores of a path", top to bottom, and the path that they are about."""

import math
import random
import secrets
from itertools import pairwise

import streamlit as st

from pages.scores.path_picker import Path, check_path, path_picker
from pages.shared.course import brute_force
from pages.shared.course.marginals import log_sum
from pages.shared.course.numbers import format_count, format_potential, format_score
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.figures import path_score, problem_scores, tables
from pages.shared.figures.path_score import Standing
from pages.shared.ui import computed, problem_state
from pages.shared.ui.frame import note
from pages.shared.ui.state import complain

PATH = "scores.path"  # (what it is a path of, tag indices)
CLEARLY = 0.2  # nats
ADDRESS = "y"  # the path's tag indices, with "~" between them


# ---------------------------------------------------------------------- the path


def current_path(problem: Problem) -> Path:
    """The path on screen: the session's, else the address's, else the best one."""
    subject = (problem_state.origin().label, len(problem.tags), len(problem.tokens))
    kept = st.session_state.get(PATH)
    if isinstance(kept, tuple) and len(kept) == 2 and kept[0] == subject:
        path = check_path(kept[1], problem)
        if path is not None:
            return path
    path = _from_address(problem) if kept is None else None
    path = path or best_path(problem)
    st.session_state[PATH] = (subject, path)
    return path


def choose(path: Path) -> None:
    """Put another path on screen."""
    problem = problem_state.current()
    subject = (problem_state.origin().label, len(problem.tags), len(problem.tokens))
    st.session_state[PATH] = (subject, path)


def address(path: Path) -> str:
    """A path as a value for the address."""
    return "~".join(map(str, path))


def query(problem: Problem) -> dict[str, str]:
    """A path that is not the best, for the address, if its problem is there, too."""
    path = current_path(problem)
    if problem_state.address() is None or path == best_path(problem):
        return {}
    return {ADDRESS: address(path)}


def _from_address(problem: Problem) -> Path | None:
    asked = st.query_params.get(ADDRESS)
    if asked is None:
        return None
    tags = [int(s) for s in asked.split("~") if s.isascii() and s.isdigit() and len(s) < 4]
    path = check_path(tags, problem)
    if path is None or address(path) != asked:
        complain(f"The address asks for the path “{asked[:40]}”, which this problem has not.")
        return None
    return path


def best_path(problem: Problem) -> Path:
    """The Viterbi path; where no path is allowed, each token's best tag."""
    names = computed.reading(problem).viterbi
    return tuple(problem.tags.index(name) for name in names) or greedy_path(problem)


def greedy_path(problem: Problem) -> Path:
    """Each token's best emission; of equals the first."""
    return tuple(row.index(max(row)) for row in problem.emissions)


def random_path(problem: Problem) -> Path:
    """Any path."""
    return tuple(secrets.randbelow(len(problem.tags)) for _ in problem.tokens)


def picker(problem: Problem, path: Path) -> None:
    """The trellis in which the path is picked, and the sum of its scores."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, label, find, help in (
            ("Best path", "Best path", best_path, "Viterbi’s: of all paths the highest score."),
            (
                "Greedy", "Greedy: each word’s best emission", greedy_path,
                "Transitions, start and end are ignored. (Greedy decoding from left to right, "
                "which counts the transition from the tag before, is another.)",
            ),
            ("Random", "Random", random_path, "Any path at all."),
        ):  # fmt: skip
            st.button(
                label,
                key=f"scores.{name}",
                help=help,
                on_click=lambda find=find: choose(find(problem)),
            )
        note("Or pick a tag for each token: click, or arrow keys. Dashed: forbidden.")
    path_picker(problem, key="picker", path=path, on_change=choose)


# ---------------------------------------------------------------------- what it says


def standing(problem: Problem, path: Path) -> Standing | None:
    """How the path stands among all; None if no path is allowed."""
    import torch

    reading = computed.reading(problem)
    if not reading.feasible:
        return None
    best = reading.chain.viterbi().scores.item()
    log_p = reading.chain.log_prob(torch.tensor([path])).item()
    return Standing(brute_force.score(problem, path), reading.log_z, best, log_p)


def probability(problem: Problem, path: Path, place: Standing | None) -> None:
    """The path's probability, its odds against the best path, its rank; two misconceptions."""
    st.header("From score to probability", anchor=False)
    if place is None:
        st.warning(
            "No path is allowed: every one has a term of −∞, so Z = 0 and there is no probability "
            "to speak of."
        )
        return
    st.html(path_score.standing_html(place))
    st.html(path_score.prose(path_score.comparison(place), _rank(problem, path)))
    st.html(
        path_score.prose(
            "A score is not a probability: it may be negative or large, and nothing makes scores "
            "sum to 1. Adding a constant to every path’s score changes no probability, because "
            "log Z grows by the same constant.",
            path_score.nll(place),
        )
    )


def _rank(problem: Problem, path: Path) -> str:
    count = format_count(brute_force.count_paths(problem))
    try:
        paths = computed.paths(problem)
    except ProblemError:
        return (
            f"There are {count} paths, more than the {format_count(brute_force.LIMIT)} that this "
            "page lists, so their ranks are not counted."
        )
    own = brute_force.score(problem, path)
    ties = sum(math.isclose(other.score, own, abs_tol=1e-9) for other in paths) - 1
    rank = sum(other.score >= own - 1e-9 for other in paths) - ties
    shared = f", a rank shared with {format_count(ties)} more" if ties else ""
    return f"By score it is number {format_count(rank)} of {count} paths{shared}."


def tables_read(problem: Problem, path: Path) -> None:
    """How often the path uses each transition; from–to, 0 and −∞, rows that do not sum to 1."""
    st.header("A score counts, then weighs", anchor=False)
    st.html(
        path_score.prose(
            "Why care how a score is counted? Because to learn a table is to compare such counts: "
            "those of the right paths with those that the model expects. A feature f asks one "
            "thing of a place in the path, as “from DET to NOUN?”: 1 if so, else 0. Its weight θ "
            "is the table’s entry, and a factor is ψ = exp(θ · f). So a path’s score is a sum over "
            "the entries: how often the path uses one, its count Φ(x, y), times its weight. These "
            "are this path’s counts of transitions, start and end; each token adds one "
            "emission. "
            + (
                "Here each step has a matrix of its own; the counts are those of all steps."
                if problem.per_step
                else "The table of transitions has the same places: their weights."
            )
        )
    )
    counts = problem_scores.titled("This path’s counts", path_score.counts_table(problem, path))
    weights = problem_scores.transitions(problem)
    if len(weights) == 1:
        st.html(tables.beside(counts, *weights))
    else:
        st.html(counts)
        with st.expander("The transitions, step by step"):
            st.html(tables.beside(*weights))
    st.html(path_score.prose(*_remarks(problem, path)))


def _remarks(problem: Problem, path: Path) -> list[str]:
    tags = problem.tags
    remarks = []
    for t, (i, j) in enumerate(pairwise(path), 1):
        there, back = problem.matrix(t)[i][j], problem.matrix(t)[j][i]
        if there != back:
            remarks.append(
                f"T[{tags[i]}, {tags[j]}] is the score of going from {tags[i]} to {tags[j]}: "
                f"{format_score(there)}. The other way round, T[{tags[j]}, {tags[i]}], it is "
                f"{format_score(back)}."
            )
            break
    remarks.append(
        "A score of 0 forbids nothing: it multiplies by exp(0) = 1, neither for nor against. Only "
        "−∞ forbids: exp(−∞) = 0."
    )
    unlike = _row_unlike_an_hmm(problem, path[0])
    if unlike is not None:
        name, total = unlike
        which = "first table of transitions" if problem.per_step else "table of transitions"
        remarks.append(
            f"In an HMM the probabilities of the row {name} would sum to 1. In a CRF nothing must: "
            f"the exponentials of this row of the {which} above, END aside, sum to "
            f"{format_potential(total)}. Only the whole path is normalised, by Z."
        )
    return remarks


def _row_unlike_an_hmm(problem: Problem, first: int) -> tuple[str, float] | None:
    """A row of transitions whose exponentials do not sum to 1: its tag, and the sum's log.

    None if all rows do, or there is no row. The row `first` is taken if it will do.
    """
    if len(problem.tokens) < 2:
        return None
    for i in (first, *range(len(problem.tags))):
        total = log_sum(problem.matrix(1)[i])
        if abs(math.expm1(min(total, 1.0))) > 0.005:
            return problem.tags[i], total
    return None


def two_paths(problem: Problem, seed: int) -> tuple[Path, Path] | None:
    """Two paths with clearly different scores; None if a few hundred tries find none.

    Neither is the best path, which the page shows as such. With an even seed the emissions alone
    would mislead, if such a pair is found: there transitions decide.
    """
    draw, best = random.Random(seed), best_path(problem)
    S, m = len(problem.tags), len(problem.tokens)
    found = None
    for _ in range(300):
        pair = (
            tuple(draw.randrange(S) for _ in range(m)),
            tuple(draw.randrange(S) for _ in range(m)),
        )
        if best in pair:
            continue
        a, b = (brute_force.score(problem, path) for path in pair)
        if max(a, b) == -math.inf or abs(a - b) <= CLEARLY:
            continue
        found = found or pair
        if seed % 2:
            break
        alone, other = (
            math.fsum(problem.emissions[t][s] for t, s in enumerate(path)) for path in pair
        )
        if (alone > other) != (a > b):
            return pair
    return found
