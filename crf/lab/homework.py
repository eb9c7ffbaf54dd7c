"""Call the functions of a homework: in this process, or as a script in a process of its own.

As a script (`python homework.py FILE`) it imports nothing of this library, reads one line of JSON
for each call and writes one for each answer. What the homework prints goes to standard error.
"""

import contextlib
import inspect
import io
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
_SCORES = ("emissions", "transitions", "start", "end")


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


def is_batched(function: Callable[..., Any]) -> bool:
    """Whether a function takes a batch: its last argument is called `mask`."""
    return "mask" in inspect.signature(function).parameters


def describe(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a homework has: its kind, for each function whether it takes a batch, options.

    The options are those of `crf.lab.check`, as the file says them in a dictionary CHECK_WITH.
    """
    options = namespace.get("CHECK_WITH")
    options = options if isinstance(options, dict) else {}
    return {
        "options": {str(name): str(value) for name, value in options.items()},
        "kind": kind_of(namespace),
        "functions": {name: is_batched(each) for name, each in functions_of(namespace).items()},
    }


def call(
    function: Callable[..., Any], arguments: dict[str, Any], kind: str, autograd: bool = False
) -> dict[str, Any]:
    """Call a function with fresh copies of the arguments: lists, arrays or tensors, by `kind`.

    Returns:
        Either `value`, as lists and numbers, with `mutated`, the arguments that were changed; or
        `error`, a sentence, with `exception`, its type. `{"missing": True}` if it is not written.
        With `autograd`, the value is the gradient of its answer by automatic differentiation.
    """
    given = {name: _converted(name, value, kind) for name, value in arguments.items()}
    if autograd:
        for name in _SCORES:
            given[name].requires_grad_()
    try:
        value = function(**given)
        if autograd:
            value.sum().backward()
            value = [given[name].grad for name in _SCORES]
            if any(grad is None for grad in value):
                return {"error": "no gradient reaches the scores: is something detached?"}
        value = plain(value)
    except NotImplementedError:
        return {"missing": True}
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
    return plain(value)


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
    own = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) != Path(__file__) and "site-packages" not in frame.filename
    ]  # fmt: skip
    where = f", in line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else ""
    return f"{type(error).__name__}: {str(error) or 'no message'}{where}"[:500]


def _refuse(*args: object, **kwargs: object) -> None:
    raise OSError("a homework has no network while it is checked")


def main(path: str) -> None:
    """Answer calls until the input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the homework prints is kept apart

    def send(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=out, flush=True)

    sys.path[0] = str(Path(path).resolve().parent)
    socket.socket.connect = _refuse  # type: ignore[method-assign]  # no sandbox: it fails at once
    try:
        namespace = runpy.run_path(path, run_name="homework_under_check")
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
