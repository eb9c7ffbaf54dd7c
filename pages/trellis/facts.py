"""What the trellis's beats say: the facts that fill their sentences, and their equations.

Each beat has the facts `of_problem`, and its own at a step of a state. In both a fixed tag is a
score of −∞ for the word's other tags.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from crf.figures.flow.payload import Payload
from crf.figures.numbers import bare, decimal, superscript
from crf.steps import Step
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat_text import BeatText
from pages.shared.figures.equation import equals, shown
from pages.shared.figures.theme import (
    count,
    number,
    percent,
    probability,
)
from pages.trellis import picture
from pages.trellis.notation import (
    TIE,
    amount,
    digits_of,
    factor,
    scored,
    signed,
    written,
)

TEXT = Path(__file__).with_name("beats.md")
SURE = 0.01  # of a probability: what is missing to 1 is little
NEARLY_ALL = 0.995  # of a sum: rounded to 100 %
AGE_OF_THE_UNIVERSE = 4.35e17  # seconds (13.8 billion years)
YEAR = 3.156e7  # seconds
PER_SECOND = 1e9  # paths that a computer lists
EXACT = 4  # decimals of what a reader types into a calculator

BeatFacts = dict[str, Any]


def text() -> BeatText:
    """The words of the beats."""
    return BeatText.load(TEXT)


# ---------------------------------------------------------------------- numbers as text


def less(value: float) -> str:
    """A number to subtract, with its sign.

    >>> less(19.43242), less(-0.5)
    ('− 19.4324', '+ 0.5000')
    """
    text = number(value, EXACT)
    return f"+ {text[1:]}" if text.startswith("−") else f"− {text}"


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


# ---------------------------------------------------------------------- facts


def of_problem(state: State) -> BeatFacts:
    """Facts that are the same at every beat and step."""
    problem, chain = state.problem, picture.numbers(state.problem)
    S, L = len(problem.tags), len(problem.tokens)
    greedy, best = chain.greedy, list(chain.best_path)
    verb = problem.tags.index("VERB") if "VERB" in problem.tags else -1
    verbs = {s for s, tag in enumerate(problem.tags) if tag in ("VERB", "AUX")}
    differs = picture.first_difference(greedy, best)
    free = L - len(state.fixed)
    amounts = {
        "fixed": len(state.fixed),
        "free": free,
        "count": _power(S, L),
        "fits": _power(S, free),
    }
    return amounts | {
        "tags": S,
        "words": L,
        "own": int(state.given.source != "hand"),
        "readings": text().plain("readings", amounts),  # that log Z adds up
        "none": int(not chain.feasible),
        "tie": int(chain.has_ties),
        "own_tie": int(any(row.count(max(row)) > 1 for row in map(list, problem.emissions))),
        "log_z": number(chain.log_z),
        "less_log_z": less(chain.log_z),
        "verbless": int(verb in best and not verbs & set(greedy)),
        "best_score": number(chain.best_score, digits_of(state)),
        "best": names(state, best),
        "greedy": names(state, greedy),
        "differs": int(differs is not None),
        "greedy_best": int(differs is not None and greedy_is_best(state)),
        "word": problem.word(differs or 0),
    }


def _power(base: int, exponent: int) -> str:
    """A number of readings, written out where that is short."""
    value = base**exponent
    return count(value) if value < 10**15 else f"{base}{superscript(exponent)}"


def of_greedy(state: State, _number: int) -> BeatFacts:
    """The score of the path whose tags are best word by word."""
    return {"greedy_score": of_path(state, picture.numbers(state.problem).greedy)["score"]}


def greedy_is_best(state: State) -> bool:
    """Whether the tags that are best word by word score as much as the best path."""
    chain = picture.numbers(state.problem)
    score = sum(step["score"] for step in picture.stairs(state.problem, chain.greedy))
    return chain.feasible and is_level(score, chain.best_score)


def is_level(one: float, other: float) -> bool:
    """Whether two scores are the same, but for rounding."""
    return one == other or math.isclose(one, other, rel_tol=TIE, abs_tol=TIE)


def of_path(state: State, path: Sequence[int]) -> BeatFacts:
    """One path: its score and its probability."""
    chain, digits = picture.numbers(state.problem), digits_of(state)
    score = sum(step["score"] for step in picture.stairs(state.problem, path))
    p = math.exp(score - chain.log_z) if score > -math.inf and chain.feasible else 0.0
    exact, text = number(score, digits if digits == 1 else EXACT), bare(probability(min(p, 1.0)))
    log_p = shown(exact) - shown(number(chain.log_z, EXACT)) if p else -math.inf
    return {
        "score": number(score, digits),
        "p": text,
        "exact_score": exact,
        "relation": "≈" if text.startswith("≥") else equals(math.exp(min(log_p, 0.0)), text),
        "is_best": int(list(path) == list(chain.best_path)),
        "allowed": int(score > -math.inf),
    }


def _of_best(state: State) -> BeatFacts:
    """The best path's score and its probability."""
    chain = picture.numbers(state.problem)
    best = of_path(state, chain.best_path or chain.greedy)
    return {
        "exact_score": best["exact_score"],
        "p_best": best["p"],
        "of_best": best["relation"],
    }


def of_count(state: State, _number: int) -> BeatFacts:
    """How many paths sentences of 20 and 60 words have, and whether a list of the latter ends."""
    S, long = len(state.problem.tags), picture.LONG
    seconds = long * math.log10(S) - math.log10(PER_SECOND)
    return {
        "twenty": f"{S}{superscript(20)}",
        "sixty": f"{S}{superscript(long)}",
        "years": count(round(10 ** min(seconds - math.log10(YEAR), 9))),
        "long": int(seconds > math.log10(AGE_OF_THE_UNIVERSE)),
    }


def of_regroup(state: State, still: int) -> BeatFacts:
    """One of the stills."""
    table = picture.regrouping(state)
    (first, second), (one, other), factor = table["words"], table["to"], table["first"][0]
    return {
        "still": still + 1,
        "first": first,
        "second": second,
        "one": one,
        "other": other,
        "total": amount(table["total"]),
        "score": (score := signed(math.log(factor) if factor else -math.inf)),
        "factor": (text := amount(factor)),
        "relation": equals(math.exp(min(shown(score), 700.0)), text),
    }


def of_steps(mode: str, opens: Callable[[Problem], int]) -> Callable[[State, int], BeatFacts]:
    """The steps of a mode's trace, for a beat that opens at one of them."""

    def of(state: State, number: int) -> BeatFacts:
        step = picture.step_at(state, mode, number)
        facts = of_step(state, step, mode)
        facts["opening"] = int(number == opens(state.given.problem))
        for name in ("ways", "open", "ties"):
            facts[f"{name}_word"] = text().plain("number", {"n": facts[name]})
        return facts

    return of


def of_step(state: State, step: Step, mode: str) -> BeatFacts:
    """One cell, the total, or one step back."""
    problem, digits = state.problem, digits_of(state) if mode == "best" else 2
    terms = sorted(step.terms, key=lambda term: (-term.share, -term.log_value))
    shares = [term.share for term in terms]
    allowed = sum(term.log_value > -math.inf for term in terms)
    last = step.token == len(problem.tokens) - 1
    end = problem.end[step.row] if step.kind == "cell" and last else 0.0
    emission = next((part.value for part in step.added if part.role == "emission"), None)
    own = problem.emissions[step.token][step.row] if step.kind == "cell" else 0.0
    facts: BeatFacts = {
        "form": state.form,
        "scale": state.scale,
        "ends": state.ends,
        "total": "Z" if state.scale == "potential" else "log Z",
        "own": signed(own),
        "factor": factor(own),
        "kind": step.kind,
        "first": int(step.kind == "cell" and {term.source for term in terms} == {-1}),
        "word": problem.word(step.token) if step.token >= 0 else "",
        "tag": problem.tags[step.row] if step.row >= 0 else "",
        "ways": len(terms),
        "open": allowed,
        "closed": len(terms) - allowed,
        "ends_here": int(math.isfinite(end) and end != 0),
        "end": signed(end),
        "end_factor": factor(end),
        "value": written(step.log_value, digits, state.scale),
        "reached": int(step.log_value > -math.inf),
        "banned": int(step.kind == "cell" and state.fixed.get(step.token, step.row) != step.row),
        "fixed_tag": problem.tags[state.fixed.get(step.token, 0)],
        "emission": "" if emission is None else scored(emission, state.scale),
        "tie": int(len(step.ties) > 1),
        "ties": len(step.ties),
        "even": int(len(shares) > 1 and max(shares) - min(shares) < TIE),
        "level": int(len(shares) > 1 and shares[0] - shares[1] < TIE),
        "whole": int(bool(shares) and shares[0] >= NEARLY_ALL),
    }
    if terms:
        top = terms[0]
        facts |= {
            "from": problem.tags[top.source] if top.source >= 0 else "",
            "share": percent(top.share, 0),
            "arrives": written(top.log_value, digits, state.scale),
        }
    return facts


def with_remainder(state: State, mode: str, now: Payload) -> Payload:
    """The same step, with the sentence about the tags without a row where it is one of theirs."""
    if one := now["folded"]:
        problem, digits = state.problem, digits_of(state) if mode == "best" else 2
        values = {
            "others": len(problem.tags) - len(picture.numbers(problem).kept),
            "word": problem.word(now["column"]),
            "value": written(float(one["value"]), digits, state.scale),
        }
        one["say"] = text().segments(f"{mode}-other", values)
    return now


def of_logz(state: State, step_number: int) -> BeatFacts:
    """The total, and by how much it rises with an emission: log(1 + p (e − 1)).

    The emission is where greedy first differs from the best path; where they are the same, the
    least certain tag of the best path.
    """
    problem, chain = state.problem, picture.numbers(state.problem)
    best = chain.best_path or chain.greedy
    t = picture.first_difference(chain.greedy, best)
    if t is None:
        t = min(range(len(best)), key=lambda t: chain.marginals[t][best[t]])
    p = chain.marginals[t][best[t]]
    rise = math.log1p(p * (math.e - 1))
    return of_step(state, picture.step_at(state, "add", step_number), "add") | {
        "cell_word": problem.word(t),
        "cell_tag": problem.tags[best[t]],
        "rise": share(rise),
        "relation": equals(math.log1p(shown(share(p).strip("<")) * (math.e - 1)), share(rise)),
        "p": share(p),
        **_of_best(state),
        "sure": int(rise >= NEARLY_ALL),
        "small": int(rise < 0.005 or p < 0.005),
        "hundredth": decimal(".01"),
    }


def of_mind(state: State, step_number: int) -> BeatFacts:
    """A change of mind: which prefix led before, and which leads now."""
    chain, digits = picture.numbers(state.problem), digits_of(state)
    problem, t = state.problem, picture.step_at(state, "best", step_number).token
    columns, before = picture.columns(chain.viterbi), max(t - 1, 0)
    column, earlier = columns[t], columns[before]
    was = max(earlier, key=lambda cell: cell.log_value)
    now = max(column, key=lambda cell: cell.log_value)
    previous = now.best_prefix[:-1] if now.best_prefix else ()
    overtaken = next((cell for cell in earlier if cell.best_prefix == previous), was)
    led = was.best_prefix or ()
    others = [c for c in column if t and c.best_prefix and c.best_prefix[:-1] != led]
    stays = (*led, now.row) if t and led else led
    other = max(others, key=lambda cell: cell.log_value, default=None)
    # how far the prefix that led one word before comes here, with its best next tag
    carried = max(
        (
            term.log_value + sum(part.value for part in cell.added)
            for cell in column
            for term in cell.terms
            if term.source == was.row
        ),
        default=-math.inf,
    )
    last = columns[-1]
    leader = max(last, key=lambda cell: cell.log_value)
    ended = leader.log_value + problem.end[leader.row]
    changes = t in chain.changes_of_mind
    rival = carried if changes or not other else other.log_value
    return {
        "stays": names(state, stays),
        "other": names(state, other.best_prefix or ()) if other else "",
        "changes": int(changes),
        "many": len(chain.changes_of_mind),
        "turned": int(ended < chain.best_score and not is_level(ended, chain.best_score)),
        "last_leads": names(state, leader.best_prefix or (leader.row,)),
        "last_score": number(leader.log_value, digits),
        "word": problem.word(t),
        "before": problem.word(before),
        "led": names(state, led),
        "led_score": number(was.log_value, digits),
        "behind": number(overtaken.log_value, digits),
        "leads": names(state, now.best_prefix or ()),
        "score": number(now.log_value, digits),
        "carried": number(carried, digits),
        "level": int(is_level(now.log_value, rival)),
        "even": int(is_level(was.log_value, overtaken.log_value)),
    }


def of_back(state: State, step_number: int) -> BeatFacts:
    """How far the backpointers have been followed."""
    problem, chain = state.problem, picture.numbers(state.problem)
    step = picture.step_at(state, "best", step_number)
    walked = step.best_prefix or () if step.kind == "backtrace" else ()
    before, path = step.token - 1, chain.best_path
    greedy = of_path(state, chain.greedy)
    return of_step(state, step, "best") | {
        "done": int(len(walked) == len(problem.tokens)),
        "previous": problem.word(before) if before >= 0 else "",
        "previous_tag": problem.tags[path[before]] if before >= 0 and path else "",
        "greedy_score": greedy["score"],
        "greedy_allowed": greedy["allowed"],
    }


def of_learning(state: State, _number: int) -> BeatFacts:
    """The transition that is asked about, observed and expected."""
    problem, path = state.problem, picture.path_of(state, usual="right")
    t, i, j, expected = picture.push_to_guess(state)
    observed = list(pairwise(path)).count((i, j))
    marginals = picture.numbers(problem).marginals
    rises = observed > expected
    allowed = sum(step["score"] for step in picture.stairs(problem, path)) > -math.inf
    return {
        "allowed": int(allowed),
        "right": names(state, path),
        "word": problem.word(t),
        "tag": problem.tags[path[t]],
        "p": share(marginals[t][path[t]]),
        "from": problem.tags[i],
        "to": problem.tags[j],
        "observed": observed,
        "expected": share(expected),
        "rises": int(rises),
        "way": text().plain("option-up" if rises else "option-down", {}),
        "idle": int(len(path) < 2 or not allowed or abs(observed - expected) < picture.LITTLE),
        "sure": int(min(p[s] for p, s in zip(marginals, path, strict=True)) > 1 - SURE),
    }
