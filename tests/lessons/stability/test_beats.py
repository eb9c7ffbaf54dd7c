"""The beats of Numerical stability: what is said in a state, and what the picture is given."""

import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui.stage.view import state_of, view
from pages.stability.beats import BEATS, CONTROLS
from pages.stability.formats import DTYPES, limits
from tests.apps import benched, text_of
from tests.beats.test_every_beat import find, told
from tests.oracles import recursions as oracle

SEEN = {"bet": "-"}
LARGE = {"t": "A~B", "w": "x", "e": "90000.1_0"}
ROWS = [
    ("multiply", {}, "Which loses the sentence’s product first, bfloat16 or float32?"),
    ("multiply", SEEN, "After 46 words, only float64 still holds both products."),
    ("multiply", SEEN | {"with": "words_30"}, "After 30 words, only float64"),
    ("multiply", SEEN | {"with": "words_20"}, "three formats still hold"),
    ("multiply", SEEN | {"with": "words_2"}, "every format still holds"),
    ("multiply", SEEN | {"with": "words_300"}, "no format holds"),
    ("multiply", {"bet": "together"}, "Right: both at word 28."),
    ("multiply", {"bet": "float32"}, "Not quite: both at once, at word 28."),
    ("multiply", {"ex": "bio", "bet": "bfloat16"}, "float32 at word"),
    ("multiply", {"ex": "all-forbidden"}, "Repeated, this sentence has no allowed reading"),
    ("logs", {}, "the same products are 145 and −106"),
    ("logs", {}, "near 145, two neighbouring numbers are 1/8 apart in float16 and 1 in bfloat16."),
    ("logs", {"ex": "all-forbidden"}, "the log of its product is −∞"),
    ("logs", LARGE, "leave float16 even as logarithms"),
    ("exp", {}, "In which formats does that fail?"),
    ("exp", SEEN, "the way that matters most, the one from NOUN."),
    ("exp", SEEN, "log ( exp 90.55 + exp 84.60 + exp 80.67 + exp 77.46 )"),
    ("exp", SEEN, "exp is inf above 88.72, in float16 above 11.09"),
    ("exp", {"bet": "but64"}, "Right: it fails in float16, bfloat16 and float32."),
    ("exp", {"bet": "none"}, "Not quite: it fails in float16"),
    ("exp", SEEN | {"ex": "bio"}, "In float32 every exp is 0"),
    ("exp", SEEN | {"t": "X", "w": "a"}, "Here no format loses the sum"),
    ("exp", {"ex": "all-forbidden"}, "No way leads here"),
    ("subtract", {}, "With c at the largest score, its exp is exp 0 = 1"),
    ("subtract", {}, "= 90.55 + log 1.0027"),
    ("subtract", {"with": "c_0"}, "With c = 0.00, 3 formats fail."),
    ("subtract", {"with": "c_20"}, "one format fails"),
    ("subtract", {"with": "c_88"}, "The sum is the same for every c"),
    ("subtract", {"with": "c_-100000"}, "4 formats fail"),
    ("subtract", {"ex": "all-forbidden"}, "there is no largest number to subtract"),
    ("forbidden", {}, "How probable is A B A?"),
    ("forbidden", SEEN, "1 − 10000 + 1 = −9998 = log Z, so p = exp 0 = 1"),
    ("forbidden", {"bet": "one"}, "Right."),
    ("forbidden", {"bet": "zero"}, "Not quite: it is 1."),
    ("formats", {}, "keep log Z in float32 or better"),
    ("formats", {}, "The true log Z is 3102.811"),
    ("formats", LARGE, "keep log Z in float64"),
    ("formats", {"t": "X", "w": "a"}, "every method is right in every format"),
    ("formats", {"ex": "all-forbidden"}, "0/0 = nan"),
    ("multiply", {"ex": "no-path", "bet": "-"}, "so its product is 0 in every format"),
]


@pytest.mark.parametrize(("name", "query", "said"), ROWS)
def test_what_is_said(name, query, said):
    scores = {} if {"ex", "t"} & query.keys() else {"ex": "old-man"}
    assert said in told("stability", name, scores | query)


@pytest.mark.parametrize("forged", ["words_0", "words_301", "words_²", "c_nan", "c_inf", "c_9e9",
                                    "words_<b>", "c_", "c_x", "other_1"])  # fmt: skip
def test_a_forged_control_gives_its_default_and_a_sentence(forged):
    state, fault = state_of({"ex": "old-man", "with": forged, "bet": "-"})
    name = forged.partition("_")[0]
    if name in CONTROLS:
        assert state.control(name, CONTROLS) == CONTROLS[name].default
    message = view(find("stability", "multiply"), "stability", state, fault, BEATS)["message"]
    assert "the usual value" in message


def picture(name, **query):
    return find("stability", name).figure(state_of({"ex": "old-man"} | query)[0])["picture"]


def test_lanes_are_what_exp_reaches_and_products_end_at_their_walls():
    drawn = picture("multiply", bet="-")
    for lane in drawn["lanes"]:
        assert (lane["low"], lane["high"]) == (
            limits(lane["name"]).underflow,
            limits(lane["name"]).overflow,
        )
    lost = [
        [end and (end["word"], end["value"]) for end in lane["lost"]] for lane in drawn["lanes"]
    ]
    assert lost == [
        [(8, "0"), (3, "inf")],
        [(41, "0"), (28, "inf")],
        [(46, "0"), (28, "inf")],
        [None, (228, "inf")],
    ]


def test_the_sentence_s_product_is_the_forward_recursion_s_largest_cell():
    problem = EXAMPLES["old-man"].problem
    largest = problem.chain().log_alphas[0].amax(1).tolist()
    assert picture("multiply", bet="-")["values"][:5] == pytest.approx(largest, abs=0.01)


def test_the_ways_into_a_cell_add_up_to_it():
    drawn = picture("exp", bet="-")
    scores = [way["score"] for way in drawn["ways"]]
    assert drawn["into"] == "four ways into the, VERB"
    assert scores == sorted(scores, reverse=True)
    exact = math.log(math.fsum(map(math.exp, scores)))
    assert [float(v) for v in drawn["now"]["values"][3:]] == pytest.approx([exact], abs=1e-4)
    assert drawn["now"]["values"][:3] == ["inf"] * 3
    shifted = [float(v) for v in picture("subtract")["now"]["values"]]
    assert shifted == pytest.approx([exact] * 4, abs=0.06)


def test_before_the_bets_nothing_shows_the_answer():
    begun = picture("multiply")
    assert len(begun["values"]) == begun["now"]["count"] == 20
    assert all(end is None or end["word"] <= 20 for lane in begun["lanes"] for end in lane["lost"])
    asked = picture("exp")
    assert {lane["low"] for lane in asked["lanes"]} == {None}
    assert set(asked["now"]["values"]) == {""}
    assert all(side["marginals"] is None for side in picture("forbidden")["sides"])


def test_both_sides_are_the_core_s():
    left, right = picture("forbidden", bet="-")["sides"]
    assert [[round(p) for p in column] for column in left["marginals"]] == [[1, 0], [0, 1], [1, 0]]
    assert {p for column in right["marginals"] for p in column} == {0}
    assert (left["log_z"], right["log_z"]) == ("−9998", "−∞")


def test_a_cell_of_the_chart():
    rows = {row["name"]: row["cells"] for row in picture("formats")["rows"]}
    half, brain, single, double = rows["logs, largest subtracted"]
    assert (half["kind"], half["head"], half["share"]) == ("wrong", "ends at 2890", 0.329)
    assert (brain["head"], brain["tail"]) == ("stuck at 2048", "from word 21 on")
    assert (single["kind"], single["tail"]) == ("right", "3102.814")
    assert rows["multiply"][3] | {"share": 0} == {
        "kind": "none",
        "share": 0,
        "head": "inf",
        "tail": "from word 228 on",
    }
    longest = oracle_of(1000)
    assert float(double["tail"]) == pytest.approx(longest, abs=1e-3)


def oracle_of(tokens):
    """log Z of the boat's words over and over, by plain floats."""
    problem = EXAMPLES["old-man"].problem
    m, S = len(problem.tokens), len(problem.tags)
    column = [a + e for a, e in zip(problem.start, problem.emissions[0], strict=True)]
    for t in range(1, tokens):
        column = [
            oracle.merge((column[i] + problem.transitions[i][s] for i in range(S)), "sum")
            + problem.emissions[t % m][s]
            for s in range(S)
        ]
    return oracle.merge((a + z for a, z in zip(column, problem.end, strict=True)), "sum")


def test_while_a_slider_moves_little_is_sent():
    from pages.shared.ui.component_data import zipped

    for name in ("multiply", "logs", "exp", "subtract"):
        beat, state = find("stability", name), state_of({"ex": "old-man", "bet": "-"})[0]
        assert len(zipped(beat.now(state) | {"picture": beat.tables(state)})) < 4096


def test_what_stands_behind_more():
    """Each part, open, with the numbers that the old page taught."""
    names = ("own", "formats", "scaled", "gradient", "empty")
    said = " ".join(text_of(benched("stability", name)) for name in names)
    for words in (
        "Decimal arithmetic with 25 digits gives 95.0",
        "exp(95) is more than float16 can hold",
        "It is as near as bfloat16 gets: its numbers are 0.5 apart here",
        "largest number",
        "is the loser’s score",
        "8 apart in float16 and 64 in bfloat16",
        "nan, nan, nan",
    ):
        assert words in said
    assert any("log1p" in code.value for code in benched("stability", "step").code)
    app = benched("stability", "own")
    for typed in ("", "seven", "1, inf", "1e9", ",".join("1" * 21)):  # refused
        app.text_input(key="stability.scores").set_value(typed).run()
        assert "expected" in app.warning[0].value
    app.text_input(key="stability.scores").set_value("-inf, -inf").run()
    assert "−∞ − (−∞) is nan" in text_of(app)
    app = benched("stability", "scaled")
    app.slider(key="stability.lag").set_value(60).run()
    assert "so B is kept: −60" in text_of(app)


def test_every_format_has_a_lane():
    assert [lane["name"] for lane in picture("logs")["lanes"]] == list(DTYPES)
