"""The trellis of a notebook and its stepper: what is drawn, pointed at, typed into."""

import pytest

from pages.shared.course.examples import EXAMPLES
from tests.browser.mounted import data_of, live, marks, numbers

OLD_MAN = EXAMPLES["old-man"].problem


class TestTrellis:
    def test_cells_stand_in_a_grid_and_edges_join_their_sides(self, draw):
        figure = draw(live("viterbi", OLD_MAN))
        figure.locator(".scrub").press("End")
        cells = {}
        for cell in marks(figure, ".cells > [data-cell]"):
            cells[tuple(numbers(cell["data-cell"]))] = cell["box"]
        grid = {at: box for at, box in cells.items() if 0 <= at[0] < 5}
        assert len(grid) == 20
        assert len({box["x"] for box in grid.values()}) == 5
        assert len({box["y"] for box in grid.values()}) == 4
        places = {
            (box["x"] + right * box["width"], box["y"] + box["height"] / 2)
            for box in grid.values()
            for right in (0, 1)
        }
        inner = [numbers(path["d"]) for path in marks(figure, ".all path")]
        assert len(inner) == 4 * 16 + 4 + 4  # from START and into END, too
        ends = [(x, y) for x1, y1, *_, x2, y2 in inner for x, y in ((x1, y1), (x2, y2))]
        close = [any(abs(x - u) < 1.6 and abs(y - v) < 0.1 for u, v in places) for x, y in ends]
        assert close.count(False) == 4 + 4  # at START and END
        rings = sorted(marks(figure, ".rings > .viterbi.outer.on"), key=lambda ring: ring["x"])
        for ring, at in zip(rings, enumerate([0, 2, 3, 0, 2]), strict=True):
            box = grid[at]
            assert ring["x"] < box["x"] < box["x"] + box["width"] < ring["x"] + ring["width"]
            assert ring["y"] < box["y"] < box["y"] + box["height"] < ring["y"] + ring["height"]


class TestStepper:
    @pytest.mark.hovers
    def test_what_is_pointed_at_lights_its_counterparts_and_says_so(self, draw):
        proto = live("viterbi", OLD_MAN)
        data, figure, at = data_of(proto), draw(proto), 10
        step = data["steps"][at]
        names = [":".join(map(str, [r["role"], *r["at"]])) for r in data["reads"]]
        figure.locator(".scrub").fill(str(at))

        def seen():
            cells = {cell["data-cell"] for cell in marks(figure, ".cells > .linked")}
            rows = [row["data-from"] for row in marks(figure, ".terms tr.linked, .stressed")]
            return cells, rows

        def shows(part, wanted):
            """Point at a part, again where the figure has moved away from under the pointer."""
            for _ in range(5):
                figure.page.mouse.move(3, 3)
                if part is not None:
                    part.hover()
                figure.page.wait_for_timeout(100)
                if seen() == wanted:
                    return
            assert seen() == wanted

        score = names[step["terms"][1]["reads"][1]]
        readers = [
            s
            for s in data["steps"]
            if s["kind"] == "cell"
            and score in [names[i] for term in s["terms"] for i in term["reads"]]
        ]
        everywhere = {f"{s['column']},{s['row']}" for s in readers}
        assert len(everywhere) == len(data["columns"]) - 1
        part = figure.locator(f".equation .now [data-read='{score}']")
        shows(part, (everywhere, []))
        for term, row in zip(step["terms"], figure.locator(".terms tbody tr").all(), strict=True):
            own = [names[i] for i in term["reads"][1:]]  # what is computed is no score
            shows(row.locator("th"), (set(), [term["from"]] * 2))
            score = row.locator(f"[data-read='{own[0]}']")
            shows(score, (set(), [term["from"]] * 2))
        shows(None, (set(), []))

    @pytest.mark.parametrize("address", ["viterbi", "forward"])
    def test_of_what_is_compared_all_but_the_best_loses(self, draw, address):
        proto = live(address, OLD_MAN)
        data, figure = data_of(proto), draw(proto)
        figure.locator(".scrub").fill("10")
        step = data["steps"][10]
        losing = {term["from"] for term in step["terms"]} - {step["back"]}
        lines = {line["data-from"] for line in marks(figure, ".incoming [d].loses")}
        assert lines == (losing if address == "viterbi" else set())

    def test_its_table_is_that_of_the_step_unless_one_writes_there(self, draw):
        proto = live("viterbi", EXAMPLES["pair-potentials"].problem)
        data, figure = data_of(proto), draw(proto)
        steps, table = data["steps"], figure.locator(".steps select")
        assert [steps[k]["gap"] for k in (21, 10)] == [3, 1]
        for k, gap in [(21, 3), (10, 1), (len(steps) - 3, steps[steps[-3]["via"]]["gap"])]:
            figure.locator(".scrub").fill(str(k))
            assert table.input_value() == str(gap)
        figure.locator(".scrub").fill("0")
        figure.locator(".transitions input").first.focus()
        figure.locator("[data-do=next]").evaluate("(next, n) => { while (n--) next.click() }", 21)
        assert figure.locator(".count").inner_text().startswith("22 / ")
        assert table.input_value() == "0"

    def test_its_tables_are_gone_through_by_keys_and_typed_into(self, draw):
        figure = draw(live("viterbi", OLD_MAN))
        keys = figure.page.keyboard

        def at():
            return figure.page.evaluate("document.activeElement.ariaLabel")

        def edits():
            found = figure.page.evaluate("window.said.filter(([name]) => name === 'edits')")
            return (
                [(e["op"], e["index"], e["text"]) for e in found[-1][1]["edits"]] if found else []
            )

        figure.get_by_label("Emission of The as DET", exact=True).focus()
        for key, place in [
            ("ArrowRight", "old as DET"),
            ("End", "boat as DET"),
            ("ArrowRight", "boat as DET"),
            ("ArrowLeft", "the as DET"),
            ("Home", "The as DET"),
            ("Enter", "The as ADJ"),
            ("Shift+Enter", "The as DET"),
        ]:
            keys.press(key)
            assert at() == f"Emission of {place}", key
        keys.type("73")
        keys.press("ArrowLeft")  # the caret moves
        keys.press("Backspace")
        assert (at(), edits()) == ("Emission of The as DET", [])
        keys.press("ArrowDown")
        wanted = [("emissions", [0, 0], "3")]
        assert (at(), edits()) == ("Emission of The as ADJ", wanted)
        keys.type("8")
        keys.press("Escape")
        assert (
            figure.get_by_label("Emission of The as ADJ", exact=True).input_value(),
            edits(),
        ) == ("−3", wanted)
        for key, text in [("ArrowUp", "−2.9"), ("Shift+ArrowUp", "−1.9")]:
            keys.press(key)
            wanted.append(("emissions", [0, 1], text))
            assert (at(), edits()) == ("Emission of The as ADJ", wanted)
