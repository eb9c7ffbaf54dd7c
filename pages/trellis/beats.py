"""The story of the trellis, beat by beat; four modes are four ways to read the same picture."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.course.typed_numbers import parse_number
from pages.shared.figures.beat import Beat, Bet, Task, bet_payload, step_of, waits
from pages.shared.figures.beat_text import BeatText
from pages.trellis import facts, picture, regroup

TEXT = Path(__file__).with_name("beats.md")
MOST_OPTIONS = 8  # words that a bet offers
LITTLE = 0.005  # of a count: two decimals hide it

BeatFacts = dict[str, Any]


def _text() -> BeatText:
    return BeatText.load(TEXT)


# ---------------------------------------------------------------------- steps of each beat


def _cells(problem: Problem) -> range:
    return range(len(problem.tags) * len(problem.tokens))


def _total(problem: Problem) -> range:
    end = len(_cells(problem))
    return range(end, end + 1)


def _with_total(problem: Problem) -> range:
    return range(len(_cells(problem)) + 1)


def _third_column(problem: Problem) -> int:
    """The last tag of the third column, or of the last one.

    Of many tags, and where a score of −∞ forbids that one, it is the best path's there.
    """
    S, t = len(problem.tags), min(3, len(problem.tokens)) - 1
    best = picture.numbers(problem).best_path
    chooses = S > picture.FEW_TAGS or problem.emissions[t][S - 1] == -math.inf
    return t * S + (best[t] if chooses and best else S - 1)


def _fourth_column(problem: Problem) -> int:
    """The first cell of the column that a class fills."""
    return len(problem.tags) * min(3, len(problem.tokens) - 1)


def _before_last(problem: Problem) -> int:
    """Going backward: the last tag of the column before the last."""
    return len(problem.tags) * min(2, len(problem.tokens)) - 1


def _backtrace(problem: Problem) -> range:
    end = len(_cells(problem))
    return range(end, end + 1 + len(problem.tokens))


def _words(problem: Problem) -> range:
    return range(len(problem.tokens))


# ---------------------------------------------------------------------- what is drawn and said


def _payload(beat_name: str) -> Callable[[State], Payload]:
    def figure(state: State) -> Payload:
        state, beat = picture.clamped(state), BY_NAME[beat_name]
        extra = EXTRA.get(beat_name)
        tables = picture.whole(state, beat.mode)
        if extra is not None:
            tables |= extra(state)
        tables = veiled(beat, state, tables)
        return {
            "kind": "trellis",
            "mode": beat.mode,
            "picture": tables | {"now": now_of(beat, state)},
        }

    return figure


def _now(beat_name: str) -> Callable[[State], Payload]:
    def now(state: State) -> Payload:
        return now_of(BY_NAME[beat_name], picture.clamped(state))

    return now


def _tables(beat_name: str) -> Callable[[State], Payload]:
    def tables(state: State) -> Payload:
        state, beat = picture.clamped(state), BY_NAME[beat_name]
        return veiled(beat, state, picture.whole(state, beat.mode))

    return tables


def is_open(beat: Beat, state: State) -> bool:
    """Whether the beat's question waits for an answer, so that nothing may show it."""
    if beat.bet is None or not picture.numbers(state.problem).feasible:
        return False
    return not is_idle(beat, state) and waits(beat.bet(state), state)


def is_idle(beat: Beat, state: State) -> bool:
    """Whether this problem leaves nothing to ask: one word, one tag, or nothing to learn."""
    S, L = len(state.problem.tags), len(state.problem.tokens)
    if beat.name in ("bet", "column", "logz", "meet"):
        return S < 2
    if beat.name == "regroup":
        return S < 2 or L < 2
    if beat.name == "mind":
        return not _mind_facts(state)["other"]
    return beat.name == "learn" and bool(_learn_facts(state)["idle"])


def veiled(beat: Beat, state: State, tables: Payload) -> Payload:
    """The tables without what answers an open question."""
    if not is_open(beat, state):
        return tables
    if beat.name == "bet":
        return tables | {"best": [], "best_score": None, "log_z": None}
    if beat.name == "learn":
        return tables | {"learn": _observed(state)}
    if beat.name in ("column", "mind"):
        until, S = _veiled_from(beat, state), len(state.problem.tags)
        cells = [
            [value if t * S + s < until else None for s, value in enumerate(column)]
            for t, column in enumerate(tables["values"])
        ]
        fills = [
            [part if t * S < until else 0.0 for part in column]
            for t, column in enumerate(tables["shares"])
        ]
        hidden = {"values": cells, "shares": fills, "left": [], "left_shares": [], "best": []}
        return tables | hidden | {"back": [], "total": tables["total"] | {"value": None}}
    if beat.name == "meet":
        return tables | {"best": [], "back": []}
    return tables


def _veiled_from(beat: Beat, state: State) -> int:
    """The first cell that an open question hides: all of its column."""
    S = len(state.problem.tags)
    return step_of(beat, state) // S * S


def now_of(beat: Beat, state: State) -> Payload:
    """The step on screen: its numbers, its sentence, its equation, its bet."""
    number, text = step_of(beat, state), _text()
    steps, veils = beat.steps(state.problem), is_open(beat, state)
    bounds = {"first": steps.start, "of": steps.stop}
    drawn: Payload
    if veils and beat.name in ("column", "mind"):
        shown = max(_veiled_from(beat, state) - 1, 0)
        drawn = picture.at_step(state, beat.mode, shown) | {"step": number, **bounds}
        if beat.name == "mind":
            drawn |= {"cell": None, "kind": "veiled", "terms": [], "was": None}
            drawn["lead"] = list(picture.leading_prefix(state, drawn["column"]))
        known = beat.facts(state)
        return drawn | {"say": [], "equation": [], "bet": _bet(beat, state, known, text)}
    if beat.name in ("bet", "path", "count", "learn", "done"):
        usual = {"bet": "greedy" if veils else "best", "learn": "right"}.get(beat.name, "best")
        drawn = picture.on_path(state, usual)
    elif beat.name == "meet":
        drawn = picture.meeting(state, number)
    elif beat.name == "regroup":
        drawn = picture.on_path(state, "best") | {"step": number, "of": regroup.STILLS}
    else:
        drawn = picture.at_step(state, beat.mode, number)
    known = beat.facts(state)
    said = {
        "say": [] if veils else _say(beat, known, text),
        "equation": [] if veils else _equation(beat, state, number),
        "bet": _bet(beat, state, known, text),
    }
    if veils and beat.name == "meet":
        both_sides = {key: drawn["meet"][key] for key in ("left", "right")}
        drawn |= {"meet": both_sides | {"both": None}, "marginals": None, "pairs": None}
    return drawn | said | bounds


def _say(beat: Beat, known: BeatFacts, text: BeatText) -> list[Any]:
    """The sentence; where a beat opens, what the cells that are there already hold comes first."""
    if known["none"]:
        return text.segments("none", known)
    said = text.segments(beat.name, known)
    if not known.get("opening"):
        return said
    return [*text.segments(f"{beat.name}-cells", known), text.between, *said]


def _equation(beat: Beat, state: State, number: int) -> list[Any]:
    if beat.name == "meet":
        return facts.meeting_equation(state, number)
    if beat.name == "regroup":
        return [] if is_idle(beat, state) else regroup.equation(state, number)
    if beat.name in ("add", "logz", "best", "mind", "both", "back"):
        return facts.equation(state, picture.step_at(state, beat.mode, number), beat.mode)
    return []


def _bet(beat: Beat, state: State, known: BeatFacts, text: BeatText) -> Payload | None:
    """The question, and its answer once the reader has chosen."""
    if beat.bet is None or known["none"] or is_idle(beat, state):
        return None
    return bet_payload(beat.name, beat.bet(state), state, text, known)


# ---------------------------------------------------------------------- facts of each beat


def _path_facts(state: State) -> BeatFacts:
    return facts.of_problem(state) | facts.of_path(state, picture.path_of(state))


def _bet_facts(state: State) -> BeatFacts:
    greedy = picture.numbers(state.problem).greedy
    return facts.of_problem(state) | {
        "greedy_score": facts.of_path(state, greedy)["score"],
    }


def _step_facts(beat_name: str, mode: str) -> Callable[[State], BeatFacts]:
    def of(state: State) -> BeatFacts:
        beat = BY_NAME[beat_name]
        number = step_of(beat, state)
        step = picture.step_at(state, mode, number)
        known = facts.of_problem(state) | facts.of_step(state, step, mode)
        known["opening"] = int(number == beat.opens(state.given.problem))
        for name in ("ways", "ties"):
            known[f"{name}_word"] = _text().plain("number", {"n": known[name]})
        if mode == "best":
            known["mind"] = int(step.token in picture.changes_of_mind(state))
        return known

    return of


def _column_facts(state: State) -> BeatFacts:
    t, tag = column_cell(state)
    problem = state.problem
    return facts.of_problem(state) | {
        "word": problem.tokens[t], "tag": problem.tags[tag], "first": int(t == 0),
        "value": facts.number(column_value(state)),
    }  # fmt: skip


def column_cell(state: State) -> tuple[int, int]:
    """The cell that the reader fills: token and tag."""
    number = step_of(BY_NAME["column"], state)
    return divmod(number, len(state.problem.tags))


def column_value(state: State) -> float:
    """Its value: log α̂."""
    t, tag = column_cell(state)
    return picture.numbers(state.problem).log_alphas[t][tag]


def column_verdict(state: State, typed: str) -> str:
    """What a typed number is: right, or a known slip, or something else."""
    try:
        value = parse_number(typed)
    except ValueError:
        return "unreadable"
    return next(
        (name for name, slip in column_slips(state).items() if _agrees(value, slip)), "other"
    )


def _agrees(value: float, other: float) -> bool:
    return value == other or abs(value - other) <= 0.0501  # one may round to a decimal


def column_slips(state: State) -> dict[str, float]:
    """The cell's value, and what known slips give instead, the right one first."""
    t, tag = column_cell(state)
    found = picture.numbers(state.problem)
    step = picture.step_at(state, "add", step_of(BY_NAME["column"], state))
    emission = state.problem.emissions[t][tag]
    scores = [sum(p.value for p in term.parts if p.role != "previous") for term in step.terms]
    return {
        "right": step.log_value,
        "max": step.maximum + emission,
        "no-emission": step.log_sum,
        "no-previous": _log_sum(scores) + emission,
        "only-max": step.maximum,
        "viterbi": found.viterbi.table[t][tag],
    }


def _column_bet(state: State) -> Bet:
    return Bet(
        (), facts.number(column_value(state)), numbers=column_slips(state),
        verdict=lambda typed: column_verdict(state, typed),
    )  # fmt: skip


def _cells_of_column(state: State, beat_name: str) -> tuple[int, ...]:
    """The steps of the column on screen: those that can be reached; of many tags, those in rows."""
    beat = BY_NAME[beat_name]
    S, found = len(state.problem.tags), picture.numbers(state.problem)
    t = step_of(beat, state) // S
    rows = range(S) if S <= picture.FEW_TAGS else sorted(found.ranks[: picture.ROWS])
    reached = [s for s in rows if found.forward.table[t][s] > -math.inf]
    return tuple(t * S + s for s in reached or rows)


def _column_task(state: State) -> Task:
    """Each phone types the number of one cell of the column."""
    steps = _cells_of_column(state, "column")
    cells = tuple(divmod(step, len(state.problem.tags)) for step in steps)

    def verdict(step: int, typed: str) -> str:
        return column_verdict(replace(state, step=step), typed)

    return Task("number", steps, cells, (), verdict)


def _mind_task(state: State) -> Task:
    """Each phone chooses the way that one cell of the column keeps."""
    steps = _cells_of_column(state, "mind")
    S = len(state.problem.tags)

    def verdict(step: int, chosen: str) -> str:
        ties = picture.step_at(state, "best", step).ties
        return "right" if chosen in {f"t{s}" for s in ties} else "other"

    cells = tuple(divmod(step, S) for step in steps)
    return Task("edge", steps, cells, tuple(f"t{s}" for s in range(S)), verdict)


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top if top == -math.inf else top + math.log(math.fsum(math.exp(v - top) for v in values))


def _count_facts(state: State) -> BeatFacts:
    S = len(state.problem.tags)
    return facts.of_problem(state) | {
        "twenty": facts.power(S, 20), "sixty": facts.power(S, facts.LONG),
        "long": int(facts.is_too_long(state)),
    }  # fmt: skip


def raised(state: State) -> tuple[int, int]:
    """The emission that the beat `logz` raises: where greedy first differs from the best path.

    Where they are the same, the least certain tag of the best path.
    """
    found = picture.numbers(state.problem)
    best = found.best_path or found.greedy
    t = facts.first_difference(found.greedy, best)
    if t is None:
        t = min(range(len(best)), key=lambda t: found.marginals[t][best[t]])
    return t, best[t]


def _logz_facts(state: State) -> BeatFacts:
    t, tag = raised(state)
    found = picture.numbers(state.problem)
    step = picture.step_at(state, "add", step_of(BY_NAME["logz"], state))
    known = facts.of_problem(state) | facts.of_step(state, step, "add")
    return known | {
        "cell_word": state.problem.tokens[t], "cell_tag": state.problem.tags[tag],
        "rise": facts.share(facts.rise(state, t, tag)), "p": facts.share(found.marginals[t][tag]),
        "sure": int(facts.rise(state, t, tag) >= facts.NEARLY_ALL),
    }  # fmt: skip


def _mind_facts(state: State) -> BeatFacts:
    changes = picture.changes_of_mind(state)
    number = step_of(BY_NAME["mind"], state)
    step = picture.step_at(state, "best", number)
    return facts.of_problem(state) | facts.of_mind(state, step) | {"many": len(changes)}


def _first_change(problem: Problem) -> int:
    """The cell in which the leading prefix first changes; else the last cell."""
    trace = picture.numbers(problem).viterbi
    S = len(trace.tags)
    cells = [step for step in trace.steps if step.kind == "cell"]
    before: tuple[int, ...] = ()
    for t in range(len(trace.tokens)):
        column = cells[t * S : (t + 1) * S]
        leading = picture.best_prefix(column)
        if before and leading and leading[:t] != before:
            return t * S + leading[-1]
        before = leading
    return len(cells) - 1


def _back_facts(state: State) -> BeatFacts:
    step = picture.step_at(state, "best", step_of(BY_NAME["back"], state))
    known = facts.of_problem(state) | facts.of_step(state, step, "best")
    walked = list(step.best_prefix or ()) if step.kind == "backtrace" else []
    before = step.token - 1
    path = picture.numbers(state.problem).best_path
    greedy = picture.numbers(state.problem).greedy
    return known | {
        "done": int(len(walked) == len(state.problem.tokens)), "walked": facts.names(state, walked),
        "previous": state.problem.tokens[before] if before >= 0 else "",
        "previous_tag": state.problem.tags[path[before]] if before >= 0 and path else "",
        "greedy_score": facts.of_path(state, greedy)["score"],
        "greedy_allowed": facts.of_path(state, greedy)["allowed"],
    }  # fmt: skip


def _meet_facts(state: State) -> BeatFacts:
    return facts.of_problem(state) | facts.of_meeting(state, step_of(BY_NAME["meet"], state))


def _meet_bet(state: State) -> Bet:
    """The two most probable tags of the word, and a tie."""
    t = step_of(BY_NAME["meet"], state)
    p = picture.numbers(state.problem).marginals[t]
    first, second = sorted(sorted(range(len(p)), key=lambda s: -p[s])[:2])
    tags = state.problem.tags
    winner = "tie" if facts.is_tie(p) else f"t{max((first, second), key=p.__getitem__)}"
    labels = {f"t{s}": tags[s] for s in (first, second)}
    return Bet((*labels, "tie"), winner, labels)


def pushed(state: State) -> tuple[int, int, int, float]:
    """The transition that the beat `learn` asks about, and how often it is expected.

    It is the one into a tag that greedy takes and the right path does not; else the one whose
    observed and expected counts differ most.
    """
    found, problem = picture.numbers(state.problem), state.problem
    right = picture.path_of(state, usual="right")
    if len(problem.tokens) < 2:
        return 0, right[0], right[0], 0.0
    t = facts.first_difference(found.greedy, right) or 0
    i, j = right[t - 1], found.greedy[t]
    expected = math.fsum(pair[i][j] for pair in found.pairs)
    if t and expected >= LITTLE:
        return t, i, j, expected
    pushes = _pushes(state)
    most = pushes[0] if pushes else {"from": right[0], "to": right[1], "expected": 1.0}
    i, j = most["from"], most["to"]
    t = next((k for k, (a, b) in enumerate(pairwise(right), 1) if (a, b) == (i, j)), 1)
    return t, i, j, most["expected"]


def _learn_facts(state: State) -> BeatFacts:
    found, problem = picture.numbers(state.problem), state.problem
    path = picture.path_of(state, usual="right")
    t, i, j, expected = pushed(state)
    observed = sum(1 for a, b in pairwise(path) if (a, b) == (i, j))
    s = path[t] if t < len(path) else path[0]
    return facts.of_problem(state) | {
        "right": facts.names(state, path),
        "word": problem.tokens[t] if t < len(problem.tokens) else problem.tokens[0],
        "tag": problem.tags[s], "p": facts.share(found.marginals[min(t, len(path) - 1)][s]),
        "from": problem.tags[i], "to": problem.tags[j], "observed": observed,
        "expected": facts.share(expected), "way": "up" if observed > expected else "down",
        "idle": int(len(problem.tokens) < 2 or abs(observed - expected) < LITTLE),
    }  # fmt: skip


def _learn_bet(state: State) -> Bet:
    return Bet(("up", "down"), _learn_facts(state)["way"])


def _bet_bet(state: State) -> Bet:
    """The words of the sentence, and nowhere."""
    known = picture.numbers(state.problem)
    best = list(known.best_path or known.greedy)
    differs = facts.first_difference(known.greedy, best)
    words = list(range(len(best)))
    if len(words) > MOST_OPTIONS:
        first = min(max((differs or 0) - 2, 0), len(words) - MOST_OPTIONS)
        words = words[first : first + MOST_OPTIONS]
    right = "nowhere" if differs is None else f"w{differs}"
    return Bet((*(f"w{t}" for t in words), "nowhere"), right)


def _count_bet(state: State) -> Bet:
    return Bet(("slowly", "never"), "never" if facts.is_too_long(state) else "slowly")


def _logz_bet(state: State) -> Bet:
    known = _logz_facts(state)
    labels = {"rise": f"{known['rise']}", "one": "1"}
    if known["sure"]:
        return Bet(("one", "none"), "one", labels)
    return Bet(("one", "rise", "none"), "rise", labels)


def _mind_bet(state: State) -> Bet:
    known = _mind_facts(state)
    labels = {
        "led": known["stays"],
        "leads": known["leads"] if known["changes"] else known["other"],
    }
    return Bet(("led", "leads"), "leads" if known["changes"] else "led", labels)


EXTRA: dict[str, Callable[[State], Payload]] = {
    "count": lambda state: {"count": facts.count_table(state)},
    "regroup": lambda state: {"regroup": regroup.table(state)},
    "learn": lambda state: {"learn": _pushes(state)},
    "done": lambda state: {"questions": _questions()},
}


def _observed(state: State) -> list[Payload]:
    """What the right path uses, and the transition that is asked about; nothing is expected yet."""
    _, i, j, _ = pushed(state)
    counts = Counter(pairwise(picture.path_of(state, usual="right")))
    counts[i, j] += 0
    return [
        {"from": a, "to": b, "observed": counts[a, b], "expected": None, "push": None}
        for a, b in sorted(counts)
    ]


def _pushes(state: State) -> list[Payload]:
    """Observed − expected for every transition that is used or expected, the largest first."""
    found, problem = picture.numbers(state.problem), state.problem
    path, S = picture.path_of(state, usual="right"), len(problem.tags)
    rows = []
    for i in range(S):
        for j in range(S):
            observed = sum(1 for a, b in pairwise(path) if (a, b) == (i, j))
            expected = math.fsum(pair[i][j] for pair in found.pairs)
            if observed or expected >= 0.005:
                push = {"observed": observed, "expected": expected, "push": observed - expected}
                rows.append({"from": i, "to": j} | push)
    return sorted(rows, key=lambda row: -abs(row["push"]))


def _questions() -> list[Payload]:
    text = _text()
    return [
        {"text": text.plain(f"question-{k}", {}), "beat": beat}
        for k, beat in enumerate(QUESTIONS, 1)
    ]


QUESTIONS = (
    "bet", "path", "count", "regroup", "add", "logz",
    "best", "mind", "back", "both", "meet", "learn",
)  # fmt: skip


def _regroup_facts(state: State) -> BeatFacts:
    return facts.of_problem(state) | regroup.facts(state, step_of(BY_NAME["regroup"], state))


def _beat(
    name: str, mode: str, known: Callable[[State], BeatFacts],
    bet: Callable[[State], Bet] | None = None, **how: Any,
) -> Beat:  # fmt: skip
    """A beat; fixed tags are a score of −∞ for a word's other tags, in every mode."""
    return Beat(
        name, mode, _payload(name), _now(name), tables=_tables(name),
        facts=lambda state: known(picture.clamped(state)),
        bet=bet and (lambda state: bet(picture.clamped(state))), **how,
    )  # fmt: skip


BEATS = (
    _beat("bet", "path", _bet_facts, bet=_bet_bet),
    _beat("path", "path", _path_facts),
    _beat("count", "path", _count_facts, bet=_count_bet),
    _beat(
        "regroup", "add", _regroup_facts, bet=lambda state: Bet(("m8", "m6", "m4"), "m6"),
        steps=lambda problem: range(regroup.STILLS),
    ),
    _beat("add", "add", _step_facts("add", "add"), steps=_with_total, opens=_third_column),
    _beat(
        "column", "add", _column_facts,
        bet=_column_bet, task=_column_task,
        steps=_cells, opens=_fourth_column,
    ),
    _beat("logz", "add", _logz_facts, bet=_logz_bet, steps=_total, opens=lambda p: len(_cells(p))),
    _beat("best", "best", _step_facts("best", "best"), steps=_with_total, opens=_third_column),
    _beat(
        "mind", "best", _mind_facts, bet=_mind_bet, task=_mind_task,
        steps=_cells, opens=_first_change,
    ),
    _beat("back", "best", _back_facts, steps=_backtrace, opens=lambda p: len(_cells(p)) + 1),
    _beat("both", "both", _step_facts("both", "both"), steps=_with_total, opens=_before_last),
    _beat(
        "meet", "both", _meet_facts, bet=_meet_bet, steps=_words,
        opens=lambda problem: min(2, len(problem.tokens) - 1),
    ),
    _beat("learn", "both", _learn_facts, bet=_learn_bet),
    _beat("done", "both", facts.of_problem),
)  # fmt: skip
BY_NAME = {beat.name: beat for beat in BEATS}
