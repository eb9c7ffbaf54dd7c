"""The numbers of the chain on screen: one heat map and table, one for pairs of neighbours' tags.

A lesson says which cell is on its stage, what a click on a cell does, and from which word on its
open question asks for the numbers: there they stay hidden.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import pandas as pd
import streamlit as st

from crf.figures.numbers import format_score
from crf.figures.trellis.narration import printable
from crf.figures.trellis.picture import shares
from pages.shared.course.problem import Problem
from pages.shared.figures.heat_map import HeatCells, heat_map
from pages.shared.figures.theme import probability, shorten, table_probability
from pages.shared.ui import client_values, computed
from pages.shared.ui.controls import Choice, by_name
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

QUANTITIES = ("emissions", "forward", "backward", "best", "pointers", "marginals")
QUANTITY = Choice(
    "bench.quantity",
    "forward",
    labels=dict.fromkeys(QUANTITIES, ""),
    words=lambda name: say(f"bench.{name}"),
)
_EDGE = SessionValue("bench.edge", 0)
_LAST = SessionValue[tuple]("bench.last", ())  # the cell with which the edge last moved
_SMALL = 0.005  # a pair less probable has no number in its cell
_BAR = {"displayModeBar": False}


def show(
    key: str,
    problem: Problem,
    *,
    at: tuple[int, int] | None = None,
    hidden_from: int | None = None,
    goes: Callable[[str, int, int], None] | None = None,
) -> None:
    """Draw the heat maps and tables.

    Args:
        key: Of the widgets: the lesson's name.
        problem: The scores on screen.
        at: The cell on the stage: word, tag.
        hidden_from: The first word whose numbers an open question asks for.
        goes: Called with a quantity, a word and a tag that the reader has clicked.
    """
    left, right = st.columns([10, 11], gap="large")
    with left:
        _cells(key, problem, at, hidden_from, goes)
    if len(problem.tokens) > 1:
        with right:
            _pairs(key, problem, at, hidden=hidden_from is not None)


def table_of(problem: Problem, name: str) -> list[list[float]]:
    """[L][S] a quantity's values: log-scores, probabilities, or tags before."""
    if name == "emissions":
        return [list(row) for row in problem.emissions]
    if name == "marginals":
        return [list(row) for row in computed.marginals(problem)]
    if name == "pointers":
        S = len(problem.tags)
        steps = computed.trace(problem, "viterbi", "state", "max").steps
        pointers = [step.backpointer for step in steps if step.kind == "cell"]
        numbers = [math.nan if p is None else float(p) for p in pointers]
        return [numbers[k : k + S] for k in range(0, len(numbers), S)]
    semiring = "max" if name == "best" else "sum"
    algorithm = {"best": "viterbi"}.get(name, name)
    return [list(row) for row in computed.trace(problem, algorithm, "state", semiring).table]


def _cells(
    key: str,
    problem: Problem,
    at: tuple[int, int] | None,
    hidden_from: int | None,
    goes: Callable[[str, int, int], None] | None,
) -> None:
    among = [name for name in QUANTITIES if hidden_from is None or name != "marginals"]
    name = QUANTITY.widget(say("bench.quantity"), among=among, label_visibility="collapsed")
    name = name if name in among else "forward"
    table = table_of(problem, name)
    known = _known(name, hidden_from)
    shade = table_of(problem, "best") if name == "pointers" else table
    share = [row if name == "marginals" else shares(row) for row in shade]
    blank = [math.nan] * len(problem.tags)
    table = [row if known(t) else blank for t, row in enumerate(table)]
    share = [row if known(t) else [0.0] * len(row) for t, row in enumerate(share)]
    texts = [[_text(problem, name, x, known(t)) for x in row] for t, row in enumerate(table)]
    turned = (_turned(one) for one in (table, share, texts))
    cells = HeatCells(*turned, rows=problem.tags, columns=_words(problem))
    # The table first: it is there while the chart's program is still loaded.
    chart, below = st.container(), st.container()
    _frame(key, problem, name, table, texts)
    label = say(f"bench.{name}")
    figure = heat_map(cells, label, st.context.theme.type, at and (at[1], at[0]))
    chart_key = f"{key}.heat map"

    def clicked() -> None:
        S, L = len(problem.tags), len(problem.tokens)
        for point in client_values.points(chart_key)[:1]:
            place = client_values.genuine(point.get("point_index"), client_values.index(S * L))
            if place is not None and goes is not None:
                goes(name, place % L, place // L)

    chart.plotly_chart(
        figure,
        theme=None,
        key=chart_key,
        config=_BAR,
        alt=say("bench.alt", quantity=label),
        **({"on_select": clicked, "selection_mode": "points"} if goes else {}),
    )
    told = ["shade", *(["click"] if goes else []), *(["hidden"] if hidden_from is not None else [])]
    with below:
        note(" ".join(say(f"bench.{name}") for name in told))


def _known(name: str, hidden_from: int | None) -> Callable[[int], bool]:
    """Which words have numbers: β comes from the right, so that one hidden word hides all of it."""
    if hidden_from is None or name == "emissions":
        return lambda t: True
    return lambda t: name != "backward" and t < hidden_from


def _text(problem: Problem, name: str, value: float, known: bool) -> str:
    if not known:
        return "?"
    if name == "pointers":
        return "–" if math.isnan(value) else f"← {shorten(problem.tags[int(value)], 8)}"
    return probability(value) if name == "marginals" else format_score(value)


def _frame(
    key: str, problem: Problem, name: str, table: list[list[float]], texts: Sequence[Sequence[str]]
) -> None:
    """The same numbers as a table to sort and copy, and as a file with all digits."""
    index = pd.Index(_words(problem), name=say("bench.word"))
    if name == "pointers":
        shown = pd.DataFrame(texts, index=index, columns=list(problem.tags))
        st.dataframe(shown, height="content", key=f"{key}.table")
    else:
        frame = pd.DataFrame(table, index=index, columns=list(problem.tags))
        write = probability if name == "marginals" else format_score
        styled = frame.style.format(lambda x: "?" if math.isnan(x) else write(x))
        st.dataframe(styled, height="content", key=f"{key}.table")
    exact = pd.DataFrame(table, index=pd.Index(problem.tokens, name="word"), columns=problem.tags)
    if name == "pointers":  # tags by their names, as everywhere
        exact = exact.map(lambda s: "" if math.isnan(s) else problem.tags[int(s)])
    st.download_button(
        say("bench.csv"),
        partial(exact.to_csv, na_rep=""),
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        key=f"{key}.csv",
    )


def _pairs(key: str, problem: Problem, at: tuple[int, int] | None, *, hidden: bool) -> None:
    """The probabilities of two neighbours' tags, and how the largest one comes about."""
    words = _words(problem)
    if _LAST.value != (at or ()):  # the stage has moved: to the edge into its cell
        _LAST.set(at or ())
        if at and at[0]:
            _EDGE.set(at[0] - 1)
    names = [f"{a} → {b}" for a, b in pairwise(words)]
    t = by_name(say("bench.edge"), _EDGE, names, label_visibility="collapsed")
    if hidden:
        return note(say("bench.hidden-pairs"))
    pairs = problem.chain().pair_marginals[0, t].tolist()
    texts = [[table_probability(p) if p >= _SMALL else "" for p in row] for row in pairs]
    into = [at[1]] if at and at[0] == t + 1 else range(len(problem.tags))
    p, i, j = max((row[j], i, j) for i, row in enumerate(pairs) for j in into)
    cells = HeatCells(pairs, pairs, texts, problem.tags, problem.tags)
    figure = heat_map(cells, "p", st.context.theme.type, (i, j))
    places = {"left": words[t], "right": words[t + 1]}
    alt = say("bench.pairs-alt", **places)
    st.plotly_chart(figure, theme=None, key=f"{key}.pairs map", config=_BAR, alt=alt)
    note(say("bench.pairs", **places))
    if p:
        note(_product(problem, t, i, j))


def _product(problem: Problem, t: int, i: int, j: int) -> str:
    """A pair's probability from α, the two scores between, β and Z."""
    numbers = {
        "alpha": table_of(problem, "forward")[t][i],
        "transition": problem.matrix(t + 1)[i][j],
        "emission": problem.emissions[t + 1][j],
        "beta": table_of(problem, "backward")[t + 1][j],
        "z": computed.summary(problem).log_z,
    }
    log_p = sum(numbers.values()) - 2 * numbers["z"]
    texts = {name: format_score(value) for name, value in numbers.items()}
    texts |= {"log_p": format_score(log_p), "p": probability(math.exp(log_p))}
    left, right = (printable(problem.tags[s]) for s in (i, j))
    return say("bench.product", left=left, right=right, **texts)


def _words(problem: Problem) -> list[str]:
    """The words as heads, each its own: where one looks like an earlier one, its place is told."""
    words: list[str] = []
    for t, word in enumerate(problem.tokens, 1):
        head = shorten(printable(word), 14)
        while head in words:
            head += f" ({t})"
        words.append(head)
    return words


def _turned(table: Sequence[Sequence]) -> list[list]:
    return [list(column) for column in zip(*table, strict=True)]
