"""A place for a tagger of the reader's own, on every page that offers taggers."""

from collections.abc import Callable, Mapping

import streamlit as st

from crf.figures.words import join
from pages.shared.course import start_options
from pages.shared.figures import theme
from pages.shared.ui import menu, taggers
from pages.shared.ui.files import loader_of_several
from pages.shared.ui.frame import note
from pages.shared.ui.words import say


def your_own(key: str, use: Callable[[str], None], *, trains: bool = True) -> None:
    """Train one, or upload one.

    `trains`: whether to offer the way to the page where one is trained.
    """
    if trains:
        note(say("own.train-first"))
        if st.button(
            say("own.train"), key=f"{key}.train", icon=":material/model_training:",
            on_click=taggers.TRAIN_FIRST.set, args=(True,),
        ):  # fmt: skip
            menu.go("tagger")
    note(join(say("own.or") if trains else "", say("own.files")))

    def load(files: Mapping[str, bytes]) -> None:
        use(taggers.add_files(files))

    loader_of_several(say("own.upload"), f"{key}.upload", load)
    for folder in start_options.given().taggers:
        if folder.fault:
            st.warning(theme.markdown(folder.told))
