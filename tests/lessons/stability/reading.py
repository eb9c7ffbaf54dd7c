"""The lesson "Numerical stability" without a browser: opening it, reading it, what it must say."""

import math
import re
from html import unescape

from pages.shared.course.examples import EXAMPLES
from tests.apps import html_of, press, unfolded

OLD_MAN = EXAMPLES["old-man"].problem
INF = math.inf
FOLDS = ("error", "winner", "formats", "log-add", "gradient", "empty")


def open_page(seen=True, **query):
    """The lesson with every fold open."""
    app = unfolded("stability", *FOLDS, **query)
    if seen:
        press(app, "Just show me")
        assert not app.exception
    return app


def verdicts(app, caption):
    """{row name: [(value, sign and word, remark) for each format]} of a table of verdicts."""
    found = {}
    for row in re.findall("<tr>(.*?)</tr>", _table(app, caption).split("<tbody>")[1]):
        (name,) = re.findall("<th[^>]*>(.*?)</th>", row)
        cells = re.findall("<td[^>]*><b>(.*?)</b>(.*?)</td>", row)
        spans = [(v, *re.findall("<span[^>]*>(.*?)</span>", rest)) for v, rest in cells]
        found[name] = [tuple(x.replace("\xa0", " ") for x in cell) for cell in spans]
    return found


def table(app, caption):
    """Rows of a table of texts, the header first."""
    rows = re.findall("<tr>(.*?)</tr>", _table(app, caption))
    return [
        [
            unescape(re.sub("<[^>]+>", "", cell)).replace("\xa0", " ")
            for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)
        ]
        for row in rows
    ]


def _table(app, caption):
    tables = re.findall("<table.*?</table>", html_of(app), re.DOTALL)
    return next(t for t in tables if f'<caption class="crf-hidden">{caption}' in t)


def read(text):
    """A number as the page writes it."""
    text = text.replace("−", "-").replace(",", "")
    if match := re.fullmatch(r"(-?[0-9.]+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        power = match[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{match[1]}e{power}")
    return float(text)
