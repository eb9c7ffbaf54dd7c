"""Fill the column: what is given suffices, what is right passes, what is wrong is named."""

import itertools
import math
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.course.diagnosis import diagnose, telling_column
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures import column as columns
from pages.shared.ui import view as views
from pages.shared.ui.fill_column import TRIES
from pages.shared.ui.view import View

PAGE = Path(__file__).resolve().parents[1] / "browser" / "learning_page.py"
OLD_MAN = EXAMPLES["old-man"].problem
UNEVEN = Problem.blank(["A", "B", "C"], ["x", "y", "y", "z"]).per_step_form().random(3)
UNEVEN = UNEVEN.with_score("start", 1, math.log(0.3)).with_score("end", 0, -math.inf)
UNEVEN = UNEVEN.with_score("transitions", (1, 0, 2), -math.inf).with_score("end", 2, 0.12345)
EACH = [
    (algorithm, convention, semiring)
    for algorithm, semirings in (("forward", 2), ("backward", 2), ("viterbi", 1))
    for convention in ("state", "message", "pair")
    for semiring in ("max", "sum")[:semirings]
]


def traced(problem, algorithm, convention, semiring):
    return problem.trace(algorithm, convention=convention, semiring=semiring)


def number(text):
    """What a page's number says."""
    if "∞" in text:
        return -math.inf
    digits, times, power = text.strip("()").replace("−", "-").replace(",", "").partition(" × 10")
    signs = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    return float(digits) * (10.0 ** int(power.translate(signs)) if times else 1)


def worked_out(trace, column, row, space):
    """What somebody gets who does what the help says, with the numbers that it shows."""
    table, todo = columns.terms(trace, column, row, space)
    split, together = (" + ", sum) if space == "log" else (" · ", math.prod)
    terms = [together(map(number, line[1].split(split))) for line in table.rows]
    if "largest" in todo:
        value = max(terms)
    elif "log of the sum" in todo:
        whole = math.fsum(map(math.exp, terms))
        value = math.log(whole) if whole else -math.inf
    else:
        value = math.fsum(terms)
    for operation, text in re.findall(r", then (add|multiply by) ([^,]+?)(?=,|\.$)", todo):
        value = value + number(text) if operation == "add" else value * number(text)
    return value


class TestGiven:
    @pytest.mark.parametrize("how", EACH)
    @pytest.mark.parametrize("space", ["log", "probability"])
    def test_doing_what_the_help_says_is_right(self, how, space):
        run = traced(UNEVEN, *how)
        for column in columns.columns(run):
            typed = [str(worked_out(run, column, row, space)) for row in range(3)]
            verdicts = diagnose(UNEVEN, run, column, typed, space)
            assert all(verdict.right for verdict in verdicts), (column, typed, run.table[column])

    @pytest.mark.parametrize("how", EACH)
    def test_the_tables_hold_the_problem_s_scores_and_the_column_before(self, how):
        run = traced(UNEVEN, *how)
        order = columns.columns(run)
        for before, column in itertools.pairwise(order):
            tables = {
                table.title.partition(",")[0]: table for table in columns.given(run, column, "log")
            }
            into = max(columns.cells(run, c)[0].token for c in (before, column))
            if how[1] == "message":
                into = columns.cells(run, column)[0].token + (how[0] == "backward")
            matrix = tables["Transitions"]
            for i, j in itertools.product(range(3), repeat=2):
                shown = number(matrix.rows[i][j + 1])
                assert shown == pytest.approx(UNEVEN.matrix(into)[i][j], abs=5.01e-4)
            for name, *cells in tables["For each tag"].rows:
                if name.endswith(", given"):
                    expected = run.table[before]
                elif name.startswith("emission"):
                    expected = None
                    for row in UNEVEN.emissions:
                        if all(
                            abs(number(c) - e) < 5.01e-4 for c, e in zip(cells, row, strict=True)
                        ):
                            expected = row
                    assert expected is not None
                else:
                    expected = getattr(UNEVEN, name)
                assert list(map(number, cells)) == pytest.approx(expected, abs=5.01e-4)

    def test_the_matrix_of_the_step(self):
        run = UNEVEN.trace()
        table = columns.given(run, 3, "log")[1]
        assert [number(x) for x in table.rows[1][1:]] == pytest.approx(UNEVEN.matrix(3)[1])

    def test_tokens_of_one_name_are_told_apart(self):
        assert [columns.token_of(UNEVEN.trace(), c) for c in range(4)] == [
            "x",
            "y (2)",
            "y (3)",
            "z",
        ]

    def test_floats(self):
        big = OLD_MAN.with_score("emissions", (1, 0), 700)
        assert columns.fits_floats(big.trace(), 0)
        assert not columns.fits_floats(big.trace(), 1)
        assert columns.fits_floats(UNEVEN.trace(), 3)  # −∞ is 0, an ordinary float


def alpha(problem, t, s):
    """log of the sum over all prefixes that end in tag s at token t."""
    total = 0.0
    for before in itertools.product(range(len(problem.tags)), repeat=t):
        path = (*before, s)
        score = problem.start[path[0]] + sum(problem.emissions[k][y] for k, y in enumerate(path))
        score += sum(problem.transitions[i][j] for i, j in itertools.pairwise(path))
        total += math.exp(score)
    return math.log(total)


def transposed(problem, t, s):
    """The same one step on from the right column, by the transposed matrix."""
    terms = (alpha(problem, t - 1, i) + problem.transitions[s][i] for i in range(len(problem.tags)))
    return math.log(sum(map(math.exp, terms))) + problem.emissions[t][s]


def open_page(**query):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def fields(app):
    return [field for field in app.text_input if field.key and field.key.startswith("fill·")]


def picker(app):
    return next(g for g in app.segmented_control if g.key.startswith("fill·column"))


def check(app, typed):
    for field, text in zip(fields(app), typed, strict=True):
        field.input(str(text))
    return next(b for b in app.button if "fill·form" in b.proto.form_id).click().run()


def marks(app):
    shown = " ".join(block.proto.body for block in app.get("html"))
    return re.findall(r'class="crf-mark[^>]*>(.)', shown)


def help_offered(app):
    return [e.label for e in app.expander if e.label.startswith("Show the")]


def promised(app):
    """When help is to come, as the page says it."""
    text = " ".join(block.proto.body for block in app.get("html"))
    return re.findall("(After [^<]*) the terms of a cell and the answer can be shown", text)


MAN = 2  # the first column in which no sum is near its largest term
RIGHT = [f"{alpha(OLD_MAN, MAN, s):.3f}" for s in range(4)]
WRONG = [f"{transposed(OLD_MAN, MAN, s):.3f}" for s in range(4)]


class TestPage:
    def test_a_telling_column_is_asked_for_and_right_is_right(self):
        app = open_page()
        assert [f.label for f in fields(app)] == [f"log α̂(man, {tag})" for tag in OLD_MAN.tags]
        assert promised(app) == [f"After {TRIES} tries"]
        check(app, RIGHT)
        assert promised(app) == []
        assert marks(app) == ["✓"] * 4
        assert [box.value for box in app.success] == ["All right."]
        assert not app.error
        assert help_offered(app) == []

    def test_the_trellis_waits_before_the_column_that_is_asked_for(self):
        run = traced(OLD_MAN, "forward", "state", "sum")

        def before(column):
            return run.steps.index(columns.cells(run, column)[0]) - 1

        app = open_page(waits="1")
        assert app.session_state["forward.reached"] == before(MAN)
        picker(app).set_value(3).run()
        assert app.session_state["forward.reached"] == before(3)
        app.session_state["stepper·go"] = last = len(run.steps) - 1  # who wants to look may
        app.run()
        assert app.session_state["forward.reached"] == last

    def test_of_many_tags_some_are_asked_for(self):
        own = [3, 9, 1, 8, 2, 7, 0, 6, 5]
        app = open_page(
            t="~".join("ABCDEFGHI"), w="x~y", e=f"{'_'.join('1' * 9)}~{'_'.join(map(str, own))}"
        )
        assert [f.label for f in fields(app)] == [f"log α̂(y, {tag})" for tag in "BDFHI"]
        text = " ".join(block.proto.body for block in app.get("html"))
        assert "for these 5 of the 9 tags, those with its largest emissions" in text
        right = [1 + math.log(9) + own["ABCDEFGHI".index(tag)] for tag in "BDFHI"]
        check(app, [*right[:3], right[3] + 1, right[4]])
        assert marks(app) == ["✓", "✓", "✓", "✗", "✓"]
        check(app, right)
        assert marks(app) == ["✓"] * 5
        assert [box.value for box in app.success] == ["All right."]

    def test_transposed_transitions_are_named_and_help_comes_after_some_tries(self):
        app = open_page()
        for tries in range(1, TRIES + 1):
            check(app, WRONG)
            assert "transposed" in app.error[0].value
            assert "✗" in marks(app)
            offered = ["Show the terms of one cell", "Show the answer"]
            assert promised(app) == (["After one more try"] if tries == 1 else [])
            assert help_offered(app) == (offered if tries >= TRIES else [])
        text = " ".join(block.proto.body for block in app.get("html"))
        assert f"{alpha(OLD_MAN, MAN, 1):.2f}".replace("-", "−") in text

    def test_a_teacher_can_keep_the_answers_back(self):
        app = open_page(hide="answers")
        for _ in range(TRIES + 1):
            check(app, WRONG)
        assert app.error
        assert help_offered(app) == promised(app) == []

    def test_nor_can_the_next_column_be_chosen_that_shows_this_one_s_answers(self):
        app = open_page()
        picker(app).set_value(3).run()
        assert fields(app)[0].label == "log α̂(the, DET)"
        app.session_state[views.VIEW.key] = View(hide=frozenset({"answers"}))
        app.run()
        assert not [g for g in app.segmented_control if g.key.startswith("fill·column")]
        assert fields(app)[0].label == "log α̂(man, DET)"

    def test_a_right_cell_says_where_the_error_would_give_the_same(self):
        app = open_page()
        picker(app).set_value(1).run()
        largest = [
            max(alpha(OLD_MAN, 0, i) + OLD_MAN.transitions[i][s] for i in range(4))
            + OLD_MAN.emissions[1][s]
            for s in range(4)
        ]
        near = [abs(alpha(OLD_MAN, 1, s) - largest[s]) <= 0.01 for s in range(4)]
        check(app, largest)
        assert marks(app) == ["✓" if close else "✗" for close in near]
        assert len(set(near)) == 2
        text = " ".join(block.proto.body for block in app.get("html"))
        assert text.count("but so it would be with the error “max for sum”") == sum(near)

    def test_empty_fields_are_no_try(self):
        app = open_page()
        for _ in range(TRIES + 1):
            check(app, [""] * 4)
        assert help_offered(app) == []
        assert "DET, ADJ, NOUN, VERB" in app.error[0].value

    def test_what_is_right_is_no_wrong_try(self):
        app = open_page()
        check(app, RIGHT)
        check(app, RIGHT)
        check(app, WRONG)
        assert help_offered(app) == []

    def test_another_column_keeps_the_first_one_s_entries(self):
        app = open_page()
        check(app, WRONG)
        picker(app).set_value(3).run()
        assert [f.value for f in fields(app)] == [""] * 4
        assert fields(app)[0].label == "log α̂(the, DET)"
        picker(app).set_value(MAN).run()
        assert [f.value for f in fields(app)] == WRONG

    @pytest.mark.parametrize(
        "switch", ["lesson.convention", "lesson.space", "lesson.forward.semiring"]
    )
    def test_another_question_starts_empty(self, switch):
        app = open_page()
        check(app, WRONG)
        control = app.segmented_control(key=switch)
        control.set_value(_last(switch)).run()
        assert not app.exception
        assert [f.value for f in fields(app)] == [""] * 4
        assert not app.error

    def test_an_edit_of_the_problem_starts_empty(self):
        app = open_page()
        check(app, WRONG)
        app.session_state["bar.open"] = True
        app.run().selectbox(key="bar.example").set_value("fish").run()
        assert {f.value for f in fields(app)} == {""}
        next(b for b in app.button if b.label == "Undo").click().run()
        assert {f.value for f in fields(app)} == {""}

    @pytest.mark.parametrize(("algorithm", "convention", "semiring"), EACH)
    @pytest.mark.parametrize("space", ["log", "probability"])
    def test_every_form(self, algorithm, convention, semiring, space):
        app = open_page(algorithm=algorithm, convention=convention, semiring=semiring, space=space)
        assert not app.exception
        run = traced(OLD_MAN, algorithm, convention, semiring)
        column = telling_column(OLD_MAN, run, columns.columns(run))
        values = run.table[column]
        check(app, values if space == "log" else map(math.exp, values))
        assert marks(app) == ["✓"] * 4

    def test_one_token_in_message_form(self):
        app = open_page(t="A~B", w="x", e="1_2", convention="message")
        assert not app.exception
        assert fields(app) == []

    def test_potentials_beyond_floats_stay_logs(self):
        app = open_page(t="A~B", w="x~y", e="800_2~900_1", space="probability")
        assert fields(app)[0].label == "log α̂(y, A)"
        check(app, ["1700", f"{801 + math.log1p(math.exp(-798)):.6f}"])
        assert marks(app) == ["✓"] * 2

    def test_names_are_inert(self):
        app = open_page(t="<b>A~$x$", w=":red[x]~y*0", e="1_2~0_1")
        assert not app.exception
        assert "<b>" not in " ".join(block.proto.body for block in app.get("html"))


def _last(switch):
    return {
        "lesson.convention": "pair",
        "lesson.space": "probability",
        "lesson.forward.semiring": "max",
    }[switch]
