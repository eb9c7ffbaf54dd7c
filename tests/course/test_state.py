"""States in addresses: what is written is read again, and what is forged gives the default."""

import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.state import FEW_EDITS, Base, Given, changed, read, write

BOAT = EXAMPLES["old-man"].problem
ODD = Problem.blank(["a:b", "c_d", "*e", "f~g"], ["x", "y"]).with_score("emissions", (1, 2), 1.5)


def give(base: Base) -> Given:
    """The scores of these tests: the boat, or a table."""
    if base.example not in ("", "old-man"):
        raise ProblemError(f"no example {base.example}.")
    return Given(base.table or BOAT, "hand")


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"ex": "old-man"},
        {"sentence": "They fish.", "tagger": "local", "spaces": "1"},
        {"lambda": ".4", "tau": "0"},
        {"fix": "2.3~4.0", "step": "12"},
        {"edit": "e:1:NOUN_2.5~t:DET:NOUN_-.25~s:VERB_x~z:ADJ_0"},
        {"t": "a:b~c_d~*0e~f*1g", "w": "x~y", "e": "0_0_0_0~0_0_1.5_0", "edit": "t:a*2b:c*3d_7"},
        {"t": "a:b~c_d~*0e~f*1g", "w": "x~y", "edit": "t:*0e:f*1g_x"},
        {"t": "A~B", "w": "x~y~z", "p": "1_2~3_4~5_6~7_8", "edit": "t:1:A:B_.5"},
    ],
)
def test_what_is_read_is_written_again(query):
    state, fault = read(query, give)
    assert fault == ""
    assert write(state) == query
    assert read(write(state), give)[0] == state


def test_an_edit_changes_one_score():
    state, _ = read({"edit": "t:DET:NOUN_2.5~e:1:NOUN_x"}, give)
    det, noun = BOAT.tags.index("DET"), BOAT.tags.index("NOUN")
    changed = BOAT.with_score("transitions", (det, noun), 2.5)
    assert state.problem == changed.with_score("emissions", (1, noun), -math.inf)


def test_parameters_of_earlier_versions_are_ignored_without_a_message():
    query = {"hide": "values~terms", "size": "1.6", "screen": "1", "guess": "1", "told": "1"}
    assert read(query, give) == read({}, give)


FORGED = {
    "ex": ["nope", "<script>alert(1)</script>", "x" * 5000],
    "lambda": ["nan", "inf", "-1", "1.1", "1e9", "½", "０", ".", "0x1", "1" * 400],
    "tau": ["-0.5", "2", "--", "1_0"],
    "step": ["-1", "1.5", "9" * 40, "٣", "step"],
    "spaces": ["2", "yes"],
    "fix": ["99.0", "0.99", "0", "0.0~", "a.b", "-1.0", "0.0~0.0~x", "0.0.0"],
    "edit": [
        "t:DET_1", "e:99:NOUN_1", "e:1:NONE_1", "t:DET:NOUN_nan", "t:DET:NOUN_1e9",
        "t:DET:NOUN_9999999", "q:DET_1", "t:DET:NOUN_", "~", "e:-1:NOUN_1", "s:*9_1",
        "~".join(["s:DET_1"] * 5000),
    ],
    "t": ["", "A", "A~A", "A~*7"],
    "e": ["1_2~3", "x_x"],
}  # fmt: skip
ROWS = [(key, text) for key, texts in FORGED.items() for text in texts if text]


def test_there_are_forty_forged_states():
    assert len(ROWS) >= 40


@pytest.mark.parametrize(("key", "text"), ROWS, ids=[f"{k}={t[:12]}" for k, t in ROWS])
def test_a_forged_part_gives_the_default_and_one_sentence(key, text):
    state, fault = read({key: text}, give)
    assert state == read({}, give)[0]
    assert fault.endswith(".")
    assert fault.count("\n") == 0
    assert len(fault) < 300


def test_the_other_parts_are_kept():
    state, fault = read({"lambda": "nan", "tau": ".5"}, give)
    assert fault
    assert state.tau == 0.5


@pytest.mark.parametrize(
    ("query", "change"),
    [
        ({"ex": "old-man", "step": "7"}, lambda p: p.with_score("end", 2, -math.inf)),
        ({"ex": "old-man", "edit": "s:VERB_x"}, lambda p: p.zeros()),
        ({"ex": "old-man", "fix": "4.3", "path": "0~0~0~0~0"}, lambda p: p.remove_token(4)),
        ({"ex": "old-man"}, lambda p: p.add_tag("X:1")),
        ({"ex": "old-man"}, lambda p: p.per_step_form().with_score("transitions", (1, 0, 2), 3.0)),
        ({"ex": "old-man", "edit": "s:VERB_x"}, lambda p: BOAT),
    ],
)
def test_changed_scores_are_the_ones_that_the_address_then_has(query, change):
    before = read(query, give)[0]
    after = change(before.problem)
    parts = changed(before, after)
    state, fault = read({**write(before), **parts}, give)
    assert fault == ""
    assert state.problem == after
    differs = len(parts.get("edit", "").split("~"))
    assert differs <= FEW_EDITS


def test_scores_that_no_link_can_carry_stay_edits_or_are_refused():
    tags, tokens = [f"T{k}" for k in range(12)], [f"{k}".zfill(60) for k in range(20)]
    base = Problem.blank(tags, tokens)

    def large(given: Base) -> Given:
        return Given(given.table or base, "hand")

    before = read({}, large)[0]
    after = base.random(1)
    parts = changed(before, after)
    assert parts.keys() == {"edit", "bet"}
    state, fault = read(parts, large)
    assert fault == ""
    assert state.problem.emissions[3] == pytest.approx(after.emissions[3], abs=1e-5)
    with pytest.raises(ProblemError, match="characters"):
        changed(before, after.rename_tag(0, "Z"))
