"""The stage by itself: a view of three words, and a server that answers what the stage asks."""

import json
import shutil
import subprocess

import pytest
import torch

from crf import LinearChain
from crf.figures import modules
from pages.shared.contents import ROOT

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

TAGS = ["NOUN", "VERB", "DET"]
SENTENCE = "the old man"
EMISSIONS = torch.tensor([[[0.0, -1, 3], [1, 0.5, -2], [1.2, 1, -3]]], dtype=torch.float64)
TRANSITIONS = torch.tensor([[-1.0, 2, 0], [0, -2, 1], [2, -1, -3]], dtype=torch.float64)
LAMBDAS, TAUS, SCALE = [0, 0.5, 1], [1, 0.5, 0], 10_000
WORDS = (
    "claim prompt prompt-short surprise course more trellis trellis-short start softmax greedy "
    "posterior viterbi all best alone together fixed other pad headline flow skip free waiting "
    "failed play half read-all no-word"
)
PAGE = """<!doctype html><html lang="en"><title>Stage</title><style>{style}
:root {{ color-scheme: light dark }} body, h1 {{ margin: 0; font-size: 0 }}</style>
<main><h1>Stage</h1><div class="crf-figure"></div></main>
<script type="application/json">{data}</script><script type="module">
import stage from "/modules/1/pages/index.js"
const data = JSON.parse(document.querySelector('[type="application/json"]').textContent)
window.said = {{}}
window.model = Object.assign(new EventTarget(), {{ data, get() {{ return this.data }},
  set(name, value) {{ said[name] = value }}, save_changes() {{}}, off() {{}} }})
model.on = model.addEventListener
const {{ signal }} = new AbortController()
stage.render({{ model, el: document.querySelector('.crf-figure'), signal }})
</script></html>"""


def chain(weight, temperature, fixed):
    """The chain at a place of the pad; at temperature 0 that of the best reading alone."""
    whole = LinearChain(EMISSIONS, weight * TRANSITIONS).clamp(fixed)
    tags = whole.viterbi().tags
    if not temperature:
        return whole.clamp(tags), tags
    scores = EMISSIONS / temperature, weight * TRANSITIONS / temperature
    return LinearChain(*scores).clamp(fixed), tags


def now(state):
    weight, temperature = float(state["lambda"]), float(state["tau"])
    held = dict(map(int, pair.split(".")) for pair in filter(None, state["fix"].split("~")))
    fixed = torch.tensor([[held.get(t, -1) for t in range(3)]])
    at, tags = chain(weight, temperature, fixed)
    return {
        "lambda": weight,
        "tau": temperature,
        "blocks": at.marginals[0].tolist(),
        "ribbons": at.pair_marginals[0].tolist(),
        "all": at.marginals[0].tolist(),
        "path": tags[0].tolist(),
        "marks": [],
        "say": ["At ", {"text": "man", "tag": tags[0, 2].item()}, f" λ is {weight:g}."],
        "detail": [f"τ is {temperature:g}."],
        "corner": "",
    }


def view(state):
    """What Python sends for a state, by the schema of the stage."""
    grid = [now({**state, "lambda": x, "tau": y}) for y in TAUS for x in LAMBDAS]
    held = dict(map(int, pair.split(".")) for pair in filter(None, state["fix"].split("~")))

    def rounded(values):
        return (torch.tensor(values).flatten() * SCALE).round().int().tolist()

    colours = ["0, 114, 178", "193, 85, 0", "159, 90, 179", "111, 118, 126"]
    tags = [{"name": n, "colour": c} for n, c in zip([*TAGS, "other"], colours, strict=True)]
    return {
        "kind": "flow",
        "state": state,
        "query": f"fix={state['fix']}",
        "trellis": "a=1",
        "message": "",
        "words": {name: name for name in WORDS.split()},
        "headline": {
            "text": state["sentence"],
            "typed": {"tagger": "local"},
            "tagger": {"key": state.get("tagger", "local"), "name": "its name"},
            "examples": [{"label": "example", "set": {"sentence": "one two three"}}],
            "surprises": [],
        },
        "flow": {
            "tags": tags,
            "tokens": [
                {"text": word, "fixed": held.get(t), "unknown": False}
                for t, word in enumerate((state["sentence"].split() + ["more"] * 3)[:3])
            ],
            "shown": [[0, 1, 2]] * 3,
            "grid": {
                "lambdas": LAMBDAS,
                "taus": TAUS,
                "scale": SCALE,
                "blocks": [rounded(place["blocks"]) for place in grid],
                "ribbons": [rounded(place["ribbons"]) for place in grid],
                "paths": [place["path"] for place in grid[:3]],
                "says": list(range(9)),
            },
            "sentences": [{key: place[key] for key in ("say", "detail")} for place in grid],
            "now": now(state),
            "flip": state["sentence"].startswith("flip"),
            "swap": ["Here a tag changes:"],
            "swaps": []
            if state["sentence"].startswith("flip")
            else [{"sentence": f"flip {k} now", "say": [f"flip {k} now"]} for k in "ab"],
        },
    }


@pytest.fixture
def stage(open_tab, site):
    """Open the stage; `asked` collects the questions, and `answer` may be replaced."""

    def opener(
        answer=None, fix="", host="reader", address="/draw/tag/flow", opens=False, tagger="", **how
    ):
        page = open_tab(**how)
        page.asked = site.asked = []
        state = {"sentence": SENTENCE, "fix": fix, "lambda": "1", "tau": "1"}
        state |= {"tagger": tagger} if tagger else {}
        data = {
            "address": address,
            "language": "en",
            "opens": opens,
            "host": host,
            "order": 0,
            "set": {},
            "links": {"trellis": "/viterbi", "course": "/structure"},
            "view": view(state),
        }

        text = json.dumps(data).replace("<", "\\u003c")
        site.page = PAGE.format(style=modules.style("pages"), data=text)
        site.answer = lambda _, question: (answer or answered)(question)
        page.goto(site.url)
        if opens:  # a tab of an earlier test has seen the opening
            page.evaluate("sessionStorage.clear()")
            page.reload()
        page.locator("rect[data-p]").first.wait_for(state="attached")
        return page

    return opener


def answered(question):
    """What the server answers: the whole view, or what holds at the dot."""
    state = question["state"]
    if question["want"] == "whole":
        return 200, {"view": view(state)}
    if question["want"] == "typed":
        return 200, {"typed": view(state)["flow"], "message": ""}
    whole = view(state)
    return 200, {"now": now(state), **{key: whole[key] for key in ("query", "trellis", "state")}}


def drawn(page, token):
    """Probabilities of a word's blocks, by tag."""
    rects = page.locator(f"[data-figure=flow] rect[data-token='{token}']")
    return dict(rects.evaluate_all("(all) => all.map((e) => [e.dataset.tag, +e.dataset.p])"))


def computed(token, weight=1.0, temperature=1.0, fix=""):
    at = now({"lambda": weight, "tau": temperature, "fix": fix})
    return pytest.approx(dict(zip(TAGS, at["blocks"][token], strict=True)), abs=1e-9)


def test_blocks_and_ribbons_carry_the_probabilities_of_the_core(stage):
    page = stage()
    for token in range(3):
        assert drawn(page, token) == computed(token)
    ribbons = page.locator(".ribbon[data-token='1']").evaluate_all(
        "(all) => all.map((e) => +e.dataset.p)"
    )
    expected = torch.tensor(now(page_state())["ribbons"][1]).flatten().tolist()
    assert ribbons == pytest.approx(expected, abs=1e-6)
    heights = page.locator("rect[data-token='1']").evaluate_all(
        "(all) => all.map((e) => +e.getAttribute('height'))"
    )
    order = sorted(range(3), key=heights.__getitem__)
    assert order == sorted(range(3), key=list(drawn(page, 1).values()).__getitem__)


def page_state():
    return {"sentence": SENTENCE, "fix": "", "lambda": "1", "tau": "1"}


def test_each_word_is_read_when_a_blank_ends_it_and_the_sentence_when_the_reader_rests(stage):
    page = stage()
    field = page.locator("[data-headline]")
    field.click()
    page.keyboard.type("a b", delay=20)  # over the old one
    expect(page.locator(".words bdi")).to_have_text(["a", "b"])
    expect(page.locator(".empty")).to_have_count(1)  # the word at the caret
    assert drawn(page, 1) == {}
    assert [page.locator(part).inner_text() for part in (".say", ".detail")] == ["", ""]
    expect(page.locator(".offers")).to_be_hidden()
    page.keyboard.type(" c", delay=20)
    expect(page.locator(".say")).to_have_text("At man λ is 1.")  # it rests
    wanted = [(q["want"], q["state"]["sentence"]) for q in page.asked]
    assert wanted[-1] == ("whole", "a b c")
    assert set(wanted[:-1]) <= {("typed", "a"), ("typed", "a b")}
    assert ("typed", "a b") in wanted
    assert {q["state"]["tagger"] for q in page.asked} == {"local"}
    expect(page.locator(".empty")).to_have_count(0)
    page.wait_for_function("said.state?.state.sentence === 'a b c'")
    assert field.evaluate("(e) => e.getRootNode().activeElement === e")  # one may type on
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert [(q["want"], q["state"]["sentence"]) for q in page.asked] == wanted


def test_escape_gives_up_and_enter_does_not_wait(stage):
    page = stage()
    field = page.locator("[data-headline]")
    field.click()
    page.keyboard.type("ab")
    page.keyboard.press("Escape")
    assert (field.input_value(), page.asked) == (SENTENCE, [])
    assert drawn(page, 1) == computed(1)
    expect(page.locator(".say")).to_have_text("At man λ is 1.")
    field.click()
    page.keyboard.type("abc")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    expect(field).to_be_focused()  # one may type on
    assert [(q["want"], q["state"]["sentence"]) for q in page.asked] == [("whole", "abc")]


def test_nothing_is_sent_while_an_input_method_composes(stage):
    page = stage()
    field = page.locator("[data-headline]")
    field.click()
    client = page.context.new_cdp_session(page)
    for text in ("n", "ni", "你"):
        client.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
        page.wait_for_timeout(700)
    assert page.asked == []
    client.send("Input.insertText", {"text": "你好"})
    page.wait_for_function("said.state?.state.sentence === '你好'")
    assert [q["want"] for q in page.asked] == ["whole"]


def test_words_that_stay_keep_their_columns_and_the_caret_stands_in_the_word(stage):
    page = stage(answer=lambda _: (503, {"message": "busy."}))  # nothing more is read
    page.locator("[data-headline]").click()
    word = page.locator(".words bdi").nth(1).bounding_box()
    page.mouse.click(word["x"] + word["width"] + 2, word["y"] + 10)  # behind "old"
    caret = page.locator(".caret").bounding_box()
    assert abs(caret["x"] - word["x"] - word["width"]) < 4
    page.keyboard.type("er")
    expect(page.locator(".words bdi")).to_have_text(["the", "older", "man"])
    assert [len(drawn(page, t)) for t in range(3)] == [3, 0, 3]
    assert page.locator(".ribbon").count() == 0  # neither neighbour has been read beside it
    page.mouse.dblclick(word["x"] + 5, word["y"] + 10)
    assert page.locator("[data-headline]").evaluate(
        "(e) => e.value.slice(e.selectionStart, e.selectionEnd)"
    ) == ("older")


def test_the_dot_plays_a_flip_once_and_any_key_stops_it(stage):
    page = stage()
    dot, swaps = page.locator("[data-lambda]"), page.locator("[data-swap]")
    assert swaps.count() == 2
    swaps.first.click()
    page.wait_for_function("document.querySelector('.dot').dataset.lambda < 0.9")
    expect(dot).to_have_attribute("data-lambda", "1")
    expect(swaps).to_have_count(0)
    page.wait_for_function("said.state?.state.sentence === 'flip a now'")
    page.wait_for_timeout(200)
    assert dot.get_attribute("data-lambda") == "1"  # once
    page.locator("[data-play]").click()
    page.wait_for_function("document.querySelector('.dot').dataset.lambda < 0.5")
    page.keyboard.press("x")
    assert dot.get_attribute("data-lambda") == "1"


def test_the_tick_has_the_other_tagger_and_a_move_of_the_dot_takes_it_off(stage):
    page = stage()
    tick = page.locator("[data-read-all]")
    assert tick.get_attribute("aria-pressed") == "false"
    tick.click()
    expect(tick).to_have_attribute("aria-pressed", "true")
    assert [q["state"]["tagger"] for q in page.asked] == ["bilstm"]
    page.locator("[data-lambda]").focus()
    page.keyboard.press("End")
    assert tick.get_attribute("aria-pressed") == "false"
    page.wait_for_timeout(400)
    assert page.asked[-1]["want"] == "now"
    assert "tagger" not in page.asked[-1]["state"]


@pytest.mark.parametrize("key", ["bilstm", "own-1"])
def test_another_tagger_opens_with_the_tick_on_and_the_dot_moves_it(stage, key):
    page = stage(tagger=key)
    tick = page.locator("[data-read-all]")
    assert tick.get_attribute("aria-pressed") == "true"
    assert tick.inner_text() == ("read-all" if key == "bilstm" else "its name")
    page.locator("[data-lambda]").focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(400)
    expect(tick.locator("i")).to_have_css("background-color", "rgba(0, 0, 0, 0)")  # one dot only
    assert (page.asked[-1]["state"]["tagger"], page.asked[-1]["want"]) == (key, "now")
    assert tick.get_attribute("aria-pressed") == "true"
    tick.click()
    expect(tick).to_have_attribute("aria-pressed", "false")
    tick.click()
    expect(tick).to_have_attribute("aria-pressed", "true")
    assert [q["state"]["tagger"] for q in page.asked[-2:]] == ["local", key]


def test_a_table_has_no_tick(stage):
    expect(stage(tagger="hand").locator("[data-read-all]")).to_be_hidden()


def test_a_refusal_is_shown_and_what_was_typed_is_kept(stage):
    page = stage(answer=lambda _: (413, {"message": "sentence: too long; shorten it."}))
    page.locator("[data-headline]").fill("too long")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("sentence: too long; shorten it.")
    assert page.locator("[data-headline]").input_value() == "too long"
    assert drawn(page, 1) == computed(1)  # the last picture stays
    count = len(page.asked)
    page.locator("[data-headline]").press("Enter")
    page.wait_for_timeout(300)
    assert len(page.asked) == count + 1  # Enter tries again


def test_a_block_fixes_its_tag_and_frees_it_again(stage):
    page = stage()
    block = page.locator("rect[data-token='1'][data-tag='VERB']")
    block.click()
    expect(page.locator(".block[aria-pressed=true]")).to_have_count(1)
    assert page.asked[-1]["state"]["fix"] == "1.1"
    assert drawn(page, 2) == computed(2, fix="1.1")
    page.wait_for_url("**fix=1.1*")
    block.click()
    expect(page.locator(".block[aria-pressed=true]")).to_have_count(0)
    assert page.asked[-1]["state"]["fix"] == ""


def test_a_low_block_can_be_pressed(stage):
    page = stage()
    low = page.locator("rect[data-token='0'][data-tag='NOUN']")
    assert low.bounding_box()["height"] < 24
    low.click()
    expect(page.locator(".block[aria-pressed=true]")).to_have_count(1)
    assert page.asked[-1]["state"]["fix"] == "0.0"


def test_a_click_on_a_ribbon_gives_the_focus_to_nothing(stage):
    page = stage()
    box = page.locator("[data-figure=flow] path[data-from]").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert not page.locator("[data-figure=flow] svg:focus").count()


def test_keys_go_from_block_to_block_and_fix(stage):
    page = stage()
    page.locator(".block[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".block[aria-pressed=true]")).to_be_focused()
    assert page.asked[-1]["state"]["fix"].startswith("1.")
    page.evaluate("document.body.style.minHeight = '3000px'")
    page.keyboard.press("ArrowDown")  # there is no other block: the page stays
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") == 0


def test_all_tags_of_a_word_stand_in_bars_that_fix(stage):
    page = stage()
    page.locator("[data-headline]").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    bars = page.locator(".bars button")
    expect(bars).to_have_count(3)
    expect(bars.first).to_be_focused()
    assert bars.locator("b").all_inner_texts() == ["VERB", "NOUN", "DET"]  # best first
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator(".block[aria-pressed=true]")).to_have_count(1)
    assert page.asked[-1]["state"]["fix"] == "2.2"  # DET is the least probable


def test_the_dot_interpolates_on_its_way_and_is_computed_at_rest(stage):
    page = stage()
    dot = page.locator("[data-lambda]")
    dot.focus()
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert [dot.get_attribute(f"data-{name}") for name in ("lambda", "tau")] == ["0.99", "0.95"]
    expect(page.locator(".detail .long")).to_have_text("τ is 0.95.")
    assert [q["want"] for q in page.asked] == ["now"]
    assert drawn(page, 2) == computed(2, 0.99, 0.95)
    page.keyboard.press("Home")
    middle = page.evaluate(
        "document.querySelector('.face[data-token=\"2\"][data-tag=NOUN]').dataset.p"
    )
    grid = view(page_state())["flow"]["grid"]["blocks"]
    between = 0.9 * grid[0][6] + 0.1 * grid[3][6]  # from τ = 1 a tenth of the way to .5
    assert float(middle) == pytest.approx(between / SCALE, abs=1e-9)


def test_a_drag_moves_the_dot_and_asks_once_when_it_rests(stage):
    page = stage()
    box = page.locator(".field").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 1)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"], steps=4)
    assert page.asked == []
    page.mouse.up()
    expect(page.locator(".detail .long")).to_have_text("τ is 0.")
    assert [(q["want"], q["state"]["lambda"], q["state"]["tau"]) for q in page.asked] == [
        ("now", "0.25", "0")
    ]
    assert sorted(drawn(page, 1).values()) == [0, 0, 1]
    page.mouse.move(box["x"], box["y"])  # it is let go
    assert page.locator("[data-lambda]").get_attribute("data-lambda") == "0.25"


def test_the_opening_plays_once_and_ends_with_any_key(stage):
    page = stage(opens=True)
    dot = page.locator("[data-lambda]")
    assert float(dot.get_attribute("data-lambda")) < 1
    expect(page.locator(".say")).to_have_text("At man λ is 0.")
    page.keyboard.press("x")
    expect(dot).to_have_attribute("data-lambda", "1")
    assert drawn(page, 2) == computed(2)
    page.reload()
    page.locator("rect[data-p]").first.wait_for(state="attached")
    assert dot.get_attribute("data-lambda") == "1"


def test_without_motion_both_ends_stand_side_by_side_until_something_is_done(stage):
    page = stage(opens=True, reduced_motion=True)
    expect(page.locator(".still")).to_be_visible()
    assert drawn(page, 2) == computed(2)
    page.keyboard.press("x")
    expect(page.locator(".still")).to_have_count(0)


def test_a_file_shows_the_pad_and_asks_nothing(stage):
    page = stage(host="file", address="")
    expect(page.locator(".more")).to_be_hidden()
    page.locator("rect[data-token='1'][data-tag='VERB']").click()
    page.locator("[data-lambda]").focus()
    page.keyboard.press("Home")
    expect(page.locator(".say")).to_have_text("At man λ is 0.")
    page.wait_for_timeout(300)
    assert page.asked == []
    assert drawn(page, 2) == pytest.approx(
        dict(zip(TAGS, now({"lambda": 0, "tau": 1, "fix": ""})["blocks"][2], strict=True)), abs=1e-4
    )


@pytest.mark.parametrize("how", [{}, {"width": 390, "height": 844}, {"dark": True}])
def test_axe_is_content_and_the_picture_has_half_of_the_window(stage, how):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    page = stage(fix="1.1", **how)
    violations = axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"] for node in v["nodes"]]) for v in violations] == []
    box, (width, height) = page.locator("[data-figure=flow]").bounding_box(), _window(page)
    assert box["width"] * box["height"] >= 0.48 * width * height
    assert page.evaluate("document.documentElement.scrollHeight") <= height


def _window(page):
    return page.viewport_size["width"], page.viewport_size["height"]


ONE_AT_A_TIME = """
import {{ Questions }} from "{module}";
const [sent, drawn] = [[], []];
globalThis.fetch = (_, {{ body }}) =>
  new Promise((resolve) => sent.push({{ ...JSON.parse(body), resolve }}));
const answer = (k) => sent[k].resolve({{ ok: true, json: async () => sent[k].state }});
const turn = () => new Promise((resolve) => setTimeout(resolve));
const questions = new Questions((state) => drawn.push(state), () => drawn.push("failed"));
for (const [state, want] of {asked}) questions.ask("/", {{ state, want, language: "en" }});
for (let k = 0; k < sent.length; k++) {{ answer(k); await turn(); }}
console.log(JSON.stringify({{ sent: sent.map(({{ state, want }}) => [state, want]), drawn }}));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ([["a", "now"]], [["a", "now"]]),
        ([["a", "now"], ["b", "now"], ["c", "now"]], [["a", "now"], ["c", "now"]]),
        ([["a", "now"], ["b", "whole"], ["c", "now"]], [["a", "now"], ["c", "whole"]]),
        ([["a", "whole"], ["b", "now"]], [["a", "whole"], ["b", "whole"]]),
    ],
)
def test_one_question_is_in_flight_and_the_newest_waits(asked, sent):
    module = (ROOT / "pages/shared/ui/stage/ask.js").as_uri()
    code = ONE_AT_A_TIME.format(module=module, asked=json.dumps(asked))
    command = ["node", "--input-type=module", "-e", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"sent": sent, "drawn": [sent[-1][0]]}
