"""Fill the column: what is given suffices, what is right passes, what is wrong is named."""

import itertools
import math
import re

import pytest

from pages.shared.course.diagnosis import diagnose, telling_column
from pages.shared.course.problem import Problem
from pages.shared.figures import column as columns
from pages.shared.ui.fill_column import TRIES
from pages.shared.ui.view import VIEW, View
from tests.apps import html_of, learning_page, press
from tests.figures.recursions import EVERY, OLD_MAN
from tests.oracles import recursions as oracle

UNEVEN = Problem.blank(["A", "B", "C"], ["x", "y", "y", "z"]).per_step_form().random(3)
UNEVEN = UNEVEN.with_score("start", 1, math.log(0.3)).with_score("end", 0, -math.inf)
UNEVEN = UNEVEN.with_score("transitions", (1, 0, 2), -math.inf).with_score("end", 2, 0.12345)


def traced(problem, algorithm="forward", convention="state", semiring="sum"):
    return problem.trace(algorithm, convention=convention, semiring=semiring)


def number(text):
    """What a page's number says, which may be a power of ten."""
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
    for operation, text in re.findall(r"\. Then (add|multiply by) (.+?)(?=\. |\.$)", todo):
        value = value + number(text) if operation == "add" else value * number(text)
    return value


@pytest.mark.parametrize("how", EVERY)
@pytest.mark.parametrize("space", ["log", "probability"])
def test_doing_what_the_help_says_is_right(how, space):
    run = traced(UNEVEN, *how)
    for column in columns.columns(run):
        typed = [str(worked_out(run, column, row, space)) for row in range(3)]
        verdicts = diagnose(UNEVEN, run, column, typed, space)
        assert all(verdict.right for verdict in verdicts), (column, typed, run.table[column])


@pytest.mark.parametrize("how", EVERY)
def test_the_tables_hold_the_problem_s_scores_and_the_column_before(how):
    run = traced(UNEVEN, *how)
    for before, column in itertools.pairwise(columns.columns(run)):
        given = columns.given(run, column, "log")
        tables = {table.title.partition(",")[0]: table for table in given}
        into = max(columns.cells(run, c)[0].token for c in (before, column))
        if how[1] == "message":
            into = columns.cells(run, column)[0].token + (how[0] == "backward")
        matrix = [[number(cell) for cell in row[1:]] for row in tables["Transitions"].rows]
        for shown, expected in zip(matrix, UNEVEN.matrix(into), strict=True):
            assert shown == pytest.approx(expected, abs=5.01e-4)
        for name, *cells in tables["For each tag"].rows:
            shown = pytest.approx(list(map(number, cells)), abs=5.01e-4)
            if name.startswith("emission"):
                assert any(row == shown for row in UNEVEN.emissions)
            else:
                assert (run.table[before] if ", given" in name else getattr(UNEVEN, name)) == shown


@pytest.mark.parametrize("space", ["log", "probability"])
@pytest.mark.parametrize("form", ["forward pair sum", "backward message sum", "viterbi state max"])
def test_forms_on_the_page(form, space):
    names = ("algorithm", "convention", "semiring")
    app = learning_page(**dict(zip(names, form.split(), strict=True)), space=space)
    run = traced(OLD_MAN, *form.split())
    values = run.table[telling_column(OLD_MAN, run, columns.columns(run))]
    assert marks(check(app, values if space == "log" else map(math.exp, values))) == "✓" * 4


def test_which_columns_there_are():
    names = [columns.token_of(UNEVEN.trace(), c) for c in range(4)]
    assert names == ["x", "y (2)", "y (3)", "z"]
    big = OLD_MAN.with_score("emissions", (1, 0), 700)
    assert [columns.fits_floats(big.trace(), c) for c in (0, 1)] == [True, False]
    assert columns.fits_floats(UNEVEN.trace(), 3)  # −∞ is 0, an ordinary float


def fields(app):
    return [field for field in app.text_input if field.key and field.key.startswith("fill·")]


def held(app):
    return [field.value for field in fields(app)]


def labels(app):
    return [field.label for field in fields(app)]


def picker(app):
    return next((g for g in app.segmented_control if g.key.startswith("fill·column")), None)


def check(app, typed):
    for field, text in zip(fields(app), typed, strict=True):
        field.input(str(text))
    return next(b for b in app.button if "fill·form" in b.proto.form_id).click().run()


def marks(app):
    return "".join(re.findall(r'class="crf-mark[^>]*>([✓✗])', html_of(app)))


def helps(app):
    """When help is to come, as the page says it, and which there is."""
    promised = re.findall("After ([^<]*) the terms of a cell and the answer", html_of(app))
    offered = [e.label for e in app.expander if e.label.startswith("Show the")]
    return promised + offered


def alphas(problem, t):
    return [oracle.cell(problem, "state", "sum", t, s) for s in range(len(problem.tags))]


MAN = 2  # the first column in which no sum is near its largest term
RIGHT = [f"{alpha:.3f}" for alpha in alphas(OLD_MAN, MAN)]
OLD = alphas(OLD_MAN, MAN - 1)
WRONG = [  # by the transposed matrix
    f"{oracle.merge(map(sum, zip(OLD, row, strict=True)), 'sum') + own:.3f}"
    for row, own in zip(OLD_MAN.transitions, OLD_MAN.emissions[MAN], strict=True)
]
HELP = ["Show the terms of one cell", "Show the answer"]


def test_a_telling_column_is_asked_for_and_right_is_right():
    app = learning_page()
    assert labels(app) == [f"log α̂(man, {tag})" for tag in OLD_MAN.tags]
    assert helps(app) == [f"{TRIES} tries"]
    check(app, RIGHT)
    assert (marks(app), helps(app)) == ("✓✓✓✓", [])
    assert len(app.success) == 1
    assert "✗" in marks(check(app, WRONG))
    assert helps(app) == ["one more try"]  # what was right is no wrong try


def test_a_mistake_is_named_and_help_comes_after_some_tries():
    app = learning_page()
    for _ in range(TRIES + 1):
        check(app, [""] * 4)
    assert "DET, ADJ, NOUN, VERB" in app.error[0].value
    assert helps(app) == [f"{TRIES} tries"]  # empty fields are no try
    for expected in (["one more try"], HELP):
        check(app, WRONG)
        assert "transposed" in app.error[0].value
        assert helps(app) == expected
    assert f"{alphas(OLD_MAN, MAN)[1]:.2f}".replace("-", "−") in html_of(app)


def test_where_answers_are_hidden_there_is_no_help_and_no_next_column():
    app = learning_page()
    picker(app).set_value(3).run()
    assert labels(app)[0] == "log α̂(the, DET)"
    app.session_state[VIEW.key] = View(hide=frozenset({"answers"}))
    app.run()
    assert (picker(app), labels(app)[0]) == (None, "log α̂(man, DET)")
    for _ in range(TRIES + 1):
        check(app, WRONG)
    assert app.error
    assert helps(app) == []


def test_the_trellis_waits_before_the_column_that_is_asked_for():
    run, app = traced(OLD_MAN), learning_page(waits="1")
    for column in (MAN, 3):
        if column != MAN:  # with which it opens
            picker(app).set_value(column).run()
        before = run.steps.index(columns.cells(run, column)[0]) - 1
        assert app.session_state["forward.reached"] == before
    app.session_state["stepper·go"] = last = len(run.steps) - 1  # who wants to look may
    app.run()
    assert app.session_state["forward.reached"] == last


def test_of_many_tags_some_are_asked_for():
    own = [3, 9, 1, 8, 2, 7, 0, 6, 5]
    scores = f"{'_'.join('1' * 9)}~{'_'.join(map(str, own))}"
    app = learning_page(t="~".join("ABCDEFGHI"), w="x~y", e=scores)
    assert labels(app) == [f"log α̂(y, {tag})" for tag in "BDFHI"]
    assert "for these 5 of the 9 tags, those with its largest emissions" in html_of(app)
    right = [1 + math.log(9) + own["ABCDEFGHI".index(tag)] for tag in "BDFHI"]
    assert marks(check(app, [*right[:3], right[3] + 1, right[4]])) == "✓✓✓✗✓"
    assert marks(check(app, right)) == "✓" * 5


def test_a_right_cell_says_where_the_error_would_give_the_same():
    app = learning_page()
    picker(app).set_value(1).run()
    largest = [oracle.cell(OLD_MAN, "state", "max", 1, s) for s in range(4)]
    near = [abs(a - b) <= 0.01 for a, b in zip(alphas(OLD_MAN, 1), largest, strict=True)]
    assert marks(check(app, largest)) == "".join("✓" if close else "✗" for close in near)
    assert len(set(near)) == 2
    assert html_of(app).count("but so it would be with the error “max for sum”") == sum(near)


def test_each_column_keeps_its_entries_and_another_question_starts_empty():
    app = check(learning_page(), WRONG)
    picker(app).set_value(3).run()
    assert held(app) == [""] * 4
    picker(app).set_value(MAN).run()
    assert held(app) == WRONG
    for switch, value in (
        ("convention", "pair"),
        ("space", "probability"),
        ("forward.semiring", "max"),
    ):
        app = check(learning_page(), WRONG)
        app.segmented_control(key=f"lesson.{switch}").set_value(value).run()
        assert held(app) == [""] * 4
        assert not app.error
    app.session_state["bar.open"] = True
    check(app, WRONG).selectbox(key="bar.example").set_value("fish").run()
    assert {*held(app)} == {""}
    assert {*held(press(app, "Undo"))} == {""}


def test_what_is_odd():
    assert fields(learning_page(t="A~B", w="x", e="1_2", convention="message")) == []
    app = learning_page(t="A~B", w="x~y", e="800_2~900_1", space="probability")  # beyond floats
    assert labels(app)[0] == "log α̂(y, A)"
    right = ["1700", f"{801 + math.log1p(math.exp(-798)):.6f}"]
    assert marks(check(app, right)) == "✓✓"
    assert "<b>" not in html_of(learning_page(t="<b>A~$x$", w=":red[x]~y*0", e="1_2~0_1"))
