"""A page in each of its states, and what axe says of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_STREAMLITS = {  # rules that Streamlit's own elements break; of which elements: "": whichever
    "scrollable-region-focusable": "",  # a long line of st.code scrolls, and has no focus
    "aria-allowed-role": "",  # the field for files is a section
    "presentation-role-conflict": "",  # with a label and the role of a presentation
    "nested-interactive": "",  # a popover's button holds its help
    "region": "",  # what floats (lists, popovers, the main menu) stands outside of all landmarks
    "list": "stSidebarNav",  # the menu of a phone, with its sections
    "listitem": "st-emotion",
}
# What fades in has its contrast at the end; what a scroll or a loop moves has no end.
_SETTLED = """Promise.all(document.getAnimations()
  .filter((one) => one.timeline === document.timeline)
  .filter((one) => one.effect.getComputedTiming().endTime < Infinity)
  .map((one) => one.finished.catch(() => null))).then(() => null)"""


def complaints(page: "Page") -> list[str]:
    """What axe says of the page as it is, Streamlit's own elements aside."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(_SETTLED)
    found = []
    only = {"resultTypes": ["violations"]}  # one example of everything else, which takes less work
    for violation in Axe().run(page, options=only).response["violations"]:
        for node in violation["nodes"]:
            is_ours = any(isinstance(part, list) for part in node["target"])  # in a shadow root
            theirs = _STREAMLITS.get(violation["id"])
            if is_ours or theirs is None or theirs not in node["html"]:
                found.append(f"{violation['id']}: {node['html'][:160]}")
    return found


def settle(page: "Page") -> None:
    """Wait until the script has run and what it sent is drawn."""
    page.wait_for_timeout(150)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=60_000)


def unfolded(page: "Page") -> None:
    """Open all folds, and those in them."""
    closed = page.locator("details:not([open]) > summary:visible")
    for _ in range(4):
        for fold in closed.all()[::-1]:  # from below, so that those above stay where they are
            fold.click()
        settle(page)
        if not closed.count():
            return


def states(page: "Page") -> Iterator[str]:
    """Bring the page, as it has opened, into one state after the other."""
    yield "as it opens"
    answer = page.get_by_role("button", name="Just show me")
    if answer.count():
        answer.first.click()
        settle(page)
        yield "answered"
    unfolded(page)
    yield "unfolded"
