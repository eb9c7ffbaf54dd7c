"""The lesson on batches: sentences of unequal length in one loop, and what a mask is for."""

from pathlib import Path
from typing import Any

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_score
from pages.batches import picture
from pages.batches.batch import CHANGES, MOST_WORDS, Batch, loop_of, parse, rearranged, usual
from pages.batches.faults import FAULTS, FaultyCode
from pages.batches.picture import forbidden_first, trial, wrong_row
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart
from pages.shared.figures.beat import Beat, Bet, lesson
from pages.shared.figures.beat_text import BeatText
from pages.shared.figures.equation import equals, shown

TEXT = Path(__file__).with_name("beats.md")
NAMES = list(FAULTS)
GAP = " \u2003"  # between two parts of a line
WORDS = (
    "no-word", "mask", "log-z", "best-score", "other", "so-far", "from-to", "one-column",
    "one-table", "one-word", "their-sum", "every-pair", "before", "now", "of-tags", "line",
    "set-right", "this-code", "right", "mask-word", "mask-pair", "mask-ends", "reason-word",
    "reason-pair", "reason-ends", "name-word", "name-pair", "name-ends", "label",
)  # fmt: skip


def _read_rows(text: str) -> str:
    parse(text)
    return text


def _read_changes(text: str) -> tuple[str, ...]:
    names = text.split(".") if text != "none" else []
    if not set(names) <= set(CHANGES):
        raise ValueError(text)
    return tuple(name for name in CHANGES if name in names)


def _read_cell(text: str) -> tuple[int, int, int]:
    parts = text.split(".")
    if len(parts) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 3 for p in parts):
        raise ValueError(text)
    row, source, target = map(int, parts)
    return row, source, target


def _read_line(text: str) -> tuple[str, int]:
    """A fault and the line that was clicked: "multiplied.7"."""
    name, _, line = text.partition(".")
    if name not in FAULTS or not (line.isascii() and line.isdigit() and len(line) < 3):
        raise ValueError(text)
    if int(line) >= len(FAULTS[name].lines):
        raise ValueError(text)
    return name, int(line)


CONTROLS = {
    "rows": StatePart("", _read_rows),
    "changes": StatePart(("shuffled", "middle", "nan"), _read_changes),
    "cell": StatePart(None, _read_cell),
    "line": StatePart(("", -1), _read_line),
}


def batch_of(state: State) -> Batch:
    """The batch on screen: the rows that the reader wrote, else two rows of the problem's words."""
    return Batch.of(state.problem, state.control("rows", CONTROLS) or usual(state.problem))


def _words(state: State) -> dict[str, str]:
    text, (B, L, S) = BeatText.load(TEXT), batch_of(state).shape
    return {name: text.plain(f"word-{name}", {"B": B, "L": L, "S": S}) for name in WORDS}


def _steps(problem: Problem) -> range:
    """As many steps as any batch can have; `at` gives the number for this one."""
    return range(MOST_WORDS + 1)


def _sentence(batch: Batch, b: int) -> str:
    return " ".join(batch.words(b))


# ---------------------------------------------------------------------- the loop


def _first_keep(batch: Batch) -> int:
    """The column where the loop is seen at work: a row keeps its old column, another mixes."""
    L = batch.shape[1]
    columns = (t for t in range(L) if len(set(picture.kinds(loop_of(batch), t))) > 1)
    return next(columns, L - 1)


def _opens(problem: Problem) -> int:
    return _first_keep(Batch.of(problem, usual(problem)))


def _loop(state: State) -> Payload:
    return picture.grid(batch_of(state), is_max=False) | {"words": _words(state)}


def _loop_at(state: State, step: int) -> Payload:
    batch = batch_of(state)
    L = batch.shape[1]
    step = min(step, L)
    now = {"step": step, "column": step, "of": L + 1}
    return now | {"bands": picture.bands(batch, step) if 0 < step < L else None}


def _loop_facts(state: State, step: int) -> dict[str, Any]:
    batch = batch_of(state)
    loop, L = loop_of(batch), batch.shape[1]
    facts: dict[str, Any] = {
        "total": int(step >= L),
        "kept": 0,
        "why": "",
        "row": "",
        "B": batch.shape[0],
        "gap": GAP,
        "infeasible": int(not loop.chain.feasible.all()),
        "doubled": _doubled(state),
    }
    if step < L:
        rows = [b for b, kind in enumerate(picture.kinds(loop, step)) if kind == "keep"]
        facts["kept"] = len(rows)
        if rows:
            b = max(rows, key=lambda b: (step > loop.ends[b] >= 0, loop.ends[b] >= 0))
            begins, ends = loop.begins[b], loop.ends[b]
            facts["why"] = (
                "none"
                if ends < 0
                else "early"
                if step < begins
                else "ended"
                if step > ends
                else "hole"
            )
            facts["row"] = _sentence(batch, b)
    return facts


def _doubled(state: State) -> str:
    """Says that a sentence of one word is repeated, since a row of one word takes no step."""
    if state.control("rows", CONTROLS) or len(state.problem.tokens) > 1:
        return ""
    text = BeatText.load(TEXT)
    return text.between + text.plain("doubled", {})


def _loop_bet(state: State, _step: int) -> Bet | None:
    batch = batch_of(state)
    if all(map(all, batch.mask)):
        return None
    return Bet(("jump", "discard", "add"), "discard")


def _veil_kept(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    """Hide the columns that a row keeps."""
    if whole:
        values = [
            [column if word else None for word, column in zip(row["words"], cells, strict=True)]
            for row, cells in zip(whole["rows"], whole["values"], strict=True)
        ]
        whole = whole | {"values": values, "totals": []}
    return whole, now


# ---------------------------------------------------------------------- the way back


def _back(state: State) -> Payload:
    return picture.grid(batch_of(state), is_max=True) | {"words": _words(state)}


def _back_at(state: State, step: int) -> Payload:
    L = batch_of(state).shape[1]
    step = min(step, L - 1)
    return {"step": step, "column": L - 1 - step, "of": L}


def _rear(problem: Problem) -> int:
    """The step where the shorter row starts."""
    batch = Batch.of(problem, usual(problem))
    return max(batch.lengths) - min(batch.lengths)


def _back_facts(state: State, step: int) -> dict[str, Any]:
    batch = batch_of(state)
    loop, L = loop_of(batch, True), batch.shape[1]
    t = max(L - 1 - step, 0)
    allowed = loop.chain.feasible.tolist()
    starts = [b for b, end in enumerate(loop.ends) if end == t and allowed[b]]
    waits = [b for b, end in enumerate(loop.ends) if 0 <= end < t and allowed[b]]
    tags = loop.best.tags.tolist()
    return {
        "starts": len(starts),
        "waits": len(waits),
        "done": int(t == 0),
        "words": max(batch.lengths),
        "void": batch.lengths.count(0),
        "lost": sum(end >= 0 and not ok for ok, end in zip(allowed, loop.ends, strict=True)),
        "stuck": int(not any(ok and end >= 0 for ok, end in zip(allowed, loop.ends, strict=True))),
        "row": _sentence(batch, starts[0]) if starts else "",
        "tag": batch.model.tags[tags[starts[0]][t]] if starts else "",
        "waiting": _sentence(batch, waits[0]) if waits else "",
    }


# ---------------------------------------------------------------------- what changes nothing


def _same(state: State) -> Payload:
    changes = state.control("changes", CONTROLS)
    text = BeatText.load(TEXT)
    return picture.arranged(batch_of(state), changes) | {
        "changes": [
            {"name": name, "label": text.plain(f"change-{name}", {}), "on": name in changes}
            for name in CHANGES
        ],
        "words": _words(state),
    }


def _same_facts(state: State, _step: int) -> dict[str, Any]:
    changes = state.control("changes", CONTROLS)
    return {
        "changes": len(changes),
        "digits": picture.DIGITS,
        "filled": int(bool({"nan", "forbidden"} & set(changes))),
        "padded": int(not all(map(all, rearranged(batch_of(state), changes).batch.mask))),
    }


# ---------------------------------------------------------------------- shapes


def _slab_place(state: State, step: int) -> tuple[Batch, range, int, tuple[int, int, int]]:
    """The batch, the columns that it has, the one on screen, and the cell: row, from, to."""
    batch = batch_of(state)
    if not (steps := loop_of(batch).plain_steps):
        batch = Batch.of(state.problem, usual(state.problem))
        steps = loop_of(batch).plain_steps
    t = min(max(step, steps.start), steps.stop - 1)
    tags = picture.likeliest(batch, picture.MOST_SLAB)
    cell = state.control("cell", CONTROLS)
    if cell is None or cell[0] >= batch.shape[0] or max(cell[1:]) >= len(tags):
        every = loop_of(batch).step_sum(t)[0][list(tags)][:, tags[-1]]
        cell = 0, int(every.argmax()), len(tags) - 1
    return batch, steps, t, cell


def _slabs_at(state: State, step: int) -> Payload:
    batch, steps, t, cell = _slab_place(state, step)
    return {
        "step": t,
        "first": steps.start,
        "of": steps.stop,
        "column": t,
        "cell": list(cell),
        "slabs": picture.slabs(batch, t),
    }


def _slab_facts(state: State, step: int) -> dict[str, Any]:
    batch, _, t, (b, i, j) = _slab_place(state, step)
    slabs, (B, _, S) = picture.slabs(batch, t), batch.shape
    word = batch.rows[b][t] if batch.mask[b][t] else BeatText.load(TEXT).plain("word-no-word", {})

    def signed(x: float | str, role: str) -> dict[str, str]:
        value = -float("inf") if x == "-inf" else float(x)
        text = decimal(f"{value:.2f}".rstrip("0").rstrip(".")).replace("-", "−").replace("inf", "∞")
        return {"text": f" +{text}" if value >= 0 else f" {text}", "role": role}

    old, total = _score(slabs["alpha"][b][i]), _score(slabs["sum"][b][i][j])
    parts = [
        signed(slabs["transitions"][i][j], "transition"),
        signed(slabs["emission"][b][j], "emission"),
    ]
    return {
        "replaced": int(batch != batch_of(state)),
        "n": B * S * S,
        "word": word,
        "from": slabs["tags"][i],
        "to": slabs["tags"][j],
        "B": B,
        "S": S,
        "old": old,
        "sum": total,
        "parts": parts,
        "relation": equals(sum(shown(part) for part in (old, *(p["text"] for p in parts))), total),
        "gap": GAP,
        "left": GAP.join(_score(x) for x in slabs["reduced"][b][:j]),
        "new": _score(slabs["reduced"][b][j]),
        "right": GAP.join(_score(x) for x in slabs["reduced"][b][j + 1 :]),
    }


def _score(x: float | str) -> str:
    return format_score(float(x))


def _veil_reduced(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    return whole, now | {"slabs": now["slabs"] | {"reduced": None}}


# ---------------------------------------------------------------------- the score


def _terms(state: State) -> Payload:
    return picture.terms(batch_of(state)) | {"words": _words(state)}


def _terms_at(state: State, step: int) -> Payload:
    L = batch_of(state).shape[1]
    step = min(step, L - 1)
    return {"step": step, "column": step, "of": L}


# ---------------------------------------------------------------------- the bug


def fault_of(state: State) -> FaultyCode:
    """The faulty code on screen."""
    return FAULTS[NAMES[min(state.step or 0, len(NAMES) - 1)]]


def _clicked(state: State) -> int:
    """The line of this code that was clicked; −1: none."""
    name, line = state.control("line", CONTROLS)
    return line if name == fault_of(state).name else -1


def _bug(state: State) -> Payload:
    return {"words": _words(state)}


def _bug_at(state: State, step: int) -> Payload:
    fault, clicked = fault_of(state), _clicked(state)
    bug = picture.bug(fault, batch_of(state))
    found = clicked == fault.line
    if not found:
        bug |= {"mended": "", **_without_results(bug)}
    return {"step": min(step, len(NAMES) - 1), "bug": bug | {"clicked": clicked, "found": found}}


def _without_results(bug: Payload) -> Payload:
    """The input alone; the results stay hidden."""
    cells = bug["cells"]
    hidden = [{"words": row["words"], "right": row["right"]} for row in bug["results"]]
    return {"cells": cells and {"tags": cells["tags"]}, "results": hidden}


def _veil_results(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    return whole, now | {"bug": now["bug"] | _without_results(now["bug"])}


def _bug_facts(state: State, _step: int) -> dict[str, Any]:
    fault, clicked, text = fault_of(state), _clicked(state), BeatText.load(TEXT)
    batch, results = trial(fault, batch_of(state))
    b = wrong_row(batch, results)
    source = fault.lines[clicked] if clicked >= 0 else ""
    innocent = next((k for k, part in enumerate(fault.innocent, 1) if part in source), 0)
    why = f"innocent-{fault.name}-{innocent}" if innocent else f"hint-{fault.name}"
    forbidden = forbidden_first(batch, batch_of(state))
    return {
        "forbids": int(bool(forbidden)),
        "forbidden": forbidden,
        "state": "none" if clicked < 0 else "found" if clicked == fault.line else "wrong",
        "line": str(clicked + 1),
        "row": _sentence(batch, b),
        "result": text.segments(f"result-{fault.name}", {}),
        "why": text.segments(f"why-{fault.name}" if clicked == fault.line else why, {}),
    }


def _bug_bet(state: State, _step: int) -> Bet | None:
    fault = fault_of(state)
    if _clicked(state) != fault.line:
        return None
    batch, results = trial(fault, batch_of(state))
    return Bet(fault.outcomes, results[wrong_row(batch, results)].outcome)


BEATS = lesson(
    "batches",
    TEXT,
    Beat(
        "loop", _loop, _loop_facts, _loop_at, _steps, _opens, _loop_bet, _veil_kept, CONTROLS
    ),
    Beat("best", _back, _back_facts, _back_at, _steps, _rear, controls=CONTROLS),
    Beat("same", _same, _same_facts, controls=CONTROLS),
    Beat(
        "shapes", lambda state: {"words": _words(state)}, _slab_facts, _slabs_at, _steps,
        lambda problem: 2, lambda *_: Bet(("row", "from", "to"), "from"), _veil_reduced,
        CONTROLS,
    ),
    Beat("score", _terms, lambda state, step: {}, _terms_at, _steps, _opens,
            controls=CONTROLS, slot="low"),
    Beat(
        "bug", _bug, _bug_facts, _bug_at, lambda problem: range(len(NAMES)), lambda problem: 0,
        _bug_bet, _veil_results, CONTROLS,
    ),
)  # fmt: skip
