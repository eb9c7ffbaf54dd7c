"""Behind "⋯" of Learning: gradient steps until ‖∇‖ < ε, and the loss over two scores.

A run goes on from where it stopped: the scores after a chunk of steps are the next one's first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import plotly.graph_objects as go
import torch

from crf import LinearChain
from pages.learning.corpus import Corpus, CorpusSettings, Trainer
from pages.shared.course.problem import Problem
from pages.shared.figures.chart import ChartLine, ChartLook, line_chart, styled

MOST = 20_000  # steps
CHUNK = 25  # of a corpus
GRID = 61  # points on each side of a landscape
TABLES = ("emissions", "transitions", "start", "end")
Place = tuple[str, tuple[int, ...]]  # one of TABLES, and an index of it
DescentStep = tuple[float, float]  # loss in nats and ‖∇‖


@dataclass
class Descent:
    """A run as far as it came."""

    of: object = None  # what was learnt, and how
    steps: list[DescentStep] = field(default_factory=list)  # before the first step, and after each


def sentence_steps(problem: Problem, path: Sequence[int], rate: float) -> Iterator[DescentStep]:
    """Loss and ‖∇‖ of one sentence after 0, 1, 2 … steps on all its scores; −∞ stays."""
    tables = [table.clone() for table in problem.tables()]
    right = torch.tensor([list(path)])
    while True:
        tables = [table.detach().requires_grad_() for table in tables]
        loss = -_chain(problem, tables).log_prob(right).sum()
        slopes = [s.nan_to_num(0.0) for s in torch.autograd.grad(loss, tables)]
        yield loss.item(), torch.cat([s.flatten() for s in slopes]).norm().item()
        tables = [t - rate * s for t, s in zip(tables, slopes, strict=True)]


def corpus_steps(corpus: Corpus, settings: CorpusSettings) -> Iterator[DescentStep]:
    """−L and ‖∇‖ of a corpus after 0, 1, 2 … iterations of its optimiser."""
    trainer = Trainer(corpus, settings)
    for n in count(CHUNK, CHUNK):
        run = trainer.run(n)
        pairs = zip((-run.objective).tolist(), run.norms.tolist(), strict=True)
        yield from list(pairs)[n - CHUNK + (n > CHUNK) :]
        if run.overflowed:
            return


def _chain(problem: Problem, tables: Sequence[torch.Tensor]) -> LinearChain:
    emissions, transitions, start, end = tables
    steps = transitions[None] if problem.per_step else transitions
    return LinearChain(emissions[None], steps, start, end, validate=False, backend="plain")


class Landscape(NamedTuple):
    """The loss at many values of two scores; all others stay."""

    xs: list[float]
    ys: list[float]
    loss: list[list[float]]  # [ys][xs] nats
    path: list[tuple[float, float, float]]  # the two scores and the loss, step by step


def landscape(
    problem: Problem, path: Sequence[int], places: tuple[Place, Place], rate: float, epsilon: float
) -> Landscape:
    """Go down by steps on two scores until ‖∇‖ < ε, and compute the loss around the way."""
    run, at = [], torch.tensor([problem.score_at(*place) for place in places], dtype=torch.float64)
    while len(run) < MOST // 20:
        at = at.detach().requires_grad_()
        value = _losses(problem, path, places, at[None])[0]
        (slope,) = torch.autograd.grad(value, at)
        run.append((*at.tolist(), value.item()))
        if slope.norm() < epsilon:
            break
        at = at - rate * slope
    xs, ys = (_around([step[k] for step in run]) for k in (0, 1))
    points = torch.cartesian_prod(*(torch.tensor(side, dtype=torch.float64) for side in (xs, ys)))
    with torch.inference_mode():
        grid = _losses(problem, path, places, points).reshape(GRID, GRID).T
    return Landscape(xs, ys, grid.tolist(), run)


def _around(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    edge = max((high - low) / 2, 2.0)
    return torch.linspace(low - edge, high + edge, GRID, dtype=torch.float64).tolist()


def _losses(
    problem: Problem, path: Sequence[int], places: tuple[Place, Place], points: torch.Tensor
) -> torch.Tensor:
    """The loss at each of N values of the two scores, [N, 2], as one batch."""
    N = len(points)
    emissions, transitions, start, end = (t.repeat(N, *[1] * t.dim()) for t in problem.tables())
    if not problem.per_step:
        transitions = transitions[:, None].repeat(1, max(len(problem.tokens) - 1, 0), 1, 1)
    tables = {"emissions": emissions, "transitions": transitions, "start": start, "end": end}
    for k, (name, index) in enumerate(places):
        shared = name == "transitions" and not problem.per_step  # by all steps
        tables[name] = tables[name].clone()
        tables[name][(..., *index)] = points[:, k, None] if shared else points[:, k]
    first = tables["emissions"].clone()
    first[:, 0] = first[:, 0] + tables["start"]
    first[:, -1] = first[:, -1] + tables["end"]
    chain = LinearChain(first, tables["transitions"], validate=False, backend="plain")
    return -chain.log_prob(torch.tensor([list(path)]).expand(N, -1))


def entries(problem: Problem) -> list[Place]:
    """The scores that can move: the allowed ones of all tables."""
    found: list[Place] = []
    for name, table in zip(TABLES, problem.tables(), strict=True):
        found += [(name, tuple(at)) for at in table.isfinite().nonzero().tolist()]
    return found


# ---------------------------------------------------------------------- figures


def curves(
    steps: Sequence[DescentStep], epsilon: float, colours: ChartLook, names: tuple[str, str, str]
) -> tuple[go.Figure, go.Figure]:
    """Loss and ‖∇‖ by step, on logarithmic axes; ε is a dotted line."""
    x = list(range(len(steps)))
    figures = []
    for k, name in enumerate(names[:2]):
        lines = [ChartLine("", x, [step[k] for step in steps], colours.blue)]
        if k:
            lines.append(ChartLine(f"ε = {epsilon:g}", x, [epsilon] * len(x), colours.ink, "dot"))
        figures.append(line_chart(lines, colours, (names[2], name), "y", 260))
    return figures[0], figures[1]


def surface(
    found: Landscape, colours: ChartLook, axes: tuple[str, str], *, is_flat: bool
) -> go.Figure:
    """The landscape from above or in three dimensions, with the way down."""
    x, y, z = (list(column) for column in zip(*found.path, strict=True))
    last = len(x) - 1
    dots = [n for n in (0, *(2**k for k in range(20))) if n < last] + [last]
    line = {"color": colours.ink, "width": 3}
    if is_flat:
        logs = torch.tensor(found.loss).clamp(min=1e-6).log10().tolist()
        contour = go.Contour(x=found.xs, y=found.ys, z=logs, colorscale=colours.scale)
        contour.update(showscale=False, hoverinfo="skip", contours_size=0.25)
        contour.update(line={"color": colours.shades[0], "width": 1})
        figure = styled(go.Figure(contour), colours, 430)
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip")
        at = {"x": [x[n] for n in dots], "y": [y[n] for n in dots]}
        told = [(n, f"{z[n]:.4g}") for n in dots]
        figure.add_scatter(
            **at,
            customdata=told,
            hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
            mode="markers",
            marker={"color": colours.ink, "size": 9},
        )
        figure.update_xaxes(title=axes[0])
        return figure.update_yaxes(title=axes[1], showgrid=False)
    figure = go.Figure(
        go.Surface(x=found.xs, y=found.ys, z=found.loss, colorscale=colours.scale, showscale=False)
    )
    figure.add_scatter3d(x=x, y=y, z=z, mode="lines", line={"color": colours.ink, "width": 6})
    styled(figure, colours, 430)
    scene = {f"{k}axis": {"title": t} for k, t in zip("xyz", (*axes, "−log p"), strict=True)}
    return figure.update_layout(scene=scene, dragmode="orbit")
