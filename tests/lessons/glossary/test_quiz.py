"""The quiz at the end of the course: twelve questions, answers by the core, each with a picture."""

import math
from itertools import product

import pytest

from crf.figures.numbers import format_score
from pages.glossary import quiz
from pages.shared import contents
from pages.shared.course.examples import EXAMPLES
from tests.apps import opened

OLD_MAN = EXAMPLES["old-man"].problem


def score(path):
    """The score of a path in plain Python."""
    every = [OLD_MAN.start[path[0]], OLD_MAN.end[path[-1]]]
    every += [OLD_MAN.emissions[t][s] for t, s in enumerate(path)]
    every += [OLD_MAN.matrix(t)[path[t - 1]][path[t]] for t in range(1, len(path))]
    return math.fsum(every)


def test_there_are_twelve_and_each_has_a_picture():
    assert set(quiz.PICTURES) == set(quiz.TEXT.paragraphs) - {"can"}
    assert len(quiz.PICTURES) == 12
    assert str(quiz.as_html()).count("<details") == 12
    assert not set(quiz.facts()) - set(quiz.PICTURES)


@pytest.mark.parametrize("there", sorted(set(quiz.PICTURES.values())))
def test_the_picture_opens_without_a_complaint(there):
    address, _, query = there.partition("?")
    assert contents.entry(address).address == address
    app = opened(address, **dict(pair.split("=") for pair in query.split("&") if pair))
    assert not app.exception
    assert not app.warning


def test_answers_are_those_of_all_paths_listed():
    every = list(product(range(4), repeat=5))
    total = math.fsum(math.exp(score(path)) for path in every)
    through = [path for path in every if path[quiz._TOKEN] == quiz._TAG]
    p = math.fsum(math.exp(score(path)) for path in through) / total
    found = quiz.facts()
    assert found["paths"]["paths"] == f"{len(every):,}"
    assert found["score"]["log_z"] == format_score(math.log(total))
    assert found["score"]["score"] == format_score(max(map(score, every)))
    assert float(found["marginal"]["p"]) == pytest.approx(p, abs=0.005)
    allowed = [  # of five tags O, B-PER, I-PER, B-LOC, I-LOC, by hand: I only after its own kind
        path for path in product(range(5), repeat=5)
        if all(path[t] not in (2, 4) or (t and path[t - 1] in (path[t] - 1, path[t]))
               for t in range(5))
    ]  # fmt: skip
    assert found["table"]["after"] == f"{len(allowed):,}"
