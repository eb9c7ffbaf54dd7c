"""A place for a tagger of the reader's own, on every page that offers taggers."""

from collections.abc import Callable, Mapping

import streamlit as st

from pages.shared.course import start_options
from pages.shared.figures import theme
from pages.shared.ui import menu, taggers
from pages.shared.ui.files import loader_of_several
from pages.shared.ui.frame import note

HOW = (
    "Or use one that you have: the zip or the files of a tagger trained here or by the command "
    "crf train; pytorch-crf’s weights (.safetensors) with the emissions of a sentence (CSV or "
    "JSON); the files of a small Hugging Face model for token classification, with a CRF or "
    "without; or a CRFsuite model. Larger ones: streamlit run app.py -- --tagger DIR."
)


def your_own(key: str, use: Callable[[str], None], *, trains: bool = True) -> None:
    """Train one, or upload one.

    Args:
        key: Unique on the page.
        use: What to do with the key of an uploaded tagger.
        trains: Whether to offer the way to the page where one is trained.
    """
    if trains:
        note(
            "The page works without a tagger of your own. You can train one here in half a minute:"
        )
        if st.button(
            "Train a tagger now",
            key=f"{key}.train",
            icon=":material/model_training:",
            on_click=taggers.TRAIN_FIRST.set,
            args=(True,),
        ):
            menu.go("tagger")
    note(HOW if trains else HOW.removeprefix("Or use one that you have: ").capitalize())

    def load(files: Mapping[str, bytes]) -> None:
        use(taggers.add_files(files))

    loader_of_several("A trained tagger", f"{key}.upload", load)
    for folder in start_options.given().taggers:
        if folder.fault:
            st.warning(theme.markdown(folder.told))
