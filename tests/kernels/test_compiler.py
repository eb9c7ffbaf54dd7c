"""The compiler: what it compiles does what Python does, and it refuses the rest."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

pytest.importorskip("llvmlite")
from crf.fused import native
from crf.fused.compiler import Function, jit, object_code
from crf.fused.scaled import LOWEST, exponential
from crf.fused.simd import load, spread, store

_KINDS = {"d": ctypes.c_double, "t": ctypes.c_int64, "m": ctypes.c_uint8, "s": ctypes.c_float}
INF, NAN = math.inf, math.nan
WHOLE = (-7, -4, -1, 0, 1, 3, 8)
REAL = (-INF, -2.5, -0.0, 0.0, 1.0, 1e300, INF, NAN)


def machine_code(function: Callable[..., Any], letters: str) -> Callable[..., int]:
    """The function with plain numbers and arrays of ctypes for arguments; see `native.KERNELS`."""
    code = object_code(Function(function), letters, "float32", "tested", exact=False)
    called = native._load(code, "tested", letters)
    return lambda *given: called(
        *(ctypes.addressof(x) if isinstance(x, ctypes.Array) else x for x in given)
    )


def check(function: Callable[..., Any], letters: str, cases: Any, size: int = 16) -> None:
    """The same results, in what is returned and in the last argument, for all cases."""
    compiled = machine_code(function, letters)
    kind = _KINDS[letters[-1]]
    for case in cases:
        ours, wanted = (kind * size)(), [0] * size
        assert compiled(*case, ours) == function(*case, wanted), case
        for found, right in zip(ours, wanted, strict=True):
            same_sign = math.copysign(1, found) == math.copysign(1, right)
            both_nan = math.isnan(found) and math.isnan(right)
            assert (found == right and same_sign) or both_nan, (case, list(ours), wanted)


class Pair(NamedTuple):
    first: Any
    second: Any


def whole_numbers(a, b, out):
    """What // and % make of signs."""
    out[0], out[1], out[2] = a + b, a - b, a * b
    out[3] = -a + (a < b) + (a < b)
    out[4], out[5], out[6] = max(a, b), min(a, b), a & b | 4
    if b:
        out[7], out[8] = a // b, a % b
    out[9], out[10] = a // 4, a % 4
    out[11] = (a > 0) > (b > 0)
    out[12] = -(a > b)
    return a if a > b else b


def real_numbers(x, y, out):
    out[0], out[1], out[2], out[3] = x + y, x - y, x * y, -x
    out[4], out[5] = max(x, y), min(x, y)
    out[6] = x + 1 if x < y else x / 2
    if y != 0.0:
        out[7] = x / y
    out[8] = (x + y) - y
    return 0


def comparisons(x, y, out):
    out[0], out[1], out[2] = x < y, x <= y, x == y
    out[3], out[4], out[5] = x > y, x >= y, x != y
    out[6] = not x < y
    if x and not y:
        out[7] = 1
    out[8] = x < y or y < x or x != x
    out[9] = 1 if x > 0 and (y > 0 or x > 5) else 2
    return 3 < 4


def loops(a, b, step, out):
    k = -1
    for i in range(a, b, step):
        out[0] += 1
        i = i * 2  # of no account to the next round
        k = i
    for i in range(b, a, -2):
        out[1] += i
        for j in range(i, b):
            if j > 2:
                out[2] += j
            elif j == -3:
                return k
    for _ in range(a):
        out[3] += 1
    i = 5
    for i in range(a, b):  # noqa: B007
        out[4] += 1
    return i + k


def mixed(i, x, out):
    y = 0.0
    y += i
    out[0] = y * i + x / 2 + i / 2
    out[1] = i < x
    out[2] = max(i, x)
    total = 1.5
    for k in range(3):
        total = total * k + (x > 1) + i
    out[3] = total
    return i


def _sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


def _swapped(pair):
    return Pair(pair.second, pair.first)


def calls(a, b, out):
    x, y = a, b
    x, y = y, x
    pair = _swapped(Pair(x + 0, y))
    out[0], out[1] = pair
    out[2] = x
    out[_sign(b) + 5] += _sign(a) - 2
    return _sign(a * b)


class TestLikePython:
    def test_whole_numbers(self):
        check(whole_numbers, "iit", itertools.product(WHOLE, WHOLE))
        big = 2**62 + 1
        check(whole_numbers, "iit", [(big, -1), (-big, 1), (1 - 2**62, 1)])

    def test_real_numbers(self):
        check(real_numbers, "xxd", itertools.product(REAL, REAL))

    def test_comparisons(self):
        check(comparisons, "xxt", itertools.product(REAL, REAL))
        check(comparisons, "iit", itertools.product(WHOLE, WHOLE))

    def test_loops(self):
        steps = (-3, -1, 1, 2)
        check(loops, "iiit", itertools.product(WHOLE, WHOLE, steps))

    def test_whole_and_real(self):
        check(mixed, "ixd", itertools.product(WHOLE, REAL))

    def test_calls_and_tuples(self, monkeypatch: pytest.MonkeyPatch):
        python = [calls(a, b, [0] * 16) for a, b in itertools.product(WHOLE, WHOLE)]
        assert set(python) == {-1, 0, 1}
        plain = {"_sign": _sign, "_swapped": _swapped}
        wanted = {}
        for case in itertools.product(WHOLE, WHOLE):
            out = [0] * 16
            wanted[case] = (calls(*case, out), out)
        for name, function in plain.items():
            monkeypatch.setitem(globals(), name, jit(function))
        compiled = machine_code(calls, "iit")
        for case, (result, right) in wanted.items():
            out = (ctypes.c_int64 * 16)()
            assert (compiled(*case, out), list(out)) == (result, right)

    def test_narrow_numbers_are_wide_once_loaded(self):
        def narrow(scores, small, out):
            scores[1] += scores[0]  # rounded when it is stored, not before
            out[0] = scores[0] + 1e-12
            out[1] = small[0] + 1
            small[1] = small[0] + 2
            return 0

        compiled = machine_code(narrow, "smd")
        scores, small = (ctypes.c_float * 2)(0.1, 0.2), (ctypes.c_uint8 * 2)(255)
        out = (ctypes.c_double * 2)()
        first, second = scores
        compiled(scores, small, out)
        assert list(out) == [first + 1e-12, 256.0]
        assert scores[1] == ctypes.c_float(second + first).value
        assert small[1] == 1  # a byte


def _while(i):
    while i > 0:
        i -= 1
    return i


def _break(i):
    for k in range(i):
        if k > 2:
            break
    return i


def _else(i):
    for _ in range(i):
        i += 1
    else:
        i = 0
    return i


def _not_a_range(i):
    for _ in enumerate(i):
        i += 1
    return i


def _maybe_no_value(i):
    if i:
        k = 1
    return k


def _no_value_after_no_round(i):
    for k in range(i):
        last = k
    return last


def _becomes_real(i):
    k = 0
    for _ in range(i):
        k += 0.5
    return i


def _truth_becomes_whole(i):
    flag = i > 0
    flag = 5
    return flag


def _one_of_the_numbers(i):
    k = i and 5
    return k


def _chained(i):
    return 0 < i < 5


def _inverted(i):
    return ~i


def _unary_plus(i):
    return +i


def _power(i):
    return i**2


def _too_large(i):
    return i + 9223372036854775808


def _real_quotient(i):
    return float(i) // 2.0


def _from_the_end(i, pointer):
    return pointer[-1]


def _real_subscript(i, pointer):
    return pointer[i / 2]


def _by_name(i):
    return max(i, 3, key=abs)


def _unknown(i):
    return abs(i)


def _of_python(i):
    return math.floor(i)


def _tuple_of_two_ways(i):
    if i:
        pair = (1, i)
    else:
        pair = (i, 2)
    first, second = pair
    return first + second


def _no_way_out(i):
    if i:
        return 1


def _returns_real(i):
    return i + 0.5


def _pointers(i, pointer):
    return pointer + 1


def _vectors_of_bytes(i, pointer):
    store(load(pointer, 0), pointer, 8)
    return 0


def _asserts(i):
    assert i
    return 1


REFUSED = [
    (_while, "i", "While"),
    (_break, "i", "Break"),
    (_else, "i", "no else"),
    (_not_a_range, "i", "range"),
    (_maybe_no_value, "i", "k may have no value"),
    (_no_value_after_no_round, "i", "last may have no value"),
    (_becomes_real, "i", "double cannot become i64"),
    (_truth_becomes_whole, "i", "truth value cannot become a number"),
    (_one_of_the_numbers, "i", "for conditions only"),
    (_chained, "i", "0 < i < 5"),
    (_inverted, "i", "~i"),
    (_unary_plus, "i", r"\+i"),
    (_power, "i", "Pow"),
    (_too_large, "i", "64 bits"),
    (_real_quotient, "i", "for integers only"),
    (_from_the_end, "it", "from the end"),
    (_real_subscript, "it", "double cannot become i64"),
    (_by_name, "i", "not by name"),
    (_unknown, "i", "do not know abs"),
    (_of_python, "i", "cannot call math.floor"),
    (_tuple_of_two_ways, "i", "assigned to only once"),
    (_no_way_out, "i", "without a return"),
    (_returns_real, "i", "double cannot become i64"),
    (_pointers, "it", "not both numbers"),
    (_vectors_of_bytes, "im", "vectors are of doubles"),
    (_asserts, "i", "Assert"),
]


def _exponentials(shift, x, n, out):
    for i in range(0, n, 8):
        store(exponential(load(x, i) - spread(shift)), out, i)
    return 0


class TestExponential:
    def test_to_what_rounding_its_argument_does(self):
        """Whatever sum stands before it: none may be merged with those inside."""
        n, compiled = 8 * 500, machine_code(_exponentials, "xdid")
        given, found = (ctypes.c_double * n)(), (ctypes.c_double * n)()
        for shift in (0.0, 16.0):
            given[:] = [shift + LOWEST * i / n for i in range(n)]
            compiled(shift, given, n, found)
            for x, y in zip(given, found, strict=True):
                right = math.exp(x - shift)
                assert abs(y - right) <= (1.5 + abs(x - shift) / 2) * math.ulp(right), x

    def test_forbidden_is_0(self):
        given, found = (ctypes.c_double * 8)(-INF, 1.01 * LOWEST, -1e300), (ctypes.c_double * 8)()
        machine_code(_exponentials, "xdid")(0.0, given, 8, found)
        assert list(found) == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]


class TestRefusals:
    @pytest.mark.parametrize(
        ("function", "letters", "said"), REFUSED, ids=lambda x: getattr(x, "__name__", "")
    )
    def test_a_sentence_when_it_is_compiled(self, function: Any, letters: str, said: str):
        with pytest.raises((SyntaxError, TypeError, OverflowError, IndexError), match=said):
            machine_code(function, letters)

    def test_it_names_the_line(self):
        with pytest.raises(SyntaxError) as caught:
            machine_code(_power, "i")
        line = _power.__code__.co_firstlineno + 1
        assert caught.value.__notes__ == [f"_power, line {line}: return i ** 2"]

    def test_arguments_that_may_be_left_out(self):
        def default(i, k=2):
            return i + k

        with pytest.raises(SyntaxError, match="plain names"):
            machine_code(default, "ii")

    def test_a_function_that_calls_itself(self, monkeypatch: pytest.MonkeyPatch):
        again = jit(_again)
        monkeypatch.setitem(globals(), "_again", again)
        with pytest.raises(SyntaxError, match="_again calls itself"):
            machine_code(again.python, "i")


def _again(i):
    return _again(i)
