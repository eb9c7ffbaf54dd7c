"""Every control of every page changes something that is sent to the reader."""

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1.element_tree import TESTING_KEY

from pages.shared.contents import COURSE
from tests.apps import opened
from tests.golden import decoded, plain

KINDS = ("toggle", "checkbox", "radio", "selectbox", "button_group", "select_slider", "slider",
         "number_input")  # fmt: skip

NEW_NAME = re.compile(r"deferred_file_id: .*")  # of a file that is made when it is asked for
SLOW = {None, "learning.converge"}  # without a key; of a long training, which has its own test


def sent(app: Any) -> list[str]:
    """All that a page shows, in order; what differs by itself is left out."""
    found = []

    def walk(node: Any) -> None:
        proto = getattr(node, "proto", None)
        if node.type == "bidi_component":
            found.append(json.dumps(plain(decoded(proto)), sort_keys=True))
        elif node.type in KINDS:  # what it holds says nothing of what it does
            options = getattr(node, "options", ())
            found.append(f"{node.type} {node.label} {options} {node.proto.disabled}")
        elif proto is not None and not getattr(node, "children", None):
            found.append(NEW_NAME.sub("", f"{node.type} {proto}"))
        for child in getattr(node, "children", {}).values():
            walk(child)

    walk(app._tree)
    return found


def unfolded(address: str) -> Any:
    """A page with every part open, all questions answered."""
    app = opened(address)
    seen: set[str] = set()

    def keys(node: Any) -> Any:
        if node.type == "expander" and node.proto.id:
            yield node.proto.id.split("-", 2)[2]
        for child in getattr(node, "children", {}).values():
            yield from keys(child)

    for _ in range(4):
        new = set(keys(app._tree)) - seen
        answers = [b for b in app.button if b.label == "Just show me"]
        if not new and not answers:
            break
        seen |= new
        for key in new:
            app.session_state[key] = True
        for button in answers:
            button.click()
        app.run()
        assert not app.exception
    return app


def turned(control: Any) -> None:
    """Set a control to another value that it offers."""
    if control.type in ("toggle", "checkbox"):
        control.set_value(not control.value)
    elif control.type in ("slider", "number_input"):
        step = control.step or 1
        up = control.max is None or control.value + step <= control.max
        control.set_value(control.value + step if up else control.value - step)
    else:
        label = control.format_func
        held = control.value if isinstance(control.value, list) else [control.value]
        labels = [label(value) for value in held if value is not None]
        other = next(option for option in reversed(control.options) if option not in labels)
        control.root.session_state[TESTING_KEY][control.id] = str  # it is set by its label
        control.set_value([other] if isinstance(control.value, list) else other)


def controls(app: Any) -> list[Any]:
    """The controls of a page outside of forms, each with its key."""
    every = [c for kind in KINDS for c in app.get(kind)]
    return [c for c in every if c.key not in SLOW and not c.disabled and not c.proto.form_id]


@pytest.mark.parametrize("address", [entry.address for entry in COURSE])
def test_every_control_changes_what_is_sent(address):
    app = unfolded(address)
    idle = []
    for key in [c.key for c in controls(app)]:
        control = next((c for c in controls(app) if c.key == key), None)
        if control is None:  # a control before it has taken it away
            continue
        before = sent(app)
        turned(control)
        app.run()
        assert not app.exception, key
        if sent(app) == before:
            idle.append(key)
    assert not idle
