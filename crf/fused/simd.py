"""The two inner loops that everything waits for, on eight tags at a time.

LLVM vectorises most loops of the kernels by itself, but not these: it cannot know that source and
target do not overlap, and so keeps the running sums in memory. Here they are written in LLVM's own
vectors of eight doubles, which it fits to whatever registers the machine has.

Offsets count elements of C-contiguous arrays; the caller vouches for the bounds.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

LANES = 8
ROWS = 4  # of a matrix product that are summed at once

intrinsic: Any = numba_intrinsic  # what it makes of a function is none that Python could call

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(64), LANES)
_FLAGS = ("contract", "reassoc")
_SELECTOR = ir.VectorType(ir.IntType(32), LANES)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [offset])


def _load(builder: Any, pointer: Any) -> Any:
    return builder.load(builder.bitcast(pointer, _DOUBLES.as_pointer()), align=8)


def _store(builder: Any, value: Any, pointer: Any) -> None:
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=8)


def _zero(builder: Any) -> Any:
    """A running sum of eight lanes."""
    return cgutils.alloca_once_value(builder, ir.Constant(_DOUBLES, [0.0] * LANES))


def _add_product(builder: Any, total: Any, left: Any, right: Any) -> None:
    product = builder.fmul(left, right, flags=_FLAGS)
    builder.store(builder.fadd(builder.load(total), product, flags=_FLAGS), total)


def _spread(builder: Any, scalar: Any, kind: Any) -> Any:
    """The same scalar in all lanes."""
    undefined = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, undefined, ir.Constant(_SELECTOR, [0] * LANES))


@intrinsic(prefer_literal=True)
def row_times_matrix(
    typing: Any,
    x: Any,
    x_at: Any,
    y: Any,
    y_at: Any,
    y_step: Any,
    n: Any,
    out: Any,
    out_at: Any,
    groups: Any,
) -> tuple[Any, Callable[..., Any]]:
    """out[lane] = Σ_k x[k] · y[k, lane] for `groups` times eight lanes; n is even, groups literal.

    Even and odd k have a running sum each, so that an addition need not wait for the one before.
    """
    size = types.intp
    signature = types.void(x, size, y, size, size, size, out, size, groups)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, x_at, y, y_at, y_step, n, out, out_at, _ = args
        x = _pointer(context, builder, signature.args[0], x, x_at)
        y = _pointer(context, builder, signature.args[2], y, y_at)
        out = _pointer(context, builder, signature.args[6], out, out_at)
        lanes = [ir.Constant(n.type, LANES * g) for g in range(groups.literal_value)]
        even, odd = ([_zero(builder) for _ in lanes] for _ in range(2))
        two = ir.Constant(n.type, 2)
        with cgutils.for_range(builder, builder.sdiv(n, two), intp=n.type) as loop:
            k = builder.mul(loop.index, two)
            for totals in (even, odd):
                weight = _spread(builder, builder.load(builder.gep(x, [k])), _DOUBLES)
                row = builder.gep(y, [builder.mul(k, y_step)])
                for total, lane in zip(totals, lanes, strict=True):
                    _add_product(builder, total, weight, _load(builder, builder.gep(row, [lane])))
                k = builder.add(k, ir.Constant(n.type, 1))
        for one, other, lane in zip(even, odd, lanes, strict=True):
            both = builder.fadd(builder.load(one), builder.load(other), flags=_FLAGS)
            _store(builder, both, builder.gep(out, [lane]))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def outer_products(
    typing: Any, x: Any, x_at: Any, y: Any, y_at: Any, step: Any, n: Any, out: Any, out_at: Any
) -> tuple[Any, Callable[..., Any]]:
    """out[r, lane] = Σ_k x[k, r] · y[k, lane] for four r and eight lanes; all rows `step` apart."""
    size = types.intp
    signature = types.void(x, size, y, size, size, size, out, size)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, x_at, y, y_at, step, n, out, out_at = args
        x = _pointer(context, builder, signature.args[0], x, x_at)
        y = _pointer(context, builder, signature.args[2], y, y_at)
        out = _pointer(context, builder, signature.args[6], out, out_at)
        rows = [ir.Constant(n.type, r) for r in range(ROWS)]
        totals = [_zero(builder) for _ in rows]
        with cgutils.for_range(builder, n, intp=n.type) as loop:
            here = builder.mul(loop.index, step)
            row = _load(builder, builder.gep(y, [here]))
            for r, total in zip(rows, totals, strict=True):
                weight = builder.load(builder.gep(x, [builder.add(here, r)]))
                _add_product(builder, total, _spread(builder, weight, _DOUBLES), row)
        for r, total in zip(rows, totals, strict=True):
            _store(builder, builder.load(total), builder.gep(out, [builder.mul(r, step)]))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def best_sum(
    typing: Any,
    x: Any,
    x_at: Any,
    y: Any,
    y_at: Any,
    y_step: Any,
    n: Any,
    values: Any,
    indices: Any,
    out_at: Any,
) -> tuple[Any, Callable[..., Any]]:
    """values[lane] = max_k (x[k] + y[k, lane]); indices[lane]: the lowest such k (0 if all −∞)."""
    size = types.intp
    signature = types.void(x, size, y, size, size, size, values, indices, size)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, x_at, y, y_at, y_step, n, values, indices, out_at = args
        x = _pointer(context, builder, signature.args[0], x, x_at)
        y = _pointer(context, builder, signature.args[2], y, y_at)
        values = _pointer(context, builder, signature.args[6], values, out_at)
        indices = _pointer(context, builder, signature.args[7], indices, out_at)
        lowest = ir.Constant(_DOUBLES, [float("-inf")] * LANES)
        best = cgutils.alloca_once_value(builder, lowest)
        place = cgutils.alloca_once_value(builder, ir.Constant(_INTEGERS, [0] * LANES))
        with cgutils.for_range(builder, n, intp=n.type) as loop:
            score = builder.load(builder.gep(x, [loop.index]))
            row = _load(builder, builder.gep(y, [builder.mul(loop.index, y_step)]))
            candidate = builder.fadd(_spread(builder, score, _DOUBLES), row)
            better = builder.fcmp_ordered(">", candidate, builder.load(best))
            here = _spread(builder, loop.index, _INTEGERS)
            builder.store(builder.select(better, candidate, builder.load(best)), best)
            builder.store(builder.select(better, here, builder.load(place)), place)
        _store(builder, builder.load(best), values)
        _store(builder, builder.load(place), indices)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def bits_of(typing: Any, x: Any) -> tuple[Any, Callable[..., Any]]:
    """The 64 bits of a double, as an integer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def from_bits(typing: Any, bits: Any) -> tuple[Any, Callable[..., Any]]:
    """The double that has these 64 bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), generate
