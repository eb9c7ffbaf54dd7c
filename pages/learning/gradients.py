"""Is a gradient right: three ways to the gradient of log p(path | x), and three wrong ones.

    closed       (observed − expected) · ∂scores/∂parameter, from the chain's marginals
    automatic    torch's differentiation, step by step through the forward recursion
    differences  [f(w + h) − f(w − h)] / 2h, one parameter at a time

With respect to a score log ψ, or to ψ itself: ∂f/∂ψ = (∂f/∂ log ψ) / ψ. A model is a function from
named tables of parameters to the scores of its chain; torch differentiates that function.

Source of the error of differences: Nocedal and Wright (2006), "Numerical optimization", section
8.1: truncation grows as h², rounding as 1/h.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crf import LinearChain
from crf.core import recursions
from crf.core.potentials import Potentials
from crf.figures.numbers import exact as digits
from pages.learning.sentence import BACKEND, SENTENCE, fault, place, right_path
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import short
from pages.shared.course.state import State, StatePart, one_of
from pages.shared.course.typed_numbers import parse_number

Parameters = dict[str, Tensor]
Named = tuple[str, tuple[int, ...]]  # a parameter: its table and its index
MOST = 64  # parameters that differences are taken of: each costs two chains
_CHUNK = 4_000_000  # numbers of one batch of transitions
MOST_TAGS, MOST_TOKENS, LARGEST = 8, 12, 1e3  # of a model that is typed
_INPUTS = ("x", "W", "P", "start")  # its tables
_ALSO = {"S": "start", "seq": "path", "y": "path"}  # other names of the same
_LETTERS = {
    "e": "e",
    "t": "T",
    "s": "start",
    "z": "end",
    "x": "x",
    "w": "W",
    "W": "W",
    "P": "P",
    "S": "start",
}


# ---------------------------------------------------------------------- models


class UsedScores(NamedTuple):
    """One number at each place where a chain uses a score: the score, or how often it is used."""

    emissions: Tensor  # [m, S]
    transitions: Tensor  # [m-1, S, S], one matrix per step
    start: Tensor  # [S] of the first tag
    end: Tensor  # [S] of the last tag


@dataclass(frozen=True, eq=False)  # a model is itself alone: it can be remembered by
class Model:
    """A model of one sequence, and the path whose probability is differentiated."""

    tags: tuple[str, ...]  # names
    tokens: tuple[str, ...]  # names
    path: tuple[int, ...]  # [m] tag indices
    tables: Parameters  # the parameters by name, float64
    scores: Callable[[Parameters], UsedScores]  # the scores that such tables make

    @property
    def has_potentials(self) -> bool:
        """Whether its parameters are log-potentials, so that ψ = exp(parameter)."""
        return "x" not in self.tables


@lru_cache(maxsize=8)
def of_problem(problem: Problem, path: tuple[int, ...]) -> Model:
    """The problem on screen: its scores are the parameters; one matrix is used at every step."""
    m, S = len(problem.tokens), len(problem.tags)

    def scores(values: Parameters) -> UsedScores:
        transitions = values["T"].expand(m - 1, S, S)
        return UsedScores(values["e"], transitions, values["start"], values["end"])

    emissions, transitions, start, end = problem.tables()
    tables = {"e": emissions, "T": transitions, "start": start, "end": end}
    return Model(problem.tags, problem.tokens, path, tables, scores)


@cache
def pair_potentials() -> Model:
    """The example of random tables for each step, with the random path drawn behind them."""
    return of_problem(EXAMPLES["pair-potentials"].problem, (0, 1, 4, 1, 3, 0, 0, 3, 3, 1))


def scalar_inputs(
    x: Sequence[float] = (1.0, -0.5, 2.0, 0.5),
    W: Sequence[float] = (0.8, -0.4, 0.1),
    P: Sequence[Sequence[float]] = ((0.5, -1.0, 0.2), (0.3, 0.4, -0.6), (-0.2, 0.7, 0.1)),
    start: Sequence[float] = (0.2, 0.0, -0.3),
    path: Sequence[int] = (0, 2, 1, 1),
) -> Model:
    """log ψ(s', s, t) = P[s', s] + W_s · x_t, and log ψ(*, s, 1) = start_s + W_s · x_1."""
    m, S = len(x), len(W)
    tables = {"x": x, "W": W, "P": P, "start": start}

    def scores(values: Parameters) -> UsedScores:
        emissions = values["x"][:, None] * values["W"]
        no_end = torch.zeros_like(values["start"])
        return UsedScores(emissions, values["P"].expand(m - 1, S, S), values["start"], no_end)

    return Model(
        tuple("01234567"[:S]),
        tuple(f"x{t + 1}" for t in range(m)),
        tuple(path),
        {name: torch.tensor(values, dtype=torch.float64) for name, values in tables.items()},
        scores,
    )


@cache
def seeded() -> Model:
    """Five tags and seven tokens with random numbers in [0, 1), and a random path.

    Source: numpy's legacy generator with seed 1111, in the order path, x, W, P, start.
    """
    S, m = 5, 7
    draw = np.random.RandomState(1111)
    path = draw.choice(S, m)
    x, W, P, start = (draw.random_sample(size) for size in (m, S, (S, S), S))
    return scalar_inputs(x.tolist(), W.tolist(), P.tolist(), start.tolist(), path.tolist())


PRESETS = {"inputs": scalar_inputs, "seeded": seeded}


def as_text(model: Model) -> str:
    """The numbers of a model with inputs as they are typed, with all digits.

    >>> print(as_text(scalar_inputs()).splitlines()[2])
    P = 0.5 -1 0.2 ; 0.3 0.4 -0.6 ; -0.2 0.7 0.1
    """
    lines = []
    for name, table in model.tables.items():
        rows = (" ".join(map(digits, row)) for row in torch.atleast_2d(table).tolist())
        lines.append(f"{name} = {' ; '.join(rows)}")
    return "\n".join([*lines, f"path = {' '.join(map(str, model.path))}"])


@lru_cache(maxsize=16)
def read(text: str, preset: str = "inputs") -> Model:
    """The model whose numbers were typed, a table per line; what is left out is the preset's.

    Raises:
        ProblemError: A line or a number cannot be read, or the sizes do not belong together.
    """
    usual = PRESETS[preset]()
    if not text.strip():
        return usual
    own = dict(_line(line) for line in filter(str.strip, text.splitlines()))
    tables = {n: own.get(n) or torch.atleast_2d(t).tolist() for n, t in usual.tables.items()}
    m, S = len(tables["x"][0]), len(tables["W"][0])
    if m > MOST_TOKENS or S > MOST_TAGS:
        raise fault("inputs-faults.large", most=MOST_TOKENS, tags=MOST_TAGS, m=m, S=S)
    sizes = {"x": (1, m), "W": (1, S), "P": (S, S), "start": (1, S)}
    for name, (rows, columns) in sizes.items():
        _check_size(name, tables[name], rows, columns)
    (x,), (W,), P, (start,) = (tables[name] for name in _INPUTS)
    if "path" in own:
        _check_size("path", own["path"], 1, m)
        if any(v != int(v) or not 0 <= v < S for v in own["path"][0]):
            raise fault("inputs-faults.path", last=S - 1)
        path = list(map(int, own["path"][0]))
    elif len(path := usual.path) != m or max(path) >= S:  # the preset's, of another size
        blank = scalar_inputs(x, W, P, start, [0] * m)
        path = chain(blank.scores(blank.tables)).viterbi().tags[0].tolist()
    return scalar_inputs(x, W, P, start, path)


def _line(line: str) -> tuple[str, list[list[float]]]:
    name, equals, numbers = (part.strip() for part in line.partition("="))
    name = _ALSO.get(name, name)
    if not equals or not numbers or name not in (*_INPUTS, "path"):
        raise fault("inputs-faults.line", got=short(line))
    plain = numbers.translate(str.maketrans(",[]()", "     "))  # as Python or numpy prints them
    rows = [[parse_number(v, f"{name}, a number") for v in row.split()] for row in plain.split(";")]
    if any(abs(v) > LARGEST for row in rows for v in row):
        raise fault("inputs-faults.number", table=name)
    return name, rows


def _check_size(name: str, rows: list[list[float]], height: int, width: int) -> None:
    if len(rows) != height or any(len(row) != width for row in rows):
        facts = {"table": name, "width": width, "got": " + ".join(str(len(row)) for row in rows)}
        if name == "P":
            raise fault("inputs-faults.rows", height=height, **facts)
        raise fault("inputs-faults.size", **facts)


# ---------------------------------------------------------------------- observed − expected


def chain(scores: UsedScores) -> LinearChain:
    """The distribution that scores define."""
    emissions, transitions, start, end = scores
    return LinearChain(emissions[None], transitions[None], start, end, backend=BACKEND)


def _counts(of: LinearChain) -> UsedScores:
    counts = of.expected_counts
    return UsedScores(counts.emissions[0], counts.transitions[0], counts.start[0], counts.end[0])


def observed(model: Model) -> UsedScores:
    """1 at the scores that the path uses, 0 elsewhere: what is expected when it is certain."""
    return _counts(chain(model.scores(model.tables)).clamp(torch.tensor([list(model.path)])))


def expected(model: Model) -> UsedScores:
    """The probability of each tag at each token, and of each pair of tags at each step."""
    return _counts(chain(model.scores(model.tables)))


# ---------------------------------------------------------------------- the three ways


def closed(model: Model, psi: bool = False, counts: UsedScores | None = None) -> Parameters:
    """Observed − expected, summed over the places where a parameter is used.

    Args:
        model: What is differentiated.
        psi: With respect to ψ, not to log ψ; a forbidden score has 0.
        counts: Expected counts other than the model's.
    """
    pull_back = torch.func.vjp(model.scores, model.tables)[1]
    pushes = map(torch.sub, observed(model), counts or expected(model))
    (gradient,) = pull_back(UsedScores(*pushes))
    if not psi:
        return gradient
    return {
        name: torch.where(model.tables[name] > -torch.inf, g / model.tables[name].exp(), 0.0)
        for name, g in gradient.items()
    }


def automatic(model: Model, psi: bool = False) -> Parameters:
    """Torch's automatic differentiation, through every step of the forward recursion."""
    leaves = {
        name: (table.exp() if psi else table).clone().requires_grad_()
        for name, table in model.tables.items()
    }
    log_p = log_probability(model, {n: (x.log() if psi else x)[None] for n, x in leaves.items()})
    slopes = torch.autograd.grad(log_p.sum(), list(leaves.values()), materialize_grads=True)
    return {
        name: torch.where(leaf > -torch.inf, g, 0.0)
        for (name, leaf), g in zip(leaves.items(), slopes, strict=True)
    }


@lru_cache(maxsize=16)
def exact(model: Model, psi: bool) -> tuple[Parameters, Parameters]:
    """Both: in closed form, and by automatic differentiation."""
    return closed(model, psi), automatic(model, psi)


def differences(
    model: Model, parameters: Sequence[Named], steps: Sequence[float], psi: bool = False
) -> Tensor:
    """Central differences of log p for each h in `steps`.

    Returns:
        [len(steps), len(parameters)]; with `psi`, nan where ψ − h is not positive: there log p has
        no value.
    """
    moves = [(where, sign * h) for h, where, sign in product(steps, parameters, (1, -1))]
    size = max(1, _CHUNK // (len(model.tokens) * len(model.tags) ** 2))
    values = []
    for first in range(0, len(moves), size):
        chunk = moves[first : first + size]
        tables = {
            name: (table.exp() if psi else table).repeat(len(chunk), *[1] * table.dim())
            for name, table in model.tables.items()
        }
        for row, ((name, at), move) in enumerate(chunk):
            tables[name][(row, *at)] += move
        logs = {name: table.log() if psi else table for name, table in tables.items()}
        values.append(log_probability(model, logs))
    pairs = torch.cat(values).reshape(len(steps), len(parameters), 2)
    double_steps = 2 * torch.tensor(steps, dtype=torch.float64)[:, None]
    return (pairs[:, :, 0] - pairs[:, :, 1]) / double_steps


def log_probability(model: Model, tables: Parameters | None = None) -> Tensor:
    """log p(path | x) of P variants of the parameters, [P], by the recursion."""
    tables = tables or {name: table[None] for name, table in model.tables.items()}
    emissions, transitions, start, end = torch.vmap(model.scores)(tables)
    emissions = emissions.clone()
    emissions[:, 0] += start
    emissions[:, -1] += end
    zero = emissions.new_zeros(emissions.shape[2])
    mask = torch.ones(emissions.shape[:2], dtype=torch.bool)
    p = Potentials(emissions, transitions, zero, zero, mask)
    log_z = recursions.log_partition_from(p, recursions.forward(p))
    path, tokens = torch.tensor(model.path), torch.arange(len(model.path))
    score = emissions[:, tokens, path].sum(1)
    return score + transitions[:, tokens[:-1], path[:-1], path[1:]].sum(1) - log_z


# ---------------------------------------------------------------------- wrong ones


def _one_step_too_many(model: Model) -> UsedScores:
    """The loop over pairs runs to m: the last tag goes on into padding as if that were a token."""
    s = model.scores(model.tables)
    S = len(model.tags)
    padding = torch.zeros_like(s.emissions[:1])
    last = s.transitions[-1:] if len(s.transitions) else padding[..., None].expand(-1, -1, S)
    longer = s._replace(
        emissions=torch.cat([s.emissions, padding]), transitions=torch.cat([s.transitions, last])
    )
    return expected(model)._replace(transitions=_counts(chain(longer)).transitions)


def _ends_forgotten(model: Model) -> UsedScores:
    """Start and end are in the path's score, but not in the recursions."""
    emissions, transitions, *ends = model.scores(model.tables)
    return _counts(chain(UsedScores(emissions, transitions, *map(torch.zeros_like, ends))))


def _normalised_by_row(model: Model) -> UsedScores:
    """p(next tag | tag), whose rows sum to 1, instead of p(tag, next tag)."""
    right = expected(model)
    rows = right.transitions.sum(-1, keepdim=True)
    return right._replace(transitions=right.transitions / torch.where(rows > 0, rows, 1.0))


FAULTS = {"steps": _one_step_too_many, "ends": _ends_forgotten, "rows": _normalised_by_row}
CODES = {"A": "rows", "B": "steps", "C": "ends"}  # which code has which fault


@lru_cache(maxsize=32)
def faulty(model: Model, name: str) -> tuple[Parameters, float]:
    """The closed form with a fault in its expected counts, one of `FAULTS`, and their sum of pairs.

    The sum is m − 1 if nothing is wrong. A pair that is counted at a step that does not exist goes
    to the transition that is used there last; in a model with one table per step, to the last one.
    """
    counts, steps = FAULTS[name](model), len(model.tokens) - 1
    transitions = counts.transitions[:steps].clone()
    transitions[-1:] += counts.transitions[steps:].sum(0)
    gradient = closed(model, counts=counts._replace(transitions=transitions))
    return gradient, counts.transitions.sum().item()


def alike(one: Parameters, other: Parameters) -> bool:
    """Whether two gradients have the same numbers, as far as the page shows them."""
    return all((one[table] - other[table]).abs().le(1e-6).all() for table in one)


def codes_of(model: Model) -> list[str]:
    """The codes whose fault changes this model's gradient."""
    right = exact(model, False)[0]
    return [code for code, name in CODES.items() if not alike(right, faulty(model, name)[0])]


# ---------------------------------------------------------------------- what is on screen


def _inputs(text: str) -> str:
    read(text)
    return text


GRADIENT = {
    "right": SENTENCE["right"],
    "model": one_of("screen", "pairs", *PRESETS),
    "entry": StatePart(None, place),
    "of": one_of("log", "psi"),
    "code": one_of(*CODES),
    "inputs": StatePart("", _inputs),
}


def model_of(state: State) -> Model | None:
    """The model on screen; None where it has one path at most, and so no gradient."""
    name = state.control("model", GRADIENT)
    if name == "pairs":
        return pair_potentials()
    if name in PRESETS:
        return read(state.control("inputs", GRADIENT), name)
    path = right_path(state)
    if not path:
        return None
    model = of_problem(state.problem, path)
    return model if log_probability(model).item() < -1e-12 else None


def by_psi(state: State, model: Model) -> bool:
    """Whether the gradient is in ψ instead of log ψ."""
    return state.control("of", GRADIENT) == "psi" and model.has_potentials


def code_of(state: State, model: Model | None) -> str:
    """The code on screen; "" where no fault shows."""
    codes, choice = codes_of(model) if model else [], state.control("code", GRADIENT)
    return choice if choice in codes else next(iter(codes), "")


def largest(model: Model, gradient: Parameters) -> list[Named]:
    """The parameters, the one with the largest derivative first; forbidden scores are none."""
    free = [
        (name, tuple(at))
        for name, table in model.tables.items()
        for at in (table > -torch.inf).nonzero().tolist()
    ]
    return sorted(free, key=lambda entry: -abs(gradient[entry[0]][entry[1]].item()))


@lru_cache(maxsize=16)
def entries(model: Model) -> tuple[list[Named], list[Named]]:
    """All parameters in their order, and those with the largest derivatives, at most `MOST`."""
    ranked = largest(model, exact(model, False)[0])
    tables = list(model.tables)
    return sorted(ranked, key=lambda entry: (tables.index(entry[0]), entry[1])), ranked[:MOST]


def entry_of(state: State, model: Model) -> Named:
    """The entry on screen: the reader's own, else the largest transition."""
    choice, (every, ranked) = state.control("entry", GRADIENT), entries(model)
    if choice is not None and (_LETTERS[choice[0]], choice[1]) in every:
        return _LETTERS[choice[0]], choice[1]
    return next((entry for entry in ranked if entry[0] in ("T", "P")), ranked[0])


def key_of(entry: Named) -> str:
    """A parameter as the address has it."""
    letter = next(key for key, table in _LETTERS.items() if table == entry[0])
    return ".".join([letter, *map(str, entry[1])])


def entry_title(model: Model, entry: Named) -> str:
    """A parameter as the page writes it: "T[NOUN, VERB]"; of a table of its own "…, step 3"."""
    table, at = entry
    tags, tokens = model.tags, model.tokens
    if table in ("e", "x"):
        word = tokens[at[0]]
        if tokens.count(word) > 1:  # which of them
            word += f" ({at[0] + 1})"
        return f"{table}[{', '.join([word, *(tags[s] for s in at[1:])])}]"
    if len(at) == 3:
        return f"{table}[{tags[at[1]]}, {tags[at[2]]}, {at[0] + 2}]"
    return f"{table}[{', '.join(tags[s] for s in at)}]"
