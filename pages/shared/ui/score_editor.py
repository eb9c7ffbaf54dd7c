"""Tables of scores in which a reader edits every number of a problem in place.

The figure in `crf/figures/scores` sends the texts that were typed; they are checked and
understood here, and what cannot be is answered with a message under the tables. Anything may come
from a browser: a message that does not read is no message; an edit that cannot be made is a
ProblemError.
"""

import time
from dataclasses import dataclass, field
from typing import Any

from crf.figures.scores.payload import tables
from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError, parse_score
from pages.shared.ui import client_values, score_tables
from pages.shared.ui.client_values import ForgedError, genuine, index, listed, one_of, record, text
from pages.shared.ui.component import component
from pages.shared.ui.score_tables import OnChange
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

_COMPONENT = component("score_editor", "crf/figures/scores")
MOST_EDITS = 200  # in one message
_LONGEST = 200  # characters of a text
OPS = {
    "emissions": 2, "transitions": 2, "step": 3, "start": 1, "end": 1, "rename-tag": 1,
    "rename-token": 1, "remove-tag": 1, "remove-token": 1, "add-tag": 0, "add-token": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """One edit."""

    serial: int  # grows from edit to edit
    epoch: int  # which tables the browser had on screen
    op: str  # one of `OPS`, whose value is the number of indices
    # where: emissions (token, tag), transitions (from, to), step (step, from, to), a tag or a token
    index: tuple[int, ...]
    text: str  # what was typed


_SERIAL = index(2**53)
_FIELDS = record(
    serial=_SERIAL,
    epoch=_SERIAL,
    op=one_of(OPS),
    index=listed(_SERIAL, max(OPS.values())),
    text=text(_LONGEST),
)


def check_edit(value: object) -> Edit:
    """Check a browser's message and return its edit."""
    fields = _FIELDS(value)
    if len(fields["index"]) != OPS[fields["op"]]:
        raise ForgedError("expected an index of the table")
    fields["index"] = tuple(fields["index"])
    return Edit(**fields)


# the edits that a browser has made and not yet seen answered, oldest first
_BATCH = record(client=text(_LONGEST), edits=listed(check_edit, MOST_EDITS))


@dataclass
class Exchange:
    """The messages between the tables in the browser and a problem."""

    problem: Problem  # as the browser's edits have made it
    epoch: int = 0  # grows when the tables are no longer those that the browser had on screen
    client: str = ""  # whose edits were answered last; another client counts its own from 1
    upto: int = 0  # serial number of its last edit
    # messages by serial number, of the edits that it may not know answered
    refused: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, key: str) -> "Exchange":
        """The session's exchange for the tables with this key, with the current problem."""
        exchange = _EXCHANGE.at(key).begin(lambda: cls(problem))
        if exchange.problem != problem:
            exchange.problem, exchange.epoch = problem, exchange.epoch + 1
        return exchange

    def receive(self, message: object, on_change: OnChange) -> bool:
        """Apply the new edits in a browser's message; return whether there were any."""
        batch = genuine(message, _BATCH)
        if batch is None:
            return False
        if batch["client"] != self.client:
            self.client, self.upto, self.refused = batch["client"], 0, {}
        unanswered = {edit.serial for edit in batch["edits"]}
        self.refused = {k: text for k, text in self.refused.items() if k in unanswered}
        before = self.upto
        for edit in batch["edits"]:
            if edit.serial > self.upto:
                self.upto = edit.serial
                self._make(edit, on_change)
        return self.upto > before

    def _make(self, edit: Edit, on_change: OnChange) -> None:
        if edit.epoch == self.epoch:  # else typed into tables that are gone
            try:
                problem, what = apply(self.problem, edit)
            except ProblemError as error:
                self.refused[edit.serial] = str(error)
                return
            if problem != self.problem:
                self.problem = problem
                self.epoch += edit.op.startswith("remove")
                on_change(problem, what)

    def data(self, key: str) -> dict[str, Any]:
        """The data that the tables draw, and which edits were answered."""
        return editor_data(self.problem) | {
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


def editor_data(problem: Problem) -> dict[str, Any]:
    """The data from which the tables draw a problem."""
    is_full = {"tag": len(problem.tags) >= MAX_TAGS, "token": len(problem.tokens) >= MAX_TOKENS}
    full = [kind for kind, full in is_full.items() if full]
    return tables(problem, fixed=not problem.is_editable, full=full)


# ---------------------------------------------------------------------- what an edit does


def apply(problem: Problem, edit: Edit) -> tuple[Problem, str]:
    """The new problem, and what was changed: "emission of ‘man’, NOUN"; or a ProblemError."""
    op, _, kind = edit.op.partition("-")
    if kind:
        return _on_names(problem, op, kind, edit)
    table = "transitions" if op == "step" else op
    if (op == "step") != problem.per_step and table == "transitions":
        raise ProblemError(say("edit.other-form"))
    old = problem.score_at(table, edit.index)  # refuses an index that is not there
    what = name_of(problem, table, edit.index)
    new = parse_score(edit.text, what)
    return (problem if new == old else problem.with_score(table, edit.index, new)), what


def name_of(problem: Problem, table: str, index: tuple[int, ...]) -> str:
    """A score in words."""
    tags, tokens = problem.tags, problem.tokens
    if table == "emissions":
        return say("change.emission", token=tokens[index[0]], tag=tags[index[1]])
    if table != "transitions":
        return say(f"change.{table}", tag=tags[index[0]])
    names = {"old": tags[index[-2]], "new": tags[index[-1]]}
    if problem.per_step:
        return say("change.step", **names, token=tokens[index[0] + 1])
    return say("change.transition", **names)


def _on_names(problem: Problem, op: str, kind: str, edit: Edit) -> tuple[Problem, str]:
    """Add, rename or remove a tag or a token."""
    names, most = {"tag": (problem.tags, MAX_TAGS), "token": (problem.tokens, MAX_TOKENS)}[kind]
    if op == "add":
        if len(names) >= most:
            raise ProblemError(say(f"edit.most-{kind}s", most=most))
        name = next(n for k in range(len(names), 99) if (n := f"{kind}{k + 1}") not in names)
        name = name.upper() if kind == "tag" and name.upper() not in names else name
    elif edit.index[0] >= len(names):
        raise ProblemError(say(f"edit.gone-{kind}"))
    elif op == "remove" and len(names) == 1:
        raise ProblemError(say(f"edit.last-{kind}"))
    else:
        name = names[edit.index[0]]
    arguments = {
        "add": (name,),
        "remove": edit.index,
        "rename": (*edit.index, " ".join(edit.text.split())),
    }[op]
    changed = getattr(problem, f"{op}_{kind}")(*arguments)
    return changed, say(f"change.{op}-{kind}", name=name)
