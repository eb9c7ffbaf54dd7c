"""The trellis on the stage: real views, a page without Streamlit, and what a reader does to it."""

import re
from itertools import product

import pytest
import torch

from pages.shared.ui.stage import view as views
from pages.trellis.beats import BEATS
from tests.browser.scripts import script

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

BY_NAME = {beat.name: beat for beat in BEATS}
TAGS = ["DET", "ADJ", "NOUN", "VERB"]
LONG = "time flies like an arrow but fruit flies like a banana and the old man the boat"


@pytest.fixture
def trellis(open_beat):
    """Open a beat: `trellis("add", ex="old-man")`; `asked` collects the questions."""

    def opener(beat, how=None, **query):
        return open_beat("trellis", beat, how, **(query or {"ex": "old-man"}))

    return opener


def summary(**query):
    """The core's chain of a state."""
    return views.state_of(query or {"ex": "old-man"})[0].problem.chain()


def cells(page, name="value"):
    """The hooks of cells that are filled: (token, tag) → number."""
    found = page.locator(".cell").evaluate_all(
        f"(all) => all.map((e) => [e.dataset.token, e.dataset.tag, e.dataset.{name}])"
    )
    return {(int(t), tag): float(value) for t, tag, value in found if value not in ("", None)}


def table(values):
    return pytest.approx(
        {(t, TAGS[s]): x for t, row in enumerate(values.tolist()) for s, x in enumerate(row)},
        abs=1e-5,
    )


def address_says(page, part, text):
    """Wait until a part of the address's query is this text, "" where it is not there."""
    script = "([part, text]) => (new URLSearchParams(location.search).get(part) ?? '') === text"
    page.wait_for_function(script, arg=[part, text], timeout=10_000)


def press(page, *keys):
    """Press keys; each is answered before the next."""
    for key in keys:
        before = len(page.asked)
        page.keyboard.press(key)
        for _ in range(40):
            if len(page.asked) > before:
                break
            page.wait_for_timeout(10)
        page.wait_for_timeout(30)


@pytest.mark.parametrize(
    ("beat", "bet", "first", "numbers"),
    [
        ("column", "~", 13, lambda chain: chain.log_alphas[0]),  # add stops before its column
        ("mind", "-", 13, lambda chain: chain.viterbi().log_deltas[0]),
        ("both", "", 1, lambda chain: chain.log_betas[0]),
    ],
)
def test_end_fills_every_cell_with_the_cores_numbers_and_home_leaves_the_first(
    trellis, beat, bet, first, numbers
):
    page = trellis(beat, ex="old-man", bet=bet)
    assert 0 < len(cells(page)) < 20
    press(page, "End")
    expect(page.locator(".total")).to_have_class(re.compile("full"))
    assert cells(page) == table(numbers(summary()))
    press(page, "Home")
    expect(page.locator(".cell:not([data-value=''])")).to_have_count(first)


def test_a_step_shows_the_terms_with_their_signs_and_one_more_value(trellis):
    page = trellis("add", ex="old-man", step="11")
    assert len(cells(page)) == 12
    pills = page.locator(".score.transition.pilled[data-score]:not([display=none])")
    signs = pills.evaluate_all("(all) => all.map((e) => [e.dataset.score, e.dataset.sign])")
    assert dict(signs) == {
        "t:DET:VERB": "-1",
        "t:ADJ:VERB": "-1",
        "t:NOUN:VERB": "1",
        "t:VERB:VERB": "-1",
    }
    press(page, "ArrowLeft", "ArrowLeft")
    expect(page.locator(".cell.now")).to_have_attribute("data-tag", "ADJ")
    assert len(cells(page)) == 10
    press(page, "Shift+ArrowRight")
    expect(page.locator(".cell:not([data-value=''])")).to_have_count(12)
    press(page, "ArrowLeft")
    expect(page.locator(".cell:not([data-value=''])")).to_have_count(11)


@pytest.mark.parametrize(
    ("beat", "keys", "steps"),
    [
        ("add", "+---+++", [11, 7, 3, 0, 3, 7, 11]),
        ("add", "++", [11, -1]),  # −1: another beat
        ("mind", "+++-----", [15, 19, 20, 19, 15, 12, -1]),
        ("both", "++-", [11, 15, 11]),
        ("back", "+-", [22, 21]),  # the way back and words have no columns
        ("meet", "+-", [3, 2]),
    ],
)
def test_a_remote_goes_from_column_to_column_and_on(trellis, beat, keys, steps):
    page = trellis(beat, ex="old-man", bet="-")
    keys = keys[: len(steps)]
    first = BY_NAME[beat].steps(views.state_of({"ex": "old-man"})[0].problem).start
    for key, step in zip(keys, steps, strict=True):
        page.keyboard.press({"+": "PageDown", "-": "PageUp"}[key])
        if step < 0:
            expect(page.locator(f"[data-beat={beat}][aria-current]")).to_have_count(0)
        else:
            there = re.compile(f"^step {step - first + 1} ")
            expect(page.locator(".place span")).to_have_text(there)


def test_the_widths_of_the_edges_are_the_shares(trellis):
    page = trellis("add", ex="old-man", step="11")
    widths = page.locator(".band").evaluate_all(
        """(all) => all.map((e) => e.getAttribute('d').match(/[\\d.]+/g).map(Number))
             .map((d) => d.at(8) - d.at(7))"""
    )
    transitions = torch.tensor([-3.0, -2, 1, -2])
    shares = (summary().log_alphas[0, 1] + transitions).softmax(0).tolist()
    assert widths[1] / widths[2] == pytest.approx(shares[1] / shares[2], abs=1e-3)
    assert widths[2] == pytest.approx(shares[2] * sum(widths), rel=0.06)  # the thinnest are .8 px


def test_a_click_changes_the_path_and_its_running_score(trellis):
    page = trellis("path")
    page.locator(".cell[data-token='1'][data-tag='ADJ']").click()
    expect(page.locator(".say")).to_contain_text("17.0")
    address_says(page, "path", "0~1~3~0~2")
    assert list(cells(page).values()) == [6, 8.5, 7, 13.5, 16.5]
    press(page, "Control+z")
    expect(page.locator(".say")).to_contain_text("19.0")
    page.locator(".cell[data-token='1'][data-tag='ADJ']").click()
    expect(page.locator(".say")).to_contain_text("17.0")
    expect(page.locator(".stair:visible")).to_have_count(11)
    page.locator(".cell[data-token='1'][data-tag='ADJ']").focus()
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".say")).to_contain_text("19.0")
    expect(page.locator("[data-beat=path]")).to_have_attribute("aria-current", "step")


def test_a_dragged_score_moves_the_best_path_and_leaves_the_old_one_dotted(trellis):
    page = trellis("back")
    press(page, "End")
    box = page.locator(".score[data-score='t:NOUN:VERB']:visible").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 90, steps=6)
    expect(page.locator(".total")).to_have_text(re.compile("18.0"))
    page.mouse.up()
    expect(page.locator(".undo")).to_be_visible()
    address_says(page, "edit", "t:NOUN:VERB_-.5")
    assert page.locator(".trails .ghost").get_attribute("d")
    assert page.evaluate("document.activeElement.dataset.score") == "t:NOUN:VERB"
    assert {q["want"] for q in page.asked[1:-1]} == {"now"}
    press(page, "Control+z")
    expect(page.locator(".total")).to_have_text(re.compile("19.0"))
    address_says(page, "edit", "")


KEYS = [  # from the cell of step 11 on
    ("ArrowRight", "emission of man, NOUN"),
    ("ArrowRight", "the, NOUN"),
    ("ArrowUp", "the, ADJ"),
    ("Home", "START, ADJ"),
    ("Escape", "The, ADJ: log α̂ −3.00, share of the column <.01"),
    ("ArrowDown", "The, NOUN: log α̂ −2.50, share of the column <.01"),
    ("ArrowRight", "emission of The, NOUN"),
    ("ArrowRight", "old, NOUN: log α̂ 7.50, share of the column .27"),
    ("ArrowRight", "emission of old, NOUN"),
    ("ArrowRight", "NOUN → NOUN"),
    ("ArrowRight", "man, NOUN: log α̂ 12.08"),
    ("End", "log Z"),
    ("ArrowRight", "log Z"),
]


def test_the_trellis_is_one_stop_and_arrows_go_between_cells_and_scores(trellis):
    page = trellis("add", step="10")
    stop = page.locator("[data-figure=trellis] [tabindex='0']")
    assert stop.evaluate_all("(all) => all.map((one) => one.ariaLabel)") == [
        "man, NOUN: log α̂ 12.08"
    ]
    stop.focus()
    for key, name in KEYS:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.ariaLabel") == name, key
    edges = page.locator(".score.transition.pilled:visible")
    assert edges.evaluate_all("(all) => all.map((one) => one.ariaDescription)")[1:3] == [
        "share of the sum .92",
        "share of the sum .08",
    ]
    page.locator(
        ".cell[data-token='1'][data-tag='NOUN']"
    ).click()  # after the mouse, the arrows step
    expect(page.locator(".place span")).to_have_text(re.compile("^step 7 "))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".place span")).to_have_text(re.compile("^step 8 "))


def test_a_step_is_announced_once_and_its_numbers_are_named(trellis):
    page = trellis("add", step="10")
    spoken = page.locator(".spoken")
    expect(spoken).to_contain_text("8.50 transition +1.5 , 7.50 transition +0")
    expect(spoken).to_contain_text("emission +2 = 12.08")
    page.locator("[data-score='t:VERB:NOUN']:visible").focus()
    press(page, "ArrowUp")  # what has not changed is not said again
    expect(spoken).to_have_text(re.compile(r"^log Σ exp .* transition [+]1 \) emission"))


def test_keys_of_an_input_method_do_nothing(trellis):
    page = trellis("column")
    field = page.locator("input[data-option]")
    field.fill("9.1")
    event = {"key": "Enter", "bubbles": True, "isComposing": True}
    field.evaluate("(e, how) => e.dispatchEvent(new KeyboardEvent('keydown', how))", event)
    assert not any(one["state"].get("bet") for one in page.asked)


def test_a_far_column_comes_into_view_by_keys(trellis):
    page = trellis("add", sentence=LONG, tagger="local", spaces="1")
    page.locator("[data-figure=trellis] [tabindex='0']").focus()
    for key in ("End", "Home", *["ArrowRight"] * 14):
        page.keyboard.press(key)
        expect(page.locator("[data-figure=trellis] :focus")).to_be_in_viewport()
    expect(page.locator(".cell:focus")).to_have_attribute("data-token", "11")


def test_a_score_is_typed_and_keeps_the_focus(trellis):
    page = trellis("add", ex="old-man", step="11")
    page.locator("[data-score='e:2:VERB']").focus()
    press(page, "ArrowUp")
    expect(page.locator("[data-score='e:2:VERB']")).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("Enter")
    page.locator(".typing").fill("much")
    page.keyboard.press("Enter")
    expect(page.locator(".typing")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".refused[role=alert]")).to_contain_text("not a number")
    page.locator(".typing").fill("−∞")
    expect(page.locator(".refused")).to_be_empty()
    page.keyboard.press("Enter")
    expect(page.locator("[data-score='e:2:VERB']")).to_be_focused()
    expect(page.locator(".cell.now.never")).to_have_count(1)
    address_says(page, "edit", "e:2:VERB_x")


def test_a_score_is_replaced_by_ctrl_a_and_a_number(trellis):
    page = trellis("add")
    score = page.locator("[data-score='e:2:VERB']")
    score.click()
    page.keyboard.press("Control+a")
    expect(page.locator("input.typing")).to_be_focused()
    for key in ("3", "Enter"):
        page.keyboard.press(key)
    expect(score).to_have_attribute("aria-valuenow", "3")
    expect(score).to_be_focused()


def test_what_both_sides_say_is_hidden_until_the_bet_is_settled(trellis):
    page = trellis("meet")
    assert cells(page, "p") == {}
    page.locator("[data-option='t3']").click()
    expect(page.locator("[data-question] .right")).to_have_text("VERB")
    found = {tag: p for (_, tag), p in cells(page, "p").items()}
    assert found == pytest.approx(
        dict(zip(TAGS, summary().marginals[0, 2].tolist(), strict=True)), abs=1e-6
    )
    page.locator(".cell[data-token='2'][data-tag='NOUN']").click()
    expect(page.locator(".cell.fixed")).to_have_count(1)
    address_says(page, "fix", "2.2")
    ghosts = page.locator(".share-before:visible text")  # the shares before
    assert ghosts.all_text_contents() == [".26", ".74"]
    page.keyboard.press("h")
    expect(page.locator(".cell.heat")).to_have_count(20)


def test_a_click_beside_the_cells_leaves_the_drawing_without_a_frame(trellis):
    page = trellis("logz")
    page.locator("[data-figure=trellis] > svg").first.click(position={"x": 4, "y": 4})
    page.keyboard.press("h")
    assert page.evaluate("document.activeElement.localName") not in ("svg", "g")


def test_keys_pressed_in_quick_succession_all_count_and_undo_forgets_what_was(trellis):
    page = trellis("add")
    score = page.locator("[data-score='e:2:VERB']")
    score.focus()
    for _ in range(6):
        page.keyboard.press("ArrowUp")
    expect(score).to_have_attribute("aria-valuenow", "3.5")
    expect(page.locator(".before").first).to_be_visible()
    for _ in range(6):
        page.locator(".undo").click()
        page.wait_for_timeout(150)
    expect(score).to_have_attribute("aria-valuenow", "0.5")
    expect(page.locator(".before:visible")).to_have_count(0)


def test_the_address_and_the_host_hear_of_a_state_once_it_stays(trellis):
    page = trellis("add", ex="old-man", step="11")
    page.evaluate(script("timers"), 50)
    before = page.evaluate("[location.search, said.state?.state.step]")
    for step in (10, 9, 8):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".place span")).to_have_text(re.compile(f"^step {step + 1} "))
    assert page.evaluate("[location.search, said.state?.state.step]") == before
    page.evaluate("pass()")
    assert page.evaluate("[said.state.lesson, said.state.state.step]") == ["trellis", "8"]
    assert "step=8" in page.evaluate("location.search")


def test_the_next_step_is_drawn_before_it_is_asked_for(trellis):
    page = trellis("add", ex="old-man", step="11")
    with page.expect_response(lambda it: '"ahead":true' in it.request.post_data) as foreseen:
        page.keyboard.press("ArrowLeft")
    foreseen.value.finished()
    page.wait_for_timeout(100)
    asked = len(page.asked)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".place span")).to_have_text(re.compile("^step 12 "))
    assert len(page.asked) == asked
    log_alphas = summary().log_alphas[0]
    assert cells(page)[2, "VERB"] == pytest.approx(log_alphas[2, 3].item(), abs=1e-5)


def test_a_step_that_was_foreseen_waits_for_an_answer_on_its_way(trellis):
    page = trellis("add", ex="old-man", step="10")
    with page.expect_response(lambda it: '"ahead":true' in it.request.post_data) as foreseen:
        page.keyboard.press("ArrowLeft")
    foreseen.value.finished()
    page.wait_for_timeout(100)
    page.evaluate("""() => {
      const lesson = document.querySelector(".lesson")
      for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"])
        lesson.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
    }""")
    page.wait_for_function("said.state?.state.step === '10'")
    expect(page.locator(".place span")).to_have_text(re.compile("^step 11 "))


def test_the_focus_stays_in_the_stage_when_a_button_has_done_its_work(trellis):
    page = trellis("add")
    page.locator("[data-score='e:2:VERB']").press("ArrowUp")
    expect(page.locator(".undo")).to_be_visible()
    page.locator(".undo").press("Enter")
    expect(page.locator(".undo")).to_be_hidden()
    expect(page.locator(".slot")).to_be_focused()
    assert page.locator(".slot").evaluate("(e) => getComputedStyle(e).boxShadow") != "none"


def test_the_curve_of_count_does_not_show_the_answer_on_its_way(trellis):
    page = trellis("count")
    curve = page.locator(".grows.begun")
    assert curve.evaluate("(e) => e.getAnimations().length") == 0
    page.locator("[data-option]").first.click()
    expect(page.locator(".grows:not(.begun)")).to_have_count(1)


def test_options_that_are_words_stand_under_their_columns(trellis):
    page = trellis("bet")
    for option, word in (("w1", 1), ("w4", 4)):
        button = page.locator(f"[data-option={option}]").bounding_box()
        cell = page.locator(f".cell[data-token='{word}'] .body").first.bounding_box()
        middle = [box["x"] + box["width"] / 2 for box in (button, cell)]
        assert middle[0] == pytest.approx(middle[1], abs=1)
    page.locator("[data-option=w1]").press("Enter")
    expect(page.locator("[data-on]")).to_be_focused()  # not lost to the page
    expect(page.locator(".answer")).to_contain_text("Right")
    expect(page.locator(".cell.pulses")).to_have_count(2)


def test_modes_and_beats_are_switched_and_keep_the_column(trellis):
    page = trellis("add")
    page.locator("[data-mode=best]").click()
    expect(page.locator("[data-mode=best]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-beat=best]")).to_have_attribute("aria-current", "step")
    expect(page.locator(".word.now")).to_have_text("man")
    page.locator("[data-mode=both]").click()
    expect(page.locator("[data-mode=both]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".word.now")).to_have_text("man")
    page.locator("[data-beat=count]").click()
    expect(page.locator(".growth")).to_be_visible()
    page.wait_for_url("**/beat/trellis/count*")
    press(page, "ArrowRight")
    expect(page.locator(".answer")).to_contain_text("than the universe has existed")
    press(page, "ArrowRight")
    expect(page.locator(".say")).to_contain_text("1,024 readings")
    press(page, "ArrowRight")
    expect(page.locator("[data-beat=regroup]")).to_have_attribute("aria-current", "step")


def test_play_begins_at_once_and_pauses_at_the_question_about_a_change_of_mind(trellis):
    page = trellis("best")
    press(page, "Home")
    page.evaluate(script("timers"), 500)
    page.keyboard.press(" ")
    expect(page.locator(".cell:not([data-value=''])")).to_have_count(2, timeout=1500)
    asks = page.locator("[data-beat=mind][aria-current]")
    for _ in range(20):  # steps, each once the one before has been drawn
        if asks.count():
            break
        page.evaluate("pass()")
        page.wait_for_timeout(50)
    expect(page.locator(".ask")).to_contain_text("Which beginning will lead")
    page.evaluate("pass()")
    expect(page.locator("[data-play]")).to_have_accessible_name("Play")
    expect(page.locator(".cell:not([data-value=''])")).to_have_count(12)


def test_many_tags_are_folded_and_a_long_sentence_moves_with_the_current_column(trellis):
    page = trellis("add", sentence=LONG, tagger="local", spaces="1")
    expect(page.locator(".tag.folded")).to_have_count(1)
    page.locator(".to").nth(12).click()
    expect(page.locator(".word.now")).to_have_text("the")
    expect(page.locator(".word.now")).to_be_in_viewport()
    expect(page.locator(".cell.now")).to_be_in_viewport()
    page.locator(".rows button").nth(1).click()
    expect(page.locator(".tag.folded")).to_have_count(0)
    press(page, "End")
    expect(page.locator(".total.full")).to_have_count(1)
    assert len(cells(page)) == 17 * len(LONG.split())


PHONE, DARK = {"width": 390, "height": 844}, {"dark": True}
LOOKS = [
    ("add", PHONE),
    ("meet", PHONE),
    ("regroup", {}),
    ("count", DARK),
    ("learn", PHONE),
]
OTHER_LOOKS = [  # of beats at which a page opens, which has a test of its own
    ("bet", PHONE),
    ("path", {}),
    ("path", PHONE),
    ("add", {}),
    ("add", DARK),
]


@pytest.mark.parametrize(
    ("beat", "how"),
    [*LOOKS, *(pytest.param(*look, marks=pytest.mark.thorough) for look in OTHER_LOOKS)],
)
def test_axe_is_content_and_nothing_scrolls(trellis, beat, how):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    page = trellis(beat, how | {"reduced_motion": True})
    page.wait_for_timeout(100)
    violations = axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"] for node in v["nodes"]]) for v in violations] == []
    width, height = page.evaluate("[innerWidth, innerHeight]")
    box = page.locator("[data-figure=trellis]").bounding_box()
    assert box["width"] == width
    assert box["height"] >= (0.5 if width > 1000 else 0.38) * height
    assert page.evaluate("document.documentElement.scrollHeight") <= height


@pytest.mark.parametrize(
    ("beat", "dark"),
    [
        ("add", False),
        ("meet", True),
        *(
            pytest.param(*one, marks=pytest.mark.thorough)
            for one in product(["path", "add", "best", "meet"], [False, True])
            if one not in (("add", False), ("meet", True))
        ),
    ],
)
def test_a_row_has_its_tag_s_hue_in_its_label_and_at_the_left_of_its_cells(open_beat, beat, dark):
    from crf.figures.colours import tag_colours
    from pages.shared.course.examples import EXAMPLES

    page = open_beat("trellis", beat, {"dark": dark}, bet="-")
    problem = EXAMPLES["old-man"].problem
    hues = {tag: f"rgb({colour})" for tag, colour in tag_colours(problem.tags).items()}
    cells = page.locator("[data-figure=trellis] .cell[data-tag]").evaluate_all(
        """(all) => all.map((cell) => {
          const [spine, level] = ["spine", "level"].map((part) => cell.querySelector("." + part))
          return [cell.dataset.tag, getComputedStyle(spine).fill, getComputedStyle(level).fill,
            spine.getBBox().width] })"""
    )
    assert len(cells) == len(problem.tags) * len(problem.tokens)
    for tag, spine, level, width in cells:
        assert (spine, width) == (hues[tag], 6)
        red, green, blue = map(int, level[4:-1].split(","))
        assert max(red, green, blue) - min(red, green, blue) <= 12  # a grey
    bars = page.locator("[data-figure=trellis] .tags .spine").evaluate_all(
        "(all) => all.map((bar) => getComputedStyle(bar).fill)"
    )
    assert bars == list(hues.values())


def test_your_words_have_probabilities_as_levels_and_lead_on_to_their_path(trellis):
    page = trellis("bet", sentence="Time flies like an arrow .", tagger="local")
    chain = summary(sentence="Time flies like an arrow .", tagger="local")
    shown = cells(page, "p")
    tags = views.state_of({"sentence": "Time", "tagger": "local"})[0].problem.tags
    for (t, tag), p in shown.items():
        if tag != "other":
            assert p == pytest.approx(chain.marginals[0, t, tags.index(tag)].item(), abs=1e-6)
    for t in range(6):
        assert sum(p for (u, _), p in shown.items() if u == t) == pytest.approx(1, abs=1e-6)
    best = {(t, tags[s]) for t, s in enumerate(chain.viterbi().tags[0].tolist())}
    assert cells(page).keys() == best
    assert (
        page.locator("[data-question]").count() == 0 or page.locator("[data-option]").count() == 0
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-beat=path]")).to_have_attribute("aria-current", "step")
    expect(page.locator(".trellis .word").first).to_have_text("Time")


def test_the_other_tags_are_one_step_and_all_rows_have_one_each(trellis):
    page = trellis("add", sentence="Time flies like an arrow .", tagger="local", step="32")
    names = page.locator(".tags text").all_text_contents()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cell.now")).to_have_attribute("data-tag", "other")
    expect(page.locator(".say")).to_contain_text("The other 11 tags of flies")
    assert page.locator(".score.transition.pilled:visible").count() == 0  # nothing to drag
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cell.now")).to_have_attribute("data-tag", "ADP")
    assert page.locator(".tags text").all_text_contents() == names
    page.locator(".rows button").nth(1).click()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".cell.now")).to_have_attribute("data-tag", "ADJ")
