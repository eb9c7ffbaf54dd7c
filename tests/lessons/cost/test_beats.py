"""Cost and running it in parallel: pieces joined in any order, what the beats say, measuring."""

import itertools
import math

import pytest

from pages.cost import crossover
from pages.cost.beats import BEATS, CONTROLS
from pages.cost.pieces import SHAPES, costs, joined, order
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.ui.stage.view import state_of, view
from tests.apps import benched, text_of
from tests.beats.test_every_beat import find, told

OLD_MAN = EXAMPLES["old-man"].problem
SEEN = {"bet": "-"}


@pytest.mark.parametrize("name", ["bio", "pair-potentials", "no-path", "old-man"])
def test_every_bracketing_gives_what_all_paths_give(name):
    problem = EXAMPLES[name].problem
    while len(problem.tokens) > 5:
        problem = problem.remove_token(5)
    m = len(problem.tokens)
    scores = [path.score for path in enumerate_paths(problem)]
    top = max(scores)
    log_z = top
    if top > -math.inf:
        log_z += math.log(math.fsum(math.exp(s - top) for s in scores))
    for places in itertools.permutations(range(m - 2)):
        assert joined(problem, m, places, "sum").total == pytest.approx(log_z, abs=1e-9)
        assert joined(problem, m, places, "max").total == pytest.approx(top, abs=1e-12)


def test_a_piece_is_the_sum_over_the_ways_through_its_words():
    """B·C from ADJ to VERB: over the tag of ‘man’, transitions and emissions added."""
    T, e = OLD_MAN.matrix(1), OLD_MAN.emissions
    ways = [T[1][s] + e[2][s] + T[s][3] + e[3][3] for s in range(4)]
    piece = joined(OLD_MAN, 5, (1, 0, 2), "sum").pieces[4]
    assert (piece.first, piece.last, piece.round) == (1, 3, 1)
    assert piece.matrix[1, 3].item() == pytest.approx(math.log(math.fsum(map(math.exp, ways))))


def test_rounds_of_each_order():
    problem = Problem.blank(["A", "B", "C"], ["x"] * 17)
    found = {shape: joined(problem, 17, order(shape, 16), "sum").rounds for shape in SHAPES}
    assert found == {"balanced": 4, "left": 15, "right": 15}


@pytest.mark.parametrize(("m", "S"), [(2, 3), (5, 2), (16, 4), (1000, 7)])
def test_costs_are_what_the_ways_do(m, S):
    """Counted one by one, as crf/core/scan.py goes."""
    rounds, joins, reach = 0, 0, 1
    while reach < m:
        rounds, joins, reach = rounds + 1, joins + m - reach, 2 * reach
    found = costs(m, S)
    assert found["scan"][:2] == (rounds, joins * S**3)
    assert found["tree"][:2] == (rounds, (m - 1) * S**3)
    assert found["recursion"][:2] == (m - 1, (m - 1) * S**2)


ROWS = [
    ("trick", {}, "16 ways from tag to tag"),
    ("trick", {}, "A·B [DET, NOUN] = log ( exp 3.00 + exp 12.00 + exp 9.50 + exp 2.50 ) = 12.08"),
    ("trick", {"with": "way_3.1"}, "A·B [VERB, ADJ] ="),
    ("trick", {"with": "way_9.9"}, "A·B [DET, NOUN] ="),
    ("trick", {"ex": "one-token"}, "One word has none"),
    ("trick", {"t": "A~B", "w": "x~y"}, "With a third word"),
    ("trick", {"ex": "no-path"}, "no way leads from"),
    ("trees", {}, "After how many rounds have 64 pieces become one?"),
    ("trees", SEEN, "at the same time, these four take 2 rounds, not 3."),
    ("trees", SEEN, "1,024 pieces take 10 rounds, not 1,023."),
    ("trees", SEEN, "4 · 4 · 4 products, and a step of the recursion only 4 · 4."),
    ("trees", SEEN | {"with": "shape_right"}, "In this order the four pieces take 3 rounds."),
    ("trees", {"bet": "r6"}, "Right: 64, 32, 16, 8, 4, 2, 1."),
    ("trees", {"bet": "r63"}, "Not quite: it is 6"),
    ("trees", SEEN | {"ex": "one-token"}, "nothing to join"),
    ("trees", SEEN | {"t": "A~B", "w": "x~y~z"}, "Two pieces take one round"),
    (
        "trees",
        SEEN | {"t": "A~B", "w": "~".join("abcdefghijkl")},
        "these seven take 3 rounds, not 6",
    ),
    ("depth", {}, "10 rounds instead of 1,023 steps. But it needs 16 times as many"),
    ("depth", {}, "a scan 144 times as many"),
    ("depth", {"with": "long_12~tags_2"}, "With 4,096 words and 2 tags"),
    ("measured", {}, "where is the scan faster than the plain recursion?"),
    ("measured", SEEN, "for 1,024 words a scan starts 10 large ones, not 1,023 small ones"),
    ("measured", SEEN, "144 times as many products"),
    ("measured", {"bet": "long"}, "Right."),
    ("measured", {"bet": "nowhere"}, "Not quite"),
]


@pytest.mark.parametrize(("name", "query", "said"), ROWS)
def test_what_is_said(name, query, said):
    scores = {} if {"ex", "t"} & query.keys() else {"ex": "old-man"}
    assert said in told("cost", name, scores | query)


FORGED = (
    "way_1",
    "way_a.b",
    "way_²._",
    "shape_x",
    "semiring_min",
    "long_0",
    "long_99",
    "tags_-1",
    "against_gpu",
    "from_there",
)


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_control_gives_its_default_and_a_sentence(forged):
    state, fault = state_of({"ex": "old-man", "with": forged, "bet": "-"})
    name = forged.partition("_")[0]
    assert state.control(name, CONTROLS) == CONTROLS[name].default
    message = view(find("cost", "trees"), "cost", state, fault, BEATS)["message"]
    assert message.startswith("The address")


def picture(name, **query):
    return find("cost", name).figure(state_of({"ex": "old-man"} | query)[0])["picture"]


def test_both_trees_end_at_the_core_s_log_z():
    drawn = picture("trees", bet="-", step="2")
    log_z = OLD_MAN.chain().log_partition.item()
    assert [tree["done"] for tree in drawn["trees"]] == [f"done: log Z {log_z:.2f}"] * 2
    assert [tree["formula"] for tree in drawn["trees"]] == [
        "((A · B) · C) · D",
        "(A · B) · (C · D)",
    ]
    assert drawn["now"]["round"] == 2
    best = picture("trees", bet="-", **{"with": "semiring_max"})
    assert {tree["done"] for tree in best["trees"]} == {"done: best score 19.00"}


def test_bands_are_each_tag_s_shares_of_a_piece():
    """Of B from ADJ: transitions and emissions to each tag of ‘man’."""
    for piece in picture("trees", bet="-")["trees"][1]["pieces"]:
        assert math.fsum(share for *_, share in piece["bands"]) == pytest.approx(1, abs=0.002)
    bands = {(i, j): share for i, j, share in piece_named("B")["bands"]}
    ways = [math.exp(OLD_MAN.matrix(1)[1][s] + OLD_MAN.emissions[2][s]) for s in range(4)]
    shares = [way / math.fsum(ways) / 4 for way in ways]
    assert [bands[1, s] for s in range(4)] == pytest.approx(shares, abs=1e-4)


def piece_named(name):
    pieces = picture("trees", bet="-")["trees"][1]["pieces"]
    return next(piece for piece in pieces if piece["name"] == name)


def test_the_way_s_terms_are_shares_of_its_number():
    now = picture("trick")["now"]
    assert now["way"] == [0, 2]
    terms = [math.exp(q) for q in (3.0, 12.0, 9.5, 2.5)]
    assert now["shares"] == pytest.approx([term / math.fsum(terms) for term in terms])


def test_before_the_bet_no_cell_shows_who_wins():
    asked, seen = picture("measured"), picture("measured", bet="-")
    assert {cell["word"] for row in asked["cells"] for cell in row} == {""}
    assert {cell["word"] for row in seen["cells"] for cell in row} >= {"faster", "slower"}


def test_the_recorded_times_are_whole():
    found = {(t.length, t.tags, t.way) for t in crossover.recorded()}
    assert found == set(itertools.product(crossover.LENGTHS, crossover.TAGS, crossover.WAYS))


def test_ratios():
    times = [crossover.Time(16, 2, "scan", 1.0), crossover.Time(16, 2, "plain", 4.0)]
    assert crossover.ratio(times, 16, 2, "plain") == 4
    assert crossover.ratio(times, 16, 2, "kernels") is None
    assert crossover.ratio(times, 64, 2, "plain") is None


def test_what_stands_behind_more(monkeypatch):
    monkeypatch.setattr(crossover, "BUDGET", 0.05)
    monkeypatch.setattr(crossover, "measured", [])
    app = benched("cost", "pieces")
    log_z = f"{OLD_MAN.chain().log_partition.item():.6f}"
    assert f"it adds up to {log_z}" in text_of(app)
    app = benched("cost", "crossover")
    next(b for b in app.button if b.key == "cost.measure").click().run()
    assert not app.exception
    assert crossover.measured
