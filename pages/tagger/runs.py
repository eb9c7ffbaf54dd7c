"""The shipped runs: curves, confusions, transitions, calibration. Data in, figures and rows out."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.tagger.trainings import EpochFigures

_CLEAR = "rgba(0,0,0,0)"
_GREY = "#767676"
_BLUE, _ORANGE = "#0072B2", "#D55E00"
SMOOTH = 0.1  # how much the loss of a new batch counts in the running mean


def history(metrics: dict[str, Any]) -> pd.DataFrame:
    """The training log of a card: a row for each epoch.

    Args:
        metrics: The contents of its metrics.json.

    Returns:
        Columns as they were logged, the epoch first; empty if nothing was.
    """
    log = metrics.get("training", {}).get("history", [])
    return pd.DataFrame(log if isinstance(log, list) else [])


def logged(log: pd.DataFrame) -> list[EpochFigures]:
    """The epochs of a log that has their losses and accuracies."""
    loss = next((name for name in log if "loss" in name), None)
    accuracy = next((name for name in log if "accuracy" in name), None)
    if loss is None or accuracy is None:
        return []
    numbers = log["epoch"] if "epoch" in log else log.index + 1
    rows = zip(numbers, log[loss], log[accuracy], strict=True)
    return [EpochFigures(int(n), float(x), float(y)) for n, x, y in rows]


def curves(
    epochs: Sequence[EpochFigures], last: int, batches: Sequence[tuple[float, float]] = ()
) -> go.Figure:
    """How a training goes: the loss by the step, what is right by the epoch.

    Args:
        epochs: What each epoch gave.
        last: How many epochs there will be.
        batches: (epochs done, as a fraction; loss of single batches, as noisy as they are).
    """
    is_spans = bool(epochs) and epochs[-1].span_f1 is not None
    measure = "F1 of the held-out names" if is_spans else "held-out words right"
    figure = go.Figure()
    means, mean = [], batches[0][1] if batches else 0.0
    for at, loss in batches:
        mean += SMOOTH * (loss - mean)
        means.append((at, mean))
    for points, name, line in (
        (batches, "loss of a batch", {"color": _BLUE, "width": 0.7}),
        (means, "running mean of it", {"color": _BLUE, "dash": "dot"}),
        ([(e.epoch, e.loss) for e in epochs], "training loss (left)", {"color": _BLUE}),
    ):
        if points:
            x, y = zip(*points, strict=True)
            figure.add_scatter(
                x=x, y=y, name=name, mode="lines", line=line,
                hovertemplate="epoch %{x:.1f}: loss %{y:.3g}<extra></extra>",
            )  # fmt: skip
    figure.add_scatter(
        x=[e.epoch for e in epochs],
        y=[100 * (e.accuracy if e.span_f1 is None else e.span_f1) for e in epochs],
        name=f"{measure}, % (right)", yaxis="y2", mode="lines+markers",
        line={"color": _ORANGE, "dash": "dash"},
        hovertemplate="epoch %{x}: %{y:.2f} %<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        yaxis={"rangemode": "tozero"},
        yaxis2={"overlaying": "y", "side": "right", "showgrid": False, "tickmode": "auto"},
        xaxis={"title": "epoch", "range": [0, last + 0.2], "dtick": max(1, math.ceil(last / 10))},
    )
    return plain(figure, 300)


def confusions(metrics: dict[str, Any], tags: Sequence[str]) -> pd.DataFrame:
    """How often each right tag (a row) was given each tag (a column).

    Args:
        metrics: The contents of a card's metrics.json.
        tags: The tagger's.
    """
    return pd.DataFrame(metrics["confusion"], index=list(tags), columns=list(tags))


def mistaken(table: pd.DataFrame) -> go.Figure:
    """The confusions; the diagonal is left out, or it would blind."""
    figure = go.Figure(
        go.Heatmap(
            z=table.mask(np.eye(len(table), dtype=bool), 0),
            x=table.columns,
            y=table.index,
            colorscale="Cividis",
            xgap=1,
            ygap=1,
            colorbar={"title": "words"},
            hovertemplate="%{y} tagged as %{x}: %{z} words<extra></extra>",
        )
    )
    figure.update_xaxes(title="tagged as", tickangle=-60)
    figure.update_yaxes(title="right tag", autorange="reversed")
    return plain(figure, 460)


def calibration(sure: Sequence[float], right: Sequence[bool], bins: int = 10) -> pd.DataFrame:
    """Words by the probability of their chosen tag.

    Args:
        sure: That probability, for each word.
        right: Whether the tag is right.
        bins: How many, of equal width.

    Returns:
        A row for each bin that has words, by its number: how many words, their mean probability
        ("sure"), the share of them whose tag is right ("right").

    Source: Guo, Pleiss, Sun and Weinberger (2017), "On calibration of modern neural networks".

    >>> calibration([0.95, 0.95, 0.15], [True, False, False])["right"].to_dict()
    {1: 0.0, 9: 0.5}
    """
    words = pd.DataFrame({"sure": sure, "right": right}, dtype=float)
    words["bin"] = (words["sure"] * bins).astype(int).clip(upper=bins - 1)
    return words.groupby("bin").agg(
        words=("sure", "size"), sure=("sure", "mean"), right=("right", "mean")
    )


def expected_error(bins: pd.DataFrame) -> float:
    """ECE: the mean distance between how sure the model is and how often it is right."""
    distances = (bins["sure"] - bins["right"]).abs()
    return float(np.average(distances, weights=bins["words"])) if len(bins) else 0.0


def reliability(bins: pd.DataFrame) -> go.Figure:
    """How often a tag is right against how probable the model says it is."""
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": _GREY, "dash": "dot"},
        name="perfectly calibrated", hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=bins["sure"], y=bins["right"], mode="markers+lines",
        name="this tagger", line={"color": _BLUE},
        marker={"size": 6 + 3 * np.log10(bins["words"])},
        customdata=bins["words"],
        hovertemplate="says %{x:.2f}, right %{y:.2f} of %{customdata} words<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(title="probability of the chosen tag", range=[0, 1.02])
    figure.update_yaxes(title="share that is right", range=[0, 1.02])
    return plain(figure, 320)


def disliked(
    transitions: Sequence[Sequence[float]],
    tags: Sequence[str],
    counts: dict[tuple[str, str], int] | None,
    most: int = 12,
) -> tuple[list[str], list[list[str]]]:
    """The transitions with the lowest weights, and how often the sample has them, if it is known.

    What is forbidden, −∞, has no weight.
    """
    ranked = sorted(
        (weight, tags[i], tags[j])
        for i, row in enumerate(transitions)
        for j, weight in enumerate(row)
        if weight > -math.inf
    )
    rows = [
        [f"{a} → {b}", f"{weight:.2f}".replace("-", "−")]
        + ([] if counts is None else [str(counts.get((a, b), 0))])
        for weight, a, b in ranked[:most]
    ]
    return ["transition", "weight T", "times in the sample"][: 2 + (counts is not None)], rows


def plain(figure: go.Figure, height: int) -> go.Figure:
    """A figure in the manner of this page."""
    return figure.update_layout(
        paper_bgcolor=_CLEAR, plot_bgcolor=_CLEAR, height=height,
        margin={"l": 60, "r": 40, "t": 30, "b": 60},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip
