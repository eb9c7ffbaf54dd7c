"""A figure by itself in an empty page, drawn without the app around it.

    figure = mounted(page, live("flow", problem))

That takes a tenth of a second, and the data are at hand: what is drawn can be compared with them.
"""

import base64
import json
import re
from types import SimpleNamespace

import pytest

from crf import figures
from pages.shared.ui.component import sources
from pages.shared.ui.component_data import as_json
from tests.browser.scripts import script

# What is wrong with a picture: numbers that are none, a text on a text, no single stop of Tab.
WHOLE = script("whole")
THEME = """body { font: 16px/1.6 Helvetica, Arial, 'DejaVu Sans', sans-serif }
:root { --st-text-color: #1b2126; --st-background-color: #ffffff; --st-primary-color: #0067a3;
  --st-secondary-background-color: #f3f5f7; --st-font: Helvetica, Arial, 'DejaVu Sans', sans-serif;
  --st-heading-font: Helvetica, Arial, 'DejaVu Sans', sans-serif }
"""
DRAW = script("draw")
MARKS = """(found) => found.map((e) => {
  const number = (text) => (text !== '' && isFinite(text) ? Number(text) : text)
  const all = Object.fromEntries([...e.attributes].map((a) => [a.name, number(a.value)]))
  const rect = e.querySelector(':scope > rect')
  if (rect) all.box = Object.fromEntries([...rect.attributes].map((a) => [a.name, number(a.value)]))
  return { ...all, text: e.textContent }
})"""


def data_of(proto):
    """The data that are sent to it."""
    return json.loads(proto.bytes)


def component(folder, data, **how):
    """A figure of a folder with data of one's own."""
    files = {f"{name}_content": text for name, text in sources(folder, **how).items()}
    return SimpleNamespace(component_name=folder, bytes=as_json(data), **files)


def live(name, problem):
    """A figure of the library with a problem's scores, as a notebook draws it."""
    figure = getattr(figures, name)(problem.chain(), tokens=problem.tokens, tags=problem.tags)
    figure.is_live = True
    return component(figure.folder, figure.payload)


def mounted(page, proto, width=900):
    """Draw it; its root. What it says to Python is in `window.said`."""
    page.reload()
    page.evaluate(
        DRAW,
        {
            "script": proto.js_content,
            "html": proto.html_content,
            "css": THEME + proto.css_content,
            "width": width,
            **_sent(proto),
        },
    )
    return page.locator(".crf-figure > *, .crf-figure:empty").first


def redrawn(figure, *protos):
    """Send it other data, as a further run of the page does; of several, all but the last end."""
    figure.page.evaluate(
        "(sent) => sent.map(window.redraw).slice(0, -1).forEach((end) => end())",
        [_sent(proto) for proto in protos],
    )


def _sent(proto):
    return {"bytes": base64.b64encode(proto.bytes).decode()}


def marks(figure, selector):
    """What is drawn there: attributes as numbers where they are, `text`, a group's `box`."""
    return figure.page.locator(selector).evaluate_all(MARKS)


def numbers(text):
    """Those that a path, or a transform, has."""
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def near(value):
    """To within what a drawing rounds."""
    return pytest.approx(value, abs=0.06)
