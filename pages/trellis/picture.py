"""The trellis of a state: its numbers, all of them read off one `LinearChain` and its traces.

`whole` has the tables that stay while one steps; `at_step` what belongs to the step on screen.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from crf.figures.colours import tag_meaning
from crf.figures.flow.payload import Payload
from crf.steps import Step, Term, Trace, plain_data
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.text import say

if TYPE_CHECKING:
    from crf.results import ViterbiResult

FEW_TAGS, ROWS = 8, 6  # up to so many tags each has a row; of more, these and the current one
TRACES = {"best": "viterbi", "both": "backward"}  # mode → the trace that it steps through
Grid = list[list[float]]


class ChainNumbers:
    """What a problem's chain says, each when it is asked for; L words, S tags."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._summary = problem, ChainSummary(problem)

    @cached_property
    def forward(self) -> Trace:
        """The trace of α̂, in state form."""
        return self._problem.trace("forward")

    @cached_property
    def backward(self) -> Trace:
        """The trace of β, in state form."""
        return self._problem.trace("backward")

    @cached_property
    def viterbi(self) -> Trace:
        """The trace of δ with its backtrace."""
        return self._problem.trace("viterbi")

    @cached_property
    def log_alphas(self) -> Grid:
        """[L][S] log α̂."""
        return self._summary.chain.log_alphas[0].tolist()

    @cached_property
    def log_betas(self) -> Grid:
        """[L][S] log β."""
        return self._summary.chain.log_betas[0].tolist()

    @cached_property
    def log_z(self) -> float:
        """log Z in nats; −∞ where no path is allowed."""
        return self._summary.log_z

    @property
    def feasible(self) -> bool:
        """Whether any path is allowed."""
        return self.log_z > -math.inf

    @cached_property
    def _best(self) -> "ViterbiResult":
        return self._summary.chain.viterbi()

    @cached_property
    def best_path(self) -> tuple[int, ...]:
        """L tags; () where no path is allowed."""
        return tuple(tag for tag in self._best.tags[0].tolist() if tag >= 0)

    @cached_property
    def best_score(self) -> float:
        """The best path's score."""
        return self._best.scores[0].item()

    @cached_property
    def marginals(self) -> Grid:
        """[L][S] probabilities."""
        return self._summary.chain.marginals[0].tolist()

    @cached_property
    def pairs(self) -> list[Grid]:
        """[L-1][S][S] probabilities of pairs, from row to column."""
        return self._summary.chain.pair_marginals[0].tolist()

    @cached_property
    def greedy(self) -> list[int]:
        """[L] each word's best emission."""
        return self._summary.chain.greedy()[0].tolist()

    @cached_property
    def ranks(self) -> list[int]:
        """S tag indices, the one with the largest marginal anywhere first."""
        largest = [max(column) for column in zip(*self.marginals, strict=True)]
        return sorted(range(len(largest)), key=lambda s: (-largest[s], s))

    @cached_property
    def has_ties(self) -> bool:
        """Whether another path scores as much as the best one."""
        return self.feasible and self._summary.has_ties


@lru_cache(maxsize=32)
def numbers(problem: Problem) -> ChainNumbers:
    """Those of a problem, kept while it is on screen."""
    return ChainNumbers(problem)


def clamped(state: State) -> State:
    """The same state with a score of −∞ for the other tags of each word whose tag is fixed."""
    problem, fixed = state.given.problem, state.fixed
    if not fixed:
        return state
    shut = [(t, s) for t in fixed for s in range(len(problem.tags)) if s != fixed[t]]
    problem = problem.with_scores({("emissions", place): -math.inf for place in shut})
    edits = {key: value for key, value in state.edits.items() if key[1] not in shut}
    return replace(state, given=state.given._replace(problem=problem), edits=edits)


def trace_of(state: State, mode: str) -> Trace:
    """The trace that a mode steps through."""
    return getattr(numbers(state.problem), TRACES.get(mode, "forward"))


def path_of(state: State, *, usual: str = "best") -> list[int]:
    """The lit path: the one that the state names, else the usual one.

    That is the "best" one, the "greedy" one, or the "right" one of training: the best path of the
    scores before any edit, since an edit does not change which tags are right.
    """
    found, problem = numbers(state.problem), state.problem
    named = state.path
    if len(named) == len(problem.tokens) and all(s < len(problem.tags) for s in named):
        return list(named)
    if usual == "right":
        found = numbers(state.given.problem)
    best = list(found.best_path)
    return found.greedy if usual == "greedy" or not best else best


def shares(values: Sequence[float]) -> list[float]:
    """Each value's part of its column, exp(value) over the sum of all; 0 where nothing is."""
    top = max(values)
    if top == -math.inf:
        return [0.0] * len(values)
    weights = [math.exp(value - top) for value in values]
    whole = math.fsum(weights)
    return [weight / whole for weight in weights]


def leaders(column: Sequence[float]) -> list[float]:
    """1 for the largest value of a column, 0 for the others."""
    top = max(column)
    first = list(column).index(top)
    return [float(s == first and top > -math.inf) for s in range(len(column))]


def whole(state: State, mode: str) -> Payload:
    """The tables of the trellis in a mode."""
    problem, found = state.problem, numbers(state.problem)
    trace = trace_of(state, mode)
    values = [list(row) for row in problem.emissions] if mode == "path" else trace.table
    fill = leaders if mode == "best" else shares
    order = [[step.token, step.row] for step in trace.steps if step.kind == "cell"]
    picture: dict[str, Any] = {
        "tags": [{"name": tag, "about": tag_meaning(tag)} for tag in problem.tags],
        "tokens": [
            {"text": token, "fixed": state.fixed.get(t)} for t, token in enumerate(problem.tokens)
        ],
        "emissions": problem.emissions,
        "transitions": problem.transitions,
        "per_step": problem.per_step,
        "start": problem.start,
        "end": problem.end,
        "values": values,
        "shares": [fill(column) for column in trace.table],
        "left": found.log_alphas,
        "left_shares": [shares(column) for column in found.log_alphas],
        "order": order,
        "total": {
            "label": say("trellis.best") if mode == "best" else "log Z",
            "value": trace.log_total,
        },
        "log_z": found.log_z,
        "back": _backpointers(found.viterbi) if mode == "best" else [],
        "best": list(found.best_path),
        "best_score": found.best_score,
        "greedy": found.greedy,
        **_rows(state, mode),
    }
    return plain_data(picture)


def _backpointers(trace: Trace) -> list[list[int]]:
    S = len(trace.tags)
    cells = [step for step in trace.steps if step.kind == "cell"]
    pointers = [-1 if step.backpointer is None else step.backpointer for step in cells]
    return [pointers[t * S : (t + 1) * S] for t in range(len(trace.tokens))]


def _rows(state: State, mode: str, *on_screen: int) -> dict[str, Any]:
    """The tags that have a row, and what the others have together.

    Their number stays the same from step to step, so that no row moves: a tag on screen that does
    not matter takes the place of the last one that does.
    """
    problem, found = state.problem, numbers(state.problem)
    S = len(problem.tags)
    if S <= FEW_TAGS:
        return {"rows": list(range(S)), "other": None}
    rest = [s for s in found.ranks if s not in on_screen]
    own = {*on_screen, *rest[: ROWS - len(set(on_screen))]}
    table = trace_of(state, mode).table
    folded = [[column[s] for s in range(S) if s not in own] for column in table]
    merge = max if mode == "best" else _log_sum
    other = {
        "count": S - len(own),
        "values": [merge(column) for column in folded],
        "shares": [
            math.fsum(part for s, part in enumerate(shares(column)) if s not in own)
            for column in table
        ],
    }
    return {"rows": sorted(own), "other": other}


def _largest(column: Sequence[float], most: int = 2) -> list[int]:
    """The most probable tags of a word."""
    return sorted(range(len(column)), key=lambda s: -column[s])[:most]


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


# ---------------------------------------------------------------------- the step on screen


def step_at(state: State, mode: str, number: int) -> Step:
    """A step of the mode's trace; the last one for a number beyond it."""
    steps = trace_of(state, mode).steps
    return steps[min(max(number, 0), len(steps) - 1)]


def at_step(state: State, mode: str, number: int) -> Payload:
    """What the picture has at one step of `add`, `best` or `both`."""
    trace = trace_of(state, mode)
    number = min(max(number, 0), len(trace.steps) - 1)
    step = trace.steps[number]
    cells = sum(one.kind == "cell" for one in trace.steps)
    is_cell = step.kind == "cell"
    now: dict[str, Any] = {
        "step": number,
        "of": len(trace.steps),
        "kind": step.kind,
        "cell": [step.token, step.row] if step.row >= 0 else None,
        "column": step.token,
        "terms": [_term(term) for term in step.terms],
        "emission": next((part.value for part in step.added if part.role == "emission"), None),
        "value": step.log_value,
        "ties": list(step.ties) if len(step.ties) > 1 else [],
        "shown": min(number + 1, cells),
        "lead": [],
        "was": None,
        "walked": list(step.best_prefix or ()) if step.kind == "backtrace" else [],
        **_rows(state, mode, *([step.row] if is_cell else [])),
    }
    if mode == "best":
        now |= _prefix(trace, step)
    return plain_data(now)


def _term(term: Term) -> dict[str, Any]:
    parts = {part.role: part.value for part in term.parts}
    score = next((parts[role] for role in ("transition", "start", "end") if role in parts), None)
    return {
        "from": term.source,
        "value": parts.get("previous"),
        "score": score,
        "emission": parts.get("emission"),
        "sum": term.log_value,
        "share": term.share,
        "wins": term.wins,
    }


def _prefix(trace: Trace, step: Step) -> dict[str, Any]:
    """The best prefix of a cell, and the one that led before if this one leads now."""
    if step.kind != "cell":
        return {"lead": list(trace.best_path or ()) if step.kind == "total" else [], "was": None}
    leading = _leading(trace, step.token)
    here = list(step.best_prefix or ())
    return {"lead": here, "was": leading["was"] if here == leading["lead"] else None}


def _leading(trace: Trace, t: int) -> dict[str, Any]:
    """The leading prefix of word t's column, and the one that led before if it has changed."""
    S = len(trace.tags)
    lead = best_prefix(trace.steps[t * S : (t + 1) * S])
    before = best_prefix(trace.steps[(t - 1) * S : t * S]) if t else ()
    changed = bool(before) and bool(lead) and lead[:t] != before
    return {"lead": list(lead), "was": list(before) if changed else None}


def best_prefix(column: Sequence[Step]) -> tuple[int, ...]:
    """The best prefix that ends in a column; () where nothing is allowed."""
    top = max(column, key=lambda step: step.log_value)
    return top.best_prefix or () if top.log_value > -math.inf else ()


def leading_prefix(state: State, t: int) -> dict[str, Any]:
    """The best prefix of all that end at word t, and the one that led before it changed."""
    return _leading(numbers(state.problem).viterbi, t)


def changes_of_mind(state: State) -> list[int]:
    """The words at which the leading prefix is not the one before with a further tag."""
    trace = numbers(state.problem).viterbi
    S, L = len(trace.tags), len(trace.tokens)
    cells = [step for step in trace.steps if step.kind == "cell"]
    leading = [best_prefix(cells[t * S : (t + 1) * S]) for t in range(L)]
    return [t for t in range(1, L) if leading[t] and leading[t][:t] != leading[t - 1]]


# ---------------------------------------------------------------------- one path


def stairs(problem: Problem, path: Sequence[int]) -> list[dict[str, Any]]:
    """The scores along a path, in the order in which they are added.

    Each has its kind, its score, its hook ("t:DET:NOUN"), and `at`: its place in words, with
    transitions between them.
    """
    tags = problem.tags
    found = [_stair("start", problem.start[path[0]], f"s:{tags[path[0]]}", -0.5)]
    for t, s in enumerate(path):
        if t:
            before = path[t - 1]
            step = f"{t}:" if problem.per_step else ""
            hook = f"t:{step}{tags[before]}:{tags[s]}"
            found.append(_stair("transition", problem.matrix(t)[before][s], hook, t - 0.5))
        found.append(_stair("emission", problem.emissions[t][s], f"e:{t}:{tags[s]}", t))
    last = len(path) - 1
    found.append(_stair("end", problem.end[path[last]], f"z:{tags[path[last]]}", last + 0.5))
    return found


def _stair(kind: str, score: float, hook: str, at: float) -> dict[str, Any]:
    return {"kind": kind, "score": score, "hook": hook, "at": at}


def running(steps: Sequence[dict[str, Any]]) -> list[float]:
    """The running score on each cell of a path: all that is added up to its emission."""
    totals, whole_score = [], 0.0
    for step in steps:
        whole_score += step["score"]
        if step["kind"] == "emission":
            totals.append(whole_score)
    return totals


def on_path(state: State, usual: str) -> Payload:
    """What the picture has in `path` and `bet`."""
    path = path_of(state, usual=usual)
    steps = stairs(state.problem, path)
    return plain_data(
        {
            "step": 0, "of": 1, "kind": "path", "cell": None, "column": None, "terms": [],
            "path": path, "stairs": steps, "running": running(steps), "shown": 0,
            "score": sum(step["score"] for step in steps), "rows": _path_rows(state, path),
            "other": None,
        }
    )  # fmt: skip


def _path_rows(state: State, path: Sequence[int]) -> list[int]:
    S = len(state.problem.tags)
    if S <= FEW_TAGS:
        return list(range(S))
    best = numbers(state.problem).best_path
    return sorted({*numbers(state.problem).ranks[:ROWS], *path, *best})


# ---------------------------------------------------------------------- both ways


def meeting(state: State, t: int) -> Payload:
    """What the left says of a word's tags, what the right says, and both together."""
    found = numbers(state.problem)
    left, right = found.log_alphas[t], found.log_betas[t]
    return plain_data(
        {
            "step": t, "of": len(state.problem.tokens), "kind": "meet", "cell": None, "column": t,
            "terms": [], "shown": 0,
            "meet": {
                "left": shares(left), "right": shares(right), "both": found.marginals[t],
            },
            "marginals": found.marginals,
            "pairs": found.pairs[t - 1] if t else None,
            **_rows(state, "both", *_largest(found.marginals[t])),
        }
    )  # fmt: skip
