"""One sentence: its right tags, and gradient steps that make them more probable.

    ∂ log p(path | x) / ∂ T[i, j] = how often the path goes i → j − how often the model expects it

Weights are shared: every step of the sentence uses the same T[i, j], and a word that occurs twice
has one weight per tag. So the gradient of a weight is the sum over all places where it is used.

Source: Sutton and McCallum (2012), "An introduction to conditional random fields", eq. 5.5.
"""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crf import LinearChain
from crf.figures.languages import language
from crf.figures.numbers import bare, decimal, format_magnitude, format_score
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.state import State, StatePart
from pages.shared.course.typed_numbers import parse_finite
from pages.shared.figures.text import LessonText

BACKEND = "plain"
NOTHING = 1e-6  # a gradient shorter than this counts as 0
_CHUNK = 5  # steps that are computed at once
_TABLES = {"e": "emissions", "t": "transitions", "s": "start", "z": "end"}
_PLACE = re.compile(r"[etszwTxWPS](\.[0-9]{1,3}){1,3}")

Score = tuple[str, tuple[int, ...]]  # its table's letter and its index


# ---------------------------------------------------------------------- controls


def number(usual: float, most: float = 100.0) -> StatePart:
    """A number from 0 to `most`."""

    def read(text: str) -> float:
        value = parse_finite(text)
        if not 0.0 <= value <= most:
            raise ValueError
        return value

    return StatePart(usual, read)


def place(text: str) -> Score:
    """A score or a weight as an address has it, "t.2.3".

    >>> place("t.2.3")
    ('t', (2, 3))
    """
    if not _PLACE.fullmatch(text):
        raise ValueError
    letter, *index = text.split(".")
    return letter, tuple(map(int, index))


def _path(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2})*", text):
        raise ValueError
    return tuple(map(int, text.split(".")))


def fault(name: str, /, **facts: int | str) -> ProblemError:
    """The error that says a case of the lesson's text."""
    return ProblemError(LessonText.of("learning").line(name, **facts))


SENTENCE = {
    "right": StatePart((), _path),
    "score": StatePart(None, place),
    "rate": number(0.5),
}


# ---------------------------------------------------------------------- the right tags


@lru_cache(maxsize=64)
def _best(problem: Problem) -> tuple[int, ...]:
    return tuple(s for s in problem.chain().viterbi().tags[0].tolist() if s >= 0)


def wish(state: State) -> tuple[int, ...]:
    """The tags that should be right: the reader's own, else the best path before any edit.

    An edit changes what the model holds for best, not what is right.
    """
    m, S = len(state.problem.tokens), len(state.problem.tags)
    paths = (state.control("right", SENTENCE), state.path, _best(state.given.problem))
    return next((tuple(p) for p in paths if len(p) == m and all(s < S for s in p)), ())


def right_path(state: State) -> tuple[int, ...]:
    """The right tags; the best path where these are forbidden, () where no path is allowed."""
    path = wish(state)
    if path and state.problem.chain().score(torch.tensor([path])).item() > -math.inf:
        return path
    return _best(state.problem)


# ---------------------------------------------------------------------- gradient ascent


class Counts(NamedTuple):
    """How often each weight is used; the first axis, if there is one more, is the iteration."""

    words: Tensor  # [W, S] for each different word and tag
    transitions: Tensor  # [S, S] from row to column; [m-1, S, S] if each step has its own
    start: Tensor  # [S] of the first tag
    end: Tensor  # [S] of the last tag


@dataclass(frozen=True)
class Ascent:
    """Gradient ascent on log p(path | x) of one sentence: N steps, N + 1 states of the model."""

    path: tuple[int, ...]  # [m] the right tags, as indices
    words: tuple[str, ...]  # the different words, in order of appearance; case is ignored
    word_of: tuple[int, ...]  # [m] which of them each token is
    # [N+1, …] emissions [m, S], transitions [S, S] or [m-1, S, S], start [S] and end [S]
    scores: tuple[Tensor, ...]
    log_p: Tensor  # [N+1] log p(path | x), nats
    marginals: Tensor  # [N+1, m, S] p(y_t = s | x)
    pairs: Tensor  # [N+1, m-1, S, S] p(y_t = i, y_(t+1) = j | x)
    observed: Counts  # what the path uses
    expected: Counts  # what the model expects, for each state

    @property
    def gradient(self) -> Counts:
        """Observed − expected, for each state: the gradient of log p with respect to the scores."""
        return Counts(*map(torch.sub, self.observed, self.expected))

    @property
    def norms(self) -> Tensor:
        """[N+1] Euclidean length of the gradient."""
        return torch.stack([g.flatten(1).square().sum(1) for g in self.gradient]).sum(0).sqrt()


@lru_cache(maxsize=16)
def climb(problem: Problem, path: tuple[int, ...], rate: float, steps: int) -> Ascent:
    """Take gradient steps from a path that is allowed: weights move by η (observed − expected)."""
    m, S = len(problem.tokens), len(problem.tags)
    names = [token.casefold() for token in problem.tokens]
    words = tuple(dict.fromkeys(names))
    word_of = tuple(map(words.index, names))
    of_token, right = torch.tensor(word_of), torch.tensor([list(path)])

    def counts(chain: LinearChain) -> Counts:
        uses = chain.expected_counts
        of_word = uses.emissions.new_zeros(len(words), S).index_add(0, of_token, uses.emissions[0])
        return Counts(of_word, uses.transitions[0], uses.start[0], uses.end[0])

    observed = counts(problem.chain(BACKEND).clamp(right))
    scores, states, expected = problem.tables(), [], []
    for _ in range(steps + 1):
        emissions, transitions, start, end = scores
        matrices = transitions[None] if problem.per_step else transitions
        chain = LinearChain(emissions[None], matrices, start, end, validate=False, backend=BACKEND)
        states.append(scores)
        expected.append(counts(chain))
        of_words, *others = (rate * (a - b) for a, b in zip(observed, expected[-1], strict=True))
        scores = tuple(map(torch.add, scores, (of_words[of_token], *others)))
    emissions, matrices, start, end = scores = tuple(map(torch.stack, zip(*states, strict=True)))
    emissions = emissions.clone()  # all states as one batch: start and end join the emissions
    emissions[:, 0] += start
    emissions[:, -1] += end
    if not problem.per_step:
        matrices = matrices[:, None].expand(-1, m - 1, S, S)
    every = LinearChain(emissions, matrices, validate=False, backend=BACKEND)
    return Ascent(
        path,
        words,
        word_of,
        scores,
        log_p=every.log_prob(right.expand(steps + 1, m)).clamp(max=0.0),
        marginals=every.marginals,
        pairs=every.pair_marginals,
        observed=observed,
        expected=Counts(*map(torch.stack, zip(*expected, strict=True))),
    )


def ascent(state: State, n: int) -> Ascent | None:
    """Gradient steps on the sentence, n or a few more; None where no path is allowed."""
    path = right_path(state)
    if not path:
        return None
    ahead = -(-(n + 1) // _CHUNK) * _CHUNK
    return climb(state.problem, path, state.control("rate", SENTENCE), ahead)


# ---------------------------------------------------------------------- the score that is followed


def followed_score(state: State) -> Score:
    """The score that the reader follows, else the one with the largest gradient."""
    run, problem = ascent(state, 0), state.problem
    score = state.control("score", SENTENCE)
    if score is not None:
        try:
            problem.score_at(_TABLES[score[0]], score[1])
            return score
        except (KeyError, IndexError, ValueError):
            pass
    if run is None:
        return "e", (0, 0)
    slopes = run.gradient.transitions[0]
    if slopes.numel() and slopes.abs().max() > NOTHING:
        at = np.unravel_index(int(slopes.abs().argmax()), slopes.shape)
        return "t", tuple(map(int, at))
    words = run.gradient.words[0][list(run.word_of)]
    return "e", divmod(int(words.abs().argmax()), len(problem.tags))


def title_of(problem: Problem, score: Score) -> str:
    """A score as a reader calls it: "NOUN → VERB", "old, NOUN"."""
    letter, at = score
    tags = problem.tags
    if letter == "t":
        return f"{tags[at[-2]]} → {tags[at[-1]]}"
    if letter == "e":
        return f"{problem.word(at[0])}, {tags[at[1]]}"
    return f"{'START' if letter == 's' else 'END'}, {tags[at[0]]}"


def counts_of(run: Ascent, score: Score, n: int) -> tuple[float, float]:
    """How often a score is used by the right path, and how often the model expects it."""
    letter, at = score
    if letter == "e":
        at = (run.word_of[at[0]], at[1])
    k = "etsz".index(letter)
    return run.observed[k][at].item(), run.expected[k][n][at].item()


# ---------------------------------------------------------------------- numbers as texts


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

    >>> share(0.652), share(1.0), share(1.67), share(0.001), share(0.9972)
    ('.65', '1', '1.67', '.001', '1.00')
    """
    digits = 2 if value >= 0.005 or value < 0.0005 else 3
    text = f"{value:.{digits}f}"
    if abs(value - round(value)) < 1e-9:
        return f"{value:.0f}"
    return decimal(text.removeprefix("0") if language() == "en" else text)


def size(loss: float) -> str:
    """A loss with two decimals; what is small has two digits.

    >>> size(0.4324), size(0.0031), size(13.18), size(0.0)
    ('.43', '.0031', '13.18', '0')
    """
    loss = max(loss, 0.0)
    return bare(format_score(loss) if loss >= 0.1 else format_magnitude(loss, 2))


def magnitude(value: float) -> str:
    """An error with two digits."""
    return format_magnitude(value, 2) if math.isfinite(value) else "∞"


def digits(value: float) -> str:
    """A number with 16 decimals, and a real minus sign.

    >>> digits(-0.25), digits(float("nan"))
    ('−0.2500000000000000', '–')
    """
    return format_score(value, 16) if math.isfinite(value) else "–"


def agreeing(one: str, other: str) -> int:
    """The number of decimals that agree, counted from the decimal mark.

    >>> agreeing("0.3480", "0.3481"), agreeing("−0.1", "0.1"), agreeing("0,12", "0,13")
    (3, 0, 1)
    """
    point = max(one.find("."), one.find(","))
    if point < 0 or other[: point + 1] != one[: point + 1]:
        return 0
    pairs = zip(one[point + 1 :], other[point + 1 :], strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), len(one) - point - 1)
