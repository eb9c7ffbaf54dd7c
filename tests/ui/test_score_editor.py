"""The score editor: what it sends, what it understands, and what it ignores."""

import math

import pytest

from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError
from pages.shared.ui import score_editor, score_edits, score_tables

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


class TestData:
    def test_every_score_at_its_place(self):
        data = score_editor.editor_data(PROBLEM)
        assert [cell[0] for cell in data["emissions"][0]] == ["5", "−3"]
        assert data["transitions"][0]["cells"][1][0] == ["−∞", "−∞", None]
        assert [cell[0] for cell in data["start"]] == ["0", "−1"]
        assert [cell[0] for cell in data["end"]] == ["0.5", "0"]

    def test_a_long_number_is_shortened_and_kept(self):
        shown, full, *_ = score_editor.editor_data(PROBLEM)["emissions"][1][1]
        assert shown == "−0.92"
        assert float(full.replace("−", "-")) == math.log(0.4)
        assert score_editor.editor_data(PROBLEM)["emissions"][1][0][0] == "−0.125"

    def test_colours_are_signed_and_symmetric(self):
        data = score_editor.editor_data(PROBLEM.with_score("end", 1, -5))
        positive, negative = data["emissions"][0][0][2], data["end"][1][2]
        assert positive.replace("213,94,0", "") == negative.replace("0,114,178", "")
        assert positive.startswith("rgba(213,94,0")

    def test_steps(self):
        data = score_editor.editor_data(PROBLEM.per_step_form())
        assert data["perStep"]
        assert [step["name"] for step in data["transitions"]] == ["1: the → man"]

    def test_full_tables(self):
        tags = [f"T{s}" for s in range(MAX_TAGS)]
        assert score_editor.editor_data(Problem.blank(tags, ["x"]))["full"] == ["tag"]


class TestEdits:
    @pytest.mark.parametrize(
        ("op", "index", "table", "place"),
        [
            ("emissions", [1, 0], "emissions", (1, 0)),
            ("transitions", [0, 1], "transitions", (0, 1)),
            ("start", [1], "start", (1,)),
            ("end", [0], "end", (0,)),
        ],
    )
    def test_a_score(self, op, index, table, place):
        session = Session().receive(batch(edit(1, op, index, "2/3")))
        assert session.memory.problem == PROBLEM.with_score(table, place, 2 / 3)
        assert session.reported[0][0] is session.memory.problem

    @pytest.mark.parametrize(
        ("text", "value"), [("-inf", -math.inf), ("−∞", -math.inf), ("log .4", math.log(0.4))]
    )
    def test_how_numbers_may_be_typed(self, text, value):
        session = Session().receive(batch(edit(1, "emissions", [0, 0], text)))
        assert session.memory.problem.emissions[0][0] == value

    def test_in_words(self):
        session = Session().receive(
            batch(edit(1, "emissions", [1, 1], "9"), edit(2, "transitions", [0, 1], "9"))
        )
        assert session.words == ["emission of ‘man’, N", "transition D → N"]

    def test_a_step_of_its_own(self):
        session = Session(PROBLEM.per_step_form())
        session.receive(batch(edit(1, "step", [0, 1, 1], "7")))
        assert session.memory.problem.transitions[0][1][1] == 7
        assert session.words == ["transition N → N into ‘man’"]
        session.receive(batch(edit(2, "transitions", [0, 0], "7")))
        assert session.memory.refused.keys() == {2}

    def test_names_tags_and_tokens(self):
        session = Session().receive(
            batch(
                edit(1, "add-tag", []),
                edit(2, "rename-tag", [2], "  V  "),
                edit(3, "add-token", []),
                edit(4, "rename-token", [2], "old   boat"),
                edit(5, "remove-tag", [0]),
            )
        )
        assert session.memory.problem.tags == ("N", "V")
        assert session.memory.problem.tokens == ("the", "man", "old boat")
        assert session.memory.refused == {}

    def test_an_added_name_is_new(self):
        problem = PROBLEM.rename_tag(0, "TAG3").rename_token(0, "token3")
        for op, names in (("add-tag", "tags"), ("add-token", "tokens")):
            larger, _ = score_edits.apply(problem, score_edits.Edit(1, 0, op, (), ""))
            assert len(set(getattr(larger, names))) == 3

    def test_limits(self):
        tags, tokens = map(str, range(MAX_TAGS)), map(str, range(MAX_TOKENS))
        largest = Problem.blank(list(tags), list(tokens))
        for op, most in (("add-tag", MAX_TAGS), ("add-token", MAX_TOKENS)):
            with pytest.raises(ProblemError, match=str(most)):
                score_edits.apply(largest, score_edits.Edit(1, 0, op, (), ""))
        smallest = Problem.blank(["A"], ["x"])
        for op in ("remove-tag", "remove-token"):
            with pytest.raises(ProblemError, match="at least one"):
                score_edits.apply(smallest, score_edits.Edit(1, 0, op, (0,), ""))


class TestMemory:
    def test_an_edit_sent_twice_is_made_once(self):
        first, second = edit(1, "start", [0], "1"), edit(2, "start", [1], "2")
        session = Session().receive(batch(first)).receive(batch(first, second))
        assert session.memory.problem.start == (1, 2)
        assert session.words == ["start of D", "start of N"]
        assert session.memory.upto == 2

    def test_an_old_edit_does_not_come_back(self):
        edits = [edit(1, "start", [0], "1"), edit(2, "start", [0], "2")]
        session = Session().receive(batch(*edits))
        session.receive(batch(*edits, edit(3, "end", [0], "3")))
        assert [problem.start[0] for problem, _ in session.reported] == [1, 2, 2]

    def test_a_refusal_changes_nothing_and_is_remembered_until_it_is_known(self):
        session = Session().receive(batch(edit(1, "start", [0], "much")))
        assert session.reported == []
        assert "start of D: expected a number" in session.memory.refused[1]
        session.receive(batch(edit(1, "start", [0], "much"), edit(2, "start", [1], "2")))
        assert session.memory.refused.keys() == {1}
        session.receive(batch(edit(3, "start", [1], "3")))
        assert session.memory.refused == {}

    def test_what_was_typed_into_other_tables_is_dropped(self):
        session = Session().receive(batch(edit(1, "start", [0], "1", epoch=3)))
        assert session.reported == []
        assert session.memory.upto == 1

    def test_removal_makes_other_tables(self):
        session = Session().receive(
            batch(edit(1, "remove-token", [0]), edit(2, "emissions", [0, 0], "9"))
        )
        assert session.memory.epoch == 1
        assert session.memory.problem == PROBLEM.remove_token(0)

    def test_a_score_that_moves_is_drawn_and_not_kept(self):
        memory = score_editor.Exchange(PROBLEM)
        moved = memory.moved(edit(0, "start", [0], "1.5") | {"at": 3})
        assert (moved, memory.problem) == (PROBLEM.with_score("start", 0, 1.5), PROBLEM)
        assert memory.data("key", PROBLEM, moved)["start"][0][3] == "0"

    @pytest.mark.parametrize(
        "message",
        [
            edit(0, "start", [0], "much"),
            edit(0, "start", [0, 0], "1"),
            edit(0, "start", [9], "1"),
            edit(0, "start", [0], "1", epoch=1),
            edit(0, "undo", []),
            {"op": "start"},
            7,
        ],
    )
    def test_what_cannot_be_drawn_is_not(self, message):
        assert score_editor.Exchange(PROBLEM).moved(message) is None

    def test_commands_are_the_pages(self):
        done = []
        memory = score_editor.Exchange(PROBLEM)
        commands = {"undo": lambda: done.append("undo")}
        assert memory.receive(batch(edit(1, "undo", [])), lambda *_: None, commands)
        assert not memory.receive(batch(edit(1, "undo", [])), lambda *_: None, commands)
        assert done == ["undo"]
        Session().receive(batch(edit(1, "pin", [])))  # where there is no such command

    def test_a_new_client_counts_anew(self):
        session = Session().receive(batch(edit(9, "start", [0], "1"), client="a"))
        session.receive(batch(edit(1, "start", [0], "2"), client="b"))
        assert session.memory.problem.start[0] == 2


HOSTILE = [
    None,
    7,
    "edits",
    {},
    {"client": "x"},
    {"edits": []},
    {"client": 3, "edits": []},
    {"client": "x" * 1000, "edits": []},
    {"client": "x", "edits": {}},
    batch(None),
    batch({}),
    batch(edit(1, "score", [0, 0], "1")),
    batch(edit(1, ["start"], [0], "1")),
    batch(edit(1, "start", 0, "1")),
    batch(edit(1, "start", [], "1")),
    batch(edit(1, "start", [0, 0], "1")),
    batch(edit(1, "start", [True], "1")),
    batch(edit(1, "start", [-1], "1")),
    batch(edit(1, "start", [0.0], "1")),
    batch(edit(1, "start", [10**30], "1")),
    batch(edit(True, "start", [0], "1")),
    batch(edit("1", "start", [0], "1")),
    batch(edit(1, "start", [0], 1)),
    batch(edit(1, "start", [0], "1" * 1000)),
    batch(edit(1, "start", [0], "1", epoch=None)),
]


@pytest.mark.parametrize("message", HOSTILE, ids=range(len(HOSTILE)))
def test_a_forged_message_changes_nothing(message):
    session = Session().receive(message)
    assert session.reported == []
    assert session.memory == score_editor.Exchange(PROBLEM) or session.memory.client == "x"
    assert session.memory.upto == 0


@pytest.mark.parametrize(
    ("op", "index"),
    [("start", [2]), ("emissions", [2, 0]), ("rename-tag", [2]), ("remove-tag", [9])],
)
def test_an_index_that_is_not_there_is_refused(op, index):
    session = Session().receive(batch(edit(1, op, index, "1")))
    assert session.reported == []
    assert session.memory.refused.keys() == {1}


def test_made_small_enough():
    tags = [f"T{s}" for s in range(17)]
    problem = Problem.blank(tags, ["x"] * 25)
    for s in (3, 16):
        problem = problem.with_score("emissions", (0, s), 9.0)
    small = score_tables.smaller(problem)
    assert small.is_editable
    assert (len(small.tags), len(small.tokens)) == (MAX_TAGS, MAX_TOKENS)
    assert {"T3", "T16"} <= set(small.tags)
