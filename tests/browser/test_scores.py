"""The tables of scores in a real browser: what is typed into them."""

from pages.shared.course.examples import EXAMPLES
from tests.browser.mounted import live


def test_the_tables_are_gone_through_by_keys_and_typed_into(draw):
    figure = draw(live("scores", EXAMPLES["old-man"].problem))
    keys = figure.page.keyboard

    def at():
        return figure.page.evaluate("document.activeElement.ariaLabel")

    def edits():
        found = figure.page.evaluate("window.said.filter(([name]) => name === 'edits')")
        return [(e["op"], e["index"], e["text"]) for e in found[-1][1]["edits"]] if found else []

    figure.get_by_label("Emission of The as DET", exact=True).focus()
    for key, place in [
        ("ArrowRight", "old as DET"),
        ("End", "boat as DET"),
        ("ArrowLeft", "the as DET"),
        ("Home", "The as DET"),
        ("Enter", "The as ADJ"),
        ("Shift+Enter", "The as DET"),
    ]:
        keys.press(key)
        assert at() == f"Emission of {place}", key
    keys.type("73")
    keys.press("ArrowLeft")  # the caret moves
    keys.press("Backspace")
    assert (at(), edits()) == ("Emission of The as DET", [])
    keys.press("ArrowDown")
    wanted = [("emissions", [0, 0], "3")]
    assert (at(), edits()) == ("Emission of The as ADJ", wanted)
    keys.type("8")
    keys.press("Escape")
    score = figure.get_by_label("Emission of The as ADJ", exact=True)
    assert (score.input_value(), edits()) == ("−3", wanted)
    for key, text in [("ArrowUp", "−2.9"), ("Shift+ArrowUp", "−1.9")]:
        keys.press(key)
        wanted.append(("emissions", [0, 1], text))
        assert (at(), edits()) == ("Emission of The as ADJ", wanted)
