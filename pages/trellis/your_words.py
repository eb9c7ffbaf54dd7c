"""What the story opens with where a tagger has read a sentence: its tags' probabilities as levels.

It is what the front page shows, in the trellis: blocks are cells, and their heights are levels.
"""

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal
from crf.figures.trellis import picture as figure
from crf.steps import plain_data
from pages.shared.course.state import State
from pages.shared.figures.beat_text import Segment
from pages.trellis import picture

SEEN = 0.005  # probability of a ribbon that becomes an edge


def are_there(state: State) -> bool:
    """Whether a tagger has read the words; an example or a table has a question instead."""
    return state.given.source != "hand"


def whole(state: State) -> Payload:
    """The tables of the picture; it is seen from both sides."""
    return picture.whole(state, "both") | {"mode": "both"}


def at(state: State) -> Payload:
    """The probabilities, and the best path with the score up to each word."""
    chain, path = picture.numbers(state.problem), picture.path_of(state)
    return plain_data(
        figure.on_path(chain.scores, path)
        | {
            "stairs": None,
            "words": True,
            "marginals": chain.marginals,
            "ribbons": _ribbons(chain),
            "shown": len(state.problem.tags) * len(state.problem.tokens),
        }
        | figure.rows(chain.trace("backward", "state"), chain.kept)
    )


def _ribbons(chain: picture.ChainNumbers) -> list[tuple[int, int, int, float]]:
    """(word, its tag, the next word's tag, probability) of the ribbons that are seen."""
    return [
        (t, i, j, p)
        for t, table in enumerate(chain.pairs)
        for i, row in enumerate(table)
        for j, p in enumerate(row)
        if p >= SEEN
    ]


def equation(state: State) -> list[Segment]:
    """The least certain tag of the best path, with its probability."""
    chain, problem = picture.numbers(state.problem), state.problem
    if not chain.best_path:
        return []
    p, t = min((chain.marginals[t][s], t) for t, s in enumerate(chain.best_path))
    text = decimal("<.001" if p < 0.0005 else f"{p:.3f}".removeprefix("0"))
    relation = " < " if p < 0.0005 else " = "
    tag = problem.tags[chain.best_path[t]]
    return [
        f"p( {problem.word(t)} = {tag} ){relation}",
        {"text": text.removeprefix("<"), "bold": True},
    ]
