"""The switches that the lessons on the recursions share."""

from pages.shared.ui.controls import Choice

CONVENTION = Choice(
    "lesson.convention",
    "state",
    address="convention",
    labels={"state": "State", "message": "Message", "pair": "Pair"},
)
SPACE = Choice(
    "lesson.space",
    "log",
    address="space",
    labels={"log": "Log-scores", "probability": "Potentials"},
)
_WAYS = {"sum": "Summed", "max": "Compared (max)"}
SEMIRING = {
    page: Choice(f"lesson.{page}.semiring", usual, address="semiring", labels=_WAYS)
    for page, usual in (("forward", "sum"), ("backward", "sum"), ("viterbi", "max"))
}
WORDS = {
    "convention": (
        "Convention",
        "Where the emission goes. State: a cell holds its own token’s emission. Message: a cell "
        "holds everything before the next tag, so there is one column fewer. Pair: transition and "
        "emission are one table. All give the same Z.",
    ),
    "space": (
        "Numbers as",
        "Log-scores are added; potentials, their exponentials, are multiplied. The same recursion.",
    ),
    "semiring": (
        "Ways are",
        "Sum over all ways into a cell: forward. Keep the best way only: Viterbi. All else is "
        "equal.",
    ),
}


def switch(control: Choice) -> str:
    """Draw one of them with its words; what it holds."""
    label, about = WORDS[control.address]
    return control.widget(label, help=about)
