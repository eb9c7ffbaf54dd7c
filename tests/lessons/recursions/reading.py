"""What stands on the page of a recursion: tables, numbers, what its stepper was sent."""

import html
import math
import re

from pages.shared.ui.component_data import parts


def cells(app, caption):
    """Rows of the table with this caption, as texts."""
    table = next(b.proto.body for b in app.get("html") if caption in b.proto.body)
    rows = re.findall("<tr[^>]*>(.*?)</tr>", table.split("</thead>")[1])
    return [
        [html.unescape(re.sub("<[^>]+>", "", c)) for c in re.findall("<t[hd][^>]*>(.*?)</t", row)]
        for row in rows
    ]


def read(text):
    return -math.inf if text == "−∞" else float(text.replace("−", "-"))


def sent(app, page):
    """The trace that the stepper was sent."""
    steppers = (part.proto for part in app.get("bidi_component"))
    packed = next(p.bytes for p in steppers if p.id.endswith(f"-{page}.stepper"))
    return parts(packed)[0]["trace"]
