"""Faults, one line each, put into a copy of the core: the suite must catch every one of them.

    python -m tests.mutants [--jobs N] [WORD …]

WORDs choose the faults whose file or text contains one of them. For each fault the quick part of
the core's tests runs in a process of its own until the first failure. Exits 1 if a fault survives,
if it breaks the suite instead of failing a test, or if its text is not in the code exactly once.
"""

import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 600  # seconds: a fault that makes the tests hang is not caught
QUICK = ["golden", "sums", "paths", "information", "sampling", "module", "constraints", "refusals"]
QUICK += ["partial", "trace", "gradients", "numbers", "entities", "dependent_transitions"]
QUICK += ["semi_markov"]
TOO_SLOW = "not LongChains"
FIRST = {"scoring": "paths", "decoding": "paths", "validation": "refusals"}  # to fail
FIRST |= dict.fromkeys(["conventions", "trace", "steps/__init__"], "trace")


class Fault(NamedTuple):
    """One line of one file, and what it becomes."""

    file: str
    old: str
    new: str


FAULTS = [
    # the potentials and the mask
    Fault("potentials", "(mask.cumsum(1) == 1)", "(mask.cumsum(1) == 0)"),
    Fault("potentials", "return mask & (mask.flip(1)", "return (mask.flip(1)"),
    Fault("scoring", "latest.roll(1, dims=1)", "latest.roll(0, dims=1)"),
    Fault("potentials", "emissions = torch.where(mask[:, :, None], emissions, 0.0)", "pass"),
    Fault("potentials", "used = (mask & ~first_tokens(mask))[:, 1:]", "used = mask[:, 1:]"),
    Fault("potentials", "torch.where(scores == NEG_INF, NEG_INF, scores)", "scores"),
    # the recursions
    Fault("recursions", "new = torch.where(is_first, p.start, arriving)", "new = arriving"),
    Fault("recursions", "arriving) + emission\n", "arriving)\n"),
    Fault("recursions", "alpha = torch.where(in_chain, new - top, alpha)", "alpha = new - top"),
    Fault("recursions", "torch.where(in_chain, offset + top, offset)", "offset + top"),
    Fault("recursions", "message = p.end.expand(", "message = p.start.expand("),
    Fault("recursions", "transitions.transpose(-1, -2))", "transitions)"),
    Fault("recursions", "leaving = log_matvec(emission + beta,", "leaving = log_matvec(beta,"),
    Fault("recursions", "message = torch.where(in_chain, leaving, message)", "message = leaving"),
    Fault("recursions", "p.end[:, None]).squeeze(1)", "0 * p.end[:, None]).squeeze(1)"),
    Fault("recursions", "return torch.where(p.mask.any(1), last, 0.0)", "return last"),
    Fault("recursions", "total.masked_fill(total == 0, 1.0)\n\n\ndef _max", "total\n\n\ndef _max"),
    Fault("recursions", "return top.masked_fill(top == NEG_INF, 0.0)", "return top"),
    Fault("recursions", "softmax_or_zero(joint, (-2, -1))", "softmax_or_zero(joint, (-2,))"),
    Fault("recursions", "torch.where(p.mask[:, :, None], marginals, 0.0)", "marginals"),
    Fault("recursions", "flow if matrix.dim() == 3 else flow.sum(0)", "flow.sum(0)"),
    Fault("recursions", "return emissions * of_row[:, None, None], tr", "return emissions, tr"),
    Fault("recursions", "(emissions * last_tokens(p.mask)[:, :, None]).sum(1)", "emissions[:, -1]"),
    Fault("recursions", "arrives = (p.mask & ~first_tokens(p.mask))[:, 1:]",
          "arrives = p.mask[:, 1:]"),
    Fault("recursions", "total = total + pairs.sum(1)", "total = pairs.sum(1)"),
    Fault("recursions", "if torch.is_grad_enabled():  # a second", "if False:  # a second"),
    # paths
    Fault("scoring", "end=torch.where(last, p.end[tags], 0.0)",
          "end=torch.where(first, p.end[tags], 0.0)"),
    Fault("scoring", "p.transitions[before, tags]", "p.transitions[tags, before]"),
    Fault("scoring", "transitions=torch.where(p.mask & ~first,", "transitions=torch.where(p.mask,"),
    Fault("scoring", "tags = torch.where(p.mask, tags.long(), 0)", "tags = tags.long()"),
    Fault("decoding", "(vector[:, :, None] + matrix).max(dim=1)",
          "(vector[:, :, None] + matrix).flip(1).max(dim=1)"),
    Fault("decoding", "pointer = torch.where(in_chain & ~is_first, argmax, NO_TAG)",
          "pointer = argmax"),
    Fault("decoding", "delta = torch.where(in_chain, new, delta)", "delta = new"),
    Fault("decoding", "(deltas[:, -1] + p.end).max(1)", "deltas[:, -1].max(1)"),
    Fault("decoding", "scores = torch.where(p.mask.any(1), scores, 0.0)\n    feasible", "feasible"),
    Fault("decoding", "torch.where(p.mask[:, t] & feasible, tag, NO_TAG)",
          "torch.where(p.mask[:, t], tag, NO_TAG)"),
    Fault("decoding", "tag = torch.where(steps[:, t] & feasible, previous, tag)", "tag = previous"),
    Fault("decoding", "matrices[t][:, tag].T", "matrices[t][tag]"),
    Fault("decoding", "only_first[1:] = NEG_INF", "only_first[1:] = 0.0"),
    Fault("decoding", "_best((prefixes + p.end[:, None])", "_best(prefixes"),
    Fault("decoding", "torch.where(p.mask.any(1, keepdim=True), scores, only_first)", "scores"),
    Fault("decoding", "origins[t - 1].gather(1, place), place)", "place, place)"),
    Fault("decoding", "transitions[rows, tag] if p.per_step else transitions[tag]",
          "transitions[rows, tag] if p.per_step else transitions[:, tag].T"),
    Fault("sampling", "(alphas.relative[:, -1] + p.end).expand", "alphas.relative[:, -1].expand"),
    Fault("sampling", "_draw(alphas.relative[:, t - 1] + into_tag, generator)",
          "_draw(into_tag.expand(n, B, S), generator)"),
    Fault("sampling", "matrices[t].T[tag]", "matrices[t][tag]"),
    Fault("sampling", "noise.exponential_(generator=generator)", "noise.exponential_()"),
    # information
    Fault("information", "return log_p - log_q", "return log_q - log_p"),
    Fault("information", "so_far = torch.where(steps[:, t], new[0], so_far)", "so_far = new[0]"),
    Fault("information", "_log_conditional(alphas[:, -1] + p.end)",
          "_log_conditional(alphas[:, -1])"),
    Fault("information", "log_p.exp() * (so_far + local(log_p, log_q))",
          "log_p.exp() * so_far + local(log_p, log_q)"),
    Fault("information", "(possible & (forbidden | infinite))", "(possible & forbidden)"),
    # the chain
    Fault("chain", "other_tag & (mask & (tags >= 0))", "other_tag & (mask & (tags > 0))"),
    Fault("scoring", "scores - torch.where(feasible, log_partition, 0.0)", "scores"),
    Fault("chain", "emissions.masked_fill(~allowed, NEG_INF)", "emissions"),
    Fault("chain", "torch.where(possible, difference.clamp(max=0.0), NEG_INF)", "difference"),
    Fault("distribution", "torch.where(inside, pairs, 0.0)", "pairs"),
    Fault("distribution", "columns.relative + columns.offsets[:, :, None]", "columns.relative"),
    Fault("chain", "return torch.where(self._raw.mask, tags, decoding.NO_TAG)", "return tags"),
    Fault("distribution", "cached.to(self.dtype, copy=True)", "cached"),
    # names
    Fault("entities", "others = row.transitions.masked_fill(labels.continues, NEG_INF)\n    arr",
          "others = row.transitions\n    arr"),
    Fault("entities", "masked_fill(~labels.continues, NEG_INF)",
          "masked_fill(labels.continues, 0.0)"),
    Fault("entities", "j.role in \"IE\" and i.kind == j.kind", "j.role in \"IE\""),
    Fault("entities", "_through(after, others.transpose(1, 2))", "_through(after, others)"),
    # segments
    Fault("semi_markov", "durations[..., label, left - 1]", "durations[..., label, -left]"),
    Fault("semi_markov", "(left == left[:, None] - 1)", "(left <= left[:, None] - 1)"),
    Fault("semi_markov", "torch.where(begins, first_label[label], NEG_INF)", "first_label[label]"),
    Fault("semi_markov", "torch.where(ends, last_label[label], NEG_INF)", "last_label[label]"),
    Fault("semi_markov", "cummax(-1).indices.roll(1, -1)", "cummax(-1).indices"),
    Fault("semi_markov", "self.mask.sum(1, keepdim=True) + 1", "far"),
    # the module, constraints, validation
    Fault("module", "reduced(0.0 - log_prob, chain", "reduced(log_prob, chain"),
    Fault("losses", "total / mask.sum().clamp(1)", "total / mask.numel()"),
    Fault("tokens", "return torch.where(p.mask, log_p, 0.0)", "return log_p"),
    Fault("tokens", "own - torch.where(first, grad", "own - torch.where(~first, grad"),
    Fault("covariances", "marginals * (mu + nu - center)", "marginals * (mu + nu)"),
    Fault("module", "meta_parameters.RANGE, generator=generator", "meta_parameters.RANGE"),
    Fault("module", "self._added(scores[1], more, emissions), *scores[2:]", "more, *scores[2:]"),
    Fault("module", "(more if more.dim() == 4 else more[:, None])",
          "(more if more.dim() == 4 else more.mean(0))"),
    Fault("losses", "free[:, :, None] | (tags", "(tags"),
    Fault("constraints", "end.masked_fill(~self.end, NEG_INF)", "end"),
    Fault("constraints", "start.masked_fill(~self.start, NEG_INF)",
          "start.masked_fill(~self.start, -1e4)"),
    Fault("constraints", "return in_span and kind == other", "return in_span"),
    Fault("constraints", 'return not in_span or scheme == "BIO"', "return True"),
    Fault("validation", "(tags >= num_tags)", "(tags > num_tags)"),
    Fault("validation", "most.item() < num_tags", "most.item() <= num_tags"),
    Fault("validation", "lowest <= least.item()", "True"),
    Fault("validation", "scores.detach().amax().item() < math.inf for", "True for"),
    # the trace
    Fault("conventions", "previous' transition emission end\"", "previous' transition emission\""),
    Fault("conventions", "(i, s) if forward else (s, i)", "(i, s)"),
    Fault("conventions", "start' previous' emission' trans", "start' previous' emission trans"),
    Fault("trace", "values.index(max(values))",
          "len(values) - 1 - values[::-1].index(max(values))"),
    Fault("trace", "weight / whole for weight in weights", "weight for weight in weights"),
    Fault("trace", "if log_value > NEG_INF else 0,", "if top > NEG_INF else 0,"),
    Fault("steps/__init__", 'value if value != -math.inf else "-inf"', "value"),
]  # fmt: skip


def place(fault: Fault, code: Path) -> Path:
    """The file of a fault in a folder of the core's code, without the tagger."""
    found = code.rglob(f"{fault.file}.py")
    (path,) = (path for path in found if "tagger" not in path.relative_to(code).parts)
    return path


def run(fault: Fault | None) -> str:
    """Put the fault into a copy of the core and test it: killed, SURVIVED, or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("crf", "tests/core"):
            ignore = shutil.ignore_patterns("__pycache__", "tagger")
            shutil.copytree(ROOT / name, copy / name, ignore=ignore)
        shutil.copy(ROOT / "pyproject.toml", copy)
        shutil.copy(ROOT / "tests" / "conftest.py", copy / "tests")
        if fault is not None:
            path = place(fault, copy / "crf")
            text = path.read_text(encoding="utf-8")
            if text.count(fault.old) != 1:
                return f"NOT FOUND (its text is there {text.count(fault.old)} times)"
            path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
        name = fault.file if fault else ""
        return test(copy, sorted(QUICK, key=lambda q: q != FIRST.get(name, name)))


def test(folder: Path, names: list[str]) -> str:
    """Run some tests in a child that has torch loaded already, but nothing of ours."""
    child = multiprocessing.get_context("fork").Process(target=_pytest, args=(folder, names))
    child.start()
    child.join(LIMIT)
    if child.is_alive():
        child.kill()
        return "HANGS"
    outcomes = {0: "SURVIVED", 1: "killed"}
    return outcomes.get(child.exitcode or 0, f"BREAKS the suite (exit code {child.exitcode})")


def _pytest(folder: Path, names: list[str]) -> None:
    import pytest

    os.chdir(folder)
    sys.path[:] = [str(folder), *(p for p in sys.path if p and Path(p).resolve() != ROOT)]
    for name in [n for n in sys.modules if n.split(".")[0] in ("tests", "crf")]:
        del sys.modules[name]
    os.environ.update(CRF_TEST_BACKENDS="plain", HYPOTHESIS_PROFILE="quick")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    files = [f"tests/core/test_{name}.py" for name in names]
    try:
        code = int(pytest.main(["-x", "-q", "-k", TOO_SLOW, "-p", "no:cacheprovider", *files]))
    except BaseException:
        code = 99  # pytest itself failed, not a test
    sys.exit(code)


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("words", nargs="*", help="only the faults that contain one of these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    words = options.words or [""]
    chosen = [fault for fault in FAULTS if any(w in " ".join(fault) for w in words)]

    import torch  # loaded once here, shared by the forked children

    torch.set_num_threads(1)
    if (outcome := run(None)) != "SURVIVED":
        print(f"the suite does not pass without a fault: {outcome}")
        return 1
    begun, failed = time.perf_counter(), 0
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        for fault, outcome in zip(chosen, pool.map(run, chosen), strict=True):
            failed += outcome != "killed"
            old, new = (text.strip().replace("\n", "⏎") for text in (fault.old, fault.new))
            print(f"{outcome:9} {fault.file:12} {old}  →  {new}", flush=True)
    seconds = time.perf_counter() - begun
    print(f"{len(chosen) - failed} of {len(chosen)} faults killed in {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
