"""What the tables of scores in the browser may ask for, checked; and what that does to a problem.

    batch = read_batch({"client": "a1", "edits": [{"serial": 1, "epoch": 0, "op": "start", …}]})

Anything may come from a browser. A message that does not read is no message; an edit that cannot be
made is a ProblemError whose words stand under the table.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError, parse_score
from pages.shared.ui.client_values import genuine, index, listed, one_of, record, text

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
    if edit.op in COMMANDS:
        raise ProblemError("That is nothing to change in a problem.")
    sizes = {"tag": len(problem.tags), "token": len(problem.tokens)}
    kind = edit.op.rpartition("-")[2]
    if edit.op.startswith(("rename", "remove")) and edit.index[0] >= sizes[kind]:
        raise ProblemError(f"That {kind} is no longer there.")
    if edit.op.startswith("rename"):
        return _rename(problem, kind, edit.index[0], " ".join(edit.text.split()))
    if edit.op.startswith("remove"):
        return _remove(problem, kind, edit.index[0])
    if edit.op.startswith("add"):
        return _add(problem, kind)
    table = "transitions" if edit.op == "step" else edit.op
    if (edit.op == "step") != problem.per_step and table == "transitions":
        raise ProblemError("The transitions have taken another form; type it again.")
    old = problem.score_at(table, edit.index)  # refuses an index that is not there
    what = name_of(problem, table, edit.index)
    new = parse_score(edit.text, what)
    return (problem if new == old else problem.with_score(table, edit.index, new)), what


def name_of(problem: Problem, table: str, index: tuple[int, ...]) -> str:
    """A score in words."""
    tags, tokens = problem.tags, problem.tokens
    if table == "emissions":
        return f"emission of ‘{tokens[index[0]]}’, {tags[index[1]]}"
    if table != "transitions":
        return f"{table} of {tags[index[0]]}"
    into = f" into ‘{tokens[index[0] + 1]}’" if problem.per_step else ""
    return f"transition {tags[index[-2]]} → {tags[index[-1]]}{into}"


def _rename(problem: Problem, kind: str, k: int, name: str) -> tuple[Problem, str]:
    if kind == "tag":
        return problem.rename_tag(k, name), f"name of the tag {problem.tags[k]}"
    return problem.rename_token(k, name), f"token ‘{problem.tokens[k]}’"


def _remove(problem: Problem, kind: str, k: int) -> tuple[Problem, str]:
    names = problem.tags if kind == "tag" else problem.tokens
    if len(names) == 1:
        raise ProblemError(f"A problem has at least one {kind}; rename this one.")
    if kind == "tag":
        return problem.remove_tag(k), f"tag {names[k]} removed"
    return problem.remove_token(k), f"token ‘{names[k]}’ removed"


def _add(problem: Problem, kind: str) -> tuple[Problem, str]:
    names, most = {"tag": (problem.tags, MAX_TAGS), "token": (problem.tokens, MAX_TOKENS)}[kind]
    if len(names) >= most:
        raise ProblemError(f"By hand a problem has at most {most} {kind}s.")
    name = next(n for k in range(len(names), 99) if (n := f"{kind}{k + 1}") not in names)
    name = name.upper() if kind == "tag" and name.upper() not in names else name
    larger = problem.add_tag(name) if kind == "tag" else problem.add_token(name)
    return larger, f"{kind} {name} added"
