"""A graph as a picture: where nodes and edges go, what each says when one looks at it, what is cut.

Over the tags of a CRF bows tell how much each pair of them depends on each other: the thicker, the
more. The figure lies in `model_graph`; it draws what it is sent, knows neither
scores nor number formats, and sends back which tag's node was clicked, which is checked here.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from pages.graphs.factor_graph import Edge, Graph, Node
from pages.graphs.independence import Independence, Pair
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import client_values
from pages.shared.ui.component import component


def say(name: str, /, **facts: Any) -> str:
    """A sentence of the lesson’s tables of cases, as plain text."""
    return LessonText.of("graphs").line(name, **facts)


ByToken = Sequence[Sequence[float]]  # [m][S]

_COMPONENT = component("model_graph", "pages/graphs/model_graph")
_STEP, _LEFT, _RADIUS, _SIDE = 112, 84, 25, 13  # pixels; _SIDE is half a square's
_TOP, _PARTS = 62, 14
_BOW, _THICKEST = 96, 44  # height of the highest bow; thickness of a dependence of 1
_FAINT = 0.0002  # a dependence under it has no bow
_LETTERS = {"start": "σ", "end": "ε", "emission": "φ", "transition": "ψ"}
_ROLES = {"emission": "e", "transition": "t", "start": "x", "end": "x"}  # of factors
_LEVELS = {"tag": 0, "start": 0, "end": 0, "transition": 0, "emission": 1, "input": 2}
_HEIGHTS = {True: (0, 74, 148), False: (0, 74, 112)}  # with factors, without; under the tags
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def show(
    drawn: Mapping[str, Any], *, key: str, tokens: int, on_click: Callable[[int], None]
) -> None:
    """Put a `drawing` on the page; a click on one of its tags calls `on_click` with its token."""

    def clicked() -> None:
        token = check_click(client_values.state(key, "choice"), tokens)
        if token is not None:
            on_click(token)

    _COMPONENT(key=key, data={"drawing": dict(drawn)}, on_choice_change=clicked)


def check_click(choice: object, tokens: int) -> int | None:
    """The token that the browser sent, or None if it is none: anything may come from there."""
    found = client_values.genuine(choice, client_values.record(token=client_values.index(tokens)))
    return None if found is None else found["token"]


def drawing(
    graph: Graph,
    problem: Problem,
    fixed: Mapping[int, int],
    now: Independence | None,
    *,
    free: Independence | None = None,
    local: Mapping[int, ByToken] | None = None,
) -> dict[str, Any]:
    """The graph with some tags fixed.

    Args:
        graph: Of `pages.graphs.factor_graph.graph`.
        problem: What it is the graph of.
        fixed: The tag's index of each token that is fixed.
        now: What is left of the chain; None where it is not to be shown: only a CRF can be asked.
            One with nothing fixed, while what the fixed tags change is not to be seen yet.
        free: The same with nothing fixed, for the values at the tags.
        local: Of a MEMM, by token: its table p(tag | tag before, x), one row at the first token.

    Returns:
        Size, nodes, edges, bows and parts, with coordinates in pixels; `tables`, to which nodes
        refer.
    """
    m = len(problem.tokens)
    top = _TOP + (_BOW if now is not None and m > 1 else 0)
    tells = now is not None and bool(fixed) and now.fixed == dict(fixed)
    rows = None
    if free is not None and now is not None:
        rows = {"": free.marginals} | ({say("graph.fixed"): now.marginals} if tells else {})
    nodes = _Nodes(graph, problem, fixed, rows, local or {}, top)
    return {
        "label": say("graph.label", model=graph.model.upper()),
        "figure": "graph",
        "width": 2 * _LEFT + (m - 1) * _STEP,
        "height": max(y for _, y in nodes.places.values()) + _RADIUS + 6,
        "edges": [nodes.edge(edge) for edge in graph.edges],
        "nodes": [nodes.node(node) for node in graph.nodes],
        "bows": [] if now is None else _bows(now, problem, top),
        "parts": _parts(now.pieces) if now is not None and tells else [],
        "tables": nodes.tables,
        "hint": say("graph.hint-crf" if graph.model == "crf" else "graph.hint"),
    }


def _bows(now: Independence, problem: Problem, top: float) -> list[dict[str, Any]]:
    """A bow for each pair of tags that depend on each other, and for those that are cut apart."""
    drawn = []
    for pair in now.pairs:
        if not pair.separated and pair.dependence < _FAINT:
            continue
        x1, x2 = (_LEFT + _STEP * t for t in pair[:2])
        far = pair.second - pair.first
        height = _BOW * min(1.0, 0.34 + 0.22 * (far - 1)) * 4 / 3  # of a bow's control points
        drawn.append(
            {
                "d": f"M{x1} {top - _RADIUS}C{x1} {top - _RADIUS - height:.0f} "
                f"{x2} {top - _RADIUS - height:.0f} {x2} {top - _RADIUS}",
                "thick": 1.5 if pair.separated else max(0.75, _THICKEST * pair.dependence),
                "cut": pair.separated,
                "title": _bow_title(pair, problem),
            }
        )
    return drawn


def _bow_title(pair: Pair, problem: Problem) -> str:
    names = " and ".join(f"‘{problem.tokens[t]}’" for t in pair[:2])
    if pair.separated:
        return say("graph.independent", names=names)
    return say("graph.dependent", names=names, off=f"{pair.dependence:.2g}")


def _parts(pieces: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """A bar over each piece of the chain."""
    parts = []
    for k, piece in enumerate(pieces, 1):
        left, right = (_LEFT + _STEP * piece[end] for end in (0, -1))
        parts.append({"x1": left - 30, "x2": right + 30, "y": _PARTS + 10, "text": f"part {k}",
                      "x": (left + right) / 2, "above": _PARTS})  # fmt: skip
    return parts


def subscript(name: str) -> str:
    """A variable's name with its number below.

    >>> subscript("y12")
    'y₁₂'
    """
    return name.translate(_SUBSCRIPTS)


class _Nodes:
    """The nodes of a graph, the edges between them, and the tables of values, each once."""

    def __init__(
        self,
        graph: Graph,
        problem: Problem,
        fixed: Mapping[int, int],
        marginals: Mapping[str, ByToken] | None,
        local: Mapping[int, ByToken],
        top: float,
    ) -> None:
        self.graph, self.problem, self.fixed = graph, problem, fixed
        self.marginals, self.local = marginals, local
        self.nodes = {node.key: node for node in graph.nodes}
        heights = _HEIGHTS[any(node.kind in _ROLES for node in graph.nodes)]
        self.places = {
            key: (self._x(node), top + heights[_LEVELS[node.kind]])
            for key, node in self.nodes.items()
        }
        self.tables: list[dict[str, Any]] = []
        self._known: dict[Any, int] = {}
        matrices: Any = problem.transitions if problem.per_step else (problem.transitions,)
        rows = [problem.start, problem.end, *problem.emissions, *chain(*matrices)]
        values = (abs(x) for x in chain(*rows) if x > -math.inf)
        self.largest = max(values, default=0.0)

    def _x(self, node: Node) -> float:
        if node.token is None:
            return _LEFT + _STEP * (len(self.problem.tokens) - 1) / 2
        aside = {"transition": 0.5, "end": 0.5, "start": -0.5}.get(node.kind, 0)
        return _LEFT + _STEP * (node.token + aside)

    def edge(self, edge: Edge) -> dict[str, Any]:
        """An edge between two nodes' places."""
        ends = [self.nodes[edge.source], self.nodes[edge.target]]
        (x1, y1), (x2, y2) = self.places[edge.source], self.places[edge.target]
        # the whole sentence is one box: leave it, or meet it, at its upper side
        if ends[0].key == "x":
            x1, y1 = (x1 + 3 * x2) / 4, y1 - _RADIUS
        if ends[1].key == "x":
            x2, y2 = (x2 + 3 * x1) / 4, y2 - _RADIUS
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        trims = [
            0 if node.key == "x" or not edge.directed else (_RADIUS + gap) / length
            for node, gap in zip(ends, (0, 2), strict=True)
        ]
        along = all(node.kind not in ("input", "emission") for node in ends)
        return {
            "x1": x1 + trims[0] * (x2 - x1), "y1": y1 + trims[0] * (y2 - y1),
            "x2": x2 - trims[1] * (x2 - x1), "y2": y2 - trims[1] * (y2 - y1),
            "arrow": edge.directed,
            "cut": along and any(node.kind == "tag" and node.token in self.fixed for node in ends),
        }  # fmt: skip

    def node(self, node: Node) -> dict[str, Any]:
        """A node with its texts, its title and the place of its table among the tables."""
        x, y = self.places[node.key]
        draw = {"tag": self._tag, "input": self._input}.get(node.kind, self._factor)
        return {
            "key": node.key, "kind": node.kind, "x": x, "y": y, "shaded": node.kind == "input",
            "role": _ROLES.get(node.kind), "radius": _RADIUS,
            "row": None, "column": None, "table": None, "level": _LEVELS[node.kind],
        } | draw(node, x, y)  # fmt: skip

    def _tag(self, node: Node, x: float, y: float) -> dict[str, Any]:
        t, tags, name = node.token or 0, self.problem.tags, subscript(node.key)
        facts = {"name": name, "word": self.problem.tokens[t]}
        is_local = t in self.local and self.marginals is None
        text, title, table = name, say("graph.leads" if is_local else "graph.tag", **facts), None
        if (held := self.fixed.get(t)) is not None:
            text = theme.shorten(tags[held], 9)
            title = say("graph.fixed-tag", **facts, tag=tags[held])
        if self.marginals is not None:
            rows = {label or f"p({name} | x)": by[t] for label, by in self.marginals.items()}
            table = self._probabilities(list(rows), list(rows.values()))
        elif is_local:
            names = [f"after {tag}" for tag in tags] if t else ["at the start"]
            table = self._probabilities(names, self.local[t])
        return {
            "token": t, "held": held is not None, "texts": [[x, y, text]], "title": title,
            "table": table,
        }  # fmt: skip

    def _input(self, node: Node, x: float, y: float) -> dict[str, Any]:
        tokens = self.problem.tokens
        if node.token is None:
            words = [[_LEFT + _STEP * t, y, theme.shorten(w, 12)] for t, w in enumerate(tokens)]
            half = _STEP * (len(tokens) - 1) / 2 + _LEFT - 20
            return {"texts": words, "half": half, "title": say("graph.sentence")}
        word, here = tokens[node.token], subscript(f"y{node.token + 1}")
        facts = {"name": subscript(node.key), "word": word, "here": here}
        title = say(f"graph.{self.graph.model}-input", **facts)
        return {"texts": [[x, y, theme.shorten(word, 9)]], "title": title}

    def _factor(self, node: Node, x: float, y: float) -> dict[str, Any]:
        t, letter = node.token or 0, _LETTERS[node.kind]
        facts = {"here": subscript(f"y{t + 1}")}
        names, corner = [f"log {letter}"], ""
        drawn = {"radius": _SIDE, "texts": [[x, y, letter]], "column": self.fixed.get(t)}
        if node.kind == "emission":
            seen = "x" if self.graph.sees == "sentence" else subscript(f"x{t + 1}")
            facts |= {"seen": seen, "word": f"‘{self.problem.tokens[t]}’"}
        elif node.kind == "transition":
            facts |= {"after": subscript(f"y{t + 2}")}
            names, corner = list(self.problem.tags), "from ↓ to →"
            drawn |= {"row": self.fixed.get(t), "column": self.fixed.get(t + 1)}
        return drawn | {
            "title": say(f"graph.{node.kind}", **facts),
            "table": self._scores(names, node.values, corner),
        }

    def _scores(self, names: list[str], rows: Sequence[Sequence[float]], corner: str) -> int:
        """A table of log-scores; its place among those drawn."""
        known = self._known.setdefault((tuple(names), tuple(rows)), len(self.tables))
        if known == len(self.tables):
            self._add(corner, names, [[self._score(x) for x in row] for row in rows])
        return known

    def _probabilities(self, names: list[str], rows: ByToken) -> int:
        """A table of probabilities, each as a bar in the colour of its tag; its place."""
        colours = [theme.tag_colours(self.problem.tags)[tag] for tag in self.problem.tags]
        bar = "linear-gradient(rgba({}, .4) 0 0) left / {:.1f}% 100% no-repeat"
        cells = [
            [
                [theme.table_probability(p), bar.format(colour, 100 * p), None]
                for p, colour in zip(row, colours, strict=True)
            ]
            for row in rows
        ]
        return self._add("", names, cells)

    def _add(self, corner: str, names: list[str], cells: list) -> int:
        rows = [[name, row] for name, row in zip(names, cells, strict=True)]
        self.tables.append({"corner": corner, "head": list(self.problem.tags), "rows": rows})
        return len(self.tables) - 1

    def _score(self, x: float) -> list[str | None]:
        colour = None if x == -math.inf else theme.score_background(x, self.largest)
        return [theme.number(x), colour, None]
