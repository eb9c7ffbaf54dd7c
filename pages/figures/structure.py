"""Figures of the lesson on structure: how enumeration grows, and the model as a graph."""

import math
from collections.abc import Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from crf.course.factor_graph import KIN, Edge, Graph, Node
from crf.course.growth import Reach, Size
from pages.figures import theme

_GREY = "#767676"
_STEP, _LEFT, _RADIUS, _SIDE = 112, 84, 24, 17  # pixels
_HEIGHTS = {"tag": 50, "start": 50, "end": 50, "transition": 50, "emission": 118, "input": 186}
_COLOURS = {"emission": "e", "transition": "t", "start": "x", "end": "x"}  # .crf-role-…


def growth_plot(sizes: Sequence[Size], reach: Sequence[Reach], here: int) -> go.Figure:
    """|S|^m and m·|S|² against m, and what can be enumerated in a second, a day, for ever.

    Args:
        sizes: Of `crf.course.growth.sizes`.
        reach: Of `crf.course.growth.reach`: a horizontal line for each.
        here: The number of tokens of the sentence on screen.

    Returns:
        Trace 0: paths; trace 1: operations of the recursion; trace 2: the sentence on screen. The
        axis is logarithmic by hand (powers of ten): |S|^m is soon more than a float holds.
    """
    figure = go.Figure()
    m = [size.tokens for size in sizes]
    for name, colour, values in (
        ("|S|^m paths", theme.FORMATS["float16"], [size.paths for size in sizes]),
        ("m·|S|² operations", theme.FORMATS["float32"], [size.operations for size in sizes]),
    ):
        figure.add_scatter(
            x=m, y=[log10(value) for value in values], name=name, mode="lines",
            line={"color": colour}, customdata=[theme.count(value) for value in values],
            hovertemplate="%{x} tokens: %{customdata}<extra>" + name + "</extra>",
        )  # fmt: skip
    at = [size for size in sizes if size.tokens == here]
    figure.add_scatter(
        x=[here] * 2 * len(at), y=[log10(n) for size in at for n in (size.paths, size.operations)],
        mode="markers", name="this sentence", marker={"size": 10, "color": _GREY},
        customdata=[theme.count(n) for size in at for n in (size.paths, size.operations)],
        hovertemplate="this sentence: %{customdata}<extra></extra>",
    )  # fmt: skip
    for line in reach:
        figure.add_hline(
            y=log10(line.paths), line={"color": _GREY, "dash": "dot", "width": 1},
            annotation_text=line.name, annotation_position="top left",
        )  # fmt: skip
    figure.update_xaxes(title="tokens in the sentence, m")
    figure.update_yaxes(title="how many", tickprefix="10<sup>", ticksuffix="</sup>")
    return figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=380,
        margin={"l": 60, "r": 20, "t": 30, "b": 50},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip


def log10(n: float) -> float:
    """log₁₀ of a whole number of any size.

    >>> round(log10(17**1000), 3)
    1230.449
    """
    return math.log10(n)


def graph_svg(
    graph: Graph, tags: Sequence[str], fixed: Mapping[int, int] | None = None, title: str = ""
) -> str:
    """The graph as an SVG of its own, for st.html: values as tooltips, and no script.

    Args:
        graph: Of `crf.course.factor_graph.graph`.
        tags: The tags' names.
        fixed: The tag's index of each token that is fixed: shaded, and its edges along the chain
            are drawn broken.
        title: What a screen reader says first.

    Returns:
        Inline SVG; all lines are in the colour of the text around it.
    """
    fixed = fixed or {}
    m = sum(node.kind == "tag" for node in graph.nodes)
    places = {node.key: _place(node, m) for node in graph.nodes}
    by_key = {node.key: node for node in graph.nodes}
    width = 2 * _LEFT + (m - 1) * _STEP
    parts = [_edge(edge, by_key, places, fixed) for edge in graph.edges]
    parts += [_node(node, places[node.key], tags, fixed, width) for node in graph.nodes]
    title = title or f"{graph.model.upper()} of {m} tokens: {graph.formula}"
    return (
        f'<svg class="crf-graph" role="img" aria-label="{escape(title)}" '
        f'viewBox="0 0 {width} 220" width="{width}" height="220" '
        'style="max-width:none;font-size:14px" stroke="currentColor" fill="none">'
        '<defs><marker id="crf-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto-start-reverse"><path d="M0 0 L8 4 L0 8 z" '
        'fill="currentColor" stroke="none"/></marker></defs>' + "".join(parts) + "</svg>"
    )


def kin_table() -> str:
    """The map of models as a table: columns grow in structure, rows are the two objectives."""
    outputs = list(dict.fromkeys(relative.output for relative in KIN))
    rows = []
    for models in dict.fromkeys(relative.models for relative in KIN):
        by_output = {r.output: r for r in KIN if r.models == models}
        cells = "".join(
            f"<td><b>{escape(r.name)}</b><br/><code>{escape(r.formula)}</code></td>"
            for r in (by_output[output] for output in outputs)
        )
        kind = "generative" if models == "p(x, y)" else "discriminative"
        rows.append(f'<tr><th scope="row">{kind}: {escape(models)}</th>{cells}</tr>')
    heads = "".join(f'<th scope="col">{escape(output)}</th>' for output in outputs)
    return (
        '<div class="crf-scroll" tabindex="0" role="region" aria-label="Map of models">'
        f'<table class="crf-kin"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _place(node: Node, m: int) -> tuple[float, float]:
    x = _LEFT + _STEP * (node.token or 0)
    if node.kind == "transition":
        x += _STEP / 2
    elif node.kind in ("start", "end"):
        x += (-1 if node.kind == "start" else 1) * _STEP / 2
    elif node.token is None:
        x = _LEFT + _STEP * (m - 1) / 2
    return x, _HEIGHTS[node.kind]


def _edge(edge: Edge, nodes: dict, places: dict, fixed: Mapping[int, int]) -> str:
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    ends = [nodes[edge.source], nodes[edge.target]]
    for node, other in (ends, ends[::-1]):  # all inputs hang from one box: meet it at its edge
        if node.kind == "input" and node.token is None and other.kind in ("emission", "tag"):
            if node is ends[0]:
                x1, y1 = (x1 + 3 * x2) / 4, y1 - _SIDE
            else:
                x2, y2 = (x2 + 3 * x1) / 4, y2 - _SIDE
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    inset = _RADIUS if edge.directed else 0
    k1 = 0 if ends[0].token is None else inset / length
    k2 = 0 if ends[1].token is None else inset / length
    a, b = x1 + k1 * (x2 - x1), y1 + k1 * (y2 - y1)
    c, d = x2 - k2 * (x2 - x1), y2 - k2 * (y2 - y1)
    along = all(node.kind != "input" and node.kind != "emission" for node in ends)
    cut = along and any(node.kind == "tag" and node.token in fixed for node in ends)
    style = ' stroke-dasharray="3 4"' if cut else ""
    arrow = ' marker-end="url(#crf-arrow)"' if edge.directed else ""
    return f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}"{style}{arrow}/>'


def _node(
    node: Node,
    place: tuple[float, float],
    tags: Sequence[str],
    fixed: Mapping[int, int],
    width: int,
) -> str:
    x, y = place
    held = node.kind == "tag" and node.token in fixed
    backed = "var(--st-background-color, Canvas)"  # hides the edges that run under a node
    shade = '<{} fill="currentColor" fill-opacity=".18" stroke-width="{}"/>'
    if node.kind in ("tag", "input") and node.token is not None:
        shape = f'circle cx="{x}" cy="{y}" r="{_RADIUS}"'
    elif node.kind == "input":
        half = width / 2 - _LEFT + _RADIUS + 20
        shape = (
            f'rect x="{x - half}" y="{y - _SIDE}" width="{2 * half}" height="{2 * _SIDE}" rx="17"'
        )
    else:
        half = _SIDE / 1.4
        side = f'width="{2 * half:.1f}" height="{2 * half:.1f}"'
        shape = f'rect x="{x - half:.1f}" y="{y - half:.1f}" {side}'
    drawn = f'<{shape} style="fill:{backed}"/>'
    if node.observed or held:
        drawn += shade.format(shape, 2.5 if held else 1)
    label = theme.shorten(tags[fixed[node.token]] if held else node.name, 7)  # pyright: ignore
    if node.kind == "input" and node.token is None:
        label = theme.shorten(node.name, 16 * max(1, width // 200))
    elif node.kind in ("start", "end"):
        label = "σ" if node.kind == "start" else "ε"
    size = 12 if node.observed or held else 14
    role = f' class="crf-role-{_COLOURS[node.kind]}"' if node.kind in _COLOURS else ""
    text = (
        f'<text x="{x}" y="{y + 5}" text-anchor="middle" stroke="none"{role} '
        f'style="fill:currentColor;font-size:{size}px">{escape(label)}</text>'
    )
    return f"<g><title>{escape(describe(node, tags, fixed))}</title>{drawn}{text}</g>"


def describe(node: Node, tags: Sequence[str], fixed: Mapping[int, int] | None = None) -> str:
    """A node in words, a factor with its values."""
    fixed = fixed or {}
    if node.kind == "tag":
        held = f", fixed to {tags[fixed[node.token]]}" if node.token in fixed else ""  # pyright: ignore
        return f"{node.name}: the tag of token {(node.token or 0) + 1}{held}"
    if node.kind == "input":
        return f"{node.name}: observed"
    rows = [
        ", ".join(f"{tag} {theme.number(v)}" for tag, v in zip(tags, row, strict=True))
        for row in node.values
    ]
    if node.kind == "transition":
        rows = [f"from {tag}: {row}" for tag, row in zip(tags, rows, strict=True)]
    return f"log ψ, {node.kind}: " + "; ".join(rows)
