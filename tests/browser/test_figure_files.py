"""Saved figures by themselves: offline, from file://, in other people's pages."""

import pytest
import torch
from playwright.sync_api import expect

from crf import LinearChain, figures
from crf.figures import modules
from crf.figures.figure import Figure
from crf.figures.words import save_words
from tests.browser.mounted import component, mounted
from tests.browser.scripts import script
from tests.figures.coin.payload import payload

NAMES = {"tokens": "They can fish .".split(), "tags": ["NOUN", "VERB", "AUX"]}
HOSTILE = """* { color: red !important; font-size: 40px !important; margin: 30px; line-height: 4;
  letter-spacing: 9px; text-transform: uppercase; box-sizing: content-box; fill: red }
button { display: none; } svg { width: 10px; } table { display: flex; }"""


def chain():
    g = torch.Generator().manual_seed(0)
    return LinearChain(2 * torch.randn(1, 4, 3, generator=g), torch.randn(3, 3, generator=g))


def drawn(name):
    path = ([0, 1, 2, 0],) if name == "gradient" else ()
    return getattr(figures, name)(chain(), *path, **NAMES)


@pytest.fixture
def opened(open_tab, tmp_path):
    """Open a file without a network; no error, no message, no request but of itself."""
    pages, faults = [], []

    def hear(message):
        faults.append(message.text)

    def watch(request):
        if request.url.startswith(("http", "ws")):
            faults.append(request.url)

    def open_file(document, *, width=1280, name="figure.html"):
        (tmp_path / name).write_text(document, encoding="utf-8")
        pages.append(page := open_tab(width=width, height=800, reduced_motion=True))
        page.on("console", hear)
        page.on("request", watch)
        page.goto((tmp_path / name).as_uri())
        return page

    yield open_file
    for page in pages:
        page.remove_listener("console", hear)
        page.remove_listener("request", watch)
    assert faults == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one, marks=[] if one in ("viterbi", "gradient") else [pytest.mark.thorough])
        for one in (*figures.BY_NAME, "gradient")
    ],
)
def test_a_file_opens_offline_and_anyone_can_read_it(opened, name):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    page = opened(drawn(name).html())
    page.locator("[data-crf] [role=group], [data-crf] [role=region]").first.wait_for()
    expect(page.locator("h1")).to_have_text(drawn(name).title)
    for width, scheme, paper in ((1280, "light", (255, 255, 255)), (390, "dark", (18, 22, 26))):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".crf-figure")).to_have_css("background-color", f"rgb{paper}")
        page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
        found = axe.Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_a_file_steps_by_keys_and_saves(opened):
    page = opened(drawn("viterbi").html())
    page.locator(".picture").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".count")).to_have_text("4 / 17")
    page.locator(".more summary").click()
    expect(page.locator("[data-way=html]")).to_be_hidden()  # it is one already
    with page.expect_download() as download:
        page.locator("[data-way=png]").click()
    assert download.value.suggested_filename.endswith(".png")


def test_a_hostile_page_and_slides_show_the_file_as_it_is(opened, tmp_path):
    figure = drawn("viterbi")
    alone = opened(figure.html(), width=900, name="viterbi.html")
    alone.locator(".trellis text").first.wait_for()
    high = alone.evaluate("document.documentElement.getBoundingClientRect().height")
    slides = "<div class='reveal' style='transform: scale(1)'><section>{}</section></div>"
    for page_style, body in ((HOSTILE, "{}"), (".reveal { font-size: 40px; color: #fff }", slides)):
        style = f"<style>{page_style} iframe {{ margin: 0 }}</style>"
        code = figure.embed_code("viterbi.html").replace("width: 100%", "width: 900px")
        page = opened(style + body.format(code), width=1280, name="slides.html")
        frame = page.frame_locator("iframe")
        frame.locator(".trellis text").first.wait_for()
        page.wait_for_function(
            "(high) => Math.abs(document.querySelector('iframe').clientHeight - high) < 2", arg=high
        )
        here = frame.locator("main").bounding_box()
        assert here["width"] == pytest.approx(884, abs=1)
        same = "e => [...e.querySelectorAll('h1')].map((h) => getComputedStyle(h).color)"
        assert frame.locator("main").evaluate(same) == alone.locator("main").evaluate(same)


NOTEBOOK = script("notebook")


def in_notebook(page, folder, data):
    entry = f"{folder}/index.js"
    values = {"modules": modules.texts(entry), "entry": entry, "data": data}
    values["sheet"] = modules.style(folder)
    page.evaluate(NOTEBOOK, [modules.host("notebook.js"), values, HOSTILE])


def test_a_new_figure_is_a_folder_and_shows_in_all_hosts(opened, empty_page):
    """As CONTRIBUTING says: index.js, style.css, words.md, payload.py; here tests/figures/coin."""
    folder, data = "tests/figures/coin", payload(0.5)
    page = empty_page()
    app = mounted(page, component(folder, data))  # the app
    expect(app.locator("button")).to_have_text("Heads with probability 0.5")
    app.locator("button").click()
    assert page.evaluate("window.said") == [["choice", {"side": "heads"}]]
    scores = figures.flow(chain()).scores
    coin = Figure(folder, "A coin", scores, lambda figure: data)
    alone = opened(coin.html())  # a file
    expect(alone.locator(".coin button")).to_have_text("Heads with probability 0.5")
    page = empty_page()
    in_notebook(page, folder, data)  # a notebook, whose page has styles of its own
    button = page.locator(".coin button")
    expect(button).to_have_text("Heads with probability 0.5")
    assert button.evaluate("e => getComputedStyle(e).color") == "rgb(27, 33, 38)"
    button.click()
    assert page.evaluate("window.told") == [["choice", {"side": "heads"}]]
    page.evaluate("(data) => window.change(data)", payload(0.75))
    expect(button).to_have_text("Heads with probability 0.75")


def test_a_hostile_page_does_not_reach_a_figure_in_a_notebook(opened, empty_page):
    figure = drawn("flow")
    alone = opened(figure.html(), width=900)
    looks = """e => [...e.querySelectorAll('text, .readout, button')].map((part) => {
      const { color, fill, fontSize, letterSpacing, textTransform } = getComputedStyle(part)
      return [part.textContent, color, fill, fontSize, letterSpacing, textTransform] })"""
    alone.locator(".flow .block text").first.wait_for()
    before = alone.locator(".flow").evaluate(looks)
    page = empty_page(width=916, reduced_motion=True)
    in_notebook(page, figure.folder, figure.payload | {"save": save_words()})
    page.locator(".flow .block text").first.wait_for()
    assert page.locator(".flow").evaluate(looks) == before
    assert len(before) > 8
