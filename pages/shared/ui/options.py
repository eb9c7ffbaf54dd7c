"""The switches of a textbook’s form."""

from pages.shared.ui.controls import Choice
from pages.shared.ui.words import say

CONVENTION = Choice(
    "lesson.convention", "state", address="convention",
    labels={"state": "State", "message": "Message", "pair": "Pair"},
)  # fmt: skip
SPACE = Choice(
    "lesson.space", "log", address="space",
    labels={"log": "Log-scores", "probability": "Potentials"},
)  # fmt: skip


def switch(control: Choice) -> str:
    """Draw a switch with its words and return its value."""
    name = f"switch.{control.address}"
    return control.widget(say(name), help=say(f"{name}-help"))
