"""What stands on the page of a recursion: texts, tables, and what its stepper was sent."""

import html
import math
import re

from pages.shared.ui.component_data import parts
from tests.apps import fresh, plain


def opened(page, *unfolded, **query):
    """The page after its first run, with these parts unfolded."""
    app = fresh(page, **query)
    for key in unfolded:
        app.session_state[f"{page}.fold.{key}"] = True
    return app.run()


def blocks(app):
    return [plain(b.proto.body) for b in app.get("html") if not b.proto.body.startswith("<style>")]


def texts(app):
    return html.unescape(re.sub("<[^>]+>", " ", " ".join(blocks(app))))


def cells(app, caption):
    """Rows of the table with this caption, as texts."""
    table = next(body for body in blocks(app) if caption in body)
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
