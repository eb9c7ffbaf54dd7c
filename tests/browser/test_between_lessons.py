"""From lesson to lesson in the app: one stage, no document, no frame without a picture."""

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

# Count the frames in which no stage has a picture; a new document would lose the count.
WATCH = """() => {
  window.without = 0
  const roots = [...document.querySelectorAll('*')].map((e) => e.shadowRoot)
  const place = roots.find((root) => root?.querySelector('.stage'))
  const look = () => {
    const figure = place.isConnected && place.querySelector('.stage [data-figure]')
    if (!figure?.childElementCount || figure.getBoundingClientRect().height < 80) without++
    requestAnimationFrame(look)
  }
  look()
}"""


def at(page, title, figure, url):
    """Wait until a lesson is whole; the stage has been there all the time."""
    expect(page.get_by_role("heading", name=title, level=1, exact=True)).to_be_attached()
    expect(page).to_have_url(re.compile(url))
    expect(page.locator(f".stage [data-figure={figure}]").first).to_be_visible()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    assert page.evaluate("window.without") == 0


def test_a_lesson_follows_a_lesson_without_a_frame_between(visit):
    page = visit("learning", reduced_motion=True)
    page.locator(".stage [data-figure]").first.wait_for()
    page.evaluate(WATCH)
    page.locator(".st-key-way-on a").last.click()  # Next is Streamlit's
    at(page, "From words to scores", "words", "/tagger$")
    page.locator(".map a").nth(2).click()
    at(page, "Scores", "trellis", r"/scores$")
    page.locator("[data-beat=add]").click()
    expect(page).to_have_url(re.compile(r"/scores\?.*beat=add"))
    place = page.locator(".place span")
    before = place.inner_text()
    page.keyboard.press("ArrowRight")  # told .2 s later: at once to another lesson
    expect(place).not_to_have_text(before)
    page.locator(".map a").nth(5).click()
    at(page, "Learning", "learning", r"/learning\?.*beat=corpus")
    page.locator(".crf-course summary").click()
    page.get_by_role("link", name="Cost and parallelism", exact=True).click()
    at(page, "Cost and parallelism", "cost", r"/cost(\?ex=old-man)?$")
    expect(page.locator(".crf-course [open]")).to_have_count(0)
    page.go_back()
    at(page, "Learning", "learning", r"/learning\?.*beat=corpus")
    page.go_back()
    at(page, "Scores", "trellis", r"/scores\?.*beat=add&step=9|/scores\?.*step=9.*beat=add")
    page.go_forward()
    at(page, "Learning", "learning", r"/learning\?.*beat=corpus")
    page.reload()
    page.locator("footer.crf-footer").wait_for()
    expect(page.locator("[data-beat=corpus]")).to_have_attribute("aria-current", "step")


def test_the_arrow_leads_from_the_last_step_of_a_lesson_to_the_next_one_and_back(visit):
    page = visit("graphs?beat=bias&bet=-", reduced_motion=True)
    on = page.locator(".to-after")
    expect(on).to_have_text(re.compile("^Next: What now.*→$"))
    page.evaluate(WATCH)
    page.keyboard.press("ArrowRight")
    at(page, "What now?", "what-now", r"/now$|/now\?ex=old-man$")
    page.keyboard.press("ArrowLeft")
    at(page, "Graphs and label bias", "graphs", r"/graphs\?.*beat=bias")
    expect(on).to_be_hidden()  # the question is open


def test_a_question_leads_to_its_picture_and_back_and_its_dot_is_filled(visit):
    page = visit("now", reduced_motion=True)
    question = page.locator(".asked a").filter(has_text="label bias")
    expect(question).not_to_have_class("right")
    page.evaluate(WATCH)
    question.click()
    at(page, "Graphs and label bias", "graphs", r"/graphs\?.*beat=bias")
    page.locator("[data-option=rib]").click()
    expect(page.locator(".answer")).to_contain_text("Right")
    page.locator(".to-last").click()
    at(page, "What now?", "what-now", "/now")
    expect(question).to_have_class("right")
    expect(page.locator(".asked .right")).to_have_count(1)


def test_presenting_goes_on_with_another_lesson_and_dots_open_for_each(visit):
    page = visit("constraints", reduced_motion=True)
    docked = page.locator(".stage[data-docked]")
    page.locator(".stage .more").press("Enter")
    page.locator("[data-look=table]").press("Enter")
    expect(page.locator(".st-key-bench-table")).to_be_focused()
    expect(docked).to_have_count(1)
    page.locator(".map a").nth(4).press("Enter")
    expect(page.get_by_role("heading", name="Learning", level=1)).to_be_attached()
    expect(docked).to_have_count(0)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.keyboard.press("p")
    dialog = page.locator("dialog[data-presenting]")
    expect(dialog.locator("[data-figure=learning]")).to_be_visible()
    page.go_back()
    expect(dialog.locator("[data-figure=constraints]")).to_be_visible()
    expect(page.locator(".stage")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator("[data-figure=constraints]")).to_be_visible()
    expect(docked).to_have_count(1)


def test_a_page_without_a_stage_leads_to_one_and_new_tabs_have_addresses(visit):
    page = visit("glossary?lang=de", reduced_motion=True)
    page.evaluate("window.kept = true")
    page.locator(".crf-course summary").click()
    page.get_by_role("link", name="Bestes behalten", exact=True).click()
    expect(page.locator("[data-figure=trellis]")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/viterbi\?lang=de$"))
    assert page.evaluate("window.kept")
    # The press is the browser's, which is held back here: without a window it may lose the new tab.
    page.evaluate(
        """() => addEventListener("click", (event) => {
          window.left = [event.defaultPrevented, event.composedPath()[0].closest("a").href]
          event.preventDefault()
        }, { once: true })"""
    )
    page.locator(".map a").nth(4).click(modifiers=["Control"])
    prevented, href = page.evaluate("window.left")
    assert not prevented
    assert href.endswith("/learning?lang=de")
    expect(page).to_have_url(re.compile(r"/viterbi\?lang=de$"))


LONG = "The+complex+houses+married+and+single+soldiers+and+their+families+in+town"


@pytest.mark.parametrize(
    ("calm", "width", "query"),
    [
        pytest.param(False, 1280, "ex=arrow", marks=pytest.mark.thorough),
        (True, 1280, "ex=arrow"),
        (False, 390, "ex=arrow"),  # the trellis shows some of the words
        pytest.param(False, 1280, f"sentence={LONG}&tagger=local", marks=pytest.mark.thorough),
    ],
)
def test_the_flow_becomes_the_trellis_and_back(visit, calm, width, query):
    page = visit(f"?{query}&lambda=.5", width=width, height=844, reduced_motion=calm)
    page.locator(".block").first.wait_for()
    page.evaluate(
        """() => { window.films = 0
          const place = [...document.querySelectorAll('*')].map((e) => e.shadowRoot)
            .find((root) => root?.querySelector('.stage'))
          new MutationObserver((all) => {
            const added = all.flatMap((one) => [...one.addedNodes])
            films += added.filter((e) => e.className === 'film').length
          }).observe(place, { childList: true, subtree: true }) }"""
    )
    words = page.locator(".words bdi").all_inner_texts()
    page.locator(".way.main").click()
    expect(page.locator("[data-beat=bet]")).to_have_attribute("aria-current", "step")
    expect(page.locator(".film, .leaves")).to_have_count(0)
    expect(page).to_have_url(re.compile(rf"/structure\?{re.escape(query)}$"))
    assert page.locator(".trellis .word").all_text_contents() == words
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.go_back()
    expect(page.locator(".block").first).to_be_visible()
    expect(page.locator(".film, .leaves")).to_have_count(0)
    assert page.locator(".words bdi").all_inner_texts() == words
    assert page.evaluate("films") == (0 if calm else 2)


# A link is followed in the turn in which the stage reports its state: Streamlit then takes both
# for the fragment's, and runs it alone.
TOGETHER = """() => {
  const later = window.setTimeout
  window.setTimeout = (f, ms, ...rest) => ms === undefined ? f() : later(f, ms, ...rest)
  document.addEventListener('crf:shown', () => queueMicrotask(() => {
    document.querySelector('.crf-course a[href$="/cost"]').click()
    window.setTimeout = later
  }), { once: true })
}"""


def test_a_link_is_followed_that_is_told_together_with_the_stage_s_state(visit):
    page = visit("forward", reduced_motion=True)
    page.locator(".stage [data-figure]").first.wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.evaluate(WATCH)
    page.evaluate(TOGETHER)
    page.keyboard.press("ArrowRight")
    at(page, "Cost and parallelism", "cost", r"/cost(\?|$)")


def test_what_is_answered_late_is_told_to_nobody(visit):
    """Else Streamlit draws a fragment of the page that is left, and mounts the stage again."""
    page, told = visit("scores?beat=add", reduced_motion=True), []

    def late(route):
        page.wait_for_timeout(500)
        route.continue_()

    page.route("**/draw/trellis/*", late)
    page.on("websocket", lambda line: line.on("framesent", lambda frame: told.append(frame)))
    page.reload()
    page.locator(".stage [data-figure]").first.wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.keyboard.press("ArrowRight")
    told.clear()
    page.locator(".map a").nth(5).click()
    expect(page.locator(".stage [data-figure=learning]")).to_be_visible()
    page.wait_for_timeout(1200)
    assert len(told) == 1  # that the reader goes
