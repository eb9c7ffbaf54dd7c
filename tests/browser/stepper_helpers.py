"""What the tests of the stepper share: how to open its page, and what to read there."""

from pathlib import Path

SCRIPT = Path(__file__).with_name("stepper_page.py")


def visitor(serve, open_page):
    """Open the page with a query; return it once the trellis is drawn."""

    def visit(query="", **options):
        page = open_page(f"{serve(SCRIPT)}/?{query}", **options)
        page.locator(".trellis").wait_for()
        page.locator(".count").filter(has_text="/").wait_for(state="attached")
        return page

    return visit


def said(page):
    return page.locator(".say .now").inner_text()


def at(page):
    return int(page.locator(".count").inner_text().split(" / ")[0]) - 1


def values(page):
    """The numbers that are visible in the cells, in the order of the steps."""
    return page.locator(".cell.on .value").all_text_contents()


def terms(page):
    """The words of each row of terms."""
    return [row.split() for row in page.locator(".terms tbody tr").all_inner_texts()]
