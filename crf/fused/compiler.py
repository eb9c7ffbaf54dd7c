"""A small compiler: kernels are written in a little of Python, and become machine code by LLVM.

What it knows: integers (64 bits), doubles, truth values, vectors of eight doubles, pointers to them
(and to floats and bytes, which are doubles and integers once loaded), NamedTuples of all these;
arithmetic, comparison, `and`, `or`, `not`, `x if a else b`, subscripts; assignments, `for … in
range(…)`, `if`, `return`; `max`, `min` and `float`; calls of other such functions, which are put in
the caller's place. All of it means what it means in Python. Anything else is refused when it is
compiled, with the function and the line, and so is a name that may have no value yet or would have
to change its type.

Three things are not checked, and whoever writes a kernel vouches for them: that subscripts are
within bounds, that integers stay within 64 bits (a byte takes their last eight), and that no
integer is divided by 0. Doubles are divided by 0 without an error, as IEEE 754 says.

Why not numba: it brings a compiler for all of Python and NumPy, which each process that uses it
imports, where these few statements suffice. `python -m benchmarks.first_call` times the first call.
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

# Here, so that whoever imports this knows whether LLVM can be loaded.
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()

LANES = 8
INT, BOOL, DOUBLE = ir.IntType(64), ir.IntType(1), ir.DoubleType()
VECTOR = ir.VectorType(DOUBLE, LANES)
_NUMBERS = (VECTOR, DOUBLE, INT, BOOL)  # of two, the first is what they have in common
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
    ast.FloorDiv: ("quotient", "", operator.floordiv),
    ast.Mod: ("remainder", "", operator.mod),
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
        if not isinstance(found, ast.FunctionDef):
            raise SyntaxError("only a function that is defined by `def` can be compiled")
        given = found.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults:
            raise SyntaxError(f"{found.name}: arguments can only be plain names")
        return found

    @functools.cached_property
    def assigned(self) -> set[str]:
        """The names that are its own, not the module's."""
        names = {node.arg for node in self.tree.args.args}
        stored = (n for n in ast.walk(self.tree) if isinstance(n, ast.Name))
        return names | {node.id for node in stored if isinstance(node.ctx, ast.Store)}

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
    """The object file of a kernel: `symbol` in it takes one pointer, to all arguments in a row.

    For whoever calls it from Python, that is several microseconds less than an argument each.

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
    inner = ir.Function(module, ir.FunctionType(INT, types), f"{symbol}_itself")
    inner.linkage = "private"
    for argument in inner.args:
        if isinstance(argument.type, ir.PointerType):
            argument.add_attribute("noalias")
    Emitter(inner, exact=exact).compile(kernel)
    entry = ir.Function(module, ir.FunctionType(INT, [INT.as_pointer()]), symbol)
    builder, found = ir.IRBuilder(entry.append_basic_block()), []
    for place, kind in enumerate(types):
        at = builder.gep(entry.args[0], [ir.Constant(INT, place)])
        found.append(builder.load(builder.bitcast(at, kind.as_pointer())))
    builder.ret(builder.call(inner, found))
    return _optimised(module)


def _optimised(module: ir.Module) -> bytes:
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
    compiled.verify()
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

    def __init__(self, function: Function, caller: Any) -> None:
        self.function = function
        self.callers = {*caller.callers, caller.function} if caller else set()
        self.names: dict[str, Any] = {}
        self.known: set[str] = set()  # the names that have a value here, whichever way was taken
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
        outer, self.frame = self.frame, Frame(function, self.frame)
        if function in self.frame.callers:
            raise SyntaxError(f"{function.python.__name__} calls itself")
        for name, argument in zip(names, arguments, strict=True):
            self.assign_name(name, argument)
        self.block(function.tree.body)
        frame, self.frame = self.frame, outer
        if frame.exit is None:
            return frame.result
        if not self.builder.block.is_terminated:
            raise SyntaxError(f"{function.python.__name__} may end without a return")
        self.builder.position_at_end(frame.exit)
        return self.builder.load(frame.result)

    def block(self, statements: list[ast.stmt]) -> None:
        """Statements one after another."""
        for statement in statements:
            try:
                self.statement(statement)
            except Exception as error:
                function = self.frame.function.python
                line = function.__code__.co_firstlineno + statement.lineno - 1
                what = ast.unparse(statement).partition("\n")[0]
                error.add_note(f"{function.__name__}, line {line}: {what}")
                raise
            if self.builder.block.is_terminated:
                break

    def statement(self, node: ast.stmt) -> None:
        do = getattr(self, f"do_{type(node).__name__.lower()}", None)
        if do is None:
            raise SyntaxError(f"kernels cannot have: {type(node).__name__}")
        do(node)

    def do_return(self, node: ast.Return) -> None:
        value = self.value(node.value) if node.value else 0
        if node is self.frame.function.tree.body[-1] and self.frame.exit is None:
            self.frame.result = value  # the only return: nothing has to be kept in memory
            return
        value = self.value_of(value)
        if self.frame.exit is None:
            self.frame.exit = self.entry.append_basic_block("exit")
            self.frame.result = self.variable(value.type)
        self.store(value, self.frame.result)
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
        if isinstance(node.target, ast.Subscript):
            place = self.place(node.target)
            new = self.binary(node.op, self.loaded(place), self.value(node.value))
            self.builder.store(self.convert(new, place.type.pointee), place)
        elif isinstance(node.target, ast.Name):
            old = self.of_name(node.target)
            self.assign_name(node.target.id, self.binary(node.op, old, self.value(node.value)))
        else:
            raise SyntaxError("only names and subscripts can be assigned to")

    def do_for(self, node: ast.For) -> None:
        over: Any = node.iter
        of_range = isinstance(over, ast.Call) and ast.unparse(over.func) == "range"
        if not (of_range and 1 <= len(over.args) <= 3):
            raise SyntaxError("a loop can only be `for … in range(…)`")
        if over.keywords or node.orelse or not isinstance(node.target, ast.Name):
            raise SyntaxError("a loop has one name, and no else")
        given = [self.value(argument) for argument in over.args]
        first, last, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
        if not isinstance(step, ir.Value) and step == 0:
            raise SyntaxError("the step of a loop cannot be 0")
        last, ahead = self.convert(last, INT), self.convert(step, INT)
        place = self.variable(INT)  # not the name's: what the body does to that is of no account
        self.builder.store(self.convert(first, INT), place)
        head, body, after = (self.entry.append_basic_block(n) for n in ("head", "body", "after"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        here = self.builder.load(place)
        going = self.builder.icmp_signed("<", here, last)
        if isinstance(step, ir.Value):
            forwards = self.builder.icmp_signed(">", step, ir.Constant(INT, 0))
            backwards = self.builder.icmp_signed("<", step, ir.Constant(INT, 0))
            down = self.builder.and_(backwards, self.builder.icmp_signed(">", here, last))
            going = self.builder.or_(self.builder.and_(forwards, going), down)
        elif step < 0:
            going = self.builder.icmp_signed(">", here, last)
        self.builder.cbranch(going, body, after)
        self.builder.position_at_end(body)
        known = set(self.frame.known)
        self.assign_name(node.target.id, here)
        self.block(node.body)
        self.frame.known = known  # the body may not have been entered
        if not self.builder.block.is_terminated:
            self.builder.store(self.builder.add(here, ahead, flags=("nsw",)), place)
            self.builder.branch(head)
        self.builder.position_at_end(after)

    def do_if(self, node: ast.If) -> None:
        test = self.truth(node.test)
        if not isinstance(test, ir.Value):
            self.block(node.body if test else node.orelse)
            return
        yes, no, after = (self.entry.append_basic_block(n) for n in ("yes", "no", "after"))
        self.builder.cbranch(test, yes, no)
        before, ways = self.frame.known, []
        for block, statements in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            self.frame.known = set(before)
            self.block(statements)
            if not self.builder.block.is_terminated:
                self.builder.branch(after)
                ways.append(self.frame.known)
        self.builder.position_at_end(after)
        if ways:
            self.frame.known = set.intersection(*ways)
        else:
            self.builder.unreachable()  # both ways returned

    # ------------------------------------------------------------------ names

    def variable(self, kind: ir.Type) -> Any:
        """A place for a value; LLVM makes it a register."""
        return ir.IRBuilder(self.start).alloca(kind)

    def store(self, value: Any, place: Any) -> None:
        """Give a variable a value, which must be what it can hold."""
        kind = place.type.pointee
        if kind == BOOL and self.value_of(value).type != BOOL:
            raise TypeError("a truth value cannot become a number")
        self.builder.store(self.convert(value, kind), place)

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple):
            if not isinstance(value, tuple):
                raise TypeError("only a tuple can be taken apart")
            for part, one in zip(target.elts, value, strict=True):
                self.assign(part, one)
        elif isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Subscript):
            place = self.place(target)
            self.builder.store(self.convert(value, place.type.pointee), place)
        else:
            raise SyntaxError("only names and subscripts can be assigned to")

    def assign_name(self, name: str, value: Any) -> None:
        place = self.frame.names.get(name)
        if isinstance(value, tuple) or isinstance(place, tuple):
            if place is not None:
                raise TypeError(f"{name}: a tuple's name can be assigned to only once")
            self.frame.names[name] = value  # what is in it does not change
        else:
            value = self.value_of(value)
            if place is None:
                place = self.frame.names[name] = self.variable(value.type)
            self.store(value, place)
        self.frame.known.add(name)

    # ------------------------------------------------------------------ values

    def value(self, node: ast.expr) -> Any:
        of = getattr(self, f"of_{type(node).__name__.lower()}", None)
        if of is None:
            raise SyntaxError(f"kernels cannot have: {ast.unparse(node)}")
        return of(node)

    def truth(self, node: ast.expr) -> Any:
        """A condition: a truth value, or one of Python's, known now."""
        value = self.boolop(node, self.truth) if isinstance(node, ast.BoolOp) else self.value(node)
        return self.convert(value, BOOL) if isinstance(value, ir.Value) else bool(value)

    def value_of(self, value: Any) -> Any:
        """A number of Python's as one of LLVM's."""
        if isinstance(value, ir.Value):
            return value
        if not isinstance(value, (bool, int, float)):
            raise TypeError(f"expected a number, got {type(value).__name__}")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise OverflowError(f"{value} does not fit into 64 bits")
        kind = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else DOUBLE
        return ir.Constant(kind, value)

    def convert(self, value: Any, kind: Any) -> Any:
        """The value as another kind of number."""
        builder = self.builder
        if isinstance(value, (int, float)) and kind in (DOUBLE, ir.FloatType()):
            return ir.Constant(kind, float(value))
        value = self.value_of(value)
        have: Any = value.type
        if have == kind:
            return value
        if kind == BOOL and isinstance(have, ir.IntType):
            return builder.icmp_signed("!=", value, ir.Constant(have, 0))
        if kind == BOOL and have == DOUBLE:
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
        name, function = node.id, self.frame.function
        if name in function.assigned:
            if name not in self.frame.known:
                raise SyntaxError(f"{name} may have no value here")
            found = self.frame.names[name]
            return found if isinstance(found, tuple) else self.builder.load(found)
        if name in function.python.__globals__:
            return function.python.__globals__[name]
        if name in _BUILTINS:
            return _BUILTINS[name]
        raise SyntaxError(f"kernels do not know {name}")

    def of_attribute(self, node: ast.Attribute) -> Any:
        of = self.value(node.value)
        if isinstance(of, ir.Value):
            raise SyntaxError(f"kernels cannot have: {ast.unparse(node)}")
        return getattr(of, node.attr)

    def of_tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(part) for part in node.elts)

    def place(self, node: ast.Subscript) -> Any:
        """Where an element is."""
        pointer, at = self.value(node.value), self.value(node.slice)
        if not isinstance(getattr(pointer, "type", None), ir.PointerType):
            raise TypeError("only pointers have subscripts")
        if isinstance(at, int) and at < 0:
            raise IndexError("subscripts do not count from the end")
        return self.builder.gep(pointer, [self.convert(at, INT)])

    def loaded(self, place: Any) -> Any:
        """An element, as a double or an integer."""
        found = self.builder.load(place)
        return self.convert(found, INT if isinstance(found.type, ir.IntType) else DOUBLE)

    def of_subscript(self, node: ast.Subscript) -> Any:
        return self.loaded(self.place(node))

    def of_unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            test = self.truth(node.operand)
            return self.builder.not_(test) if isinstance(test, ir.Value) else not test
        if not isinstance(node.op, ast.USub):
            raise SyntaxError(f"kernels cannot have: {ast.unparse(node)}")
        value: Any = self.value(node.operand)
        if not isinstance(value, ir.Value):
            return -value
        value = self.value_of(value)
        if value.type in (DOUBLE, VECTOR):
            return self.builder.fneg(value)
        return self.builder.neg(self.convert(value, INT))

    def of_binop(self, node: ast.BinOp) -> Any:
        return self.binary(node.op, self.value(node.left), self.value(node.right))

    def binary(self, sign: ast.operator, left: Any, right: Any) -> Any:
        """left sign right."""
        if type(sign) not in _SIGNS:
            raise SyntaxError(f"kernels cannot have: {type(sign).__name__}")
        whole, real, python = _SIGNS[type(sign)]
        if not isinstance(left, ir.Value) and not isinstance(right, ir.Value):
            return python(left, right)
        kind = self.common(left, right)
        if kind == BOOL and whole not in ("and_", "or_"):
            kind = INT
        if kind == INT and not whole:
            kind = DOUBLE
        left, right = self.convert(left, kind), self.convert(right, kind)
        if kind in (DOUBLE, VECTOR):
            if not real:
                raise TypeError(f"{type(sign).__name__} is for integers only")
            return getattr(self.builder, real)(left, right, flags=self.flags)
        if whole in ("add", "sub", "mul"):
            return getattr(self.builder, whole)(left, right, flags=("nsw",))
        if whole in ("quotient", "remainder"):
            return self.floored(whole, left, right)
        return getattr(self.builder, whole)(left, right)

    def floored(self, which: str, left: Any, right: Any) -> Any:
        """left // right or left % right: as Python rounds, down; the processor rounds to 0."""
        builder, zero = self.builder, ir.Constant(INT, 0)
        remainder = builder.srem(left, right)
        unlike = builder.icmp_signed("<", builder.xor(remainder, right), zero)
        over = builder.and_(unlike, builder.icmp_signed("!=", remainder, zero))
        if which == "quotient":
            return builder.sub(builder.sdiv(left, right), builder.zext(over, INT))
        return builder.add(remainder, builder.select(over, right, zero))

    def common(self, left: Any, right: Any) -> ir.Type:
        """The kind of number that two values can both be."""
        kinds: list[Any] = [self.value_of(one).type for one in (left, right)]
        if not all(kind in _NUMBERS for kind in kinds):
            raise TypeError(f"{kinds[0]} and {kinds[1]} are not both numbers")
        return next(kind for kind in _NUMBERS if kind in kinds)

    def of_compare(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1 or type(node.ops[0]) not in _COMPARISONS:
            raise SyntaxError(f"kernels cannot have: {ast.unparse(node)}")
        left, right = self.value(node.left), self.value(node.comparators[0])
        sign, python = _COMPARISONS[type(node.ops[0])]
        if not isinstance(left, ir.Value) and not isinstance(right, ir.Value):
            return python(left, right)
        return self.compare(sign, left, right)

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        """Whether left sign right; with nan nothing is true but "!="."""
        kind = self.common(left, right)
        if kind == VECTOR:
            raise TypeError("vectors are compared by `where_less`")
        kind = INT if kind == BOOL else kind  # True is 1, not the −1 of a signed bit
        left, right = self.convert(left, kind), self.convert(right, kind)
        if kind == INT:
            return self.builder.icmp_signed(sign, left, right)
        unordered = sign == "!="
        compare = self.builder.fcmp_unordered if unordered else self.builder.fcmp_ordered
        return compare(sign, left, right)

    def of_boolop(self, node: ast.BoolOp) -> Any:
        """Of truth values only: of numbers, Python would return one of the numbers."""
        return self.boolop(node, self.value)

    def boolop(self, node: ast.BoolOp, value_of_part: Callable[[ast.expr], Any]) -> Any:
        """The second operand is looked at only if the first leaves it open."""
        stops = isinstance(node.op, ast.Or)
        result = self.variable(BOOL)
        after = self.entry.append_basic_block("known")
        for place, part in enumerate(node.values):
            value = self.value_of(value_of_part(part))
            if value.type != BOOL:
                raise TypeError("`and` and `or` of numbers are for conditions only")
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
        test = self.truth(node.test)
        if not isinstance(test, ir.Value):
            return self.value(node.body if test else node.orelse)
        yes, no, after = (self.entry.append_basic_block(n) for n in ("yes", "no", "after"))
        self.builder.cbranch(test, yes, no)
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
        if node.keywords:
            raise SyntaxError("arguments are given by their place, not by name")
        arguments = [self.value(argument) for argument in node.args]
        if isinstance(function, Instruction):
            return function.python(self, *arguments)
        if isinstance(function, Function):
            return self.put(function, arguments)
        if isinstance(function, type) and issubclass(function, tuple):
            return function(*arguments)  # a NamedTuple
        raise TypeError(f"kernels cannot call {ast.unparse(node.func)}")


@instruction
def _maximum(emitter: Emitter, a: Any, b: Any) -> Any:
    kind = emitter.common(a, b)
    less = emitter.compare("<", a, b)
    return emitter.builder.select(less, emitter.convert(b, kind), emitter.convert(a, kind))


@instruction
def _minimum(emitter: Emitter, a: Any, b: Any) -> Any:
    kind = emitter.common(a, b)
    less = emitter.compare("<", b, a)
    return emitter.builder.select(less, emitter.convert(b, kind), emitter.convert(a, kind))


@instruction
def _float(emitter: Emitter, a: Any) -> Any:
    return emitter.convert(a, DOUBLE)


_BUILTINS = {"max": _maximum, "min": _minimum, "float": _float}
