"""The CRF among its kin: a map of six models.

Source: Sutton and McCallum (2012), "An introduction to conditional random fields", figure 2.4.
"""

from pages.graphs.picture import say
from pages.shared.figures.drawing import Drawing

# the model of each kind of output, its name and what it computes: first generative, of p(x, y),
# then discriminative, of p(y | x)
KIN = {
    "one tag": (
        ("naive Bayes", "p(y) ∏ₖ p(xₖ | y)"),
        ("logistic regression", "exp(w[y] · x) / Z(x)"),
    ),
    "a sequence": (
        ("HMM", "∏ₜ p(yₜ | yₜ₋₁)", "· p(xₜ | yₜ)"),
        ("linear-chain CRF", "∏ₜ φ(yₜ, x, t) ∏ₜ ψ(yₜ, yₜ₊₁)", "/ Z(x)"),
    ),
    "any graph": (
        ("directed model", "∏ᵥ p(v | parents of v)"),
        ("general CRF", "∏ₐ ψₐ(its variables, x)", "/ Z(x)"),
    ),
}


def family() -> Drawing:
    """The map: a row for each objective, a column for each kind of output."""
    made = Drawing("models", say("family-words.label"), 680, 330)
    wide, high, left, top, step, down = 178.0, 92.0, 90.0, 56.0, 196.0, 150.0
    for k, output in enumerate(KIN):
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
    for k in range(len(KIN)):
        x = left + step * k + wide / 2
        made.line(x, top + high, x, top + down, "hot", speaks="objective")
        y = top + high + (down - high) / 2
        made.text(x - 8, y, say("family-words.trained"), "small hot right halo")
    for row in (0, 1):
        for k, (name, *lines) in enumerate(models[row] for models in KIN.values()):
            x, y = left + step * k, top + down * row
            here = " here" * (name == "linear-chain CRF")
            made.box(x, y, wide, high, f"frame{here}", speaks="crf" if here else "")
            made.text(x + wide / 2, y + 20, name, "strong")
            for n, line in enumerate(lines):
                made.text(x + wide / 2, y + 48 + 22 * n, line, "small")
    return made
