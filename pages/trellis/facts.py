"""What the trellis's beats say: the facts that fill their sentences, and their equations."""

import math
from collections.abc import Sequence
from typing import Any

from crf.figures.numbers import (
    bare,
    decimal,
    format_count,
    format_percent,
    format_probability,
    format_score,
    format_table_probability,
)
from crf.steps import Step
from pages.shared.course.state import State
from pages.shared.figures.beat_text import Segment
from pages.shared.figures.text import say
from pages.trellis import picture

NAMED = 0.05  # of a sum: smaller terms are counted, not written
MANY_TERMS = 8
NEARLY_ALL = 0.995  # of a sum: rounded to 100 %
AGE_OF_THE_UNIVERSE = 4.35e17  # seconds (13.8 billion years)
PER_SECOND = 1e9  # paths that a computer lists
LONG = 60  # words
EXACT = 4  # decimals of what a reader types into a calculator


def signed(score: float) -> str:
    """A score as its pill has it: always with its sign.

    >>> signed(2.0), signed(-0.5), signed(0.0), signed(-math.inf), signed(0.125)
    ('+2', '−0.5', '0', '−∞', '+0.13')
    """
    if score == -math.inf:
        return "−∞"
    text = f"{score + 1e-12:+.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("+0", "-0") else decimal(text.replace("-", "−"))


def number(value: float, digits: int = 2) -> str:
    """A value as its cell has it."""
    return format_score(value, digits)


def digits_of(state: State) -> int:
    """Decimals of sums of scores: one where all scores have at most one, else two."""
    problem = state.problem
    rows = [*problem.emissions, problem.start, problem.end]
    rows += [row for t in range(1, len(problem.tokens)) for row in problem.matrix(t)]
    scores = (score for row in rows for score in row if score > -math.inf)
    return 1 if all(abs(score * 10 - round(score * 10)) < 1e-9 for score in scores) else 2


def probability(p: float) -> str:
    """A probability without the 0 before its point."""
    return bare(format_probability(min(p, 1.0)))


def share(p: float) -> str:
    """A share with two decimals; what is less than .01 says so.

    >>> share(0.738), share(0.001), share(0.0), share(0.9999)
    ('.74', '<.01', '0', '1.00')
    """
    if 0 < p < 0.005:
        return decimal("<.01")
    return decimal(f"{p:.2f}".removeprefix("0")) if p else "0"


def names(state: State, path: Sequence[int]) -> str:
    """A path, or the beginning of one, by the names of its tags."""
    return " ".join(state.problem.tags[s] for s in path)


def of_problem(state: State) -> dict[str, Any]:
    """Facts that are the same at every step."""
    problem, found = state.problem, picture.numbers(state.problem)
    S, L = len(problem.tags), len(problem.tokens)
    best, digits = list(found.best_path), digits_of(state)
    differs = first_difference(found.greedy, best)
    return {
        "tags": S, "words": L, "count": format_count(S**L) if S**L < 10**15 else power(S, L),
        "none": int(not found.feasible), "tie": int(found.has_ties),
        "log_z": number(found.log_z), "less_log_z": less(found.log_z),
        "fixed": len(state.fixed),
        "verbless": int(_lacks_verb(problem.tags, found.greedy, best)),
        "best_score": number(found.best_score, digits),
        "best": names(state, best), "greedy": names(state, found.greedy),
        "differs": int(differs is not None),
        "word": problem.tokens[differs or 0],
    }  # fmt: skip


def less(value: float) -> str:
    """A number to subtract, with its sign.

    >>> less(19.43242), less(-0.5)
    ('− 19.4324', '+ 0.5000')
    """
    text = number(value, EXACT)
    return f"+ {text[1:]}" if text.startswith("−") else f"− {text}"


def _lacks_verb(tags: Sequence[str], greedy: Sequence[int], best: Sequence[int]) -> bool:
    """Whether the best reading has a verb, and the greedy one has none."""
    verb = tags.index("VERB") if "VERB" in tags else -1
    return verb in best and verb not in greedy


def power(base: int, exponent: int) -> str:
    """A count as a power.

    >>> power(17, 60)
    '17⁶⁰'
    """
    return str(base) + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first place at which two paths differ."""
    pairs = zip(one, other, strict=False)
    return next((t for t, (a, b) in enumerate(pairs) if a != b), None)


def of_path(state: State, path: Sequence[int]) -> dict[str, Any]:
    """Facts about one path: its score and its probability."""
    steps = picture.stairs(state.problem, path)
    score = sum(step["score"] for step in steps)
    found = picture.numbers(state.problem)
    log_z, digits = found.log_z, digits_of(state)
    p = math.exp(score - log_z) if score > -math.inf and log_z > -math.inf else 0.0
    return {
        "path": names(state, path), "score": number(score, digits), "p": probability(p),
        "exact_score": number(score, digits if digits == 1 else EXACT),
        "is_best": int(list(path) == list(found.best_path)),
        "allowed": int(score > -math.inf),
    }  # fmt: skip


def of_step(state: State, step: Step, mode: str) -> dict[str, Any]:
    """Facts about a step: one cell, the total, or one step back."""
    problem, digits = state.problem, digits_of(state) if mode == "best" else 2
    terms = sorted(step.terms, key=lambda term: (-term.share, -term.log_value))
    allowed = [term for term in step.terms if term.log_value > -math.inf]
    top = terms[0] if terms else None
    emission = next((part.value for part in step.added if part.role == "emission"), None)
    facts: dict[str, Any] = {
        "kind": step.kind, "first": int(step.kind == "cell" and _is_first(step)),
        "word": problem.tokens[step.token] if step.token >= 0 else "",
        "tag": problem.tags[step.row] if step.row >= 0 else "",
        "ways": len(step.terms), "open": len(allowed), "shut": max(len(allowed) - 1, 0),
        "value": number(step.log_value, digits),
        "reached": int(step.log_value > -math.inf),
        "emission": signed(emission) if emission is not None else "",
        "tie": int(len(step.ties) > 1), "ties": len(step.ties),
        "even": int(_are_even([term.share for term in terms])),
        "whole": int(bool(terms) and terms[0].share >= NEARLY_ALL),
    }  # fmt: skip
    if top is not None:
        source = top.source
        facts |= {
            "from": problem.tags[source] if source >= 0 else "",
            "share": format_percent(top.share, 0),
            "arrives": number(top.log_value, digits),
            "edge": signed(next((p.value for p in top.parts if p.role != "previous"), 0.0)),
        }
    return facts


def _are_even(shares: Sequence[float]) -> bool:
    return len(shares) > 1 and max(shares) - min(shares) < 1e-9


def _is_first(step: Step) -> bool:
    return bool(step.terms) and all(term.source < 0 for term in step.terms)


def equation(state: State, step: Step, mode: str) -> list[Segment]:
    """A step with its numbers, in the colours of the picture."""
    if not step.terms or step.kind == "backtrace":
        return []
    digits = digits_of(state) if mode == "best" else 2
    terms = list(step.terms)
    hidden = 0
    if len(terms) > MANY_TERMS:
        top = max(term.share for term in terms)
        written = [t for t in terms if t.share >= NAMED or t.share == top]
        hidden, terms = len(terms) - len(written), sorted(written, key=lambda t: -t.share)
    made: list[Segment] = []
    several = len(step.terms) > 1
    if several:
        made.append("max ( " if mode == "best" else "log Σ exp ( ")
    for k, term in enumerate(terms):
        if k:
            made.append(" , ")
        for place, part in enumerate(term.parts):
            made += [" "] * (place > 0) + _part(part.role, part.value, digits)
    if hidden:
        made.append(f" , {say('trellis.more', n=hidden)}")
    if several:
        made.append(" )")
    for part in step.added:
        made += [" ", *_part(part.role, part.value, digits)]
    made += [" = ", {"text": number(step.log_value, digits), "bold": True}]
    return made


def _part(role: str, value: float, digits: int) -> list[Segment]:
    if role == "previous":
        return [number(value, digits)]
    kind = {"transition": "transition", "emission": "emission"}.get(role, "edge")
    return [{"text": signed(value) if value else "+0", "role": kind}]


def of_mind(state: State, step: Step) -> dict[str, Any]:
    """Facts about a change of mind: which prefix led before, and which leads now."""
    trace, t = picture.numbers(state.problem).viterbi, step.token
    S, digits = len(trace.tags), digits_of(state)
    cells = [one for one in trace.steps if one.kind == "cell"]
    column, earlier = cells[t * S : (t + 1) * S], cells[max(t - 1, 0) * S : max(t, 1) * S]
    was = max(earlier, key=lambda one: one.log_value)
    now = max(column, key=lambda one: one.log_value)
    carried = _continued(now, was)
    previous = now.best_prefix[:-1] if now.best_prefix else ()
    overtaken = next((one for one in earlier if one.best_prefix == previous), was)
    led = was.best_prefix or ()
    going_on = [one for one in column if (one.best_prefix or ())[:-1] == led]
    others = [one for one in column if t and one.best_prefix and one not in going_on]
    stays = (*led, now.row) if t and led else led
    other = max(others, key=lambda one: one.log_value, default=None)
    return {
        "begin": int(t == 0), "stays": names(state, stays),
        "other": names(state, other.best_prefix or ()) if other else "",
        "changes": int(t in picture.changes_of_mind(state)),
        "word": state.problem.tokens[t], "before": state.problem.tokens[max(t - 1, 0)],
        "led": names(state, was.best_prefix or ()), "led_score": number(was.log_value, digits),
        "behind": number(overtaken.log_value, digits),
        "leads": names(state, now.best_prefix or ()), "score": number(now.log_value, digits),
        "carried": number(carried, digits),
    }  # fmt: skip


def _continued(now: Step, was: Step) -> float:
    """The score in a cell of the beginning that led one word before."""
    term = next((term for term in now.terms if term.source == was.row), None)
    added = sum(part.value for part in now.added)
    return term.log_value + added if term else -math.inf


def of_meeting(state: State, t: int) -> dict[str, Any]:
    """Facts about one word's tags: their shares from the left, from the right, and from both."""
    found, tags = picture.numbers(state.problem), state.problem.tags
    left, right = (picture.shares(table[t]) for table in (found.log_alphas, found.log_betas))
    both = found.marginals[t]
    from_left, from_right, winner = (
        max(range(len(tags)), key=p.__getitem__) for p in (left, right, both)
    )
    return {
        "word": state.problem.tokens[t],
        "left": tags[from_left], "left_p": format_table_probability(left[from_left]),
        "right": tags[from_right], "right_p": format_table_probability(right[from_right]),
        "winner": tags[winner], "p": format_table_probability(both[winner]),
        "agree": int(from_left == from_right), "tie": int(is_tie(both)),
        "side": "left" if winner == from_left else "right" if winner == from_right else "neither",
    }  # fmt: skip


def is_tie(p: Sequence[float]) -> bool:
    """Whether the two most probable tags are as probable, to two decimals."""
    first, second, *_ = [*sorted(p, reverse=True), 0.0]
    return first - second < 0.005


def meeting_equation(state: State, t: int) -> list[Segment]:
    """left × right for the two most probable tags, divided by the sum."""
    found, tags = picture.numbers(state.problem), state.problem.tags
    left, right = (picture.shares(table[t]) for table in (found.log_alphas, found.log_betas))
    both = found.marginals[t]
    made: list[Segment] = []
    most = sorted(sorted(range(len(tags)), key=lambda s: -both[s])[:2])
    for s in most:
        product = left[s] * right[s]
        made.append(f"{tags[s]} {_three(left[s])} × {_three(right[s])} = {_three(product)}   ")
    made.append(f"{say('trellis.divided')} ")
    for s in most:
        made += [f"{tags[s]} ", {"text": format_table_probability(both[s]), "bold": True}, "   "]
    return made


def _three(p: float) -> str:
    """A probability with three decimals.

    >>> _three(0.1674), _three(0.0004)
    ('.167', '<.001')
    """
    return decimal("<.001" if 0 < p < 0.0005 else f"{p:.3f}".removeprefix("0"))


def count_table(state: State) -> list[dict[str, Any]]:
    """How many paths sentences of 1 to 60 words have, and how long a list of them takes."""
    S = len(state.problem.tags)
    return [
        {
            "words": words,
            "log10": words * math.log10(S),
            "text": format_count(S**words) if S**words < 10**12 else power(S, words),
        }
        for words in range(1, LONG + 1)
    ]


def is_too_long(state: State) -> bool:
    """Whether a list of the paths of 60 words takes longer than the universe is old."""
    seconds = LONG * math.log10(len(state.problem.tags)) - math.log10(PER_SECOND)
    return seconds > math.log10(AGE_OF_THE_UNIVERSE)


def rise(state: State, token: int, tag: int) -> float:
    """By how much log Z rises when one emission rises by 1: log(1 + p (e − 1))."""
    p = picture.numbers(state.problem).marginals[token][tag]
    return math.log1p(p * (math.e - 1))
