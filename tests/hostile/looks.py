"""Axe looks at every page in each of its states, which are found on the page itself.

A page is seen light, dark, on a phone and on a projector, each as it opens, with its guesses
answered, with all folds open, and with each of its menus and dialogs open.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pages.shared.ui.teacher import TITLE
from tests.hostile.watch import Tally

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SCREENS: dict[str, tuple[str, dict[str, Any]]] = {
    "light": ("", {"viewport": {"width": 1280, "height": 720}}),
    "dark": ("", {"viewport": {"width": 1280, "height": 720}, "color_scheme": "dark"}),
    "phone": ("", {"viewport": {"width": 390, "height": 844}}),
    "projector": (
        "size=1.6&hide=controls~prose", {"viewport": {"width": 1280, "height": 720}},
    ),
    "guessing": ("guess=1&step=3", {"viewport": {"width": 1280, "height": 720}}),
}  # fmt: skip
_STREAMLITS = {  # rules that Streamlit's own elements break; of which elements: "": whichever
    "scrollable-region-focusable": "",  # a long line of st.code scrolls, and has no focus
    "aria-allowed-role": "",  # the field for files is a section
    "presentation-role-conflict": "",  # with a label and the role of a presentation
    "nested-interactive": "",  # a popover's button holds its help
    "region": "",  # what floats (lists, popovers, the main menu) stands outside of all landmarks
    "list": "stSidebarNav",  # the menu of a phone, with its sections
    "listitem": "st-emotion",
}
_MENUS = "[data-testid=stPopover] button, button[popovertarget], button[aria-haspopup]"
_FLOATS = "[role=dialog], [role=listbox], [role=menu], [data-testid=stPopoverBody], :popover-open"
_SETTLES = 400  # ms: what fades in has its contrast then


def complaints(page: "Page", within: str = "") -> list[str]:
    """What axe says of the page as it is, Streamlit's own elements aside.

    Args:
        page: To look at.
        within: Only at these elements; where there are none, at all.
    """
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_timeout(_SETTLES)
    seen = within and page.evaluate("found => document.querySelector(found) !== null", within)
    found = []
    for violation in Axe().run(page, within if seen else None).response["violations"]:
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


def opened(page: "Page", address: str, query: str = "") -> None:
    """Open a page whole."""
    page.goto(f"{address}?{query}" if query else address)
    page.locator("footer.crf-footer, [data-figure]").first.wait_for(timeout=60_000)
    settle(page)


def unfolded(page: "Page") -> None:
    """Open all folds, and those in them."""
    closed = page.locator("details:not([open]) > summary:visible")
    for _ in range(4):
        for fold in closed.all()[::-1]:  # from below, so that those above stay where they are
            fold.click()
        settle(page)
        if not closed.count():
            return


def states(page: "Page", menus: bool) -> Iterator[tuple[str, str]]:
    """Bring the page, as it has opened, into one state after the other.

    Yields:
        The state's name, and where there is something new to look at; "": everywhere.
    """
    yield "as it opens", ""
    answer = page.get_by_role("button", name="Just show me")
    if answer.count():
        answer.first.click()
        settle(page)
        yield "answered", ""
    unfolded(page)
    yield "unfolded", ""
    if not menus:
        return
    found = page.locator(_MENUS)
    for k in range(found.count()):
        if _open(found.nth(k)):
            yield f"menu {k + 1}", _FLOATS
            page.keyboard.press("Escape")
            page.wait_for_timeout(150)
    teacher = page.get_by_role("button", name=TITLE)
    if teacher.count():
        teacher.first.click()
        page.locator("[role=dialog]").wait_for()
        settle(page)
        yield "dialog", _FLOATS
        page.keyboard.press("Escape")


def _open(menu: "Locator") -> bool:
    if not menu.is_visible() or not menu.is_enabled():
        return False
    menu.click()
    settle(menu.page)
    return True


def looks(browser: "Browser", address: str, screen: str) -> Tally:
    """Axe on every state of one page on one screen.

    Args:
        browser: To open it in.
        address: Of the page, with the server's.
        screen: One of `SCREENS`; menus and dialogs are opened in the light and in the dark.
    """
    tally = Tally("looks")
    query, options = SCREENS[screen]
    context = browser.new_context(reduced_motion="reduce", **options)
    page = context.new_page()
    opened(page, address, query)
    for state, new in states(page, menus=screen in ("light", "dark")):
        tally.tries += 1
        name = f"{address.rpartition('/')[2]}, {screen}, {state}"
        tally.failures += [f"{name}: {line}" for line in dict.fromkeys(complaints(page, new))]
    context.close()
    return tally
