"""Ways to take a beat along: the picture as one HTML file, a frame for a course page."""

from collections.abc import Sequence
from urllib.parse import urlencode, urljoin

import streamlit as st

from crf.figures import file
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText, case
from pages.shared.ui import language, server_path, taggers
from pages.shared.ui.stage import view as views
from pages.shared.ui.state import LANGUAGE


def show(lesson: str, beats: Sequence[Beat], beat: Beat, state: State, text: LessonText) -> None:
    """Draw the file and the frame; the lesson's text has `take`, `kept.own` and `kept.shared`."""
    own = state.given.source.startswith(taggers.OWN)
    st.html(text.html("take", kept=case("kept.own" if own else "kept.shared")))
    sentence = state.base.sentence or " ".join(state.problem.tokens)

    def document() -> str:
        data = views.data(beat, lesson, state, "", "file", opens=False, beats=beats)
        return file.document(sentence, [file.FigureInFile(views.STAGE, data, sentence)])

    st.download_button(
        text.line("labels.html"),
        language.bound(document),
        f"{beat.name}.html",
        "text/html",
        on_click="ignore",
        key=f"{lesson}.html",
        icon=":material/download:",
    )
    if not own:
        query = urlencode({LANGUAGE: language.current()} | views.address(state, beat)["state"])
        st.html(f'<p class="crf-prose">{text.line("labels.embed")}</p>')
        path = f"{server_path.root()}beat/{lesson}/{beat.name}?{query}"
        address = urljoin(st.context.url or "", path)  # whole: a course's page stands elsewhere
        st.code(file.embed_code(address, sentence).split("\n")[0], language="html")
