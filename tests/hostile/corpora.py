"""What a hostile user types and sends."""

import math
from typing import Any

NUMBERS = (
    "", " ", "nan", "NaN", "-nan", "inf", "+inf", "-inf", "−∞", "∞", "Infinity", "-infinity",
    "1e308", "-1e308", "1e309", "1e-320", "1e-5000", "1e5000", "-1e5000", "9" * 5000,
    "0." + "0" * 5000, "1e" + "9" * 5000, "2/0", "0/0", "1/1e-320", "1e308/1e-308", "1e999/1e999",
    "2/3/4", "log 0", "log -1", "ln(-1)", "log 1e999", "log(1e-5000)", "log log 2", "log", "log()",
    "0", "-0", "+", "-", "--1", "1,5", "1.5.2", "1_000", "0x10", "1e", "e1", "1+1", "2**9",
    "9**9**9", "½", "１２", "٣", "²", "1\u202e2", "\u20091", "1\x00", "\ud800", "0.1\u0301", "true",
    "None", "[1]", "1j", "=1+1", "<script>alert(1)</script>", "__import__('os').system('id')",
    "'; drop table", "{{7*7}}", "%s%n", "👩\u200d🎓", "$x^2$", "**1**", "-1.5", "1e3", "2/3",
    "log 0.4", "100000", "x" * 1_000_000,
)  # fmt: skip

_EDIT = {"serial": 1, "epoch": 0, "op": "start", "index": [0], "text": "1"}
_DEEP: Any = 1
for _ in range(900):
    _DEEP = [_DEEP]
VALUES: tuple[Any, ...] = (  # what JSON can hold, and some that it cannot
    None, True, 0, -1, 1, 3, 10**6, 2**53, 10**30, 1.5, -0.0, math.nan, math.inf, 1e308, "", "0",
    "sum", "log", "x" * 10_000, "<b>", [], {}, [0], [1, 2], [[1], [2]], [None], [True, True, True],
    [10**9, False, False], {"selection": 5}, {"selection": {"points": 5}},
    {"selection": {"points": [5, {}, {"x": "a"}, {"x": [1]}, {"x": math.nan, "curve_number": {}}]}},
    {"token": 0, "tag": 0}, {"token": 10**9, "tag": -5}, {"token": "0", "tag": [0]},
    {"client": 5, "edits": {}}, {"client": "a", "edits": [5]},
    {"client": "a", "serial": 1, "path": [99, 99, 99]}, {"client": "a", "serial": [], "path": "a"},
    {"client": "a", "edits": [_EDIT]}, {"client": "a", "edits": [_EDIT | {"index": [99]}]},
    {"client": "b", "edits": [_EDIT | {"text": "9" * 150}] * 300},
    {"__proto__": {"x": 1}}, {"value": {"value": {}}}, _DEEP,
)  # fmt: skip
TEXTS = (
    "", "{", "[]", "5", "null", '"a"', "[" * 100_000, "9" * 5000, "NaN", "\x00", "{}",
    '{"a":1e999}',
)  # fmt: skip
