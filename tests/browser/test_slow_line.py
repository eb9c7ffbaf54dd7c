"""What a page needs before its first sentence, in bytes: on a slow line these are its seconds."""

import re

MOST = 1_500_000  # bytes: 15 s on a line of 100 kB/s
SIZES = """performance.getEntriesByType("resource")
    .filter(({ name }) => /\\.(js|css)$/.test(name)).map((entry) => entry.transferSize)"""


def test_scripts_and_styles_leave_room_for_a_sentence_within_20_s(chromium, app_url):
    context = chromium.new_context()  # with nothing in its cache
    page = context.new_page()
    page.goto(app_url)
    page.get_by_text(re.compile("Which tags fit the whole sentence")).wait_for()
    page.locator("footer.crf-footer").wait_for()
    sizes = page.evaluate(SIZES)
    context.close()
    assert len(sizes) > 50
    assert 300_000 < sum(sizes) < MOST
