"""The upload of a reader's own tagger, on every page that offers taggers."""

from collections.abc import Mapping

import streamlit as st

from crf.figures.words import join
from pages.shared.course import start_options
from pages.shared.figures import theme
from pages.shared.ui import menu, taggers
from pages.shared.ui.files import loader_of_several
from pages.shared.ui.frame import note
from pages.shared.ui.stage import reader
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

ADDED = SessionValue("tagger.added", "")  # the key of a tagger that was just uploaded


def your_own(key: str, *, trains: bool = True) -> None:
    """Upload a tagger, or train one, with the way to the page where that is done if `trains`.

    The uploaded one's key goes into `ADDED`.
    """
    if trains:
        note(say("own.train-first"))
        if st.button(say("own.train"), key=f"{key}.train", icon=":material/model_training:"):
            reader.arrive("words", "", "beat=train")
            menu.go("tagger")
    note(join(say("own.or") if trains else "", say("own.files")))

    def load(files: Mapping[str, bytes]) -> None:
        ADDED.set(taggers.add_files(files))

    loader_of_several(say("own.upload"), f"{key}.upload", load)
    for folder in start_options.given.taggers:
        if folder.fault:
            st.warning(theme.markdown(folder.told))
