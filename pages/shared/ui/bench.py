"""The numbers of the chain on screen: heat maps, the same as tables, pairs of tags, the best paths.

A lesson says which cell is on its stage, what a click on a cell does, and from which word on its
open question asks for the numbers: there they stay hidden. A widget keeps its value itself.
"""

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from crf.figures.numbers import format_potential, format_score
from crf.figures.trellis.narration import printable
from crf.figures.trellis.picture import shares
from crf.steps.conventions import convention_of
from pages.shared.course.marginals import entropy
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat, step_of, waits
from pages.shared.figures.chart import look
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.heat_map import HeatCells, heat_map
from pages.shared.figures.theme import (
    exp,
    log_probability,
    probability,
    shorten,
    table_probability,
)
from pages.shared.ui import client_values, computed
from pages.shared.ui.frame import note
from pages.shared.ui.words import say

QUANTITIES = ("emissions", "forward", "backward", "best", "pointers", "marginals")
_SMALL = 0.005  # a pair less probable has no number in its cell
# Seconds for a browser to draw the first tables, before Plotly's program keeps it busy.
HEAD_START = 0.4
_BAR = {"displayModeBar": False}
BEST = 5  # paths
Goes = Callable[[str, int, int], None]


class OnBench(NamedTuple):
    """What a lesson asks of the bench.

    Attributes:
        key: Of the widgets: the lesson's name.
        problem: The scores on screen.
        form: The reader's textbook: "state", "message" or "pair".
        scale: "log" or "potential".
        at: The cell on the stage: word, tag.
        hidden_from: The first word whose numbers an open question asks for.
        goes: Called with a quantity, a word and a tag that the reader has clicked.
    """

    key: str
    problem: Problem
    form: str = "state"
    scale: str = "log"
    at: tuple[int, int] | None = None
    hidden_from: int | None = None
    goes: Goes | None = None

    def knows(self, name: str, t: int) -> bool:
        """Whether no open question asks for a word's numbers.

        β and marginals need the words to the right, so that one hidden word hides all of them.
        """
        if self.hidden_from is None or name == "emissions":
            return True
        return name not in ("backward", "marginals") and t < self.hidden_from

    def label(self, name: str) -> str:
        """What a quantity is called, in the reader's scale."""
        named = self.scale == "potential" and name in ("emissions", "forward", "backward", "best")
        return say(f"bench.{name}-potential" if named else f"bench.{name}")


class BenchNumbers(NamedTuple):
    """One of them: the words that have a column, and [columns][S] values and log-scores."""

    words: list[int]
    values: list[list[float]]
    shares: list[list[float]]


def show(asked: OnBench) -> None:
    """Draw the heat maps and tables."""
    if not computed.summary(asked.problem).feasible:
        return note(say("bench.no-path"))
    is_first = not client_values.has_had("bench.quantity")  # and a browser draws: it has a theme
    left, right = st.columns([10, 11], gap="large")
    with left:
        name = st.segmented_control(
            say("bench.quantity"),
            QUANTITIES,
            default="forward",
            required=True,
            format_func=asked.label,
            label_visibility="collapsed",
            key="bench.quantity",
            persist_state="session",
        )
        chart, table = st.container(), st.container()
    with right:
        pairs = st.container()
        _best(asked)
    numbers = _known(asked, name)
    if not numbers.words:  # one word in message form
        with chart:
            note(say("bench.no-column"))
    else:
        texts = [[_text(asked, name, x) for x in row] for row in numbers.values]
        with table:
            _frame(asked, name, numbers, texts)
        if is_first and st.context.theme.type:
            time.sleep(HEAD_START)
        with chart:
            _heat_map(asked, name, numbers, texts)
    if len(asked.problem.tokens) > 1:
        with pairs:
            _pairs(asked)


def hides(state: State, beat: Beat) -> int | None:
    """The first word whose numbers stay hidden: of a beat whose question is open, every word's."""
    return 0 if waits(beat.bet(state, step_of(beat, state)) if beat.bet else None, state) else None


def quantity(asked: OnBench, name: str) -> BenchNumbers:
    """A quantity's numbers: log-scores, potentials, probabilities, or tags before."""
    problem, every = asked.problem, list(range(len(asked.problem.tokens)))
    if name == "marginals":
        rows = [list(row) for row in computed.marginals(problem)]
        return BenchNumbers(every, rows, rows)
    if name == "pointers":
        S = len(problem.tags)
        trace = computed.trace(problem, "viterbi", "state", "max")
        pointers = [step.backpointer for step in trace.steps if step.kind == "cell"]
        numbers = [math.nan if p is None else float(p) for p in pointers]
        rows = [numbers[k : k + S] for k in range(0, len(numbers), S)]
        return BenchNumbers(every, rows, [shares(row) for row in trace.table])
    if name == "emissions":
        logs = [list(row) for row in problem.emissions]
    else:
        algorithm = {"best": "viterbi"}.get(name, name)
        semiring = "max" if name == "best" else "sum"
        trace = computed.trace(problem, algorithm, asked.form, semiring)
        logs, every = [list(row) for row in trace.table], every[convention_of(trace).tokens]
    values = [[exp(x) for x in row] for row in logs] if asked.scale == "potential" else logs
    return BenchNumbers(every, values, [shares(row) for row in logs])


def _known(asked: OnBench, name: str) -> BenchNumbers:
    """A quantity’s numbers, nan where an open question asks for them."""
    words, values, share = quantity(asked, name)
    seen = [asked.knows(name, t) for t in words]
    hidden = [math.nan] * len(asked.problem.tags), [0.0] * len(asked.problem.tags)
    values = [row if known else hidden[0] for row, known in zip(values, seen, strict=True)]
    return BenchNumbers(
        words, values, [row if known else hidden[1] for row, known in zip(share, seen, strict=True)]
    )


def _heat_map(
    asked: OnBench, name: str, all_: BenchNumbers, texts: Sequence[Sequence[str]]
) -> None:
    """The map, whose cells can be clicked, and how to read it."""
    problem, words, named = asked.problem, all_.words, heads(asked.problem)
    turned = (_turned(one) for one in (all_.values, all_.shares, texts))
    cells = HeatCells(*turned, rows=problem.tags, columns=[named[t] for t in words])
    at = asked.at and asked.at[0] in words and (asked.at[1], words.index(asked.at[0]))
    hidden = [c for c, t in enumerate(words) if not asked.knows(name, t)]
    label = asked.label(name)
    figure = heat_map(cells, label, st.context.theme.type, at or None, hidden)
    key = f"{asked.key}.heat map"

    def clicked() -> None:
        for point in client_values.points(key)[:1]:
            most = client_values.index(len(problem.tags) * len(words))
            place = client_values.genuine(point.get("point_index"), most)
            if place is not None and asked.goes is not None:
                asked.goes(name, words[place % len(words)], place // len(words))

    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        config=_BAR,
        alt=say("bench.alt", quantity=label),
        **({"on_select": clicked, "selection_mode": "points"} if asked.goes else {}),
    )
    told = ["shade", *(["click"] if asked.goes else []), *(["hidden"] if hidden else [])]
    note(" ".join(say(f"bench.{name}") for name in told))


def _text(asked: OnBench, name: str, value: float) -> str:
    if name == "pointers":
        tags = asked.problem.tags
        return "–" if math.isnan(value) else f"← {shorten(tags[int(value)], 8)}"
    if math.isnan(value):
        return "?"
    if name == "marginals":
        return probability(value)
    return _number(asked, value)


def _number(asked: OnBench, value: float) -> str:
    if asked.scale == "log":
        return format_score(value)
    return format_potential(math.log(value) if value else -math.inf)


def _frame(asked: OnBench, name: str, all_: BenchNumbers, texts: Sequence[Sequence[str]]) -> None:
    """The same numbers as a table to sort and copy, and as a file with all digits."""
    problem, named, nats = asked.problem, heads(asked.problem), say("bench.entropy")
    tags, words = list(problem.tags), all_.words
    index = pd.Index([named[t] for t in words], name=say("bench.word"))
    exact = pd.DataFrame(all_.values, [problem.tokens[t] for t in words], tags)
    if name == "pointers":
        st.dataframe(pd.DataFrame(texts, index, tags), height="content", key=f"{asked.key}.table")
        # tags by their names, as everywhere
        exact = exact.map(lambda s: "" if math.isnan(s) else problem.tags[int(s)])
    else:
        frame = pd.DataFrame(all_.values, index, tags)
        if name == "marginals":
            frame[nats] = exact[nats] = [entropy(row) for row in all_.values]
        styled = frame.style.format(lambda x: "?" if math.isnan(x) else _text(asked, name, x))
        if name == "marginals":
            styled = styled.format(partial(format_score, digits=3), subset=[nats], na_rep="?")
        st.dataframe(styled, height="content", key=f"{asked.key}.table")
    exact.index.name = "word"
    file = name if asked.scale == "log" or name in ("pointers", "marginals") else f"{name}-exp"
    st.download_button(
        say("bench.csv"),
        partial(exact.to_csv, na_rep=""),
        f"{file}.csv",
        "text/csv",
        on_click="ignore",
        key=f"{asked.key}.csv",
    )


# ---------------------------------------------------------------------- pairs, paths


def _pairs(asked: OnBench) -> None:
    """The probabilities of two neighbours' tags, and how the largest one comes about."""
    problem, at, words = asked.problem, asked.at, heads(asked.problem)
    names = [f"{a} → {b}" for a, b in pairwise(words)]
    t = st.selectbox(  # another cell on the stage is another widget: it opens at the edge into it
        say("bench.edge"),
        range(len(names)),
        index=max(at[0] - 1, 0) if at else 0,
        format_func=names.__getitem__,
        label_visibility="collapsed",
    )
    if asked.hidden_from is not None:
        return note(say("bench.hidden-pairs"))
    pairs = problem.chain().pair_marginals[0, t].tolist()
    texts = [[table_probability(p) if p >= _SMALL else "" for p in row] for row in pairs]
    into = [at[1]] if at and at[0] == t + 1 else range(len(problem.tags))
    p, i, j = max((row[j], i, j) for i, row in enumerate(pairs) for j in into)
    cells = HeatCells(pairs, pairs, texts, problem.tags, problem.tags)
    figure = heat_map(cells, "p", st.context.theme.type, (i, j))
    places = {"left": words[t], "right": words[t + 1]}
    alt = say("bench.pairs-alt", **places)
    st.plotly_chart(figure, theme=None, key=f"{asked.key}.pairs map", config=_BAR, alt=alt)
    note(say("bench.pairs", **places))
    if p:
        note(_product(asked, t, i, j))


def _product(asked: OnBench, t: int, i: int, j: int) -> str:
    """A pair's probability from α, the two scores between, β and Z; Z from all such products."""
    problem, logs = asked.problem, asked._replace(form="state", scale="log")
    alpha, beta = (quantity(logs, name).values for name in ("forward", "backward"))
    S = range(len(problem.tags))
    ways = [
        alpha[t][a] + problem.matrix(t + 1)[a][b] + problem.emissions[t + 1][b] + beta[t + 1][b]
        for a in S
        for b in S
    ]
    top = max(ways)
    z = top + math.log(math.fsum(math.exp(way - top) for way in ways))
    numbers = {
        "alpha": alpha[t][i],
        "transition": problem.matrix(t + 1)[i][j],
        "emission": problem.emissions[t + 1][j],
        "beta": beta[t + 1][j],
        "z": z,
        "log_p": ways[i * len(S) + j] - z,
    }
    texts = {name: format_score(value) for name, value in numbers.items()}
    texts |= {"p": probability(math.exp(numbers["log_p"])), "n": len(ways)}
    left, right = (printable(problem.tags[s]) for s in (i, j))
    return say("bench.product", left=left, right=right, **texts)


def _best(asked: OnBench) -> None:
    """The best paths, with their probabilities and the sum so far."""
    problem = asked.problem
    if asked.hidden_from is not None:
        return
    st.dataframe(
        paths_frame(problem, BEST),
        height="content",
        hide_index=True,
        key=f"{asked.key}.best",
        column_config=columns(st.context.theme.type),
    )


def paths_frame(problem: Problem, k: int) -> pd.DataFrame:
    """The k best paths, as far as they are allowed: path, score, probability, running sum."""
    chain = computed.summary(problem).chain
    best, log_z = chain.topk(k), chain.log_partition.item()
    scores = [score for score in best.scores[0].tolist() if score > -math.inf]
    p = [math.exp(min(score - log_z, 0.0)) for score in scores]
    paths = best.tags[0].tolist()[: len(scores)]
    names = [" ".join(printable(problem.tags[s]) for s in path) for path in paths]
    whole = [min(x, 1.0) for x in accumulate(p)]
    return pd.DataFrame({"path": names, "score": scores, "p": p, "sum": whole})


def columns(theme: str | None) -> dict[str, Any]:
    """How `paths_frame` is shown."""
    bar = partial(
        st.column_config.ProgressColumn,
        format="%.4f",
        min_value=0,
        max_value=1,
        color=look(theme).blue,
    )
    return {
        "path": say("bench.best-paths"),
        "score": st.column_config.NumberColumn(say("bench.score"), format="%.3f"),
        "p": bar(say("bench.probability")),
        "sum": bar(say("bench.running")),
    }


def decoders_frame(
    problem: Problem, paths: Sequence[Decoded], about: Sequence[str] = ()
) -> pd.DataFrame:
    """Decoders' paths, a row each: score, probability, a tag for each word, how it decides.

    A tag that is not the first path's has a ≠ before it. `about` stands in place of the last.
    """
    texts = about or [one.about for one in paths]
    names = [say(f"bench.{name}") for name in ("score", "probability", "decides")]
    rows = [
        [
            format_score(one.score),
            log_probability(one.log_p),
            *(
                f"{'' if s == best else '≠ '}{printable(problem.tags[s])}"
                for s, best in zip(one.path, paths[0].path, strict=True)
            ),
            text,
        ]
        for one, text in zip(paths, texts, strict=True)
    ]
    columns = [*names[:2], *heads(problem, names), names[2]]
    return pd.DataFrame(rows, [one.label for one in paths], columns)


def heads(problem: Problem, taken: Sequence[str] = ()) -> list[str]:
    """The words as heads, each its own: where one looks like an earlier one, its place is told.

    Heads of other columns are taken, too.
    """
    words: list[str] = []
    for t, word in enumerate(problem.tokens, 1):
        head = shorten(printable(word), 14)
        while head in words or head in taken:
            head += f" ({t})"
        words.append(head)
    return words


def _turned(table: Sequence[Sequence]) -> list[list]:
    return [list(column) for column in zip(*table, strict=True)]
