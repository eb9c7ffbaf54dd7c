"""Vectors of eight doubles: one number of each of eight chains. `+ - * /` work on them, too.

LLVM fits them to whatever registers the machine has. Offsets count elements.
"""

import functools
from typing import Any

from llvmlite import ir

from .compiler import DOUBLE, INT, LANES, VECTOR, Emitter, instruction

_INTEGERS = ir.VectorType(INT, LANES)
_MAGIC = ir.Constant(VECTOR, [1.5 * 2.0**52] * LANES)


def _all(integer: int) -> ir.Constant:
    return ir.Constant(_INTEGERS, [integer] * LANES)


def _place(emitter: Emitter, pointer: Any, at: Any) -> Any:
    if pointer.type.pointee not in (DOUBLE, ir.FloatType()):
        raise TypeError(f"vectors are of doubles or floats, not in {pointer.type}")
    place = emitter.builder.gep(pointer, [emitter.convert(at, INT)])
    return emitter.builder.bitcast(place, ir.VectorType(pointer.type.pointee, LANES).as_pointer())


@instruction
def shift(emitter: Emitter, pointer: Any, by: Any) -> Any:
    """The pointer to pointer[by]."""
    return emitter.builder.gep(pointer, [emitter.convert(by, INT)])


@instruction
def load(emitter: Emitter, pointer: Any, at: Any) -> Any:
    """pointer[at : at + 8], as doubles."""
    found = emitter.builder.load(_place(emitter, pointer, at), align=4)
    return found if found.type == VECTOR else emitter.builder.fpext(found, VECTOR)


@instruction
def store(emitter: Emitter, x: Any, pointer: Any, at: Any) -> Any:
    """pointer[at : at + 8] = x."""
    place = _place(emitter, pointer, at)
    kind = place.type.pointee
    x = x if kind == VECTOR else emitter.builder.fptrunc(x, kind)
    return emitter.builder.store(x, place, align=4)


@instruction
def fetch(emitter: Emitter, pointer: Any, at: Any) -> None:
    """Have the processor fetch what is around pointer[at], which is to be written soon."""
    builder, byte, number = emitter.builder, ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    prefetch = emitter.entry.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    place = builder.bitcast(builder.gep(pointer, [emitter.convert(at, INT)]), byte)
    to_write, to_keep_near, data = (ir.Constant(number, k) for k in (1, 3, 1))
    builder.call(prefetch, [place, to_write, to_keep_near, data])


@instruction
def scale(emitter: Emitter, pointer: Any, at: Any, factor: Any) -> None:
    """pointer[at : at + 8] *= factor, in the precision of what is there."""
    place = _place(emitter, pointer, at)
    kind = place.type.pointee
    undefined, zero = ir.Constant(kind, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    one = emitter.builder.insert_element(undefined, emitter.convert(factor, kind.element), zero)
    selector = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    factors = emitter.builder.shuffle_vector(one, undefined, selector)
    found = emitter.builder.load(place, align=4)
    emitter.builder.store(emitter.builder.fmul(found, factors), place, align=4)


@instruction
def spread(emitter: Emitter, scalar: Any) -> Any:
    """The same number in all lanes."""
    if not isinstance(scalar, ir.Value):
        return ir.Constant(VECTOR, [float(scalar)] * LANES)
    undefined = ir.Constant(VECTOR, ir.Undefined)
    scalar = emitter.convert(scalar, DOUBLE)
    one = emitter.builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    selector = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return emitter.builder.shuffle_vector(one, undefined, selector)


@instruction
def look_up(emitter: Emitter, pointer: Any, places: Any) -> Any:
    """pointer[places[lane]] in each lane."""
    found: Any = ir.Constant(VECTOR, ir.Undefined)
    for lane in range(LANES):
        place = emitter.builder.load(emitter.builder.gep(places, [ir.Constant(INT, lane)]))
        one = emitter.loaded(emitter.builder.gep(pointer, [place]))
        found = emitter.builder.insert_element(found, one, ir.Constant(ir.IntType(32), lane))
    return found


@instruction
def transpose(emitter: Emitter, rows: Any, starts: Any, at: Any, columns: Any) -> None:
    """columns[8 (at + k) + lane] = rows[starts[lane] + at + k], for k in 0 … 7, as doubles."""
    builder, block = emitter.builder, []
    for place in _row_places(emitter, rows, starts, at):
        block.append(builder.load(place, align=4))
    places = _column_places(emitter, columns, at)
    for column, place in zip(_transposed(builder, block), places, strict=True):
        wide = column if column.type == VECTOR else builder.fpext(column, VECTOR)
        builder.store(wide, place, align=4)


@instruction
def transpose_back(emitter: Emitter, columns: Any, at: Any, rows: Any, starts: Any) -> None:
    """rows[starts[lane] + at + k] = columns[8 (at + k) + lane]; the first lane is written last."""
    builder, block = emitter.builder, []
    kind = ir.VectorType(rows.type.pointee, LANES)
    for place in _column_places(emitter, columns, at):
        column = builder.load(place, align=4)
        block.append(column if kind == VECTOR else builder.fptrunc(column, kind))
    places = _row_places(emitter, rows, starts, at)
    for row, place in reversed(list(zip(_transposed(builder, block), places, strict=True))):
        builder.store(row, place, align=4)


def _row_places(emitter: Emitter, rows: Any, starts: Any, at: Any) -> list[Any]:
    builder, at = emitter.builder, emitter.convert(at, INT)
    lanes = (builder.gep(starts, [ir.Constant(INT, lane)]) for lane in range(LANES))
    return [_place(emitter, rows, builder.add(builder.load(lane), at)) for lane in lanes]


def _column_places(emitter: Emitter, columns: Any, at: Any) -> list[Any]:
    first = emitter.builder.mul(emitter.convert(at, INT), ir.Constant(INT, LANES))
    steps = (ir.Constant(INT, k * LANES) for k in range(LANES))
    return [_place(emitter, columns, emitter.builder.add(first, step)) for step in steps]


def _transposed(builder: Any, block: list[Any]) -> list[Any]:
    """Eight vectors: the first numbers of these eight, the second numbers, and so on."""
    block = list(block)
    for width in (1, 2, 4):  # blocks beside the diagonal change places
        low = [k if not k & width else LANES + k - width for k in range(LANES)]
        high = [k + width if not k & width else LANES + k for k in range(LANES)]
        for k in (k for k in range(LANES) if not k & width):
            pair = block[k], block[k + width]
            for place, chosen in ((k, low), (k + width, high)):
                selector = ir.Constant(ir.VectorType(ir.IntType(32), LANES), chosen)
                block[place] = builder.shuffle_vector(*pair, selector)
    return block


@instruction
def store_whole(emitter: Emitter, x: Any, integers: Any) -> Any:
    """integers[0 : 8] = x, whose fractions are dropped."""
    place = emitter.builder.bitcast(integers, _INTEGERS.as_pointer())
    return emitter.builder.store(emitter.builder.fptosi(x, _INTEGERS), place, align=8)


@instruction
def where_less(emitter: Emitter, a: Any, b: Any, x: Any, y: Any) -> Any:
    """x in the lanes where a < b, y where not, nan included."""
    return emitter.builder.select(emitter.builder.fcmp_ordered("<", a, b), x, y)


@instruction
def larger(emitter: Emitter, a: Any, b: Any) -> Any:
    """The larger of the two; b where they are equal."""
    return emitter.builder.select(emitter.builder.fcmp_ordered(">", a, b), a, b)


@instruction
def smaller(emitter: Emitter, a: Any, b: Any) -> Any:
    """The smaller of the two; b where they are equal."""
    return emitter.builder.select(emitter.builder.fcmp_ordered("<", a, b), a, b)


@instruction
def largest(emitter: Emitter, x: Any) -> Any:
    """The largest of the lanes: halves are compared, then quarters, then neighbours."""
    builder = emitter.builder
    for width in (4, 2, 1):
        across = [lane ^ width for lane in range(LANES)]
        selector = ir.Constant(ir.VectorType(ir.IntType(32), LANES), across)
        x = larger.python(emitter, x, builder.shuffle_vector(x, x, selector))
    return builder.extract_element(x, ir.Constant(ir.IntType(32), 0))


@instruction
def total(emitter: Emitter, x: Any) -> Any:
    """The sum of the lanes."""
    kind = ir.FunctionType(DOUBLE, [DOUBLE, VECTOR])
    reduce = emitter.entry.module.declare_intrinsic("llvm.vector.reduce.fadd.v8f64", fnty=kind)
    zero = ir.Constant(DOUBLE, -0.0)
    return emitter.builder.call(reduce, [zero, x], fastmath=("reassoc",))


@instruction
def exponents(emitter: Emitter, x: Any) -> Any:
    """The integers e for which 2^e ≤ x < 2^(e + 1), for x ≥ 0; −1023 where x is 0."""
    builder = emitter.builder
    bits = builder.lshr(builder.bitcast(x, _INTEGERS), _all(52))
    return builder.sitofp(builder.sub(bits, _all(1023)), VECTOR)


@instruction
def inverse_power(emitter: Emitter, x: Any) -> Any:
    """2^−e for the e of `exponents(x)`: finite and not 0, whatever x ≥ 0 is."""
    builder = emitter.builder
    bits = builder.lshr(builder.bitcast(x, _INTEGERS), _all(52))
    return builder.bitcast(builder.shl(builder.sub(_all(2046), bits), _all(52)), VECTOR)


@instruction
def remainder(emitter: Emitter, x: Any, step: float) -> Any:
    """x − k · step, for the integer k nearest to x / step; and 1.5 · 2^52 + k: k in its last bits.

    Adding the large number rounds: that sum must stay as it stands.
    """
    builder, flags = emitter.builder, ("contract",)
    steps = builder.fmul(x, ir.Constant(VECTOR, [1 / step] * LANES), flags=flags)
    shifted = builder.fadd(steps, _MAGIC, flags=flags)
    nearest = builder.fsub(shifted, _MAGIC)
    multiple = builder.fmul(nearest, ir.Constant(VECTOR, [step] * LANES), flags=flags)
    return builder.fsub(x, multiple, flags=flags), shifted


@instruction
def polynomial(emitter: Emitter, x: Any, coefficients: tuple[float, ...]) -> Any:
    """Σ_k coefficients[k] · x^k, by Estrin's scheme, and Horner's in x⁴: few sums wait for others.

    First neighbours are added up, c + c' x; then neighbours of these, with x²; the rest in turn.

    The coefficients are read from one table, which has one address: as constants each would have
    its own, and it would take an instruction to name it.
    """
    builder, module = emitter.builder, emitter.entry.module
    kind, name = ir.ArrayType(DOUBLE, len(coefficients)), f"coefficients_{hash(coefficients):x}"
    table: Any = module.globals.get(name)
    if table is None:
        table = ir.GlobalVariable(module, kind, name)
        table.initializer = ir.Constant(kind, coefficients)
    terms = []
    for k in range(len(coefficients)):
        place = builder.gep(table, [ir.Constant(INT, 0), ir.Constant(INT, k)])
        terms.append(spread.python(emitter, builder.load(place)))

    def plus(term: Any, higher: Any) -> Any:
        product = builder.fmul(higher, x, flags=("contract",))
        return builder.fadd(product, term, flags=("contract",))

    for _ in range(2):
        pairs = [plus(*terms[k : k + 2]) for k in range(0, len(terms) - 1, 2)]
        terms, x = pairs + terms[2 * len(pairs) :], builder.fmul(x, x)
    return functools.reduce(lambda higher, term: plus(term, higher), reversed(terms))


@instruction
def times_power(emitter: Emitter, x: Any, shifted: Any) -> Any:
    """x · 2^k for the k in the last bits, if neither x nor the product is 0 or subnormal.

    They are moved to the place of the exponent, and added to x's.
    """
    builder = emitter.builder
    k = builder.shl(builder.bitcast(shifted, _INTEGERS), _all(52))
    return builder.bitcast(builder.add(builder.bitcast(x, _INTEGERS), k), VECTOR)


@instruction
def exp(emitter: Emitter, x: Any) -> Any:
    """The exponential of one number."""
    return _elementary(emitter, "llvm.exp", x)


@instruction
def log(emitter: Emitter, x: Any) -> Any:
    """The logarithm of one number."""
    return _elementary(emitter, "llvm.log", x)


def _elementary(emitter: Emitter, name: str, x: Any) -> Any:
    function = emitter.entry.module.declare_intrinsic(name, [DOUBLE])
    return emitter.builder.call(function, [emitter.convert(x, DOUBLE)])
