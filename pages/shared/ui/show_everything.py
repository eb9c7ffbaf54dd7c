"""The switch between a first reading and all there is: in the link, and kept in the browser."""

from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.controls import Flag
from pages.shared.ui.state import SessionValue, asked
from pages.shared.ui.words import say

_COMPONENT = component("everything", "pages/shared/ui/scripts/kept")
_KEY, _NAME = "lesson.everything.kept", "crf.everything"  # the latter in the browser's storage
EVERYTHING = Flag("lesson.everything", False, address="all")  # variants, tables, further folds
_TURNED = SessionValue("lesson.everything.turned", 0)  # how often, in this session
_LINKED = SessionValue("lesson.everything.linked", False)  # whether the link says it


def switch() -> bool:
    """Draw the switch; whether everything is shown."""
    if asked(EVERYTHING.address) is not None:
        _LINKED.set(True)
    is_on = EVERYTHING.widget(say("recursion.everything"), on_change=_turn)
    turned = _TURNED.value
    write = EVERYTHING.write(is_on) if turned else None
    data = {"name": _NAME, "write": write, "serial": turned, "quiet": True}
    _COMPONENT(key=_KEY, data=data, on_kept_change=_hear)
    return is_on


def _turn() -> None:
    _TURNED.set(_TURNED.value + 1)


def _hear() -> None:
    """The browser says what was chosen before; what the link asks for comes first."""
    pair = client_values.genuine(
        client_values.state(_KEY, "kept"), client_values.listed(lambda said: said, 2, 2)
    )
    if pair and pair[1] in ("0", "1") and not _TURNED.value and not _LINKED.value:
        EVERYTHING.set(pair[1] == "1")
