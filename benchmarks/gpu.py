"""The Triton kernels on a GPU: tests, agreement with the CPU, and speed, as one line of JSON.

    python -m benchmarks.gpu > benchmarks/gpu.json

It takes some minutes and downloads nothing. It needs a CUDA GPU and torch with its Triton; without
a GPU it says so and ends. pytest and pytorch-crf take part where they are installed. The line has

    tests           how the GPU's tests ended
    agreement       largest difference from the plain code on the CPU, over all shapes, and the
                    number of tokens with another best tag
    warm            the loss with its gradients, and best paths, for each shape of benchmarks.core:
                    median ms, and the ratio to Triton
    per_step        the same where each step has transitions of its own, by Triton, plain
                    PyTorch, pytorch-crf with shared ones, and torch-struct
    one_chain       the same for one chain of 512 tags, by plain PyTorch and pytorch-crf
    few_allowed     the same for constraints with 3 of 300 successors, and without them
    training_step   the loss and its gradients, between a BiLSTM's forward and backward pass

Contenders take turns in the same process, and the clock waits for the GPU. Progress goes to stderr.
The exit status is 1 if a test fails or the results differ.
"""

import argparse
import copy
import datetime
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from benchmarks import core
from crf import ChainCRF

CONTENDERS: core.Contenders = {
    "triton": partial(core.ours, backend="triton"),
    "plain": partial(core.ours, backend="plain"),
}
if find_spec("torchcrf"):
    CONTENDERS = {**CONTENDERS, core.PEER: core.pytorch_crf}
TOLERANCE = 1e-5  # in nats or as a probability: float32 scores, computed in float64
TESTS = ["tests/core/test_gpu.py", "-k", "test_on_a_gpu or test_compiles"]


def clock() -> float:
    """Read the clock in seconds after the GPU has finished its work."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def tests() -> str:
    """Run the GPU's tests in a process of its own; return the last line that pytest prints."""
    if not find_spec("pytest"):
        return "not run: pytest is not installed"
    command = [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider"]
    result = subprocess.run(
        [*command, "-W", "default", *TESTS], cwd=core.ROOT, capture_output=True, text=True
    )
    if result.returncode:
        print(result.stdout, result.stderr, file=sys.stderr)
    return ("" if result.returncode == 0 else "FAILED: ") + result.stdout.strip().splitlines()[-1]


def answers(given: core.Problem, backend: str) -> dict[str, Tensor]:
    """The losses, their gradients, marginals and best paths, on the CPU."""
    emissions, tags, mask, shared = given
    model: ChainCRF = copy.deepcopy(shared)
    model.backend = backend
    leaf = emissions.clone().requires_grad_()
    loss = model(leaf, tags, mask, reduction="none")
    loss.sum().backward()
    with torch.no_grad():
        chain = model.chain(emissions, mask)
        out = {"loss": loss.detach(), "marginals": chain.marginals, "paths": chain.viterbi().tags}
    tables = [("emissions", leaf), *model.named_parameters()]
    out |= {f"gradient of {name}": x.grad for name, x in tables if x.grad is not None}
    return {name: x.cpu() for name, x in out.items()}


def agreement(shapes: Sequence[core.Shape], device: str) -> dict[str, float]:
    """The largest difference between Triton on the device and the plain code on the CPU.

    Sums over a batch grow with it: losses and gradients of tables are compared relative to their
    size, where that is above 1.
    """
    worst: dict[str, float] = {}
    for shape in shapes:
        ours = answers(core.problem(*shape, device), "triton")
        for name, right in answers(core.problem(*shape), "plain").items():
            if name == "paths":
                difference = float((ours[name] != right).sum())
            else:
                difference = float(((ours[name] - right).abs() / right.abs().clamp(1)).max())
            worst[name] = max(worst.get(name, 0.0), difference)
    return worst


def measure(
    device: str,
    shapes: Sequence[core.Shape] = core.SHAPES,
    rounds: int = 25,
    within: float = 4.0,
    step: core.Shape = (32, 45, 17),
    per_step: Sequence[core.Shape] = core.PER_STEP,
    one_chain: core.Shape = core.ONE_CHAIN,
    few_allowed: core.Shape = core.FEW_ALLOWED,
) -> dict[str, Any]:
    """Measure everything that the printed line has.

    Args:
        device: Where the contenders compute: "cuda", or "cpu" for a rehearsal.
        shapes: Batch × length × tags.
        rounds: Upper limit of the turns that each contender takes.
        within: Seconds after which no further round of a question begins.
        step: Shape of the training step.
        per_step: As `shapes`, for transitions of each step.
        one_chain: The shape of a chain with more tags than the Triton kernels take.
        few_allowed: The shape where few successors are allowed.
    """
    say = partial(print, file=sys.stderr, flush=True)
    machine = core.machine(argparse.Namespace(threads=torch.get_num_threads(), cpu_time=False))
    machine["gpu"] = torch.cuda.get_device_name() if device == "cuda" else None
    machine["date"] = datetime.date.today().isoformat()
    results: dict[str, Any] = {"machine": machine}
    say("tests")
    results["tests"] = tests()
    say(results["tests"], "\nagreement with the CPU")
    results["agreement"] = agreement(shapes, device)
    results["warm"] = []
    for shape in shapes:
        say("speed", shape)
        how = {"contenders": CONTENDERS, "questions": ("nll", "viterbi"), "device": device}
        results["warm"].append(core.compare(shape, rounds, clock, within, **how))
    results["per_step"] = []
    for shape in per_step:
        say("transitions of each step", shape)
        rivals = {
            **{name: partial(core.ours_per_step, backend=name) for name in ("triton", "plain")},
            **{name: x for name, x in core.per_step_contenders().items() if name != "kernels"},
        }
        row = core.compare(shape, rounds, clock, within, rivals, core.TWO, device)
        results["per_step"].append(row)
    say("one chain of many tags; few allowed successors")
    plain = {name: contender for name, contender in CONTENDERS.items() if name != "triton"}
    few = {
        "plain": partial(core.ours_restricted, backend="plain"),
        "all allowed": partial(core.ours, backend="plain"),
    }
    for name, shape, rivals in (("one_chain", one_chain, plain), ("few_allowed", few_allowed, few)):
        row = core.compare(shape, rounds, clock, within, rivals, core.TWO, device)
        results[name] = [row]
    say("training step")
    results["training_step"] = core.training_step(2 * rounds, clock, CONTENDERS, step, device)
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.parse_args()
    if not torch.cuda.is_available():
        print(f"no GPU here, so nothing is measured: torch {torch.__version__} finds no CUDA")
        return 0
    results = measure("cuda")
    print(json.dumps(results, allow_nan=False))
    differ = max(results["agreement"].values()) > TOLERANCE
    return int(differ or results["tests"].startswith("FAILED"))


if __name__ == "__main__":
    sys.exit(main())
