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

MODELS = ("hmm", "memm", "crf")
SEES = ("token", "sentence")


class Node(NamedTuple):
    """A variable or a factor."""

    # for example "y1", "x1", "emission1", "transition1" (from token 1 to 2), "start", "end", "x"
    # (the whole sentence); counted from 1, as in the formulas
    key: str
    kind: str  # "tag", "input", "emission", "transition", "start" or "end"
    name: str  # what to write: y₁ and the like, the token, φ or ψ
    token: int | None  # the token it belongs to, from 0; None for the whole sentence
    observed: bool = False  # whether it is shaded
    # a factor's log-scores, as rows: one row of S, or S rows
    values: tuple[tuple[float, ...], ...] = ()


class Edge(NamedTuple):
    """From one node to another; only a directed one has an arrow."""

    source: str
    target: str
    directed: bool = False


class Graph(NamedTuple):
    """A graph of one sentence."""

    model: str  # one of `MODELS`
    sees: str  # one of `SEES`
    formula: str  # what the graph stands for
    nodes: tuple[Node, ...]  # variables and factors
    edges: tuple[Edge, ...]  # between them

    def neighbours(self, key: str) -> tuple[str, ...]:
        """The nodes that share an edge with this one."""
        return tuple(b if a == key else a for a, b, _ in self.edges if key in (a, b))


_FORMULAS = {
    ("hmm", "token"): "p(x, y) = ∏_t p(y_t | y_t−1) p(x_t | y_t)",
    ("memm", "token"): "p(y | x) = ∏_t p(y_t | y_t−1, x_t)",
    ("memm", "sentence"): "p(y | x) = ∏_t p(y_t | y_t−1, x)",
    ("crf", "token"): "p(y | x) = (1/Z(x)) σ(y₁) ε(y_m) ∏_t φ(y_t, x_t) ∏_t ψ(y_t, y_t+1)",
    ("crf", "sentence"): "p(y | x) = (1/Z(x)) σ(y₁) ε(y_m) ∏_t φ(y_t, x, t) ∏_t ψ(y_t, y_t+1)",
}


def graph(problem: Problem, model: str = "crf", sees: str = "token") -> Graph:
    """The graph of the sentence on screen.

    Args:
        problem: m tokens; its scores are the values of the CRF's factors.
        model: One of `MODELS`.
        sees: Whether an emission sees its own token or the whole "sentence". An HMM generates each
            token from its own tag, so for it the answer is always "token".

    Returns:
        Nodes and edges; an HMM and a MEMM have no factors, but arrows.
    """
    sees = "token" if model == "hmm" else sees
    m = range(len(problem.tokens))
    tags = [Node(f"y{t + 1}", "tag", f"y{t + 1}", t) for t in m]
    inputs = [Node(f"x{t + 1}", "input", token, t, True) for t, token in enumerate(problem.tokens)]
    if sees == "sentence":
        inputs = [Node("x", "input", " ".join(problem.tokens), None, True)]
    seen = ["x" if sees == "sentence" else f"x{t + 1}" for t in m]
    build = _factors if model == "crf" else _arrows
    factors, edges = build(problem, model, seen)
    return Graph(model, sees, _FORMULAS[model, sees], (*tags, *inputs, *factors), tuple(edges))


def _factors(problem: Problem, _: str, seen: list[str]) -> tuple[list[Node], list[Edge]]:
    last = len(problem.tokens)
    nodes = [Node("start", "start", "start", 0, values=(problem.start,))]
    edges = [Edge("start", "y1")]
    for t in range(1, last + 1):
        nodes.append(Node(f"emission{t}", "emission", "φ", t - 1,
                          values=(problem.emissions[t - 1],)))  # fmt: skip
        edges += [Edge(f"y{t}", f"emission{t}"), Edge(f"emission{t}", seen[t - 1])]
        if t < last:
            nodes.append(Node(f"transition{t}", "transition", "ψ", t - 1,
                              values=problem.matrix(t)))  # fmt: skip
            edges += [Edge(f"y{t}", f"transition{t}"), Edge(f"transition{t}", f"y{t + 1}")]
    nodes.append(Node("end", "end", "end", last - 1, values=(problem.end,)))
    return nodes, [*edges, Edge(f"y{last}", "end")]


def _arrows(problem: Problem, model: str, seen: list[str]) -> tuple[list[Node], list[Edge]]:
    m = len(problem.tokens)
    chain = [Edge(f"y{t}", f"y{t + 1}", True) for t in range(1, m)]
    tied = [(f"y{t + 1}", seen[t]) for t in range(m)]
    if model == "memm":
        tied = [(x, y) for y, x in tied]
    return [], [*chain, *(Edge(a, b, True) for a, b in tied)]


def formula_html(text: str) -> str:
    """A formula in plain text as HTML: what follows an underscore is an index.

    >>> formula_html("p(y_t | y_t−1) / Σ_y' exp(x)")
    'p(y<sub>t</sub> | y<sub>t−1</sub>) / Σ<sub>y&#x27;</sub> exp(x)'
    """
    index = r"_([A-Za-z](?:&#x27;|[+−]1)?)"
    return re.sub(index, r"<sub>\1</sub>", escape(text))
