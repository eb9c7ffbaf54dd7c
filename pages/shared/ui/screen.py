"""One picture as large as the window allows, and a presenter's keys: the component `screen`."""

from pages.shared.ui.component import component
from pages.shared.ui.view import View

_COMPONENT = component("screen")


def fit(view: View) -> None:
    """Fit the page to its window, where the view is one picture on a screen; else do nothing."""
    if view.screen:
        _COMPONENT(key="screen", data={})
