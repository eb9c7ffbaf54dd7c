"""How long the first loss of a new process takes, with and without kernels on disk.

    python -m benchmarks.first_call [--rounds N]

Each round starts two processes: one with an empty cache, one with what the first has left there.
Times are those after `import torch, crf`, in seconds of the wall and of the processor.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import json, time, torch, crf
torch.set_num_threads(1)
model, emissions = crf.ChainCRF(17), torch.randn(8, 20, 17, requires_grad=True)
tags = torch.randint(17, (8, 20))
found = []
for ask in (lambda: model(emissions, tags).backward(), lambda: model.decode(emissions)):
    wall, own = time.perf_counter(), time.process_time()
    ask()
    found.append((time.perf_counter() - wall, time.process_time() - own))
print(json.dumps(found))
"""


def first_calls(cache: str) -> list[tuple[float, float]]:
    """(wall, processor) seconds of the first loss with gradients, and of the first decoding."""
    environment = os.environ | {"CRF_CACHE_DIR": cache, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    times: dict[str, list[list[tuple[float, float]]]] = {"without a cache": [], "with one": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            for taken in times.values():
                taken.append(first_calls(cache))
    for place, what in enumerate(("loss", "decode")):
        for name, taken in times.items():
            wall, own = (statistics.median(t[place][k] for t in taken) for k in (0, 1))
            print(f"first {what} {name}: {wall:.2f} s ({own:.2f} s of processor time)")


if __name__ == "__main__":
    main()
