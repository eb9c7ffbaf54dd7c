"""Faults drawn at random, one operator or number each, outside the core: the tests must notice.

    python -m tests.drawn_mutants [--seed 1] [--each 25] [--jobs N] [PART …]

For each part (kernels, tagger, course, figures, ui, lessons, javascript) so many faults are drawn,
put into a copy of the repository one at a time; that part's tests run until the first failure. A
fault that survives is printed with its place: either a test is missing, or the fault changes
nothing that anybody could notice (a size in pixels, a cache's length). The core's own faults are
chosen by hand, in `tests.mutants`.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LEAST, MOST = 400, 1800  # seconds for one fault: three times what it takes without one
OPERATORS = {  # as they are written, and what they become
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"), ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
SCRIPT = {"===": "!==", "!==": "===", " && ": " || ", " || ": " && ", " < ": " >= ", " > ": " <= "}
SCRIPT |= {" + ": " - ", " - ": " + "}


class Part(NamedTuple):
    """Files that faults are put into, and the tests that must notice."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


PARTS = {
    "kernels": Part(
        ("crf/kernels/*.py", "crf/engines.py", "crf/differentiable.py"), ("tests/kernels",)
    ),
    "tagger": Part(("crf/tagger/*.py",), ("tests/tagger", "crf/tagger")),
    "course": Part(("pages/shared/course/**/*.py",), ("tests/course", "pages/shared/course")),
    "figures": Part(
        ("crf/figures/**/*.py", "pages/shared/figures/*.py"), ("tests/figures", "tests/lessons")
    ),
    "ui": Part(("pages/shared/ui/*.py",), ("tests/ui", "tests/lessons")),
    "lessons": Part(("pages/[a-rt-z]*/*.py", "pages/s[ct]*/*.py"), ("tests/lessons",)),
    "javascript": Part(
        ("crf/figures/**/*.js", "pages/**/*.js"), ("tests/test_javascript.py", "tests/browser")
    ),
}


class Fault(NamedTuple):
    """What stands at a place of a file, and what is put there."""

    file: str
    line: int
    start: int
    old: str
    new: str


def python_faults(path: Path) -> Iterator[Fault]:
    """Every operator and small number of a module that can be changed on its own line."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    name = path.relative_to(ROOT).as_posix()

    def between(left: ast.expr, right: ast.expr, kind: type) -> Iterator[Fault]:
        if left.end_lineno != right.lineno or left.end_col_offset is None:
            return
        line = lines[right.lineno - 1].encode()
        gap = line[left.end_col_offset : right.col_offset].decode()
        sign, other = OPERATORS[kind]
        if sign in gap:
            at = len(line[: left.end_col_offset].decode()) + gap.index(sign)
            yield Fault(name, right.lineno, at, sign, other)

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.comparators[0], type(node.ops[0]))
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            yield from between(node.left, node.right, type(node.op))
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], type(node.op))
        elif isinstance(node, ast.Constant) and type(node.value) is int and node.value in (0, 1, 2):
            line = lines[node.lineno - 1].encode()
            at = len(line[: node.col_offset].decode())
            yield Fault(name, node.lineno, at, str(node.value), str(node.value + 1))


def script_faults(path: Path) -> Iterator[Fault]:
    """Every operator of a component's script."""
    name = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.lstrip().startswith("//"):
            continue
        for old, new in SCRIPT.items():
            for match in re.finditer(re.escape(old), line):
                yield Fault(name, number, match.start(), old, new)


def draw(part: str, count: int, seed: int) -> list[Fault]:
    """So many faults of a part, the same for the same seed."""
    paths = sorted({path for glob in PARTS[part].files for path in ROOT.glob(glob)})
    paths = [path for path in paths if path.name != "__init__.py"]
    found = [
        fault
        for path in paths
        for fault in (script_faults if path.suffix == ".js" else python_faults)(path)
    ]
    return random.Random(f"{part}{seed}").sample(found, min(count, len(found)))


def put(fault: Fault, copy: Path) -> str:
    """Put a fault into a copy; the text that the file had."""
    path = copy / fault.file
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    line = lines[fault.line - 1]
    end = fault.start + len(fault.old)
    assert line[fault.start : end] == fault.old, fault
    lines[fault.line - 1] = line[: fault.start] + fault.new + line[end:]
    path.write_text("\n".join(lines), encoding="utf-8")
    return text


def tests(part: str, file: str) -> list[str]:
    """The part's tests, the likeliest to fail first: the file's examples, those that name it.

    Of a script first those that draw components by themselves: they take seconds, not minutes.
    """
    found = []
    for name in PARTS[part].tests:
        path = ROOT / name
        found += [path] if path.is_file() else sorted(path.rglob("*.py"))
    word = re.compile(rf"\b{Path(file).stem}\b")
    found = [path for path in found if path.name not in ("conftest.py", "__init__.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in found}
    alone = "browser.mounted import" if file.endswith(".js") else ""
    found.sort(key=lambda path: (alone not in texts[path], not word.search(texts[path])))
    has_examples = file.endswith(".py") and Path(file).name not in ("page.py", "router.py")
    return [file] * has_examples + [path.relative_to(ROOT).as_posix() for path in found]


def run(part: str, copy: Path, file: str = "", limit: float = MOST) -> str:
    """The part's tests in a copy: killed, SURVIVED, or HANGS."""
    quick = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests(part, file)]
    environment = os.environ | {
        "PYTHONPATH": str(copy), "HYPOTHESIS_PROFILE": "quick", "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *quick],
            cwd=copy, env=environment, capture_output=True, timeout=limit, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "HANGS"
    return "SURVIVED" if done.returncode == 0 else "killed"


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="by default all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=25, help="faults of each part")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    parts = options.parts or list(PARTS)
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(options.jobs):
            copy = Path(folder) / str(k)
            for name in filter(None, tracked):
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, copy / name)
            copies.put(copy)

        def tried(part: str, fault: Fault, limit: float) -> str:
            copy = copies.get()
            before = put(fault, copy)
            try:
                return run(part, copy, fault.file, limit)
            finally:
                (copy / fault.file).write_text(before, encoding="utf-8")
                copies.put(copy)

        survived = 0
        with ThreadPoolExecutor(options.jobs) as pool:
            for part in parts:
                begun = time.perf_counter()
                if (outcome := run(part, Path(folder) / "0")) != "SURVIVED":
                    print(f"{part}: its tests do not pass without a fault ({outcome})", flush=True)
                    survived += 1
                    continue
                limit = min(max(3 * (time.perf_counter() - begun), LEAST), MOST)
                begun, faults = time.perf_counter(), draw(part, options.each, options.seed)
                lost = 0
                outcomes = pool.map(lambda f, p=part, s=limit: tried(p, f, s), faults)
                for fault, outcome in zip(faults, outcomes, strict=True):
                    if outcome == "SURVIVED":  # said at once: a part takes long
                        lost += 1
                        where = f"{fault.file}:{fault.line}"
                        print(f"  {where}: {fault.old.strip()} → {fault.new.strip()}", flush=True)
                survived += lost
                seconds = time.perf_counter() - begun
                killed = f"{len(faults) - lost} of {len(faults)} killed"
                print(f"{part}: {killed} in {seconds:.0f} s", flush=True)
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
