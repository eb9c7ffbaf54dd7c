"""The lesson "Learning" without a browser: every preset, bad input, the address, what it says."""

import csv
import io
import math
import re
from typing import ClassVar

import pandas as pd
import pytest

from pages.learning import payloads, sentence_section, tables, training
from pages.learning.components import Place, check_place
from pages.learning.corpus import PRESETS, parse
from pages.learning.training import CorpusSettings
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.problem_files import rows_to_csv
from pages.shared.ui import computed
from pages.shared.ui.exports import Table
from tests.apps import fresh, html_of, opened, plain


def told(app) -> str:
    """All text on the page, without its markup."""
    bodies = [
        re.sub(r"<style>.*?</style>", " ", plain(e.proto.body), flags=re.S) for e in app.get("html")
    ]
    parts = [body for body in bodies if "{" not in body] + [e.value for e in app.markdown]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", " ".join(parts)))


def messages(app) -> str:
    return " ".join(e.value for e in (*app.warning, *app.info)).replace("\\", "")


def seen(**query: str):
    """The page, its guess answered by "just show me"."""
    app = fresh("learning", **query)
    app.session_state["guess.skipped"] = True
    app.session_state["learning.fold.ways"] = True
    return app.run()


def test_a_guess_comes_before_the_gradient():
    app = opened("learning")
    assert not app.exception
    assert "pair marginals" not in told(app)
    assert any("largest push" in radio.label for radio in app.radio)
    app = seen()
    assert "pair marginals" in told(app)


def test_steps_undo_and_the_address():
    app = seen()
    first = re.search(r"pushes together, is ([\d.]+) now", told(app))
    assert first
    next(b for b in app.button if b.label == "Ten steps").click().run()
    next(b for b in app.button if b.label == "Undo" and b.key == "learning.undo").click().run()
    assert "9 steps" in told(app)
    now = re.search(r"after 9 steps it is ([\d.]+)", told(app))
    assert now
    assert float(now[1]) < 0.2 * float(first[1])
    assert app.query_params["steps"] in ("9", ["9"])
    again = seen(steps="9")
    assert now[0] in told(again)


def test_the_learnt_scores_go_into_every_lesson():
    app = seen(steps="10")
    p = re.search(r"10 steps : −log p = [\d.]+, p = ([\d.]+)", told(app))
    assert p
    next(b for b in app.button if b.label.startswith("Use the learnt")).click().run()
    assert not app.exception
    assert f"0 steps : −log p = 0.0329, p = {p[1]}" in told(app)


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ({"text": " "}, ["an empty text"]),
        ({"text": "a/A " * 10_000}, ["10,000 words"]),
        (
            {"rate": "nan", "lambda": "-1", "gold": "x", "at": "1.2.pickle.1.1", "steps": "99999"},
            [f"asks for {name}" for name in ("rate", "lambda", "gold", "at", "steps")],
        ),
        ({"model": "inputs", "inputs": "P = 1 2"}, ["expected 3 rows of 3 numbers"]),
        ({"model": "inputs", "inputs": "W = 1 2 inf"}, ["a number"]),
        ({"rate": "1e9", "lambda": "1"}, ["leave the range of float64"]),
        ({"ex": "bio", "gold": "0.2"}, ["a score of −∞ on it"]),
    ],
)
def test_bad_input_is_answered(query: dict[str, str], parts: list[str]):
    app = seen(**query)
    assert not app.exception
    for part in parts:
        assert part in messages(app)


ODD = [
    {"rate": "0", "text": "<b>x</b>/X 🐟1/Y", "by": "perceptron"},
    {"rate": "1e9", "alpha": "1e9", "steps": "5", "gold": "3.3.3.3.3", "at": "999.7.words.9.9"},
    {"gold": "9.9", "model": "pairs", "with": "psi", "h": "1e-1"},
    {"hide": "prose~answers~controls", "by": "adam"},
]
EXAMPLE = ("ice-cream", "bio", "pair-potentials", "one-token", "no-path", "all-forbidden")


@pytest.mark.parametrize("query", [{}, *ODD, *({"ex": name, "steps": "3"} for name in EXAMPLE)])
def test_it_opens_whatever_is_asked_or_held(query: dict[str, str]):
    app = fresh("learning", **query)
    for fold in ("ways",) if query else ("methods", "concave", "features", "ways", "fault"):
        app.session_state[f"learning.fold.{fold}"] = True
    for key in () if query else ("gold", "subject", "rate", "place"):
        app.session_state[f"learning.{key}"] = {"forged": [1]}
    app.run()
    assert not app.exception
    assert query not in ODD or not app.warning


@pytest.mark.parametrize("score", ["-9e5", "9e5"])  # exp of it is 0, or beyond any float
def test_the_derivative_by_a_factor_of_any_size(score: str):
    app = fresh(
        "learning", t="A~B", w="x~y", e=f"{score}_{score}~0_0", a="0_1~0_0", **{"with": "psi"}
    )
    app.session_state["learning.fold.ways"] = True
    app.run().selectbox(key="learning.entry").select("e[x, A]").run()
    assert not app.exception
    assert "divided by ψ = " in html_of(app)


@pytest.mark.parametrize(("example", "says"), [("old-man", False), ("no-path", True)])
def test_a_path_without_a_gradient_is_said(example, says):
    assert ("log p has no gradient" in messages(seen(ex=example))) == says


def test_the_other_methods_are_trained_once_and_the_own_run_not_again(monkeypatch):
    trained = []

    def count(corpus, settings):
        trained.append(settings)
        return training.train(corpus, settings)

    monkeypatch.setattr(payloads, "train", count)
    app = fresh("learning", n="37")
    app.session_state["learning.fold.methods"] = True
    app.run()
    assert [(s.optimiser, s.transitions) for s in trained] == [
        ("ascent", True), ("perceptron", True), ("ascent", False),
    ]  # fmt: skip
    app.run()
    assert len(trained) == 3


class TestWhatTheBrowserSends:
    CORPUS = parse(PRESETS["fish"].text)
    GOOD: ClassVar = {"iteration": 3, "sentence": 4, "table": "tags", "row": 2, "column": 0}

    def test_a_place_is_taken(self):
        assert check_place(self.GOOD, self.CORPUS, 60) == Place(3, 4, ("tags", 2, 0))

    @pytest.mark.parametrize("wrong", [
        {"iteration": 61}, {"iteration": True}, {"sentence": 5}, {"table": "__class__"},
        {"row": 3}, {"column": 3}, {"column": None}, {"table": ["words"]},
    ])  # fmt: skip
    def test_anything_else_is_not(self, wrong: dict[str, object]):
        assert check_place(self.GOOD | wrong, self.CORPUS, 60) is None
        assert check_place(list(wrong), self.CORPUS, 60) is None


def test_the_right_answer_of_the_guess_is_the_largest_push():
    run = sentence_section._climbed(EXAMPLES["old-man"].problem, (0, 2, 3, 0, 2), 0.5, 0)
    options, right = sentence_section.choices(run)
    assert options[right] == "T[NOUN, VERB] up"
    assert len(set(options)) == len(options) > 2


def test_the_gradient_that_is_drawn_adds_up():
    run = sentence_section._climbed(EXAMPLES["old-man"].problem, (0, 2, 3, 0, 2), 0.5, 3)
    for n in (0, 3):
        for table in payloads.gradient(run, n)["tables"]:
            for i, row in enumerate(table["places"]):
                for j, places in enumerate(row):
                    if places:
                        total = sum(p for _, p in places)
                        assert total == pytest.approx(table["expected"][i][j])


def test_the_gradient_s_file_has_numbers():
    run = sentence_section._climbed(EXAMPLES["old-man"].problem, (0, 2, 3, 0, 2), 0.5, 0)
    rows = tables.gradient(run, 0)
    text = rows_to_csv(rows)
    for row, line in zip(rows[1:], csv.reader(io.StringIO(text.partition("\n")[2])), strict=True):
        assert [float(cell) for cell in line[1:]] == row[1:]
    assert any(row[3] < 0 for row in rows[1:])


def test_a_link_that_has_steps_does_not_ask_before_the_first():
    app = opened("learning", steps="3")
    assert not [radio for radio in app.radio if "largest push" in radio.label]
    assert "3 steps" in told(app)
    assert "Steps come after your answer" not in told(app)


def test_the_right_path_stays_when_an_edit_makes_another_the_best():
    app = seen()
    next(b for b in app.button if b.label == "Ten steps").click().run()
    assert "gold" not in app.query_params
    problem = EXAMPLES["old-man"].problem
    noun, verb = problem.tags.index("NOUN"), problem.tags.index("VERB")
    shared = app.session_state["shared_problem"]
    shared.problem = problem.with_score("transitions", (noun, verb), -1.0)
    app.run()
    right = tuple(computed.best_path(problem))
    assert tuple(computed.best_path(shared.problem)) != right
    assert app.query_params["gold"] == ".".join(map(str, right))
    assert "steps" not in app.query_params  # they were taken from other scores
    shared.problem = problem.with_score("transitions", (noun, verb), -math.inf)
    app.run()
    assert "a score of −∞ on it" in messages(app)
    next(b for b in app.button if b.label == "Take the best path instead").click().run()
    assert not app.exception
    assert "a score of −∞ on it" not in messages(app)
    shared.problem, shared.origin = (
        EXAMPLES["three-one-three"].problem,
        shared.origin._replace(problem=EXAMPLES["three-one-three"].problem),
    )
    assert "gold" not in app.run().query_params


def test_unlikely_tags_of_many_are_left_out():
    tags = tuple("ABCDEFGHIJ")
    problem = Problem.blank(tags, ("x", "y"))
    for t in (0, 1):
        for s in range(2, 10):
            problem = problem.with_score("emissions", (t, s), -20.0)
    run = sentence_section._climbed(problem, (0, 9), 0.1, 1)
    assert payloads.kept_tags(run) == [0, 1, 9]
    first = payloads.gradient(run, 0)["tables"][0]
    assert first["rows"] == ["START", "A", "B", "J"]
    assert first["observed"][1] == [0, 0, 1, 0]


def test_the_record_is_a_csv_of_every_iteration():
    run = payloads.run(parse(PRESETS["fish"].text), CorpusSettings(iterations=5))
    table = pd.read_csv(io.StringIO(Table.of_frame(run.record).csv()))
    assert len(table) == 6
    assert {"nll", "gradient_norm", "tags_1", "w[fish,NOUN]", "T[PRON,VERB]"} <= set(table.columns)


ONE_TAG = {"t": "A", "w": "x~y~z", "e": "1~2~3"}


def unfolded(fold: str, **query: str):
    app = fresh("learning", **query)
    app.session_state["guess.skipped"] = True
    app.session_state[f"learning.fold.{fold}"] = True
    return app.run()


class TestTheCodesWithAFault:
    def asked(self, app) -> list[str]:
        codes = [group for group in app.get("button_group") if group.key == "learning.wrong"]
        return [option.split()[-1] for group in codes for option in group.options]

    def test_only_codes_whose_fault_shows_are_asked(self):
        app = unfolded("fault", ex="one-token")
        assert self.asked(app) == ["C"]
        assert "only one can be seen" in told(app)
        app = unfolded("fault", ex="old-man", wrong="C")  # start and end are 0 there
        assert self.asked(app) == ["A", "B"]
        assert app.query_params.get("wrong") in (None, "A", ["A"])
        assert "only two can be seen" in told(app)
        app = unfolded("fault", ex="time-flies")
        assert self.asked(app) == ["A", "B", "C"]
        assert "can be seen" not in told(app)
        app = unfolded("fault", t="A~B", w="x", e="1_0")
        assert self.asked(app) == []
        assert "none can be seen" in told(app)
        assert not [radio for radio in app.radio if "Which fault" in radio.label]

    def test_each_fault_that_fits_the_numbers_is_right(self):
        for answer in (0, 2):  # both faults turn each ¼ into ½ here
            app = unfolded("fault", t="A~B", w="x~y")
            radio = next(radio for radio in app.radio if "Which fault" in radio.label)
            radio.set_value(answer)
            next(b for b in app.button if b.label == "Check").click().run()
            assert "another fault leads to the same numbers" in app.success[0].value


@pytest.mark.parametrize("query", [
    ONE_TAG,
    {"t": "A~B", "w": "x~y", "e": "1_x~x_1"},
    {"t": "A~B", "w": "x~y", "s": "0_x", "a": "x_0~0_x"},
])  # fmt: skip
def test_one_path_leaves_nothing_to_push_or_to_compare(query: dict[str, str]):
    app = seen(**query)
    assert "Only one path is allowed here, so its p is 1" in told(app)
    assert "Take steps" not in told(app)
    assert "each derivative is 0" in messages(app)
    assert not app.get("plotly_chart")


def test_the_same_word_twice_has_two_names_among_the_derivatives():
    app = seen(ex="fish")
    names = app.selectbox(key="learning.entry").options
    assert len(set(names)) == len(names)
    assert {"e[Fish, NOUN]", "e[fish (2), NOUN]", "e[fish (3), NOUN]"} <= set(names)


def test_no_other_answer_of_the_guess_is_as_large():
    rib = EXAMPLES["rib-rob"].problem  # four transitions get pushes of the same size
    run = sentence_section._climbed(rib, (1, 3, 4), 0.5, 0)
    options, right = sentence_section.choices(run)
    slopes = run.gradient.transitions[0]

    def push(option: str) -> float:
        (i, j), up = option[2:].split("]")[0].split(", "), option.endswith("up")
        return slopes[rib.tags.index(i), rib.tags.index(j)].item() * (1 if up else -1)

    pushes = [push(option) for option in options]
    assert [k for k, p in enumerate(pushes) if p > max(pushes) - 1e-6] == [right]


def test_the_guess_is_about_the_first_step():
    app = opened("learning", steps="3", guess="1")
    assert any("in the first step" in radio.label for radio in app.radio)


def test_what_is_said_of_the_end_of_a_run_is_about_this_corpus():
    assert "far too sure of 2 sentences" in told(opened("learning", text="a/X b/Y\nb/Y a/X"))
    app = opened("learning", text="fish/A fish/B", by="perceptron")
    run = payloads.run(parse("fish/A fish/B"), CorpusSettings("perceptron"))
    last = int((run.weights.tags.diff(dim=0).abs().sum((1, 2)) > 0).nonzero().max()) + 1
    assert f"It last moved in iteration {last}" in told(app)
    app = opened("learning", text="a/X b/X\nb/X a/X", by="perceptron", start="zeros")
    assert "one tag only" in told(app)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"lambda": "10"}, "η is too large"),
        ({"lambda": "0.01"}, "stand at different heights"),
        ({"lambda": "0.1", "by": "lbfgs"}, "end at the same height"),
    ],
)
def test_one_top_is_said_to_be_reached_only_where_it_is(settings, says):
    app = fresh("learning", **settings)
    app.session_state["learning.fold.concave"] = app.session_state["learning.fold.methods"] = True
    app.run()
    text = html_of(app)
    assert says in text
    ends = re.search("Objective L at the end of each run: ([^<]*)", text).group(1)
    assert all(len(end) < 30 for end in ends.split(", "))
    assert any("what its run ended with" in info.value for info in app.info) == (says[0] == "η")


class TestWhatIsSaidOfARunIsSo:
    def three(self, **query: str) -> str:
        """What is said of the three starts."""
        app = unfolded("concave", **query)
        assert not app.exception
        return told(app)

    def test_no_method_is_advised_that_is_chosen(self):
        assert "heights: take more, or choose L-BFGS." in self.three(n="1", rate="0.1")
        assert "heights: take more. The plane" in self.three(n="1", by="lbfgs")

    def test_no_more_iterations_are_advised_than_there_may_be(self):
        query = {"n": "1000", "rate": "0.00001"}
        assert "heights: choose L-BFGS." in self.three(**query)

    @pytest.mark.parametrize("method", ["ascent", "adam", "lbfgs"])
    def test_without_a_rate_nothing_moves_and_nothing_is_advised(self, method: str):
        said = self.three(rate="0", by=method, **{"lambda": "0.1"})
        assert "With η = 0 no run leaves its start." in said
        assert "With η = 0 nothing is learnt" in said
        for other in ("take more", "creep outwards", "we climb"):
            assert other not in said

    def test_the_same_height_is_one_number(self):
        assert "end at nearly the same height" in self.three(n="1000")
        said = self.three(n="200", by="lbfgs", **{"lambda": "1"})
        assert "end at the same height" in said
        heights = re.search(r"each run: Zeros (\S+), Random A (\S+), Random B (\S+)\.", said)
        assert heights
        assert len(set(heights.groups())) == 1

    def test_one_iteration_is_one(self):
        for query in ({"corpus": "not-separable"}, {"by": "perceptron"}):
            said = told(opened("learning", n="1", **query))
            assert "After 1 iteration " in said
            assert "1 iterations" not in said


def test_a_path_through_a_forbidden_emission_has_no_forbidden_step():
    query = {"t": "A~B~C", "w": "x~y~z", "e": "x_0_1~1_2_0~0_x_x", "a": "0_1_0~1_0_0~0_0_2"}
    said = messages(opened("learning", gold="0.0.0", **query))
    assert "has a score of −∞ on it" in said
    assert "forbidden step" not in said


def test_a_loss_that_is_small_is_not_0():
    assert "300 steps : −log p = 2.08 × 10⁻⁴, p = 0.99979" in told(
        seen(ex="fish", alpha="5", steps="300")
    )


def test_a_derivative_of_0_has_no_sign():
    query = {"t": "A~B~C", "w": "x~y~z", "e": "32_0_0~0_32_0~0_0_33", "a": "0_0_0~.1_0_0~0_0_0"}
    said = told(seen(**query))
    assert "0.0000000" in said
    assert not re.search(r"−0\.0+(?![0-9])", said)


def test_training_until_convergence_says_how_many_iterations():
    app = seen(converge="1", **{"lambda": "1"})
    assert not app.exception
    assert re.search(r"has converged after \d+ iterations", told(app))
    assert "has not converged" in told(seen(converge="1", rate="0.001", **{"lambda": "1"}))


def test_the_probability_of_the_path_of_the_random_potentials_has_all_its_digits():
    assert "p = 2.69869828108e-08" in told(seen(model="pairs"))
