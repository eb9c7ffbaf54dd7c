"""The graphs of HMM, MEMM and CRF as plain data.

A factor graph G = (V, F, E) has variables (circles), factors (squares) and an edge wherever a
factor depends on a variable: p(y) = (1/Z) ∏_a ψ_a(y_N(a)). Of an HMM or a MEMM the directed graph
is given instead: an arrow leads to what a conditional probability is about.

Sources: Kschischang, Frey and Loeliger (2001), "Factor graphs and the sum-product algorithm";
Sutton and McCallum (2012), "An introduction to conditional random fields", figures 2.5 and 2.6.
"""

import re
from typing import NamedTuple

from pages.shared.course.problem import Problem
from pages.shared.course.right_to_left import escape


class Node(NamedTuple):
    """A variable or a factor."""

    # for example "y1", "x1", "emission1", "transition1" (from token 1 to 2), "start", "end", "x"
    # (the whole sentence); counted from 1, as in the formulas
    key: str
    kind: str  # "tag", "input", "emission", "transition", "start" or "end"
    token: int | None  # the token it belongs to, from 0; None for the whole sentence
    # a factor's log-scores, as rows: one row of S, or S rows
    values: tuple[tuple[float, ...], ...] = ()


class Edge(NamedTuple):
    """From one node to another; only a directed one has an arrow."""

    source: str
    target: str
    directed: bool = False


class Graph(NamedTuple):
    """A graph of one sentence."""

    model: str  # "hmm", "memm" or "crf"
    sees: str  # "token" or "sentence"
    formula: str  # what the graph stands for
    nodes: tuple[Node, ...]  # variables and factors
    edges: tuple[Edge, ...]  # between them


_FORMULAS = {
    ("hmm", "token"): "p(x, y) = ∏_t p(y_t | y_t−1) p(x_t | y_t)",
    ("memm", "token"): "p(y | x) = ∏_t p(y_t | y_t−1, x_t)",
    ("memm", "sentence"): "p(y | x) = ∏_t p(y_t | y_t−1, x)",
    ("crf", "token"): "p(y | x) = (1/Z(x)) σ(y₁) ε(y_m) ∏_t φ(y_t, x_t) ∏_t ψ(y_t, y_t+1)",
    ("crf", "sentence"): "p(y | x) = (1/Z(x)) σ(y₁) ε(y_m) ∏_t φ(y_t, x, t) ∏_t ψ(y_t, y_t+1)",
}


def graph(problem: Problem, model: str = "crf", sees: str = "token") -> Graph:
    """The graph of the sentence on screen, whose scores are the values of the CRF's factors.

    An emission sees its own "token" or the whole "sentence"; an HMM generates each token from its
    own tag, so for it the answer is always "token". An HMM and a MEMM have no factors, but arrows.
    """
    sees = "token" if model == "hmm" else sees
    m = range(1, len(problem.tokens) + 1)
    inputs = [Node(f"x{t}", "input", t - 1) for t in m]
    if sees == "sentence":
        inputs = [Node("x", "input", None)]
    seen = {t: inputs[(t - 1) % len(inputs)].key for t in m}
    nodes, edges = [Node(f"y{t}", "tag", t - 1) for t in m] + inputs, []
    if model == "crf":
        factors, edges = _factors(problem, seen)
        nodes += factors
    else:
        edges += [Edge(f"y{t}", f"y{t + 1}", True) for t in m[:-1]]
        for t in m:
            ends = (seen[t], f"y{t}") if model == "memm" else (f"y{t}", seen[t])
            edges.append(Edge(*ends, True))
    return Graph(model, sees, _FORMULAS[model, sees], tuple(nodes), tuple(edges))


def _factors(problem: Problem, seen: dict[int, str]) -> tuple[list[Node], list[Edge]]:
    last = len(problem.tokens)
    nodes = [Node("start", "start", 0, (problem.start,))]
    edges = [Edge("start", "y1")]
    for t in range(1, last + 1):
        nodes.append(Node(f"emission{t}", "emission", t - 1, (problem.emissions[t - 1],)))
        edges += [Edge(f"y{t}", f"emission{t}"), Edge(f"emission{t}", seen[t])]
        if t < last:
            nodes.append(Node(f"transition{t}", "transition", t - 1, problem.matrix(t)))
            edges += [Edge(f"y{t}", f"transition{t}"), Edge(f"transition{t}", f"y{t + 1}")]
    nodes.append(Node("end", "end", last - 1, (problem.end,)))
    return nodes, [*edges, Edge(f"y{last}", "end")]


def formula_html(text: str) -> str:
    """A formula in plain text as a paragraph of HTML: what follows an underscore is an index.

    >>> formula_html("y_t−1 Σ_y'")
    '<p class="crf-prose crf-formula">y<sub>t−1</sub> Σ<sub>y&#x27;</sub></p>'
    """
    index = r"_([A-Za-z](?:&#x27;|[+−]1)?)"
    inner = re.sub(index, r"<sub>\1</sub>", escape(text))
    return f'<p class="crf-prose crf-formula">{inner}</p>'
