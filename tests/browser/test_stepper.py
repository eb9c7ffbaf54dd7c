"""The stepper in a real browser: what it draws and says, the controls, keys and the mouse.

It stands by itself in an empty page.
"""

import math
from urllib.parse import parse_qsl, urlencode

import pytest
from playwright.sync_api import expect

from benchmarks.browsing import until
from crf import figures
from crf.figures.trellis.narration import sentences
from crf.figures.trellis.payload import figure_data, payload
from tests.browser.mounted import component, mounted, redrawn
from tests.browser.scripts import script
from tests.figures.chains import EXAMPLES, shown

STEPS = script("steps")  # what is seen at each step, the next button pressed between them


def data(query=""):
    """What is sent of an example: `example=…&step=…`, `space`, and the options of `trace`."""
    options = dict(parse_qsl(query))
    at, example = int(options.pop("step", 0)), options.pop("example", "old man")
    space = options.pop("space", "log")
    return figure_data(payload(shown(example, **options), space=space), step=at)


@pytest.fixture
def visit(empty_page):
    """The stepper of an example, or of data, in an empty page."""
    page = empty_page()

    def opener(query="", width=1280, reduced_motion=False):
        page.set_viewport_size({"width": width, "height": 720})
        page.emulate_media(reduced_motion="reduce" if reduced_motion else "no-preference")
        sent = data(query) if isinstance(query, str) else query
        mounted(page, component("crf/figures/trellis", sent), width - 32)
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
        (1280, "one", {"algorithm": "forward", "convention": "message", "semiring": "sum"}),
        (1280, "old man", {"algorithm": "backward", "convention": "pair", "semiring": "sum"}),
        (1280, "dead end", {"algorithm": "backward", "convention": "message", "semiring": "sum"}),
    ],
)
def test_each_step_says_its_sentence_reveals_its_cell_and_moves_nothing(
    visit, width, example, options
):
    trace = shown(example, **options)
    page = visit(urlencode({"example": example} | options), width)
    seen = page.evaluate(STEPS, len(trace.steps))
    assert [one["said"] for one in seen] == list(sentences(trace))
    assert len({one["below"] for one in seen}) == 1
    cells = []
    for step, one in zip(trace.steps, seen, strict=True):
        if step.kind == "cell":
            cells.append(step.log_value)
        values = [-math.inf if text == "-inf" else float(text) for text in one["values"]]
        assert sorted(values) == pytest.approx(sorted(cells), rel=1e-6)
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    page.locator(".picture").press("Home")
    assert page.locator('.cell:not([data-value=""])').count() == min(len(cells), 1)


def test_arrows_step_from_anywhere_other_keys_while_the_component_has_the_focus(visit):
    """A remote's keys, too, as long as nothing on the page is clicked, which they would scroll."""
    page, last = visit(), len(shown().steps) - 1
    body = page.locator("body")
    walks(page, body, [("PageDown", 1), ("End", 1), (" ", 2), ("PageUp", 1), ("ArrowLeft", 0)])
    page.mouse.click(5, 300)
    walks(page, body, [("PageDown", 0), (" ", 0), ("End", 0), ("ArrowRight", 1), ("ArrowLeft", 0)])
    walks(page, page.locator(".picture"), [
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
    assert at(page) == payload(shown())["modes"][0]["surprises"][0] == 12
    assert "The best prefix changes" in said(page)


def test_play_and_pause(visit):
    page, trace = visit(), shown()
    stops = [payload(trace)["modes"][0]["surprises"][0], len(trace.steps) - 1]
    page.locator(".speed").select_option("fast", force=True)
    page.clock.install(time=0)
    page.clock.pause_at(60_000)
    page.locator(".picture").focus()
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


def test_further_data_leave_the_reader_at_the_step(visit):
    page = visit("step=5")
    page.locator("[data-do=next]").evaluate("(next) => { for (let k = 5; k--; ) next.click() }")
    for step in (5, 8):
        redrawn(page.locator(".stepper"), component("crf/figures/trellis", data(f"step={step}")))
        page.wait_for_timeout(100)
        assert at(page) == 10


@pytest.mark.parametrize("algorithm", ["forward", "viterbi"])
def test_of_what_is_compared_all_but_the_best_loses(visit, algorithm):
    page = visit(f"step=10&algorithm={algorithm}")
    bands = page.locator(".bands .band:visible")
    assert bands.count() == 4
    assert page.locator(".bands .loses").count() == (3 if algorithm == "viterbi" else 0)


def test_a_click_leads_to_a_cell_and_another_mode_opens_at_its_column(visit):
    chain, tags, tokens = EXAMPLES["old man"]
    page = visit(figures.forward(chain, tags=tags, tokens=tokens).payload)
    page.locator('.cell[data-token="2"][data-tag=NOUN]').click()
    assert at(page) == 10
    page.locator('.cell[data-token="4"][data-tag=VERB]').click()  # one that is not computed yet
    assert at(page) == 19
    assert page.locator(".cell.now").get_attribute("data-tag") == "VERB"
    page.locator('.cell[data-token="1"][data-tag=DET]').click()
    for mode, step in (("best", 7), ("both", 15), ("path", 0), ("add", 0)):
        page.locator(f"[data-mode={mode}]").click()
        assert at(page) == step, mode
        pressed = page.locator("[data-mode][aria-pressed=true]")
        assert pressed.get_attribute("data-mode") == mode
    page.locator("[data-mode=path]").click()
    page.locator('.cell[data-token="1"][data-tag=DET]').click()  # nothing can be chosen here
    assert "It has 65 %" in said(page)
    assert page.locator(".cell.lit").count() == len(tokens)


def test_the_backtrace_draws_the_path(visit):
    page, trace = visit("step=20"), shown()
    page.locator(".picture").focus()
    for done in range(1, len(trace.tokens) + 1):
        page.keyboard.press("ArrowRight")
        assert page.locator(".cell.lit").count() == done
    lit = page.locator(".cell.lit").evaluate_all("(all) => all.map((e) => e.dataset.tag)")
    assert lit == [trace.tags[s] for s in trace.best_path]


# algorithm, form, step → transitions, emissions and ends that are lit; cells without a message
READS = [
    ("forward", "state", 10, (4, 1, 0), 0),
    ("forward", "message", 6, (4, 4, 0), 4),
    ("forward", "message", 0, (4, 4, 4), 4),
    ("forward", "pair", 0, (0, 1, 1), 0),
    ("forward", "pair", 17, (4, 4, 1), 0),
    ("backward", "pair", 8, (4, 4, 0), 0),
    ("backward", "message", 8, (4, 4, 0), 4),
]


@pytest.mark.parametrize(("algorithm", "form", "step", "lit", "empty"), READS)
def test_each_form_lights_the_scores_that_its_step_reads(visit, algorithm, form, step, lit, empty):
    page = visit(f"algorithm={algorithm}&convention={form}&step={step}")
    pills = page.locator(".score.pilled:visible")
    roles = pills.evaluate_all("(all) => all.map((e) => e.classList[1])")
    assert tuple(map(roles.count, ("transition", "emission", "edge"))) == lit
    assert page.locator(".cell.absent").count() == empty


def test_potentials_are_written_as_factors(visit):
    page = visit("algorithm=forward&space=probability&step=11")
    cell = page.locator('.cell[data-token="2"][data-tag=VERB]')
    expect(cell.locator(".number")).to_have_text("9.2×10³")
    expect(page.locator('[data-score="t:NOUN:VERB"]:visible text')).to_have_text("×2.72")
    expect(page.locator('[data-score="e:2:VERB"]:visible text')).to_have_text("×1.65")
    expect(page.locator('[data-score="t:DET:VERB"]:visible')).to_have_attribute("data-sign", "-1")


def test_a_wrong_number_stands_under_the_right_one(visit):
    chain, tags, tokens = EXAMPLES["old man"]
    given = {(0, 0): "", (1, 2): "7.1234", (2, 3): "3.2"}
    figure = figures.compared("forward", chain, given, first=(1, 2), tags=tags, tokens=tokens)
    page = visit(figure.payload)
    assert at(page) == 6
    wrong = page.locator(".cell.wrong")
    assert wrong.evaluate_all("(all) => all.map((e) => e.className.baseVal.includes('now'))") == [
        True
    ]
    assert wrong.locator(".given").text_content() == "7.1234"
    page.locator(".picture").press("End")
    assert wrong.locator(".given").all_text_contents() == ["7.1234", "3.2"]


def live(page):
    """The score whose focus a reader has, and the edits that were told."""
    told = page.evaluate("window.said.filter(([name]) => name === 'edits')")
    return [(e["op"], e["index"], e["text"]) for e in told[-1][1]["edits"]] if told else []


def test_scores_are_changed_where_they_stand_if_a_kernel_answers(visit):
    chain, tags, tokens = EXAMPLES["old man"]
    figure = figures.forward(chain, tags=tags, tokens=tokens)
    page = visit(figure.payload)
    page.locator('[data-score="s:DET"]:visible').focus()
    page.keyboard.press("ArrowUp")  # in a file it goes a step back
    assert (live(page), at(page)) == ([], 0)
    figure.is_live = True
    page = visit(figure.payload | {"beside": figure.payload["beside"] | {"step": 11}})
    for key, press, edit in [
        ("s:DET", "ArrowUp", ("start", [0], "1.5")),
        ("t:NOUN:VERB", "Shift+ArrowDown", ("transitions", [2, 3], "0.9")),
        ("e:2:VERB", "ArrowUp", ("emissions", [2, 3], "1")),
    ]:
        page.locator(f'[data-score="{key}"]:visible').first.focus()
        page.keyboard.press(press)
        assert live(page)[-1] == edit
    assert len(live(page)) == 3  # all of them are told each time
    page.keyboard.press("Enter")
    page.keyboard.type("-inf\n")
    assert live(page)[-1] == ("emissions", [2, 3], "-Infinity")
    until(page, "window.said.length")
    for edit in page.evaluate("window.said.at(-1)[1]")["edits"]:
        figure.edit({"client": "a", "edits": [edit]})
    assert figure.scores.emissions[2][3] == -math.inf


def test_words_from_outside_stay_words(visit):
    page = visit("example=hostile")
    page.locator(".picture").press("End")
    assert "‘<img src=x onerror=hacked=1>’ is B" in said(page) or "says B" in said(page)
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator(".stepper img, .stepper b, .stepper .say i").count() == 0
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
            page.locator(".picture").press(key)
        cells = page.locator(".behind tbody td").all_inner_texts()
        drawn = page.locator('.cell:not([data-value=""])').count()
        assert len([text for text in cells if text not in ("?", "")]) == drawn


def test_on_a_phone_the_box_of_settings_is_on_the_screen(visit):
    for algorithm in ("forward", "viterbi", "backward"):
        page = visit(f"algorithm={algorithm}", width=390)
        page.locator(".more summary").click()
        box = page.locator(".menu").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


@pytest.mark.thorough
def test_the_current_cell_stays_in_view(visit):
    page = visit("example=large")
    page.locator(".picture").focus()
    room = page.locator(".picture").bounding_box()
    for key in ["End", "ArrowLeft", "PageUp", "Home", *["PageDown"] * 7]:
        page.keyboard.press(key)
        page.wait_for_timeout(400)
        box = page.locator(".cell.now").first
        if not box.count():
            continue  # at END
        box = box.bounding_box()
        assert room["x"] + 40 < box["x"], key
        assert box["x"] + box["width"] <= room["x"] + room["width"], key
        assert box["y"] + box["height"] <= room["y"] + room["height"], key


def test_impossible_cells_are_hatched(visit):
    page = visit("example=bio&step=4")
    impossible = page.locator('.cell[data-token="0"][data-tag=I]')
    assert impossible.get_attribute("data-value") == "-inf"
    assert impossible.locator(".number").text_content() == "−∞"
    fill = impossible.locator(".body").evaluate("e => getComputedStyle(e).fill")
    assert "never" in fill


def test_steps_are_animated_only_where_motion_is_welcome(visit):
    script = """() => {
      document.querySelector('[data-do=next]').click();
      return document.getAnimations().filter((one) => one.timeline === document.timeline).length;
    }"""
    assert visit("step=8").evaluate(script) > 3  # edges, their bar, the emission, the number
    assert visit("step=8", reduced_motion=True).evaluate(script) == 0
