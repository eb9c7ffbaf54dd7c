"""The page "Scores": its parts computed independently, the page on every example."""

import json
import math
from itertools import pairwise, product

import pytest

from pages.scores import facts, path
from pages.shared.course.brute_force import count_paths
from pages.shared.course.examples import DEFAULT, EXAMPLES
from pages.shared.course.exercises import Exercise
from pages.shared.course.problem import Problem
from pages.shared.figures import path_score, paths
from pages.shared.figures.text import case
from pages.shared.ui import computed
from pages.shared.ui.paths import check_choice
from tests.apps import html_of, opened, text_of
from tests.oracles import paths as path_oracle

OLD_MAN = EXAMPLES[DEFAULT].problem


@pytest.mark.parametrize("name", ["old-man", "pair-potentials", "bio"])
def test_terms_add_up_to_the_score(name):
    problem = EXAMPLES[name].problem
    S, m = len(problem.tags), len(problem.tokens)
    path = tuple(t % S for t in range(m))
    terms = path_score.terms(problem, path)
    assert len(terms) == 2 * m + 1
    assert terms[-1].running == pytest.approx(path_oracle.path_score(problem, path))
    for before, term in pairwise(terms):
        assert term.running == pytest.approx(before.running + term.value)


def test_each_term_names_its_entry():
    problem = OLD_MAN.per_step_form().with_score("transitions", (1, 1, 2), 8)
    terms = path_score.terms(problem, (0, 1, 2, 3, 0))
    for term in terms:
        table, *index = term.read.split(":")
        i = tuple(map(int, index))
        if table == "transition" and term.value == 8:
            assert i == (1, 2)
        elif table != "transition":
            name = "emissions" if table == "emission" else table
            assert term.value == problem.score_at(name, i)
    roles = ["start", "emission", "transition", "emission"]
    assert [term.role for term in terms][:4] == roles


def test_counts_times_weights_give_the_score():
    problem = OLD_MAN.with_score("start", 0, 0.25).with_score("end", 2, -1.5)
    path = (0, 2, 3, 0, 2)
    table = path_score.counts_table(problem, path)
    rows = [
        [
            int(cell.split(">")[1].split("<")[0])
            for cell in row.split("<td")[1:]
            if "none" not in cell
        ]
        for row in table.split("<tbody>")[1].split("</tr>")[:-1]
    ]
    start, *inner = rows
    total = sum(n * w for n, w in zip(start, problem.start, strict=True))
    for counts, weights, end in zip(inner, problem.transitions, problem.end, strict=True):
        total += sum(n * w for n, w in zip(counts, (*weights, end), strict=True))
    total += sum(row[s] for row, s in zip(problem.emissions, path, strict=True))
    assert total == pytest.approx(path_oracle.path_score(problem, path))


@pytest.mark.parametrize("y", [(0, 2, 3, 0, 2), (0, 1, 2, 0, 2), (3, 3, 3, 3, 3)])
def test_where_a_path_stands_against_enumeration(y):
    place = path.standing(OLD_MAN, y)
    log_z, score = path_oracle.log_partition(OLD_MAN), path_oracle.path_score(OLD_MAN, y)
    every = [path_oracle.path_score(OLD_MAN, other) for other in product(range(4), repeat=5)]
    found = (place.score, place.log_z, place.log_p, place.best)
    assert found == pytest.approx((score, log_z, score - log_z, max(every)))
    told = facts.rank(OLD_MAN, y, computed.paths(OLD_MAN))
    rank = 1 + sum(other > score + 1e-9 for other in every)
    assert (told.facts["place"], told.facts["paths"]) == (rank, case("number.paths", n=1024))


def test_ties_and_too_many_paths_for_a_rank():
    blank = Problem.blank(["A", "B"], ["x", "y"])
    assert facts.rank(blank, (0, 0), computed.paths(blank)).facts["ties"] == 3
    large = Problem.blank(["A", "B"], ["x"] * 15)
    assert count_paths(large) == 2**15
    assert facts.rank(large, (0,) * 15, None).name == "ranks.too-many"
    near = blank.with_score("transitions", (0, 0), 0.0005)  # a score's last digits are no tie
    for t in range(2):
        for s in range(2):
            near = near.with_score("emissions", (t, s), 1e6)
    listed, four = computed.paths(near), case("number.paths", n=4)
    assert facts.rank(near, (0, 0), listed) == case("ranks.alone", place=1, paths=four)
    assert facts.rank(near, (0, 1), listed) == case("ranks.shared", place=2, paths=four, ties=2)


def test_a_planted_error_is_named():
    found = {"wrong way round": 0, "start score is missing": 0, "end score is missing": 0}
    for seed in range(1, 13):
        exercise = Exercise(seed, "path-score", "medium")
        problem, path, T = exercise.problem, exercise.path, exercise.problem.transitions
        right = path_oracle.path_score(problem, path)
        assert exercise.answer().numbers[0] == pytest.approx(right)
        turned = sum(T[i][j] - T[j][i] for i, j in pairwise(path))
        for fault, off in zip(
            found, (turned, problem.start[path[0]], problem.end[path[-1]]), strict=True
        ):
            if abs(off) > 0.05:
                found[fault] += fault in path_score.diagnose(problem, path, right - off)
    assert min(found.values()) >= 6


def test_the_picture_has_the_problem_s_numbers_also_of_a_forbidden_path():
    y = (0, 2, 3, 0, 2)
    data = paths.added_up(OLD_MAN, y, path.standing(OLD_MAN, y))
    score, log_z = path_oracle.path_score(OLD_MAN, y), path_oracle.log_partition(OLD_MAN)
    assert data["emissions"][1][1][0] == "2.0"
    assert data["transitions"][0][0][3] == "−3.0"
    assert data["terms"][-1]["running"] == pytest.approx(score)
    assert data["levels"][0]["value"] == pytest.approx(log_z)
    assert data["gap"] == f"−log p = {log_z - score:.2f}"
    assert data["sum"][-1]["text"] == f"{math.exp(score - log_z):.3f}"
    assert json.dumps(data, allow_nan=False)

    problem = OLD_MAN.with_score("start", 0, -math.inf)
    forbidden = paths.added_up(problem, y, path.standing(problem, y))
    assert forbidden["terms"][0]["running"] is None
    assert forbidden["gap"] == ""
    assert json.dumps(forbidden, allow_nan=False)


def test_a_forged_path_is_none():
    sent = [None, 3, {}, {"path": [0] * 5}, {"client": "x", "serial": "1", "path": [0] * 5}]
    for said in (None, [0] * 4, [0] * 6, [4] + [0] * 4, [-1] + [0] * 4, [True] + [0] * 4,
                 [0.0] * 5, ["0"] * 5, [[0]] * 5, [10**30] * 5, "00000"):  # fmt: skip
        sent.append({"client": "x", "serial": 1, "path": said})
    assert [check_choice(choice, OLD_MAN) for choice in sent] == [None] * len(sent)


def test_two_paths_differ_in_one_tag_and_clearly_and_their_emissions_mislead():
    for name in ("old-man", "fish", "all-zero"):
        problem = EXAMPLES[name].problem
        best = path.best(problem)
        offered = [facts.two_paths(problem, seed, best) for seed in range(12)]
        assert all(pair is None or best not in pair for pair in offered)
    assert facts.two_paths(OLD_MAN.zeros(), 1, ()) is None
    for seed in range(12):
        a, b = facts.two_paths(OLD_MAN, seed, path.best(OLD_MAN))
        assert sum(s != t for s, t in zip(a, b, strict=True)) == 1
        emitted = [math.fsum(OLD_MAN.emissions[t][s] for t, s in enumerate(y)) for y in (a, b)]
        scores = [path_oracle.path_score(OLD_MAN, y) for y in (a, b)]
        assert abs(scores[0] - scores[1]) > 0.2
        assert (emitted[0] > emitted[1]) != (scores[0] > scores[1])


def test_a_row_that_sums_to_1_is_not_shown_as_one_that_does_not():
    hmm = [[math.log(0.5)] * 2, [math.log(0.25), math.log(0.75)]]
    both = Problem(("A", "B"), ("x", "y"), [[0.0, 0.0]] * 2, hmm, [0.0] * 2, [0.0] * 2)
    assert facts.unlike_an_hmm(both, 0) is None
    one = Problem(
        ("A", "B"), ("x", "y"), [[0.0, 0.0]] * 2, [hmm[0], [1.0, 2.0]], [0.0] * 2, [0.0] * 2
    )
    for first in (0, 1):
        found = facts.unlike_an_hmm(one, first)
        assert found["row"] == case("number.row", tag="B")
        assert found["total"] == f"{math.exp(1) + math.exp(2):.1f}"


def learning(problem):
    best, *others = computed.decoded(problem)
    return facts.questions(problem, best, others, computed.summary(problem))


def test_the_three_questions():
    chain = OLD_MAN.chain()
    _, *others = computed.decoded(OLD_MAN)
    found, last = learning(OLD_MAN)
    assert found["best"] == "DET NOUN VERB DET NOUN"
    assert found["p_best"] == "0.649"
    i, j = (OLD_MAN.tags.index(tag) for tag in last["weight"][2:-1].split(", "))
    expected = sum(matrix[i][j] for matrix in chain.pair_marginals[0].tolist())
    observed = list(pairwise(others[0].path)).count((i, j))
    assert last["way"].name == ("features.up" if observed > expected else "features.down")
    assert float(last["expected"]) == pytest.approx(expected, rel=0.01)


NEVER = -math.inf
ONE_PATH = Problem(
    ("A", "B"), ("x", "y"), [[0.0, NEVER], [0.0, 1.0]], [[NEVER, 0.0], [0.0, 0.0]],
    [0.0] * 2, [0.0] * 2,
)  # fmt: skip


@pytest.mark.parametrize("problem", [ONE_PATH, Problem.blank(["A"], ["x", "y"])])
def test_the_only_path_leaves_nothing_to_learn(problem):
    assert set(learning(problem)[1]) == {"other", "loss"}


@pytest.mark.parametrize("name", ["ice-cream", "pair-potentials", "all-forbidden", "rib-rob"])
def test_an_example_opens_with_its_best_path(name):
    app = opened("scores", ex=name)
    assert not app.exception
    problem = EXAMPLES[name].problem
    subject, y = app.session_state[path.PATH.key]
    assert subject[1:] == (len(problem.tags), len(problem.tokens))
    assert y == path.best(problem)
    shown = html_of(app)
    assert "No path is allowed" in shown or "is the dashed line" in shown
    assert "conditional random field" in shown


def test_buttons_choose_paths_and_a_forged_one_is_replaced():
    app = opened("scores")
    app.button(key="scores.greedy").click().run()
    assert app.session_state[path.PATH.key][1] == (0, 1, 2, 0, 2)
    app.button(key="scores.best").click().run()
    assert app.session_state[path.PATH.key][1] == (0, 2, 3, 0, 2)
    for forged in ("x", (), (None, (9, 9, 9, 9, 9))):
        app.session_state[path.PATH.key] = forged
        app.run()
        assert not app.exception
        assert app.session_state[path.PATH.key][1] == (0, 2, 3, 0, 2)


def test_the_path_starts_anew_with_another_problem():
    app = opened("scores", ex="three-one-three", y="1~1~1")
    assert app.session_state[path.PATH.key][1] == (1, 1, 1)
    app.session_state["bar.open"] = True
    app.run().selectbox(key="bar.example").set_value("three-one-three-steady").run()
    problem = EXAMPLES["three-one-three-steady"].problem
    assert app.session_state[path.PATH.key][1] == path.best(problem)


def test_whoever_opens_the_link_is_asked_the_same():
    first, second = opened("scores"), opened("scores")
    (asked,), (again,) = ([list(r.options) for r in app.radio] for app in (first, second))
    assert asked == again
    other = opened("scores", ask="3")
    assert list(other.radio[0].options) != asked
    assert other.query_params["ask"] in ("3", ["3"])


def test_where_the_scores_came_from_is_said_until_they_are_edited():
    for query, said in (({}, "made by hand"), ({"sentence": "They fish."}, "a trained tagger")):
        app = opened("scores", **query)
        assert said in html_of(app)
        kept = app.session_state["shared_problem"]
        kept.problem = kept.problem.with_score("start", 0, 2.5)
        assert said not in html_of(app.run())


def test_a_loss_that_two_decimals_do_not_show_is_not_called_0():
    for name, told in (("rib-rob", 0.00495), (DEFAULT, 0.43)):
        problem = EXAMPLES[name].problem
        place = path.standing(problem, path.best(problem))
        assert float(paths.loss(place)) == told == pytest.approx(-place.log_p, abs=0.005)
        assert f"is −log p = {paths.loss(place)}" in text_of(opened("scores", ex=name))
