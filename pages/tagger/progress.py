"""How a training goes, as a drawing: the loss by the step, the accuracy by the epoch."""

import math
from collections.abc import Sequence

from pages.shared.figures import theme
from pages.shared.figures.drawing import Drawing
from pages.tagger.trainings import EpochFigures

WIDTH, HEIGHT = 680, 230
LEFT, RIGHT, TOP, BOTTOM = 52, 620, 22, 190


def progress(
    losses: Sequence[tuple[float, float]],
    epochs: Sequence[EpochFigures],
    last: int,
    batches: Sequence[tuple[float, float]] = (),
) -> Drawing:
    """The curves so far.

    Args:
        losses: (epochs done, as a fraction; loss in nats per sentence).
        epochs: What each epoch gave.
        last: How many epochs there will be.
        batches: As `losses`, of single batches, as noisy as they are.
    """
    is_spans = bool(epochs) and epochs[-1].span_f1 is not None
    measure = "F1 of the held-out names" if is_spans else "held-out words right"
    drawing = Drawing(
        "training-progress",
        f"Loss falls and {measure} rise, epoch by epoch" if epochs else "The training begins",
        WIDTH,
        HEIGHT,
        plot=(LEFT, RIGHT),
    )
    top = _round_up(max((loss for _, loss in losses), default=1.0))

    def x(epoch: float) -> float:
        return LEFT + (RIGHT - LEFT) * epoch / last

    def y(share: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * share

    for share in (0, 0.25, 0.5, 0.75, 1):
        drawing.line(LEFT, y(share), RIGHT, y(share), "grid")
        drawing.text(LEFT - 6, y(share), f"{top * share:g}", "small right cold")
        drawing.text(RIGHT + 6, y(share), f"{100 * share:.0f} %", "small left hot")
    for epoch in range(0, last + 1, max(1, math.ceil(last / 10))):
        drawing.text(x(epoch), BOTTOM + 14, str(epoch), "small soft")
    drawing.text((LEFT + RIGHT) / 2, BOTTOM + 32, "epoch", "small soft")
    drawing.text(LEFT, TOP - 13, "loss, nats per sentence", "small left cold")
    drawing.text(RIGHT, TOP - 13, measure, "small right hot")
    if len(batches) > 1:
        drawing.curve([(x(at), y(min(loss / top, 1.0))) for at, loss in batches], "noisy")
    if losses:
        drawing.curve([(x(at), y(loss / top)) for at, loss in losses], "cold")
    points = [(x(e.epoch), y(e.span_f1 if e.span_f1 is not None else e.accuracy)) for e in epochs]
    if points:
        drawing.curve(points, "hot dashed")
        for (at, high), epoch in zip(points, epochs, strict=True):
            share = epoch.span_f1 if epoch.span_f1 is not None else epoch.accuracy
            drawing.dot(at, high, 4, "hot", title=f"epoch {epoch.epoch}: {theme.percent(share)}")
    return drawing


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 8 × a power of ten.

    >>> _round_up(37.0), _round_up(0.03)
    (40.0, 0.04)
    """
    power = 10.0 ** math.floor(math.log10(max(value, 1e-6)))
    return next(k * power for k in (1, 2, 4, 5, 8, 10) if k * power >= value * 0.999)
