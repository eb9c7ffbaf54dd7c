"""The lesson "Learning" without a browser: every preset, bad input, the address, what it says."""

import io
import math
import re

import pandas as pd
import pytest

from pages.learning import payloads, sentence_section, training
from pages.learning.corpus import parse, preset_text
from pages.learning.corpus_section import PLACE, Place
from pages.learning.one_sentence import climb
from pages.learning.training import CorpusSettings
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.ui import computed
from pages.shared.ui.exports import Table
from pages.shared.ui.state import InvalidError
from tests.apps import fresh, html_of, messages, opened, press, text_of

OLD_MAN = EXAMPLES["old-man"].problem
BEST = (0, 2, 3, 0, 2)


def told(app) -> str:
    """All text on the page, without its markup."""
    return " ".join([text_of(app), *(part.value for part in app.markdown)])


def seen(*folds: str, **query: str):
    """The page, its guess answered by "just show me", some parts open."""
    app = fresh("learning", **query)
    app.session_state["guess.skipped"] = True
    for fold in folds or ("ways",):
        app.session_state[f"learning.fold.{fold}"] = True
    app.run()
    assert not app.exception
    return app


def test_a_guess_comes_before_the_gradient():
    app = opened("learning")
    assert "pair marginals" not in told(app)
    assert any("largest push" in radio.label for radio in app.radio)
    assert "pair marginals" in told(press(app, "Just show me"))
    for query, asked in (({}, False), ({"guess": "1"}, True)):
        labels = [radio.label for radio in opened("learning", steps="3", **query).radio]
        assert any("in the first step" in label for label in labels) == asked


def test_steps_undo_the_address_and_the_scores_for_every_lesson():
    app = seen()
    first = re.search(r"pushes together, is ([\d.]+) now", told(app))
    press(app, "Ten steps")
    app.button(key="learning.undo").click().run()
    now = re.search(r"after 9 steps it is ([\d.]+)", told(app))
    assert first
    assert now
    assert float(now[1]) < 0.2 * float(first[1])
    assert app.query_params["steps"] in ("9", ["9"])
    app = seen(steps="9")
    assert now[0] in told(app)
    p = re.search(r"9 steps: −log p = [\d.]+, p = ([\d.]+)", told(app))
    assert p
    press(app, "Use the learnt scores in every lesson")
    assert re.search(rf"0 steps: −log p = [\d.]+, p = {p[1]}", told(app))


def test_the_seeded_experiment_stands_on_the_page_in_three_ways():
    """The published numbers of numpy's legacy generator, seed 1111."""
    app = seen(model="seeded")
    for entry, golden in (("x[x1]", "0.03394788"), ("start[A]", "−0.17736447")):
        app.selectbox(key="learning.entry").set_value(entry).run()
        row = re.search(rf'<th scope="row">{re.escape(entry)}</th>(.*?)</tr>', html_of(app))
        assert row
        assert re.findall(r"[−.\d]+", row[1]) == [golden] * 3
    assert "p = 2.69869828108e-08" in told(seen(model="pairs"))


@pytest.mark.parametrize("score", ["-9e5", "9e5"])  # exp of it is 0, or beyond any float
def test_the_derivative_by_a_factor_of_any_size(score: str):
    app = seen(t="A~B", w="x~y", e=f"{score}_{score}~0_0", a="0_1~0_0")
    app.selectbox(key="learning.entry").select("e[x, A]").run()
    assert not app.exception
    assert "For e[x, A]:" not in told(app)


def test_the_other_methods_are_trained_once_and_drawn_as_a_table_of_small_flows(monkeypatch):
    trained = []

    def count(corpus, settings):
        trained.append((settings.optimiser, settings.transitions))
        return training.train(corpus, settings)

    monkeypatch.setattr(payloads, "train", count)
    app = seen("methods", n="37")
    app.run()
    assert sorted(trained) == [("ascent", False), ("ascent", True), ("perceptron", True)]
    assert html_of(app).count("data:image/svg+xml") == 20  # of four methods and five sentences


def test_a_place_of_a_run_is_checked():
    assert PLACE.read("3.4.tags.2.0") == Place(3, 4, ("tags", 2, 0))
    for forged in ("3.4.tags.2", "-3.4.tags.2.0", "3.4.__class__.2.0", "3.4.tags.2.²",
                   "99999.0.tags.0.0"):  # fmt: skip
        with pytest.raises(InvalidError):
            PLACE.read(forged)


def test_the_right_answer_of_the_guess_is_the_largest_push_alone():
    run = climb(OLD_MAN, BEST, 0.5, 0)
    options, right = sentence_section.choices(run)
    assert options[right] == "T[NOUN, VERB] up"
    rib = EXAMPLES["rib-rob"].problem  # four transitions get pushes of the same size
    run = climb(rib, (1, 3, 4), 0.5, 0)
    options, right = sentence_section.choices(run)
    slopes = run.gradient.transitions[0]

    def push(option: str) -> float:
        (i, j), up = option[2:].split("]")[0].split(", "), option.endswith("up")
        return slopes[rib.tags.index(i), rib.tags.index(j)].item() * (1 if up else -1)

    pushes = [push(option) for option in options]
    assert [k for k, p in enumerate(pushes) if p > max(pushes) - 1e-6] == [right]


def test_the_gradient_that_is_drawn_adds_up_and_is_a_file():
    run = climb(OLD_MAN, BEST, 0.5, 3)
    for table in [table for n in (0, 3) for table in payloads.gradient(run, n)["tables"]]:
        for expected, row in zip(table["expected"], table["places"], strict=True):
            for whole, places in zip(expected, row, strict=True):
                assert not places or sum(p for _, p in places) == pytest.approx(whole)
    rows = sentence_section.gradient_rows(run, 0)[1:]
    assert any(row[3] < 0 for row in rows)
    assert len(rows) == 4 * (4 + 4 + 2)


def test_the_right_path_stays_when_an_edit_makes_another_the_best():
    app = seen()
    press(app, "Ten steps")
    assert "gold" not in app.query_params
    noun, verb = OLD_MAN.tags.index("NOUN"), OLD_MAN.tags.index("VERB")
    shared = app.session_state["shared_problem"]
    shared.problem = OLD_MAN.with_score("transitions", (noun, verb), -1.0)
    app.run()
    right = tuple(computed.best_path(OLD_MAN))
    assert tuple(computed.best_path(shared.problem)) != right
    assert app.query_params["gold"] == ".".join(map(str, right))
    assert "steps" not in app.query_params  # they were taken from other scores
    shared.problem = OLD_MAN.with_score("transitions", (noun, verb), -math.inf)
    app.run()
    assert "a score of −∞ on it" in messages(app)
    press(app, "Take the best path instead")
    assert "a score of −∞ on it" not in messages(app)
    other = EXAMPLES["three-one-three"].problem
    shared.problem, shared.origin = other, shared.origin._replace(problem=other)
    assert "gold" not in app.run().query_params


def test_unlikely_tags_of_many_are_left_out():
    problem = Problem.blank(tuple("ABCDEFGHIJ"), ("x", "y"))
    for t in (0, 1):
        for s in range(2, 10):
            problem = problem.with_score("emissions", (t, s), -20.0)
    run = climb(problem, (0, 9), 0.1, 1)
    first = payloads.gradient(run, 0)["tables"][0]
    assert first["rows"] == ["START", "A", "B", "J"]
    assert first["observed"][1] == [0, 0, 1, 0]


def test_the_record_is_a_csv_of_every_iteration():
    run = payloads.run(parse(preset_text("fish")), CorpusSettings(iterations=5))
    table = pd.read_csv(io.StringIO(Table.of_frame(run.record).csv()))
    assert len(table) == 6
    assert {"nll", "gradient_norm", "tags_1", "w[fish,NOUN]", "T[PRON,VERB]"} <= set(table.columns)


@pytest.mark.parametrize(
    ("query", "codes"),
    [({"ex": "one-token"}, "C"), ({"t": "A~B", "w": "x~y", "wrong": "C"}, "AB"),
     ({"ex": "time-flies"}, "ABC"), ({"t": "A~B", "w": "x", "e": "1_0"}, "")],
)  # fmt: skip
def test_only_codes_whose_fault_shows_are_asked_for(query: dict[str, str], codes: str):
    app = seen("fault", **query)
    groups = [group for group in app.get("button_group") if group.key == "learning.wrong"]
    assert [option for group in groups for option in group.options] == list(codes)
    assert (f"{len(codes)} can be seen" in told(app)) == (len(codes) < 3)
    asked = [radio for radio in app.radio if "Which fault" in radio.label]
    assert len(asked) == bool(codes)
    for answer in (0, 2) if codes == "AB" else ():  # both faults turn each ¼ into ½ here
        next(radio for radio in app.radio if "Which fault" in radio.label).set_value(answer)
        press(app, "Check")
        assert "another fault leads to the same numbers" in app.success[0].value


def test_the_sum_behind_an_entry_of_a_model_with_inputs_is_written_out():
    app = seen(model="inputs", inputs="x = 1 2\nW = 3 0\nP = 0 0; 0 0\nstart = 0 0\npath = 0 1")
    app.selectbox(key="learning.entry").set_value("x[x1]").run()
    assert "∂ log p / ∂ x[x1] = 3 · (1 − 0.9526) + 0 · (0 − 0.0474) = 0.14227762" in told(app)


def test_the_same_word_twice_has_two_names_among_the_derivatives():
    app = seen(ex="fish", alpha="5", steps="300")
    assert "300 steps: −log p = 2.08 × 10⁻⁴" in told(app)
    names = app.selectbox(key="learning.entry").options
    assert len(set(names)) == len(names)
    assert {"e[Fish, NOUN]", "e[fish (2), NOUN]", "e[fish (3), NOUN]"} <= set(names)
