"""How long a new process waits: for `import crf` and its first loss, and for the second one.

    python -m benchmarks.first_call [--rounds N]

Times are those after `import torch`, in milliseconds of the wall; medians over new processes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import json, time, torch
torch.set_num_threads(1)
marks = [time.perf_counter()]
import crf
model, emissions = crf.ChainCRF(17), torch.randn(8, 20, 17, requires_grad=True)
tags = torch.randint(17, (8, 20))
marks.append(time.perf_counter())
for _ in range(3):
    model(emissions, tags).backward()
    marks.append(time.perf_counter())
print(json.dumps([1e3 * (b - a) for a, b in zip(marks, marks[1:])]))
"""


def once() -> list[float]:
    """Milliseconds of the import and of three losses with their gradients."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    taken = zip(*(once() for _ in range(parser.parse_args().rounds)), strict=True)
    for name, times in zip(("import", "loss 1", "loss 2", "loss 3"), taken, strict=True):
        print(f"{name}: {statistics.median(times):.2f} ms")


if __name__ == "__main__":
    main()
