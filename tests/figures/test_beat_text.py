"""Texts of beats: guards, holes and segments."""

import pytest

from pages.shared.figures.beat_text import BeatText, Tagged, holds, passages

SOURCE = """
## say when n == 1 and who != hand
{word} is **the one**.

## say when n > 1
*{n:# word/# words}*, {word}.

## say
Nothing, {rest}.
"""
TEXT = BeatText(passages(SOURCE), (), "en")


def test_the_first_passage_whose_guard_holds_is_taken():
    facts = {"n": 1, "who": "local", "word": Tagged("book", 3), "rest": ["a ", {"text": "b"}]}
    assert TEXT.segments("say", facts) == [
        {"text": "book", "tag": 3},
        " is ",
        {"text": "the one", "bold": True},
        ".",
    ]
    assert TEXT.plain("say", facts | {"n": 1200}) == "1,200 words, book."
    assert TEXT.segments("say", facts | {"n": 1200})[0] == {"text": "1,200 words", "em": True}
    assert TEXT.segments("say", facts | {"n": 0}) == ["Nothing, a ", {"text": "b"}, "."]
    assert TEXT.plain("say", facts | {"who": "hand"}) == "Nothing, a b."


def test_a_fact_is_text_and_never_markup_or_a_hole():
    assert TEXT.segments("say", {"n": 0, "rest": "**{n}** <b>"}) == ["Nothing, **{n}** <b>."]


def test_what_the_translation_lacks_is_english():
    german = BeatText(passages("## other\nAnders."), passages(SOURCE), "de")
    assert german.plain("say", {"n": 0, "rest": "x"}) == "Nothing, x."
    assert german.plain("other", {}) == "Anders."


@pytest.mark.parametrize(
    "source", ["## a\nx\n## a when n == 1\ny", "## a when import os\nx", "## a when n = 1\nx"]
)
def test_a_guard_that_cannot_be_read_is_refused(source):
    with pytest.raises(ValueError, match="text: "):
        passages(source)


def test_guards_compare_numbers_and_names():
    facts = {"n": 2, "who": "hand"}
    assert all(holds(f"n {op} {m}", facts) for op, m in (("<", 3), ("<=", 2), (">=", 2), (">", 1)))
    assert not holds("n != 2", facts)
    assert not holds("who == local and n == 2", facts)
