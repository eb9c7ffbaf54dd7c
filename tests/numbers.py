"""What the recursions give for the worked examples, as numbers that a test compares.

python -m tests.numbers         writes tests/numbers.json again

Each line of the file is one row of a table, by its name: "bio viterbi state max table 1 x". The
scores of the examples are in it, so the comparison needs `crf` alone. Where tags or paths tie, the
choice may rest on rounding: then the row has all tied tags, or says that there are several paths.
"""

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import torch

from crf import LinearChain
from crf.trace import ALGORITHMS, FORMS, SEMIRINGS, trace

FILE = Path(__file__).with_suffix(".json")
SCORES = ("tags", "tokens", "emissions", "transitions", "start", "end")
Rows = dict[str, list[Any]]


def results(name: str, scores: dict[str, Any]) -> Rows:
    """Tables, totals, backpointers, best paths and marginals of an example, row by row.

    `scores`: by the names in `SCORES`; transitions [S][S] or [m-1][S][S].
    """
    emissions, transitions, start, end = (
        torch.tensor(scores[table], dtype=torch.float64) for table in SCORES[2:]
    )
    steps = transitions[None] if transitions.dim() == 3 else transitions
    chain = LinearChain(emissions[None], steps, start, end, backend="plain")
    best = chain.topk(2)
    tied = best.valid[0].all() and (best.scores[0, 0] - best.scores[0, 1]).item() < 1e-9
    places = [f"{t} {token}" for t, token in enumerate(scores["tokens"], 1)]
    rows: Rows = {}
    for algorithm, form, semiring in product(ALGORITHMS, FORMS, SEMIRINGS):
        if (algorithm, semiring) == ("viterbi", "sum"):
            continue
        run = trace(chain, algorithm=algorithm, convention=form, semiring=semiring)
        what = f"{name} {algorithm} {form} {semiring}"
        for place, cells in zip(places, run.table, strict=form != "message"):
            rows[f"{what} table {place}"] = cells
        rows[f"{what} total"] = [run.log_total]
        if semiring == "max":
            for column, place in enumerate(places[: run.num_columns]):
                cells = [s for s in run.steps if (s.kind, s.column) == ("cell", column)]
                rows[f"{what} backpointers {place}"] = [
                    list(cell.ties) if len(cell.ties) > 1 else cell.backpointer for cell in cells
                ]
        if run.best_path is not None:
            rows[f"{what} best path"] = ["several"] if tied else list(run.best_path)
    for place, p in zip(places, chain.marginals[0].tolist(), strict=True):
        rows[f"{name} marginals {place}"] = p
    for place, pairs in zip(places[1:], chain.pair_marginals[0].tolist(), strict=True):
        for tag, p in zip(scores["tags"], pairs, strict=True):
            rows[f"{name} pair marginals {place} after {tag}"] = p
    return rows


def rounded(row: list[Any]) -> list[Any]:
    """Floats to twelve decimals and twelve digits, −∞ as "-inf"."""

    def one(x: Any) -> Any:
        if not isinstance(x, float):
            return x
        return "-inf" if x == -math.inf else float(f"{round(x, 12):.12g}") + 0.0

    return [one(x) for x in row]


def infinite(value: Any) -> Any:
    """Nested lists with "-inf" as a number again."""
    if isinstance(value, list):
        return [infinite(x) for x in value]
    return -math.inf if value == "-inf" else value


def main() -> None:
    """Write the file."""
    from crf.steps import plain_data
    from pages.shared.course.examples import EXAMPLES

    lines: Rows = {}
    for name, example in EXAMPLES.items():
        scores = {table: plain_data(getattr(example.problem, table)) for table in SCORES}
        lines |= {f"{name} {table}": scores[table] for table in SCORES}
        found = results(name, {table: infinite(scores[table]) for table in SCORES})
        lines |= {row: rounded(values) for row, values in found.items()}
    text = ",\n".join(
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(row, ensure_ascii=False)}"
        for key, row in lines.items()
    )
    FILE.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
