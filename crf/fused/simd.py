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

intrinsic: Any = numba_intrinsic  # what it makes of a function is none that Python could call

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(64), LANES)
_SELECTOR = ir.VectorType(ir.IntType(32), LANES)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [offset])


def _load(builder: Any, pointer: Any) -> Any:
    return builder.load(builder.bitcast(pointer, _DOUBLES.as_pointer()), align=8)


def _store(builder: Any, value: Any, pointer: Any) -> None:
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=8)


def _spread(builder: Any, scalar: Any, kind: Any) -> Any:
    """The same scalar in all lanes."""
    undefined = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, undefined, ir.Constant(_SELECTOR, [0] * LANES))


@intrinsic(prefer_literal=True)
def weighted_sums(
    typing: Any,
    x: Any,
    x_at: Any,
    x_step: Any,
    y: Any,
    y_at: Any,
    y_step: Any,
    n: Any,
    out: Any,
    out_at: Any,
    out_step: Any,
) -> tuple[Any, Callable[..., Any]]:
    """out[r, lane] = Σ_k x[k, r] · y[k, lane] for r = 0, 1: part of a matrix product.

    With an `out_step` of 0 there is the first row only: eight columns of a vector-matrix product.
    """
    size = types.intp
    signature = types.void(x, size, size, y, size, size, size, out, size, out_step)
    rows = 1 if getattr(out_step, "literal_value", None) == 0 else 2

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, x_at, x_step, y, y_at, y_step, n, out, out_at, out_step = args
        x = _pointer(context, builder, signature.args[0], x, x_at)
        y = _pointer(context, builder, signature.args[3], y, y_at)
        out = _pointer(context, builder, signature.args[7], out, out_at)
        zero = ir.Constant(_DOUBLES, [0.0] * LANES)
        totals = [cgutils.alloca_once_value(builder, zero) for _ in range(rows)]
        with cgutils.for_range(builder, n, intp=n.type) as loop:
            weights = builder.gep(x, [builder.mul(loop.index, x_step)])
            row = _load(builder, builder.gep(y, [builder.mul(loop.index, y_step)]))
            flags = ("contract", "reassoc")
            for r, total in enumerate(totals):
                weight = builder.load(builder.gep(weights, [ir.Constant(ir.IntType(64), r)]))
                product = builder.fmul(_spread(builder, weight, _DOUBLES), row, flags=flags)
                builder.store(builder.fadd(builder.load(total), product, flags=flags), total)
        for r, total in enumerate(totals):
            _store(builder, builder.load(total), out)
            if r + 1 < rows:
                out = builder.gep(out, [out_step])
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
