"""What pages say is so in the state that they are in: odd problems, odd addresses, hidden parts."""

from typing import NamedTuple

import pytest

from tests.apps import fresh, messages, text_of
from tests.lessons.stability import test_page as stability

STABILITY = " ".join(stability.FOLDS)


class State(NamedTuple):
    """An address, what is said on the page that it opens, and what is not said there."""

    page: str
    folds: str
    query: dict[str, str]
    said: tuple[str, ...]
    unsaid: tuple[str, ...]


def state(page, *said, folds="", unsaid=(), **query):
    return State(page, folds, query, said, (unsaid,) if isinstance(unsaid, str) else unsaid)


def everything(app):
    """All words on a page, those of its messages and labels too."""
    labels = [
        one.label
        for kind in (app.expander, app.radio, app.number_input, app.button, app.button_group)
        for one in kind
    ]
    return " ".join([text_of(app), messages(app), *(m.value for m in app.markdown), *labels])


ONE_PATH = {"t": "A~B", "w": "x~y", "s": "0_x", "a": "x_0~0_x"}
STATES = [
    # Learning
    state("learning", "an empty text", "a score of −∞ on it", "expected 3 rows of 3 numbers",
          folds="ways", text=" ", ex="bio", gold="0.2", model="inputs", inputs="P = 1 2"),
    state("learning", "10,000 words", "log p has no gradient", folds="ways", text="a/A " * 10_000,
          ex="no-path"),
    state("learning", *(f"asks for {name}" for name in ("rate", "lambda", "gold", "at", "steps")),
          rate="nan", gold="x", at="1.2.pickle.1.1", steps="99999", **{"lambda": "-1"}),
    state("learning", "leave the range of float64", "a number", folds="ways", rate="1e9",
          model="inputs", inputs="W = 1 2 inf", **{"lambda": "1"}),
    state("learning", "a score of −∞ on it", gold="0.0.0", t="A~B~C", w="x~y~z",
          e="x_0_1~1_2_0~0_x_x", a="0_1_0~1_0_0~0_0_2"),
    *(state("learning", "Only one path is allowed here, so its p is 1", "each derivative is 0",
            unsaid="Take steps", folds="ways", **query)
      for query in (ONE_PATH, {"t": "A", "w": "x~y~z", "e": "1~2~3"})),
    state("learning", "The run has converged after", "log-linear", folds="features", converge="1",
          by="lbfgs", **{"lambda": "1"}),
    state("learning", "η is too large for them", folds="concave", **{"lambda": "10"}),
    state("learning", "stand at different heights", folds="concave", **{"lambda": "0.01"}),
    state("learning", "end at the same height", folds="concave", by="lbfgs", **{"lambda": "0.1"}),
    state("learning", folds="ways", ex="ice-cream", rate="0", text="<b>x</b>/X 🐟1/Y",
          by="perceptron"),
    state("learning", folds="ways", rate="1e9", alpha="1e9", steps="5", gold="3.3.3.3.3",
          at="999.7.words.9.9"),
    state("learning", folds="ways", gold="9.9", model="pairs", h="1e-1", **{"with": "psi"}),
    state("learning", folds="ways", ex="pair-potentials", steps="3", by="adam",
          hide="prose~answers~controls"),
    # From words to scores
    state("tagger", sentence="", word="99", tagger="own"),
    state("tagger", sentence="x" * 5000, layer="-1", at="x"),
    state("tagger", sentence="<b>{0}</b> 😀 \u202e", other="<script>"),
    state("tagger", sentence="word " * 60),
    # Numerical stability
    state("stability", "score 1: expected a number", "1 to 500", q="a~b", len="501"),
    state("stability", "asks for q “1~inf”", "1 to 500", q="1~inf", len="²"),
    state("stability", "Export", unsaid=("Scaled divides each column", "the product is more"),
          folds=STABILITY, hide="prose"),
    state("stability", "Scaled divides each column", "At token 3 the product is more", "Show log Z",
          folds=STABILITY, hide="answers"),
    state("stability", "Scaled divides each column", unsaid=("Export", "Show log Z"),
          folds=STABILITY, hide="controls"),
    # Cost and parallel time
    state("cost", max="1", tree="left", ex="pair-potentials"),
    state("cost", sentence=" ".join(["fish"] * 60)),
    state("cost", "balanced", "The address", tree="0.1.9"),
    state("cost", "With 1 word there are no brackets to choose",
          unsaid=("Drag a node", "From the right"), ex="one-token"),
    state("cost", "With 2 words there are no brackets to choose",
          unsaid=("Drag a node", "From the right"), t="A~B", w="x~y"),
    state("cost", "Drag a node", t="A~B", w="x~y~z"),
    state("cost", "With one tag there is one path", unsaid="1 terms", t="A", w="x~y~z"),
    state("cost", "loses nothing", ex="bio"),
    state("cost", unsaid="loses nothing", ex="old-man"),
]  # fmt: skip


@pytest.mark.parametrize("where", STATES, ids=lambda where: f"{where.page} {where.said}"[:60])
def test_a_page_says_what_is_so_and_nothing_else(where):
    app = fresh(where.page, **where.query)
    app.session_state["guess.skipped"] = True
    for fold in where.folds.split():
        app.session_state[f"{where.page}.fold.{fold}"] = True
    app.run()
    assert not app.exception
    text = everything(app)
    assert [part for part in where.said if part not in text] == []
    assert [part for part in where.unsaid if part in text] == []
