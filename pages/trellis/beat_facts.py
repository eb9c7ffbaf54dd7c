"""What each beat says: the facts of its sentence, at a step of a state with fixed tags shut out."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat_text import BeatText
from pages.trellis import facts, picture, pushes, regroup

TEXT = Path(__file__).with_name("beats.md")

BeatFacts = dict[str, Any]


def text() -> BeatText:
    """The words of the beats."""
    return BeatText.load(TEXT)


def of_bet(state: State, _number: int) -> BeatFacts:
    """Which tags are best word by word."""
    greedy = picture.numbers(state.problem).greedy
    return facts.of_problem(state) | {"greedy_score": facts.of_path(state, greedy)["score"]}


def of_path(state: State, _number: int) -> BeatFacts:
    """The lit path."""
    return facts.of_problem(state) | facts.of_path(state, picture.path_of(state))


def of_count(state: State, _number: int) -> BeatFacts:
    """How many paths there are."""
    S = len(state.problem.tags)
    return facts.of_problem(state) | {
        "twenty": facts.power(S, 20), "sixty": facts.power(S, facts.LONG),
        "long": int(facts.is_too_long(state)),
    }  # fmt: skip


def of_regroup(state: State, number: int) -> BeatFacts:
    """One of the stills."""
    return facts.of_problem(state) | regroup.facts(state, number)


def of_step(mode: str, opens: Callable[[Problem], int]) -> Callable[[State, int], BeatFacts]:
    """A step of a mode's trace, of a beat that opens there."""

    def of(state: State, number: int) -> BeatFacts:
        step = picture.step_at(state, mode, number)
        known = facts.of_problem(state) | facts.of_step(state, step, mode)
        known["opening"] = int(number == opens(state.given.problem))
        for name in ("ways", "ties"):
            known[f"{name}_word"] = text().plain("number", {"n": known[name]})
        if mode == "best":
            known["mind"] = int(step.token in picture.changes_of_mind(state))
        return known

    return of


def of_column(state: State, number: int) -> BeatFacts:
    """The cell that the reader fills."""
    problem = state.problem
    t, tag = divmod(number, len(problem.tags))
    return facts.of_problem(state) | {
        "word": problem.tokens[t], "tag": problem.tags[tag], "first": int(t == 0),
        "value": facts.number(picture.numbers(problem).log_alphas[t][tag]),
    }  # fmt: skip


def _raised(state: State) -> tuple[int, int]:
    """The emission that the beat `logz` raises: where greedy first differs from the best path.

    Where they are the same, the least certain tag of the best path.
    """
    found = picture.numbers(state.problem)
    best = found.best_path or found.greedy
    t = facts.first_difference(found.greedy, best)
    if t is None:
        t = min(range(len(best)), key=lambda t: found.marginals[t][best[t]])
    return t, best[t]


def of_logz(state: State, number: int) -> BeatFacts:
    """The total, and by how much it rises with an emission."""
    t, tag = _raised(state)
    found = picture.numbers(state.problem)
    step = picture.step_at(state, "add", number)
    known = facts.of_problem(state) | facts.of_step(state, step, "add")
    return known | {
        "cell_word": state.problem.tokens[t], "cell_tag": state.problem.tags[tag],
        "rise": facts.share(facts.rise(state, t, tag)), "p": facts.share(found.marginals[t][tag]),
        "sure": int(facts.rise(state, t, tag) >= facts.NEARLY_ALL),
    }  # fmt: skip


def of_mind(state: State, number: int) -> BeatFacts:
    """Who led, and who leads now."""
    changes = picture.changes_of_mind(state)
    step = picture.step_at(state, "best", number)
    return facts.of_problem(state) | facts.of_mind(state, step) | {"many": len(changes)}


def of_back(state: State, number: int) -> BeatFacts:
    """How far the backpointers have been followed."""
    problem, found = state.problem, picture.numbers(state.problem)
    step = picture.step_at(state, "best", number)
    walked = list(step.best_prefix or ()) if step.kind == "backtrace" else []
    before, path = step.token - 1, found.best_path
    greedy = facts.of_path(state, found.greedy)
    return facts.of_problem(state) | facts.of_step(state, step, "best") | {
        "done": int(len(walked) == len(problem.tokens)), "walked": facts.names(state, walked),
        "previous": problem.tokens[before] if before >= 0 else "",
        "previous_tag": problem.tags[path[before]] if before >= 0 and path else "",
        "greedy_score": greedy["score"], "greedy_allowed": greedy["allowed"],
    }  # fmt: skip


def of_meeting(state: State, number: int) -> BeatFacts:
    """One word from the left and from the right."""
    return facts.of_problem(state) | facts.of_meeting(state, number)


def of_learning(state: State, _number: int) -> BeatFacts:
    """The transition that is asked about, observed and expected."""
    found, problem = picture.numbers(state.problem), state.problem
    path = picture.path_of(state, usual="right")
    t, i, j, expected = pushes.pushed(state)
    observed = sum(1 for a, b in pairwise(path) if (a, b) == (i, j))
    s = path[t] if t < len(path) else path[0]
    rises = observed > expected
    return facts.of_problem(state) | {
        "right": facts.names(state, path),
        "word": problem.tokens[t] if t < len(problem.tokens) else problem.tokens[0],
        "tag": problem.tags[s], "p": facts.share(found.marginals[min(t, len(path) - 1)][s]),
        "from": problem.tags[i], "to": problem.tags[j], "observed": observed,
        "expected": facts.share(expected), "rises": int(rises),
        "way": text().plain("option-up" if rises else "option-down", {}),
        "idle": int(len(problem.tokens) < 2 or abs(observed - expected) < pushes.LITTLE),
    }  # fmt: skip


def of_done(state: State, _number: int) -> BeatFacts:
    """Nothing but the problem."""
    return facts.of_problem(state)
