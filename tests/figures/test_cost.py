"""What the lessons say of the cost of a recursion, counted one by one."""

import pytest

from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_potential
from pages.shared.figures import cost
from tests.figures.recursions import FORMS, OLD_MAN, SEMIRINGS, WITH_ENDS, plain, run
from tests.oracles import recursions as oracle


class TestCost:
    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_the_conventions_agree(self, semiring):
        traces = [run(WITH_ENDS, form, semiring) for form in FORMS]
        for found, trace in zip(cost.totals(traces), traces, strict=True):
            assert found.value == pytest.approx(oracle.total(WITH_ENDS, semiring), abs=1e-12)
            assert found.residual == abs(trace.log_total - traces[0].log_total) < 1e-12
            assert found.columns == (2 if trace.convention == "message" else 3)
            assert found.cells == 2 * found.columns + 1

    def test_enumerated(self):
        paths = enumerate_paths(WITH_ENDS)
        for semiring in SEMIRINGS:
            expected = oracle.total(WITH_ENDS, semiring)
            assert cost.enumerated(paths, semiring) == pytest.approx(expected)

    def test_growth(self):
        rows = cost.growth_rows(cost.growth(4, 5))
        assert rows[4] == ["5", "1,024", "1,023", str(4 * 4 * 3 + 3)]
        assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "10", "20", "50"]
        assert [row[0] for row in cost.growth_rows(cost.growth(2, 33))][-2:] == ["33", "50"]

    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_rearranged(self, semiring):
        text = cost.rearranged(OLD_MAN, run(OLD_MAN, "state", semiring))
        symbol = "α̂" if semiring == "sum" else "expδ"
        for row, tag in enumerate(OLD_MAN.tags[:2]):
            value = format_potential(oracle.cell(OLD_MAN, "state", semiring, 1, row))
            line = next(p for p in text.split("</p>") if plain(p).startswith(f"{symbol}₂({tag})"))
            assert plain(line).endswith(f"·ψ₂({tag})={value}")

    @pytest.mark.parametrize("semiring", SEMIRINGS)
    def test_rearranged_without_its_answers(self, semiring):
        trace = run(OLD_MAN, "state", semiring)
        text = plain(cost.rearranged(OLD_MAN, trace, values=False))
        assert "·ψ₂(DET)" in text
        for column in trace.table:
            for value in column:
                assert f"={format_potential(value)}" not in text

    @pytest.mark.parametrize("semiring", SEMIRINGS)
    @pytest.mark.parametrize("problem", [OLD_MAN, WITH_ENDS, EXAMPLES["one-token"].problem])
    def test_units_are_those_of_the_trace(self, problem, semiring):
        """Counted step by step."""
        text = cost.units(len(problem.tags), len(problem.tokens), semiring)
        steps = [s for s in run(problem, "state", semiring).steps if s.kind != "backtrace"]
        merged = [s for s in steps if s.kind == "total" or s.column > 0]
        terms = sum(len(s.terms) for s in merged)
        act = "additions of exponentials" if semiring == "sum" else "comparisons"
        assert act in text
        if len(problem.tokens) == 1:
            assert text.endswith(f"= {terms - 1} {act}.")
            return
        assert f"= {len(steps) - 1} cells, {len(steps)} with END" in text
        assert f"= {terms - len(problem.tags)} sums of two scores" in text
        assert f"{terms} − {len(merged)} = {sum(len(s.terms) - 1 for s in merged)}." in text

    @pytest.mark.parametrize("tags", [2, 4, 17])
    def test_where_the_gain_begins(self, tags):
        rows = [
            [int(n.replace(",", "")) for n in row]
            for row in cost.growth_rows(cost.growth(tags, 6))[:6]
        ]
        first = next(tokens for tokens, _, listed, recursion in rows if recursion < listed)
        assert rows[first - 2][2] == rows[first - 2][3]
        words = ["first", "second", "third", "fourth"]
        assert f"begins with the {words[first - 1]} token" in cost.gain_begins(tags, "sum")
        assert "nothing to gain" in cost.gain_begins(1, "sum")

    def test_memory(self):
        assert "4 · 5 = 20 cells do the work of 1,024 paths" in cost.memory(OLD_MAN, "sum")
