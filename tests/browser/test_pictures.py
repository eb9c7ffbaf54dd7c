"""What components draw, by themselves in an empty page: places and sizes are what their data say.

Drawn by `training`, `cells`, `picker`, `layers`, `batch`, `slabs`, `gradient` of
`heat` and `code`; the flow, the trellis, tree and graph, what is saved have files of their own.
"""

import pytest
from playwright.sync_api import expect

from crf.figures.heat.payload import Probabilities, payload
from pages.shared.contents import COURSE
from tests.browser.mounted import (
    WHOLE,
    component,
    data_of,
    marks,
    near,
    numbers,
    redrawn,
    sent,
)
from tests.browser.test_every_page import CUT_OFF


@pytest.mark.parametrize("address", [entry.address for entry in COURSE if not entry.is_door])
def test_every_number_is_finite_no_text_covers_another_and_tab_stops_once(draw, address):
    for proto in sent(address).values():
        figure = draw(proto)
        assert figure.evaluate(WHOLE) == [], proto.component_name
        assert figure.evaluate(CUT_OFF) == [], proto.component_name


def test_one_cell_of_a_table_answers_to_tab_and_the_arrows_move_it(draw):
    table = Probabilities("a", "rst", "xyzw", [[0.25] * 4] * 3, lambda i, j: f"{i} {j}", [(1, 2)])
    figure = draw(component("crf/figures/heat", payload(table) | {"serial": 1.0}))
    reached = figure.locator("button[tabindex='0']")

    def at():
        return reached.evaluate_all("(found) => found.map((e) => e.title)")

    assert at() == ["1 2"]
    reached.focus()
    for key, place in [
        ("ArrowRight", "1 3"),
        ("ArrowRight", "1 3"),
        ("ArrowUp", "0 3"),
        ("ArrowLeft", "0 2"),
    ]:
        figure.page.keyboard.press(key)
        assert at() == [place]
    for key in ("x", "Alt+ArrowDown", "Control+ArrowDown", "Meta+ArrowDown"):  # are not for it
        figure.page.keyboard.press(key)
        assert at() == ["0 2"]
    figure.locator("button").nth(4).click()
    assert at() == ["1 0"]
    assert figure.page.evaluate("window.said") == [["pick", [1, 0]]]


def test_a_figure_stays_where_newer_data_have_overtaken_older_ones(draw):
    """All data that come while its module is loaded come in a row, and older calls are ended."""

    def heat(p):
        table = Probabilities("a", "r", "xy", [[p, 1 - p]], lambda i, j: f"{i} {j}")
        return component("crf/figures/heat", payload(table) | {"serial": 1.0})

    figure = draw(heat(0.25))
    redrawn(figure, heat(0.5), heat(0.75))
    expect(figure).to_contain_text(".75")
    ended = "e => e.closest('.crf-figure').crfFigure.model.signal.aborted"
    assert not figure.evaluate(ended)  # it would hear of nothing any more


def turned(figure, by):
    """Whether a presenter's key found a step to take, and where the slider is then."""
    event = f"new CustomEvent('crf:turn', {{ detail: {by}, cancelable: true }})"
    taken = figure.page.evaluate(f"!document.dispatchEvent({event})")
    return taken, figure.locator("input").input_value()


def test_a_format_is_a_bar_from_its_least_to_its_largest_number(draw):
    proto = sent("stability")["numberline"]
    data = data_of(proto)
    figure = draw(proto)
    whole = marks(figure, ".ghost")[0]

    def x(nats):
        return whole["x"] + whole["width"] * (nats - data["low"]) / (data["high"] - data["low"])

    for bar, kind in zip(marks(figure, ".bar"), data["formats"], strict=True):
        assert (bar["x"], bar["x"] + bar["width"]) == (near(x(kind["low"])), near(x(kind["high"])))
    named = {tick["text"]: tick["nats"] for tick in data["ticks"]}
    ticks = marks(figure, "text.small[text-anchor]")
    assert len(ticks) > 3
    assert [t["x"] for t in ticks] == [near(x(named[t["text"]])) for t in ticks]
    slider = figure.locator("input")
    for at in (1, 40, len(data["logs"])):
        slider.fill(str(at))
        nats = data["logs"][at - 1]
        assert numbers(marks(figure, ".at")[0]["transform"])[0] == near(
            min(x(nats), x(data["high"]))
        )
        held = [kind["low"] <= nats <= kind["high"] for kind in data["formats"]]
        assert [
            text == "✓" for text in figure.locator("text.lost, text.held").all_text_contents()
        ] == held
    slider.fill("40")
    assert turned(figure, 1) == (True, "80")
    assert turned(figure, 1) == (True, "160")
    assert [turned(figure, -1) for _ in range(3)] == [(True, "80"), (True, "40"), (False, "40")]
    slider.fill(str(len(data["logs"])))
    assert turned(figure, 1) == (False, str(len(data["logs"])))


def test_a_batch_goes_from_column_to_column_and_back_along_its_best_paths(draw):
    data = data_of(sent("batches")["batch_loop"]) | {"step": 0}
    shown = data["drawing"]
    figure = draw(component("pages/batches/batch_loop", data))
    tags, length, symbol = len(shown["tags"]), len(shown["rows"][0]["words"]), shown["total"]
    last = len(shown["captions"]) - 1
    for step, caption in enumerate(shown["captions"]):
        assert figure.locator(".caption").inner_text() == caption
        cells = marks(figure, ".array .cell")
        assert len(cells) == 2 * tags * length
        for k, cell in enumerate(cells):
            row, s, t = shown["rows"][k // (tags * length)], k // length % tags, k % length
            text = row["kept"][t][s][0] if t < step else ""
            if step == 0 and row["mask"][t]:
                text = row["emissions"][t][s][0]
            assert cell["text"] == text
            states = set(cell["class"].split())
            assert ("carried" in states) == (not row["mask"][t] and (t < step or step == 0))
            assert ("now" in states) == (t == step - 1)
        totals = marks(figure, ".array .total")
        for total, row in zip(totals, shown["rows"], strict=True):
            assert total["text"] == (symbol + row["total"] if step >= row["totalAt"] else "")
            assert ("fell" in total["class"]) == (step == row["totalAt"])
        sides = [mark["class"].split()[-1] for mark in marks(figure, ".where td.cell")]
        for b, row in enumerate(shown["rows"] if step else []):
            pair = ["chosen"] * tags + ["out"] * tags  # new, old
            wanted = pair if row["mask"][step - 1] else pair[::-1]
            assert sides[2 * b * tags : 2 * (b + 1) * tags] == wanted
        if step % 2:
            figure.locator(".on").evaluate("(button) => button.click()")
        else:
            assert turned(figure, 1) == (step < last, str(min(step + 1, last)))
    assert not turned(figure, 1)[0]


def test_a_sum_tells_its_parts_and_lights_them(draw):
    data = data_of(sent("batches")["broadcast_slabs"])
    figure = draw(component("pages/batches/broadcast_slabs", data))
    sums = [(i, j) for i in (0, 1) for j in (0, 1)]
    for button, (i, j) in zip(figure.locator("button").all(), sums, strict=True):
        button.focus()
        (left, right), whole = data["layers"][0]["operands"], data["layers"][0]["sum"][i][j][0]
        told = f"[{i}, {j}] = {left[i][0][0]} + {right[0][j][0]} = {whole}"
        assert figure.locator(".told").inner_text() == told
        tables = figure.locator("table").all()
        lit = [table.locator("td.lit").count() for table in tables]
        assert lit == [1 + (j > 0), 1 + (i > 0), 1]  # the number itself, and its copy
    keys = figure.page.keyboard
    for key, at in [("ArrowLeft", "0·1·0"), ("ArrowUp", "0·0·0"), ("ArrowRight", "0·0·1")]:
        keys.press(key)
        assert figure.page.evaluate("document.activeElement.dataset.at") == at


def test_a_gradient_is_what_is_seen_less_what_is_expected(draw):
    data = data_of(sent("learning")["gradient"])
    figure, table = draw(component("crf/figures/gradient", data)), data["tables"][0]
    cells = iter(marks(figure, ".heat:last-of-type button"))
    slopes = {}
    for i, row in enumerate(table["observed"]):
        for j, n in enumerate(row):
            if n is not None:  # else there is no button
                cell = next(cells)
                slopes[i, j] = n - table["expected"][i][j]
                assert (cell["text"] == "0") == (abs(slopes[i, j]) < 1e-9)  # ≈0 is no 0
                shown = float(cell["text"].replace("−", "-").removeprefix("≈"))
                assert shown == pytest.approx(slopes[i, j], abs=0.0051)
    assert list(cells) == []
    largest = max(slopes, key=lambda at: abs(slopes[at]))
    name = f"T[{table['rows'][largest[0]]}, {table['columns'][largest[1]]}]"
    assert figure.locator(".told").inner_text().startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("address", "name", "word", "lit", "number"),
    [
        ("batches", "batch_loop", "mask", ".lit", 3),
        ("batches", "broadcast_slabs", "emission", ".marked", 2),
        ("cost", "product_tree", "leaf", ".node.lit", 5),
        ("graphs", "model_graph", "transition", ".node.lit", 4),
    ],
)
def test_a_word_of_the_text_lights_what_it_speaks_of(draw, address, name, word, lit, number):
    figure = draw(sent(address)[name])
    parts = figure.page.locator(lit)
    speak = """(root, [word, type]) => {
      const text = document.querySelector('#text') ?? document.createElement('b')
      Object.assign(text, { id: 'text' }).dataset.lights = word
      document.body.append(text)
      text.dispatchEvent(new MouseEvent(type, { bubbles: true }))
    }"""
    for kind, wanted in (("mouseover", number), ("mouseout", 0)):
        figure.evaluate(speak, [word, kind])
        assert parts.count() == wanted, kind


def test_lines_of_code_are_marked(draw):
    figure = draw(
        component(
            "pages/batches/marked_code", {"lines": ["a = 1", "", "b"], "marked": None, "found": 2}
        )
    )
    labels = [one["aria-label"] for one in marks(figure, "button")]
    assert labels == ["1: a = 1", "2: empty", "3: b"]
    assert figure.locator(".found").inner_text().endswith("b")
    figure.locator("button").first.focus()
    figure.page.keyboard.press("ArrowDown")
    figure.page.keyboard.press("Enter")
    assert [one["aria-checked"] for one in marks(figure, "button")] == ["false", "true", "false"]
    assert figure.page.evaluate("window.said") == [["line", 1]]
