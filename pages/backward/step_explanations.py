"""What a step, a column, an entropy means: sentences, formulas and tables from two traces.

A step's sentences never say which term brings most, so that a reader who guesses first can still
read them.
"""

import math
from collections.abc import Sequence

from crf.figures.numbers import format_magnitude
from crf.figures.trellis.narration import printable, quoted
from crf.figures.trellis.notation import NOTATIONS, Space, symbol_of
from crf.figures.words import join
from crf.steps import Trace
from pages.shared.course.marginals import Marginals, entropy
from pages.shared.figures import tables
from pages.shared.figures.formulas import symbol
from pages.shared.figures.recursion_prose import in_the_other_space
from pages.shared.figures.text import LessonText, say
from pages.shared.figures.theme import number, probability


def _line(name: str, /, **facts: object) -> str:
    return LessonText.of("backward").line(name, **facts)


def follow(trace: Trace, index: int, space: Space) -> list[str]:
    """What a step's number is, and what is not in it, in paragraphs of plain text."""
    step, notation = trace.steps[index], NOTATIONS[space]
    value, is_sum = notation.number(step.log_value), trace.semiring == "sum"
    other = in_the_other_space(step, notation)
    if step.kind == "total":
        total = notation.whole if is_sum else notation.word("best")
        if not trace.feasible:
            return [say("total.none-sum", total=total, value=value)]
        told = _line("step-says.total", total=total, value=value)
        return [join(told, other), _line("step-says.same")]
    word, tag = quoted(trace.tokens, step.token), printable(trace.tags[step.row])
    cell = _line("step-says.cell", symbol=symbol_of(trace, notation), word=word, tag=tag)
    if step.log_value == -math.inf:
        return [_line("step-says.never", cell=cell, value=value, tag=tag)]
    facts: dict[str, object] = {"cell": cell, "value": value}
    if step.terms[0].source < 0:
        name = "end" if step.terms[0].parts else "one"
    else:
        facts |= {"word": word, "tag": tag}
        if step.prefixes == 1:
            name = "only-allowed" if trace.forbids else "only"
        else:
            name = f"sum-{space}" if is_sum else "max"
            facts["n"] = step.prefixes
        if not name.startswith("sum"):
            facts["result"] = notation.word("result")
    first = _line(f"step-says.{name}", **facts)
    without = f"step-says.without-{'words' if step.token else 'start'}"
    return [join(first, other), _line(without, word=word, tag=tag)]


# ---------------------------------------------------------------------- α · β of a column

_FACTORS = {  # of a marginal, in each convention: what is read, in symbols
    "state": [("p", "α̂<sub><i>t</i></sub>(<i>s</i>)"), ("p", "β<sub><i>t</i></sub>(<i>s</i>)")],
    "message": [
        ("p", "α<sub><i>t</i>−1</sub>(<i>s</i>)"),
        ("e", "ψ<sub><i>t</i></sub>(<i>s</i>)"),
        ("p", "β<sub><i>t</i>+1</sub>(<i>s</i>)"),
    ],
    "pair": [("p", "α<sub><i>t</i></sub>(<i>s</i>)"), ("p", "β<sub><i>t</i></sub>(<i>s</i>)")],
}
_PAIR = [
    ("p", "α̂<sub><i>t</i></sub>(<i>a</i>)"),
    ("t", "ψ(<i>a</i>, <i>b</i>)"),
    ("e", "ψ<sub><i>t</i>+1</sub>(<i>b</i>)"),
    ("p", "β<sub><i>t</i>+1</sub>(<i>b</i>)"),
]


def formula(convention: str) -> str:
    """p(y_t = s | x), and its neighbour pair's, in symbols, as HTML."""

    def line(of: str, factors: Sequence[tuple[str, str]]) -> str:
        product = " · ".join(symbol(role, text) for role, text in factors)
        return f"<div><i>p</i>({of} | <i>x</i>) = {product} / <b>Z</b></div>"

    lines = line("<i>y<sub>t</sub></i> = <i>s</i>", _FACTORS[convention])
    if convention == "state":
        pair = "<i>y<sub>t</sub></i> = <i>a</i>, <i>y</i><sub><i>t</i>+1</sub> = <i>b</i>"
        lines += line(pair, _PAIR)
    return f'<div class="crf-formula crf-recursion">{lines}</div>'


def header(both: Marginals, t: int, space: Space) -> list[str]:
    """What stands over the columns of `product_row`."""
    notation = NOTATIONS[space]
    symbols = {
        "forward": symbol_of(both.alpha, notation),
        "emission": notation.emission,
        "backward": symbol_of(both.beta, notation),
        "start": notation.start,
        "end": notation.end,
    }
    names = [symbols[factor.role] for factor in both.factors(t, 0)]
    last = f"share-{space}" if both.alpha.semiring == "sum" else "behind"
    return ["", *names, f"{notation.joint.join(names)} =", _line(f"labels.{last}")]


def product_row(both: Marginals, t: int, s: int, space: Space) -> list[str]:
    """The factors of one tag of a token, their product, and the marginal.

    In the max semiring the last is how far the best path through here is behind.
    """
    write, product = NOTATIONS[space].number, both.product(t, s)
    if both.log_total == -math.inf:  # 0/0 is no number
        last = "–" if both.alpha.semiring == "sum" else "−∞"
    elif both.alpha.semiring == "sum":
        last = probability(both.unary[t][s])
    else:
        last = "−∞" if product == -math.inf else number(both.log_total - product)
    return [*(write(factor.log_value) for factor in both.factors(t, s)), write(product), last]


def sums_table(both: Marginals) -> str:
    """Each column's total, and how far it is from the one the forward recursion found."""
    kind, gaps = both.alpha.semiring, map(both.residual, range(both.m))
    none = both.log_total == -math.inf  # then every column's total is −∞
    rows = [
        [printable(token), number(total, 6), "both −∞" if none else format_magnitude(gap)]
        for token, total, gap in zip(both.alpha.tokens, both.column_totals, gaps, strict=True)
    ]
    heads = ["", _line(f"labels.of-{kind}"), _line(f"labels.off-{kind}")]
    return tables.text_table(heads, rows, _line("labels.totals"))


# ---------------------------------------------------------------------- entropies


def _choices(nats: float) -> str:
    """An entropy as the number of equally likely things with the same."""
    return f"{math.exp(nats):.2f}" if nats < 16 else NOTATIONS["probability"].number(nats)


def entropy_table(both: Marginals, marked: set[int]) -> str:
    """Each token's entropy in nats, and as a number of equally likely tags."""
    found = [entropy(column) for column in both.unary]
    rows = [
        [_line("labels.nats"), *(number(h, 3) for h in found)],
        [_line("labels.choices"), *map(_choices, found)],
    ]
    heads = ["", *map(printable, both.alpha.tokens)]
    return tables.text_table(heads, rows, _line("labels.uncertainty"), {(0, t + 1) for t in marked})


def entropy_told(both: Marginals, chain: float) -> list[str]:
    """What the entropies say, of the tokens and of the chain as a whole, whose nats are given."""
    total = math.fsum(entropy(column) for column in both.unary)
    told = _line(
        "uncertain.tokens", total=number(total, 3), chain=number(chain, 3), choices=_choices(chain)
    )
    if both.S > 1:
        most = number(math.log(both.S), 3)
        told = join(_line("uncertain.most", S=both.S, nats=most), told)
    gap = round(total, 3) - round(chain, 3)  # of what is printed, so that it adds up in sight
    if both.m == 1:
        return [told, _line("uncertain.one-token")]
    if gap < 5e-4:
        return [told, _line("uncertain.equal")]
    return [told, _line("uncertain.gap", gap=number(gap, 3))]
