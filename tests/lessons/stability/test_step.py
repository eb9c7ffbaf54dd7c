"""Inside a step of a chain and exact values, in the lesson "Numerical stability"."""

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import computed
from pages.shared.ui.problem_state import SHARED
from pages.stability import growing, step
from pages.stability.chains import grow, log_space, repeated
from pages.stability.sums import exact_log_partition
from tests.apps import press, text_of
from tests.lessons.stability.reading import OLD_MAN, open_page


@pytest.mark.parametrize("name", ["bio", "pair-potentials", "one-token", "rib-rob"])
def test_inside_is_what_the_run_computed_and_a_long_chain_has_one_exact_sum(name):
    problem = EXAMPLES[name].problem
    assert float(exact_log_partition(problem)) == pytest.approx(
        problem.chain().log_partition.item(), rel=1e-12
    )
    tokens = 2 * len(problem.tokens) + 1
    tables = repeated(problem, tokens)
    longer = step.lengthened(problem, tokens).chain().log_partition.item()
    assert longer == pytest.approx(log_space(tables).log_z[-1].item(), rel=1e-12)
    for run in grow(tables):
        for t, column in enumerate(run.columns):
            for s, value in enumerate(column):
                found = step.inside(tables, run, t, s)
                assert found.value == pytest.approx(value, nan_ok=True), (run.method, run.dtype, t)
                assert len(found.before) == len(found.terms) == (len(column) if t else 0)


def test_it_opens_where_the_run_broke_and_every_digit_is_shown():
    app = open_page()
    run = growing.runs(OLD_MAN, 40)[2]
    assert (run.method, run.dtype) == ("probability", "float32")
    assert app.number_input(key=step.TOKEN.key).value == run.broke.token + 1
    said = text_of(app)
    assert ": inf = α" in said
    exact = f"{exact_log_partition(OLD_MAN)}"
    assert len(exact.replace(".", "")) == 25
    assert f"decimal arithmetic gives log Z = {exact}" in said
    assert "Exact, by decimal arithmetic with 25 digits: 95.0" in said


def test_a_click_on_a_curve_opens_its_step(session):
    run = growing.runs(OLD_MAN, 20)[9]
    for points in ([], [{}], [{"x": "7"}], [{"x": 0}], [{"x": 999, "curve_number": 0}]):
        session.state[step.CHART] = {"selection": {"points": points}}
        step.picked([run])
        assert step.TOKEN.key not in session.state
    session.state[step.CHART] = {"selection": {"points": [{"curve_number": 0, "x": 13}]}}
    step.picked([run])
    assert session.state[step.TOKEN.key] == 13
    assert (step.METHOD.value, step.FORMAT.value) == ("log", "bfloat16")


def test_the_way_to_forward():
    app = open_page(step="11")
    app.selectbox(key=step.TAG.key).set_value("NOUN").run()
    press(app, "See this step in the lesson Forward")
    assert not app.exception
    assert app.title[0].value == "Forward"
    problem = app.session_state[SHARED.key].problem
    assert problem.tokens == OLD_MAN.tokens * 3
    trellis = computed.trace(problem, "forward", "state", "sum")
    column = log_space(repeated(OLD_MAN, 12)).alphas[11].tolist()
    assert trellis.steps[11 * 4 + 2].log_value == pytest.approx(column[2], abs=1e-9)
    assert app.session_state["forward.reached"] == 11 * 4 + 2
    app = open_page(step="150", len="200")  # too long for Forward
    assert all("lesson Forward" not in b.label for b in app.button)
