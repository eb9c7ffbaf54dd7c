"""The stepper in a real browser: what it draws and says, the controls, keys and the mouse.

It stands by itself in an empty page.
"""

from collections import Counter
from urllib.parse import parse_qsl, urlencode

import pytest

from benchmarks.browsing import until
from crf.figures.trellis.narration import sentences
from crf.figures.trellis.payload import figure_data, payload
from tests.browser.mounted import component, mounted, redrawn
from tests.browser.scripts import script
from tests.figures.chains import shown

STEPS = script("steps")  # what is seen at each step, the next button pressed between them


def data(query=""):
    """What is sent of an example: `example=…&step=…` and the options of `trace`."""
    options = dict(parse_qsl(query))
    at, example = int(options.pop("step", 0)), options.pop("example", "old man")
    sent = figure_data(payload(shown(example, **options)), {"step": at})
    return sent["trace"] | {"beside": sent["beside"]}


@pytest.fixture
def visit(empty_page):
    """The stepper of an example in an empty page."""
    page = empty_page()

    def opener(query="", width=1280, reduced_motion=False):
        page.set_viewport_size({"width": width, "height": 720})
        page.emulate_media(reduced_motion="reduce" if reduced_motion else "no-preference")
        mounted(page, component("crf/figures/trellis", data(query)), width - 32)
        return page

    return opener


def said(page):
    return page.locator(".say .now").inner_text()


def at(page):
    return int(page.locator(".count").inner_text().split(" / ")[0]) - 1


def walks(page, where, steps):
    """Press keys; each leads to its step."""
    for key, step in steps:
        where.press(key)
        assert at(page) == step, key


@pytest.mark.parametrize(
    ("width", "example", "options"),
    [
        (1280, "old man", {}),
        (390, "old man", {}),
        (390, "bio", {}),
        (1280, "one", {"algorithm": "forward", "convention": "message", "semiring": "max"}),
        (1280, "old man", {"algorithm": "backward", "convention": "state", "semiring": "max"}),
        (1280, "dead end", {"algorithm": "backward", "convention": "message", "semiring": "sum"}),
    ],
)
def test_each_step_says_its_sentence_reveals_its_cell_and_moves_nothing(
    visit, width, example, options
):
    trace = shown(example, **options)
    steps = payload(trace)["steps"]
    page = visit(urlencode({"example": example} | options), width)
    seen = page.evaluate(STEPS, len(steps))
    assert [one["said"] for one in seen] == list(sentences(trace))
    assert len({one["below"] for one in seen}) == 1
    cells = []
    for step, one in zip(steps, seen, strict=True):
        if step["kind"] != "backtrace":
            cells.append(step["label"])
            assert one["result"] == step["label"]
        assert sorted(one["values"]) == sorted(cells)
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    page.locator(".scroll").press("Home")
    assert page.locator(".cell.on .value").all_text_contents() == cells[:1]


def test_arrows_step_from_anywhere_other_keys_while_the_component_has_the_focus(visit):
    """A remote's keys, too, as long as nothing on the page is clicked, which they would scroll."""
    page, last = visit(), len(shown().steps) - 1
    body = page.locator("body")
    walks(page, body, [("PageDown", 1), ("End", 1), (" ", 2), ("PageUp", 1), ("ArrowLeft", 0)])
    page.mouse.click(5, 300)
    walks(page, body, [("PageDown", 0), (" ", 0), ("End", 0), ("ArrowRight", 1), ("ArrowLeft", 0)])
    walks(page, page.locator(".scroll"), [
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 4), ("PageDown", 8),
        ("ArrowRight", 9), ("PageUp", 8), ("PageUp", 4), ("End", last), ("ArrowRight", last),
        ("Home", 0), ("ArrowLeft", 0),
    ])  # fmt: skip


def test_buttons_and_scrubber(visit):
    page, last = visit(), len(shown().steps) - 1
    page.get_by_role("slider", name="Step").fill(str(last))
    for name, step in [("Previous step", last - 1), ("Next step", last)]:
        page.get_by_role("button", name=name, exact=True).click()
        assert at(page) == step, name
    page.get_by_role("slider", name="Step").fill("7")
    assert at(page) == 7
    page.get_by_role("button", name="Next step").press(" ")  # Space presses the button, no more
    assert at(page) == 8
    for box in (button.bounding_box() for button in page.locator(".stepper button:visible").all()):
        assert min(box["width"], box["height"]) >= 24
    page.get_by_role("button", name="Next surprise").click()
    assert at(page) == payload(shown())["surprises"][0] == 12
    assert "The best prefix changes" in said(page)


def test_play_and_pause(visit):
    page, trace = visit(), shown()
    stops = [payload(trace)["surprises"][0], len(trace.steps) - 1]
    page.locator(".speed").select_option("fast", force=True)
    page.clock.install(time=0)
    page.clock.pause_at(60_000)
    page.locator(".scroll").focus()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.clock.run_for(2000)
    page.keyboard.press(" ")
    page.get_by_role("button", name="Play").wait_for()
    paused = at(page)
    assert 1 < paused < stops[0]
    page.clock.run_for(5000)
    assert at(page) == paused
    for stop in stops:  # at a change of mind, and at the end
        page.keyboard.press(" ")
        page.clock.run_for(60_000)
        assert at(page) == stop
        page.get_by_role("button", name="Play").wait_for()
    page.clock.resume()  # it is that of all pages to come


def test_python_hears_of_a_step_and_its_next_data_keep_it(visit):
    page = visit("step=5")
    page.locator("[data-do=next]").evaluate("(next) => { for (let k = 5; k--; ) next.click() }")
    until(page, "window.said.length")
    assert page.evaluate("window.said") == [["at", 10]]  # of the last of many
    sent = data("step=5")
    for step in (5, 8):
        again = sent | {"beside": sent["beside"] | {"step": step}}
        redrawn(page.locator(".stepper"), component("crf/figures/trellis", again))
        page.wait_for_timeout(100)
        assert at(page) == 10


@pytest.mark.hovers
def test_a_click_jumps_to_a_cell_hovering_only_looks_and_a_mouse_at_rest_points_at_nothing(visit):
    page, trace = visit("step=14"), shown()
    terms = page.locator(".terms tbody tr")
    before = terms.all_inner_texts()
    page.locator('[data-cell="2,2"]').hover()
    page.locator(".terms .wins th", has_text="ADJ").wait_for()
    assert terms.nth(1).inner_text().split() == ["ADJ", "8.50", "1.50", "10.00", "best"]
    assert page.locator(".source").count() == len(trace.tags)
    assert at(page) == 14
    page.locator(".say").hover()
    page.wait_for_timeout(50)
    assert terms.all_inner_texts() == before
    page.locator('[data-cell="2,2"]').click()
    assert at(page) == 10
    assert page.locator(".incoming .wins").get_attribute("data-from") == "1"
    page.locator('[data-cell="4,3"]').click()  # also one that is not computed yet
    assert at(page) == 19
    page.keyboard.press("ArrowRight")
    box = page.locator('[data-cell="3,0"]').bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    way = page.locator("rect.way")  # the best one to it: DET NOUN VERB DET
    way.first.wait_for()
    assert way.count() == 4
    page.keyboard.press("ArrowRight")  # the mouse is still there
    page.locator(".count", has_text="22 / ").wait_for()
    said_of = page.locator(".terms").inner_text()
    page.locator(".stepper").evaluate("root => root.style.marginTop = '1px'")  # as it is fitted
    page.wait_for_timeout(300)
    assert way.count() == 0
    assert page.locator(".terms").inner_text() == said_of
    visit("step=20")
    page.locator(".count", has_text="21 / ").wait_for()
    page.wait_for_timeout(300)
    assert way.count() == 0
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] / 2)
    way.first.wait_for()


def test_the_backtrace_draws_the_path(visit):
    page, trace = visit("step=20"), shown()
    path = page.locator(".decided .outer.on")
    assert path.count() == 0
    page.locator(".scroll").focus()
    for done in range(1, len(trace.tokens) + 1):
        page.keyboard.press("ArrowRight")
        assert path.count() == done
    assert page.locator(".rings > .viterbi.outer.on").count() == len(trace.tokens)


def test_words_from_outside_stay_words(visit):
    page = visit("example=hostile")
    page.locator(".scroll").press("End")
    assert "‘<img src=x onerror=hacked=1>’ is B" in said(page) or "says B" in said(page)
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator(".stepper img, .stepper b, .stepper i:not(.swatch)").count() == 0
    page.locator(".behind summary").click()
    page.locator(".behind tbody td").first.wait_for()
    header = page.locator(".behind thead th").all_inner_texts()
    assert header == [
        "Tag",
        "1 <img src=x onerror=hacked=1>",
        "2 </script><b>",
        "3 \u2068שלום␣\u2069",
    ]


@pytest.mark.parametrize(
    "query", ["", "algorithm=forward&convention=message", "algorithm=backward"]
)
def test_the_table_tells_no_more_than_the_figure(visit, query):
    page = visit(query)
    page.locator(".behind summary").click()
    page.locator(".behind tbody td").first.wait_for()
    for key in ("", "ArrowRight", "ArrowRight", "End"):
        if key:
            page.locator(".scroll").press(key)
        cells = page.locator(".behind tbody td").all_inner_texts()
        drawn = page.locator(".cell.on:not(.bandtotal) .value").all_text_contents()
        assert Counter(text for text in cells if text != "?") == Counter(drawn) - Counter("?")


def test_on_a_phone_the_box_of_settings_is_on_the_screen(visit):
    for algorithm in ("forward", "viterbi", "backward"):
        page = visit(f"algorithm={algorithm}", width=390)
        page.locator(".more summary").click()
        box = page.locator(".menu").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_the_current_column_and_the_tag_names_stay_in_view(visit):
    page = visit("example=large")
    scroll, names = page.locator(".scroll"), page.locator(".names")
    home = names.bounding_box()["x"]
    scroll.focus()
    for key in ["End", "ArrowLeft", "PageUp", "Home", *["PageDown"] * 7]:
        page.keyboard.press(key)
        page.wait_for_timeout(20)
        frame, view = page.locator(".frame").bounding_box(), scroll.bounding_box()
        assert view["x"] + 40 < frame["x"], key
        assert frame["x"] + frame["width"] <= view["x"] + view["width"], key
        assert names.bounding_box()["x"] == home, key


def test_impossible_cells_are_hatched_and_have_no_edge(visit):
    page = visit("example=bio&step=4")
    impossible = page.locator('[data-cell="0,1"]')
    assert impossible.locator(".value").text_content() == "−∞"
    assert "hatch" in impossible.locator("rect").evaluate("e => getComputedStyle(e).fill")
    assert page.locator(".incoming path[d]").count() == 1  # of three, B is the one way into I


def test_edges_are_animated_only_where_motion_is_welcome(visit):
    script = """() => {
      document.querySelector('[data-do=next]').click();
      return document.getAnimations().filter((one) => one.timeline === document.timeline).length;
    }"""
    assert visit("step=8").evaluate(script) > 8  # edges, terms on their way, the value
    assert visit("step=8", reduced_motion=True).evaluate(script) == 0
