"""What one can do to a problem: change scores, fill the tables, add and remove tags and tokens.

Every edit leaves the problem as it was and returns a new one; what does not fit is a ProblemError.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

from pages.shared.course.problem_checks import checked_score, entry_name, refuse, short

Row = tuple[float, ...]
Matrix = tuple[Row, ...]
TABLES = ("emissions", "transitions", "start", "end")
NEG_INF = float("-inf")


def has_steps(transitions: Any) -> bool:
    """Whether transitions are a list of matrices (an empty one, for one token)."""
    return isinstance(transitions, (list, tuple)) and (
        not transitions
        or (
            bool(transitions[0])
            and isinstance(transitions[0], (list, tuple))
            and isinstance(transitions[0][0], (list, tuple))
        )
    )


class Edits:
    """The edits of a `pages.shared.course.problem.Problem`."""

    tags: tuple[str, ...]
    tokens: tuple[str, ...]
    emissions: Matrix
    transitions: Matrix | tuple[Matrix, ...]
    start: Row
    end: Row

    @property
    def per_step(self) -> bool:
        """Whether each step has a transition matrix of its own."""
        return has_steps(self.transitions)

    def _with(self, **changes: Any) -> Self:
        """The same problem but for these fields."""
        return replace(self, **changes)  # pyright: ignore  (Problem is a dataclass)

    def _matrices(self, change: Callable[[Matrix], Any]) -> Any:
        """The transitions with each matrix changed."""
        transitions: Any = self.transitions
        return tuple(map(change, transitions)) if self.per_step else change(transitions)

    def score_at(self, table: str, index: int | tuple[int, ...]) -> float:
        """One score; the index as in `with_score`."""
        value: Any = getattr(self, table)
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
        place = self._place(table, index)
        value = checked_score(entry_name(table, *place), value)
        return self._with(**{table: _put(getattr(self, table), place, value)})

    def _place(self, table: str, index: int | tuple[int, ...]) -> tuple[int, ...]:
        S, m = len(self.tags), len(self.tokens)
        sizes = {"emissions": (m, S), "transitions": (S, S), "start": (S,), "end": (S,)}
        if table not in sizes:
            raise refuse("table", f"one of {', '.join(TABLES)}", short(table), "name one of these")
        size = (m - 1, S, S) if table == "transitions" and self.per_step else sizes[table]
        place = index if isinstance(index, tuple) else (index,)
        if len(place) != len(size) or not all(0 <= k < n for k, n in zip(place, size, strict=True)):
            raise refuse(
                table, f"an index below {size}", short(index), "count tags and tokens from 0"
            )
        return place

    def _fill(self, value: Callable[[], float]) -> Self:
        """Every score anew, in the order emissions, transitions, start, end."""

        def anew(table: Any) -> Any:
            return tuple(map(anew, table)) if isinstance(table, tuple) else value()

        return self._with(**{name: anew(getattr(self, name)) for name in TABLES})

    def zeros(self) -> Self:
        """Every score 0: nothing is preferred and nothing is forbidden."""
        return self._fill(lambda: 0.0)

    def random(self, seed: int) -> Self:
        """Every score drawn anew from −3.0, −2.9 … 3.0; the same seed gives the same scores."""
        draw = random.Random(seed)
        return self._fill(lambda: draw.randint(-30, 30) / 10)

    def symmetric(self) -> Self:
        """Each transition the mean of itself and its reverse; −∞ where either is forbidden."""

        def mean(matrix: Matrix) -> Matrix:
            S = range(len(matrix))
            return tuple(tuple((matrix[i][j] + matrix[j][i]) / 2 for j in S) for i in S)

        return self._with(transitions=self._matrices(mean))

    def per_step_form(self) -> Self:
        """A transition matrix of its own for each step, all equal to begin with."""
        m = len(self.tokens)
        return self if self.per_step else self._with(transitions=(self.transitions,) * (m - 1))

    def homogeneous_form(self) -> Self:
        """One transition matrix for all steps (of zeros, if there is no step).

        Raises:
            ProblemError: The steps' matrices differ.
        """
        if not self.per_step:
            return self
        row = (0.0,) * len(self.tags)
        first = self.transitions[0] if self.transitions else (row,) * len(self.tags)
        for t, matrix in enumerate(self.transitions):
            if matrix != first:
                raise refuse(
                    f"transitions[{t}]", "one matrix for all steps", "one unlike transitions[0]",
                    "make them equal first, or keep one for each step",
                )  # fmt: skip
        return self._with(transitions=first)

    # ------------------------------------------------------------------ tags and tokens

    def rename_tag(self, s: int, name: str) -> Self:
        """Give tag s another name."""
        _check_index("tags", s, len(self.tags))
        return self._with(tags=_put(self.tags, (s,), name))

    def rename_token(self, t: int, name: str) -> Self:
        """Give token t another name."""
        _check_index("tokens", t, len(self.tokens))
        return self._with(tokens=_put(self.tokens, (t,), name))

    def add_tag(self, name: str) -> Self:
        """A further tag, last; its scores are 0."""

        def wider(row: Row) -> Row:
            return (*row, 0.0)

        def larger(matrix: Matrix) -> Matrix:
            return (*map(wider, matrix), (0.0,) * (len(self.tags) + 1))

        return self._with(
            tags=(*self.tags, name),
            emissions=tuple(map(wider, self.emissions)),
            transitions=self._matrices(larger),
            start=wider(self.start),
            end=wider(self.end),
        )

    def remove_tag(self, s: int) -> Self:
        """Drop tag s and its scores."""
        _check_index("tags", s, len(self.tags))
        return self.keep_tags([k for k in range(len(self.tags)) if k != s])

    def keep_tags(self, indices: Sequence[int]) -> Self:
        """Only these tags, in this order; the scores of the others are dropped, not added in."""
        for s in indices:
            _check_index("tags", s, len(self.tags))

        def kept(row: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(row[s] for s in indices)

        def smaller(matrix: Matrix) -> Matrix:
            return tuple(map(kept, kept(matrix)))

        return self._with(
            tags=kept(self.tags),
            emissions=tuple(map(kept, self.emissions)),
            transitions=self._matrices(smaller),
            start=kept(self.start),
            end=kept(self.end),
        )

    def add_token(self, name: str, at: int | None = None) -> Self:
        """A further token with emissions 0, last or before token `at`.

        If each step has its own transitions, a matrix of zeros comes with it: it leads into the new
        token, or out of it where that is the first.
        """
        m, row = len(self.tokens), (0.0,) * len(self.tags)
        at = m if at is None else at
        _check_index("at", at, m + 1)
        transitions: Any = self.transitions
        if self.per_step:
            transitions = _insert(transitions, max(at - 1, 0), (row,) * len(row))
        return self._with(
            tokens=_insert(self.tokens, at, name),
            emissions=_insert(self.emissions, at, row),
            transitions=transitions,
        )

    def remove_token(self, t: int) -> Self:
        """Drop token t, its emissions, and (one matrix per step) the matrix that leads into it.

        Of the first token, the one that leads out of it.
        """
        _check_index("tokens", t, len(self.tokens))
        transitions: Any = self.transitions
        return self._with(
            tokens=_drop(self.tokens, t),
            emissions=_drop(self.emissions, t),
            transitions=_drop(transitions, max(t - 1, 0)) if self.per_step else transitions,
        )


def _put(table: Any, place: tuple[int, ...], value: Any) -> Any:
    """A nested tuple with one entry replaced."""
    if not place:
        return value
    k, *rest = place
    return (*table[:k], _put(table[k], tuple(rest), value), *table[k + 1 :])


def _insert(table: tuple[Any, ...], k: int, entry: Any) -> tuple[Any, ...]:
    return (*table[:k], entry, *table[k:])


def _drop(table: tuple[Any, ...], k: int) -> tuple[Any, ...]:
    return (*table[:k], *table[k + 1 :])


def _check_index(field: str, k: int, count: int) -> None:
    if not 0 <= k < count:
        raise refuse(field, f"an index from 0 to {count - 1}", str(k), "count from 0")
