"""The curves of a training, of a shipped run's log or of one under way; the page's charts."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.tagger.trainings import EpochFigures

BLUE, ORANGE = "#0072B2", "#D55E00"


def history(metrics: Mapping[str, Any]) -> pd.DataFrame:
    """The training log of a card's metrics.json: a row for each epoch; empty without a log."""
    log = metrics.get("training", {}).get("history", [])
    return pd.DataFrame(log if isinstance(log, list) else [])


def confusions(metrics: Mapping[str, Any], tags: Sequence[str]) -> pd.DataFrame:
    """How often each right tag (a row) was given each tag (a column), by a card's metrics.json."""
    return pd.DataFrame(metrics["confusion"], index=list(tags), columns=list(tags))


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
    """How a training of `last` epochs goes: the loss by the step, what is right by the epoch.

    Batches are pairs: the epochs done then, as a fraction, and the loss of that one batch.
    """
    is_spans = bool(epochs) and epochs[-1].span_f1 is not None
    measure = "F1 of the held-out names" if is_spans else "held-out words right"
    figure = go.Figure()
    for points, name, line in (
        (batches, "loss of a batch (left)", {"color": BLUE, "width": 0.7}),
        ([(e.epoch, e.loss) for e in epochs], "mean loss of an epoch (left)", {"color": BLUE}),
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
        line={"color": ORANGE, "dash": "dash"},
        hovertemplate="epoch %{x}: %{y:.2f} %<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        yaxis={"rangemode": "tozero"},
        yaxis2={"overlaying": "y", "side": "right", "showgrid": False, "tickmode": "auto"},
        xaxis={"title": "epoch", "range": [0, last + 0.2], "dtick": max(1, math.ceil(last / 10))},
    )
    return plain(figure, 300)


def plain(figure: go.Figure, height: int) -> go.Figure:
    """A figure in the manner of this page."""
    return figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=height,
        margin={"l": 60, "r": 40, "t": 30, "b": 60},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip


def chart(figure: go.Figure, key: str, alt: str, **how: Any) -> None:
    """Draw a figure; in words it shows `alt`."""
    config = {"displayModeBar": False}
    st.plotly_chart(figure, key=f"tagger.{key}", config=config, alt=alt, **how)
