"""The lesson on constraints: a reading that makes no sense, the table that cuts it, who obeys."""

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from crf.figures.colours import tag_colours
from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_score, with_percent
from crf.strict_json import read_json
from crf.tagger.bundled import shipped
from crf.tagger.model_card import METRICS_NAME, MOST_BYTES
from pages.constraints import rules as ruled
from pages.constraints.rules import Cell, Mass, Rules
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.state import Given, State, StatePart
from pages.shared.figures.beat import Beat, Bet, lesson
from pages.shared.figures.beat_text import BeatText, Tagged
from pages.shared.figures.equation import equals, minus, shown
from pages.shared.figures.theme import count, log_probability

TEXT = Path(__file__).with_name("beats.md")
LEAST = 0.0005  # probability below which a ribbon is not sent
MOST_CELLS = 400  # of a control
SAMPLE_SEED = 1
USUAL = "paris-hilton"  # its tags have rules
DECODERS = ("viterbi", "second", "sample", "left-to-right", "posterior", "greedy")
MEASURED = {
    "viterbi": "viterbi",
    "left-to-right": "greedy_left_to_right",
    "posterior": "posterior_decode",
    "greedy": "greedy",
}
WORDS = (
    "label", "allowed", "left", "cut", "back", "nothing-out", "decoding", "training", "best",
    "others", "broken", "measured", "was", "rule-out", "reading", "yes", "no",
)  # fmt: skip


def read_cells(text: str) -> frozenset[Cell]:
    """Cells as "0.2-3.1"; "none" is no cell at all."""
    cells = set()
    for pair in text.split("-") if text != "none" else ():
        i, _, j = pair.partition(".")
        if not (i.isascii() and i.isdigit() and j.isascii() and j.isdigit() and len(pair) < 8):
            raise ValueError(text)
        cells.add((int(i), int(j)))
    if len(cells) > MOST_CELLS:
        raise ValueError(text)
    return frozenset(cells)


def write_cells(cells: frozenset[Cell]) -> str:
    """Write cells as `read_cells` reads them."""
    return "-".join(f"{i}.{j}" for i, j in sorted(cells)) or "none"


CONTROLS = {
    "flip": StatePart(frozenset(), read_cells),  # cells of the table whose rule is reversed
    "out": StatePart(None, read_cells),  # tags that are ruled out; None: those of `usual_out`
}


def rules_of(state: State) -> Rules:
    """The rules on screen."""
    return Rules("names", state.control("flip", CONTROLS))


def prepared(state: State) -> State:
    """The state, or that of a usual sentence where its tags have no rules."""
    if ruled.scheme_of(state.given.problem.tags) != "all":
        return state
    given = Given(EXAMPLES[USUAL].problem, "hand")
    return replace(state, given=given, edits={}, fixed={}, path=())


def usual_out(problem: Problem) -> frozenset[Cell]:
    """The tags ruled out at first: the second word's other kinds of name, else its first tag.

    >>> sorted(usual_out(Problem.blank(["O", "B-PER", "B-LOC"], ["x", "y"])))
    [(1, 0), (1, 1)]
    """
    tags, t = problem.tags, min(1, len(problem.tokens) - 1)
    if "-" in tags[-1]:
        kind = tags[-1][1:]
        return frozenset((t, s) for s, tag in enumerate(tags) if tag[1:] != kind)
    return frozenset({(t, 0)} if len(tags) > 1 else ())


@lru_cache(maxsize=32)
def mass_of(problem: Problem, part: Problem) -> Mass:
    """The probability of all readings and of a part of them, computed once."""
    return ruled.mass(problem, part)


def out_of(state: State) -> frozenset[Cell]:
    """The tags that the reader has ruled out."""
    problem, cells = state.problem, state.control("out", CONTROLS)
    cells = usual_out(problem) if cells is None else cells
    L, S = len(problem.tokens), len(problem.tags)
    return frozenset((t, s) for t, s in cells if t < L and s < S)


def held_of(state: State) -> Problem:
    """The problem with the rules in its scores."""
    return ruled.constrained(state.problem, rules_of(state))


def _best(problem: Problem) -> list[int]:
    """The best path; [] where there is none."""
    chain = problem.chain()
    return chain.viterbi().tags[0].tolist() if chain.feasible.item() else []


def _words() -> dict[str, str]:
    text = BeatText.load(TEXT)
    facts = {"sentences": count(_metrics("ner")["sentences"])}
    return {name: text.plain(f"word-{name}", facts) for name in WORDS}


# ---------------------------------------------------------------------- what is drawn


def _flow(problem: Problem, mass: Mass, path: list[int], breaks: list[int]) -> Payload:
    """All readings as blocks [L][S] and ribbons, each with the share of it that is kept."""

    def pairs(whole: Any, part: Any) -> list[list[list[float]]]:
        return [
            [[round(p, 6), round(min(q, p), 6)] for p, q in zip(*row, strict=True)]
            for row in zip(whole.tolist(), part.tolist(), strict=True)
        ]

    places = (mass.ribbons >= LEAST).nonzero().tolist()
    return {
        "tags": _tags(problem),
        "tokens": list(problem.tokens),
        "blocks": pairs(mass.blocks, mass.kept),
        "ribbons": [
            [
                *place,
                round(mass.ribbons[tuple(place)].item(), 6),
                round(mass.kept_ribbons[tuple(place)].item(), 6),
            ]
            for place in places
        ],
        "share": round(mass.share, 6),
        "path": path,
        "breaks": breaks,
        "words": _words(),
    }


def _tags(problem: Problem) -> list[Payload]:
    """Names and hues; tags that continue a name are lighter than those that begin it."""
    colours = tag_colours(problem.tags)
    return [
        {"name": tag, "colour": _lighter(colours[tag]) if tag.startswith("I-") else colours[tag]}
        for tag in problem.tags
    ]


def _lighter(colour: str) -> str:
    return ", ".join(str(round(0.55 * int(c) + 0.45 * 255)) for c in colour.split(","))


def _broken(state: State) -> Payload:
    problem = state.problem
    path = _best(problem)
    breaks = ruled.broken(path, problem, rules_of(state)) if path else []
    return _flow(problem, mass_of(problem, problem), path, breaks) | {"share": None}


def _breaks(state: State) -> Payload:
    return _flow(state.problem, mass_of(state.problem, held_of(state)), [], [])


def _switch(state: State) -> Payload:
    held = held_of(state)
    return _flow(state.problem, mass_of(state.problem, held), _best(held), [])


def _part(state: State) -> Payload:
    held, out = held_of(state), out_of(state)
    mass = mass_of(held, ruled.without(held, out))
    return _flow(held, mass, [], []) | {"out": [list(cell) for cell in sorted(out)]}


def _veil_part(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    """Hide the result: show every block whole."""
    if whole:
        blocks = [[[p, p] for p, _ in column] for column in whole["blocks"]]
        ribbons = [[t, i, j, p, p] for t, i, j, p, _ in whole["ribbons"]]
        whole = whole | {"blocks": blocks, "ribbons": ribbons, "share": None}
    return whole, now


def _train(state: State) -> Payload:
    mass, path = mass_of(state.problem, held_of(state)), _best(held_of(state))
    p = _p(state.problem, path)
    return {
        "share": mass.share,
        "p": p,
        "words": _words(),
        "path": _names(state.problem, path),
        "p_held": p / mass.share if mass.share else 0.0,
    }


def _who(state: State) -> Payload:
    problem = state.problem
    measured = _metrics("ner")["spans"]
    rows = [
        {
            "name": BeatText.load(TEXT).plain(f"decoder-{name}", {}),
            "path": path,
            "breaks": ruled.broken(path, problem, rules_of(state)),
            "measured": measured[MEASURED[name]]["invalid_tags"] if name in MEASURED else None,
        }
        for name, path in readings(state).items()
    ]
    return {"tags": _tags(problem), "tokens": list(problem.tokens), "rows": rows, "words": _words()}


def readings(state: State) -> dict[str, list[int]]:
    """What each decoder makes of the scores with the rules in them; {} where all is forbidden."""
    chain = held_of(state).chain()
    if not chain.feasible.item():
        return {}
    best, sample = chain.topk(2), chain.sample(1, torch.Generator().manual_seed(SAMPLE_SEED))
    paths = {"viterbi": best.tags[0, 0].tolist()}
    if best.valid[0, -1].item() and best.tags.shape[1] > 1:
        paths["second"] = best.tags[0, 1].tolist()
    return paths | {
        "sample": sample[0, 0].tolist(),
        "left-to-right": chain.greedy_left_to_right()[0].tolist(),
        "posterior": chain.posterior_decode()[0].tolist(),
        "greedy": chain.greedy()[0].tolist(),
    }


@lru_cache(maxsize=4)
def _metrics(name: str) -> dict[str, Any]:
    """The metrics of a shipped tagger."""
    return read_json((shipped(name) / METRICS_NAME).read_bytes(), MOST_BYTES)


# ---------------------------------------------------------------------- facts


def _p(problem: Problem, path: list[int]) -> float:
    return problem.chain().log_prob(torch.tensor([path])).exp().item() if path else 0.0


def _names(problem: Problem, path: list[int]) -> str:
    return " ".join(problem.tags[s] for s in path)


def _share(p: float) -> str:
    """A probability as blocks show it: .24."""
    if 0 < p < 0.0005:
        return log_probability(math.log(p))
    if p >= 0.995:
        return decimal(">.99") if p < 1 - 1e-12 else "1"
    return decimal(f"{p:.{3 if 0 < p < 0.0995 else 2}f}".lstrip("0"))


def _percent(p: float) -> str:
    return "<1" if 0 < p < 0.005 else ">99" if 0.995 <= p < 1 - 1e-12 else f"{100 * p:.0f}"


def _case(state: State) -> str:
    """The effect of the rules on the problem, as a case."""
    problem, rules = state.problem, rules_of(state)
    held = held_of(state)
    if not problem.chain().feasible.item():
        return "impossible"
    if ruled.count(problem) == ruled.count(problem, rules):
        return "free"
    if not held.chain().feasible.item():
        return "nothing"
    return "already" if ruled.does_nothing(problem, rules) else "works"


def _facts(state: State, _step: int = 0) -> dict[str, Any]:
    """The facts about the rules that all beats use."""
    problem, rules, held = state.problem, rules_of(state), held_of(state)
    mass, tags = mass_of(problem, held), problem.tags
    path, best = _best(problem), _best(held)
    breaks = ruled.broken(path, problem, rules) if path else []
    t = breaks[0] if breaks else 0
    return {
        "case": _case(state), "brought": int(
            state.given.problem is EXAMPLES[USUAL].problem and state.base.example != USUAL
        ),
        "where": "none" if not breaks else "start" if t == 0 else "end" if t == len(path)
        else "step",
        "before": _tagged(problem, path[t - 1]) if breaks and t else "",
        "after": _tagged(problem, path[t]) if breaks and t < len(path) else "",
        "illegal": _percent(1 - mass.share),
        "allowed": count(ruled.count(problem, rules)), "all": count(ruled.count(problem)),
        "kind": ruled.kind(tags), "best": _names(problem, best),
        "differs": int(path != best), "tie": int(bool(best) and ChainSummary(held).has_ties),
        **_division(_p(problem, best), mass.share, _p(held, best)),
        "rule": "names" if ruled.kind(tags) else "chunks",
        "own": int(bool(rules.flipped)),
    }  # fmt: skip


def _division(p: float, legal: float, p_held: float) -> dict[str, Any]:
    """A probability among all readings, and among the allowed ones."""
    texts = [_share(part) for part in (p, legal, p_held)]
    exact = p > 0 and not any(mark in text for text in texts for mark in "<>")
    return {
        "p": texts[0],
        "legal": texts[1],
        "p_held": texts[2],
        "exact": int(exact),
        "relation": equals(shown(texts[0]) / shown(texts[1]), texts[2]) if exact else "≈",
    }


def _tagged(problem: Problem, s: int) -> Tagged:
    return Tagged(problem.tags[s], s)


def _bet(state: State, _step: int) -> Bet | None:
    """How much breaks a rule: the share, the rest, and two smaller ones."""
    if _case(state) != "works":
        return None
    x = round(100 * (1 - mass_of(state.problem, held_of(state)).share))
    options = sorted({x, 100 - x, round(x / 7), round(x / 38)})
    if not 2 <= x <= 98 or len(options) < 3:
        return None
    labels = {f"p{n}": with_percent(str(n)) for n in options}
    return Bet(tuple(labels), f"p{x}", labels)


def _part_facts(state: State, _step: int = 0) -> dict[str, Any]:
    problem, held, out = state.problem, held_of(state), out_of(state)
    mass = mass_of(held, ruled.without(held, out))
    places, t = sorted({t for t, _ in out}), _neighbour(state)
    facts: dict[str, Any] = {
        "out": len(out),
        "left": _percent(mass.share),
        "loss": "",
        "case": "some",
        "known": problem.word(places[0]) if places else "",
        "word": problem.word(t),
        "usual": int(out == usual_out(problem) and "-" in problem.tags[-1]),
        "tag": "",
        "now": "",
        "was": "",
        "still": 0,
        "even": 0,
        "kind": _kind(problem),
    }
    if not held.chain().feasible.item():
        return facts | {"case": "impossible"}
    if not out:
        return facts | {"case": "none"}
    if not mass.share:
        return facts | {"case": "nothing"}
    s = int(mass.kept[t].argmax())
    now, was = _share(mass.kept[t, s].item() / mass.share), _share(mass.blocks[t, s].item())
    return facts | _loss(mass) | {
        "tag": problem.tags[s], "now": now, "was": was, "still": int(now == was)
    }  # fmt: skip


def _loss(mass: Mass) -> dict[str, Any]:
    """−log of a share as a difference, with digits enough to show that it is not 0."""
    loss = -math.log(mass.share)
    digits = next((n for n in range(2, 7) if loss >= 10.0 ** (1 - n)), 6)
    left, right, difference = (format_score(x, digits) for x in (mass.log_z, mass.log_z_part, loss))
    return {
        "even": int(loss < 1e-5),
        "log_z": left,
        "less_part": minus(right),
        "loss": difference,
        "relation": equals(shown(left) - shown(right), difference),
    }


def _kind(problem: Problem) -> str:
    """What the last tag's kind of name is called."""
    text, kind = BeatText.load(TEXT), problem.tags[-1][2:]
    return text.plain(f"kind-{kind}", {}) if text.has(f"kind-{kind}") else kind


def _neighbour(state: State) -> int:
    """A word beside one of which something is known, the one before it if there is one."""
    places = {t for t, _ in out_of(state)}
    free = [t for t in range(len(state.problem.tokens)) if t not in places]
    return min(free, key=lambda t: (min((abs(t - k) for k in places), default=0), t), default=0)


def _part_bet(state: State, _step: int) -> Bet | None:
    """The two likeliest tags of the neighbour."""
    facts, problem = _part_facts(state), state.problem
    if facts["case"] != "some":
        return None
    held = held_of(state)
    mass, t = mass_of(held, ruled.without(held, out_of(state))), _neighbour(state)
    before = mass.blocks[t].tolist()
    two = sorted(sorted(range(len(before)), key=lambda s: -before[s])[:2])
    most = int(mass.kept[t].argmax())
    if len(two) < 2 or most not in two or min(before[s] for s in two) < 0.01:
        return None
    labels = {f"t{s}": problem.tags[s] for s in two}
    return Bet(tuple(labels), f"t{max(two, key=mass.kept[t].__getitem__)}", labels)


def _train_facts(state: State, step: int) -> dict[str, Any]:
    ours, twin = _metrics("ner"), _metrics("ner-softmax")
    cut = twin["spans"]["viterbi_constrained"]
    return _facts(state, step) | {
        "sentences": count(ours["sentences"]),
        "twin_f1": _percent_of(twin),
        "twin_bad": str(twin["invalid_tags"]),
        "cut_f1": _percent_of(cut),
        "crf_f1": _percent_of(ours),
    }


def _percent_of(spans: dict[str, Any]) -> str:
    return decimal(f"{100 * spans['span_f1']:.1f}")


def _who_facts(state: State, step: int) -> dict[str, Any]:
    rules, paths = rules_of(state), readings(state)
    bad = [name for name, path in paths.items() if ruled.broken(path, state.problem, rules)]
    metrics = _metrics("ner")
    measured = metrics["spans"]
    return _facts(state, step) | {
        "sentences": count(metrics["sentences"]),
        "bad": len(bad),
        "readings": len(paths),
        "greedy": count(measured["greedy"]["invalid_tags"]),
        "posterior": count(measured["posterior_decode"]["invalid_tags"]),
    }


BEATS = lesson(
    "constraints",
    TEXT,
    *(
        beat._replace(prepare=prepared, controls=CONTROLS)
        for beat in (
            Beat("broken", _broken, _facts, bet=_bet),
            Beat("breaks", _breaks, _facts, slot="button"),
            Beat("switch", _switch, _facts, slot="button"),
            Beat(
                "part",
                _part,
                _part_facts,
                bet=_part_bet,
                veil=_veil_part,
                slot="button",
            ),
            Beat("train", _train, _train_facts),
            Beat("who", _who, _who_facts),
        )
    ),
    chooses=False,
)
