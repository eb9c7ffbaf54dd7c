"""What the tables of scores in the browser may ask for, checked; and what that does to a problem.

    batch = read_batch({"client": "a1", "edits": [{"serial": 1, "epoch": 0, "op": "start", …}]})

Anything may come from a browser. A message that does not read is no message; an edit that cannot be
made is a ProblemError whose words stand under the table.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError, parse_score
from pages.shared.ui.client_values import genuine, index, listed, one_of, record, text
from pages.shared.ui.words import say

MOST_EDITS = 200  # in one message
_LONGEST = 200  # characters of a text
OPS = {
    "emissions": 2, "transitions": 2, "step": 3, "start": 1, "end": 1, "rename-tag": 1,
    "rename-token": 1, "remove-tag": 1, "remove-token": 1, "add-tag": 0, "add-token": 0,
    "undo": 0, "redo": 0, "pin": 0, "unpin": 0,
}  # fmt: skip
COMMANDS = ("undo", "redo", "pin", "unpin")  # for the page, not for the problem


@dataclass(frozen=True)
class Edit:
    """One edit."""

    serial: int  # grows from edit to edit
    epoch: int  # which tables the browser had on screen
    op: str  # one of `OPS`, whose value is the number of indices
    # where: emissions (token, tag), transitions (from, to), step (step, from, to), a tag or a token
    index: tuple[int, ...]
    text: str  # what was typed


class EditBatch(NamedTuple):
    """The edits that a browser has made and not yet seen answered, oldest first."""

    client: str
    edits: tuple[Edit, ...]


_SERIAL = index(2**53)
_EDIT = record(
    serial=_SERIAL,
    epoch=_SERIAL,
    op=one_of(OPS),
    index=listed(_SERIAL, max(OPS.values())),
    text=text(_LONGEST),
)
_BATCH = record(client=text(_LONGEST), edits=listed(_EDIT, MOST_EDITS))


def read_batch(value: object) -> EditBatch | None:
    """The message, or None if it is not one."""
    found = genuine(value, _BATCH)
    if found is None:
        return None
    edits = [_edit(one) for one in found["edits"]]
    return None if None in edits else EditBatch(found["client"], tuple(filter(None, edits)))


def read_edit(value: object) -> Edit | None:
    """One edit, or None if it is not one."""
    found = genuine(value, _EDIT)
    return None if found is None else _edit(found)


def _edit(found: dict[str, Any]) -> Edit | None:
    if len(found["index"]) != OPS[found["op"]]:
        return None
    whole: dict[str, Any] = found | {"index": tuple(found["index"])}
    return Edit(**whole)


def apply(problem: Problem, edit: Edit) -> tuple[Problem, str]:
    """Make one edit.

    Returns:
        The new problem, and what was changed in words: "emission of ‘man’, NOUN".

    Raises:
        ProblemError: It cannot be made; the message says why.
    """
    op, _, kind = edit.op.partition("-")
    if op in COMMANDS:
        raise ProblemError(say("edit.no-change"))
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
