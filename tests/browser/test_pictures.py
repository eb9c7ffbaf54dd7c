"""What each component draws, by itself in an empty page: places and sizes are what its data say.

Drawn by `flow` with its `layout` and `menu`, `training`, `cells`, `tree`, `picker`, `layers`,
`numberline`, `graph`, `batch`, `slabs`, `gradient` of `heat`, `code`, the stepper's `trellis` with
its `overlays`; and as files by `export` and the stepper's `exports`.
"""

import math
import re
from itertools import accumulate, pairwise

import pytest
from playwright.sync_api import expect

from pages.backward.cell_table import Probabilities, payload
from pages.shared.contents import COURSE
from tests.browser.mounted import component, data_of, marks, middles, mounted, redrawn, sent
from tests.browser.test_every_page import CUT_OFF

WHOLE = """(root) => {
  const found = root.outerHTML.match(/[^ ]*(NaN|undefined|Infinity)[^ ]*/g) ?? []
  for (const group of root.querySelectorAll('svg, table')) { // what arrow keys go through
    const stops = [...group.querySelectorAll('[tabindex]')].map((e) => e.tabIndex)
    const once = stops.filter((at) => at === 0).length === 1
    if (stops.includes(-1) && !once) found.push(`Tab: ${stops}`)
  }
  for (const picture of root.querySelectorAll('svg')) {
    const texts = [...picture.querySelectorAll('text')]
      .filter((e) => e.textContent.trim() && e.checkVisibility({ visibilityProperty: true }))
      .map((e) => [e.textContent, e.getBoundingClientRect()])
    texts.forEach(([text, a], i) => texts.slice(0, i).forEach(([other, b]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      const least = 0.4 * Math.min(a.height, b.height)
      if (wide > 3 && high > least) found.push(`${other} under ${text}`)
    }))
  }
  return found
}"""
SAVED = """async (root) => {
  const [offer, follow] = [URL.createObjectURL, HTMLAnchorElement.prototype.click]
  let file = null
  URL.createObjectURL = (blob) => ((file = blob), '#')
  HTMLAnchorElement.prototype.click = () => {}
  const names = ['[data-do=svg]', '.save', '.save-figure']
  names.map((name) => document.querySelector(name)).find(Boolean).click()
  const text = await file.text()
  URL.createObjectURL = offer
  HTMLAnchorElement.prototype.click = follow
  const host = document.createElement('div')
  host.style = 'position: absolute; left: 0; top: 0'
  document.body.append(host)
  const saved = host.attachShadow({ mode: 'open' }) // no style of ours comes in
  saved.innerHTML = text
  const seen = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  const texts = (picture) => [...picture.querySelectorAll('text')]
    .filter((e) => e.textContent.trim() && seen(e)).map((e) => {
      const box = e.getBoundingClientRect()
      const { fill, stroke, paintOrder } = getComputedStyle(e)
      const halo = paintOrder.startsWith('stroke') && stroke !== 'none'
      return { text: e.textContent, x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2,
        wide: box.width, halo, fill, stroke }
    })
  const said = [] // outside of an SVG
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!node.data.trim() || !seen(parent) || parent.closest('svg, [data-export=no]')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const [box, ...more] = range.getClientRects()
    if (more.length === 0) said.push({ text: node.data.trim(), x: (box.left + box.right) / 2,
      y: (box.top + box.bottom) / 2, wide: box.width, halo: false })
  }
  const inPicture = root.closest('.flow, .stepper') // what they save is the SVG alone
  const frames = [...saved.querySelectorAll('rect, line')].map((e) => {
    const { x, y, width, height } = e.getBoundingClientRect()
    return [[e.getAttribute('stroke'), e.getAttribute('stroke-dasharray')], x, y, width, height]
  })
  const found = { text, shown: [...texts(root), ...(inPicture ? [] : said)], saved: texts(saved),
    frames, wide: saved.firstChild.clientWidth, high: saved.firstChild.clientHeight }
  host.remove()
  return found
}"""


@pytest.fixture
def draw(empty_page):
    """Draw a component."""
    page = empty_page(reduced_motion=True)
    return lambda proto, width=900: mounted(page, proto, width)


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def near(value):
    return pytest.approx(value, abs=0.06)


@pytest.mark.parametrize("address", [entry.address for entry in COURSE])
def test_every_number_is_finite_no_text_covers_another_and_tab_stops_once(draw, address):
    for proto in sent(address).values():
        figure = draw(proto)
        assert figure.evaluate(WHOLE) == [], proto.component_name
        assert figure.evaluate(CUT_OFF) == [], proto.component_name


class TestFlow:
    @pytest.mark.parametrize("room", [900, 340])
    def test_blocks_are_as_high_as_probable_ribbons_join_them_lines_stand_below(self, draw, room):
        proto = sent("start")["flow"]
        data = data_of(proto)
        figure, shown = draw(proto, room), data["flow"]
        high, top = data["height"], 34
        picture = marks(figure, ".stage svg")[0]
        blocks = marks(figure, ".block > rect:first-child")
        columns = [column["blocks"] for column in shown["columns"]]
        wanted = []
        for blocks_of in columns:
            ps = [p for _, p, *_ in blocks_of]
            wanted += [
                (near(top + high * y), near(high * p))
                for y, p in zip(accumulate(ps, initial=0), ps, strict=False)
            ]
        assert [(b["y"], b["height"]) for b in blocks] == wanted
        lefts = sorted({b["x"] for b in blocks})
        assert len(lefts) == len(columns)
        width = blocks[0]["width"]
        assert lefts[0] >= 0
        assert lefts[0] == near(picture["width"] - lefts[-1] - width)  # in the middle
        assert all(b - a - width >= 18 for a, b in pairwise(lefts))  # room for ribbons
        heads = marks(figure, ".head .hit")
        assert all(0 <= h["x"] <= picture["width"] - h["width"] for h in heads)
        assert all(a["x"] + a["width"] < b["x"] for a, b in pairwise(heads))
        assert [h["x"] + h["width"] / 2 for h in heads] == [near(x + width / 2) for x in lefts]
        assert (picture["width"] > room) == (room == 340)  # where it scrolls
        for row, (left, right) in enumerate(pairwise(lefts)):
            drawn = [numbers(r["d"]) for r in marks(figure, f".ribbon[data-token='{row}'] path")]
            ps = [p for _, _, p, *_ in shown["ribbons"][row]]
            assert len(drawn) == len(ps)
            for d in drawn:
                assert (d[0], d[6]) == (left + width, right)
            ends = [sorted((d[1], d[-1]) for d in drawn), sorted((d[7], d[9]) for d in drawn)]
            for side in ends:  # without a gap from top to bottom
                assert side[0][0] == near(top)
                assert side[-1][1] == near(top + high)
                assert all(a[1] == near(b[0]) for a, b in pairwise(side))
        lines = marks(figure, ".lines text")
        assert [line["text"] for line in lines] == [t for x in shown["lines"] for t in x["tags"]]
        size = len(columns)
        names = [y for _, y in middles(figure, ".names p")]
        up = figure.locator(".stage svg").bounding_box()["y"]
        for k, line in enumerate(lines):
            assert line["x"] == near(lefts[k % size] + width / 2 + 5)
            assert abs(up + line["y"] - 4 - names[k // size]) < 6
        assert lines[0]["y"] - 12 > top + high  # under the columns
        assert lines[size]["y"] - lines[0]["y"] >= 18
        assert 0 < picture["height"] - lines[-1]["y"] < 24
        for mark in marks(figure, ".block .outline"):
            block = next(
                b
                for b in blocks
                if b["x"] < mark["x"] < b["x"] + width
                and b["y"] <= mark["y"] <= b["y"] + b["height"]
            )
            assert mark["x"] + mark["width"] < block["x"] + block["width"]
            assert mark["y"] + mark["height"] <= block["y"] + max(block["height"], 1.6)

    def test_what_is_cut_is_two_stumps_with_a_gap(self, draw):
        data = data_of(sent("constraints", scheme="all")["flow"])
        ribbon = data["flow"]["ribbons"][1][0]
        ribbon[4] = True
        figure = draw(component("flow", data))
        (cut,) = marks(figure, ".ribbon[data-cut]")
        assert (cut["data-token"], cut["data-from"], cut["data-to"]) == (1, *ribbon[:2])
        stumps = marks(figure, ".ribbon[data-cut] path")[0]["d"].split("Z")[:2]
        left, right = (numbers(stump)[::2] for stump in stumps)
        assert min(left) < max(left) < min(right) < max(right)

    def test_what_is_pointed_at_lights_its_ribbons_and_so_do_scores_elsewhere(self, draw):
        data = data_of(sent("viterbi")["flow"])
        figure = draw(component("flow", data))
        every = {(k, a, b) for k, row in enumerate(data["flow"]["ribbons"]) for a, b, *_ in row}

        def lit():
            found = marks(figure, ".ribbon.lit")
            return {(one["data-token"], one["data-from"], one["data-to"]) for one in found}

        figure.page.mouse.move(20, 90)  # a first event has nothing to have moved from
        figure.locator("[data-token='2'][data-tag=VERB] .hit").hover()
        assert lit() == {r for r in every if r[::2] == (1, "VERB") or r[:2] == (2, "VERB")}
        assert figure.locator(".readout").inner_text().startswith("‘man’ as VERB")
        tags = [tag["name"] for tag in data["flow"]["tags"]]
        old, new = tags.index("NOUN"), tags.index("VERB")
        tell = "(root, reads) => root.dispatchEvent(new CustomEvent('crf:light', %s))"
        for reads, wanted in (
            ([f"transition:{old}:{new}"], {r for r in every if r[1:] == ("NOUN", "VERB")}),
            (
                [f"emission:2:{new}"],
                {r for r in every if r[:2] == (2, "VERB") or r[::2] == (1, "VERB")},
            ),
            ([], set()),
        ):
            figure.evaluate(tell % "{ bubbles: true, detail: { reads } }", reads)
            assert lit() == wanted

    def test_one_picture_becomes_the_next(self, draw):
        data = data_of(sent("viterbi")["flow"])
        figure = draw(component("flow", data))
        marked = figure.locator(".block[data-token='2'][data-tag=VERB]")
        marked.evaluate("block => { block.mark = 1 }")
        column = data["flow"]["columns"][2]
        column["blocks"] = [[tag, 0.5, "", *rest] for tag, _, _, *rest in column["blocks"][:2]]
        redrawn(figure, component("flow", data))
        drawn = {
            block["data-tag"]: number
            for block, number in zip(
                marks(figure, ".block"), marks(figure, ".block > rect:first-child"), strict=True
            )
            if block["data-token"] == 2
        }
        assert {tag: rect["height"] for tag, rect in drawn.items()} == {
            tag: near(p * data["height"]) for tag, p, *_ in column["blocks"]
        }
        assert marked.evaluate("block => block.mark") == 1

    def test_blocks_are_reached_by_keys_and_chosen_by_click_and_enter(self, draw):
        data = data_of(sent("viterbi")["flow"]) | {"clickable": True}
        data["flow"]["columns"][2]["choices"] = [["NOUN", 0.9, "90 %"], ["DET", 0.1, "10 %"]]
        figure = draw(component("flow", data))
        keys, readout = figure.page.keyboard, figure.locator(".readout")
        figure.locator("[data-token='1'][data-tag=NOUN] .hit").click()
        for key, reached in [("ArrowRight", "‘man’ as NOUN"), ("ArrowDown", "‘man’ as VERB")]:
            keys.press(key)
            assert reached in readout.inner_text()
        keys.press("Enter")
        for _ in range(2):
            keys.press("ArrowUp")
        keys.press("Enter")
        keys.press("End")  # the least likely tag, which has no block of its own
        keys.press("Enter")
        said = figure.page.evaluate("window.said.map(([_, { token, tag }]) => [token, tag])")
        assert said == [[1, "NOUN"], [2, "VERB"], [2, "DET"]]

    def test_the_caption_keeps_up_with_the_room(self, draw):
        figure = draw(sent("viterbi")["flow"])
        for width, scrolls in [(300, True), (1200, False)]:
            figure.evaluate("(root, w) => { root.parentElement.style.width = `${w}px` }", width)
            figure.page.wait_for_timeout(50)
            assert ("Bars on top" in figure.locator(".readout").inner_text()) == scrolls

    def test_a_name_is_underlaid_from_its_first_word_to_its_last(self, draw):
        data = data_of(sent("start")["flow"])
        data["flow"]["spans"] = [{"from": 1, "to": 3, "kind": "PER", "colour": "9, 9, 9"}]
        figure = draw(component("flow", data))
        (span,), (kind,) = marks(figure, ".spans rect"), marks(figure, ".spans text")
        heads = marks(figure, ".head .hit")
        assert heads[0]["x"] + heads[0]["width"] < span["x"] <= heads[1]["x"]
        end = span["x"] + span["width"]
        assert heads[2]["x"] + heads[2]["width"] <= end + 2
        assert end < heads[3]["x"]
        assert (kind["text"], kind["x"]) == ("PER", near((span["x"] + end) / 2))
        assert figure.evaluate(WHOLE) == []

    def test_without_numbers_no_probability_is_to_be_read(self, draw):
        data = data_of(sent("viterbi")["flow"]) | {"numbers": False}
        figure = draw(component("flow", data))
        figure.page.mouse.move(20, 90)
        figure.locator("[data-token='2'][data-tag=VERB] .hit").hover()
        assert figure.locator(".readout").inner_text().startswith("‘man’ as VERB")
        assert figure.locator("[data-p]").count() == 0
        assert not any(letter.isdigit() for letter in figure.inner_text())

    def test_the_menu_of_a_word_has_its_tags_and_the_arrows_go_round(self, draw):
        data = data_of(sent("start")["flow"])
        shown = data["flow"]["columns"][-1]
        shown["held"] = shown["choices"][1][0]
        figure = draw(component("flow", data), 600)
        keys, focused = (
            figure.page.keyboard,
            "document.activeElement.querySelector('b').textContent",
        )
        held = {block["data-tag"] for block in marks(figure, ".block[aria-pressed]")}
        assert held == {block["data-tag"] for block in marks(figure, ".block")} - {"other"}
        figure.locator(".head .hit").last.click()
        items = marks(figure, ".menu button")
        assert [one["aria-checked"] for one in items] == ["false", "true"] + ["false"] * 15
        texts = figure.locator(".menu button b").all_text_contents()
        assert texts == [tag for tag, *_ in shown["choices"]]
        for key, at in [("", 1), ("ArrowUp", 0), ("ArrowUp", -1), ("ArrowDown", 0), ("End", -1)]:
            if key:
                keys.press(key)
            assert figure.page.evaluate(focused) == texts[at], key
        menu, frame = figure.locator(".menu").bounding_box(), figure.bounding_box()
        assert frame["x"] <= menu["x"]
        assert menu["x"] + menu["width"] <= frame["x"] + frame["width"] + 1
        keys.press("Enter")
        assert figure.page.evaluate("window.said") == [
            ["choice", {"token": shown["token"], "tag": texts[-1]}]
        ]


def test_the_curve_of_a_run_is_drawn_to_scale_and_scrubbed(draw):
    proto = sent("learning")["training"]
    data = data_of(proto)
    figure = draw(proto)
    assert figure.locator("output").inner_text() == "iteration 0 of 60"
    slider = marks(figure, "input[type=range]")[0]
    assert (slider["min"], slider["max"]) == (0, len(data["frames"]) - 1)
    box = numbers(marks(figure, ".curve")[0]["viewBox"])
    axis = marks(figure, ".curve .axis")[0]
    points = numbers(marks(figure, ".curve .whole")[0]["d"])
    xs, ys, last = points[::2], points[1::2], data["steps"][-1]
    assert 0 < axis["x1"] < axis["x2"] < box[2]
    across, up = axis["x2"] - axis["x1"], axis["y1"] - min(ys)
    assert xs == [near(axis["x1"] + across * n / last) for n in data["steps"]]
    assert ys == [near(axis["y1"] - up * v / max(data["total"])) for v in data["total"]]
    assert 0 < min(ys) < 12
    for path, values in zip(marks(figure, ".curve .each"), data["each"], strict=True):
        assert numbers(path["d"])[1::2] == [
            near(axis["y1"] - up * v / max(data["total"])) for v in values
        ]
    place = figure.locator(".curve").bounding_box()
    for n in (20, 45):
        figure.page.mouse.click(place["x"] + xs[n], place["y"] + 60)
        assert figure.locator("output").inner_text() == f"iteration {n} of 60"
        dot = marks(figure, ".curve circle")[0]
        assert (dot["cx"], dot["cy"]) == (near(xs[n]), near(ys[n]))


def test_the_penalty_is_told_as_what_it_is(draw):
    """λ/2 ‖w‖², and nothing before the first step: no difference of two rounded numbers."""
    figure = draw(sent("learning", **{"lambda": "0.01"})["training"])
    assert "λ/2 ‖w‖² = 13.2 + 0.00 = 13.2" in figure.locator(".curve-title").inner_text()


@pytest.mark.parametrize(
    ("nll", "p"),
    [
        (0.0, "1"), (1e-12, "1 − 10⁻⁹ or more"), (4.9e-4, "0.99951"), (5e-5, "0.99995"),
        (6e-4, "0.999"), (0.5, "0.607"), (12.0, "6.1·10⁻⁶"),
    ],
)  # fmt: skip
def test_the_right_tags_have_probability_1_only_where_they_have(draw, nll, p):
    data = data_of(sent("learning")["training"])
    data["each"] = [[nll] * len(row) for row in data["each"]]
    figure = draw(component("training", data))
    assert figure.locator(".flow-title").inner_text().endswith(f"the right tags, p = {p}")


def test_one_cell_of_a_table_answers_to_tab_and_the_arrows_move_it(draw):
    table = Probabilities("a", "rst", "xyzw", [[0.25] * 4] * 3, lambda i, j: f"{i} {j}", [(1, 2)])
    figure = draw(component("cells", payload(table) | {"serial": 1.0}))
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


def test_a_tree_has_its_words_under_its_leaves_and_edges_to_its_children(draw):
    proto = sent("cost")["product_tree"]
    data = data_of(proto)
    figure, nodes = draw(proto), data["nodes"]
    texts = marks(figure, ".node text")
    assert [(t["text"], t["x"], t["y"]) for t in texts] == [
        (n["text"], n["x"], n["y"]) for n in nodes
    ]
    boxes = marks(figure, ".node rect")
    assert [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes] == [
        (n["x"], n["y"]) for n in nodes
    ]
    edges = {(e["x1"], e["y1"], e["x2"], e["y2"]) for e in marks(figure, ".edge")}
    assert edges == {
        (n["x"], n["y"], nodes[c]["x"], nodes[c]["y"]) for n in nodes for c in n["children"]
    }
    leaves = [n for n in nodes if not n["children"]]
    words = marks(figure, ".word")
    assert [(w["text"], w["x"]) for w in words] == list(
        zip(data["words"], [n["x"] for n in leaves], strict=True)
    )
    assert all(
        n["y"] < w["y"] < marks(figure, ".caption")[0]["y"]
        for n, w in zip(leaves, words, strict=True)
    )
    lane = marks(figure, ".lane rect")
    assert [b["x"] + b["width"] / 2 for b in lane] == [n["x"] for n in leaves]
    done = []
    for _ in range(len(data["rounds"])):
        done.append(
            [figure.locator(part).count() for part in (".node.done", ".lane.done", ".fresh")]
        )
        figure.locator(".on").evaluate("(button) => button.click()")
    heights = [n["height"] for n in nodes]
    assert done == [
        [sum(h <= r for h in heights), r + 1, sum(h == r > 0 for h in heights)]
        for r in range(len(data["rounds"]))
    ]


def test_the_arrows_go_from_node_to_node_of_a_tree_and_of_a_graph(draw):
    proto = sent("cost")["product_tree"]
    tree, nodes = draw(proto), data_of(proto)["nodes"]
    order = sorted(range(len(nodes)), key=lambda k: (nodes[k]["x"], k))
    tree.locator(f"[data-node='{order[0]}']").focus()
    for k in order[1:]:
        tree.page.keyboard.press("ArrowRight")
        assert tree.page.evaluate("document.activeElement.dataset.node") == str(k)
        assert tree.locator(".up").is_disabled() == (not nodes[k]["children"])
    tree.page.keyboard.press("ArrowLeft")
    assert tree.locator(".node.chosen").get_attribute("data-node") == str(order[-2])
    assert tree.page.evaluate("window.said.at(-1)") == ["node", order[-2]]

    proto = sent("graphs")["model_graph"]
    graph, shown = draw(proto), data_of(proto)["drawing"]
    nodes = {node["key"]: node for node in shown["nodes"]}
    for mark, node in zip(marks(graph, ".node"), shown["nodes"], strict=True):
        box = mark.get("box")
        if box:
            middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            assert middle == (near(node["x"]), near(node["y"]))
    reached = graph.locator(".node[tabindex='0']")
    assert reached.get_attribute("data-key") == shown["nodes"][0]["key"]
    graph.locator("[data-key=y2]").focus()
    for key, where in [("ArrowRight", (1, 0)), ("ArrowDown", (0, 1)), ("ArrowLeft", (-1, 0))]:
        old = nodes[graph.page.evaluate("document.activeElement.dataset.key")]
        graph.page.keyboard.press(key)
        new = nodes[graph.page.evaluate("document.activeElement.dataset.key")]
        assert reached.get_attribute("data-key") == new["key"]
        assert (new["x"] - old["x"]) * where[0] + (new["y"] - old["y"]) * where[1] > 0


def test_what_is_told_of_a_circle_goes_with_it(draw):
    """Another sentence may have no third tag: nothing is said of it any longer."""
    graph = draw(sent("graphs")["model_graph"])
    graph.locator("[data-key=y3]").hover()
    assert graph.locator(".title").inner_text().startswith("y₃")
    redrawn(graph, sent("graphs", ex="one-token")["model_graph"])
    assert "y₃" not in graph.inner_text()


def test_the_bars_of_a_score_rise_and_fall_by_their_terms(draw):
    proto = sent("scores")["path_picker"]
    data = data_of(proto)
    figure = draw(proto)
    bars, texts = marks(figure, ".bar rect"), marks(figure, ".bar text")
    running = [0.0, *(term["running"] for term in data["terms"])]
    zero = marks(figure, ".fall .zero")[0]["y1"]
    values = [*running, *(level["value"] for level in data["levels"])]
    levels = marks(figure, ".fall .level")
    scale = (zero - levels[0]["y1"]) / data["levels"][0]["value"]
    assert scale > 0
    assert scale * (max(values) - min(values)) + 44 == near(marks(figure, ".fall")[0]["height"])
    places = [b["x"] + b["width"] / 2 for b in bars]
    assert places == sorted(places)
    roles = [term["role"] for term in data["terms"]]
    for (before, after), bar, text, middle, role in zip(
        pairwise(running), bars, texts, places, roles, strict=True
    ):
        low, high = sorted((before, after))
        assert bar["y"] == near(zero - scale * high - 1)
        assert bar["height"] == near(max(scale * (high - low), 2))
        assert text["x"] == middle
        above = after >= before and role != "end"
        above &= all(abs(zero - scale * high - 11 - level["y1"]) >= 9 for level in levels)
        assert text["y"] == near(zero - scale * high - 11 if above else zero - scale * low + 11)
    left = figure.locator(".fall").bounding_box()["x"]
    columns = [x - left for x, _ in middles(figure, ".column")]
    assert places[1:-1:2] == pytest.approx(columns, abs=1)
    ties = marks(figure, ".fall .tie")
    for tie, a, b in zip(ties, bars, bars[1:], strict=False):
        assert (tie["x1"], tie["x2"]) == (near(a["x"] + a["width"]), near(b["x"]))
    assert [t["y1"] for t in ties] == [near(zero - scale * value) for value in running[1:-1]]
    joins = [numbers(join["d"]) for join in marks(figure, ".links path")]
    assert all(a[0] < a[2] <= b[0] < b[2] for a, b in pairwise(joins))
    for text, (x1, y1, x2, y2) in zip(marks(figure, ".links text"), joins, strict=True):
        assert (text["x"], text["y"] < (y1 + y2) / 2) == (near((x1 + x2) / 2), True)
    stage = figure.locator(".stage").bounding_box()["y"]
    chosen = [y - stage for _, y in middles(figure, ".cell:has(:checked)")]
    assert [y2 for _, _, _, y2 in joins[:-1]] == pytest.approx(chosen, abs=1)
    assert [y1 for _, y1, _, _ in joins[1:]] == pytest.approx(chosen, abs=1)


def test_layers_stand_in_columns_under_their_words(draw):
    proto = sent("tagger")["layers"]
    data = data_of(proto)
    figure = draw(proto)
    words, boxes = marks(figure, ".word"), marks(figure, ".box")
    size = len(data["tokens"])
    assert len(boxes) == size * len(data["rows"])
    for k, box in enumerate(boxes):
        assert box["x"] + box["width"] / 2 == words[k % size]["x"]
        assert box["y"] > words[0]["y"]
    assert len({b["y"] for b in boxes}) == len(data["rows"])
    assert all(a["x"] + a["width"] < b["x"] for a, b in pairwise(boxes[:size]))
    for wire, above, below in zip(marks(figure, ".wire"), boxes, boxes[size:], strict=False):
        assert wire["x1"] == above["x"] + above["width"] / 2
        assert (wire["y1"], wire["y2"]) == (above["y"] + above["height"], below["y"])
    strips = iter(marks(figure, ".cell rect:not(.box)"))
    cells = [cell for row in data["rows"] for cell in row["cells"]]
    for box, cell in zip(boxes, cells, strict=True):
        found = [next(strips) for _ in cell["strip"] or []]
        for i, (strip, value) in enumerate(zip(found, cell["strip"] or [], strict=True)):
            assert strip["x"] == near(box["x"] + box["width"] * i / len(found))
            assert strip["fill"] == ("#D55E00" if value > 0 else "#0072B2")
            assert strip["fill-opacity"] == pytest.approx(abs(value), abs=1e-3)
    picture = marks(figure, "svg")[0]
    assert 0 <= picture["width"] - boxes[-1]["x"] - boxes[-1]["width"] < 12
    texts = marks(figure, ".cell text")
    assert [t["x"] for t in texts] == [words[k]["x"] for k in range(size)] * (len(texts) // size)
    arcs = [{"from": 1, "to": k, "size": 0.2 * k, "text": ""} for k in (2, 3)]
    figure = draw(component("layers", data | {"chosen": [1, 2], "arcs": arcs}))
    pressed = [cell["aria-pressed"] for cell in marks(figure, ".cell")]
    assert [k for k, value in enumerate(pressed) if value == "true"] == [size + 2]
    words = marks(figure, ".word")
    drawn = marks(figure, ".arc")
    assert 0 < drawn[0]["stroke-width"] < drawn[1]["stroke-width"]
    near_one, far_one = (numbers(arc["d"]) for arc in drawn)
    assert (far_one[0], far_one[-2]) == (words[1]["x"], words[3]["x"])
    assert 0 <= far_one[3] < near_one[3] < near_one[1] < words[0]["y"]  # the further the higher


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


class TestTrellis:
    def test_cells_stand_in_a_grid_and_edges_join_their_sides(self, draw):
        figure = draw(sent("viterbi")["trellis_stepper"])
        figure.locator(".scrub").press("End")
        cells = {}
        for cell in marks(figure, ".cells > [data-cell]"):
            cells[tuple(numbers(cell["data-cell"]))] = cell["box"]
        grid = {at: box for at, box in cells.items() if 0 <= at[0] < 5}
        assert len(grid) == 20
        columns = [grid[t, 0]["x"] for t in range(5)]
        rows = [grid[0, s]["y"] for s in range(4)]
        for (t, s), box in grid.items():
            assert (box["x"], box["y"]) == (near(columns[int(t)]), near(rows[int(s)]))
        assert len({round(b - a, 2) for a, b in pairwise(columns)}) == 1
        assert len({round(b - a, 2) for a, b in pairwise(rows)}) == 1
        assert columns[1] - columns[0] > grid[0, 0]["width"] + 8
        assert rows[1] - rows[0] > grid[0, 0]["height"]
        heads = marks(figure, ".heads .word")
        assert [h["x"] for h in heads] == [near(x + grid[0, 0]["width"] / 2) for x in columns]
        names = marks(figure, ".names .name")
        assert [n["y"] for n in names] == [near(y + grid[0, 0]["height"] / 2) for y in rows]

        def side(x, y, right):  # of the cell that an edge ends at
            return any(
                abs(y - box["y"] - box["height"] / 2) < 0.1
                and abs(x - (box["x"] + (box["width"] if right else 0))) < 1.6
                for box in grid.values()
            )

        inner = [numbers(path["d"]) for path in marks(figure, ".all path")]
        assert len(inner) == 4 * 16
        for x1, y1, *_, x2, y2 in inner:
            assert x1 < x2
            assert side(x1, y1, right=True)
            assert side(x2, y2, right=False)
        path = [int(index) for index in (0, 2, 3, 0, 2)]
        rings = marks(figure, ".rings > .viterbi.outer.on")
        assert len(rings) == 5
        for ring, (t, s) in zip(sorted(rings, key=lambda r: r["x"]), enumerate(path), strict=True):
            box = grid[t, s]
            assert ring["x"] + ring["width"] / 2 == near(box["x"] + box["width"] / 2)
            assert box["y"] - 8 < ring["y"] < box["y"]
            assert ring["height"] > box["height"]


class TestStepper:
    def test_what_is_pointed_at_lights_its_counterparts_and_says_so(self, draw):
        proto = sent("viterbi")["trellis_stepper"]
        data, figure, at = data_of(proto), draw(proto), 10
        step = data["steps"][at]
        names = [":".join(map(str, [r["role"], *r["at"]])) for r in data["reads"]]
        figure.locator(".scrub").fill(str(at))
        figure.evaluate("""() => document.addEventListener('crf:light', ({ detail }) =>
          window.said.push([detail.step ?? null, detail.reads]))""")

        def pointed(part):
            figure.page.mouse.move(3, 3)
            if part is not None:
                part.hover()
            cells = {cell["data-cell"] for cell in marks(figure, ".cells > .linked")}
            kind, reads = figure.page.evaluate("window.said.at(-1)")
            rows = [row["data-from"] for row in marks(figure, ".terms tr.linked, .stressed")]
            return kind, reads, cells, rows

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
        assert pointed(part) == (None, [score], everywhere, [])
        for term, row in zip(step["terms"], figure.locator(".terms tbody tr").all(), strict=True):
            own = [names[i] for i in term["reads"][1:]]  # what is computed is no score
            assert pointed(row.locator("th")) == (None, own, set(), [term["from"]] * 2)
            score = row.locator(f"[data-read='{own[0]}']")
            assert pointed(score) == (None, own[:1], set(), [term["from"]] * 2)
        all_of_it = [names[i] for t in step["terms"] for i in t["reads"][1:]]
        all_of_it += [names[i] for i in step["added"]]
        assert pointed(None) == (at, all_of_it, set(), [])

    @pytest.mark.parametrize("address", ["viterbi", "forward"])
    def test_of_what_is_compared_all_but_the_best_loses(self, draw, address):
        proto = sent(address)["trellis_stepper"]
        data, figure = data_of(proto), draw(proto)
        figure.locator(".scrub").fill("10")
        step = data["steps"][10]
        losing = {term["from"] for term in step["terms"]} - {step["back"]}
        lines = {line["data-from"] for line in marks(figure, ".incoming [d].loses")}
        assert lines == (losing if address == "viterbi" else set())

    def test_its_table_is_that_of_the_step_unless_one_writes_there(self, draw):
        proto = sent("viterbi", ex="pair-potentials")["trellis_stepper"]
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
        figure = draw(sent("viterbi")["trellis_stepper"])
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
        ) == (
            "−3",
            wanted,
        )
        for key, text in [("ArrowUp", "−2.9"), ("Shift+ArrowUp", "−1.9")]:
            keys.press(key)
            wanted.append(("emissions", [0, 1], text))
            assert (at(), edits()) == ("Emission of The as ADJ", wanted)

    def test_the_keys_of_what_is_saved_are_those_that_are_on(self, draw):
        figure = draw(sent("viterbi", draw="greedy")["trellis_stepper"])
        keys = figure.locator(".legend .key:not(.of-way)").all_inner_texts()
        for shown in (keys, [key for key in keys if key != "Greedy"]):
            found = [one["text"] for one in figure.evaluate(SAVED)["saved"]]
            assert [text for text in found if text in keys] == shown
            assert not [text for text in found if "hover" in text]  # nobody points at a file
            figure.get_by_role("button", name="Greedy").click()
        assert shown != keys
        figure.evaluate("root => root.classList.add('unseen')")  # while one guesses
        found = [one["text"] for one in figure.evaluate(SAVED)["saved"]]
        assert [key for key in keys if key in found] == [
            key for key in keys if key != "Greedy" and "given up" not in key
        ]

    def test_the_keys_of_what_is_saved_stand_in_rows_no_wider_than_it(self, draw):
        figure = draw(sent("viterbi", ex="one-token", draw="greedy")["trellis_stepper"])
        keys = figure.locator(".legend .key:not(.of-way)").all_inner_texts()
        file = figure.evaluate(SAVED)
        found = [one for one in file["saved"] if one["text"] in keys]
        assert len({one["y"] for one in found}) > 1
        for one, after in pairwise(found):
            right = one["x"] + one["wide"] / 2
            left, room = after["x"] - after["wide"] / 2 - 34, file["wide"] - 8
            if one["y"] == after["y"]:
                assert left - right == pytest.approx(20, abs=4)
            else:
                assert after["y"] - one["y"] == near(20)
                assert right + 20 + 34 + after["wide"] > room - 4
            assert right <= room + 4


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("viterbi", "trellis_stepper"),
        ("start", "flow"),
        ("cost", "product_tree"),
        ("graphs", "model_graph"),
    ],
)
def test_what_is_saved_says_the_same_at_the_same_places(draw, address, name):
    found = draw(sent(address)[name]).evaluate(SAVED)
    assert not re.search(r"NaN|undefined|color-mix|var\(|class=|style=|tabindex=", found["text"])
    for one in found["saved"]:
        assert 0 <= one["x"] - one["wide"] / 2 < one["x"] + one["wide"] / 2 <= found["wide"] + 2
        assert 8 <= one["y"] <= found["high"] - 8
    ours = found["shown"]
    away = []
    for shown in ours:
        same = [one for one in found["saved"] if one["text"] == shown["text"]]
        away += [(round(one["x"] - shown["x"]), round(one["y"] - shown["y"])) for one in same]
    dx, dy = max(set(away), key=away.count)  # what most of it is moved by
    for shown in ours:
        same = [
            one
            for one in found["saved"]
            if one["text"] == shown["text"]
            and math.hypot(one["x"] - shown["x"] - dx, one["y"] - shown["y"] - dy) < 5
        ]
        assert len(same) == 1 + shown["halo"], shown
        assert same[-1]["stroke"] == "none", shown
        if shown["halo"]:  # what is drawn first makes room for it
            assert same[0]["stroke"] == same[0]["fill"] != same[1]["fill"]


def test_frames_and_underlines_are_saved_where_they_stand(draw):
    figure = draw(sent("scores")["path_picker"])
    found = figure.evaluate(SAVED)["frames"]
    left, top = (figure.bounding_box()[side] - 4 for side in "xy")  # a margin of 4

    def box(part, grow):
        box = part.bounding_box()
        x, y = box["x"] - left - grow, box["y"] - top - grow
        return [near(n) for n in (x, y, box["width"] + 2 * grow, box["height"] + 2 * grow)]

    solid = ["rgb(213,94,0)", None]
    for cell in figure.locator(".cell").all():
        assert [["rgb(118,118,118)", None], *box(cell, -0.5)] in found  # its border, 1 px inside
    for ringed in figure.locator(".cell:has(:checked)").all():
        assert [solid, *box(ringed, 0.5)] in found
    x, y, width, height = box(figure.locator(".sum .score"), 0)
    assert [solid, x, near(y.expected + height.expected), width, 0] in found


def test_what_cannot_be_seen_is_not_saved(draw):
    figure = draw(sent("scores")["path_picker"])
    hidden = ["display: none", "visibility: hidden", "opacity: 0"]
    words = figure.locator(".word").all()
    for word, style in zip(words[1:], hidden, strict=False):
        word.evaluate("(word, style) => word.setAttribute('style', style)", style)
    texts = [one["text"] for one in figure.evaluate(SAVED)["saved"]]
    wanted = [word.inner_text() for word in (words[0], words[-1])]
    assert [text for text in texts if text.isalpha() and not text.isupper()] == wanted
    assert not {"SVG", "Term by term"} & set(texts)  # what is to be pressed


def test_the_score_stands_beside_its_tag_or_below_where_both_are_too_wide(draw):
    data = data_of(sent("scores")["path_picker"])
    for tag, below in [("AB", False), ("LONGTAG", True)]:
        tags = [tag + str(k) for k, _ in enumerate(data["tags"])]
        figure = draw(component("picker", data | {"tags": tags, "serial": 1.0}), 1000)
        names, values = middles(figure, ".cell .tag"), middles(figure, ".cell .value")
        for name, value in zip(names, values, strict=True):
            assert (value[1] > name[1] + 6, value[0] > name[0] + 6) == (below, not below)


@pytest.mark.parametrize("pick", [True, False])
def test_many_tags_have_their_names_once_and_six_words_fit_beside_a_text(draw, pick):
    data = data_of(sent("scores")["path_picker"])
    tags, words = [f"TAG{k}" for k in range(17)], [f"word{t}" for t in range(6)]
    cell, zero = ["−10.00", None], ["−0.38"] * 17
    given = data | {
        "tags": tags, "tokens": words, "pick": pick, "serial": data["serial"] + 1,
        "emissions": [[cell] * 17] * 6, "start": zero, "end": zero, "transitions": [[zero] * 17],
        "perStep": False, "paths": [{"tags": [0] * 6, "style": None if pick else "best"}],
    }  # fmt: skip
    figure = draw(component("picker", given), 680)
    figure.page.set_viewport_size({"width": 700, "height": 720})
    assert figure.locator(".names span").all_inner_texts() == tags
    names, cells = middles(figure, ".names span"), middles(figure, ".column:nth-of-type(3) .cell")
    assert [y for _, y in names] == [near(y) for _, y in cells]
    room = figure.locator(".scroll").first
    assert room.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
    assert not figure.locator(".cell .tag").first.evaluate("e => e.offsetWidth > 1")


def test_a_score_that_gets_more_decimals_gets_room(draw):
    data = data_of(sent("scores")["path_picker"])
    figure = draw(component("picker", data), 1000)
    (_, name), (_, value) = (middles(figure, f".cell .{part}")[0] for part in ("tag", "value"))
    assert value < name + 6  # beside it
    longer = [[["−3.333", colour] for _, colour in row] for row in data["emissions"]]
    redrawn(figure, component("picker", data | {"emissions": longer, "serial": data["serial"] + 1}))
    (_, name), (_, value) = (middles(figure, f".cell .{part}")[0] for part in ("tag", "value"))
    assert value > name + 6


def test_a_batch_goes_from_column_to_column_and_back_along_its_best_paths(draw):
    data = data_of(sent("batches")["batch_loop"])
    shown = data["drawing"]
    figure = draw(component("batch", data))
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
    figure = draw(component("slabs", data))
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
    figure, table = draw(component("gradient", data)), data["tables"][0]
    cells = iter(marks(figure, ".heat:last-of-type button"))
    slopes = {}
    for i, row in enumerate(table["observed"]):
        for j, n in enumerate(row):
            cell = next(cells)
            assert ("hidden" in cell) == (n is None)
            if n is not None:
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
        ("batches", "batch_loop", "mask", ".lit", 1),
        ("batches", "broadcast_slabs", "emission", ".marked", 2),
        ("cost", "product_tree", "leaf", ".node.lit", 5),
        ("scores", "path_picker", "transition", ".bar.lit", 4),
        ("graphs", "model_graph", "transition", ".node.lit", 4),
        ("learning", "gradient", "expected", ".heat.lit", 1),
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
    figure = draw(component("code", {"lines": ["a = 1", "", "b"], "marked": None, "found": 2}))
    labels = [one["aria-label"] for one in marks(figure, "button")]
    assert labels == ["1: a = 1", "2: empty", "3: b"]
    assert figure.locator(".found").inner_text().endswith("b")
    figure.locator("button").first.focus()
    figure.page.keyboard.press("ArrowDown")
    figure.page.keyboard.press("Enter")
    assert [one["aria-checked"] for one in marks(figure, "button")] == ["false", "true", "false"]
    assert figure.page.evaluate("window.said") == [["line", 1]]


def test_a_chart_is_drawn_narrower_on_a_phone_and_its_words_are_not(visit):
    page = visit("structure", width=390, height=844)
    chart = page.locator("[data-figure=growth]")
    chart.scroll_into_view_if_needed()
    expect(chart.locator("text", has_text="steps of a recursion")).to_be_visible()
    measured = chart.locator(".scroll").evaluate(
        "(e) => [e.scrollWidth - e.clientWidth, e.firstElementChild.getScreenCTM().a]"
    )
    assert measured[0] <= 0, "nothing is off the screen"
    assert measured[1] == pytest.approx(1, abs=0.03), "a word is as large as on a wide screen"
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(chart.locator("svg")).to_have_attribute("viewBox", "0 0 680 400")


@pytest.mark.parametrize("address", ["scores", "scores?ex=paris-hilton", "structure"])
def test_a_phone_shows_all_of_a_path_of_five_words(visit, address: str):
    page = visit(address, width=390, height=844)
    page.locator(".picker .cell").first.wait_for()
    scroll = page.locator(".picker > .scroll")
    assert scroll.evaluate("(e) => e.scrollWidth - e.clientWidth") <= 0
    cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
    assert page.locator(".picker :is(.word, .cell .tag)").evaluate_all(cut) == []
