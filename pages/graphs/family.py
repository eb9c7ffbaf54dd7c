"""The CRF among its kin: a map of six models.

Source: Sutton and McCallum (2012), "An introduction to conditional random fields", figure 2.4.
"""

from typing import NamedTuple

from pages.graphs.picture import told
from pages.shared.figures.drawing import Drawing


class Relative(NamedTuple):
    """A model on the map."""

    name: str  # its name
    models: str  # "p(x, y)" (generative) or "p(y | x)" (discriminative)
    output: str  # "one tag", "a sequence" or "any graph"
    lines: tuple[str, ...]  # what it computes


KIN = (
    Relative("naive Bayes", "p(x, y)", "one tag", ("p(y) ∏ₖ p(xₖ | y)",)),
    Relative("HMM", "p(x, y)", "a sequence", ("∏ₜ p(yₜ | yₜ₋₁)", "· p(xₜ | yₜ)")),
    Relative("directed model", "p(x, y)", "any graph", ("∏ᵥ p(v | parents of v)",)),
    Relative("logistic regression", "p(y | x)", "one tag", ("exp(w[y] · x) / Z(x)",)),
    Relative("linear-chain CRF", "p(y | x)", "a sequence",
             ("∏ₜ φ(yₜ, x, t) ∏ₜ ψ(yₜ, yₜ₊₁)", "/ Z(x)")),
    Relative("general CRF", "p(y | x)", "any graph", ("∏ₐ ψₐ(its variables, x)", "/ Z(x)")),
)  # fmt: skip

_PLACES = {"one tag": 0, "a sequence": 1, "any graph": 2}


def family() -> Drawing:
    """The map: a row for each objective, a column for each kind of output."""
    made = Drawing("models", told("family-words.label"), 680, 330)
    wide, high, left, top, step, down = 178.0, 92.0, 90.0, 56.0, 196.0, 150.0
    for output, k in _PLACES.items():
        made.text(left + step * k + wide / 2, 18, output, "soft")
    for row, (models, about) in enumerate(
        (("p(x, y)", "generative"), ("p(y | x)", "discriminative"))
    ):
        y = top + down * row + high / 2
        made.text(0, y - 10, models, "left strong")
        made.text(0, y + 10, about, "left small soft")
        for k in (0, 1):
            x = left + step * k + wide
            made.line(x, y, x + step - wide, y, "axis", speaks="structure")
    for k in _PLACES.values():
        x = left + step * k + wide / 2
        made.line(x, top + high, x, top + down, "hot", speaks="objective")
        y = top + high + (down - high) / 2
        made.text(x - 8, y, told("family-words.trained"), "small hot right halo")
    for one in KIN:
        x = left + step * _PLACES[one.output]
        y = top + down * (one.models == "p(y | x)")
        here = " here" * (one.name == "linear-chain CRF")
        made.box(x, y, wide, high, f"frame{here}", speaks="crf" if here else "")
        made.text(x + wide / 2, y + 20, one.name, "strong")
        for k, line in enumerate(one.lines):
            made.text(x + wide / 2, y + 48 + 22 * k, line, "small")
    return made
