"""What a page needs before its first sentence, in bytes: on a slow line these are its seconds."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

MOST = 1_000_000  # bytes: 5 s on a line of 1.6 Mbit/s
MOVED = 0.1  # layout shift: what browsers call good
SHIFT = """() => {
    const watch = new PerformanceObserver(() => {})
    watch.observe({ type: 'layout-shift', buffered: true })
    return watch.takeRecords().reduce((sum, { value }) => sum + value, 0)
}"""
SIZES = """performance.getEntriesByType("resource")
    .filter(({ name }) => /\\.(js|css|woff2)$/.test(name)).map((entry) => entry.transferSize)"""


def test_scripts_styles_and_fonts_are_few(chromium, app_url):
    context = chromium.new_context()  # with nothing in its cache
    page = context.new_page()
    page.goto(app_url, wait_until="commit")
    expect(page.locator("[data-first-picture] > .wide")).to_be_visible()
    expect(page.locator("#root")).to_have_css("visibility", "hidden")
    page.locator("[data-headline]").wait_for()
    expect(page.locator("[data-first-picture]")).to_have_count(0)
    assert page.evaluate(SHIFT) < MOVED
    page.locator("footer.crf-footer").wait_for()
    sizes = page.evaluate(SIZES)
    context.close()
    assert 50 < len(sizes) <= 80
    assert 300_000 < sum(sizes) < MOST
