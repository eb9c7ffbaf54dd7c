"""How a lesson is opened by a link: at a step, with parts hidden, in a size for the last row.

A teacher's link carries `step`, `hide`, `size` and `guess` beside the problem and the switches.
Hidden parts stay hidden on every lesson until the reader asks for all of it. In a lecture an
address has `screen`, too: one picture of the page, alone, fitted to the window.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from pages.shared.ui.frame import style
from pages.shared.ui.state import SessionValue, all_asked, complain, publish_one
from pages.shared.ui.words import say

MORE = "more"  # what stands below the way through a page: folds, exports, code, links
PARTS = ("controls", "values", "equation", "terms", "sentence", "answers", "prose", MORE)
SIZES = {"1": "normal", "1.3": "large", "1.6": "projector"}
LARGEST_STEP = 999_999
KEYS = ("step", "hide", "size", "guess", "screen", "told")
ON_SCREEN = frozenset({"controls", "prose"})  # not shown before a class
FIRST_PICTURE = "1"
_PICTURE = re.compile(r"[a-z0-9-]{1,20}")
GUESS = {"0": False, "1": True}


class View(NamedTuple):
    """How a lesson is shown."""

    step: int | None = None  # where the stepper starts; None: where the lesson begins
    hide: frozenset[str] = frozenset()  # names of `PARTS`
    size: str = "1"  # a key of `SIZES`: how much larger than normal
    # whether the reader is asked to guess each cell before it is shown; the stepper has a switch
    # for it; in a lecture the page's own question comes first, too
    guess: bool = False
    # the one picture that is shown, as large as the window allows: the name of its part of the
    # lesson, or `FIRST_PICTURE`; "": the whole page
    screen: str = ""
    # whether the answer to what it asks is shown there: a page that is loaded again before a class
    # shows what it showed
    told: bool = False

    @property
    def scale(self) -> float:
        """The size as a factor."""
        return float(self.size)

    def query(self) -> dict[str, str]:
        """Values for the address; what is as usual is left out."""
        values = {
            "step": "" if self.step is None else str(self.step),
            "hide": "~".join(sorted(self.hide - (ON_SCREEN if self.screen else set()))),
            "screen": self.screen,
            "told": "1" if self.screen and self.told else "",
            "size": "" if self.size == "1" else self.size,
            "guess": "1" if self.guess else "",
        }
        return {key: value for key, value in values.items() if value}


VIEW = SessionValue[View]("view", View())
REACHED = SessionValue("{}.reached", 0)  # the step that a lesson's reader has come to
BEGINNING = SessionValue("{}.beginning", 0)  # the step at which a lesson begins
OPEN = SessionValue("guess.open", "")  # the page whose question before a picture is still open


def current() -> View:
    """The session's view; at its start what the address asks for, checked."""
    return VIEW.begin(lambda: from_query(all_asked()))


def step_in_address(page: str) -> int | None:
    """Return the step that a page's reader has come to; None where the page begins there."""
    step = REACHED.at(page).value
    return None if step == BEGINNING.at(page).value else step


def tell(told: bool) -> None:
    """On a screen before a class: show the answer to what it asks, or no longer."""
    VIEW.set(current()._replace(told=told))
    publish_one("told", "1" if told else "")  # now: a fragment's run leaves the address alone


def from_query(query: dict[str, str]) -> View:
    """The view that an address asks for; what it cannot have is answered by a message."""
    screen = query.get("screen", "")
    hide = frozenset(filter(None, query.get("hide", "").split("~")))
    asked = {"step": query.get("step"), "size": query.get("size"), "guess": query.get("guess")}
    for name, known in (("size", SIZES), ("guess", GUESS)):
        if asked[name] not in (None, *known):
            complain(say(f"view.no-{name}", asked=str(asked[name])[:20], known=", ".join(known)))
            asked[name] = None
    step = asked["step"]
    is_number = step is not None and step.isascii() and step.isdigit()
    if step is not None and not (is_number and int(step[:9]) <= LARGEST_STEP):
        complain(say(f"view.step-{'too-large' if is_number else 'no-number'}", asked=step[:20]))
        step = None
    if unknown := ", ".join(sorted(hide - {*PARTS})):
        complain(say("view.no-part", asked=unknown[:60], known=", ".join(PARTS)))
        hide &= {*PARTS}
    if screen and not _PICTURE.fullmatch(screen):
        complain(say("view.no-picture", asked=screen[:20]))
        screen = ""
    size, guess = asked["size"] or "1", GUESS[asked["guess"] or "0"]
    if screen:
        hide, size = hide | ON_SCREEN, "1"
    told = bool(screen) and query.get("told") == "1"
    return View(None if step is None else int(step), hide, size, guess, screen, told)


def offer_all(view: View) -> None:
    """A button for whoever does not see all; below the page is one for what stands there."""
    if view.hide - {MORE} or view.size != "1":
        st.button(say("view.all"), key="view.all", on_click=VIEW.reset, type="tertiary")


def offer_more(view: View) -> None:
    """A button for what stands below the way through."""

    def show() -> None:
        VIEW.set(current()._replace(hide=view.hide - {MORE}))

    st.button(say("view.more"), key="view.more", on_click=show, type="tertiary")


def dress(view: View, page: str) -> None:
    """Put on the style of a view."""
    style(rules(view, page))


def rules(view: View, page: str) -> str:
    """The style of a view, of the sheets beside this file."""
    sheets = {
        "large": view.size != "1",
        "projector": SIZES[view.size] == "projector",
        "without_text": "prose" in view.hide,
        "screen": view.screen,
    }
    part = "" if view.screen in ("", FIRST_PICTURE) else f"-{view.screen}"
    found = "".join(_css(name) for name, is_worn in sheets.items() if is_worn)
    return found.replace("SCALE", view.size).replace("KEPT", _KEPT).replace("PAGE", page + part)


_KEPT = (
    ":is(.st-key-picture-PAGE, .st-key-text-PAGE [class*='st-key-asks-'], "
    ".st-key-text-PAGE [class*='st-key-told-'], .st-key-class-question)"
)


@cache
def _css(name: str) -> str:
    return Path(__file__).with_name(f"{name}.css").read_text(encoding="utf-8")
