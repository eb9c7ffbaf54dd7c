"""The beats of Learning: what is drawn and said, by rows; numbers by hand, and from outside."""

import json
import math
import re
from itertools import pairwise

import pytest

from pages.learning import corpus, pictures
from pages.learning.beats import BEATS, POWER
from pages.shared.figures.beat import step_of
from pages.shared.ui.stage.view import state_of, view
from tests.apps import benched, html_of, messages, of_stage, opened, press, text_of
from tests.beats.test_every_beat import find, plain, told

NAMES = [beat.name for beat in BEATS]
BOAT = {"ex": "old-man"}


def drawn(name, **query):
    return find("learning", name).figure(state_of(BOAT | query, "learning")[0])["picture"]


def now(name, **query):
    return drawn(name, **query)["now"]


ROWS = [
    ("counts", {}, "NOUN → VERB: observed 1 − expected .65 = +.35"),
    ("counts", {"with": "score_t.0.2"}, "These tags use this score twice"),
    ("counts", {"with": "score_e.1.1"}, "old, ADJ: observed 0 − expected .33 = −.33"),
    ("counts", {"with": "score_z.2"}, "END, NOUN: observed 1 − expected 1"),
    (
        "step",
        {"bet": "-"},
        "correct have p = exp(−.146) = .864",
    ),
    ("corpus", {"bet": "-", "with": "start_zeros", "step": "0"}, "≈ −.67"),
    ("counts", {"step": "1"}, "The loss goes from .43 to .15"),
    ("counts", {"with": "right_0.1.2.0.2"}, "ADJ → NOUN: observed 1 − expected .24 = +.76"),
    ("counts", {"edit": "t:NOUN:VERB_x"}, "no gradient can make them possible"),
    ("counts", {"ex": "no-path"}, "so none is possible"),
    ("counts", {"t": "X", "w": "a~b"}, "no score has to move"),
    ("step", {}, "You take 10 steps with η = .5. What does the size"),
    (
        "step",
        {"bet": "smaller"},
        "Right: the size of the difference goes from .95 to .069, and the loss from .43 to .031",
    ),
    ("step", {"bet": "larger"}, "Not quite"),
    ("step", {"step": "5"}, "so the tags supposed to be correct have p = exp(−.053) = .948"),
    ("step", {"with": "rate_9", "ex": "arrow", "step": "2"}, "After 2 steps the loss is .0057"),
    ("sign", {}, "∂ log p = observed − expected = +.35, ∂ loss = expected − observed = −.35"),
    ("sign", {"step": "12"}, "moved by +3"),
    ("sign", {"t": "X", "w": "a"}, "the curve is flat"),
    ("weights", {}, "Here one weight scores fish as VERB at all 5 places."),
    ("weights", {"with": "weight_T.0.1"}, "one for each feature. "),
    (
        "likelihood",
        {"step": "0"},
        "all 5 sentences are tagged correctly is .156",
    ),
    ("likelihood", {"step": "1"}, "it is 1 × 10⁻¹⁶¹⁵, but float64 ends at 5 × 10⁻³²⁴."),
    ("likelihood", {"step": "1"}, "log likelihood = Σ log p(y | x) = Σ (score − log Z)"),
    ("likelihood", {"step": "2"}, "negative log-likelihood (NLL): 1.86"),
    ("likelihood", {"step": "3"}, "mean NLL = 1/5"),
    ("corpus", {"step": "2"}, "Will the weight of fish, VERB rise or fall?"),
    (
        "corpus",
        {"step": "2", "bet": "rises"},
        "Right: one place pulls it up and four places pull it down. The sum is +.12",
    ),
    ("corpus", {"step": "42"}, "one place pulls it up and four places pull it down"),
    ("corpus", {"step": "42", "with": "eta_20"}, "none of them pulls on it noticeably"),
    ("corpus", {"step": "9", "with": "penalty_1"}, "The penalty pulls, too, with +.19"),
    ("corpus", {"step": "2", "bet": "-"}, "+.46 −.08 −.08 −.07 −.11 = +.12"),
    ("corpus", {"step": "2", "bet": "-", "with": "weight_T.1.2"}, "VERB → NOUN"),
    ("corpus", {"step": "0"}, "All weights are 0"),
    ("corpus", {"step": "0", "with": "start_random 1"}, "begin as random numbers"),
    ("corpus", {"step": "60"}, "grows without bound"),
    ("corpus", {"step": "60", "with": "penalty_.3"}, "their size ‖w‖ is 3.63 now"),
    ("corpus", {"step": "60", "with": "eta_3~penalty_1"}, "η is too large here"),
    ("corpus", {"step": "60", "with": "method_perceptron"}, "last moved in step 2"),
    ("corpus", {"step": "60", "with": "eta_0"}, "nothing is learnt"),
    ("corpus", {"step": "60", "with": "corpus_not-separable"}, "do not put every correct reading"),
    ("corpus", {"step": "60", "with": "corpus_a/X b/X"}, "one tag only"),
    ("methods", {"step": "0"}, "but it only counts mistakes"),
    ("methods", {"step": "2"}, "plain ascent leads"),
    ("methods", {"step": "8"}, "Adam leads"),
    ("methods", {"step": "25"}, "L-BFGS leads"),
    ("methods", {"step": "30"}, "the same tag everywhere, and 1 tag is wrong"),
    ("right", {}, "You divide h by 1,000"),
    ("right", {"bet": "larger"}, "Right: the error goes from 7.7 × 10⁻¹²"),
    ("right", {"bet": "-"}, "Over all 44 scores, the largest error is 2.2 × 10⁻¹⁰, and"),
    ("right", {"step": "1"}, "too coarse"),
    ("right", {"step": "12"}, "too fine"),
    ("right", {"with": "model_pairs", "bet": "-"}, "Over the 64 largest of 285 derivatives"),
    ("right", {"t": "X", "w": "a~b"}, "only one reading is possible, or none"),
    ("fault", {}, "add up to 16, not to 4. Which bug is it?"),
    ("fault", {"bet": "rows"}, "Right. At each step the row"),
    ("fault", {"bet": "ends"}, "the code divides each row by its sum"),
    ("fault", {"with": "code_B", "bet": "steps"}, "one pair more than the sentence has steps"),
    ("fault", {"with": "code_C"}, "add up to 4, as they should"),
    ("fault", {"with": "code_C", "bet": "ends"}, "the start and end scores are missing"),
    ("fault", {"ex": "one-token", "bet": "-"}, "only 1 of three common bugs changes"),
    ("fault", {"t": "A~B", "w": "x~y", "with": "code_A", "bet": "steps"}, "the same numbers"),
    ("fault", {"t": "A~B", "w": "x", "e": "1_0", "bet": "-"}, "would miss them all"),
]


@pytest.mark.parametrize(("name", "query", "said"), ROWS)
def test_what_a_beat_says(name, query, said):
    base = {} if "ex" in query or "t" in query else BOAT
    assert said in told("learning", name, base | query)


def test_the_difference_is_observed_less_expected_and_its_steps_add_up_to_its_tags():
    shown = now("counts")
    right = drawn("counts")["right"]
    for t, (expected, difference) in enumerate(
        zip(shown["marginals"], shown["difference"], strict=True)
    ):
        for s, value in enumerate(difference):
            assert value == pytest.approx((s == right[t]) - expected[s], abs=1e-4)
    for t, pairs in enumerate(shown["pair_difference"]):
        into = [sum(v for _, b, v in pairs if b == s) for s in range(4)]
        assert into == pytest.approx(shown["difference"][t + 1], abs=4e-3)


def test_the_loss_falls_with_each_step_and_the_dotted_line_says_where_to():
    losses = [now("step", step=str(n), bet="-") for n in range(1, 21)]
    for before, after in pairwise(losses):
        assert after["loss"] < before["loss"]
        assert after["loss"] == pytest.approx(before["ahead"])


@pytest.mark.parametrize("score", ["t.2.3", "e.1.1", "e.0.0", "s.0", "z.2"])
def test_the_slope_is_what_the_curve_rises_by(score):
    points = dict(map(tuple, drawn("sign", **{"with": f"score_{score}"})["points"]))
    shown = now("sign", **{"with": f"score_{score}"})
    rise = (points[0.1] - points[-0.1]) / 0.2
    assert shown["slope"] == pytest.approx(rise, abs=2e-3)


def test_the_pulls_add_up_to_the_step_of_the_weight():
    shown = now("corpus", step="2", bet="-")
    assert shown["sum_value"] == pytest.approx(sum(one["pull"] for one in shown["pulls"]))
    state = state_of(BOAT, "learning")[0]
    words = corpus.run_of(state).weights.words
    assert (words[3] - words[2])[1, 1].item() == pytest.approx(0.5 * shown["sum_value"])


def test_before_a_bet_is_settled_nothing_that_is_sent_holds_its_answer():
    waiting = now("corpus", step="2")
    assert waiting["sum"] == ""
    assert all("pull" not in one for one in waiting["pulls"])
    assert max(power for power, _ in now("right")["dots"]) == POWER
    assert max(power for power, _ in now("right", bet="-")["dots"]) == pictures.MOST_POWERS


@pytest.mark.parametrize(
    ("model", "entry", "golden"),
    [
        ("seeded", "x.0", "0.03394788"),
        ("seeded", "S.0", "−0.17736447"),
        ("screen", "t.2.3", "0.34800477"),
    ],
)
def test_the_published_numbers_stand_there_in_three_ways(model, entry, golden):
    shown = now("right", bet="-", **{"with": f"model_{model}~entry_{entry}"})
    exact = golden[:-1]  # the last digit is rounded
    assert all(number.startswith(exact) for number in shown["numbers"].values())
    assert shown["error"] < 1e-8


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("seeded", "start[4]"),
        ("seeded", "P[1, 2]"),
        ("seeded", "P[3, 3]"),
        ("pairs", "start[4]"),
        ("pairs", "T[1, 2, 2]"),
        ("pairs", "T[3, 3, 10]"),
        ("screen", "T[NOUN, VERB]"),
    ],
)
def test_every_entry_of_a_preset_can_be_chosen(model, label):
    picture = drawn("right", **{"with": f"model_{model}"})
    (name,) = (entry["name"] for entry in picture["entries"] if entry["label"] == label)
    chosen = drawn("right", **{"with": f"model_{model}~entry_{name}"})["chosen"]
    assert chosen["entry"] == name


@pytest.mark.parametrize("score", ["-9e5", "9e5"])  # exp of it is 0, or beyond any float
def test_the_derivative_by_a_factor_of_any_size_is_valid_json(score):
    query = {"t": "A~B", "w": "x~y", "e": f"{score}_{score}~0_0", "a": "0_1~0_0", "bet": "-"}
    state, _ = state_of(query | {"with": "of_psi~entry_e.0.0"}, "learning")
    json.dumps(view(find("learning", "right"), "learning", state, "", BEATS), allow_nan=False)


FORGED = [
    ("counts", "right_x"), ("counts", "right_1"), ("counts", "score_q.1"), ("step", "rate_nan"),
    ("counts", "score_t.9.9"), ("step", "rate_1e999"), ("step", "rate_<b>"), ("fault", "code_Z"),
    ("likelihood", "corpus_🐟"), ("corpus", "corpus_<b>hi"), ("corpus", "eta_-1"),
    ("corpus", "eta_½½"), ("corpus", "penalty_inf"), ("corpus", "start_ones"), ("right", "of_x"),
    ("methods", "method_sgd"), ("right", "model_none"), ("right", "entry_t.99.1"),
    ("right", "inputs_x = 1 two"), ("corpus", "weight_"), ("sign", "score_e.-1.0"),
    ("counts", "nothing_1"),
]  # fmt: skip
WITHOUT_A_WORD = ("right_1", "score_t.9.9", "entry_t.99.1")  # they could be elsewhere


@pytest.mark.parametrize(("name", "forged"), FORGED)
def test_a_forged_control_gives_the_usual_picture_and_a_sentence(name, forged):
    state, _ = state_of(BOAT | {"with": forged}, "learning")
    shown = view(find("learning", name), "learning", state, "", BEATS)
    assert shown["picture"] == drawn(name)
    assert ("cannot be read" in shown["message"]) == (forged not in WITHOUT_A_WORD)


def test_a_step_that_a_short_run_has_not_shows_its_end():
    query = {"with": "eta_100~penalty_100", "step": "60"}
    assert now("corpus", **query)["iteration"] <= 60
    assert "Choose a smaller η" in told("learning", "corpus", BOAT | query)


def test_the_page_opens_at_work_and_each_section_behind_it_is_drawn():
    app = opened("learning")
    sent = of_stage(app)["view"]
    assert corpus.prepare.cache_info().currsize == 1  # the usual runs are under way
    assert (sent["beat"], sent["part"], sent["picture"]["now"]["loss"]) == (
        "counts",
        "loss",
        pytest.approx(0.432418, abs=1e-6),
    )
    assert of_stage(opened("learning", beat="corpus"))["view"]["part"] == "weights"


def behind(name, section, **query):
    return benched("learning", section, beat=name, **query)


@pytest.mark.parametrize("penalty", ["0", ".1"])
def test_a_penalty_is_advised_only_where_there_is_none(penalty):
    app = behind("corpus", "concave", **{"with": f"eta_.01~penalty_{penalty}"})
    shown = text_of(app)
    assert "the runs are at different heights" in shown
    assert ("Choose another η, a penalty" in shown) == (penalty == "0")


def test_a_corpus_of_one_s_own_is_learnt_from():
    app = behind("corpus", "own")
    area = app.text_area(key="learning.corpus")
    assert area.value == corpus.corpus_text("fish")
    area.set_value("dog").run()
    press(app, "Use it")
    assert "write its tag after a slash" in messages(app)
    app.text_area(key="learning.corpus").set_value("a/X b/Y").run()
    press(app, "Use it")
    assert of_stage(app)["set"]["with"].startswith("corpus_a/X b/Y")


def number(text):
    plain_text = text.replace("−", "-").replace("⁻", "-").replace("\u00a0", " ")
    return float(
        plain_text.replace(" × 10", "e").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
    )


def test_behind_it_stand_the_pair_in_phi_the_golden_probability_and_the_way_to_the_trellis():
    assert "φ(x, i, yᵢ₋₁, yᵢ)" in text_of(behind("corpus", "features"))
    app = behind("right", "entries", **{"with": "model_pairs"})
    assert "2.69869828108e-08" in text_of(app)
    (table,) = (one.value for one in app.dataframe)
    assert list(table.columns)[-2:] == ["error", "relative"]
    found = re.search(
        r"For T\[.*?\]: (.+?) · (\S+) / (\S+) = (.+?)\. ",
        text_of(behind("right", "psi", **{"with": "model_pairs"})),
    )
    assert found
    p, slope, psi, product = map(number, found.groups())
    assert p * slope / psi == pytest.approx(product, rel=0.01)
    assert "difference -=" in html_of(behind("counts", "step"))
    blocks = "\n".join(one.value for one in behind("counts", "check").code)
    assert all(f"def {name}(" in blocks for name in ("nll", "gradients"))
    app = behind("counts", "trellis", step="1")
    state = state_of(BOAT, "learning")[0]
    link = next(part.proto for part in app.get("link_button")).url
    assert "edit=" in link or "e=" in link
    loss = pictures.flows_at(state, 1)["loss"]
    assert f"{math.exp(-loss):.3f}" in text_of(app)


def test_every_beat_opens_at_one_of_its_steps_and_says_little():
    for beat in BEATS:
        state, _ = state_of(BOAT | {"bet": "-"}, "learning")
        shown = beat.now(state)
        assert step_of(beat, state) == beat.opens(state.problem)
        words = f"{plain(shown['say'])} {plain(shown['equation'])}".split()
        assert len(words) <= 56
