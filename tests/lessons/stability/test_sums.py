"""One sum and two at a time in the lesson "Numerical stability", against numpy and plain floats."""

import math
import re

import pytest

from pages.stability import own_scores
from pages.stability.number_formats import DTYPES
from tests.lessons.stability.reading import (
    INF,
    OLD_MAN,
    blocks,
    button,
    naive,
    open_page,
    read,
    table,
    texts,
    verdicts,
)
from tests.oracles import recursions as oracle


class TestOneSum:
    @pytest.mark.parametrize("preset", list(own_scores.PRESETS))
    def test_presets_against_numpy(self, preset):
        app = open_page()
        button(app, preset).click().run()
        assert not app.exception
        scores = own_scores.read(own_scores.PRESETS[preset][0])
        found = verdicts(app, "log Σ exp")
        for k in (0, 2, 3):
            value = naive(scores, DTYPES[k])
            assert read(found["As written"][k][0]) == pytest.approx(value, rel=2e-3), DTYPES[k]
        right = oracle.merge(scores, "sum")
        for way in ("Largest subtracted", "Two at a time"):
            cell = found[way][3]
            if right > -INF:
                assert read(cell[0]) == pytest.approx(right, rel=1e-6)
                assert cell[1] == "✓ right"
        if right == -INF:
            assert [cell[0] for cell in found["Largest subtracted"]] == ["nan"] * 4
            assert [cell[1] for cell in found["Two at a time"]] == ["✓ right: −∞"] * 4

    def test_exps_and_the_exact_value(self):
        app = open_page(q="2~-3.5")
        rows = table(app, "exp of each score")
        assert [row[0] for row in rows[1:]] == ["exp(2)", "exp(−3.5)"]
        assert read(rows[1][4]) == pytest.approx(math.exp(2), rel=5e-3)
        exact = re.search(r"25 digits: ([0-9.]+)", texts(app))[1].rstrip(".")
        assert float(exact) == pytest.approx(math.log(math.exp(2) + math.exp(-3.5)), rel=1e-15)

    def test_as_near_as_a_format_gets_is_not_called_right(self):
        """800.31 lies between 800 and 804 of bfloat16; nothing nearer can be written in it."""
        app = open_page(q="800~799")
        _, bfloat16, float32, _ = verdicts(app, "log Σ exp")["Largest subtracted"]
        assert bfloat16 == ("800", "✓ as near as bfloat16 gets", "off by 0.31")
        assert float32[1] == "✓ right"
        cells = "".join(blocks(app)).split("as near as bfloat16 gets")[0]
        assert cells.rpartition("<span")[2].startswith(' class="crf-about">')  # not in green
        why = "Near 800.3 two neighbouring numbers are 0.5 in float16 and 4 in bfloat16 apart."
        assert why in texts(app)
        assert "no way to compute gets nearer" not in texts(open_page(q="0"))

    def test_scores_are_moved_together(self):
        app = open_page(q="1~2")
        app.slider(key="stability.shift").set_value(800).run()
        found = verdicts(app, "log Σ exp")
        right = 800 + math.log(math.exp(1) + math.exp(2))
        assert found["As written"][3][:2] == ("inf", "✗ overflow")
        assert read(found["Largest subtracted"][3][0]) == pytest.approx(right)
        query = {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}
        assert query == {"q": "1~2", "shift": "800"}

    @pytest.mark.parametrize("typed", ["", "seven", "1, inf", "nan", "1e9", ",".join("1" * 21)])
    def test_what_cannot_be_read_is_refused_and_nothing_is_lost(self, typed):
        app = open_page(q="1~2")
        app.text_input(key="stability.scores").set_value(typed).run()
        assert not app.exception
        assert "expected" in app.warning[0].value
        value = read(verdicts(app, "log Σ exp")["Largest subtracted"][3][0])
        assert value == pytest.approx(math.log(math.exp(1) + math.exp(2)), rel=1e-6)

    def test_fractions_logarithms_and_minus_infinity(self):
        assert own_scores.read("2/4; log 2, −∞") == (0.5, math.log(2), -INF)

    def test_the_problem_s_last_column(self):
        app = open_page()
        button(app, "From the problem").click().run()
        value = read(verdicts(app, "log Σ exp")["Largest subtracted"][3][0])
        assert value == pytest.approx(oracle.total(OLD_MAN, "sum"), abs=1e-3)

    def test_of_no_path(self):
        app = open_page(ex="all-forbidden")
        button(app, "From the problem").click().run()
        assert not app.exception
        assert any("−∞ − (−∞) is nan" in info.value for info in app.info)


class TestGuess:
    def test_nothing_is_told_before(self):
        app = open_page(seen=False)
        assert "Largest subtracted" not in texts(app)

    @pytest.mark.parametrize(
        ("guess", "verdict"),
        [(["float16", "bfloat16", "float32"], "success"), (["float16"], "error"), ([], "error")],
    )
    def test_committed(self, guess, verdict):
        app = open_page(seen=False)
        pills = next(c for c in app.get("button_group") if c.key == "stability.guess")
        pills.set_value(guess)
        button(app, "Commit, then see").click().run()
        assert not app.exception
        said = getattr(app, verdict)
        assert "float16, bfloat16, float32" in said[0].value
        button(app, "No overflow").click().run()  # the guess was about other scores
        assert not app.success
        assert not app.error


def test_two_at_a_time():
    app = open_page()
    app.number_input(key="stability.a").set_value(2.0)
    app.number_input(key="stability.b").set_value(-20.0).run()
    header, *rows = table(app, "Two scores added")
    assert header[1:] == ["as written", "with log(1 + x)", "with log1p(x)", "exact"]
    assert [read(x) for x in rows[3][1:]] == pytest.approx([2 + math.exp(-22)] * 4, rel=1e-6)
    assert read(rows[0][1]) == 2
    line = next(b for b in blocks(app) if "crf-steps" in b and " ⊕ " in b)
    assert f"{2 + math.log1p(math.exp(-22)):.12g}" in line
