"""Figures of the lesson on structure: how enumeration grows, and the map of models."""

import math
import re
from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from pages.shared.figures import theme
from pages.structure.factor_graph import KIN
from pages.structure.growth import Reach, Size

_GREY = "#767676"
KIN_SYMBOLS = (
    "In these formulas ∏ multiplies over what stands below it: k counts features of the input, t "
    "words, v the graph’s variables (the parents of v are those with an arrow to v), a the "
    "factors of a graph, and N(a) are the variables that factor a depends on."
)


def growth_plot(sizes: Sequence[Size], reach: Sequence[Reach], here: int) -> go.Figure:
    """|S|^m and m·|S|² against m, and what can be enumerated in a second, a day, for ever.

    Args:
        sizes: Of `pages.structure.growth.sizes`.
        reach: Of `pages.structure.growth.reach`: a horizontal line for each.
        here: The number of tokens of the sentence on screen.

    Returns:
        Trace 0: paths; trace 1: operations of the recursion; trace 2: the sentence on screen. The
        axis is logarithmic by hand (powers of ten): |S|^m is soon more than a float holds.
    """
    figure = go.Figure()
    m = [size.tokens for size in sizes]
    for name, colour, values in (
        ("|S|ᵐ paths", theme.FORMATS["float16"], [size.paths for size in sizes]),
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


def formula_html(text: str) -> str:
    """A formula in plain text as HTML: what follows an underscore is an index.

    >>> formula_html("p(y_t | y_t−1) / Σ_y' exp(x)")
    'p(y<sub>t</sub> | y<sub>t−1</sub>) / Σ<sub>y&#x27;</sub> exp(x)'
    """
    index = r"_(N\(a\)|[A-Za-z](?:&#x27;|[+−]1)?)"
    return re.sub(index, r"<sub>\1</sub>", escape(text))


def kin_table() -> str:
    """The map of models as a table: columns grow in structure, rows are the two objectives."""
    outputs = list(dict.fromkeys(relative.output for relative in KIN))
    rows = []
    for models in dict.fromkeys(relative.models for relative in KIN):
        by_output = {r.output: r for r in KIN if r.models == models}
        cells = "".join(
            f"<td><b>{escape(r.name)}</b><br/>{formula_html(r.formula)}</td>"
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
