"""Numbers on the page of a recursion, and what its stepper was sent."""

import math

from pages.shared.ui.component_data import parts


def read(text):
    return -math.inf if text == "−∞" else float(text.replace("−", "-"))


def sent(app, page):
    """The trace that the stepper was sent."""
    steppers = (part.proto for part in app.get("bidi_component"))
    packed = next(p.bytes for p in steppers if p.id.endswith(f"-{page}.stepper"))
    return parts(packed)[0]["trace"]
