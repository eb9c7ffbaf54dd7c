"""The core's speed beside pytorch-crf's, and the bars it is held to.

    python -m benchmarks.core [--quick] [--threads N] [--cpu-time] [--busy] [--json FILE]

in an environment with benchmarks/requirements.txt. Contenders take turns on the same ragged batch
in the same process; each turn is one whole call, as in a training loop. A time is the median of the
rounds, a ratio the median of the rounds' ratios. The questions:

    nll             the negative log-likelihood of gold paths, and all its gradients
    viterbi         the best path of each chain, from emissions to a tensor of tags
    decode          the best paths as lists of tags, from emissions to lists
    per step        the same, where each step has transitions of its own: pytorch-crf, which cannot
                    do that, with shared ones; torch-struct, where it is installed
    one chain       loss and best path of one chain of 512 tags
    few allowed     the same for constraints with 3 of 300 successors, and without them
    training step   the loss and its gradients, between a BiLSTM's forward and backward pass
    two threads     this library's loss and gradients with one thread and with two, by wall time
    first call      new processes: importing crf, the first loss and the second one, after torch

Only ratios carry over to another machine. On a busy one, --cpu-time leaves out the time in which
this process did not run; --quick asks for fewer rounds. At a load above 2, results are written to a
file only with --busy, which they record.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

import crf
from benchmarks.harness import Clock, Question, refuse_a_busy_machine, report, summary, turns

ROOT = Path(__file__).resolve().parents[1]
assert Path(crf.__file__).is_relative_to(ROOT), f"another crf hides this one: {crf.__file__}"
from crf.strict_json import write_json  # noqa: E402  (only ours has it)

Shape = tuple[int, int, int]
SHAPES: list[Shape] = [
    (1, 40, 17),
    (32, 32, 17),
    (64, 64, 17),
    (256, 64, 20),
    (64, 128, 50),
    (16, 512, 17),
]
PER_STEP: list[Shape] = [(32, 60, 9), (16, 64, 32)]
ONE_CHAIN: Shape = (1, 200, 512)
FEW_ALLOWED: Shape = (8, 100, 300)
TWO = ("nll", "viterbi")
PEER = "pytorch-crf"
BARS = {"nll": (25, 14), "viterbi": (25, 10), "decode": (20, 0)}  # geometric mean, and least
STEP_BAR, THREADS_BAR, FIRST_CALL_BAR, IMPORT_BAR = 16, 1.6, 5, 100
PER_STEP_BAR = 10
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


class Problem(NamedTuple):
    """A ragged batch with gold paths, and the parameters that all contenders share."""

    emissions: Tensor
    tags: Tensor
    mask: Tensor
    model: crf.ChainCRF


def problem(B: int, L: int, S: int, device: str = "cpu") -> Problem:
    """Lengths from L/2 to L, one of them L; the same scores on every device."""
    source = torch.Generator().manual_seed(B * L * S)
    lengths = torch.randint(L // 2, L + 1, (B,), generator=source)
    lengths[0] = L
    return Problem(
        torch.randn(B, L, S, generator=source).to(device),
        torch.randint(S, (B, L), generator=source).to(device),
        (torch.arange(L) < lengths[:, None]).to(device),
        crf.ChainCRF(S, generator=source).to(device),
    )


def with_gradients(loss: Callable[[], Tensor], differentiated: list[Tensor]) -> Question:
    """The loss and its gradients; the last ones are given up as an optimiser does, by its list."""

    def ask() -> Tensor:
        for x in differentiated:
            x.grad = None
        value = loss()
        value.backward()
        return value

    return ask


class Contender(NamedTuple):
    """A module of one library, and how to call it."""

    module: torch.nn.Module
    loss: Callable[[Tensor], Tensor]  # of emissions
    viterbi: Question
    decode: Question

    def questions(self, leaf: Tensor) -> dict[str, Question]:
        """The calls that are timed, such as the loss with its gradients for these emissions."""
        nll = with_gradients(lambda: self.loss(leaf), [leaf, *self.module.parameters()])
        return {"nll": nll, "viterbi": self.viterbi, "decode": self.decode}


def ours(given: Problem, backend: str = "auto") -> Contender:
    emissions, tags, mask, model = given
    model = copy.deepcopy(model)
    model.backend = backend

    @torch.no_grad()
    def viterbi() -> Tensor:
        return model.chain(emissions, mask).viterbi().tags

    decode = partial(model.decode, emissions, mask)
    return Contender(model, lambda x: model(x, tags, mask), viterbi, decode)


def pytorch_crf(given: Problem) -> Contender:
    from torchcrf import CRF  # pyright: ignore[reportMissingImports]

    emissions, tags, mask, model = given
    theirs = CRF(model.num_tags, batch_first=True).to(emissions.device)
    theirs.load_state_dict(model.state_dict())
    decode = torch.no_grad()(partial(theirs.decode, emissions, mask))
    return Contender(theirs, lambda x: -theirs(x, tags, mask, reduction="mean"), decode, decode)


Contenders = Mapping[str, Callable[[Problem], Contender]]  # ratios are to the first one
CONTENDERS: Contenders = {"kernels": ours, PEER: pytorch_crf}


def _step_scores(given: Problem) -> Tensor:
    """[B, L - 1, S, S] scores that a network has made."""
    B, L, S = given.emissions.shape
    source = torch.Generator().manual_seed(L)
    return torch.randn(B, L - 1, S, S, generator=source).to(given.emissions.device)


def ours_per_step(given: Problem, backend: str = "auto") -> Contender:
    """This library with transitions of each step, which get gradients, too."""
    emissions, tags, mask, model = given
    model = copy.deepcopy(model)
    model.backend = backend
    model.scores = scores = torch.nn.Parameter(_step_scores(given))

    @torch.no_grad()
    def viterbi() -> Tensor:
        return model.chain(emissions, mask, transitions=scores).viterbi().tags

    decode = partial(model.decode, emissions, mask, transitions=scores)
    return Contender(model, lambda x: model(x, tags, mask, transitions=scores), viterbi, decode)


def torch_struct(given: Problem) -> Contender:
    """Its potentials [B, L - 1, to, from] contain the emissions, and lengths stand for the mask."""
    from torch_struct import LinearChain, LinearChainCRF  # pyright: ignore[reportMissingImports]

    emissions, tags, mask, model = given
    model = copy.deepcopy(model)
    model.scores = scores = torch.nn.Parameter(_step_scores(given))
    lengths, B = mask.sum(1), len(mask)
    path = LinearChain.to_parts(tags, model.num_tags, lengths=lengths)
    last = torch.nn.functional.one_hot(lengths - 2, mask.shape[1] - 1)[:, :, None, None]

    def chains(x: Tensor) -> Any:
        table = (model.transitions + scores).mT + x[:, 1:, :, None]
        table = table + last * model.end_transitions[:, None]
        begin = model.start_transitions + x[:, 0]
        table = torch.cat([table[:, :1] + begin[:, None, None], table[:, 1:]], 1)
        return LinearChainCRF(table, lengths=lengths)

    def best() -> Tensor:
        return chains(emissions).argmax.sum(3).argmax(2)

    best()
    return Contender(model, lambda x: -chains(x).log_prob(path).sum() / B, best, best)


def ours_restricted(given: Problem, backend: str = "auto", followers: int = 3) -> Contender:
    """This library with so many allowed successors of each tag, and gold paths that obey."""
    S, model = given.model.num_tags, copy.deepcopy(given.model)
    allowed = torch.zeros(S, S, dtype=torch.bool)
    for step in range(followers):
        allowed[torch.arange(S), (torch.arange(S) + step) % S] = True
    narrow = crf.ChainCRF(S, crf.Constraints.table(allowed)).to(given.tags.device)
    narrow.load_state_dict(model.state_dict())
    tags = torch.arange(given.tags.shape[1], device=given.tags.device).expand_as(given.tags) % S
    return ours(given._replace(model=narrow, tags=tags), backend)


def per_step_contenders() -> Contenders:
    """Those that are installed."""
    peers: dict[str, Callable[[Problem], Contender]] = {PEER: pytorch_crf}
    if find_spec("torch_struct"):
        peers["torch-struct"] = torch_struct
    return {"kernels": ours_per_step, **peers}


def compare(
    shape: Shape,
    rounds: int,
    clock: Clock,
    within: float,
    contenders: Contenders = CONTENDERS,
    questions: Sequence[str] = tuple(BARS),
    device: str = "cpu",
) -> dict[str, Any]:
    """Ask every contender every question, with the batch on a device."""
    batch, first = problem(*shape, device), next(iter(contenders))
    leaf = batch.emissions.clone().requires_grad_()
    row: dict[str, Any] = {"shape": shape}
    answers = {name: make(batch).questions(leaf) for name, make in contenders.items()}
    for question in questions:
        calls = {name: its[question] for name, its in answers.items()}
        row[question] = summary(turns(calls, rounds, clock, within=within), first)
    return row


def training_step(
    rounds: int,
    clock: Clock,
    contenders: Contenders = CONTENDERS,
    shape: Shape = (32, 45, 17),
    device: str = "cpu",
) -> dict[str, Any]:
    """Time loss and gradients of emissions that an encoder of width 256 has just made."""
    (B, L, S), width, first = shape, 256, next(iter(contenders))
    batch = problem(B, L, S, device)
    encoder = torch.nn.LSTM(width, width, batch_first=True, bidirectional=True).to(device)
    head, words = torch.nn.Linear(2 * width, S).to(device), torch.randn(B, L, width, device=device)
    models = {name: make(batch) for name, make in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(rounds + 1):
        for name, one in models.items():
            emissions = head(encoder(words)[0])
            leaf = emissions.detach().requires_grad_()
            begun = clock()
            one.loss(leaf).backward()
            times[name].append(clock() - begun)
            emissions.backward(leaf.grad)
    return summary({name: values[1:] for name, values in times.items()}, first)


def two_threads(rounds: int) -> float:
    """How much faster two threads are than one, at 256 × 64 × 20."""
    batch, before = problem(256, 64, 20), torch.get_num_threads()
    loss = ours(batch).questions(batch.emissions.clone().requires_grad_())["nll"]

    def with_threads(number: int) -> None:
        torch.set_num_threads(number)
        loss()

    calls = {"kernels": partial(with_threads, 2), "one": partial(with_threads, 1)}
    times = turns(calls, rounds, within=4.0)
    torch.set_num_threads(before)
    return summary(times)["one"]["ratio"]


def first_call(rounds: int) -> dict[str, float]:
    """Milliseconds of the import, and of the first and the second loss, in new processes."""
    command, variables = [sys.executable, "-c", FIRST_CALL], os.environ | {"PYTHONPATH": str(ROOT)}
    times = [
        json.loads(subprocess.run(command, env=variables, check=True, capture_output=True).stdout)
        for _ in range(rounds)
    ]
    medians = map(statistics.median, zip(*times, strict=True))
    return dict(zip(("import", "first", "second"), medians, strict=True))


def installed(*names: str) -> dict[str, str]:
    """The versions of those packages that are there."""
    versions = {}
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def machine(options: argparse.Namespace) -> dict[str, Any]:
    """The machine and the packages of this measurement."""
    info = Path("/proc/cpuinfo")
    name = re.search("model name.*: (.*)", info.read_text()) if info.exists() else None
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return {
        "cpu": name[1] if name else platform.processor(),
        "cores": os.cpu_count(),
        "threads": options.threads,
        "load_average": os.getloadavg()[0],
        "busy": getattr(options, "busy", False),
        "clock": "processor time" if options.cpu_time else "wall time",
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": installed("torch", "numpy", "triton", PEER, "torch-struct"),
        "commit": commit,
    }


def bars(results: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Each measure with its value and its bar; milliseconds must stay below theirs."""
    measures: list[tuple[str, float, float]] = []
    for question, (mean, least) in BARS.items():
        ratios = [row[question][PEER]["ratio"] for row in results["warm"]]
        measures.append(
            (f"{question}, times, geometric mean", statistics.geometric_mean(ratios), mean)
        )
        measures.append((f"{question}, times, least", min(ratios), least))
    for row in results["per_step"]:
        shape = " × ".join(map(str, row["shape"]))
        for question in TWO:
            if "torch-struct" in row[question]:
                ratio = row[question]["torch-struct"]["ratio"]
                measures.append((f"{question}, per step, {shape}, times", ratio, PER_STEP_BAR))
    first = results["first_call"]
    return [
        *measures,
        ("training step, times", results["training_step"][PEER]["ratio"], STEP_BAR),
        ("two threads, times", results["two_threads"], THREADS_BAR),
        ("first loss less the second, ms", first["first"] - first["second"], FIRST_CALL_BAR),
        ("import and first loss, ms", first["import"] + first["first"], IMPORT_BAR),
    ]


def show(results: dict[str, Any]) -> None:
    """Print the results as tables."""
    print(write_json(results["machine"]))
    rows = {}
    for question in BARS:
        for row in results["warm"]:
            times = {f"{name}, ms": figures["ms"] for name, figures in row[question].items()}
            title = f"{question} {' × '.join(map(str, row['shape']))}"
            rows[title] = times | {"times": row[question][PEER]["ratio"]}
    for name in ("per_step", "one_chain", "few_allowed"):
        for row in results[name]:
            for question in TWO:
                title = f"{name}, {question} {' × '.join(map(str, row['shape']))}"
                rows[title] = {f"{x}, times": y["ratio"] for x, y in row[question].items()}
    report(rows)
    print("\nbars: at least so many times, at most so many ms")
    report({title: {"measured": value, "bar": bar} for title, value, bar in results["bars"]})


def timed(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, Clock]:
    """A timing's options, its threads set, and its clock."""
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cpu-time", action="store_true", help="time of this process only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    return options, time.process_time if options.cpu_time else time.perf_counter


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--busy", action="store_true", help="write results at any load")
    parser.add_argument("--json", type=Path, help="also write the results there")
    options, clock = timed(parser)
    if options.json:
        refuse_a_busy_machine(options.busy)
    rounds, within = (15, 1.0) if options.quick else (200, 4.0)
    dense: Contenders = {"kernels": ours_restricted, "all allowed": ours}
    results: dict[str, Any] = {
        "machine": machine(options),
        "warm": [compare(shape, rounds, clock, within) for shape in SHAPES],
        "per_step": [
            compare(shape, rounds, clock, within, per_step_contenders(), TWO) for shape in PER_STEP
        ],
        "one_chain": [compare(ONE_CHAIN, rounds, clock, within, CONTENDERS, TWO)],
        "few_allowed": [compare(FEW_ALLOWED, rounds, clock, within, dense, TWO)],
        "training_step": training_step(min(rounds, 50), clock),
        "two_threads": two_threads(min(rounds, 100)),
        "first_call": first_call(5),
    }
    results["bars"] = bars(results)
    show(results)
    if options.json:
        options.json.write_text(write_json(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
