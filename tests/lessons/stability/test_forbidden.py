"""−10000 and −∞ in the lesson "Numerical stability"."""

import re

import pytest

from pages.shared.course.examples import EXAMPLES
from tests.lessons.stability.reading import INF, open_page, read, table, texts, verdicts
from tests.oracles import recursions as oracle


class TestForbidden:
    def test_no_path_left(self):
        app = open_page()
        found = verdicts(app, "log Z with −10000")
        assert [c[:2] for c in found["−10000"]] == [
            ("−10000", "✗ invented"), ("−9984", "✗ invented"), ("−9999", "✗ invented"),
            ("−9999", "✗ invented"),
        ]  # fmt: skip
        assert [c[1] for c in found["−∞, nothing handled"]] == ["✗ nan"] * 4
        assert [c[:2] for c in found["−∞, handled"]] == [("−inf", "✓ right: −∞")] * 4
        assert "8 in float16 and 64 in bfloat16" in texts(app)

    def test_below_the_lowest_number_of_float16(self):
        app = open_page()
        which = next(c for c in app.get("button_group") if c.key == "stability.which")
        which.set_value("long").run()
        assert verdicts(app, "log Z with −10000")["−10000"][0][1] == "✗ nan"

    @pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
    def test_columns_that_do_not_sum_to_1(self, dtype):
        app = open_page()
        for key, value in (("stability.which", "long"), ("stability.format3", dtype)):
            next(c for c in app.get("button_group") if c.key == key).set_value(value).run()
        sums = [read(x) for x in table(app, "Gradient with −10000")[-1][1:]]
        told = re.search(r"(\d+) of the 16 columns sum to between (\S+) and (\S+), not", texts(app))
        if dtype == "float64":
            assert told is None
            assert sums == [1] * 16
            return
        assert float(told[2]) == pytest.approx(min(sums), abs=6e-4)
        assert float(told[3]) == pytest.approx(max(sums), abs=6e-4)
        assert int(told[1]) >= sum(abs(x - 1) > 0.0015 for x in sums) > 8
        apart = {"bfloat16": 2.0 ** (16 - 7), "float32": 2.0 ** (16 - 23)}[dtype]
        assert f"are {apart:.3g} apart" in texts(app)

    @pytest.mark.parametrize("name", ["bio", "rib-rob", "old-man", "no-path"])
    def test_the_problem_on_screen(self, name):
        app = open_page(ex=name)
        which = next(c for c in app.get("button_group") if c.key == "stability.which")
        which.set_value("screen").run()
        assert not app.exception
        found = verdicts(app, "log Z with −10000")
        log_z = oracle.total(EXAMPLES[name].problem, "sum")
        assert read(found["−∞, handled"][3][0]) == pytest.approx(log_z, rel=1e-6)
        rows = table(app, "Gradient with −∞, handled")
        sums = [read(x) for x in rows[-1][1:]]
        assert sums == pytest.approx([float(log_z > -INF)] * len(sums))
        told = any("forbids nothing" in info.value for info in app.info)
        assert told == (name == "old-man")

    def test_a_row_of_nothing(self):
        rows = table(open_page(), "A row of −∞ only")[1:]
        assert [row[1] for row in rows] == ["nan", "−inf", "−inf"]
        assert [row[2] for row in rows] == ["nan, nan, nan", "nan, nan, nan", "0, 0, 0"]
