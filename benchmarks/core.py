"""The core's speed: this library's backends against each other and against other libraries.

    python -m benchmarks.core [--threads N] [--quick] [--bars] [--cpu-time] [--json FILE]

in an environment with benchmarks/requirements.txt. Contenders take turns on the same problem in the
same process; a time is the median of its rounds, a ratio the median of the rounds' ratios. A turn:

    alternating      one call each, this library and pytorch-crf: what the other one did in between
                     is in the processor's caches
    hot              as many calls as fill 5 ms: the call before left all that is needed there
    cold             one call, after 64 MiB of other memory were read
    training step    the loss and its gradients, between a BiLSTM's forward and backward pass

Only ratios carry over to another machine. On a busy one, --cpu-time leaves out the time in which
this process did not run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

import crf  # noqa: E402
from benchmarks import contenders  # noqa: E402
from benchmarks.contenders import Question  # noqa: E402

assert Path(crf.__file__).is_relative_to(ROOT), f"another crf hides this one: {crf.__file__}"

Shape = tuple[int, int, int]
BARS: list[Shape] = [
    (1, 40, 17), (32, 32, 17), (64, 64, 17), (256, 64, 20), (64, 128, 50), (16, 512, 17),
]  # fmt: skip
GROWTH: dict[str, list[Shape]] = {
    "B": [(B, 64, 17) for B in (1, 4, 16, 64, 256)],
    "L": [(8, L, 17) for L in (16, 64, 256, 1024, 4096)],
    "S": [(16, 64, S) for S in (5, 8, 17, 32, 64, 128)],
}
QUESTIONS = ("nll", "viterbi", "decode", "marginals")
LARGEST_TABLE = 5_000_000  # B · L · S², for those that keep one matrix for each step
OTHERS = {"pytorch-crf": contenders.pytorch_crf, "torch-struct": contenders.torch_struct}
EVERYONE = ("kernels", "plain", "scan", *OTHERS)


clock = time.perf_counter


elsewhere = torch.zeros(2**24)  # 64 MiB


def timed(question: Question, turn: str) -> float:
    """Seconds a call takes."""
    calls, start, at_least = 0, clock(), 0.0
    if turn == "hot":
        question()
        start, at_least = clock(), 0.005
    elif turn == "cold":
        elsewhere.add_(1)
        start = clock()
    while True:
        question()
        calls += 1
        spent = clock() - start
        if spent >= at_least:
            return spent / calls


def take_turns(
    questions: dict[str, Question], rounds: int, seconds: float, turn: str
) -> dict[str, Any]:
    """Median milliseconds of each contender, and the median of its time over "kernels"'s."""
    times: dict[str, list[float]] = {name: [] for name in questions}
    for question in questions.values():
        question()
        question()
    start = time.perf_counter()
    while len(times["kernels"]) < 3 or (
        len(times["kernels"]) < rounds and time.perf_counter() - start < seconds
    ):
        for name, question in questions.items():
            times[name].append(timed(question, turn))
    return summary(times)


def summary(times: dict[str, list[float]]) -> dict[str, Any]:
    """Each contender's median, and the median of the rounds' ratios."""
    return {
        name: {
            "ms": 1e3 * statistics.median(taken),
            "ratio": statistics.median(
                t / own for t, own in zip(taken, times["kernels"], strict=True)
            ),
            "rounds": len(taken),
        }
        for name, taken in times.items()
    }


def training_step(rounds: int, seconds: float, names: tuple[str, ...]) -> dict[str, Any]:
    """Loss and gradients of emissions that an encoder has just made, B = 32, L to 45, S = 17."""
    B, L, S, width = 32, 45, 17, 256
    given = contenders.problem(B, L, S)
    encoder = torch.nn.LSTM(width, width, batch_first=True, bidirectional=True)
    head = torch.nn.Linear(2 * width, S)
    words = torch.randn(B, L, width)
    models = {
        name: contenders.their_loss(given) if name == "pytorch-crf" else contenders.our_loss(given)
        for name in names
    }
    times: dict[str, list[float]] = {name: [] for name in names}
    start = time.perf_counter()
    while len(times["kernels"]) < 3 or (
        len(times["kernels"]) < rounds and time.perf_counter() - start < seconds
    ):
        for name, loss in models.items():
            emissions = head(encoder(words)[0])
            leaf = emissions.detach().requires_grad_()
            begun = clock()
            loss(leaf).backward()
            times[name].append(clock() - begun)
            emissions.backward(leaf.grad)
    return summary({name: taken[1:] for name, taken in times.items()})


def compare(
    shape: Shape,
    rounds: int,
    seconds: float,
    names: tuple[str, ...] = EVERYONE,
    turn: str = "alternating",
) -> dict[str, Any]:
    """Every question, to every contender of those named that can answer it."""
    B, L, S = shape
    given = contenders.problem(*shape)
    if B * L * S * S > LARGEST_TABLE:
        names = tuple(name for name in names if name not in ("scan", "torch-struct"))
    asked = {}
    for name in names:
        try:
            asked[name] = OTHERS[name](given) if name in OTHERS else contenders.ours(given, name)
        except ImportError:
            print(f"{name} is not installed: see benchmarks/requirements.txt", file=sys.stderr)
    return {
        question: take_turns(
            {name: can[question] for name, can in asked.items() if question in can},
            rounds,
            seconds,
            turn,
        )
        for question in QUESTIONS
    }


def slope(sizes: list[int], times: list[float]) -> float:
    """The exponent p of time ∝ size^p, by least squares over the larger half of the sizes."""
    half = len(sizes) // 2
    logs = [(math.log(n), math.log(t)) for n, t in zip(sizes, times, strict=True)][half:]
    return statistics.linear_regression(*zip(*logs, strict=True)).slope


def growth(rounds: int, seconds: float) -> dict[str, Any]:
    """How each question's time grows with each size, the others fixed, beside pytorch-crf's."""
    found = {}
    for axis, shapes in GROWTH.items():
        sizes = [shape["BLS".index(axis)] for shape in shapes]
        rows = [compare(shape, rounds, seconds, ("kernels", "pytorch-crf")) for shape in shapes]
        found[axis] = {"sizes": sizes} | {
            question: {
                "exponent": slope(sizes, [row[question]["kernels"]["ms"] for row in rows]),
                "rows": [row[question] for row in rows],
            }
            for question in QUESTIONS
        }
    return found


def peak_memory(shape: Shape) -> dict[str, float]:
    """MiB that NLL and gradients add to a fresh process, per contender."""
    command = [sys.executable, "-m", "benchmarks.core", "--memory", *map(str, shape), "--of"]
    return {
        name: float(
            subprocess.run(
                [*command, name], cwd=ROOT, check=True, capture_output=True, text=True
            ).stdout
        )
        for name in ("kernels", "plain", *OTHERS)
    }


def added_memory(shape: Shape, name: str) -> float:
    """MiB that NLL and gradients add to this process at their peak, once a tiny problem is done."""

    def ask(shape: Shape) -> None:
        given = contenders.problem(*shape)
        can = OTHERS[name](given) if name in OTHERS else contenders.ours(given, name)
        can["nll"]()

    ask((2, 4, 3))
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far: imports, the compiler
    before = memory("VmRSS")
    ask(shape)
    return memory("VmHWM") - before


def memory(what: str) -> float:
    """MiB of this process, as Linux counts them: VmRSS now, VmHWM at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(what))) / 1024


def machine(threads: int) -> dict[str, Any]:
    """Where and with what this was measured."""

    def version_of(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    cpuinfo = Path("/proc/cpuinfo")
    names = (
        [x for x in cpuinfo.read_text().splitlines() if "model name" in x]
        if cpuinfo.exists()
        else []
    )
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    packages = ("torch", "numpy", "pytorch-crf", "torch-struct")
    return {
        "cpu": names[0].split(":")[1].strip() if names else platform.processor(),
        "cores": os.cpu_count(),
        "threads": threads,
        "load_average": os.getloadavg()[0],
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {package: version_of(package) for package in packages},
        "commit": commit,
    }


def geometric_mean(ratios: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


def one_line(cells: dict[str, Any]) -> str:
    return "  ".join(
        f"{name} {cells[name]['ms']:.3g} ({cells[name]['ratio']:.3g}×)" for name in cells
    )


def report_rows(rows: list[dict[str, Any]], question: str) -> None:
    """Print a line for each problem, and the mean ratios."""
    for row in rows:
        print(f"  {question:>9} {tuple(row['shape'])!s:>16}  {one_line(row[question])}")
    for name in OTHERS:
        ratios = [row[question][name]["ratio"] for row in rows if name in row[question]]
        if len(ratios) > 1:
            mean = geometric_mean(ratios)
            print(f"  {name}: geometric mean {mean:.1f}×, least {min(ratios):.1f}×")


def report(results: dict[str, Any]) -> None:
    """Print the results as tables."""
    print(json.dumps(results["machine"]))
    print(results["clock"])
    runs = {"alternating": "shapes", "hot": "hot", "alternating with all others": "everyone"}
    for turn, rows in ((turn, results.get(name, [])) for turn, name in runs.items()):
        for question in QUESTIONS:
            print(f"\n{question}, {turn}: ms (times the kernels's time)")
            report_rows(rows, question)
    print("\nB = 1, cold: ms (times the kernels's time)")
    for question in QUESTIONS:
        report_rows([results["cold"]], question)
    print("\nin a training step, loss and gradients: ms (times the kernels's time)")
    print("  " + one_line(results["training_step"]))
    for axis, found in results["growth"].items():
        for question in QUESTIONS:
            print(f"\n{question}, kernels: time ∝ {axis}^{found[question]['exponent']:.2f}")
            for size, row in zip(found["sizes"], found[question]["rows"], strict=True):
                times = (
                    f"{name} {cell['ms']:.3g} ({cell['ratio']:.3g}×)" for name, cell in row.items()
                )
                print(f"  {axis} = {size:<5} " + "  ".join(times))
    if "peak_memory_mib" in results:
        print("\npeak memory of nll, MiB above the start:", results["peak_memory_mib"])


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, no memory")
    parser.add_argument("--bars", action="store_true", help="no growth, no memory")
    parser.add_argument("--cpu-time", action="store_true", help="time of this process only")
    parser.add_argument("--json", type=Path, help="also write the results there")
    parser.add_argument("--memory", type=int, nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.cpu_time:
        global clock
        clock = time.process_time
    if options.memory:
        print(added_memory(tuple(options.memory), options.of))
        return
    rounds, seconds = (5, 2.0) if options.quick else (25, 10.0)
    results: dict[str, Any] = {"machine": machine(options.threads), "shapes": [], "growth": {}}
    results["clock"] = "processor time" if options.cpu_time else "wall time"
    peers = ("kernels", "pytorch-crf")
    for shape in BARS:
        results["shapes"].append({"shape": shape, **compare(shape, rounds, seconds, peers)})
    results["hot"] = [
        {"shape": shape, **compare(shape, rounds, seconds / 2, peers, "hot")} for shape in BARS
    ]
    shape = BARS[0]
    results["cold"] = {"shape": shape, **compare(shape, rounds, seconds / 2, peers, "cold")}
    results["training_step"] = training_step(2 * rounds, 4 * seconds, peers)
    if not options.bars:
        results["everyone"] = [
            {"shape": shape, **compare(shape, rounds, seconds)} for shape in BARS[:3]
        ]
        results["growth"] = growth(rounds, seconds / 5)
    if not (options.quick or options.bars):
        results["peak_memory_mib"] = {"shape": (64, 128, 50), **peak_memory((64, 128, 50))}
    report(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
