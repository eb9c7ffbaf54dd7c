"""Call the functions of a homework: in this process, or as a script in a process of its own.

As a script (`python homework.py FILE`) it imports nothing of this library, reads one line of JSON
for each call and writes one for each answer. What the homework prints goes to standard error.
"""

import contextlib
import copy
import importlib.util
import inspect
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FUNCTIONS = ("score", "forward", "nll", "viterbi", "backward", "marginals", "gradients")


def functions_of(namespace: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions that can be checked, by name."""
    return {name: namespace[name] for name in FUNCTIONS if inspect.isfunction(namespace.get(name))}


def kind_of(namespace: Mapping[str, Any]) -> str:
    """Return in which form a homework wants its arguments: "torch", "numpy" or "lists".

    That is the library that it has imported.
    """
    modules = {
        getattr(value, "__name__", "").split(".")[0]
        for value in namespace.values()
        if inspect.ismodule(value)
    }
    origins = {getattr(value, "__module__", None) or "" for value in namespace.values()}
    modules |= {str(name).split(".")[0] for name in origins}
    return next((name for name in ("torch", "numpy") if name in modules), "lists")


def is_batched(function: Callable[..., Any]) -> bool:
    """Whether a function takes a batch: its last argument is called `mask`."""
    return "mask" in inspect.signature(function).parameters


def describe(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a homework has: its kind, for each function whether it takes a batch, options.

    The options are those of `crf.lab.check`, as the file says them in a dictionary CHECK_WITH.
    """
    functions = functions_of(namespace)
    options = namespace.get("CHECK_WITH")
    return {
        "options": {str(k): str(v) for k, v in options.items()}
        if isinstance(options, dict)
        else {},
        "kind": kind_of(namespace),
        "functions": {name: is_batched(function) for name, function in functions.items()},
    }


def call(
    function: Callable[..., Any], arguments: dict[str, Any], kind: str, autograd: bool = False
) -> dict[str, Any]:
    """Call a function with fresh arguments.

    Args:
        function: The homework's.
        arguments: By name, as lists.
        kind: "torch", "numpy" or "lists".
        autograd: Whether to give the gradient of its answer by automatic differentiation instead.

    Returns:
        Either `value`, as lists and numbers, with `mutated`, the arguments that were changed; or
        `error`, a sentence, with `exception`, its type. `{"missing": True}` if it is not written.
    """
    given = {name: _converted(name, value, kind) for name, value in arguments.items()}
    if autograd:
        for name in ("emissions", "transitions", "start", "end"):
            given[name].requires_grad_()
    try:
        value = function(**given)
        if autograd:
            value.sum().backward()
            value = [given[name].grad for name in ("emissions", "transitions", "start", "end")]
            if any(grad is None for grad in value):
                return {"error": "no gradient reaches the scores: is something detached?"}
        value = plain(value)
    except NotImplementedError:
        return {"missing": True}
    except TypeError as error:
        return {"error": _sentence(error), "exception": type(error).__name__}
    except (Exception, SystemExit) as error:
        return {"error": _sentence(error), "exception": type(error).__name__}
    changed = [name for name in arguments if not autograd and plain(given[name]) != arguments[name]]
    return {"value": value, "mutated": changed}


def _converted(name: str, value: Any, kind: str) -> Any:
    if kind == "torch":
        import torch

        whole = {"tags": torch.long, "mask": torch.bool}
        return torch.tensor(value, dtype=whole.get(name, torch.float64))
    if kind == "numpy":
        import numpy as np

        return np.array(value, dtype={"tags": int, "mask": bool}.get(name, float))
    return copy.deepcopy(value)


def plain(value: Any) -> Any:
    """Return tensors, arrays, tuples and lists as lists, and what stands in them as numbers.

    Raises:
        TypeError: It is something else.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bool | int | float):
        return value
    hint = "; does the function return its answer?" if value is None else ""
    raise TypeError(
        f"expected numbers in lists, arrays or tensors, got {type(value).__name__}{hint}"
    )


def _sentence(error: BaseException) -> str:
    """What went wrong, and where in the homework."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename) != Path(__file__)]
    own = [frame for frame in inside if "site-packages" not in frame.filename]
    where = f", in line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else ""
    return f"{type(error).__name__}: {str(error) or 'no message'}{where}"[:500]


def load(path: str) -> dict[str, Any]:
    """Run the file of a homework and return its names."""
    spec = importlib.util.spec_from_file_location("homework_under_check", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


def _refuse_network() -> None:
    """Let an accidental download fail at once; this is no sandbox."""
    import socket

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError("a homework has no network while it is checked")

    socket.socket.connect = refuse  # type: ignore[method-assign]


def main(path: str) -> None:
    """Answer calls until the input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the homework prints is kept apart

    def send(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=out, flush=True)

    sys.path[0] = str(Path(path).resolve().parent)
    _refuse_network()
    try:
        namespace = load(path)
    except BaseException as error:
        send({"error": _sentence(error)})
        return
    functions = functions_of(namespace)
    send(describe(namespace))
    for line in sys.stdin:
        asked = json.loads(line)
        name = asked.pop("function")
        send(call(functions[name], **asked))


def call_here(function: Callable[..., Any], **asked: Any) -> dict[str, Any]:
    """Call a function in this process; what it prints is dropped."""
    with contextlib.redirect_stdout(io.StringIO()):
        return call(function, **asked)


if __name__ == "__main__":
    main(sys.argv[1])
