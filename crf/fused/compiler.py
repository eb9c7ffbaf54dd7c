"""A small compiler: kernels are written in a little of Python, and become machine code by LLVM.

What it knows: integers (64 bits), doubles, truth values, vectors of eight doubles, pointers to them
(and to floats and bytes, which are doubles and integers once loaded), NamedTuples of all these;
arithmetic, comparison, `and`, `or`, `not`, `x if a else b`, subscripts; assignments, `for … in
range(…)`, `if`, `return`; calls of other such functions, which are put in the caller's place.
Whoever writes a kernel vouches for the bounds.

Why not numba: these kernels took it four times as long, and each process that only reads them from
the disk a fifth of a second more.
"""

import ast
import functools
import inspect
import operator
import textwrap
from collections.abc import Callable
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir

LANES = 8
INT, BOOL, DOUBLE = ir.IntType(64), ir.IntType(1), ir.DoubleType()
VECTOR = ir.VectorType(DOUBLE, LANES)
_ARGUMENTS = {
    "d": DOUBLE.as_pointer(),
    "t": INT.as_pointer(),
    "m": ir.IntType(8).as_pointer(),
    "i": INT,
    "x": DOUBLE,
}
_SIGNS = {
    ast.Add: ("add", "fadd", operator.add),
    ast.Sub: ("sub", "fsub", operator.sub),
    ast.Mult: ("mul", "fmul", operator.mul),
    ast.Div: ("", "fdiv", operator.truediv),
    ast.FloorDiv: ("sdiv", "", operator.floordiv),
    ast.Mod: ("srem", "", operator.mod),
    ast.BitAnd: ("and_", "", operator.and_),
    ast.BitOr: ("or_", "", operator.or_),
}
_COMPARISONS = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
}


class Function:
    """A function that kernels call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.python = function

    @functools.cached_property
    def tree(self) -> ast.FunctionDef:
        """What is written."""
        found = ast.parse(textwrap.dedent(inspect.getsource(self.python))).body[0]
        assert isinstance(found, ast.FunctionDef)
        return found

    def __call__(self, *arguments: Any) -> Any:
        """Not for Python: only the compiler enters it."""
        raise TypeError(f"{self.python.__name__} is called by kernels only")


class Instruction(Function):
    """A function that emits instructions: it gets the emitter, and values."""


def jit(function: Callable[..., Any]) -> Any:
    """Decorate a function that kernels call."""
    return Function(function)


def instruction(function: Callable[..., Any]) -> Any:
    """Decorate a function (emitter, *values) → value that kernels call without the first."""
    return Instruction(function)


def object_code(kernel: Function, letters: str, scores: str, symbol: str, *, exact: bool) -> bytes:
    """The object file of a kernel, in which it is called `symbol`.

    Args:
        kernel: The function.
        letters: Its arguments; see `crf.fused.native.KERNELS`.
        scores: "float32" or "float64".
        symbol: The name.
        exact: Whether every sum is taken in the order it is written.
    """
    score = ir.FloatType() if scores == "float32" else DOUBLE
    types = [(_ARGUMENTS | {"s": score.as_pointer()})[letter] for letter in letters]
    module = ir.Module(symbol)
    entry = ir.Function(module, ir.FunctionType(INT, types), symbol)
    for argument in entry.args:
        if isinstance(argument.type, ir.PointerType):
            argument.add_attribute("noalias")
    Emitter(entry, exact=exact).compile(kernel)
    return _optimised(module)


def _optimised(module: ir.Module) -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=host_features(),
        opt=3,
        jit=True,
        codemodel="jitdefault",
    )
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    compiled = llvm.parse_assembly(str(module))
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.loop_unrolling = False  # what gains is vectors already
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(compiled, passes)
    return machine.emit_object(compiled)


def host_features() -> str:
    """What the processor of this machine can do; nothing where that is not known."""
    try:
        return llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        return ""


class Frame:
    """One function being put in its caller's place: its names, and where a return goes."""

    def __init__(self, function: Function, bound: dict[str, Any]) -> None:
        self.names = bound
        self.globals = function.python.__globals__
        self.result: Any = None
        self.exit: ir.Block | None = None


class Emitter:
    """Turns trees into instructions. A value is one of LLVM's, or a number or tuple of Python's."""

    def __init__(self, entry: ir.Function, *, exact: bool) -> None:
        self.entry = entry
        self.flags = () if exact else ("contract", "reassoc")
        self.start = entry.append_basic_block("variables")  # all variables live as long as the call
        self.builder: Any = ir.IRBuilder(entry.append_basic_block("body"))
        self.first = self.builder.block
        self.frame: Any = None

    def compile(self, kernel: Function) -> None:
        """Fill the entry with the kernel."""
        result = self.put(kernel, list(self.entry.args))
        self.builder.ret(self.convert(result, INT))
        ir.IRBuilder(self.start).branch(self.first)

    # ------------------------------------------------------------------ functions

    def put(self, function: Function, arguments: list[Any]) -> Any:
        """The instructions of a function, here."""
        names = [argument.arg for argument in function.tree.args.args]
        if len(names) != len(arguments):
            raise TypeError(f"{function.python.__name__}: {len(arguments)} arguments")
        outer, self.frame = self.frame, Frame(function, {})
        for name, argument in zip(names, arguments, strict=True):
            self.assign_name(name, argument)
        self.block(function.tree.body)
        frame, self.frame = self.frame, outer
        if frame.exit is None:
            return frame.result
        if not self.builder.block.is_terminated:
            self.builder.branch(frame.exit)
        self.builder.position_at_end(frame.exit)
        return self.builder.load(frame.result)

    def block(self, statements: list[ast.stmt]) -> None:
        """Statements one after another."""
        for place, statement in enumerate(statements):
            getattr(self, f"do_{type(statement).__name__.lower()}")(statement)
            if self.builder.block.is_terminated:
                break
            if isinstance(statement, ast.Return) and place + 1 < len(statements):
                raise SyntaxError("nothing may follow a return")

    def do_return(self, node: ast.Return) -> None:
        value = self.value(node.value) if node.value else 0
        function_ends = node.col_offset == 4 and self.frame.exit is None
        if function_ends:  # the last line, and the only return
            self.frame.result = value
            return
        if self.frame.exit is None:
            self.frame.exit = self.entry.append_basic_block("exit")
            value = self.value_of(value)
            self.frame.result = self.variable(value.type)
        self.builder.store(self.convert(value, self.frame.result.type.pointee), self.frame.result)
        self.builder.branch(self.frame.exit)

    # ------------------------------------------------------------------ statements

    def do_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.value(node.value)

    def do_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def do_augassign(self, node: ast.AugAssign) -> None:
        loaded = ast.copy_location(ast.BinOp(_as_load(node.target), node.op, node.value), node)
        self.assign(node.target, self.value(loaded))

    def do_for(self, node: ast.For) -> None:
        assert isinstance(node.iter, ast.Call)
        assert isinstance(node.target, ast.Name)
        given = [self.value(argument) for argument in node.iter.args]
        first, last, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
        last = self.convert(last, INT)
        self.assign_name(node.target.id, self.value_of(first))
        place = self.frame.names[node.target.id]
        head, body, after = (self.entry.append_basic_block(n) for n in ("head", "body", "after"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        backwards = isinstance(step, int) and step < 0
        here = self.builder.load(place)
        going = self.builder.icmp_signed(">" if backwards else "<", here, last)
        self.builder.cbranch(going, body, after)
        self.builder.position_at_end(body)
        self.block(node.body)
        if not self.builder.block.is_terminated:
            ahead = self.builder.add(
                self.builder.load(place), self.convert(step, INT), flags=("nsw",)
            )
            self.builder.store(ahead, place)
            self.builder.branch(head)
        self.builder.position_at_end(after)

    def do_if(self, node: ast.If) -> None:
        test = self.value(node.test)
        if not isinstance(test, ir.Value):
            self.block(node.body if test else node.orelse)
            return
        yes, no, after = (self.entry.append_basic_block(n) for n in ("yes", "no", "after"))
        self.builder.cbranch(self.convert(test, BOOL), yes, no)
        for block, statements in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            self.block(statements)
            if not self.builder.block.is_terminated:
                self.builder.branch(after)
        self.builder.position_at_end(after)

    # ------------------------------------------------------------------ names

    def variable(self, kind: ir.Type) -> Any:
        """A place for a value; LLVM makes it a register."""
        return ir.IRBuilder(self.start).alloca(kind)

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple):
            for part, one in zip(target.elts, value, strict=True):
                self.assign(part, one)
        elif isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Subscript):
            pointer = self.value(target.value)
            place = self.builder.gep(pointer, [self.convert(self.value(target.slice), INT)])
            self.builder.store(self.convert(value, pointer.type.pointee), place)
        else:
            raise SyntaxError(ast.unparse(target))

    def assign_name(self, name: str, value: Any) -> None:
        if not isinstance(value, (ir.Value, int, float)):
            self.frame.names[name] = value  # a tuple: what is in it does not change
            return
        place = self.frame.names.get(name)
        if place is None:
            value = self.value_of(value)
            place = self.frame.names[name] = self.variable(value.type)
        self.builder.store(self.convert(value, place.type.pointee), place)

    # ------------------------------------------------------------------ values

    def value(self, node: ast.expr) -> Any:
        return getattr(self, f"of_{type(node).__name__.lower()}")(node)

    def value_of(self, value: Any) -> Any:
        """A number of Python's as one of LLVM's."""
        if isinstance(value, ir.Value):
            return value
        kind = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else DOUBLE
        return ir.Constant(kind, value)

    def convert(self, value: Any, kind: Any) -> Any:
        """The value as another kind of number."""
        builder = self.builder
        if not isinstance(value, ir.Value):
            if kind == DOUBLE or isinstance(kind, ir.FloatType):
                return ir.Constant(kind, float(value))
            value = self.value_of(value)
        have: Any = self.value_of(value).type
        if have == kind:
            return value
        if kind == BOOL and isinstance(have, ir.IntType):
            return builder.icmp_signed("!=", value, ir.Constant(have, 0))
        if kind == BOOL:
            return builder.fcmp_unordered("!=", value, ir.Constant(have, 0.0))
        if isinstance(have, ir.IntType) and isinstance(kind, ir.IntType):
            wider = kind.width > have.width
            return builder.zext(value, kind) if wider else builder.trunc(value, kind)
        if isinstance(have, ir.IntType) and kind in (DOUBLE, ir.FloatType()):
            return (builder.uitofp if have == BOOL else builder.sitofp)(value, kind)
        if have == ir.FloatType() and kind == DOUBLE:
            return builder.fpext(value, kind)
        if have == DOUBLE and kind == ir.FloatType():
            return builder.fptrunc(value, kind)
        raise TypeError(f"{have} cannot become {kind}")

    def of_constant(self, node: ast.Constant) -> Any:
        return node.value

    def of_name(self, node: ast.Name) -> Any:
        if node.id in self.frame.names:
            found = self.frame.names[node.id]
            return self.builder.load(found) if isinstance(found, ir.AllocaInstr) else found
        if node.id in self.frame.globals:
            return self.frame.globals[node.id]
        return getattr(self.frame.globals["__builtins__"], node.id, None) or _BUILTINS[node.id]

    def of_attribute(self, node: ast.Attribute) -> Any:
        return getattr(self.value(node.value), node.attr)

    def of_tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(part) for part in node.elts)

    def of_subscript(self, node: ast.Subscript) -> Any:
        pointer = self.value(node.value)
        place = self.builder.gep(pointer, [self.convert(self.value(node.slice), INT)])
        loaded = self.builder.load(place)
        wide = DOUBLE if isinstance(loaded.type, (ir.FloatType, ir.DoubleType)) else INT
        return self.convert(loaded, wide)

    def of_unaryop(self, node: ast.UnaryOp) -> Any:
        value: Any = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            if not isinstance(value, ir.Value):
                return not value
            return self.builder.not_(self.convert(value, BOOL))
        if not isinstance(value, ir.Value):
            return -value
        whole = self.value_of(value).type == INT
        return self.builder.neg(value) if whole else self.builder.fneg(value)

    def of_binop(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        whole, real, python = _SIGNS[type(node.op)]
        if not isinstance(left, ir.Value) and not isinstance(right, ir.Value):
            return python(left, right)
        kind = self.common(left, right)
        if isinstance(node.op, ast.Div) and kind == INT:
            kind = DOUBLE
        if kind == BOOL and whole not in ("and_", "or_"):
            kind = INT
        left, right = self.convert(left, kind), self.convert(right, kind)
        if kind in (DOUBLE, VECTOR):
            return getattr(self.builder, real)(left, right, flags=self.flags)
        if whole in ("add", "sub", "mul"):
            return getattr(self.builder, whole)(left, right, flags=("nsw",))
        return getattr(self.builder, whole)(left, right)

    def common(self, left: Any, right: Any) -> ir.Type:
        """The kind of number that two values can both be."""
        kinds = [self.value_of(left).type, self.value_of(right).type]
        return next(kind for kind in (VECTOR, DOUBLE, INT, BOOL) if kind in kinds)

    def of_compare(self, node: ast.Compare) -> Any:
        assert len(node.ops) == 1, "one comparison at a time"
        left, right = self.value(node.left), self.value(node.comparators[0])
        sign, python = _COMPARISONS[type(node.ops[0])]
        if not isinstance(left, ir.Value) and not isinstance(right, ir.Value):
            return python(left, right)
        kind = self.common(left, right)
        left, right = self.convert(left, kind), self.convert(right, kind)
        if kind != DOUBLE:
            return self.builder.icmp_signed(sign, left, right)
        ordered = sign != "!="
        compare = self.builder.fcmp_ordered if ordered else self.builder.fcmp_unordered
        return compare(sign, left, right)

    def of_boolop(self, node: ast.BoolOp) -> Any:
        """The second operand is looked at only if the first leaves it open."""
        stops = isinstance(node.op, ast.Or)
        result = self.variable(BOOL)
        after = self.entry.append_basic_block("known")
        for place, part in enumerate(node.values):
            value = self.convert(self.value(part), BOOL)
            self.builder.store(value, result)
            if place + 1 < len(node.values):
                going = self.entry.append_basic_block("open")
                ways = (after, going) if stops else (going, after)
                self.builder.cbranch(value, *ways)
                self.builder.position_at_end(going)
        self.builder.branch(after)
        self.builder.position_at_end(after)
        return self.builder.load(result)

    def of_ifexp(self, node: ast.IfExp) -> Any:
        """Only one of the two is looked at."""
        test = self.value(node.test)
        if not isinstance(test, ir.Value):
            return self.value(node.body if test else node.orelse)
        yes, no, after = (self.entry.append_basic_block(n) for n in ("yes", "no", "after"))
        self.builder.cbranch(self.convert(test, BOOL), yes, no)
        found = []
        for block, part in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            found.append((self.value(part), self.builder.block))
        kind = self.common(found[0][0], found[1][0])
        result = self.variable(kind)
        for value, block in found:
            self.builder.position_at_end(block)
            self.builder.store(self.convert(value, kind), result)
            self.builder.branch(after)
        self.builder.position_at_end(after)
        return self.builder.load(result)

    def of_call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        arguments = [self.value(argument) for argument in node.args]
        function = _BUILTINS.get(getattr(function, "__name__", ""), function)
        if isinstance(function, Instruction):
            return function.python(self, *arguments)
        if isinstance(function, Function):
            return self.put(function, arguments)
        return function(*arguments)  # a NamedTuple


def _as_load(target: ast.expr) -> ast.expr:
    """A target of an assignment, to be read."""
    return ast.parse(ast.unparse(target), mode="eval").body


@instruction
def _maximum(emitter: Emitter, a: Any, b: Any) -> Any:
    kind = emitter.common(a, b)
    a, b = emitter.convert(a, kind), emitter.convert(b, kind)
    builder = emitter.builder
    less = builder.icmp_signed("<", a, b) if kind == INT else builder.fcmp_ordered("<", a, b)
    return builder.select(less, b, a)


@instruction
def _minimum(emitter: Emitter, a: Any, b: Any) -> Any:
    kind = emitter.common(a, b)
    a, b = emitter.convert(a, kind), emitter.convert(b, kind)
    builder = emitter.builder
    less = builder.icmp_signed("<", b, a) if kind == INT else builder.fcmp_ordered("<", b, a)
    return builder.select(less, b, a)


@instruction
def _float(emitter: Emitter, a: Any) -> Any:
    return emitter.convert(a, DOUBLE)


_BUILTINS = {"max": _maximum, "min": _minimum, "float": _float}
