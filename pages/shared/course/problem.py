"""A problem: the tags, the tokens and every score of one chain, as plain numbers.

    problem = Problem(("D", "N"), ("the", "man"), emissions, transitions, start, end)
    problem.with_score("emissions", (1, 0), 2.5).chain().log_partition

Scores are log-potentials, −∞ forbids. A problem is never changed; the edits return new ones.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from crf.steps import Trace
from pages.shared.course.problem_checks import (
    EOS,
    LARGEST_TAGS,
    LARGEST_TOKENS,
    MAX_NAME,
    MAX_TAGS,
    MAX_TOKENS,
    ROOT,
    ProblemError,
    check_distinct,
    check_index,
    checked_names,
    checked_score,
    checked_table,
    clean_name,
    entry_name,
    refuse,
    short,
)
from pages.shared.course.typed_numbers import parse_score

if TYPE_CHECKING:
    from torch import Tensor

    from crf.chain import LinearChain

Row = tuple[float, ...]
Matrix = tuple[Row, ...]
TABLES = ("emissions", "transitions", "start", "end")
NEG_INF = float("-inf")


def has_steps(transitions: Any) -> bool:
    """Whether transitions are a list of matrices (an empty one, for one token)."""
    if not isinstance(transitions, (list, tuple)):
        return False
    first = transitions[0] if transitions else [[]]
    return isinstance(first, (list, tuple)) and isinstance((*first, None)[0], (list, tuple))


@dataclass(frozen=True)
class Problem:
    """One chain's names and scores: S tags, m tokens.

    Lists are turned into tuples and whole numbers into floats. By hand, a problem has at most
    `MAX_TAGS` tags and `MAX_TOKENS` tokens (`is_editable`); what is shown may have 20 and 60.

    Raises:
        ProblemError: A name or a score is not acceptable, or a table has another shape.
    """

    tags: tuple[str, ...]  # S distinct names
    tokens: tuple[str, ...]  # m names
    emissions: Matrix  # [m][S] log-scores
    # [S][S] log-scores from row to column; or [m-1][S][S], where matrix t-1 leads into token t
    transitions: Matrix | tuple[Matrix, ...]
    start: Row  # [S] log-scores of the first tag
    end: Row  # [S] log-scores of the last tag

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", checked_names("tags", self.tags, LARGEST_TAGS))
        check_distinct(self.tags)
        object.__setattr__(self, "tokens", checked_names("tokens", self.tokens, LARGEST_TOKENS))
        for name in TABLES:
            table = checked_table(name, getattr(self, name), self._shape(name))
            object.__setattr__(self, name, table)

    def word(self, t: int) -> str:
        """A token; one that occurs twice is told apart by its place, as in the picture: the (4)."""
        token = self.tokens[t]
        return token if self.tokens.count(token) == 1 else f"{token} ({t + 1})"

    @classmethod
    def of(cls, tags: Sequence[str], tokens: Sequence[str], *scores: Any) -> "Problem":
        """The problem of lists: names, then emissions, transitions, start and end."""
        return cls(tuple(tags), tuple(tokens), *scores)

    @classmethod
    def blank(cls, tags: Sequence[str], tokens: Sequence[str]) -> "Problem":
        """All scores 0, one transition matrix for all steps."""
        row = (0.0,) * len(tags)
        return cls(tuple(tags), tuple(tokens), (row,) * len(tokens), (row,) * len(tags), row, row)

    @classmethod
    def from_chain(
        cls, chain: "LinearChain", tags: Sequence[str], tokens: Sequence[str], row: int = 0
    ) -> "Problem":
        """One chain of a batch with names for its tags and tokens; long names are cut."""
        from crf.steps.conventions import ChainScores

        scores = ChainScores.of(chain, row)
        return cls.of(
            [clean_name(tag) for tag in tags],
            [clean_name(token) for token in tokens],
            scores.emissions,
            scores.matrices if scores.per_step else scores.matrices[0],
            scores.start,
            scores.end,
        )

    @property
    def per_step(self) -> bool:
        """Whether each step has a transition matrix of its own."""
        return has_steps(self.transitions)

    @property
    def is_editable(self) -> bool:
        """Whether it is small enough to be edited by hand."""
        return len(self.tags) <= MAX_TAGS and len(self.tokens) <= MAX_TOKENS

    def matrix(self, t: int) -> Matrix:
        """The transitions that lead into token t ≥ 1: [S][S] log-scores."""
        return self.transitions[t - 1] if self.per_step else self.transitions  # pyright: ignore

    def named(self, path: Sequence[int]) -> str:
        """A path by the names of its tags."""
        return " ".join(self.tags[s] for s in path)

    def chain(self, backend: str = "plain") -> "LinearChain":
        """The chain in float64, a batch of one."""
        from crf.chain import LinearChain

        emissions, transitions, start, end = self.tables()
        steps = transitions[None] if self.per_step else transitions
        return LinearChain(emissions[None], steps, start, end, backend=backend)

    def tables(self) -> "tuple[Tensor, ...]":
        """Emissions, transitions ([S, S] or [m-1, S, S]), start and end in float64."""
        import torch

        S, m = len(self.tags), len(self.tokens)
        tables = [torch.tensor(getattr(self, name), dtype=torch.float64) for name in TABLES]
        if self.per_step:
            tables[1] = tables[1].reshape(m - 1, S, S)
        return tuple(tables)

    def trace(self, algorithm: str = "forward", **how: Any) -> Trace:
        """One recursion step by step, with this problem's names; see `crf.trace.trace`."""
        from crf.trace import trace

        return trace(self.chain(), algorithm=algorithm, tags=self.tags, tokens=self.tokens, **how)

    def folded(self, t: int = 1) -> Matrix:
        """Start and end as a row <ROOT> and a column <EOS> of the transitions into token t.

        Returns:
            [S+2][S+2] log-scores: first <ROOT>, then the tags, then <EOS>. Column <ROOT> and row
            <EOS> are forbidden, and so is going from <ROOT> to <EOS> at once.
        """
        whole = np.full((len(self.tags) + 2,) * 2, NEG_INF)
        whole[0, 1:-1], whole[1:-1, -1] = self.start, self.end
        whole[1:-1, 1:-1] = self.matrix(t) if self.transitions else 0.0
        return tuple(map(tuple, whole.tolist()))

    def _shape(self, table: str) -> tuple[int, ...]:
        S, m = len(self.tags), len(self.tokens)
        steps = (m - 1, S, S) if self.per_step else (S, S)
        shapes = {"emissions": (m, S), "transitions": steps, "start": (S,), "end": (S,)}
        if table not in shapes:
            raise refuse("table", f"one of {', '.join(TABLES)}", short(table), "name one of these")
        return shapes[table]

    def _array(self, table: str) -> np.ndarray:
        """A copy of a table, to be changed."""
        return np.reshape(getattr(self, table), self._shape(table))

    # ------------------------------------------------------------------ edits: a new problem each

    def with_changes(self, **changes: Any) -> Self:
        """The same problem but for these fields; arrays will do for tables."""
        lists = {name: x.tolist() for name, x in changes.items() if isinstance(x, np.ndarray)}
        return replace(self, **changes | lists)

    def score_at(self, table: str, index: int | tuple[int, ...]) -> float:
        """One score; the index as in `with_score`."""
        value: Any = getattr(self, table, None)
        for k in self._place(table, index):
            value = value[k]
        return value

    def with_score(self, table: str, index: int | tuple[int, ...], value: float) -> Self:
        """Change one score.

        Args:
            table: One of `TABLES`.
            index: emissions (token, tag); transitions (from, to), or (step, from, to) if each step
                has its own; start and end (tag,) or tag.
            value: A log-score, −∞ to forbid.
        """
        return self.with_scores({(table, self._place(table, index)): value})

    def with_scores(self, scores: Mapping[tuple[str, tuple[int, ...]], float]) -> Self:
        """Change several scores, each by its table and its place."""
        tables: dict[str, np.ndarray] = {}
        for (table, index), value in scores.items():
            place = self._place(table, index)
            if table not in tables:
                tables[table] = self._array(table)
            tables[table][place] = checked_score(entry_name(table, *place), value)
        return self.with_changes(**tables) if tables else self

    def _place(self, table: str, index: int | tuple[int, ...]) -> tuple[int, ...]:
        size, place = self._shape(table), index if isinstance(index, tuple) else (index,)
        if len(place) != len(size) or not all(0 <= k < n for k, n in zip(place, size, strict=True)):
            raise refuse(
                table, f"an index below {size}", short(index), "count tags and tokens from 0"
            )
        return place

    def _fill(self, value: Callable[[], float]) -> Self:
        """Set every score, in the order emissions, transitions, start, end."""
        shapes = {name: self._shape(name) for name in TABLES}
        cells = {name: [value() for _ in range(math.prod(shapes[name]))] for name in TABLES}
        return self.with_changes(**{name: np.reshape(cells[name], shapes[name]) for name in TABLES})

    def zeros(self) -> Self:
        """Every score 0: nothing is preferred and nothing is forbidden."""
        return self._fill(lambda: 0.0)

    def random(self, seed: int) -> Self:
        """Draw every score from −3.0, −2.9 … 3.0; the same seed gives the same scores."""
        draw = random.Random(seed)
        return self._fill(lambda: draw.randint(-30, 30) / 10)

    def symmetric(self) -> Self:
        """Each transition the mean of itself and its reverse; −∞ where either is forbidden."""
        scores = self._array("transitions")
        return self.with_changes(transitions=(scores + scores.swapaxes(-1, -2)) / 2)

    def per_step_form(self) -> Self:
        """A transition matrix of its own for each step, all equal to begin with."""
        m = len(self.tokens)
        return (
            self if self.per_step else self.with_changes(transitions=(self.transitions,) * (m - 1))
        )

    def homogeneous_form(self) -> Self:
        """One transition matrix for all steps (of zeros, if there is no step).

        Raises:
            ProblemError: The steps' matrices differ.
        """
        if not self.per_step:
            return self
        first = self.transitions[0] if self.transitions else np.zeros((len(self.tags),) * 2)
        for t, matrix in enumerate(self.transitions):
            if matrix != first:
                raise refuse(
                    f"transitions[{t}]",
                    "one matrix for all steps",
                    "one unlike transitions[0]",
                    "make them equal first, or keep one for each step",
                )
        return self.with_changes(transitions=first)

    # ------------------------------------------------------------------ tags and tokens

    def rename_tag(self, s: int, name: str) -> Self:
        """Give tag s another name."""
        check_index("tags", s, len(self.tags))
        return self.with_changes(tags=(*self.tags[:s], name, *self.tags[s + 1 :]))

    def rename_token(self, t: int, name: str) -> Self:
        """Give token t another name."""
        check_index("tokens", t, len(self.tokens))
        return self.with_changes(tokens=(*self.tokens[:t], name, *self.tokens[t + 1 :]))

    def add_tag(self, name: str) -> Self:
        """A further tag, last; its scores are 0."""
        S = len(self.tags)
        return self._with_tags((*self.tags, name), lambda table, k: np.insert(table, S, 0.0, k))

    def remove_tag(self, s: int) -> Self:
        """Drop tag s and its scores."""
        check_index("tags", s, len(self.tags))
        return self.keep_tags([k for k in range(len(self.tags)) if k != s])

    def keep_tags(self, indices: Sequence[int]) -> Self:
        """Only these tags, in this order; the scores of the others are dropped, not added in."""
        for s in indices:
            check_index("tags", s, len(self.tags))
        tags = tuple(self.tags[s] for s in indices)
        return self._with_tags(tags, lambda table, k: np.take(table, np.array(indices, int), k))

    def _with_tags(
        self, tags: tuple[str, ...], change: Callable[[np.ndarray, int], np.ndarray]
    ) -> Self:
        """Other tags; `change` makes an axis of a table fit them."""
        tables = {name: self._array(name) for name in TABLES}
        for name, table in tables.items():
            for k in range(table.ndim - (2 if name == "transitions" else 1), table.ndim):
                tables[name] = change(tables[name], k)
        return self.with_changes(tags=tags, **tables)

    def add_token(self, name: str, at: int | None = None) -> Self:
        """A further token with emissions 0, last or before token `at`.

        If each step has its own transitions, a matrix of zeros comes with it: it leads into the new
        token, or out of it where that is the first.
        """
        at = len(self.tokens) if at is None else at
        check_index("at", at, len(self.tokens) + 1)
        tokens = (*self.tokens[:at], name, *self.tokens[at:])
        return self._with_tokens(tokens, at, lambda table, k: np.insert(table, k, 0.0, 0))

    def remove_token(self, t: int) -> Self:
        """Drop token t, its emissions, and (one matrix per step) the matrix that leads into it.

        Of the first token, the one that leads out of it.
        """
        check_index("tokens", t, len(self.tokens))
        tokens = (*self.tokens[:t], *self.tokens[t + 1 :])
        return self._with_tokens(tokens, t, lambda table, k: np.delete(table, np.s_[k : k + 1], 0))

    def _with_tokens(
        self, tokens: tuple[str, ...], t: int, change: Callable[[np.ndarray, int], np.ndarray]
    ) -> Self:
        """Other tokens; `change` makes the emissions fit them at t, and the steps' matrices."""
        tables = {"emissions": change(self._array("emissions"), t)}
        if self.per_step:
            tables["transitions"] = change(self._array("transitions"), max(t - 1, 0))
        return self.with_changes(tokens=tokens, **tables)
