"""The controls of the page "Tag a sentence": the sentence, the examples, the tagger, the way on."""

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared import contents
from pages.shared.figures import theme
from pages.shared.ui import menu, sentence_scores, state, taggers
from pages.shared.ui.controls import RefusedError, Value
from pages.shared.ui.frame import note
from pages.shared.ui.taggers import TAGGER_NAMES
from pages.tag.examples import BY_NAME, BY_SENTENCE, EXAMPLES

if TYPE_CHECKING:
    from crf.tagger import Tagger
    from pages.shared.ui.lesson import Lesson


def _is_uploaded(value: object) -> "tuple[str, Tagger] | None":
    if value is None or (
        isinstance(value, tuple) and len(value) == 2 and hasattr(value[1], "tags")
    ):
        return value
    raise RefusedError("A tagger is uploaded as two files.")


# The reader's own tagger with its key: the field of the upload is empty when one comes back.
_UPLOADED = Value["tuple[str, Tagger] | None"]("tag.uploaded", None, checked=_is_uploaded)
_OWN = "None: your own"  # among the examples


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


def examples(text: str) -> None:
    """The worked examples; the tagger stays as it is."""
    example = BY_SENTENCE.get(text)
    before = st.session_state.get(state.EXAMPLE)
    st.session_state[state.EXAMPLE] = example.name if example else _OWN
    st.selectbox(
        "Or an example",
        [_OWN, *BY_NAME],
        key=state.EXAMPLE,
        on_change=_use_example,
        args=(text, before),
        width=190,
    )


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


def about_example(lesson: "Lesson", text: str, tagger: str) -> None:
    """What the example on screen shows; with another tagger, the way to the one it is about."""
    example = BY_SENTENCE.get(text)
    if example is None:
        return
    if tagger == example.tagger:
        lesson.say(example.paragraph)
        return
    name = TAGGER_NAMES[example.tagger]
    lesson.say("other-tagger", tagger=name)

    def use() -> None:
        st.session_state[state.TAGGER] = example.tagger

    if st.button(f"Use the {name}", on_click=use):
        st.rerun()  # the fields stand outside of the fragment


def tagger_switch() -> str:
    """Which tagger: one of `state.TAGGERS`."""
    state.adopt_tagger()
    name = st.selectbox(
        "Tagger",
        state.TAGGERS,
        format_func=lambda name: TAGGER_NAMES[name],
        key=state.TAGGER,
        persist_state="session",
        width=170,
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
    note("For a tagger that you trained yourself. You need none to try the page: two come with it.")
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
    if loaded is not None:
        _UPLOADED.set(loaded)
    elif _UPLOADED.value is not None:
        note("Your tagger is still here. Another upload takes its place.")
    return _UPLOADED.value


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


def to_the_lessons(text: str, key: str, tagger: "Tagger", tokens: tuple[str, ...]) -> None:
    """Take this sentence with all its scores, exactly as they are, to the first lesson."""
    from pages.shared.course.problem import Problem
    from pages.shared.ui import problem_state  # after the first paint

    def take() -> None:
        if key in sentence_scores.TAGGERS:
            problem_state.use_tagger(text, key)
            return
        chain = tagger.chain([list(tokens)], backend="plain")
        problem = Problem.from_chain(chain, tagger.tags, tokens)
        problem_state.use_other(problem, f"your tagger’s scores of “{' '.join(problem.tokens)}”")

    if st.button(
        "Take this sentence into the lessons", icon=":material/arrow_forward:", on_click=take
    ):
        menu.go(contents.COURSE[1].address)


def undo_and_free(hand: state.ByHand) -> None:
    """Take back what was held; shown once there is something to take back."""
    if hand.history:
        st.button("Undo", icon=":material/undo:", on_click=hand.undo)
    if any(tag >= 0 for tag in hand.fixed):
        st.button("Free all", icon=":material/close:", on_click=hand.clear)
