"""The lesson "Numerical stability" without a browser: opening it, reading it, what it must say."""

import math
import re
from html import unescape

import numpy as np

from pages.shared.course.examples import EXAMPLES
from tests.apps import fresh, plain
from tests.oracles import recursions as oracle

OLD_MAN = EXAMPLES["old-man"].problem
INF = math.inf
LARGEST = {  # of IEEE 754 binary16, binary32, binary64, and of bfloat16
    "float16": 65504.0,
    "bfloat16": (2 - 2**-7) * 2.0**127,
    "float32": (2 - 2**-23) * 2.0**127,
    "float64": (2 - 2**-52) * 2.0**1023,
}
SMALLEST = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}  # powers of 2


FOLDS = (
    "error", "winner", "formats", "log-add", "gradient", "empty",
    "exact",
)  # fmt: skip


def open_page(seen=True, **query):
    """The lesson with every fold open."""
    app = fresh("stability", **query)
    for label in FOLDS:
        app.session_state[f"stability.fold.{label}"] = True
    app.run()
    if seen:
        button(app, "Just show me").click().run()
    return app


def button(app, label):
    return next(b for b in app.button if b.label == label)


def blocks(app):
    return [plain(b.proto.body) for b in app.get("html") if not b.proto.body.startswith("<style>")]


def texts(app):
    return unescape(re.sub("<[^>]+>", " ", " ".join(blocks(app)))).replace("\xa0", " ")


def verdicts(app, caption):
    """{row name: [(value, sign and word, remark) for each format]} of a table of verdicts."""
    table = _table(app, caption)
    found = {}
    for row in re.findall("<tr>(.*?)</tr>", table.split("<tbody>")[1]):
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
    tables = re.findall("<table.*?</table>", " ".join(blocks(app)), re.DOTALL)
    return next(t for t in tables if f'<caption class="crf-hidden">{caption}' in t)


def read(text):
    """A number as the page writes it."""
    text = text.replace("−", "-").replace(",", "")
    match = re.fullmatch(r"(-?[0-9.]+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if match:
        power = match[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{match[1]}e{power}")
    return float(text)


def log_alphas(problem, tokens):
    """log α of the problem's tokens over and over, and log Z, by plain floats."""
    m, every = len(problem.tokens), range(len(problem.tags))
    per_step = problem.transitions and isinstance(problem.transitions[0][0], tuple)
    columns = [[problem.start[s] + problem.emissions[0][s] for s in every]]
    for t in range(1, tokens):
        if per_step and t % m == 0:
            step = [[0.0] * len(every) for _ in every]
        else:
            step = oracle.matrix(problem, t % m)
        columns.append(
            [
                oracle.merge((columns[-1][i] + step[i][s] for i in every), "sum")
                + problem.emissions[t % m][s]
                for s in every
            ]
        )
    return columns, oracle.merge((columns[-1][s] + problem.end[s] for s in every), "sum")


def naive(scores, dtype):
    """log Σ exp by numpy in a format that it has; bfloat16 by its limits alone."""
    with np.errstate(all="ignore"):
        q = np.array(scores, dtype=dtype)
        return float(np.log(np.sum(np.exp(q))))
