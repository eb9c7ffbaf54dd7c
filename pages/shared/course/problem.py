"""A problem: the tags, the tokens and every score of one chain, as plain numbers.

    problem = Problem(("D", "N"), ("the", "man"), emissions, transitions, start, end)
    problem.with_score("emissions", (1, 0), 2.5).chain().log_partition

Scores are log-potentials, −∞ forbids. A problem is never changed; the edits return new ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crf.steps import Trace
from pages.shared.course.numbers import parse_score
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
    checked_names,
    checked_table,
    clean_name,
)
from pages.shared.course.problem_edits import NEG_INF, TABLES, Edits, Matrix, Row, has_steps

if TYPE_CHECKING:
    from crf.chain import LinearChain

__all__ = [
    "EOS",
    "MAX_NAME",
    "MAX_TAGS",
    "MAX_TOKENS",
    "ROOT",
    "TABLES",
    "Problem",
    "ProblemError",
    "clean_name",
    "parse_score",
]


@dataclass(frozen=True)
class Problem(Edits):
    """One chain's names and scores: S tags, m tokens.

    Lists are turned into tuples and whole numbers into floats. By hand, a problem has at most
    `MAX_TAGS` tags and `MAX_TOKENS` tokens (`is_editable`); what is shown may have 20 and 60.

    Raises:
        ProblemError: A name or a score is not acceptable, or a table has another shape.

    Example:
        >>> problem = Problem.blank(["D", "N"], ["the", "man"])
        >>> problem.with_score("start", 0, 1.5).start
        (1.5, 0.0)
    """

    tags: tuple[str, ...]  # S distinct names
    tokens: tuple[str, ...]  # m names
    emissions: Matrix  # [m][S] log-scores
    # [S][S] log-scores from row to column; or [m-1][S][S], where matrix t-1 leads into token t
    transitions: Matrix | tuple[Matrix, ...]
    start: Row  # [S] log-scores of the first tag
    end: Row  # [S] log-scores of the last tag

    def __post_init__(self) -> None:
        tags = checked_names("tags", self.tags, LARGEST_TAGS)
        check_distinct(tags)
        tokens = checked_names("tokens", self.tokens, LARGEST_TOKENS)
        S, m = len(tags), len(tokens)
        matrices = (m - 1, S, S) if has_steps(self.transitions) else (S, S)
        fields = {
            "tags": tags,
            "tokens": tokens,
            "emissions": checked_table("emissions", self.emissions, (m, S)),
            "transitions": checked_table("transitions", self.transitions, matrices),
            "start": checked_table("start", self.start, (S,)),
            "end": checked_table("end", self.end, (S,)),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        tags: Sequence[str],
        tokens: Sequence[str],
        emissions: Any,
        transitions: Any,
        start: Any,
        end: Any,
    ) -> "Problem":
        """The problem of these lists."""
        return cls(tuple(tags), tuple(tokens), emissions, transitions, start, end)

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
        from crf.conventions import ChainScores

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
        import torch

        from crf.chain import LinearChain

        S, m = len(self.tags), len(self.tokens)
        transitions = torch.tensor(self.transitions, dtype=torch.float64)
        return LinearChain(
            torch.tensor([self.emissions], dtype=torch.float64),
            transitions.reshape(1, m - 1, S, S) if self.per_step else transitions,
            torch.tensor(self.start, dtype=torch.float64),
            torch.tensor(self.end, dtype=torch.float64),
            backend=backend,
        )

    def trace(self, algorithm: str = "forward", **how: Any) -> Trace:
        """One recursion step by step, with this problem's names; see `crf.trace.trace`."""
        from crf.trace import trace

        return trace(self.chain(), algorithm=algorithm, tags=self.tags, tokens=self.tokens, **how)

    def folded(self, t: int = 1) -> Matrix:
        """Start and end as a row <ROOT> and a column <EOS> of the transitions.

        Args:
            t: The token that the matrix leads into, if each step has its own.

        Returns:
            [S+2][S+2] log-scores: first <ROOT>, then the tags, then <EOS>. Column <ROOT> and row
            <EOS> are forbidden, and so is going from <ROOT> to <EOS> at once.
        """
        no_step = ((0.0,) * len(self.tags),) * len(self.tags)
        matrix = self.matrix(t) if not self.per_step or self.transitions else no_step
        tags = ((NEG_INF, *row, stop) for row, stop in zip(matrix, self.end, strict=True))
        forbidden = (NEG_INF,) * (len(self.tags) + 2)
        return ((NEG_INF, *self.start, NEG_INF), *tags, forbidden)
