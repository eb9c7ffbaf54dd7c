"""The door to the plan of a lecture, which stands beside the trellis; old links bring theirs."""

from pages.shared.ui import menu, state


def show() -> None:
    """Go there."""
    link = state.asked("lecture") or state.asked("stops")
    menu.go("structure", {"plan": "open"} | ({"lecture": link} if link else {}))
