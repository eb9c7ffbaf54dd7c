"""The tags that the reader has set by hand for one sentence, and the way back."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pages.shared.ui.state import SessionValue

Subject = tuple[tuple[str, ...], tuple[str, ...]]  # tags, tokens


@dataclass
class ByHand:
    """The tags set by hand for one sentence, and the way back."""

    subject: Subject  # that the tags belong to
    fixed: tuple[int, ...]  # [L] tag indices, −1 where free
    # earlier values of `fixed`, latest last
    history: list[tuple[int, ...]] = field(default_factory=list)

    def choose(self, token: int, tag: int) -> None:
        """Set one token's tag (−1: let the model choose)."""
        self._change((*self.fixed[:token], tag, *self.fixed[token + 1 :]))

    def hold(self, token: int, tag: int) -> None:
        """Hold one token at a tag; if it is held there, let it go."""
        self.choose(token, -1 if self.fixed[token] == tag else tag)

    def clear(self) -> None:
        """Let the model choose every tag."""
        self._change((-1,) * len(self.fixed))

    def undo(self) -> None:
        """Go back to what was before the last change."""
        if self.history:
            self.fixed = self.history.pop()

    def in_order(self) -> list[int]:
        """The tokens whose tag is set, the longest set first."""
        past = self.history[::-1]

        def age(t: int) -> int:
            changed = (k for k, was in enumerate(past) if was[t] != self.fixed[t])
            return next(changed, len(past))

        return sorted((t for t, tag in enumerate(self.fixed) if tag >= 0), key=age, reverse=True)

    def _change(self, fixed: tuple[int, ...]) -> None:
        if fixed != self.fixed:
            self.history.append(self.fixed)
            self.fixed = fixed


BY_HAND = SessionValue[ByHand | None]("by_hand", None, kind=ByHand)


def current(subject: Subject, asked: Callable[..., dict[int, int]]) -> ByHand:
    """The tags set by hand for these tags and tokens; none for others.

    At the start of a session it has what the address sets: `asked(tags, tokens)`, by token.
    """
    hand = BY_HAND.value
    if hand is None or hand.subject != subject:
        given = {} if hand else asked(*subject)
        hand = ByHand(subject, tuple(given.get(t, -1) for t in range(len(subject[1]))))
        BY_HAND.set(hand)
    return hand
