"""The tables of scores, in which every number of a problem is changed where it stands.

The figure in `crf/figures/scores` sends the texts that were typed; they are checked and
understood here, and what cannot be is answered with a message under the tables. They stand on a
page of their own (`score_editor`) or in the stepper.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crf.figures.scores.payload import tables
from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError
from pages.shared.figures.paths import largest_score
from pages.shared.ui import client_values, score_edits, score_tables
from pages.shared.ui.component import component
from pages.shared.ui.score_tables import OnChange
from pages.shared.ui.state import SessionValue

_COMPONENT = component("score_editor", "crf/figures/scores")
Commands = Mapping[str, Callable[[], None]]


@dataclass
class Exchange:
    """What passes between the tables in the browser and a problem."""

    problem: Problem  # as the browser's edits have made it
    epoch: int = 0  # grows when the tables are no longer those that the browser had on screen
    client: str = ""  # whose edits were answered last; another client counts its own from 1
    upto: int = 0  # serial number of its last edit
    # messages by serial number, of the edits that it may not know answered
    refused: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, key: str) -> "Exchange":
        """The session's, for the tables with this key; the problem may have been changed since."""
        kept = _EXCHANGE.at(key).begin(lambda: cls(problem))
        if kept.problem != problem:
            kept.problem, kept.epoch = problem, kept.epoch + 1
        return kept

    def receive(
        self, message: object, on_change: OnChange, commands: Commands | None = None
    ) -> bool:
        """Make the edits of a browser's message that are new; whether there were any."""
        batch = score_edits.read_batch(message)
        if batch is None:
            return False
        if batch.client != self.client:
            self.client, self.upto, self.refused = batch.client, 0, {}
        unanswered = {edit.serial for edit in batch.edits}
        self.refused = {k: text for k, text in self.refused.items() if k in unanswered}
        before = self.upto
        for edit in batch.edits:
            if edit.serial > self.upto:
                self.upto = edit.serial
                self._make(edit, on_change, commands or {})
        return self.upto > before

    def _make(self, edit: score_edits.Edit, on_change: OnChange, commands: Commands) -> None:
        if edit.op in commands:
            return commands[edit.op]()
        if edit.epoch != self.epoch:  # typed into tables that are gone
            return None
        try:
            problem, what = score_edits.apply(self.problem, edit)
        except ProblemError as error:
            self.refused[edit.serial] = str(error)
            return None
        if problem != self.problem:
            self.problem = problem
            self.epoch += edit.op.startswith("remove")
            on_change(problem, what)
        return None

    def moved(self, message: object) -> Problem | None:
        """The problem with a score as it moves, which is drawn and not kept; None: it cannot be."""
        edit = score_edits.read_edit(message)
        if edit is None or edit.epoch != self.epoch:
            return None
        try:
            return score_edits.apply(self.problem, edit)[0]
        except ProblemError:
            return None

    def data(
        self, key: str, pinned: Problem | None = None, moved: Problem | None = None
    ) -> dict[str, Any]:
        """What the tables draw, and what has been answered."""
        return editor_data(moved or self.problem, pinned) | {
            "source": key,
            "serial": time.monotonic(),
            "epoch": self.epoch,
            "answers": {
                "client": self.client,
                "upto": self.upto,
                "refused": {str(serial): text for serial, text in self.refused.items()},
            },
        }


_EXCHANGE = SessionValue[Exchange | None]("{}·exchange", None, kind=Exchange)


def score_editor(problem: Problem, *, key: str, on_change: OnChange) -> None:
    """Show all tables of a problem, to be edited in place."""
    if not problem.is_editable:
        score_tables.too_large(problem, key, on_change)
        return
    exchange = Exchange.of(problem, key)

    def edited() -> None:
        exchange.receive(client_values.state(key, "edits"), on_change)

    _COMPONENT(key=key, data=exchange.data(key), on_edits_change=edited)
    score_tables.whole_tables(problem, key, on_change)


def editor_data(problem: Problem, pinned: Problem | None = None) -> dict[str, Any]:
    """What the tables draw of a problem, and what is other than in `pinned`."""
    is_full = {"tag": len(problem.tags) >= MAX_TAGS, "token": len(problem.tokens) >= MAX_TOKENS}
    full = [kind for kind, full in is_full.items() if full]
    largest, fixed = largest_score(problem), not problem.is_editable
    return tables(problem, pinned, largest=largest, fixed=fixed, full=full)
