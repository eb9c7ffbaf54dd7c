"""The trellis of a state: its numbers, all of them read off one `LinearChain` and its traces.

`whole` has the tables that stay while one steps, `at_step` what belongs to the step on screen;
`regrouping`, `count_table` and `pushes` are the pictures of the beats that draw no trellis.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from crf.figures.colours import tag_colours, tag_meaning
from crf.figures.flow.payload import Payload
from crf.figures.numbers import format_count, superscript
from crf.figures.trellis import picture as figure
from crf.figures.trellis.notation import NOTATIONS, symbol, symbol_of
from crf.steps import Step, Trace, plain_data
from crf.steps.conventions import convention_of
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.text import say

if TYPE_CHECKING:
    from crf.core.results import ViterbiResult

TRACES = {"best": "viterbi", "both": "backward"}  # mode → the trace that it steps through
STILLS = 4  # of `regrouping`: products · grouped by their last tag · factor taken out · one number
LONG = 60  # words of the longest sentence whose paths are counted
LITTLE = 0.005  # of a count: two decimals hide it
Grid = list[list[float]]


class ChainNumbers:
    """What a problem's chain says, each when it is asked for; L words, S tags."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._summary = problem, ChainSummary(problem)
        self._traces: dict[tuple[str, str], Trace] = {}

    @cached_property
    def forward(self) -> Trace:
        """The trace of α̂, in state form."""
        return self.trace("forward", "state")

    @cached_property
    def viterbi(self) -> Trace:
        """The trace of δ with its backtrace."""
        return self.trace("viterbi", "state")

    @property
    def scores(self) -> Trace:
        """A trace for its scores: one that is there, for a new one has each term of each cell."""
        return next(iter(self._traces.values()), None) or self.forward

    def trace(self, algorithm: str, form: str) -> Trace:
        """A recursion as one kind of textbook writes it."""
        if (algorithm, form) not in self._traces:
            self._traces[algorithm, form] = self._problem.trace(algorithm, convention=form)
        return self._traces[algorithm, form]

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
    def kept(self) -> list[int]:
        """The tags that have a row, in their order: those of the best path, and the likely ones."""
        return figure.choose(self.marginals, self.best_path)

    @cached_property
    def leading(self) -> list[tuple[int, ...]]:
        """[L] the best prefix that ends at each word; () where nothing is allowed."""
        import torch

        from crf import LinearChain

        p = self._summary.chain.potentials  # a chain for each prefix, which has no end scores
        L = p.emissions.shape[1]
        mask = torch.ones(L, L, dtype=torch.bool).tril()
        steps = p.transitions if p.transitions.dim() == 2 else p.transitions.expand(L, -1, -1, -1)
        tags = LinearChain(p.emissions.expand(L, -1, -1), steps, p.start, mask=mask).viterbi().tags
        return [tuple(s for s in prefix if s >= 0) for prefix in tags.tolist()]

    @property
    def changes_of_mind(self) -> list[int]:
        """The words at which the leading prefix is not the one before with a further tag."""
        steps = enumerate(pairwise(self.leading), 1)
        return [t for t, (before, now) in steps if now and now[:t] != before]

    @cached_property
    def has_ties(self) -> bool:
        """Whether another path scores as much as the best one."""
        return self.feasible and self._summary.has_ties


@lru_cache(maxsize=32)
def numbers(problem: Problem) -> ChainNumbers:
    """Those of a problem, kept while it is on screen."""
    return ChainNumbers(problem)


def columns(trace: Trace) -> list[tuple[Step, ...]]:
    """[L][S] the cells of a recursion that goes forward."""
    S = len(trace.tags)
    return [trace.steps[t * S : (t + 1) * S] for t in range(len(trace.tokens))]


def clamped(state: State) -> State:
    """The same state with a score of −∞ for the other tags of each word whose tag is fixed."""
    if not state.fixed:
        return state
    problem, shut = _with_fixed(state.given.problem, tuple(state.fixed.items()))
    edits = {key: value for key, value in state.edits.items() if key[1] not in shut}
    return replace(state, given=state.given._replace(problem=problem), edits=edits)


@lru_cache(maxsize=8)  # each beat of the bar asks for it
def _with_fixed(
    problem: Problem, fixed: tuple[tuple[int, int], ...]
) -> tuple[Problem, frozenset[tuple[int, int]]]:
    shut = {(t, s) for t, tag in fixed for s in range(len(problem.tags)) if s != tag}
    return problem.with_scores({("emissions", at): -math.inf for at in shut}), frozenset(shut)


def ours(state: State) -> State:
    """The same state as this course writes it: own scores in their cells, logs, START and END."""
    return replace(state, form="state", scale="log", ends="start")


def trace_of(state: State, mode: str) -> Trace:
    """The trace that a mode steps through, in the state's form."""
    return numbers(state.problem).trace(TRACES.get(mode, "forward"), state.form)


def lacks(state: State) -> int:
    """How many steps there are less than in state form: of messages, those of one column."""
    return len(state.problem.tags) if state.form == "message" else 0


def path_of(state: State, *, usual: str = "best") -> list[int]:
    """The lit path: the one that the state names, else the usual one.

    That is the "best" one, the "greedy" one, or the "right" one of training: the best path of the
    scores before any edit, since an edit does not change which tags are right.
    """
    chain, problem = numbers(state.problem), state.problem
    path = state.path
    if len(path) == len(problem.tokens) and all(s < len(problem.tags) for s in path):
        return list(path)
    if usual == "right":
        chain = numbers(state.given.problem)
    best = list(chain.best_path)
    return chain.greedy if usual == "greedy" or not best else best


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first place at which two paths differ."""
    pairs = zip(one, other, strict=False)
    return next((t for t, (a, b) in enumerate(pairs) if a != b), None)


def most_probable(p: Sequence[float]) -> list[int]:
    """The two most probable tags, in their order; of one tag, that."""
    return sorted(sorted(range(len(p)), key=lambda s: -p[s])[:2])


# ---------------------------------------------------------------------- the tables


def whole(state: State, mode: str) -> Payload:
    """The tables of the trellis in a mode."""
    problem, chain = state.problem, numbers(state.problem)
    trace, is_max = trace_of(state, mode), mode == "best"
    left = _from_left(state)
    picture: Payload = {
        "tags": [
            {"name": tag, "colour": colour, "about": tag_meaning(tag)}
            for tag, colour in tag_colours(problem.tags).items()
        ],
        "tokens": [{"text": token, "fixed": state.fixed.get(t)}
                   for t, token in enumerate(problem.tokens)],
        "emissions": problem.emissions, "transitions": problem.transitions,
        "per_step": problem.per_step, "start": problem.start, "end": problem.end,
        **figure.tables(trace), **({"values": problem.emissions} if mode == "path" else {}),
        "left": left,
        "left_shares": [[0.0] * len(c) if None in c else figure.shares(c) for c in left],
        "left_other": figure.others(left, chain.kept) if len(chain.kept) < len(left[0]) else None,
        **_symbols(state, trace),
        "total": {"label": _total_name(state, is_max), "value": trace.log_total},
        "log_z": chain.log_z,
        "best": list(chain.best_path), "best_score": chain.best_score, "greedy": chain.greedy,
        **rows(state, mode), **_notation(state, trace),
    }  # fmt: skip
    return plain_data(picture)


def _symbols(state: State, trace: Trace) -> Payload:
    """What the numbers in the cells are called, and in *both ways* those from the left."""
    notation = NOTATIONS["probability" if state.scale == "potential" else "log"]
    left = symbol("forward", state.form, "sum", notation)
    return {"symbol": symbol_of(trace, notation), "left_symbol": left}


def _from_left(state: State) -> list[Any]:
    """[L][S] what is there of each cell from the left, in the state's form."""
    if state.form == "state":  # without the trace, which has each term
        return numbers(state.problem).log_alphas
    return figure.tables(trace_of(state, "add"))["values"]


def _total_name(state: State, is_max: bool) -> str:
    return say("trellis.best") if is_max else "Z" if state.scale == "potential" else "log Z"


def _notation(state: State, trace: Trace) -> Payload:
    """The form, the way numbers are written, the word without a column, and all cells' order.

    That word's cells come first, as steps are counted.
    """
    tokens = range(len(trace.tokens))
    missing = [t for t in tokens if t not in tokens[convention_of(trace).tokens]]
    order = figure.tables(trace)["order"]
    return {
        "form": state.form,
        "scale": "probability" if state.scale == "potential" else "log",
        "ends": state.ends,
        "absent": missing[0] if missing else None,
        "order": [[t, s] for t in missing for s in range(len(trace.tags))] + order,
    }


# ---------------------------------------------------------------------- the step on screen


def step_at(state: State, mode: str, number: int) -> Step:
    """A step of the mode's trace; the last one for a number beyond it."""
    return trace_of(state, mode).steps[index_of(state, mode, number)]


def index_of(state: State, mode: str, number: int) -> int:
    """Where a step stands in the mode's trace: steps are counted as in state form."""
    last = len(trace_of(state, mode).steps) - 1
    return min(max(number - lacks(state), 0), last)


def at_step(state: State, mode: str, number: int) -> Payload:
    """What the picture has at one step of `add`, `best` or `both`."""
    trace, step = trace_of(state, mode), step_at(state, mode, number)
    index = index_of(state, mode, number)
    now = figure.at_step(trace, index) | rows(state, mode)
    now["step"] = index + lacks(state)
    now["shown"] += lacks(state)
    now["folded"] = figure.remainder(trace, index, numbers(state.problem).kept)
    for count in ("step", "shown"):
        if now["folded"]:
            now["folded"][count] += lacks(state)
    if state.form != "state":
        now["reads"] = figure.scores_read(step)
    if mode == "best" and step.kind == "cell":
        # the cell's best prefix, and the one that led before if this one leads now
        leading, now["lead"] = leading_prefix(state, step.token), list(step.best_prefix or ())
        now["was"] = leading["was"] if now["lead"] == leading["lead"] else None
    elif mode == "best" and step.kind == "total":
        now["lead"] = list(trace.best_path or ())
    return plain_data(now)


def rows(state: State, mode: str) -> Payload:
    """The tags that have a row, and what the others have together."""
    return _rows(state.problem, TRACES.get(mode, "forward"), state.form)


@lru_cache(maxsize=32)  # each step asks for them
def _rows(problem: Problem, algorithm: str, form: str) -> Payload:
    chain = numbers(problem)
    return figure.rows(chain.trace(algorithm, form), chain.kept)


def row_step(problem: Problem, number: int) -> int:
    """The step of a cell, or if its tag has no row, of the first one in its column that has."""
    S, kept = len(problem.tags), numbers(problem).kept
    if number >= S * len(problem.tokens) or number % S in kept:
        return number
    return number - number % S + kept[0]


def in_row(opens: Callable[[Problem], int]) -> Callable[[Problem], int]:
    """The cell that a beat opens at, or one in its column whose tag has a row."""
    return lambda problem: row_step(problem, opens(problem))


def last_before(state: State, number: int) -> int:
    """The last cell before the column of a step; the first where there is none."""
    S = len(state.problem.tags)
    return max(number // S * S - 1, 0)


def leading_prefix(state: State, t: int) -> Payload:
    """The best prefix of all that end at word t, and the one that led before if it has changed."""
    chain = numbers(state.problem)
    was = list(chain.leading[t - 1]) if t in chain.changes_of_mind else None
    return {"lead": list(chain.leading[t]), "was": was}


# ---------------------------------------------------------------------- one path


def stairs(problem: Problem, path: Sequence[int]) -> list[Payload]:
    """The scores along a path, in the order in which they are added."""
    return figure.stairs(numbers(problem).scores, path)


def on_path(state: State, usual: str) -> Payload:
    """What the picture has in `path` and `bet`."""
    path, chain = path_of(state, usual=usual), numbers(state.problem)
    rows = sorted({*chain.kept, *path})
    return plain_data(figure.on_path(chain.scores, path) | {"rows": rows, "other": None})


# ---------------------------------------------------------------------- pictures of their own


def count_table(state: State) -> list[Payload]:
    """How many paths sentences of 1 to 60 words have."""
    S = len(state.problem.tags)
    return [
        {
            "words": L,
            "log10": L * math.log10(S),
            "text": format_count(S**L) if S**L < 10**12 else f"{S}{superscript(L)}",
        }
        for L in range(1, LONG + 1)
    ]


def has_steps(problem: Problem) -> bool:
    """Whether some path is allowed, and several go from one word to the next."""
    return len(problem.tags) > 1 and len(problem.tokens) > 1 and numbers(problem).feasible


def regrouping(state: State) -> Payload:
    """Four products over two words and two tags: what the forward recursion is made of.

    They are the second and third word, and the tags with the largest marginals there.
    """
    problem, marginals = state.problem, numbers(state.problem).marginals
    t = 1 if len(marginals) > 2 else 0
    u = min(t + 1, len(marginals) - 1)
    before, after = ([(both := most_probable(marginals[k]))[0], both[-1]] for k in (t, u))
    first = [math.exp(problem.emissions[t][i]) for i in before]
    last = [math.exp(problem.emissions[u][j]) for j in after]
    steps = [[math.exp(problem.matrix(u)[i][j]) if u > t else 1.0 for j in after] for i in before]
    inner = [first[0] * steps[0][b] + first[1] * steps[1][b] for b in range(2)]
    sums = [inner[b] * last[b] for b in range(2)]
    return {
        "words": [problem.tokens[t], problem.tokens[u]],
        "from": [problem.tags[i] for i in before],
        "to": [problem.tags[j] for j in after],
        "first": first,
        "steps": steps,
        "last": last,
        "products": [[first[a] * steps[a][b] * last[b] for b in range(2)] for a in range(2)],
        "inner": inner,
        "sums": sums,
        "total": math.fsum(sums),
    }


def pushes(state: State) -> list[Payload]:
    """Observed − expected for every transition that is used or expected, the largest first."""
    chain, S = numbers(state.problem), len(state.problem.tags)
    counts = Counter(pairwise(path_of(state, usual="right")))
    rows = []
    for i, j in product(range(S), repeat=2):
        observed, expected = counts[i, j], math.fsum(pair[i][j] for pair in chain.pairs)
        if observed or expected >= LITTLE:
            push = {"observed": observed, "expected": expected, "push": observed - expected}
            rows.append({"from": i, "to": j} | push)
    return sorted(rows, key=lambda row: -abs(row["push"]))


def push_to_guess(state: State) -> tuple[int, int, int, float]:
    """The transition that the beat `learn` asks about, and how often it is expected.

    It is the one into a tag that greedy takes and the right path does not; else the one whose
    observed and expected counts differ most.
    """
    chain, right = numbers(state.problem), path_of(state, usual="right")
    if len(right) < 2:
        return 0, right[0], right[0], 0.0
    t = first_difference(chain.greedy, right) or 0
    i, j = right[t - 1], chain.greedy[t]
    expected = math.fsum(pair[i][j] for pair in chain.pairs)
    if t and expected >= LITTLE:
        return t, i, j, expected
    rows = pushes(state)
    most = rows[0] if rows else {"from": right[0], "to": right[1], "expected": 1.0}
    i, j = most["from"], most["to"]
    t = next((k for k, (a, b) in enumerate(pairwise(right), 1) if (a, b) == (i, j)), 1)
    return t, i, j, most["expected"]


def observed_counts(state: State) -> list[Payload]:
    """What the right path uses, and the transition that is asked about; nothing is expected yet."""
    _, i, j, _ = push_to_guess(state)
    counts = Counter(pairwise(path_of(state, usual="right")))
    counts[i, j] += 0
    return [
        {"from": a, "to": b, "observed": counts[a, b], "expected": None, "push": None}
        for a, b in sorted(counts)
    ]
