"""The score editor: what it sends, what it understands, and what it ignores."""

import math

import pytest

from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError
from pages.shared.ui import score_editor, score_tables

PROBLEM = Problem(
    ("D", "N"),
    ("the", "man"),
    ((5, -3), (-0.125, math.log(0.4))),
    ((0, 1), (-math.inf, 2)),
    (0, -1),
    (0.5, 0),
)


def edit(serial, op, index, text="", epoch=0):
    return {"serial": serial, "epoch": epoch, "op": op, "index": index, "text": text}


def batch(*edits, client="browser"):
    return {"client": client, "edits": list(edits)}


class Session:
    """An exchange, with the problems and words that it reported."""

    def __init__(self, problem=PROBLEM):
        self.memory = score_editor.Exchange(problem)
        self.reported = []

    def receive(self, message):
        self.memory.receive(message, lambda problem, what: self.reported.append((problem, what)))
        return self

    @property
    def words(self):
        return [what for _, what in self.reported]


def applied(problem, op, *index):
    return score_editor.apply(problem, score_editor.Edit(1, 0, op, index, ""))[0]


def test_every_score_is_at_its_place_and_exact():
    data = score_editor.editor_data(PROBLEM.with_score("end", 1, -5))
    assert [cell[0] for cell in data["emissions"][0]] == ["5", "−3"]
    assert data["transitions"][0]["cells"][1][0] == ["−∞", "−∞", None]
    assert [cell[0] for cell in data["start"]] == ["0", "−1"]
    assert [cell[0] for cell in data["end"]] == ["0.5", "−5"]
    shown, full, *_ = data["emissions"][1][1]
    assert (shown, float(full.replace("−", "-"))) == ("−0.92", math.log(0.4))
    assert data["emissions"][1][0][0] == "−0.125"
    positive, negative = data["emissions"][0][0][2], data["end"][1][2]  # signed and symmetric
    assert positive.replace("213,94,0", "") == negative.replace("0,114,178", "")
    data = score_editor.editor_data(PROBLEM.per_step_form())
    assert data["perStep"]
    assert [step["name"] for step in data["transitions"]] == ["1: the → man"]
    tags = [f"T{s}" for s in range(MAX_TAGS)]
    assert score_editor.editor_data(Problem.blank(tags, ["x"]))["full"] == ["tag"]


@pytest.mark.parametrize(
    ("op", "index", "table", "words"),
    [
        ("emissions", (1, 0), "emissions", "emission of ‘man’, D"),
        ("transitions", (0, 1), "transitions", "transition D → N"),
        ("start", (1,), "start", "start of N"),
        ("end", (0,), "end", "end of D"),
        ("step", (0, 1, 1), "transitions", "transition N → N into ‘man’"),
    ],
)
def test_a_score(op, index, table, words):
    problem = (PROBLEM.per_step_form() if op == "step" else PROBLEM).with_score(table, index, 9)
    for text, value in (("-inf", -math.inf), ("−∞", -math.inf), ("log .4", math.log(0.4))):
        session = Session(problem).receive(batch(edit(1, op, list(index), text)))
        assert session.memory.problem == problem.with_score(table, index, value)
        assert session.reported == [(session.memory.problem, words)]


def test_names_tags_and_tokens():
    renamed, named = edit(2, "rename-tag", [2], "  V  "), edit(4, "rename-token", [2], "old   boat")
    added, more = edit(1, "add-tag", []), edit(3, "add-token", [])
    session = Session().receive(batch(added, renamed, more, named, edit(5, "remove-tag", [0])))
    assert session.memory.problem.tags == ("N", "V")
    assert session.memory.problem.tokens == ("the", "man", "old boat")
    assert session.memory.refused == {}
    assert session.words[0::2] == ["tag TAG3 added", "token token3 added", "tag D removed"]
    problem = PROBLEM.rename_tag(0, "TAG3").rename_token(0, "token3")  # an added name is new
    assert len({*applied(problem, "add-tag").tags}) == 3
    assert len({*applied(problem, "add-token").tokens}) == 3
    tags, tokens = map(str, range(MAX_TAGS)), map(str, range(MAX_TOKENS))
    largest, smallest = Problem.blank(list(tags), list(tokens)), Problem.blank(["A"], ["x"])
    for kind, most in (("tag", MAX_TAGS), ("token", MAX_TOKENS)):
        with pytest.raises(ProblemError, match=str(most)):
            applied(largest, f"add-{kind}")
        with pytest.raises(ProblemError, match="needs at least one"):
            applied(smallest, f"remove-{kind}", 0)


def test_an_edit_sent_twice_is_made_once():
    first, second = edit(1, "start", [0], "1"), edit(2, "start", [1], "2")
    session = Session().receive(batch(first)).receive(batch(first, second))
    assert session.memory.problem.start == (1, 2)
    assert session.words == ["start of D", "start of N"]
    assert session.memory.upto == 2
    session.receive(batch(edit(1, "start", [0], "3"), client="another"))  # which counts from 1
    assert session.memory.problem.start == (3, 2)


def test_a_refusal_changes_nothing_and_is_remembered_until_it_is_known():
    session = Session().receive(batch(edit(1, "start", [0], "much")))
    assert session.reported == []
    assert "start of D: expected a number" in session.memory.refused[1]
    session.receive(batch(edit(1, "start", [0], "much"), edit(2, "start", [1], "2")))
    assert session.memory.refused.keys() == {1}
    session.receive(batch(edit(3, "start", [1], "3")))
    assert session.memory.refused == {}


def test_what_was_typed_into_other_tables_is_dropped():
    session = Session().receive(batch(edit(1, "start", [0], "1", epoch=3)))
    assert session.reported == []
    assert session.memory.upto == 1
    session.receive(batch(edit(2, "remove-token", [0]), edit(3, "emissions", [0, 0], "9")))
    assert session.memory.epoch == 1
    assert session.memory.problem == PROBLEM.remove_token(0)


def test_what_is_not_there_is_refused():
    for op, index in (
        ("start", [2]),
        ("emissions", [2, 0]),
        ("rename-tag", [2]),
        ("remove-tag", [9]),
        ("step", [0, 0, 0]),
    ):
        session = Session().receive(batch(edit(1, op, index, "1")))
        assert session.reported == []
        assert session.memory.refused.keys() == {1}


INDICES = (0, [], [0, 0], [True], [-1], [0.0], [10**30])
HOSTILE = [
    *(None, 7, "edits", {}, {"client": "x"}, {"edits": []}, batch(None), batch({})),
    *({"client": client, "edits": []} for client in (3, "x" * 1000)),
    {"client": "x", "edits": {}},
    *(batch(edit(1, op, [0, 0], "1")) for op in ("score", ["start"])),
    *(batch(edit(1, "start", index, "1")) for index in INDICES),
    *(batch(edit(serial, "start", [0], "1")) for serial in (True, "1")),
    *(batch(edit(1, "start", [0], text)) for text in (1, "1" * 1000)),
    batch(edit(1, "start", [0], "1", epoch=None)),
]


@pytest.mark.parametrize("message", HOSTILE, ids=range(len(HOSTILE)))
def test_a_forged_message_changes_nothing(message):
    session = Session().receive(message)
    assert session.reported == []
    assert session.memory == score_editor.Exchange(PROBLEM) or session.memory.client == "x"
    assert session.memory.upto == 0


def test_made_small_enough():
    tags = [f"T{s}" for s in range(17)]
    problem = Problem.blank(tags, ["x"] * 25)
    for s in (3, 16):
        problem = problem.with_score("emissions", (0, s), 9.0)
    small = score_tables.smaller(problem)
    assert small.is_editable
    assert (len(small.tags), len(small.tokens)) == (MAX_TAGS, MAX_TOKENS)
    assert {"T3", "T16"} <= set(small.tags)
