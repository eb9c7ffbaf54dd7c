"""What a page needs before its first sentence, in bytes: on a slow line these are its seconds."""

MOST = 1_000_000  # bytes: 5 s on a line of 1.6 Mbit/s
SIZES = """performance.getEntriesByType("resource")
    .filter(({ name }) => /\\.(js|css|woff2)$/.test(name)).map((entry) => entry.transferSize)"""


def test_scripts_styles_and_fonts_are_few(chromium, app_url):
    context = chromium.new_context()  # with nothing in its cache
    page = context.new_page()
    page.goto(app_url)
    page.locator("[data-headline]").wait_for()
    page.locator("footer.crf-footer").wait_for()
    sizes = page.evaluate(SIZES)
    context.close()
    assert 50 < len(sizes) <= 80
    assert 300_000 < sum(sizes) < MOST
