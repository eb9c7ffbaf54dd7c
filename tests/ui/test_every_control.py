"""Every control of every page changes something that is sent to the reader."""

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1.element_tree import TESTING_KEY

from pages import beats
from pages.shared.contents import COURSE
from tests.apps import fresh
from tests.golden import decoded, plain

KINDS = ("toggle", "checkbox", "radio", "selectbox", "button_group", "select_slider", "slider",
         "number_input")  # fmt: skip

NEW_NAME = re.compile(r"deferred_file_id: .*")  # of a file that is made when it is asked for
LATER = re.compile(  # what a press of another button reads: a file to be saved, a training
    r"\.practice·(of|count|first)$|·table$|^tagger\.(encoder|output|rate|size|epochs|optimiser)$"
)
FIRST = {"check.form", "check.space"}  # of a table; the last quantity to choose is none
ELSEWHERE = {"foot.lang"}  # its tests: of the language


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
    app = fresh(address)
    app.session_state["check.pasted"] = "1 2 3 4\n" * 4  # else its numbers may be in any form
    app.run()
    opened = set()
    for _ in range(4):
        closed = {part.proto.id for part in app.get("expander") if part.proto.id} - opened
        asked = [button for button in app.button if button.label == "Just show me"]
        if not closed and not asked:
            break
        for part in closed:
            app.session_state[part.split("-", 2)[2]] = True
        for button in asked:
            button.click()
        app.run()
        assert not app.exception
        opened |= closed
    return app


def others(control: Any) -> list[Any]:
    """What else a control offers: its labels, where it has several."""
    if control.type in ("toggle", "checkbox"):
        return [not control.value]
    if control.type in ("slider", "number_input"):
        step = control.step or 1
        up = control.max is None or control.value + step <= control.max
        return [control.value + step if up else control.value - step]
    held = control.value if isinstance(control.value, list) else [control.value]
    labels = [control.format_func(value) for value in held if value is not None]
    return [option for option in reversed(control.options) if option not in labels]


def turn(control: Any, to: Any) -> None:
    """Set a control to another value."""
    if control.type in ("toggle", "checkbox", "slider", "number_input"):
        control.set_value(to)
        return
    control.root.session_state[TESTING_KEY][control.id] = str  # it is set by its label
    control.set_value([to] if isinstance(control.value, list) else to)


def controls(app: Any) -> list[Any]:
    """The controls of a page outside of forms, each with its key."""
    every = [c for kind in KINDS for c in app.get(kind) if c.key and c.key not in ELSEWHERE]
    return [c for c in every if not (c.disabled or c.proto.form_id or LATER.search(c.key))]


def named(app: Any, key: str) -> Any:
    """The control with this key; None where another one has taken it away."""
    return next((c for c in controls(app) if c.key == key), None)


@pytest.mark.parametrize("entry", COURSE, ids=lambda entry: entry.address)
def test_a_page_says_what_the_menu_does_and_every_control_changes_what_is_sent(entry):
    app = unfolded(entry.address)
    assert app.title[0].value == entry.title
    if entry.folder not in beats.LESSONS:  # there the course's list has it
        assert entry.question in [text.value for text in app.markdown]
    assert not set("|·²ᵐαβΣ∑") & set(entry.title + entry.question)  # which no lesson has explained
    before = sent(app)
    for key in sorted((c.key for c in controls(app)), key=lambda key: key not in FIRST):
        control = named(app, key)
        for to in others(control) if control else ():
            turn(named(app, key), to)
            app.run()
            assert not app.exception, key
            after = sent(app)
            if after != before or named(app, key) is None:
                before = after
                break
        else:
            assert control is None, f"{key} changes nothing"
