"""The controls of the page "Tag a sentence": the sentence, the examples, the tagger, undo."""

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.figures import theme
from pages.shared.ui import menu, problem_state, sentence_scores, state, taggers
from pages.shared.ui.frame import note
from pages.shared.ui.taggers import TAGGER_NAMES
from pages.tag.examples import BY_NAME, BY_SENTENCE, EXAMPLES

if TYPE_CHECKING:
    from crf.tagger import Tagger


def sentence_field() -> str:
    """The sentence; Enter tags it."""
    state.adopt_sentence(EXAMPLES[0].sentence)
    text = st.text_input(
        "Your sentence",
        key=state.SENTENCE,
        on_change=state.cut_sentence,
        placeholder="Type an English sentence and press Enter",
        persist_state="session",
    )
    state.publish(state.SENTENCE, text, EXAMPLES[0].sentence)
    return text


def examples(text: str, tagger: str) -> None:
    """The worked examples, and why the one on screen is instructive."""
    example = BY_SENTENCE.get(text)
    before = st.session_state.get(state.EXAMPLE)
    st.session_state[state.EXAMPLE] = example.name if example else None
    st.pills(
        "Or one of these",
        list(BY_NAME),
        key=state.EXAMPLE,
        on_change=_use_example,
        args=(text, before),
    )
    with st.container():  # always there, so that what follows keeps its place and is not redrawn
        if example:
            note(example.why)
            if tagger != example.tagger:
                note(f"The remark above is about the {TAGGER_NAMES[example.tagger]}’s scores.")


def _use_example(shown: str, before: str | None) -> None:
    """The chosen example's sentence.

    Args:
        shown: The sentence on screen.
        before: The example lit before it came. Who types on at once still has that one lit in the
            browser: it comes back with the new sentence, and nobody has chosen it.
    """
    name = st.session_state[state.EXAMPLE]
    if name == before and st.session_state[state.SENTENCE] != shown:
        return
    example = BY_NAME.get(name)
    if example:
        st.session_state[state.SENTENCE] = example.sentence
        st.session_state[state.TAGGER] = example.tagger


def tagger_switch() -> str:
    """Which tagger: one of `state.TAGGERS`."""
    state.adopt_tagger()
    name = st.segmented_control(
        "Tagger",
        state.TAGGERS,
        required=True,
        format_func=TAGGER_NAMES.get,
        help="The BiLSTM, a neural network that reads the sentence from both ends, knows the whole "
        "of it before it scores a word. The local tagger scores each word alone, so the order of "
        "tags is the CRF’s work. Or upload one that you trained.",
        key=state.TAGGER,
        persist_state="session",
    )
    state.publish(state.TAGGER, name, state.DEFAULT_TAGGER)
    return name


def load(name: str) -> "tuple[str, Tagger] | None":
    """The tagger with its key, or None after a message that says what is missing."""
    from crf.tagger import ModelFileError

    if name != "own":
        try:
            return name, taggers.shipped(name)
        except ModelFileError as error:
            st.error(f"This shipped tagger cannot be used. {theme.markdown(str(error))}")
            return None
    note(
        "For a tagger that you trained yourself. To try the page there is no need of one: the two "
        "shipped taggers are a click away, above."
    )
    files = st.file_uploader(
        "`tagger.json` and `weights.safetensors`, as `python -m crf train` writes them",
        type=["json", "safetensors"],
        accept_multiple_files=True,
        key="upload",
    )
    loaded = taggers.from_upload(files)
    if isinstance(loaded, str):
        st.error(theme.markdown(loaded))
        return None
    return loaded


def split(text: str) -> tuple[str, ...] | None:
    """The sentence's tokens, or None after a message."""
    from crf.tagger import tokenise

    tokens = tuple(tokenise(text[: state.MAX_CHARACTERS]))
    if not tokens:
        st.info("There is no word in the field yet. Type a sentence, or pick an example.")
        return None
    if len(text) > state.MAX_CHARACTERS or len(tokens) > state.MAX_TOKENS:
        size = f"{len(tokens)} tokens"
        if len(text) > state.MAX_CHARACTERS:
            size = f"{len(text):,} characters"
        st.warning(
            f"That is {size}. This page draws at most {state.MAX_TOKENS} tokens: please shorten "
            "the text to one sentence."
        )
        return None
    return tokens


def to_the_lessons(text: str, tagger: str) -> None:
    """Take this sentence into the lessons, where every score can be changed."""

    def take() -> None:
        problem_state.use_tagger(text, tagger, sentence_scores.KEEP)

    if tagger in sentence_scores.TAGGERS and st.button(
        "Take this sentence into the lessons",
        icon=":material/arrow_forward:",
        help=f"With its {sentence_scores.KEEP} likeliest tags, to step through and to change.",
        on_click=take,
    ):
        menu.go("viterbi")


def undo_and_clear(hand: state.ByHand) -> None:
    """Take back what was set by hand; shown once there is something to take back."""
    with st.container(horizontal=True):
        if hand.history:
            st.button("Undo", icon=":material/undo:", on_click=hand.undo)
            st.button("Clear tags set by hand", icon=":material/close:", on_click=hand.clear)
