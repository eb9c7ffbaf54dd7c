"""Call the functions of a homework: in this process, or as a script in a process of its own.

As a script (`python -P homework.py FILE`) it imports nothing of this library, reads one line of
JSON for each call and writes one for each answer. What the homework prints goes to standard error.
"""

import contextlib
import inspect
import json
import os
import runpy
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FUNCTIONS = ("score", "forward", "nll", "viterbi", "backward", "marginals", "gradients")
TRAINING = ("viterbi", "gradients")  # those that a training needs
ARGUMENTS = ("emissions", "tags", "transitions", "start", "end", "mask")
LARGEST_BITS = 1023  # of a whole number that fits a float
ANSWER_LIMIT = 2_000_000  # characters of JSON; 2,000 tokens take 200,000
_TAGGED = ("score", "nll", "gradients")  # the functions that take the right tags
_SCORES = ("emissions", "transitions", "start", "end")
_GIB = 2**30
_LIMITS = {"RLIMIT_DATA": 4 * _GIB, "RLIMIT_FSIZE": 10_000_000, "RLIMIT_CORE": 0}  # bytes
_NUMBERS_ONLY = "expected numbers in lists, arrays or tensors, got "


def arguments_of(function: str, batched: bool) -> list[str]:
    """Return the names of a function's arguments, in order."""
    has = {"tags": function in _TAGGED, "mask": batched}
    return [name for name in ARGUMENTS if has.get(name, True)]


def functions_of(namespace: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions that can be checked, by name."""
    return {name: namespace[name] for name in FUNCTIONS if inspect.isfunction(namespace.get(name))}


def kind_of(namespace: Mapping[str, Any]) -> str:
    """Return the kind of a homework's arguments: "torch", "numpy" or "lists".

    It is the library that the homework has imported, or has a name from.
    """
    origins = [
        value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
        for value in namespace.values()
    ]
    modules = {str(origin).partition(".")[0] for origin in origins}
    return next((name for name in ("torch", "numpy") if name in modules), "lists")


def is_batched(name: str, function: Callable[..., Any]) -> bool:
    """Whether a function takes a batch: it has a `mask`, or one argument more under other names."""
    parameters = inspect.signature(function).parameters
    needed = [each for each in parameters.values() if each.default is each.empty]
    needed = [
        each for each in needed if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return "mask" in parameters or len(needed) == len(arguments_of(name, batched=True))


def describe(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a homework has: its kind, for each function whether it takes a batch, options.

    The options are those of `crf.lab.check`, as the file says them in a dictionary CHECK_WITH.

    Raises:
        TypeError: CHECK_WITH is no dictionary.
    """
    options, functions = namespace.get("CHECK_WITH", {}), functions_of(namespace)
    if not isinstance(options, dict):
        kind = type(options).__name__
        raise TypeError(f"CHECK_WITH: expected a dictionary, got {kind}; write {{'space': 'log'}}")
    return {
        "options": {str(name): str(value) for name, value in options.items()},
        "kind": kind_of(namespace),
        "functions": {name: is_batched(name, each) for name, each in functions.items()},
    }


def call(
    function: Callable[..., Any], arguments: dict[str, Any], kind: str, autograd: bool = False
) -> dict[str, Any]:
    """Call a function with fresh copies of the arguments: lists, arrays or tensors, by `kind`.

    Args:
        function: The function. Its arguments are given by name, or by position where it has other
            names for them.
        arguments: By name, in order.
        kind: "lists", "numpy" or "torch".
        autograd: Ask for the gradient of its answer by automatic differentiation instead.

    Returns:
        Either `value`, as lists and numbers, with `mutated`, the arguments that were changed; or
        `error`, a sentence, with `exception`, its type. `{"missing": True}` if it is not written.
        With `by_position`, True, where the arguments were given so.
    """
    by_position: dict[str, Any] = {}
    copies = {name: _converted(name, value, kind) for name, value in arguments.items()}
    if autograd:
        for name in _SCORES:
            copies[name].requires_grad_()
    try:
        if not _binds(function, **copies):
            _check_names(function, list(copies))
            by_position = {"by_position": True}
        value = function(*copies.values()) if by_position else function(**copies)
        if autograd:
            value.sum().backward()
            value = [copies[name].grad for name in _SCORES]
            if any(grad is None for grad in value):
                return {"error": "no gradient reaches the scores: is something detached?"}
        value = plain(value)
    except NotImplementedError:
        return {"missing": True}
    except (Exception, SystemExit) as error:
        return {"error": sentence(error), "exception": type(error).__name__, **by_position}
    changed = [name for name in arguments if not autograd and _changed(copies, arguments, name)]
    return {"value": value, "mutated": changed, **by_position}


def _binds(function: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
    """Whether a function can be called with these arguments."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _check_names(function: Callable[..., Any], names: list[str]) -> None:
    """Refuse a function that can be called neither by name nor by position.

    A name that stands at another's place says that the order is another one, too.
    """
    own = list(inspect.signature(function).parameters)
    moved = any(a != b and a in names for a, b in zip(own, names, strict=False))
    if moved or not _binds(function, *names):
        order, got = ", ".join(names), ", ".join(own) or "none"
        raise TypeError(f"expected the arguments {order}, got {got}; keep these names")


def _changed(copies: dict[str, Any], arguments: dict[str, Any], name: str) -> bool:
    """Whether a function has changed an argument, perhaps to something that is no number."""
    try:
        return plain(copies[name]) != arguments[name]
    except (TypeError, ValueError, RecursionError):
        return True


def _converted(name: str, value: Any, kind: str) -> Any:
    if kind == "torch":
        import torch

        whole = {"tags": torch.long, "mask": torch.bool}
        return torch.tensor(value, dtype=whole.get(name, torch.float64))
    if kind == "numpy":
        import numpy as np

        return np.array(value, dtype={"tags": int, "mask": bool}.get(name, float))
    return plain(value)


def plain(value: Any) -> Any:
    """Return tensors, arrays, tuples and lists as lists, and what stands in them as numbers.

    Raises:
        TypeError: It is something else.
        ValueError: It is a whole number that no float can hold.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        raise ValueError(f"{_NUMBERS_ONLY}a whole number of {value.bit_length()} bits")
    if isinstance(value, bool | int | float):
        return value
    hint = "; does the function return its answer?" if value is None else ""
    raise TypeError(f"{_NUMBERS_ONLY}{type(value).__name__}{hint}")


def sentence(error: BaseException) -> str:
    """Return what went wrong, and where in the homework."""
    try:
        message = str(error) or "no message"
    except Exception:  # its own __str__ fails
        message = "no message"
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) != Path(__file__) and "site-packages" not in frame.filename
    ]
    where = f", in line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else ""
    return f"{type(error).__name__}: {message[:300]}{where}"[:500]


def _refuse(*args: object, **kwargs: object) -> None:
    raise OSError("a homework has no network while it is checked")


def _limit_resources() -> None:
    """Bound the memory, the size of a file and the core dump, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, most in _LIMITS.items():
        with contextlib.suppress(ValueError, OSError):  # it is bounded more tightly already
            resource.setrlimit(getattr(resource, name), (most, most))


def main(path: str) -> None:
    """Answer calls until the input ends."""
    calls, out = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # input() finds nothing
    os.dup2(2, 1)  # what the homework prints is kept apart
    own_process = os.getpid()

    def send(answer: dict[str, Any]) -> None:
        if os.getpid() != own_process:  # the homework has forked
            os._exit(0)
        line = json.dumps(answer)
        if len(line) > ANSWER_LIMIT:
            line = json.dumps({"error": f"its answer is too large: {len(line):,} characters"})
        print(line, file=out, flush=True)

    _limit_resources()
    socket.socket.connect = _refuse  # type: ignore[method-assign]  # no sandbox: it fails at once
    try:
        namespace = runpy.run_path(path, run_name="homework_under_check")
        functions = functions_of(namespace)
        send(describe(namespace))
    except BaseException as error:
        send({"error": sentence(error)})
        return
    for line in calls:
        request = json.loads(line)
        name = request.pop("function")
        try:
            send(call(functions[name], **request))
        except BaseException as error:  # as KeyboardInterrupt, or no memory for the answer
            send({"error": sentence(error), "exception": type(error).__name__})


def call_here(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """Call a function in this process; what it prints is dropped."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        return call(function, **options)


if __name__ == "__main__":
    main(sys.argv[1])
