"""A graph as a picture: where nodes and edges go, what each says when one looks at it, what is cut.

Over the tags of a CRF bows tell how much each pair of them depends on each other: the thicker, the
more. The figure lies in `model_graph`; it draws what it is sent, knows neither
scores nor number formats, and sends back which tag's node was clicked, which is checked here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pages.graphs.factor_graph import Edge, Graph, Node
from pages.graphs.independence import Independence, Pair
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import client_values
from pages.shared.ui.component import component


def told(name: str, /, **facts: Any) -> str:
    """A sentence of the lesson’s tables of cases, as plain text."""
    return LessonText.of("graphs").line(name, **facts)


ByToken = Sequence[Sequence[float]]  # [m][S]

_COMPONENT = component("model_graph", "pages/graphs/model_graph")
_STEP, _LEFT, _RADIUS, _SIDE = 112, 84, 25, 13  # pixels; _SIDE is half a square's
_TOP, _PARTS = 62, 14
_BOW, _THICKEST = 96, 44  # height of the highest bow; thickness of a dependence of 1
_FAINT = 0.0002  # a dependence under it has no bow
_LETTERS = {"start": "σ", "end": "ε", "emission": "φ", "transition": "ψ"}
_LEVELS = {"tag": 0, "start": 0, "end": 0, "transition": 0, "emission": 1, "input": 2}
_HEIGHTS = {True: (0, 74, 148), False: (0, 74, 112)}  # with factors, without; under the tags


def show(
    drawn: Mapping[str, Any], *, key: str, tokens: int, on_click: Callable[[int], None]
) -> None:
    """Put the picture on the page.

    Args:
        drawn: From `drawing`.
        key: Of the component.
        tokens: How many tags there are to click.
        on_click: Called with the token whose tag was clicked.
    """

    def clicked() -> None:
        token = check_click(client_values.state(key, "choice"), tokens)
        if token is not None:
            on_click(token)

    _COMPONENT(key=key, data={"drawing": dict(drawn)}, on_choice_change=clicked)


def check_click(choice: object, tokens: int) -> int | None:
    """The token that the browser sent, or None if it is none: anything may come from there."""
    found = client_values.genuine(choice, client_values.record(token=client_values.index(tokens)))
    return None if found is None else found["token"]


_ROLES = {"emission": "e", "transition": "t", "start": "x", "end": "x"}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def drawing(
    graph: Graph,
    problem: Problem,
    fixed: Mapping[int, int],
    now: Independence | None,
    *,
    free: Independence | None = None,
    local: Mapping[int, Sequence[Sequence[float]]] | None = None,
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
    tables = _Tables(problem)
    top = _TOP + (_BOW if now is not None and m > 1 else 0)
    has_factors = bool(_factors(graph))
    places = {node.key: _place(node, m, has_factors, top) for node in graph.nodes}
    nodes = {node.key: node for node in graph.nodes}
    tells = now is not None and bool(fixed) and now.fixed == dict(fixed)
    rows = None
    if free is not None and now is not None:
        rows = {"": free.marginals} | ({told("graph.fixed"): now.marginals} if tells else {})
    return {
        "label": told("graph.label", model=graph.model.upper()),
        "figure": "graph",
        "width": 2 * _LEFT + (m - 1) * _STEP,
        "height": max(y for _, y in places.values()) + _RADIUS + 6,
        "edges": [_edge(edge, nodes, places, fixed) for edge in graph.edges],
        "nodes": [
            _node(node, places, problem, graph, fixed, tables, (rows, local or {}))
            for node in graph.nodes
        ],
        "bows": [] if now is None else _bows(now, problem, top),
        "parts": _parts(now.pieces) if now is not None and tells else [],
        "tables": tables.drawn,
        "hint": told("graph.hint-crf" if graph.model == "crf" else "graph.hint"),
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
        return told("graph.independent", names=names)
    return told("graph.dependent", names=names, off=f"{pair.dependence:.2g}")


_Values = tuple[Mapping[str, ByToken] | None, Mapping[int, ByToken]]


class _Tables:
    """Tables of values, each once."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.drawn = problem, []
        self._known: dict[Any, int] = {}
        values = [*problem.start, *problem.end, *(x for row in problem.emissions for x in row)]
        matrices: Any = problem.transitions if problem.per_step else (problem.transitions,)
        values += [x for matrix in matrices for row in matrix for x in row]
        self.largest = max((abs(x) for x in values if x > float("-inf")), default=0.0)

    def scores(self, names: Sequence[str], rows: Sequence[Sequence[float]], corner: str) -> int:
        """A table of log-scores; its place among those drawn."""
        known = self._known.setdefault((tuple(names), tuple(rows)), len(self.drawn))
        if known == len(self.drawn):
            cells = [[self._score(x) for x in row] for row in rows]
            self._add(corner, names, cells)
        return known

    def probabilities(self, names: Sequence[str], rows: ByToken) -> int:
        """A table of probabilities."""
        colours = theme.tag_colours(self.problem.tags)
        cells = [
            [
                [theme.table_probability(p), _bar(p, colours[tag]), None]
                for tag, p in zip(self.problem.tags, row, strict=True)
            ]
            for row in rows
        ]
        self._add("", names, cells)
        return len(self.drawn) - 1

    def _add(self, corner: str, names: Sequence[str], cells: list) -> None:
        rows = [[name, row] for name, row in zip(names, cells, strict=True)]
        self.drawn.append({"corner": corner, "head": list(self.problem.tags), "rows": rows})

    def _score(self, x: float) -> list[str | None]:
        never = x == float("-inf")
        colour = None if never else theme.score_background(x, self.largest)
        return [theme.number(x), colour, None]


def _bar(p: float, colour: str) -> str:
    """CSS of a probability as a bar, in the colour of its tag."""
    return f"linear-gradient(rgba({colour}, .4) 0 0) left / {100 * p:.1f}% 100% no-repeat"


def subscript(name: str) -> str:
    """A variable's name with its number below.

    >>> subscript("y12")
    'y₁₂'
    """
    return name.translate(_SUBSCRIPTS)


def _factors(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.kind in _ROLES]


def _place(node: Node, m: int, has_factors: bool, top: float) -> tuple[float, float]:
    x = _LEFT + _STEP * (node.token or 0)
    if node.kind == "transition":
        x += _STEP / 2
    elif node.kind in ("start", "end"):
        x += (-1 if node.kind == "start" else 1) * _STEP / 2
    elif node.token is None:
        x = _LEFT + _STEP * (m - 1) / 2
    return x, top + _HEIGHTS[has_factors][_LEVELS[node.kind]]


def _parts(pieces: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """A bar over each piece of the chain."""
    parts = []
    for k, piece in enumerate(pieces, 1):
        left, right = (_LEFT + _STEP * piece[end] for end in (0, -1))
        parts.append({"x1": left - 30, "x2": right + 30, "y": _PARTS + 10, "text": f"part {k}",
                      "x": (left + right) / 2, "above": _PARTS})  # fmt: skip
    return parts


def _edge(edge: Edge, nodes: Mapping[str, Node], places: Mapping, fixed: Mapping[int, int]) -> dict:
    ends = [nodes[edge.source], nodes[edge.target]]
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    whole = [node.kind == "input" and node.token is None for node in ends]
    if whole[0]:  # the whole sentence is one box: leave it, or meet it, at its upper side
        x1, y1 = (x1 + 3 * x2) / 4, y1 - _RADIUS
    if whole[1]:
        x2, y2 = (x2 + 3 * x1) / 4, y2 - _RADIUS
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    trims = [
        0 if is_whole or not edge.directed else (_RADIUS + gap) / length
        for is_whole, gap in zip(whole, (0, 2), strict=True)
    ]
    along = all(node.kind not in ("input", "emission") for node in ends)
    return {
        "x1": x1 + trims[0] * (x2 - x1), "y1": y1 + trims[0] * (y2 - y1),
        "x2": x2 - trims[1] * (x2 - x1), "y2": y2 - trims[1] * (y2 - y1),
        "arrow": edge.directed,
        "cut": along and any(node.kind == "tag" and node.token in fixed for node in ends),
    }  # fmt: skip


def _node(
    node: Node,
    places: Mapping[str, tuple[float, float]],
    problem: Problem,
    graph: Graph,
    fixed: Mapping[int, int],
    tables: _Tables,
    values: _Values,
) -> dict[str, Any]:
    x, y = places[node.key]
    drawn: dict[str, Any] = {
        "key": node.key, "kind": node.kind, "x": x, "y": y, "shaded": node.observed,
        "role": _ROLES.get(node.kind), "radius": _RADIUS, "texts": [[x, y, subscript(node.name)]],
        "row": None, "column": None, "table": None, "level": _LEVELS[node.kind],
    }  # fmt: skip
    if node.kind == "tag":
        return drawn | _tag(node, problem, fixed, tables, values, (x, y))
    if node.kind == "input":
        return drawn | _input(node, problem, graph, places)
    t, tags = node.token or 0, problem.tags
    here, word = subscript(f"y{t + 1}"), f"‘{problem.tokens[t]}’"
    drawn |= {"radius": _SIDE, "texts": [[x, y, _LETTERS[node.kind]]]}
    if node.kind == "transition":
        after = subscript(f"y{t + 2}")
        drawn |= {
            "title": told("graph.transition", here=here, after=after),
            "table": tables.scores(tags, node.values, "from ↓ to →"),
            "row": fixed.get(t), "column": fixed.get(t + 1),
        }  # fmt: skip
        return drawn
    seen = "x" if graph.sees == "sentence" else subscript(f"x{t + 1}")
    facts = {"seen": seen, "word": word} if node.kind == "emission" else {}
    title = told(f"graph.{node.kind}", here=here, **facts)
    table = tables.scores([f"log {_LETTERS[node.kind]}"], node.values, "")
    return drawn | {"title": title, "table": table, "column": fixed.get(t)}


def _tag(
    node: Node,
    problem: Problem,
    fixed: Mapping[int, int],
    tables: _Tables,
    values: _Values,
    place: tuple[float, float],
) -> dict[str, Any]:
    t = node.token or 0
    name, held = subscript(node.name), t in fixed
    shown = theme.shorten(problem.tags[fixed[t]], 9) if held else name
    marginals, local = values
    drawn: dict[str, Any] = {
        "token": t,
        "held": held,
        "texts": [[*place, shown]],
    }
    facts = {"name": name, "word": problem.tokens[t]}
    case = "fixed-tag" if held else "leads" if t in local and marginals is None else "tag"
    more = {"tag": problem.tags[fixed[t]]} if held else {}
    drawn["title"] = told(f"graph.{case}", **facts, **more)
    if marginals is not None:
        rows = {label or f"p({name} | x)": table[t] for label, table in marginals.items()}
        drawn["table"] = tables.probabilities(list(rows), list(rows.values()))
    elif t in local:
        names = [f"after {tag}" for tag in problem.tags] if t else ["at the start"]
        drawn["table"] = tables.probabilities(names, local[t])
    return drawn


def _input(node: Node, problem: Problem, graph: Graph, places: Mapping) -> dict[str, Any]:
    t, (_, y) = node.token, places[node.key]
    if t is None:
        m = len(problem.tokens)
        words = [[_LEFT + _STEP * k, y, theme.shorten(w, 12)] for k, w in enumerate(problem.tokens)]
        title = told("graph.sentence")
        return {"texts": words, "half": _STEP * (m - 1) / 2 + _LEFT - 20, "title": title}
    name, here = subscript(node.key), subscript(f"y{t + 1}")
    return {
        "texts": [[places[node.key][0], y, theme.shorten(node.name, 9)]],
        "title": told(f"graph.{graph.model}-input", name=name, word=node.name, here=here),
    }
