"""Inside a step of a chain, in the lesson "Numerical stability", against plain floats."""

import math

import pytest

from pages.shared.ui import computed
from pages.shared.ui.problem_state import SHARED
from pages.stability import growing
from pages.stability import step as stability_step
from tests.lessons.stability.reading import (
    LARGEST,
    OLD_MAN,
    button,
    log_alphas,
    open_page,
    texts,
)


class TestInside:
    def test_where_it_broke(self):
        app = open_page()
        columns, _ = log_alphas(OLD_MAN, 200)
        broke = next(t for t, c in enumerate(columns) if max(c) > math.log(LARGEST["float32"]))
        assert app.number_input(key=stability_step.TOKEN.key).value == broke + 1
        assert ": inf = α" in texts(app)

    def test_a_click_on_a_curve(self, session):
        run = growing.runs(OLD_MAN, 20)[9]
        point = {"curve_number": 0, "x": 13}
        session.state[growing.CHART] = {"selection": {"points": [point]}}
        growing._picked([run])
        assert session.state[stability_step.TOKEN.key] == 13
        assert stability_step.METHOD.value == "log"
        assert stability_step.FORMAT.value == "bfloat16"

    @pytest.mark.parametrize(
        "points", [[], [{}], [{"x": "7"}], [{"x": 0}], [{"x": 999, "curve_number": 0}]]
    )
    def test_a_forged_click(self, session, points):
        session.state[growing.CHART] = {"selection": {"points": points}}
        growing._picked([growing.runs(OLD_MAN, 20)[0]])
        assert stability_step.TOKEN.key not in session.state

    def test_the_way_to_forward(self):
        app = open_page(step="11")
        app.selectbox(key=stability_step.TAG.key).set_value("NOUN").run()
        button(app, "See this step in the lesson Forward").click().run()
        assert not app.exception
        assert app.title[0].value == "Forward"
        problem = app.session_state[SHARED.key].problem
        assert problem.tokens == OLD_MAN.tokens * 3
        columns, _ = log_alphas(OLD_MAN, 12)
        trellis = computed.trace(problem, "forward", "state", "sum")
        assert trellis.steps[11 * 4 + 2].log_value == pytest.approx(columns[11][2], abs=1e-9)
        assert app.session_state["forward.reached"] == 11 * 4 + 2

    def test_too_long_for_forward(self):
        app = open_page(step="150", len="200")
        assert all("lesson Forward" not in b.label for b in app.button)
