"""One sentence: observed − expected, a step along it, and where its sign turns."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from crf.figures.flow.payload import Payload
from crf.figures.numbers import bare, decimal, format_magnitude, format_probability, format_score
from pages.learning import gradients
from pages.learning.controls import SENTENCE, fits, words
from pages.learning.one_sentence import Ascent, climb
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import Bet
from pages.shared.figures.theme import tag_colours

MOST_STEPS = 20
LATER = 10  # steps until the bet on the difference is settled
_CHUNK = 5  # steps that are computed at once
_LITTLE = 0.0005  # a smaller probability or difference is not drawn
_NOTHING = 1e-6  # a gradient shorter than this counts as 0
MOVES = [k / 2 for k in range(-6, 7)]  # of the score on the slope
_FINE = [k / 10 for k in range(-30, 31)]  # the points of its curve

Score = tuple[str, tuple[int, ...]]


class Right(NamedTuple):
    """The right path, and whether it took the place of one that is forbidden."""

    path: tuple[int, ...]  # () where no path is allowed
    replaced: bool


@lru_cache(maxsize=64)
def _best(problem: Problem) -> tuple[int, ...]:
    return tuple(s for s in problem.chain().viterbi().tags[0].tolist() if s >= 0)


def right_path(state: State) -> Right:
    """The right tags: the reader's own, else the best path of the scores before any edit.

    An edit changes what the model holds for best, not what is right.
    """
    problem = state.problem
    size = len(problem.tokens), len(problem.tags)
    named = (state.control("right", SENTENCE), state.path, _best(state.given.problem))
    path = next((tuple(one) for one in named if fits(one, *size)), ())
    if path and problem.chain().score(torch.tensor([path])).item() > -math.inf:
        return Right(path, replaced=False)
    return Right(_best(problem), replaced=bool(path))


def ascent(state: State, n: int) -> Ascent | None:
    """Gradient steps on the sentence, n or a few more; None where no path is allowed."""
    path = right_path(state).path
    if not path:
        return None
    ahead = -(-(n + 1) // _CHUNK) * _CHUNK
    return climb(state.problem, path, state.control("rate", SENTENCE), ahead)


def several_steps(_: Problem) -> range:
    """The gradient steps that → and ← take."""
    return range(1, MOST_STEPS + 1)


# ---------------------------------------------------------------------- what is drawn


def drawn(state: State) -> Payload:
    """Words, tags with their hues, and the right path."""
    problem = state.problem
    hues = tag_colours(problem.tags)
    return {
        "draws": "flows",
        "tokens": list(problem.tokens),
        "tags": [{"name": tag, "hue": hues[tag]} for tag in problem.tags],
        "right": list(right_path(state).path),
        "score": name_of(chosen(state)),
        "rate": state.control("rate", SENTENCE),
        "per_step": problem.per_step,
        "words": words(
            "word-observed", "word-observed-about", "word-expected", "word-expected-about",
            "word-difference", "word-raise", "word-lower", "word-loss", "word-one-step",
            "word-five-steps", "word-size", "word-call-right", "word-follow",
        ),
    }  # fmt: skip


def at_counts(state: State, step: int) -> Payload:
    """What the model expects after so many steps, the difference, and the loss."""
    run = ascent(state, step + 1)
    if run is None:
        return {"marginals": None, "loss": None}
    marginals, pairs = run.marginals[step], run.pairs[step]
    right = torch.zeros_like(marginals)
    right[range(len(run.path)), list(run.path)] = 1
    both = torch.zeros_like(pairs)
    for t, (a, b) in enumerate(zip(run.path, run.path[1:], strict=False)):
        both[t, a, b] = 1
    losses = (-run.log_p).tolist()
    return {
        "marginals": _rounded(marginals.tolist()),
        "pairs": [_few(table) for table in pairs],
        "difference": _rounded((right - marginals).tolist()),
        "pair_difference": [_few(table) for table in both - pairs],
        "loss": losses[step],
        "ahead": losses[step + 1],
        "top": losses[0],
        "losses": [size(loss) for loss in (losses[step], losses[step + 1])],
    }


def _few(table: torch.Tensor) -> list[list[float]]:
    """The entries that are large enough to draw: from, to, value."""
    places = (table.abs() >= _LITTLE).nonzero().tolist()
    return [[a, b, round(table[a, b].item(), 5)] for a, b in places]


def _rounded(table: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[round(value, 5) for value in row] for row in table]


# ---------------------------------------------------------------------- the score that is followed


def chosen(state: State) -> Score:
    """The score that the reader follows, else the one with the largest gradient."""
    run, problem = ascent(state, 0), state.problem
    asked = state.control("score", SENTENCE)
    if asked is not None:
        try:
            problem.score_at(_TABLES[asked[0]], asked[1])
            return asked
        except (KeyError, IndexError, ValueError):
            pass
    if run is None:
        return "e", (0, 0)
    slopes = run.gradient.transitions[0]
    if slopes.numel() and slopes.abs().max() > _NOTHING:
        at = np.unravel_index(int(slopes.abs().argmax()), slopes.shape)
        return "t", tuple(map(int, at))
    words = run.gradient.words[0][list(run.word_of)]
    return "e", divmod(int(words.abs().argmax()), len(problem.tags))


_TABLES = {"e": "emissions", "t": "transitions", "s": "start", "z": "end"}


def name_of(score: Score) -> str:
    """A score as the address and the picture have it: "t.2.3"."""
    return ".".join([score[0], *map(str, score[1])])


def called(problem: Problem, score: Score) -> dict[str, Any]:
    """What a score is called: "NOUN → VERB", "old, NOUN", its role in colour."""
    letter, at = score
    tags = problem.tags
    if letter == "t":
        name = f"{tags[at[-2]]} → {tags[at[-1]]}"
        return {"text": name, "role": "transition", "bold": True}
    if letter == "e":
        name = f"{problem.tokens[at[0]]}, {tags[at[1]]}"
        return {"text": name, "role": "emission", "bold": True}
    return {"text": f"{'START' if letter == 's' else 'END'}, {tags[at[0]]}", "role": "edge"}


def counts_of(run: Ascent, score: Score, n: int) -> tuple[float, float]:
    """How often a score is used by the right path, and how often the model expects it."""
    letter, at = score
    if letter == "e":
        at = (run.word_of[at[0]], at[1])
    k = "etsz".index(letter)
    return run.observed[k][at].item(), run.expected[k][n][at].item()


def facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentences on observed and expected."""
    run, problem = ascent(state, step), state.problem
    known: dict[str, Any] = {
        "none": int(run is None), "idle": 1, "replaced": int(right_path(state).replaced), "n": step,
        "rate": format_magnitude(state.control("rate", SENTENCE)), "times": 1,
    }  # fmt: skip
    if run is None:
        return known
    score = chosen(state)
    observed, expected = counts_of(run, score, step)
    first, norm = run.norms[0].item(), run.norms[step].item()
    return known | {
        "idle": int(first < _NOTHING), "times": round(observed),
        "score": [called(problem, score)], "observed": f"{observed:.0f}",
        "expected": share(expected), "push": signed(observed - expected),
        "before": size(-run.log_p[0].item()), "loss": size(-run.log_p[step].item()),
        "first": size(first), "norm": size(norm),
        "p": format_probability(math.exp(run.log_p[step].item())),
    }  # fmt: skip


def bet_on_steps(state: State) -> Bet | None:
    """Whether the difference shrinks; asked before the steps are taken."""
    run = ascent(state, LATER)
    if run is None or state.step not in (None, 1) or run.norms[0] < _NOTHING:
        return None
    ratio = (run.norms[LATER] / run.norms[0]).item()
    right = "smaller" if ratio < 0.8 else "larger" if ratio > 1.25 else "same"
    return Bet(("smaller", "same", "larger"), right)


def later_facts(state: State, step: int) -> dict[str, Any]:
    """These facts, and the effect of ten steps."""
    run = ascent(state, max(step, LATER))
    known = facts(state, step)
    if run is None:
        return known
    return known | {
        "later": LATER, "then": size(run.norms[LATER].item()),
        "later_loss": size(-run.log_p[LATER].item()),
        "rises": int((-run.log_p[: step + 1]).diff().gt(1e-9).any()),
    }  # fmt: skip


# ---------------------------------------------------------------------- the slope


def moves(_: Problem) -> range:
    """The places of the dot on the slope."""
    return range(len(MOVES))


def drawn_slope(state: State) -> Payload:
    """log p and the loss, while one score moves and the others stay."""
    path = right_path(state).path
    if not path:
        return {"draws": "slope", "points": []}
    score = chosen(state)
    log_p, _ = _curve(state.problem, path, score, tuple(_FINE))
    return {
        "draws": "slope",
        "points": [[x, round(y, 5)] for x, y in zip(_FINE, log_p, strict=True)],
        "moves": MOVES,
        "words": words("word-slope-of", "word-moved", "word-log-p", "word-minus"),
        "name": called(state.problem, score)["text"],
    }


def at_slope(state: State, step: int) -> Payload:
    """Where the dot is, and the slopes there."""
    path = right_path(state).path
    if not path:
        return {"slope": None}
    log_p, slopes = _curve(state.problem, path, chosen(state), tuple(MOVES))
    texts = {"up": signed(slopes[step]), "down": signed(-slopes[step])}
    return {"x": MOVES[step], "log_p": log_p[step], "slope": slopes[step], "texts": texts}


@lru_cache(maxsize=32)
def _curve(
    problem: Problem, path: tuple[int, ...], score: Score, xs: tuple[float, ...]
) -> tuple[list[float], list[float]]:
    """log p(path | x) and its derivative, as one score is moved by each of `xs`."""
    model = gradients.of_problem(problem, path)
    name = {"e": "e", "t": "T", "s": "start", "z": "end"}[score[0]]
    moved = torch.tensor(xs, dtype=torch.float64, requires_grad=True)
    tables = {key: table.repeat(len(xs), *[1] * table.dim()) for key, table in model.tables.items()}
    places = [score[1]]
    if score[0] == "e":  # a word that occurs twice has one score
        words = [token.casefold() for token in problem.tokens]
        places = [(t, score[1][1]) for t, word in enumerate(words) if word == words[score[1][0]]]
    unit = torch.zeros_like(model.tables[name])
    for place in places:
        unit[place] = 1.0
    tables[name] = tables[name] + moved.reshape(-1, *[1] * unit.dim()) * unit
    log_p = gradients.log_probability(model, tables)
    (slopes,) = torch.autograd.grad(log_p.sum(), moved)
    return log_p.detach().clamp(max=0.0).tolist(), slopes.tolist()


def slope_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentence about the slope."""
    known, path = facts(state, 0), right_path(state).path
    if not path:
        return known
    _, slopes = _curve(state.problem, path, chosen(state), tuple(MOVES))
    x, slope = MOVES[step], slopes[step]
    return known | {
        "moved": int(x != 0), "by": decimal(f"{x:+g}".replace("-", "−")), "slope": signed(slope),
        "minus": signed(-slope), "flat": int(abs(slope) < 0.005),
    }  # fmt: skip


# ---------------------------------------------------------------------- numbers as they are said


def signed(value: float) -> str:
    """A difference with two decimals and its sign.

    >>> signed(0.348), signed(-0.002), signed(-0.0)
    ('+.35', '−.002', '0')
    """
    digits = 2 if abs(value) >= 0.005 or abs(value) < 0.0005 else 3
    text = f"{value:+.{digits}f}"
    if float(text) == 0:
        return "0"
    return decimal(text.replace("0.", ".", 1).replace("-", "−"))


def share(value: float) -> str:
    """A count or probability with two decimals.

    >>> share(0.652), share(1.0), share(1.67), share(0.001)
    ('.65', '1', '1.67', '.001')
    """
    digits = 2 if value >= 0.005 or value < 0.0005 else 3
    text = f"{value:.{digits}f}"
    return text[:-3] if text.endswith(".00") else decimal(bare(text))


def size(loss: float) -> str:
    """A loss with two decimals; what is small has two digits.

    >>> size(0.4324), size(0.0031), size(13.18), size(0.0)
    ('.43', '.0031', '13.18', '0')
    """
    loss = max(loss, 0.0)
    if loss >= 0.1:
        return bare(format_score(loss))
    return bare(format_magnitude(loss, 2))
