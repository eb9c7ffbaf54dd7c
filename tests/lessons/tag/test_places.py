"""Words are swapped in only where a sentence stays one."""

import pytest

from pages.shared.course import surprises
from pages.shared.ui.stage.view import state_of
from pages.tag.places import kind


def kinds(sentence):
    """Each place's word, with what may stand there."""
    problem = state_of({"sentence": sentence, "tagger": "local"})[0].problem
    tags = [problem.tags[s] for s in problem.chain().marginals[0].argmax(-1).tolist()]
    found = {word: kind(problem.tokens, tags, t) for t, word in enumerate(problem.tokens)}
    return {word: place for word, place in found.items() if place}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I saw her duck", {"saw": "with", "duck": "singular"}),
        ("I think therefore I am", {"think": "without"}),
        ("Mary had a little lamb", {"had": "with-s", "lamb": "singular"}),
        ("The dog slept in the park", {"slept": "without-s", "park": "singular"}),
        ("They read the books .", {"read": "with", "books": "plural"}),
        ("Where are you going tonight?", {}),  # an auxiliary, a form in -ing
        ("She gave him a book", {"book": "singular"}),  # a verb with two objects
        ("A cat is an animal", {}),  # a subject; “an show”
        ("What do you think?", {}),  # the object stands before
        ("I know how to swim", {"swim": "without"}),
        ("I think you are right", {}),  # a sentence as object
        ("The children are playing", {}),
        ("We saw the children", {"saw": "with"}),
        ("Visiting relatives can be boring", {}),
        ("The police met the boss", {}),
    ],
)
def test_only_plain_places_are_found(sentence, expected):
    assert kinds(sentence) == expected


FRAMES = {
    "singular": "I saw the {} .",
    "plural": "We like the {} .",
    "with": "They will {} the house",
    "without": "We will {} again .",
    "with-s": "She {} the house",
    "without-s": "It {} again .",
}


@pytest.mark.parametrize("place", FRAMES)
def test_each_word_flips_at_such_a_place_in_some_sentence(place):
    for word in surprises.swaps()[place]:
        problem = state_of({"sentence": FRAMES[place].format(word), "tagger": "local"})[0].problem
        chain, t = problem.chain(), problem.tokens.index(word)
        alone = chain.potentials.emissions[0, t].argmax()
        assert alone != chain.marginals[0, t].argmax(), word
        assert kinds(FRAMES[place].format(word)).get(word) == place, word
