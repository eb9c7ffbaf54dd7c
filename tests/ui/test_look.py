"""The menu behind "⋯": four groups in each lesson, and every entry opens its bench."""

from importlib import import_module

import pytest

from pages.beats import LESSONS
from pages.shared.contents import COURSE, STORY
from pages.shared.ui.stage import look
from tests.apps import benched, of_stage, text_of

TABLES = {lesson: import_module(f"pages.{lesson}.more").SECTIONS for lesson in LESSONS}
DOORS = {entry.folder: entry.address for entry in (*COURSE, STORY) if entry.folder in LESSONS}
ENTRIES = [
    (lesson, name)
    for lesson, table in TABLES.items()
    for group in look.sections(lesson, table).values()
    for name in group
]


@pytest.mark.parametrize(("lesson", "table"), TABLES.items())
def test_a_menu_has_the_four_groups_in_their_order_with_few_entries_each(lesson, table):
    menu = look.menu(lesson, table)
    names = [group["name"] for group in menu]
    assert names == [name for name in look.GROUPS if name in names]
    assert table.keys() <= {*look.GROUPS}
    assert all(len(group["entries"]) <= look.MOST for group in menu)
    entries = [one for group in menu for one in group["entries"]]
    assert len({one["name"] for one in entries}) == len(entries) >= 3
    for one in (*menu, *entries):
        assert one["label"], one
        assert one["hint"], one
        assert len(one["label"].split()) <= 6, one


@pytest.mark.parametrize(("lesson", "name"), ENTRIES)
def test_every_entry_opens_its_bench(lesson, name):
    app = benched(DOORS[lesson], name)
    assert of_stage(app)["look"] == name
    label = next(
        one["label"]
        for group in look.menu(lesson, TABLES[lesson])
        for one in group["entries"]
        if one["name"] == name
    )
    assert label in text_of(app)


def test_a_name_that_no_menu_has_opens_nothing():
    app = benched("forward", "no-such-entry")
    assert not app.dataframe
    assert not app.exception
