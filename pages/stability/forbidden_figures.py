"""−10000 against −∞: verdicts on log Z and its gradient, and a row of −∞ only."""

import math
from collections.abc import Sequence

from pages.shared.course.numbers import format_magnitude
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.stability import number_formats
from pages.stability.forbidden import STAND_IN, EmptyRow, Forbidding
from pages.stability.number_formats import GOOD, RIGHT
from pages.stability.verdicts import Mark, Rows, listed, said, together, verdicts

WAYS = {
    (False, False): "−10000",
    (True, False): "−∞, nothing handled",
    (True, True): "−∞, handled",
}


def way(found: Forbidding) -> str:
    """What was written for forbidden, and how."""
    return WAYS[found.stand_in == -math.inf, found.handled]


def forbidden_verdicts(found: Sequence[Forbidding]) -> str:
    """log Z and its gradient with each way to forbid."""
    rows = [
        (name, [Mark(said(x.log_partition), x.kind, _gradient(x)) for x in found if way(x) == name])
        for name in WAYS.values()
    ]
    return verdicts(rows, "log Z with −10000 and with −∞ in four number formats")


def _gradient(found: Forbidding) -> str:
    if math.isinf(found.gradient_error):
        return "gradient: nan"
    return f"gradient off by {format_magnitude(found.gradient_error, 2)}"


def forbidden_words(found: Sequence[Forbidding]) -> list[str]:
    """The verdicts in sentences, those of the same cause together."""
    return together(
        [
            (x.words.replace(x.dtype, "the format"), way(x), x.dtype)
            for x in found
            if x.kind not in GOOD
        ]
    )


def spacing() -> str:
    """What −10000 does to small scores beside it."""
    apart = number_formats.spacing
    steps = [f"{said(apart(STAND_IN, d))} in {d}" for d in ("float16", "bfloat16")]
    return (
        f"Mind the digits, too. Near −10000 two neighbouring numbers are {listed(steps)} apart: "
        "a score of 0.5 added to it is lost. Added to −∞ it is lost in every format, and should be."
    )


def forbidden_rows(found: Sequence[Forbidding], problem: Problem) -> Rows:
    """The same for a file, with every entry of the gradient."""
    header: list[str | float] = ["forbidden is", "format", "log Z", "error", "verdict"]
    header += [f"{token}: {tag}" for token in problem.tokens for tag in problem.tags]
    return [
        header,
        *(
            [
                way(x), x.dtype, x.log_partition, x.error, x.kind,
                *(g for column in x.marginals for g in column),
            ]
            for x in found
        ),
    ]  # fmt: skip


def gradient_rows(found: Forbidding, problem: Problem) -> list[list[str]]:
    """∂ log Z / ∂ emission: a row for each tag, a column for each token, and their sums."""
    rows = [
        [tag, *(said(column[s], 3) for column in found.marginals)]
        for s, tag in enumerate(problem.tags)
    ]
    return [*rows, ["sum", *(said(total, 4) for total in found.column_sums)]]


def sums_words(found: Forbidding) -> str:
    """Which columns of a gradient do not sum to 1, where log Z is a number, and why."""
    sums = [total for total in found.column_sums if abs(total - 1) > RIGHT]
    if not sums or not all(map(math.isfinite, (found.log_partition, *sums))):
        return ""
    low, high = said(min(sums), 4), said(max(sums), 4)
    to = low if low == high else f"between {low} and {high}"
    apart = said(number_formats.spacing(found.log_partition, found.dtype), 3)
    return (
        f"{len(sums)} of the {len(found.column_sums)} columns sum to {to}, not to 1 as "
        "probabilities do. Each factor of the gradient is exp(q − logsumexp q). Near "
        f"{said(found.log_partition, 5)} two neighbouring numbers of {found.dtype} are {apart} "
        "apart; q and logsumexp q are rounded to such numbers, and their shares do not sum to 1."
    )


def gradients(found: Sequence[Forbidding], problem: Problem, words: bool = True) -> str:
    """The gradient by each way to forbid, side by side where there is room.

    Args:
        found: In one format.
        problem: The problem.
        words: Whether to say what is wrong with the sums.
    """
    header, width = ["", *problem.tokens], 3 + 3.4 * len(problem.tokens)
    drawn = "".join(
        f'<div style="flex-basis:{width:.0f}rem"><p class="crf-note">{way(x)}: log Z = '
        f"{said(x.log_partition)}</p>"
        f"{tables.text_table(header, gradient_rows(x, problem), f'Gradient with {way(x)}')}"
        + (f'<p class="crf-note">{sums_words(x)}</p></div>' if words else "</div>")
        for x in found
    )
    return f'<div class="crf-tables">{drawn}</div>'


def empty_rows(found: EmptyRow) -> list[list[str]]:
    """Value and gradient of a row of −∞ only, by three functions."""
    named = {
        "c + log Σ exp(q − c), as written": found.written,
        "torch.logsumexp": found.library,
        "handled": found.handled,
    }
    return [
        [name, said(value), ", ".join(said(g) for g in gradient)]
        for name, (value, gradient) in named.items()
    ]
