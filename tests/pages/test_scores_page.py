"""The page "Scores": its parts computed independently, the page on every example."""

import json
import math
import re
from itertools import pairwise, product
from pathlib import Path

import pytest

from pages.scores import path_picker, path_questions, path_sections
from pages.shared.course.brute_force import count_paths
from pages.shared.course.examples import DEFAULT, EXAMPLES
from pages.shared.course.exercises import Exercise
from pages.shared.course.problem import Problem
from pages.shared.figures import path_score
from pages.shared.ui.problem_state import ADDRESS_KEYS
from tests.apps import opened
from tests.pages import path_oracle

ROOT = Path(__file__).resolve().parents[2]
OLD_MAN = EXAMPLES[DEFAULT].problem
EVERY = list(EXAMPLES)


def open_page(**query):
    return opened("scores", **query)


def texts(app):
    return " ".join(block.proto.body for block in app.get("html"))


# ---------------------------------------------------------------------- the parts


class TestTerms:
    @pytest.mark.parametrize("name", EVERY)
    def test_add_up_to_the_score(self, name):
        problem = EXAMPLES[name].problem
        S, m = len(problem.tags), len(problem.tokens)
        path = tuple(t % S for t in range(m))
        terms = path_score.terms(problem, path)
        assert len(terms) == 2 * m + 1
        assert terms[-1].running == pytest.approx(path_oracle.path_score(problem, path))
        for before, term in pairwise(terms):
            assert term.running == pytest.approx(before.running + term.value)

    def test_each_names_its_entry(self):
        problem = OLD_MAN.per_step_form().with_score("transitions", (1, 1, 2), 8)
        for term in path_score.terms(problem, (0, 1, 2, 3, 0)):
            table, *index = term.read.split(":")
            i = tuple(map(int, index))
            if table == "transition" and term.value == 8:
                assert i == (1, 2)
            elif table != "transition":
                name = "emissions" if table == "emission" else table
                assert term.value == problem.score_at(name, i)
        assert [term.role for term in path_score.terms(problem, (0, 1, 2, 3, 0))][:4] == [
            "start", "emission", "transition", "emission"
        ]  # fmt: skip


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


class TestStanding:
    @pytest.mark.parametrize("path", [(0, 2, 3, 0, 2), (0, 1, 2, 0, 2), (3, 3, 3, 3, 3)])
    def test_against_enumeration(self, path):
        place = path_sections.standing(OLD_MAN, path)
        log_z = path_oracle.log_partition(OLD_MAN)
        score = path_oracle.path_score(OLD_MAN, path)
        assert place.score == pytest.approx(score)
        assert place.log_z == pytest.approx(log_z)
        assert place.log_p == pytest.approx(score - log_z)
        every = product(range(4), repeat=5)
        assert place.best == pytest.approx(max(path_oracle.path_score(OLD_MAN, y) for y in every))

    def test_rank(self):
        path = (0, 1, 2, 0, 2)
        own = path_oracle.path_score(OLD_MAN, path)
        every = product(range(4), repeat=5)
        rank = 1 + sum(path_oracle.path_score(OLD_MAN, y) > own + 1e-9 for y in every)
        assert f"number {rank} of 1,024 paths" in path_sections._rank(OLD_MAN, path)

    def test_ties_and_too_many(self):
        blank = Problem.blank(["A", "B"], ["x", "y"])
        assert "shared with 3 more" in path_sections._rank(blank, (0, 0))
        large = Problem.blank(["A", "B"], ["x"] * 15)
        assert count_paths(large) == 2**15
        assert "not counted" in path_sections._rank(large, (0,) * 15)

    def test_words(self):
        best = path_score.Standing(2.0, 3.0, 2.0, -1.0)
        assert path_score.comparison(best) == "No path scores more."
        behind = path_score.Standing(1.0, 3.0, 2.0, -2.0)
        assert f"exp(1.00) = {math.e:.2f} times" in path_score.comparison(behind)
        assert "is 2.00: the loss" in path_score.nll(behind)
        never = path_score.Standing(-math.inf, 3.0, 2.0, -math.inf)
        assert "forbidden" in path_score.comparison(never)
        assert "∞" in path_score.nll(never)

    def test_no_path_allowed(self):
        never = Problem.blank(["A"], ["x"]).with_score("start", 0, -math.inf)
        assert path_sections.standing(never, (0,)) is None
        assert path_sections.best_path(never) == (0,)


class TestDiagnosis:
    SEEDS = range(1, 30)

    @pytest.mark.parametrize(
        ("fault", "part"),
        [
            ("wrong way round", "transposed"),
            ("start score is missing", "start"),
            ("end score is missing", "end"),
        ],
    )
    def test_a_planted_error_is_named(self, fault, part):
        found = 0
        for seed in self.SEEDS:
            exercise = Exercise(seed, "path-score", "medium")
            problem, path = exercise.problem, exercise.path
            right = path_oracle.path_score(problem, path)
            wrong = right - sum(
                problem.transitions[i][j] - problem.transitions[j][i] for i, j in pairwise(path)
            )
            if part != "transposed":
                wrong = right - getattr(problem, part)[path[0 if part == "start" else -1]]
            assert exercise.answer().numbers[0] == pytest.approx(right)
            if abs(wrong - right) > 0.05:
                found += fault in path_score.diagnose(problem, path, wrong)
        assert found > len(self.SEEDS) / 2


def test_the_picker_draws_the_problem():
    data = path_picker.picker_data(OLD_MAN, (0, 2, 3, 0, 2))
    assert data["emissions"][1][1][0] == "2.00"
    assert data["transitions"][0][0][3] == "−3.00"
    assert data["total"] == f"{path_oracle.path_score(OLD_MAN, (0, 2, 3, 0, 2)):.2f}"
    assert json.dumps(data, allow_nan=False)


@pytest.mark.parametrize(
    "choice",
    [
        None, 3, {}, {"path": [0] * 5}, {"client": "x", "serial": "1", "path": [0] * 5},
        *({"client": "x", "serial": 1, "path": path} for path in (
            None, [0] * 4, [0] * 6, [4] + [0] * 4, [-1] + [0] * 4, [True] + [0] * 4,
            [0.0] * 5, ["0"] * 5, [[0]] * 5, [10**30] * 5, "00000",
        )),
    ],
)  # fmt: skip
def test_a_forged_path_is_none(choice):
    assert path_picker.check_choice(choice, OLD_MAN) is None


def test_a_path_from_the_browser():
    choice = {"client": "x", "serial": 1, "path": [0, 1, 2, 3, 0]}
    assert path_picker.check_choice(choice, OLD_MAN) == (0, 1, 2, 3, 0)


def test_two_paths_differ_clearly():
    for seed in range(20):
        first, second = path_sections.two_paths(OLD_MAN, seed)
        scores = [path_oracle.path_score(OLD_MAN, path) for path in (first, second)]
        assert abs(scores[0] - scores[1]) > 0.2
    assert path_sections.two_paths(OLD_MAN.zeros(), 1) is None
    assert path_sections.two_paths(OLD_MAN.zeros(), 2) is None


@pytest.mark.parametrize("name", EVERY)
def test_the_best_path_is_never_offered(name):
    problem = EXAMPLES[name].problem
    best = path_sections.best_path(problem)
    offered = [path_sections.two_paths(problem, seed) for seed in range(12)]
    assert all(pair is None or best not in pair for pair in offered)


def test_with_an_even_seed_emissions_alone_mislead():
    def emitted(path):
        return math.fsum(OLD_MAN.emissions[t][s] for t, s in enumerate(path))

    def misled(seed):
        a, b = path_sections.two_paths(OLD_MAN, seed)
        more = path_oracle.path_score(OLD_MAN, a) > path_oracle.path_score(OLD_MAN, b)
        return (emitted(a) > emitted(b)) != more

    assert all(misled(seed) for seed in range(0, 40, 2))
    assert not all(misled(seed) for seed in range(1, 40, 2))


def test_a_row_that_sums_to_1_is_not_shown_as_one_that_does_not():
    hmm = [[math.log(0.5)] * 2, [math.log(0.25), math.log(0.75)]]
    both = Problem(("A", "B"), ("x", "y"), [[0.0, 0.0]] * 2, hmm, [0.0] * 2, [0.0] * 2)
    assert path_sections._row_unlike_an_hmm(both, 0) is None
    one = Problem(
        ("A", "B"), ("x", "y"), [[0.0, 0.0]] * 2, [hmm[0], [1.0, 2.0]], [0.0] * 2, [0.0] * 2
    )
    name, total = path_sections._row_unlike_an_hmm(one, 0)
    assert name == "B"
    assert math.exp(total) == pytest.approx(math.exp(1) + math.exp(2))
    assert path_sections._row_unlike_an_hmm(one, 1)[0] == "B"


def test_the_potential_given_for_the_score_is_recognised():
    path = (0, 2, 3, 0, 2)
    score = path_oracle.path_score(OLD_MAN, path)
    assert "potential" in path_score.diagnose(OLD_MAN, path, math.exp(score))
    assert "potential" not in path_score.diagnose(OLD_MAN, path, math.exp(score) * 1.02)


# ---------------------------------------------------------------------- the page


@pytest.mark.parametrize("name", EVERY)
def test_every_example(name):
    app = open_page(ex=name)
    assert not app.exception
    assert app.title[0].value == "Scores"
    problem = EXAMPLES[name].problem
    subject, path = app.session_state[path_sections.PATH]
    assert subject[1:] == (len(problem.tags), len(problem.tokens))
    assert path == path_sections.best_path(problem)
    if count_paths(problem) <= 5000:
        log_z = path_oracle.log_partition(problem)
        if log_z == -math.inf:
            assert "No path is allowed" in app.warning[0].value
            return
        score = path_oracle.path_score(problem, path)
        shown = texts(app)
        p = path_score.theme.probability(math.exp(score - log_z))
        sums = re.findall('<span class="crf-big">(.*?)</span>', shown)
        assert sums[0] == p
        assert path_oracle.printed(score).search(sums[1])
        assert path_oracle.printed(abs(log_z)).search(sums[2])


def test_buttons_choose_paths():
    app = open_page()
    app.button(key="scores.Greedy").click().run()
    assert app.session_state[path_sections.PATH][1] == (0, 1, 2, 0, 2)
    app.button(key="scores.Best path").click().run()
    assert app.session_state[path_sections.PATH][1] == (0, 2, 3, 0, 2)


@pytest.mark.parametrize("forged", ["x", (), ("a", "b"), (None, (9, 9, 9, 9, 9)), 7])
def test_a_forged_session_path_is_replaced(forged):
    app = open_page()
    app.session_state[path_sections.PATH] = forged
    app.run()
    assert not app.exception
    assert app.session_state[path_sections.PATH][1] == (0, 2, 3, 0, 2)


def test_the_path_starts_anew_with_another_problem():
    app = open_page(ex="three-one-three", y="1~1~1")
    assert app.session_state[path_sections.PATH][1] == (1, 1, 1)
    app.selectbox(key="bar.example").set_value("three-one-three-steady").run()
    problem = EXAMPLES["three-one-three-steady"].problem
    assert app.session_state[path_sections.PATH][1] == path_sections.best_path(problem)


def test_the_editor_opens_on_every_example():
    app = open_page()
    app.toggle(key="bar.editing").set_value(True).run()
    for name in EVERY:
        app.selectbox(key="bar.example").set_value(name).run()
        assert not app.exception, name


def test_fills_and_steps():
    app = open_page()
    app.toggle(key="bar.editing").set_value(True).run()
    app.button(key="editor·All zero").click().run()
    assert "number 1 of 1,024 paths, a rank shared with 1,023 more" in texts(app)
    app.toggle(key="editor·steps").set_value(True).run()
    app.toggle(key="editor·folded").set_value(True).run()
    assert "&lt;ROOT&gt;" in texts(app)
    assert not app.exception


def test_the_folded_matrix_has_the_digits_of_the_tables_it_folds():
    app = open_page(ex="bio")
    app.toggle(key="bar.editing").set_value(True).run()
    app.toggle(key="editor·folded").set_value(True).run()
    score = EXAMPLES["bio"].problem.transitions[0][1]
    assert (
        f"{score:.2f}".replace("-", "−")
        in texts(app).split("Folded transitions")[-1].split("</table>")[0]
    )


def test_the_exercise_is_checked():
    app = open_page()
    seed = app.session_state[path_questions._SEED]
    exercise = Exercise(seed, "path-score", "medium")
    right = path_oracle.path_score(exercise.problem, exercise.path)
    for answer, verdict in ((f"{right:.1f}", "success"), (f"{right + 50:.1f}", "error")):
        app.text_input(key=f"scores.answer.{seed}").set_value(answer)
        next(b for b in app.button if b.label == "Check").click().run()
        assert len(app.get(verdict) or getattr(app, verdict)) == 1
        assert "Show the calculation" not in [e.label for e in app.expander]
    assert "Add one start" in app.error[0].value  # a hint, and one more try
    assert app.error[0].value.endswith("Try once more\\.")
    next(b for b in app.button if b.label == "Check").click().run()
    assert "Show the calculation" in [e.label for e in app.expander]
    app.text_input(key=f"scores.answer.{seed}").set_value("seven")
    next(b for b in app.button if b.label == "Check").click().run()
    assert "expected a number" in app.warning[0].value.replace("\\", "")


def test_a_verdict_stays_when_the_other_question_is_answered():
    app = open_page()
    seed = app.session_state[path_questions._SEED]
    field = app.text_input(key=f"scores.answer.{seed}")
    field.set_value("1000")
    next(b for b in app.button if b.label == "Check").click().run()
    hint = app.error[0].value
    next(r for r in app.radio if "scores more" in r.label).set_value(0)
    next(b for b in app.button if b.label == "Commit, then see").click().run()
    assert hint in [error.value for error in app.error]  # and it is not counted again
    assert "Show the calculation" not in [e.label for e in app.expander]
    app.text_input(key=f"scores.answer.{seed}").set_value(" ")
    next(b for b in app.button if b.label == "Check").click().run()
    assert hint not in [error.value for error in app.error]


def test_the_address_keeps_out_of_the_way():
    assert path_sections.ADDRESS not in ADDRESS_KEYS
