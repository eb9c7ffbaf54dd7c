"""Presenting: the stage in a dialog as large as the window, its keys, and the speaker's window."""

import re

import pytest

from pages import beats
from tests.browser.scripts import script

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

# Texts in the dialog that are smaller than 18 px, or that its edges cut.
FAULTS = """(dialog) => {
  const faults = []
  const look = (node) => {
    for (const child of node.childNodes) {
      if (child.nodeType === 1) look(child)
      if (child.nodeType !== 3 || !child.textContent.trim() || node.closest(".spoken")) continue
      if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      const range = document.createRange()
      range.selectNode(child)
      const { left, right, bottom, width, height } = range.getBoundingClientRect()
      if (width < 2 || height < 2) continue
      const scale = node.getScreenCTM?.().a ?? 1
      const size = parseFloat(getComputedStyle(node).fontSize) * scale
      if (size < 17.95) faults.push(`${child.textContent.trim()}: ${size} px`)
      if (left < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
        faults.push(`${child.textContent.trim()}: cut`)
    }
  }
  look(dialog)
  return faults
}"""


@pytest.fixture
def present(open_page, app_url):
    """Open a beat on a page of its own and present it."""

    def opener(address, **how):
        page = open_page(f"{app_url}/beat/{address}", **how)
        page.locator(".stage .say").first.wait_for(state="attached")
        page.keyboard.press("p")
        expect(page.locator("dialog[data-presenting] .stage")).to_be_visible()
        return page

    return opener


def current(page):
    return page.locator("dialog .beats [aria-current]")


def opens(page, beat):
    expect(page.locator(f'dialog .beats [data-beat="{beat}"]')).to_have_attribute(
        "aria-current", "step"
    )


def leave(page):
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def test_p_fills_the_window_and_escape_brings_the_page_back(present):
    page = present("trellis/add?ex=old-man")
    dialog = page.locator("dialog")
    assert dialog.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 720}
    assert dialog.locator("[data-figure=trellis]").bounding_box()["height"] > 480
    expect(dialog.locator(".question")).to_be_visible()
    for gone in (".map", ".modes", ".more", ".choose"):
        assert not dialog.locator(gone).first.is_visible(), gone
    named = dialog.locator(".beats button").evaluate_all(
        "(all) => all.filter((one) => parseFloat(getComputedStyle(one).fontSize)).length"
    )
    assert named == 1
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator(".stage .map")).to_be_visible()
    page.reload()
    expect(page.locator(".stage .map")).to_be_visible()
    assert page.locator("dialog").count() == 0


@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(one, marks=[] if one in ("batches", "cost") else [pytest.mark.thorough])
        for one in beats.LESSONS
    ],
)
def test_nothing_that_is_presented_is_small_or_cut(present, lesson):
    first, *others = (beat.name for beat in beats.LESSONS[lesson])
    page = present(f"{lesson}/{first}", reduced_motion=True)
    for beat in (first, *others):
        if others:
            page.locator(f'dialog [data-beat="{beat}"]').click()
            opens(page, beat)
            over = "(slot) => slot.scrollHeight - slot.clientHeight"
            assert page.locator("dialog .slot").evaluate(over) <= 1, beat
        page.wait_for_timeout(100)
        assert page.locator("dialog").evaluate(FAULTS) == [], beat
        page.locator("dialog").focus()


def test_keys_of_a_remote_go_through_steps_then_beats_and_a_reload_presents_again(present):
    page = present("trellis/logz?ex=old-man")
    page.keyboard.press("PageDown")  # the bet's answer
    expect(page.locator("dialog .answer")).to_contain_text("By .77")
    page.keyboard.press("PageDown")  # the beat's sentence
    expect(page.locator("dialog .say")).to_contain_text("one number adds up all")
    expect(page.locator("dialog .bet")).to_be_hidden()
    page.keyboard.press("Space")
    opens(page, "best")
    page.keyboard.press("ArrowRight")  # a step within it: Space does not play
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile(r"/beat/trellis/best\?.*step=10"))
    page.reload()
    opens(page, "best")
    expect(page.locator("dialog [data-figure=trellis]")).to_be_visible()


def test_n_leaves_a_beat_whatever_steps_remain(present):
    page = present("trellis/add?ex=old-man")
    page.keyboard.press("n")
    opens(page, "column")
    page.keyboard.press("Shift+N")
    opens(page, "add")


def test_b_blanks_the_screen_and_a_step_shows_the_picture_where_it_was(present):
    page = present("trellis/add?ex=old-man")
    page.keyboard.press("Tab")
    focused = page.locator("dialog .figure :focus")
    name = focused.get_attribute("aria-label")
    page.keyboard.press("b")
    dialog = page.locator("dialog[data-blank]")
    expect(dialog).to_have_count(1)
    assert "The screen is black" in dialog.aria_snapshot()
    assert name not in dialog.aria_snapshot()
    page.keyboard.press("Tab")
    expect(focused).to_have_count(0)
    before = page.url
    page.keyboard.press("PageDown")
    expect(dialog).to_have_count(0)
    expect(focused).to_have_attribute("aria-label", name)
    assert page.url == before


def test_scores_are_stepped_and_a_path_is_flipped_without_leaving(present):
    page = present("trellis/path?ex=old-man")
    page.locator('dialog .cell[data-token="2"][data-tag="NOUN"]').click()
    expect(page.locator("dialog .say")).to_contain_text("15")
    page.locator('dialog [data-score="e:1:NOUN"]').focus()
    page.keyboard.press("ArrowUp")
    expect(page).to_have_url(re.compile("edit="))
    assert page.locator("dialog[data-presenting]").count() == 1


def test_the_front_page_is_presented_in_the_app(visit):
    page = visit("?ex=old-man")
    page.locator("[data-figure=flow]").wait_for()
    page.keyboard.press("p")
    dialog = page.locator("dialog[data-presenting]")
    expect(dialog.locator("[data-figure=flow]")).to_be_visible()
    assert dialog.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 720}
    dialog.locator("[data-token='2'][data-tag='NOUN']").first.click()  # fixed: a run of the page
    expect(page).to_have_url(re.compile("fix="))
    page.wait_for_timeout(500)
    expect(dialog.locator("[data-figure=flow]")).to_be_visible()


def test_the_speakers_window_follows_and_leads(present):
    page = present("trellis/mind?ex=old-man")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    window = opened.value
    expect(window.locator(".current")).to_have_text("change of mind")
    expect(window.locator(".said")).to_contain_text("Which beginning will lead")
    expect(window.locator(".next")).to_have_text("→ the answer")
    expect(window.locator(".all li")).to_have_count(14)
    expect(window.locator(".elapsed")).to_have_text(re.compile("^0:"))
    window.keyboard.press("PageDown")
    expect(window.locator(".said")).to_contain_text("overtakes it")
    expect(window.locator(".next")).to_have_text("→ the sentence")
    window.keyboard.press("PageDown")
    expect(window.locator(".next")).to_have_text("→ step 2 of 9")
    window.keyboard.press("n")
    expect(window.locator(".current")).to_have_text("follow back")
    page.keyboard.press("Shift+N")
    opens(page, "mind")
    expect(page).to_have_url(re.compile("/beat/trellis/mind"))
    page.reload()  # the window goes on to follow
    opens(page, "mind")
    page.keyboard.press("Escape")
    expect(window.locator(".current")).to_have_text("Nothing is being presented")


def test_letters_are_no_keys_where_the_reader_has_turned_them_off(open_beat):
    page = open_beat("trellis", "add", host="reader", ex="old-man")
    try:
        page.evaluate("localStorage.setItem('crf.letters', 'false')")
        for letter in "nps":
            page.keyboard.press(letter)
        expect(page.locator('[data-beat="add"]')).to_have_attribute("aria-current", "step")
        assert page.locator("dialog").count() == 0
        assert not page.locator(".message").text_content()
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**step=9**")
    finally:
        page.evaluate("localStorage.removeItem('crf.letters')")
    page.keyboard.press("n")
    expect(page.locator('[data-beat="column"]')).to_have_attribute("aria-current", "step")


def test_three_presses_lead_from_nothing_to_a_lecture(present, open_page, app_url):
    page = open_page(f"{app_url}/beat/trellis/path?ex=old-man&path=0~1~2~0~2")
    page.locator(".stage .say").wait_for()
    page.keyboard.press("l")
    page.get_by_role("button", name="Plan of 20 minutes").click()
    expect(page.locator(".plan li")).to_have_count(9)
    page.get_by_role("button", name="Present", exact=True).click()
    opens(page, "bet")
    for told in ("They first differ at old", "which has no verb"):
        page.keyboard.press("PageDown")
        expect(page.locator("dialog .slot")).to_contain_text(told)
    page.keyboard.press("PageDown")
    opens(page, "path")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    window = opened.value
    expect(window.locator(".note")).to_contain_text("Read the stairs from left to right")
    expect(window.locator(".planned")).to_have_text("planned: 5 of 20 minutes")
    expect(window.locator(".next")).to_have_text("→ count")
    page.reload()
    opens(page, "path")
    page.keyboard.press("Escape")
    assert page.url.endswith("path=0~1~2~0~2")  # the page's own state has stayed


def test_s_says_that_nothing_is_presented_and_the_note_of_a_leaves_the_text_in_its_place(
    open_page, app_url
):
    page = open_page(f"{app_url}/beat/trellis/add?ex=old-man")
    said, message = page.locator(".stage .say"), page.locator(".stage .message")
    said.wait_for()
    before = said.bounding_box()
    page.evaluate(script("timers"), 500)
    for key, note in (("s", "Press P to present"), ("a", "Added to the lecture")):
        page.keyboard.press(key)
        expect(message).to_contain_text(note)
        assert said.bounding_box() == before
    page.evaluate("pass()")
    expect(message).to_be_empty()


def test_beats_on_screen_are_added_moved_and_taken_back(open_page, app_url):
    page = open_page(f"{app_url}/beat/trellis/mind?ex=old-man&step=12")
    page.locator(".stage .say").wait_for(state="attached")
    page.keyboard.press("a")
    page.goto(f"{app_url}/beat/tag/flow?ex=old-man")
    page.locator(".stage .say").wait_for()
    page.keyboard.press("a")
    page.keyboard.press("l")
    rows, names = page.locator(".plan li"), page.locator(".plan li .name")
    expect(names).to_have_text(["change of mind · 13", "front page"])
    rows.nth(1).get_by_role("button", name="Move front page up").click()
    expect(names).to_have_text(["front page", "change of mind · 13"])
    page.get_by_label("Minutes for front page").fill("7")
    page.get_by_label("Note for front page").click()
    page.keyboard.type("Drag the dot <b>")
    page.get_by_label("Note for front page").blur()
    expect(page.locator(".plan .sum")).to_have_text("10 minutes")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    path = saved.value.path()
    page.get_by_role("button", name="Remove front page").click()
    expect(names).to_have_text(["change of mind · 13"])
    page.locator(".plan .file").set_input_files(path)
    expect(names).to_have_text(["front page", "change of mind · 13"])
    expect(page.get_by_label("Note for front page")).to_have_value("Drag the dot <b>")
    page.locator(".plan .file").set_input_files(
        {"name": "x.json", "mimeType": "application/json", "buffer": b'{"format": "x"}'}
    )
    expect(page.locator(".plan .told")).to_contain_text("; ")
    expect(names).to_have_text(["front page", "change of mind · 13"])
    page.get_by_role("button", name="Undo").click()
    expect(names).to_have_text(["change of mind · 13"])


def test_the_list_and_the_presentation_give_the_focus_back(open_page, app_url):
    page = open_page(f"{app_url}/beat/trellis/add?ex=old-man")
    beat, panel = page.locator('.stage [data-beat="count"]'), page.locator(".plan")
    focused = panel.locator(":focus")
    beat.focus()
    page.keyboard.press("l")
    page.get_by_role("button", name="Plan of 20 minutes").press("Enter")
    expect(panel.locator("li")).to_have_count(9)
    expect(focused).to_have_text("Plan of 20 minutes")
    page.get_by_label("Move bet down").press("Enter")
    expect(focused).to_have_attribute("aria-label", "Move bet down")
    page.get_by_label("Move bet up").press("Enter")
    expect(focused).to_have_text("bet")  # it cannot go further up
    page.get_by_label("Remove meet").press("Enter")
    expect(focused).to_have_attribute("aria-label", "Remove change of mind")
    for left in (3, 2, 1, 0):
        page.get_by_role("button", name="Undo").press("Enter")
        expect(focused).to_have_text("Undo" if left else "Plan of 20 minutes")
    page.keyboard.press("Escape")
    expect(beat).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("dialog")).to_be_focused()
    leave(page)
    expect(beat).to_be_focused()


def test_a_title_that_is_typed_leaves_the_buttons_to_the_click_that_ends_it(open_page, app_url):
    page = open_page(f"{app_url}/beat/trellis/add?ex=old-man")
    page.locator(".stage .say").wait_for()
    page.keyboard.press("l")
    page.locator(".plan .title").fill("Mine")
    page.get_by_role("button", name="Add this beat (A)").click()
    expect(page.locator(".plan li")).to_have_count(1)
