"""What the trellis draws is what the core and an independent oracle say."""

import math
from dataclasses import replace

import pytest

from pages.shared.figures.beat import beat_with, step_of
from pages.shared.ui.stage.view import state_of
from pages.trellis import column as filling
from pages.trellis import meeting, picture
from pages.trellis.beats import BEATS
from tests.oracles.marginals import beta, unary
from tests.oracles.recursions import cell, total

STEPS = {"t": "A~B", "w": "x~y~z", "e": "1_0~0_2~-1_x", "p": "1_2~3_4~.5_x~-1_0", "s": "0_.5"}
SMALL = {
    name: {"ex": name}
    for name in ("old-man", "can-fish", "bio", "no-path", "one-token", "paris-hilton")
} | {"a table for each step": STEPS}
BY_NAME = {beat.name: beat for beat in BEATS}


def number(value):
    """−∞ as the payload has it."""
    return -math.inf if value == "-inf" else value


@pytest.mark.parametrize("query", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize(
    ("mode", "algorithm", "semiring"),
    [("add", "forward", "sum"), ("best", "forward", "max"), ("both", "backward", "sum")],
)
def test_cells_and_totals_are_the_oracle_s(query, mode, algorithm, semiring):
    state = state_of(query)[0]
    problem, drawn = state.problem, picture.whole(state, mode)
    for t in range(len(problem.tokens)):
        for s in range(len(problem.tags)):
            if algorithm == "forward":
                expected = cell(problem, "state", semiring, t, s)
            else:
                expected = beta(problem, "state", semiring, t, s)
            assert number(drawn["values"][t][s]) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert number(drawn["total"]["value"]) == pytest.approx(total(problem, semiring), rel=1e-9)


@pytest.mark.parametrize("example", ["old-man", "can-fish", "bio"])
def test_shares_of_a_column_add_up_to_one(example):
    for mode in ("add", "both"):
        drawn = picture.whole(state_of({"ex": example})[0], mode)
        for column in drawn["shares"]:
            assert sum(column) == pytest.approx(1, abs=1e-12)
    for column in picture.whole(state_of({"ex": example})[0], "best")["shares"]:
        assert sorted(set(column)) in ([0.0, 1.0], [1.0])


@pytest.mark.parametrize("example", ["old-man", "can-fish", "bio", "paris-hilton"])
def test_what_both_sides_say_gives_the_marginals(example):
    state = state_of({"ex": example})[0]
    expected = unary(state.problem)
    for t in range(len(state.problem.tokens)):
        meet = meeting.at(state, t)["meet"]
        products = [a * b for a, b in zip(meet["left"], meet["right"], strict=True)]
        whole = sum(products)
        assert meet["both"] == pytest.approx(expected[t], abs=1e-9)
        assert [p / whole for p in products] == pytest.approx(expected[t], abs=1e-9)


def test_a_path_s_stairs_add_up_to_its_score():
    state = state_of({"ex": "old-man", "path": "0~1~2~0~2"})[0]
    drawn = picture.on_path(state, "best")
    assert drawn["score"] == 18.0
    assert sum(stair["score"] for stair in drawn["stairs"]) == 18.0
    assert drawn["running"][-1] == 17.5
    assert [stair["hook"] for stair in drawn["stairs"]][:3] == ["s:DET", "e:0:DET", "t:DET:ADJ"]


def test_the_change_of_mind_is_where_the_leading_prefix_is_another():
    state = state_of({"ex": "old-man"})[0]
    assert picture.numbers(state.problem).changes_of_mind == [3]
    beat = BY_NAME["mind"]
    now = beat.now(state_of({"ex": "old-man", "bet": "-"})[0])
    assert (now["was"], now["lead"]) == ([0, 1, 2], [0, 2, 3, 0])
    later = state_of({"ex": "old-man", "bet": "-", "step": "15"})[0]  # another cell of its column
    now = beat.now(later)
    assert (now["cell"], now["was"], now["lead"][-1]) == ([3, 3], None, 3)
    assert beat.equation(beat.prepare(later), 15)[-1]["text"] == "10.0"


ARROW = {"sentence": "Time flies like an arrow .", "tagger": "local"}


def test_rows_are_chosen_once_and_never_change_with_a_step():
    state = state_of(ARROW)[0]
    chain, tags = state.problem.chain(), state.problem.tags
    largest = chain.marginals[0].amax(0)
    best = set(chain.viterbi().tags[0].tolist())
    ranks = [s for s in largest.argsort(descending=True).tolist() if s not in best]
    likely = {s for s in ranks[: picture.figure.ROWS - len(best)] if largest[s] >= 0.05}
    assert len(likely | best) == picture.figure.ROWS
    for name in ("add", "best", "both", "meet"):
        beat = BY_NAME[name]
        drawn = beat.figure(state)["picture"]
        assert set(drawn["rows"]) == likely | best
        for step in (0, 16, 40, 60):
            now = beat.now(state_of(ARROW | {"step": str(step), "bet": "-"})[0])
            assert (now["rows"], now["other"]) == (drawn["rows"], drawn["other"])
    lit = [tags.index("X"), *chain.viterbi().tags[0].tolist()[1:]]
    path = BY_NAME["path"].now(state_of(ARROW | {"path": "~".join(map(str, lit))})[0])
    assert set(path["rows"]) == likely | best | {tags.index("X")}


@pytest.mark.parametrize("mode", ["add", "best", "both"])
def test_the_tags_without_a_row_are_one_step(mode):
    state = state_of(ARROW)[0]
    chain, drawn = state.problem.chain(), BY_NAME[mode].figure(state)["picture"]
    folded = [s for s in range(17) if s not in drawn["rows"]]
    decoded = chain.viterbi().log_deltas
    table = {"add": chain.log_alphas, "best": decoded, "both": chain.log_betas}[mode][0]
    together = table[:, folded].amax(-1) if mode == "best" else table[:, folded].logsumexp(-1)
    if mode == "both":
        from_left = chain.log_alphas[0][:, folded].logsumexp(-1).tolist()
        assert drawn["left_other"]["values"] == pytest.approx(from_left, abs=1e-9)
    for column in range(6):
        step = 17 * column + folded[0]
        there = state_of(ARROW | {"step": str(step), "bet": "~"})[0]
        now = beat_with(BY_NAME[mode], there, BEATS)[0].now(there)
        one, t = now["folded"], now["column"]
        assert one["cell"] == [t, -1]
        assert one["step"] == 17 * column + drawn["other"]["last"]
        assert float(one["value"]) == pytest.approx(together[t].item(), abs=1e-9)
        assert float(drawn["other"]["values"][t]) == pytest.approx(together[t].item(), abs=1e-9)
        assert sum(term["share"] for term in one["terms"]) == pytest.approx(1)
        assert f"other {len(folded)} tags" in "".join(
            part if isinstance(part, str) else part["text"] for part in one["say"]
        )
        step = 17 * column + drawn["rows"][0]
        there = state_of(ARROW | {"step": str(step), "bet": "~"})[0]
        assert beat_with(BY_NAME[mode], there, BEATS)[0].now(there)["folded"] is None


def test_what_has_no_row_is_never_asked():
    state = state_of(ARROW)[0]
    rows = BY_NAME["add"].figure(state)["picture"]["rows"]
    for name in ("column", "mind"):
        beat = BY_NAME[name]
        assert {tag for _, tag in beat.shares(state).cells} <= set(rows)
        assert step_of(beat, state) % 17 in rows


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [("right", "right"), ("max", "max"), ("no-emission", "no-emission"), ("only-max", "only-max")],
)
def test_slips_in_a_column_are_named(typed, verdict):
    query, beat = {"ex": "old-man"}, BY_NAME["column"]
    state = state_of(query)[0]
    number = step_of(beat, state)
    value = filling.slips(state, number)[typed]
    now = beat.now(state_of(query | {"bet": f"~{value:.2f}"})[0])
    assert filling.verdict(state, number, round(value, 2)) == verdict
    assert now["bet"]["revealed"]


def test_a_fixed_tag_changes_every_mode():
    """By enumeration of the paths that have it; an edit of another tag's score does not matter."""
    free = state_of({"ex": "old-man"})[0]
    expected = unary(free.problem, lambda path: path[2] == 2)
    state = picture.clamped(state_of({"ex": "old-man", "fix": "2.2", "edit": "e:2:VERB_9"})[0])
    for t in range(5):
        assert meeting.at(state, t)["meet"]["both"] == pytest.approx(expected[t], abs=1e-9)
    share = unary(free.problem, lambda path: True)[2][2]
    total = picture.whole(free, "add")["total"]["value"] + math.log(share)
    assert picture.whole(state, "add")["total"]["value"] == pytest.approx(total, abs=1e-9)
    assert picture.whole(state, "best")["best"][2] == 2


def test_a_class_and_a_reader_are_asked_for_the_same_number_where_a_tag_is_fixed():
    beat = BY_NAME["column"]
    state = state_of({"ex": "old-man", "fix": "2.2"})[0]
    task = beat.shares(state)
    for step in task.steps:
        right = beat.asks(replace(state, step=step)).right
        assert task.verdict(step, float(right)) == "right"
        assert f"{task.right(step):.2f}" == right


@pytest.mark.parametrize("beat", ["path", "add", "logz", "best", "back", "both", "meet"])
def test_the_beats_take_over_a_tag_that_was_fixed_on_the_front_page(beat):
    drawn = BY_NAME[beat].figure(state_of({"ex": "old-man", "fix": "2.2"})[0])["picture"]
    assert drawn["emissions"][2] == ["-inf", "-inf", 2, "-inf"]
