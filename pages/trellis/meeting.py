"""The beat in which both recursions meet at a word, each in the reader's form."""

import math
from collections.abc import Sequence

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, subscript
from crf.figures.trellis import picture as figure
from crf.figures.trellis.notation import symbol
from crf.figures.trellis.picture import shares
from crf.steps import plain_data
from pages.shared.course.state import State
from pages.shared.figures.beat import Bet
from pages.shared.figures.beat_text import Segment
from pages.shared.figures.equation import equals, shown
from pages.shared.figures.text import say
from pages.shared.figures.theme import table_probability
from pages.trellis import equations, facts, picture
from pages.trellis.notation import TIE, apart, is_tie, notation_of, written

GAP = " \u2003"


def bet(state: State, t: int) -> Bet:
    """The two most probable tags of the word, and a tie."""
    p, tags = picture.numbers(state.problem).marginals[t], state.problem.tags
    most = picture.most_probable(p)
    right = "tie" if is_tie(p) else f"t{max(most, key=p.__getitem__)}"
    labels = {f"t{s}": tags[s] for s in most}
    return Bet((*labels, "tie"), right, labels)


def _logs(state: State, t: int) -> tuple[Sequence[float], Sequence[float]]:
    """[S] what is there of a word's tags from the left, and from the right, in the state's form.

    Of messages: what arrives there; at the ends of the sentence, START's and END's scores.
    """
    left, right = (
        figure.tables(picture.trace_of(state, mode))["values"][t] for mode in ("add", "both")
    )
    problem = state.problem
    return problem.start if None in left else left, problem.end if None in right else right


def sides(state: State, t: int) -> tuple[list[float], list[float], list[float]]:
    """A word's tags: their shares from the left, from the right, and their probabilities."""
    left, right = _logs(state, t)
    return shares(left), shares(right), picture.numbers(state.problem).marginals[t]


def at(state: State, t: int, *, asks: bool = False) -> Payload:
    """What the left says of a word's tags, what the right says, and both together.

    Args:
        state: The beat's.
        t: The word.
        asks: Whether the question is open, which both together answer.
    """
    chain, (left, right, both) = picture.numbers(state.problem), sides(state, t)
    return plain_data(
        {
            "step": t,
            "of": len(state.problem.tokens),
            "kind": "meet",
            "cell": None,
            "column": t,
            "terms": [],
            "shown": 0,
            "meet": {"left": left, "right": right, "both": None if asks else both},
            "marginals": None if asks else chain.marginals,
            "pairs": chain.pairs[t - 1] if t and not asks else None,
            **picture.rows(state, "both"),
        }
    )


def facts_of(state: State, t: int) -> facts.BeatFacts:
    """One word's tags: their shares from the left, from the right, and from both."""
    tags, (left, right, both) = state.problem.tags, sides(state, t)
    from_left, from_right, winner = (
        max(range(len(tags)), key=p.__getitem__) for p in (left, right, both)
    )
    return {
        "form": state.form,
        "word": state.problem.word(t),
        "left": tags[from_left],
        "left_p": table_probability(left[from_left]),
        "right": tags[from_right],
        "right_p": table_probability(right[from_right]),
        "winner": tags[winner],
        "p": apart(both)[winner],
        "agree": int(from_left == from_right),
        "tie": int(is_tie(both)),
        "even": int(max(left) - min(left) < TIE and max(right) - min(right) < TIE),
        "last": int(t == len(state.problem.tokens) - 1),
        "set": int(t in state.fixed),
        "level": int(is_tie(left) or is_tie(right)),
    }


def equation(state: State, t: int) -> list[Segment]:
    """The two most probable tags: left × right, divided by the sum.

    Of messages: left, own score and right, divided by Z.
    """
    if state.form == "message":
        return _of_messages(state, t)
    tags, (left, right, both) = state.problem.tags, sides(state, t)

    def three(p: float) -> str:
        return decimal("<.001" if 0 < p < 0.0005 else f"{p:.3f}".removeprefix("0"))

    most = picture.most_probable(both)

    def product(s: int) -> str:
        texts = three(left[s]), three(right[s]), three(left[s] * right[s])
        if any(text.startswith("<") for text in texts):
            return f"{texts[0]} × {texts[1]} < {decimal('.001')}"
        sign = equals(shown(texts[0]) * shown(texts[1]), texts[2])
        return f"{texts[0]} × {texts[1]} {sign} {texts[2]}"

    if not picture.numbers(state.problem).feasible:
        return []
    segments: list[Segment] = [f"{tags[s]}: {product(s)}{GAP}" for s in most]
    if hidden := len(tags) - len(most):
        whole = math.fsum(one * other for one, other in zip(left, right, strict=True))
        segments.append(f"{say('trellis.more', n=hidden)}{GAP}")
        segments.append(f"{say('trellis.divided-by', sum=three(whole))} ")
    else:
        segments.append(f"{say('trellis.divided')} ")
    for s in most:
        segments += [f"{tags[s]}: ", {"text": apart(both)[s], "bold": True}, GAP]
    return segments


def _of_messages(state: State, t: int) -> list[Segment]:
    """What arrives from the left, the own score, and what arrives from the right, less log Z."""
    problem, chain, scale = state.problem, picture.numbers(state.problem), state.scale
    if not chain.feasible:
        return []
    (left, right), both, is_log = _logs(state, t), chain.marginals[t], scale == "log"
    opened, closed = ("exp( ", " )") if is_log else ("", "")
    over = equations.part_text("previous", -chain.log_z, 2, picture.ours(state), 1)
    over = f" {over}" if is_log else f" / {written(chain.log_z, 2, scale)}"
    segments: list[Segment] = []
    for s in picture.most_probable(both):
        roles = ("previous", left[s]), ("emission", problem.emissions[t][s]), ("previous", right[s])
        parts = [equations.part_text(*part, 2, state, k) for k, part in enumerate(roles)]
        whole = equations.joined([*parts, over.strip()] if is_log else parts, is_log)
        value = math.exp(min(whole, 0.0)) if is_log else whole / equations.read(over[3:])
        p = apart(both)[s]
        sign = f"{equals(value, p)} " if p[0] not in "<>" else ""
        segments += [f"{problem.tags[s]}: {opened}"]
        segments += [piece for part in parts for piece in (" ", part)][1:]
        segments += [f"{over}{closed} {sign}", {"text": p, "bold": True}, GAP]
    return segments


def symbols(state: State, t: int) -> list[Segment]:
    """A tag's probability in symbols: from the left, the own score, from the right."""
    notation = notation_of(state)
    is_log, last = state.scale == "log", len(state.problem.tokens) - 1
    message = state.form == "message"

    def cell(direction: str, number: int) -> Segment:
        return f"{symbol(direction, state.form, 'sum', notation)}{subscript(number)}(s)"

    left, right = (t, t + 2) if message else (t + 1, t + 1)
    parts = [cell("forward", left), cell("backward", right)]
    if message and t == 0:
        parts[0] = {
            "text": notation.end_entry("start", "s"),
            "role": equations.role_of("start", state),
        }
    if message and t == last:
        parts[1] = {"text": notation.end_entry("end", "s"), "role": equations.role_of("end", state)}
    if message:
        own = f"e[{t + 1}, s]" if is_log else f"ψ{subscript(t + 1)}(s)"
        parts.insert(1, {"text": own, "role": "emission"})
    name, over = ("log p(s)", " − log Z") if is_log else ("p(s)", " / Z")
    return [f"{name} = ", *[piece for part in parts for piece in (notation.joint, part)][1:], over]
