"""The app without a browser: a session that starts on the page in question."""

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from pages.shared import contents

APP = str(Path(__file__).with_name("app_script.py"))
LEARNING = str(Path(__file__).resolve().parent / "browser" / "learning_page.py")


def fresh(address: str = "", **query: str) -> AppTest:
    """A session at an address, before its first run.

    Args:
        address: Of the lesson; "": of the front page.
        query: The address's values.
    """
    app = AppTest.from_file(APP, default_timeout=60)
    app.session_state["goes"] = address or contents.FIRST.address, query
    for key, value in query.items():  # the language holds before
        app.query_params[key] = value
    return app


def opened(address: str = "", **query: str) -> AppTest:
    """The same after it."""
    return fresh(address, **query).run()


def benched(
    address: str, name: str, *, session: Mapping[str, Any] | None = None, **query: str
) -> AppTest:
    """The same with an entry of "⋯" open, and more in the session; raises nothing."""
    app, folder = fresh(address, **query), contents.entry(address).folder
    for key, value in ({f"{folder}.look": name} | dict(session or {})).items():
        app.session_state[key] = value
    app.run()
    assert not app.exception, (query, app.exception)
    return app


def section(
    lesson: str,
    name: str,
    beat: str = "",
    *,
    session: Mapping[str, Any] | None = None,
    **query: str,
) -> AppTest:
    """An entry of "⋯" alone, without its page: many times faster."""
    app = AppTest.from_function(_draw_section, default_timeout=60, args=(lesson, name, beat, query))
    for key, value in dict(session or {}).items():
        app.session_state[key] = value
    app.run()
    assert not app.exception, (lesson, name, app.exception)
    return app


def _draw_section(lesson: str, name: str, beat: str, query: dict[str, str]) -> None:
    from importlib import import_module  # Streamlit runs this function's source

    from pages.beats import LESSONS
    from pages.shared.figures.text import LessonText
    from pages.shared.ui.stage.view import state_of

    state, _ = state_of(query, lesson)
    shown = next(one for one in LESSONS[lesson] if beat in ("", one.name))
    groups = import_module(f"pages.{lesson}.more").SECTIONS.values()
    draw = next(group[name] for group in groups if name in group)
    draw(state, shown, LessonText.of(lesson))


def learning_page(**query: str) -> AppTest:
    """The small lesson of `tests/browser/learning_page.py` at an address, after its first run."""
    app = AppTest.from_file(LEARNING, default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def plain(body: str) -> str:
    """HTML without the marks of terms, which a paragraph has where a page uses them first."""
    return re.sub(r"</?dfn\b[^>]*>", "", body)


def html_of(app: AppTest) -> str:
    """All HTML of a page but its styles, without these marks."""
    bodies = (block.proto.body for block in app.get("html"))
    return " ".join(plain(body) for body in bodies if not body.startswith("<style>"))


def text_of(app: AppTest) -> str:
    """What its HTML says, without markup, and then its tables, as CSV."""
    said = unescape(re.sub(r"<[^>]+>", "", html_of(app)))
    frames = " ".join(one.value.to_csv() for one in (*app.dataframe, *app.table))
    return re.sub(r"\s+", " ", f"{said} {frames}")


def table(app: AppTest, label: str) -> list[list[Any]]:
    """Rows of the data frame whose label begins so; the header is the first."""
    frame = next(one.value for one in app.dataframe if one.proto.alt.startswith(label))
    rows = [[*frame.columns], *frame.to_numpy(dtype=object).tolist()]
    if isinstance(frame.index, pd.RangeIndex):
        return rows
    names = [frame.index.name or "", *frame.index]
    return [[name, *row] for name, row in zip(names, rows, strict=True)]


def all_of(app: AppTest) -> str:
    """All that a page says: text, equations, code, tables, numbers, names of buttons."""
    parts = (*app.latex, *app.markdown, *app.code, *app.text, *app.caption)
    values = (str(part.value) for part in parts)
    numbers = (f"{one.label} {one.value}" for one in app.metric)
    named = (one.label for one in (*app.button, *app.text_area, *app.file_uploader))
    said = re.sub(r"\s+", " ", " ".join((*values, *numbers, *named)))
    return f"{text_of(app)} {said} {messages(app)}"


def messages(app: AppTest) -> str:
    """All warnings, errors and other notes, without the marks that keep them plain text."""
    boxes = (*app.warning, *app.error, *app.info, *app.success)
    return " ".join(box.value for box in boxes).replace("\\", "")


def switch(app: AppTest, address: str) -> AppTest:
    """Go to another page by the menu."""
    app.session_state["goes"] = (address,)
    return app.run()


def upload(app: AppTest, files: Mapping[str, bytes], *key: str) -> AppTest:
    """Give files to the place whose key has these parts; it raises nothing."""
    place = next(one for one in app.file_uploader if all(part in str(one.key) for part in key))
    for name, content in files.items():
        place.upload(name, content)
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, label: str, which: int = 0) -> AppTest:
    """Press the button with this label; of several the first, unless another one is meant."""
    return [button for button in app.button if button.label == label][which].click().run()


def of_stage(app: AppTest) -> dict[str, Any]:
    """What the stage of a page is sent."""
    sent = [p.proto for p in app.get("bidi_component") if p.proto.component_name.endswith("beat")]
    return json.loads(sent[0].bytes)
