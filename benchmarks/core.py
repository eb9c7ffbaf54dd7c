"""The core's speed: this library against itself and others, and against the bars it is held to.

    python -m benchmarks.core [--bars] [--quick] [--threads N] [--cpu-time] [--json FILE]

in an environment with benchmarks/requirements.txt. Contenders take turns on the same problem in the
same process. In a warm turn each asks for 5 ms, as a training loop does; in a cold one it asks
once, after the others have filled the processor's caches. A time is the median of the rounds, a
ratio the median of the rounds' ratios. Further measures:

    training step   the loss and its gradients, between a BiLSTM's forward and backward pass
    two threads     this library's loss and gradients with one thread and with two
    first call      new processes: importing crf, the first loss and the second one, after torch

Only ratios carry over to another machine. On a busy one, --cpu-time leaves out the time in which
this process did not run. --bars asks pytorch-crf alone, --quick fewer rounds.
"""

from __future__ import annotations

import argparse
import json
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
SHAPES: list[Shape] = [
    (1, 40, 17), (32, 32, 17), (64, 64, 17), (256, 64, 20), (64, 128, 50), (16, 512, 17),
]  # fmt: skip
LARGEST_TABLE = 5_000_000  # B · L · S², for those that keep one matrix for each step
OTHERS = {"pytorch-crf": contenders.pytorch_crf, "torch-struct": contenders.torch_struct}
TURNS = {"warm": 0.005, "cold": 0.0}  # seconds that a turn lasts at least
QUESTIONS = ("nll", "viterbi", "decode", "marginals")
BARS = {"nll": (38, 20), "viterbi": (45, 18), "decode": (30, 0)}  # geometric mean, and least
STEP_BAR, THREADS_BAR, FIRST_CALL_BAR, IMPORT_BAR = 16, 1.6, 5, 100
FIRST_CALL = """
import json, time, torch
torch.set_num_threads(1)
marks = [time.perf_counter()]
import crf
model, emissions = crf.ChainCRF(17), torch.randn(8, 20, 17, requires_grad=True)
tags = torch.randint(17, (8, 20))
marks.append(time.perf_counter())
for _ in range(2):
    model(emissions, tags).backward()
    marks.append(time.perf_counter())
print(json.dumps([1e3 * (b - a) for a, b in zip(marks, marks[1:])]))
"""
clock = time.perf_counter


def timed(question: Question, at_least: float) -> float:
    """Seconds a call takes, in a turn that lasts at least so long."""
    if at_least:
        question()
    calls, start, spent = 0, clock(), 0.0
    while not calls or spent < at_least:
        question()
        calls, spent = calls + 1, clock() - start
    return spent / calls


def take_turns(
    questions: dict[str, Question], rounds: int, seconds: float, at_least: float
) -> dict[str, Any]:
    """Median milliseconds of each contender, and the median of its time over "kernels"'s."""
    times: dict[str, list[float]] = {name: [] for name in questions}
    for question in questions.values():
        question()
        question()
    start = time.perf_counter()
    for round_ in range(rounds):
        if round_ >= 3 and time.perf_counter() - start > seconds:
            break
        for name, question in questions.items():
            times[name].append(timed(question, at_least))
    return summary(times)


def summary(times: dict[str, list[float]]) -> dict[str, Any]:
    """Each contender's median, and the median of the rounds' ratios."""
    own = times["kernels"]
    return {
        name: {
            "ms": 1e3 * statistics.median(taken),
            "ratio": statistics.median(t / mine for t, mine in zip(taken, own, strict=True)),
        }
        for name, taken in times.items()
    }


def compare(shape: Shape, names: tuple[str, ...], *turns: Any) -> dict[str, Any]:
    """Every question, to every contender of those named that can answer it."""
    B, L, S = shape
    given, asked = contenders.problem(*shape), {}
    if B * L * S * S > LARGEST_TABLE:
        names = tuple(name for name in names if name not in ("scan", "torch-struct"))
    for name in names:
        try:
            asked[name] = OTHERS[name](given) if name in OTHERS else contenders.ours(given, name)
        except ImportError:
            print(f"{name} is not installed: see benchmarks/requirements.txt", file=sys.stderr)
    found: dict[str, Any] = {"shape": shape}
    for question in QUESTIONS:
        can = {name: answers[question] for name, answers in asked.items() if question in answers}
        found[question] = take_turns(can, *turns)
    return found


def training_step(rounds: int, names: tuple[str, ...]) -> dict[str, Any]:
    """Loss and gradients of emissions that an encoder has just made, B = 32, L to 45, S = 17."""
    B, L, S, width = 32, 45, 17, 256
    given = contenders.problem(B, L, S)
    encoder = torch.nn.LSTM(width, width, batch_first=True, bidirectional=True)
    head = torch.nn.Linear(2 * width, S)
    words = torch.randn(B, L, width)
    losses = {
        name: contenders.their_loss(given) if name == "pytorch-crf" else contenders.our_loss(given)
        for name in names
        if name in ("kernels", "pytorch-crf")
    }
    times: dict[str, list[float]] = {name: [] for name in losses}
    for _ in range(rounds + 1):
        for name, loss in losses.items():
            emissions = head(encoder(words)[0])
            leaf = emissions.detach().requires_grad_()
            begun = clock()
            loss(leaf).backward()
            times[name].append(clock() - begun)
            emissions.backward(leaf.grad)
    return summary({name: taken[1:] for name, taken in times.items()})


def two_threads(rounds: int) -> float:
    """How much faster two threads are than one, at 256 × 64 × 20, by the wall's clock."""
    nll = contenders.ours(contenders.problem(256, 64, 20), "kernels")["nll"]
    times: dict[int, list[float]] = {1: [], 2: []}
    before = torch.get_num_threads()
    for _ in range(rounds + 1):
        for threads, taken in times.items():
            torch.set_num_threads(threads)
            nll()
            start = time.perf_counter()
            for _ in range(5):
                nll()
            taken.append(time.perf_counter() - start)
    torch.set_num_threads(before)
    return statistics.median(one / two for one, two in zip(times[1][1:], times[2][1:], strict=True))


def first_call(rounds: int) -> dict[str, float]:
    """Milliseconds of the import, and of the first and the second loss, in new processes."""
    taken = [
        subprocess.run(
            [sys.executable, "-c", FIRST_CALL],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for _ in range(rounds)
    ]
    medians = map(statistics.median, zip(*map(json.loads, taken), strict=True))
    return dict(zip(("import", "first", "second"), medians, strict=True))


def machine(options: argparse.Namespace) -> dict[str, Any]:
    """Where and with what this was measured."""

    def version_of(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if "model name" in line]
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return {
        "cpu": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "threads": options.threads,
        "load_average": os.getloadavg()[0],
        "clock": "processor time" if options.cpu_time else "wall time",
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: version_of(name) for name in ("torch", "numpy", *OTHERS)},
        "commit": commit,
    }


def bars(results: dict[str, Any]) -> list[tuple[str, float, float]]:
    """What is measured, its value and its bar; milliseconds have to stay below theirs."""
    found: list[tuple[str, float, float]] = []
    for turn in TURNS:
        for question, (mean, least) in BARS.items():
            ratios = [row[question]["pytorch-crf"]["ratio"] for row in results[turn]]
            title = f"{question}, {turn} turns, times"
            found.append((f"{title}, geometric mean", statistics.geometric_mean(ratios), mean))
            found.append((f"{title}, least", min(ratios), least))
    first = results["first_call"]
    return [
        *found,
        ("training step, times", results["training_step"]["pytorch-crf"]["ratio"], STEP_BAR),
        ("two threads, times", results["two_threads"], THREADS_BAR),
        ("first loss less the second, ms", first["first"] - first["second"], FIRST_CALL_BAR),
        ("import and first loss, ms", first["import"] + first["first"], IMPORT_BAR),
    ]


def report(results: dict[str, Any]) -> None:
    """Print the results as tables."""
    print(json.dumps(results["machine"]))
    for turn in TURNS:
        for question in QUESTIONS:
            print(f"\n{question}, {turn} turns: ms (times the kernels's time)")
            for row in results[turn]:
                cells = (f"{n} {c['ms']:.3g} ({c['ratio']:.3g}×)" for n, c in row[question].items())
                print(f"  {tuple(row['shape'])!s:>16}  {'  '.join(cells)}")
    print("\nbars")
    for title, value, bar in results["bars"]:
        print(f"  {title:<40} {value:6.1f}   ({'≤' if title.endswith('ms') else '≥'} {bar})")


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bars", action="store_true", help="no contender but pytorch-crf")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--cpu-time", action="store_true", help="time of this process only")
    parser.add_argument("--json", type=Path, help="also write the results there")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.cpu_time:
        global clock
        clock = time.process_time
    rounds, seconds = (7, 1.0) if options.quick else (25, 4.0)
    names = ("kernels", "pytorch-crf") if options.bars else ("kernels", "plain", "scan", *OTHERS)
    results: dict[str, Any] = {"machine": machine(options)}
    for turn, at_least in TURNS.items():
        results[turn] = [compare(shape, names, rounds, seconds, at_least) for shape in SHAPES]
    results["training_step"] = training_step(2 * rounds, names)
    results["two_threads"] = two_threads(rounds)
    results["first_call"] = first_call(5)
    results["bars"] = bars(results)
    report(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
