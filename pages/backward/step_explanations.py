"""What is said of a step, a column, a cell, a pair, an entropy: sentences, formulas and tables.

A step's sentences never say which term brings most, so that a reader who guesses first can still
read them. Everything else is made from one `Marginals`; strings and rows come out.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from crf.figures.trellis.narration import printable, quoted, tagged
from crf.figures.trellis.notation import LOG, NOTATIONS, Notation, Space, symbol_of
from crf.steps import Step, Trace
from pages.shared.course.marginals import Marginals, entropy
from pages.shared.course.numbers import format_potential
from pages.shared.figures import cost, tables
from pages.shared.figures.formulas import symbol
from pages.shared.figures.theme import count, number, probability


def alpha(convention: str, semiring: str = "sum") -> str:
    """The forward cell’s symbol: with a hat where it holds the token’s own emission.

    >>> alpha("state"), alpha("pair"), alpha("state", "max"), alpha("message", "max")
    ('α̂', 'α', 'δ', 'v')
    """
    if semiring == "max":
        return "v" if convention == "message" else "δ"
    return "α̂" if convention == "state" else "α"


def factor_names(both: Marginals, t: int, space: Space) -> list[str]:
    """The symbols of `both.factors` at a token, as the numbers beside them are written."""
    notation = NOTATIONS[space]
    names = {
        "forward": symbol_of(both.alpha, notation),
        "emission": notation.emission,
        "backward": symbol_of(both.beta, notation),
        "start": notation.start,
        "end": notation.end,
    }
    return [names[factor.role] for factor in both.factors(t, 0)]


def follow(trace: Trace, index: int, space: Space, forward_total: float) -> list[str]:
    """What a step's number is, and what is not in it.

    Args:
        trace: Of a backward recursion, in any convention and semiring.
        index: Which of its steps.
        space: Whether numbers are log-scores or potentials.
        forward_total: What the forward recursion found for the total, a log-score.

    Returns:
        Paragraphs of plain text.
    """
    step, notation = trace.steps[index], NOTATIONS[space]
    if step.kind == "total":
        return _total(trace, step, notation, forward_total)
    return _cell(trace, step, notation)


def _cell(trace: Trace, step: Step, notation: Notation) -> list[str]:
    here, tag = quoted(trace.tokens, step.token), printable(trace.tags[step.row])
    cell = f"{symbol_of(trace, notation)} of {here}, {tag}"
    value = notation.number(step.log_value)
    if step.log_value == -math.inf:
        return [f"{cell} is {value}: from {tag} no allowed path goes on to the end."]
    if step.terms[0].source < 0:
        why = "its end score" if step.terms[0].parts else "1 (its logarithm 0), as the end score "
        why += "" if step.terms[0].parts else "is part of the last table"
        first = f"{cell} is {value}: nothing follows, so it is {why}."
    else:
        how = f"{_over(trace, notation)} all {count(step.prefixes)} ways"
        if step.prefixes == 1:
            allowed = "allowed " if trace.forbids else ""
            how = f"the {notation.word('result')} of the one {allowed}way"
        first = f"{cell} is {how} to tag what follows {here}, if it is {tag}: {value}."
    return [first + _other_space(step.log_value, notation), _not_in_it(trace, step)]


def _over(trace: Trace, notation: Notation) -> str:
    if trace.semiring == "sum":
        return "the log of the sum over" if notation is LOG else "the sum over"
    return f"the {notation.word('result')} of the best of"


def _other_space(log_value: float, notation: Notation) -> str:
    if notation is LOG:
        return f" Its potential is exp({LOG.number(log_value)}) = {format_potential(log_value)}."
    return f" Its logarithm: {LOG.number(log_value)}."


def _not_in_it(trace: Trace, step: Step) -> str:
    here, tag = quoted(trace.tokens, step.token), printable(trace.tags[step.row])
    before = f" nor anything before {here}" if step.token else " nor the start score"
    return (
        f"The emission of {here} is not in it,{before}: it asks only how well the rest goes once "
        f"{tag} is given. So it is not p({tag}) either; that takes what forward knows, too."
    )


def _total(trace: Trace, step: Step, notation: Notation, forward_total: float) -> list[str]:
    name = notation.whole if trace.semiring == "sum" else notation.word("best")
    if not trace.feasible:
        return [f"No path is allowed: {name} is {notation.number(step.log_value)}."]
    same = math.isclose(step.log_value, forward_total, rel_tol=1e-9, abs_tol=1e-9)
    found = "the same" if same else notation.number(forward_total)
    return [
        f"{name} = {notation.number(step.log_value)}, now from the right."
        + _other_space(step.log_value, notation),
        f"Forward went over the same paths in another order, and found {found}.",
    ]


def emission_between(state: Marginals, message: Marginals, t: int, s: int, space: Space) -> str:
    """Why two messages need the emission between them, with the numbers of one cell.

    Args:
        state: The two recursions in state form.
        message: The same in message form.
        t: A token.
        s: One of its tags.
        space: Whether numbers are log-scores or potentials.

    Returns:
        Plain text.
    """
    tag, here = printable(state.alpha.tags[s]), quoted(state.alpha.tokens, t)
    hat, plain = (alpha(both.alpha.convention, both.alpha.semiring) for both in (state, message))
    beta = symbol_of(state.beta, NOTATIONS[space]).removeprefix("log ").removeprefix("exp ")
    rest = f"calls the rest {plain}" if t else "leaves the start score"
    again = "the same number in both" if t < state.m - 1 else "the end score in both"
    return (
        f"For {here}, {tag}, state form has {_product(state, t, s, space)}. Message form takes the "
        f"emission of {here} out of {hat} and {rest}: {_product(message, t, s, space)}. It is the "
        f"same number, and {beta} is {again}. Two messages alone would leave out what {here} "
        f"itself says; {hat} with a {beta} that held the emission as well would count it twice."
    )


def _product(both: Marginals, t: int, s: int, space: Space) -> str:
    """Symbols = numbers = their product."""
    notation = NOTATIONS[space]
    symbols = notation.joint.join(factor_names(both, t, space))
    numbers = notation.joined([factor.log_value for factor in both.factors(t, s)])
    return f"{symbols} = {numbers} = {notation.number(both.product(t, s))}"


FORMULAS = {
    "state": ("α̂<sub><i>t</i></sub>(<i>s</i>)", "", "β<sub><i>t</i></sub>(<i>s</i>)"),
    "message": (
        "α<sub><i>t</i>−1</sub>(<i>s</i>)",
        "ψ<sub><i>t</i></sub>(<i>s</i>)",
        "β<sub><i>t</i>+1</sub>(<i>s</i>)",
    ),
    "pair": ("α<sub><i>t</i></sub>(<i>s</i>)", "", "β<sub><i>t</i></sub>(<i>s</i>)"),
}


def product(convention: str) -> str:
    """What a cell's product is made of, in symbols without indices."""
    return " · ".join([alpha(convention), *(["ψ"] if FORMULAS[convention][1] else []), "β"])


def formula(convention: str) -> str:
    """p(y_t = s | x), and its neighbour pair's, in symbols, as HTML."""
    before, own, after = FORMULAS[convention]
    factors = " · ".join(
        [symbol("p", before), *([symbol("e", own)] if own else []), symbol("p", after)]
    )
    lines = [f"<i>p</i>(<i>y<sub>t</sub></i> = <i>s</i> | <i>x</i>) = {factors} / <b>Z</b>"]
    if convention == "state":
        pair = " · ".join(
            [
                symbol("p", "α̂<sub><i>t</i></sub>(<i>a</i>)"),
                symbol("t", "ψ(<i>a</i>, <i>b</i>)"),
                symbol("e", "ψ<sub><i>t</i>+1</sub>(<i>b</i>)"),
                symbol("p", "β<sub><i>t</i>+1</sub>(<i>b</i>)"),
            ]
        )
        lines.append(
            "<i>p</i>(<i>y<sub>t</sub></i> = <i>a</i>, <i>y</i><sub><i>t</i>+1</sub> = <i>b</i> | "
            f"<i>x</i>) = {pair} / <b>Z</b>"
        )
    body = "".join(f"<div>{line}</div>" for line in lines)
    return f'<div class="crf-formula crf-recursion">{body}</div>'


# ---------------------------------------------------------------------- one column


def column_table(
    both: Marginals, t: int, space: Space, known: int, marked: int | None, which: str = "step"
) -> str:
    """α · β of each tag of a token, their sum, and what each is of Z.

    Args:
        both: The two recursions, in any convention and semiring.
        t: The token.
        space: Whether numbers are log-scores or potentials.
        known: How many tags' β the reader has seen; the others are left open.
        marked: The tag on screen, if it is one.
        which: What the table follows, for screen readers.
    """
    notation, is_sum = NOTATIONS[space], both.alpha.semiring == "sum"
    rows = []
    for s, tag in enumerate(both.alpha.tags):
        row = product_row(both, t, s, space)
        if s >= known:  # the last factor is β
            row[-3:] = ["?"] * 3
        rows.append([printable(tag), *row])
    blank = [""] * (len(both.factors(t, 0)) - 1)
    if known >= both.S:
        total = both.column_totals[t]
        whole = round(math.fsum(both.unary[t]), 9)  # 1; what rounding leaves is told with the sums
        whole = "–" if both.log_total == -math.inf else probability(whole)
        last = whole if is_sum else ""
        rows.append([_merged(space, is_sum), *blank, "", notation.number(total), last])
    marks = set() if marked is None else {(marked, len(blank) + 2)}
    of = quoted(both.alpha.tokens, t)
    caption = f"{joined(both, t, space)} for each tag of {of}, as the {which} has it"
    return tables.text_table(header(both, t, space), rows, caption, marks)


def joined(both: Marginals, t: int, space: Space) -> str:
    """What a tag's numbers are added or multiplied to, in symbols."""
    return NOTATIONS[space].joint.join(factor_names(both, t, space))


def product_row(both: Marginals, t: int, s: int, space: Space) -> list[str]:
    """The factors of one tag of a token, their product, and what it is of Z."""
    factors = [NOTATIONS[space].number(factor.log_value) for factor in both.factors(t, s)]
    return [*factors, NOTATIONS[space].number(both.product(t, s)), _standing(both, t, s)]


def header(both: Marginals, t: int, space: Space) -> list[str]:
    """What stands over the columns of such rows."""
    last = "behind the best (nats)"
    if both.alpha.semiring == "sum":
        last = "exp(· − log Z) = p(tag)" if space == "log" else "÷ Z = p(tag)"
    return ["", *factor_names(both, t, space), f"{joined(both, t, space)} =", last]


def _standing(both: Marginals, t: int, s: int) -> str:
    """The marginal; in the max semiring how far the best path through here is behind."""
    if both.alpha.semiring == "sum":  # 0/0 is no number
        return "–" if both.log_total == -math.inf else probability(both.unary[t][s])
    product = both.product(t, s)
    return "−∞" if product == -math.inf else number(both.log_total - product)


def _merged(space: Space, is_sum: bool) -> str:
    if not is_sum:
        return "max"
    return "log Σ exp" if space == "log" else "Σ"


def sums_table(both: Marginals) -> str:
    """Each column's total, and how far it is from the one the forward recursion found."""
    is_sum = both.alpha.semiring == "sum"
    what = "log Σ exp of the column" if is_sum else "max of the column"
    target = "log Z" if is_sum else "the best score"
    rows = [
        [
            printable(token),
            cost.digits(total),
            "both −∞" if total == -math.inf == both.log_total else cost.shared(both.residual(t)),
        ]
        for t, (token, total) in enumerate(zip(both.alpha.tokens, both.column_totals, strict=True))
    ]
    caption = "The total of each column, and its residual"
    return tables.text_table(["", what, f"off {target} by"], rows, caption)


# ---------------------------------------------------------------------- a cell and its slices


def cell_told(both: Marginals, t: int, s: int) -> str:
    """A marginal as the numbers that it is made of."""
    alpha, beta = (factor.log_value for factor in both.factors(t, s))
    name = f"p({tagged(both.alpha, t, s)})"
    return f"{name} = exp(log α̂ + log β − log Z) = " + _exp(both, [alpha, beta], both.unary[t][s])


def pair_told(both: Marginals, t: int, a: int, b: int) -> str:
    """A pair's marginal as the numbers that it is made of."""
    name = f"p({tagged(both.alpha, t, a)}, {tagged(both.alpha, t + 1, b)})"
    told = _exp(both, both.pair_factors(t, a, b), both.pairs(t)[a][b])
    return f"{name} = exp(log α̂ + T + e + log β − log Z) = {told}"


def _exp(both: Marginals, factors: Sequence[float], p: float) -> str:
    """With a digit more than elsewhere, so that whoever checks it finds the same probability."""
    finer = replace(LOG, number=lambda value: number(value, 3))
    return f"exp({finer.joined([*factors, -both.log_total])}) = {probability(p)}"


def neighbours_table(both: Marginals, t: int, s: int) -> str:
    """The tags of a token's neighbours, as they are and given its tag."""
    tokens, tag = both.alpha.tokens, printable(both.alpha.tags[s])
    given = f"given {quoted(tokens, t)} = {tag}"
    rows: list[tuple[str, list[float]]] = []
    if t > 0:
        before = quoted(tokens, t - 1)
        rows += [(before, both.unary[t - 1]), (f"{before} {given}", both.before(t, s))]
    if t + 1 < both.m:
        after = quoted(tokens, t + 1)
        rows += [(after, both.unary[t + 1]), (f"{after} {given}", both.after(t, s))]
    return _slices(both, rows, f"The neighbours’ tags, {given}") if rows else ""


def pair_slices_table(both: Marginals, t: int, a: int, b: int) -> str:
    """The row and the column of a pair, each divided by its sum."""
    tokens, tags = both.alpha.tokens, [printable(tag) for tag in both.alpha.tags]
    left, right = quoted(tokens, t), quoted(tokens, t + 1)
    rows = [
        (f"{right} given {left} = {tags[a]}", both.after(t, a)),
        (f"{left} given {right} = {tags[b]}", both.before(t + 1, b)),
    ]
    return _slices(both, rows, f"The row and the column through {tags[a]}, {tags[b]}")


def _slices(both: Marginals, rows: list[tuple[str, list[float]]], caption: str) -> str:
    return tables.probability_table(
        [name for name, _ in rows], both.alpha.tags, [row for _, row in rows], caption
    )


# ---------------------------------------------------------------------- entropies


def entropies(unary: Sequence[Sequence[float]]) -> list[float]:
    """[m] nats: how uncertain each token's tag is."""
    return [entropy(column) for column in unary]


def choices(nats: float) -> str:
    """An entropy as the number of equally likely things with the same.

    >>> choices(math.log(3))
    '3.00'
    """
    return f"{math.exp(nats):.2f}" if nats < 16 else NOTATIONS["probability"].number(nats)


def entropy_rows(unary: Sequence[Sequence[float]]) -> list[list[str]]:
    """Each token's entropy in nats, and as a number of equally likely tags."""
    found = entropies(unary)
    return [
        ["entropy (nats)", *(number(h, 3) for h in found)],
        ["like so many equal tags", *(choices(h) for h in found)],
    ]


def entropy_told(both: Marginals, chain: float) -> list[str]:
    """What the entropies say, of the tokens and of the chain as a whole.

    Args:
        both: The two recursions.
        chain: The entropy of the whole sequence, in nats.
    """
    found = entropies(both.unary)
    total, S = math.fsum(found), both.S
    gap = max(total - chain, 0.0)
    seen = round(total, 3) - round(chain, 3)  # of what is printed, so that it adds up in sight
    nats = number(math.log(S), 3)
    most = f", and at most log {S} = {nats} nats, where all {S} are equally likely" if S > 1 else ""
    told = [
        f"A token’s entropy is 0 where one tag is certain{most}. "
        f"Added up, the tokens have {number(total, 3)} nats. The whole sequence has "
        f"{number(chain, 3)}: as uncertain as a choice among {choices(chain)} equally likely paths."
    ]
    if both.m == 1:
        return [*told, "With one token the two are the same."]
    if gap < 1e-9:
        return [
            *told,
            "The two are equal, to nine digits: here the tags are independent, or as good as that, "
            "and no neighbour tells anything worth mentioning.",
        ]
    if seen < 5e-4:
        return [
            *told,
            "To three digits the two are equal: neighbours tell hardly anything about each other.",
        ]
    return [
        *told,
        f"The difference, {number(seen, 3)} nats, is what the tags tell about each other: who "
        "knows one knows more about its neighbours. Marginals alone do not show it.",
    ]
