"""An oracle for equations: evaluates what is shown, as a reader with a calculator would.

Each "=" and "≈" in a text stands between two runs of numbers and operators. Where both can be
evaluated, "=" must come out with the shown numbers as they stand, rounded as the result is; "≈"
within the roundings: each number ± half its last digit.
"""

import math
import re
from typing import NamedTuple

SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
TOKEN = re.compile(
    r"(?P<number>∞|(?:\d[\d,]*)?\.\d+|\d[\d,]*)"
    r"(?:\s*×\s*10(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?P<percent> ?%)?"
    r"|(?<!\w)(?P<name>log Σ exp|log|exp|max|e)(?!\w)"
    r"|(?P<sign>[+−\-·×÷/(),…=≈])"
    r"|(?P<space>[ \n]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
ROLES = ("observed", "expected", "beobachtet", "erwartet", "观测", "期望")  # name their number
MORE = re.compile(r"(…+ ?)?(and|und|以及另外|另有)? ?\d+ ?(more|weitere|项)")
MEASURE = re.compile(r"\b[a-zA-Z] − \d+ =")  # m − 1 = 4: a symbol’s value
BLANK = 0.005  # nats: what a score without decimals may leave out


class Shown(NamedTuple):
    """A value: with the numbers as they stand, and the range that their rounding leaves."""

    value: float
    low: float
    high: float
    last: float = 0.0  # of a plain number: one unit in its last place

    def map(self, f):
        return Shown(f(self.value), f(self.low), f(self.high))


class NotAnExpressionError(ValueError):
    pass


def tokens(text):
    """(kind, text or `Shown`) of a text."""
    for role in ROLES:
        text = text.replace(role, " ")
    text = MEASURE.sub("", MORE.sub("…", text))
    for match in TOKEN.finditer(text):
        if match["space"]:
            continue
        if match["number"]:
            yield "number", number_of(match)
        elif match["name"]:
            yield "name", match["name"]
        elif match["sign"]:
            yield match["sign"].replace("-", "−"), match["sign"]
        else:
            yield "other", match["other"]


def number_of(match):
    text = match["number"].replace(",", "")
    if text == "∞":
        return Shown(math.inf, math.inf, math.inf)
    power = int((match["power"] or "⁰").translate(SUPERSCRIPT)) - 2 * bool(match["percent"])
    value, last = float(text), 10.0 ** -len(text.partition(".")[2])
    is_score = last == 1 and value < 100 and not match["percent"] and not match["power"]
    half = BLANK if is_score else last / 2
    scale = float(f"1e{power}")  # inf beyond 10³⁰⁸
    return Shown(value * scale, (value - half) * scale, (value + half) * scale, last * scale)


class Parser:
    """Sums of products of numbers, log, exp, max, log Σ exp."""

    def __init__(self, run):
        self.run, self.at, self.open = run, 0, False

    def peek(self):
        return self.run[self.at][0] if self.at < len(self.run) else "end"

    def take(self, kind):
        if self.peek() != kind:
            raise NotAnExpressionError(self.run)
        self.at += 1
        return self.run[self.at - 1][1]

    def whole(self):
        value = self.sum()
        self.take("end") if self.peek() != "end" else None
        return value

    def sum(self):
        total = self.signed()
        while self.peek() in "+−":
            total = _add(total, self.signed())
        return total

    def signed(self):
        if self.peek() == "−":
            self.at += 1
            value = self.product()
            return Shown(-value.value, -value.high, -value.low, value.last)
        if self.peek() == "+":
            self.at += 1
        return self.product()

    def product(self):
        value = self.factor()
        while self.peek() in ("·", "×", "÷", "/"):
            sign = self.peek()
            self.at += 1
            value = _times(value, self.factor(), sign in "÷/")
        return value

    def factor(self):
        kind = self.peek()
        if kind == "number":
            return self.take("number")
        if kind == "(":
            self.take("(")
            value = self.sum()
            self.take(")")
            return value
        if self.hidden():
            return Shown(0.0, 0.0, 0.0)
        if kind != "name":
            raise NotAnExpressionError(self.run)
        name = self.take("name")
        if name == "e":
            return Shown(math.e, math.e, math.e)
        if name in ("exp", "log"):
            return self.factor_of_function().map(_exp if name == "exp" else _log)
        self.take("(")
        terms = [self.sum()]
        while self.peek() == ",":
            self.take(",")
            terms += [] if self.hidden() else [self.sum()]
        self.take(")")
        return _max(terms) if name == "max" else _log_sum(terms)

    def hidden(self):
        if self.peek() != "…":
            return False
        self.take("…")
        self.open = True
        return True

    def factor_of_function(self):
        return self.factor() if self.peek() in ("(", "name", "number") else self.signed()


def _add(a, b):
    return Shown(a.value + b.value, a.low + b.low, a.high + b.high)


def _times(a, b, divide):
    if divide:
        if b.low <= 0:
            return Shown(a.value / b.value if b.value else math.inf, -math.inf, math.inf)
        b = Shown(1 / b.value, 1 / b.high, 1 / b.low)
    ends = [x * y if x and y else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    return Shown(a.value * b.value if a.value and b.value else 0.0, min(ends), max(ends))


def _exp(x):
    return math.exp(x) if x < 700 else math.inf


def _log(x):
    return math.log(x) if x > 0 else -math.inf


def _max(terms):
    return Shown(*(max(values) for values in list(zip(*terms, strict=True))[:3]))


def _log_sum(terms):
    def log_sum(values):
        top = max(values)
        if math.isinf(top):
            return top
        return top + math.log(math.fsum(math.exp(v - top) for v in values))

    return Shown(*(log_sum(values) for values in list(zip(*terms, strict=True))[:3]))


def runs(text):
    """The runs around each sign of equality: (left, "=" or "≈", right)."""
    stream, runs, signs = list(tokens(text)), [[]], []
    for kind, value in stream:
        if kind in ("=", "≈"):
            signs.append(kind)
            runs.append([])
        else:
            runs[-1].append((kind, value))
    for k, sign in enumerate(signs):
        yield _tail(runs[k]), sign, _head(runs[k + 1])


def _bounded(run, step):
    """As far as it is arithmetic: to a word, or a comma outside brackets."""
    kept, depth = [], 0
    for kind, value in run[::step]:
        depth += {"(": 1, ")": -1}.get(kind, 0) * step
        if kind == "other" or (depth == 0 and kind == ",") or depth < 0:
            depth = max(depth, 0)
            break
        kept.append((kind, value))
    else:
        return kept[::step]
    return [] if depth else kept[::step]  # symbols inside brackets: no arithmetic


def _tail(run):
    return _bounded(run, -1)


def _head(run):
    return _bounded(run, 1)


def faults(text):
    """What is wrong with the equations of a text in English marks; [] if they come out."""
    found = []
    for left, sign, right in runs(text):
        if not all(any(kind == "number" for kind, _ in run) for run in (left, right)):
            continue
        while right and right[-1][0] not in ("number", ")", "…", "name"):
            right.pop()
        try:
            readers = Parser(left), Parser(right)
            a, b = (reader.whole() for reader in readers)
        except NotAnExpressionError:
            found.append(f"no arithmetic: {text!r}")
            continue
        if not _agree(a, sign, b, readers[0].open or readers[1].open):
            found.append(f"{a.value:.6g} {sign} {b.value:.6g}: {text!r}")
    return found


def _agree(a, sign, b, is_open):
    if a.value == b.value:
        return True
    if is_open:  # terms that are not written only add
        return a.low <= b.high or b.low <= a.high
    if sign == "≈":
        return a.low - 1e-9 <= b.high and b.low <= a.high + 1e-9
    last = b.last or a.last
    slack = 1e-9 * max(abs(a.value), abs(b.value), 1)
    return abs(a.value - b.value) <= last / 2 + slack


def texts(value):
    """Every text of a payload, segments joined to the sentence that a reader reads."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list | tuple):
        if value and all(isinstance(part, str) or _is_segment(part) for part in value):
            yield "".join(part if isinstance(part, str) else part["text"] for part in value)
        else:
            for part in value:
                yield from texts(part)


def _is_segment(part):
    return isinstance(part, dict) and isinstance(part.get("text"), str)
