"""The controls of the page "Tag a sentence": the sentence, the examples, the tagger, the way on."""

from typing import Any

import streamlit as st

from crf.figures.words import words
from crf.tagger.model_files import AnyTagger
from pages.shared import contents
from pages.shared.contents import ROOT
from pages.shared.course import start_options
from pages.shared.course.uploaded_models import ModelRefusedError
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import menu, problem_state, state, taggers
from pages.shared.ui.component import component
from pages.shared.ui.controls import Choice
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.own_tagger import your_own
from pages.shared.ui.state import SessionValue
from pages.shared.ui.taggers import MAX_CHARACTERS, MAX_TOKENS, SPACES, TAGGER
from pages.tag.by_hand import ByHand
from pages.tag.examples import BY_NAME, BY_SENTENCE, BY_TASK, EXAMPLES

TASK = Choice("tag.task", taggers.POS, labels=taggers.TASKS, words=taggers.task_name)
SENTENCE = SessionValue("sentence", "")  # at most MAX_CHARACTERS; in the address, too
EXAMPLE = SessionValue[str | None]("example", None, kind=str)

_TOUR_FOLDER = "pages/tag/tour"
_TOUR = component("tour", _TOUR_FOLDER)
_OWN = "own-sentence"  # among the examples


def say(case: str, /, **facts: Any) -> str:
    """A label or message of text.md."""
    return LessonText.of("tag").line(case, **facts)


def sentence_field() -> str:
    """The sentence; Enter tags it."""
    SENTENCE.begin(lambda: state.all_asked().get(SENTENCE.key, EXAMPLES[0].sentence))
    _cut()
    text = st.text_input(
        say("labels.sentence"), key=SENTENCE.key, on_change=_cut,
        placeholder=say("labels.type"), persist_state="session",
    )  # fmt: skip
    state.publish_one(SENTENCE.key, text, EXAMPLES[0].sentence)
    return text


def spaces_switch() -> None:
    """Whether the sentence's words are split already; in the address, too."""
    spaces = SPACES.widget(say("labels.spaces"))
    state.publish_one(SPACES.address, SPACES.write(spaces), SPACES.write(SPACES.default))


def tour() -> None:
    """The sentence that starts a guided first minute, whose marks stand beside the picture."""
    _TOUR(key="tag.tour", data={"words": words(ROOT / _TOUR_FOLDER)})


def _cut() -> None:
    """Cut a sentence that is too long for its field, and for the address, and say so."""
    text = SENTENCE.value
    if len(text) > MAX_CHARACTERS:
        SENTENCE.set(text[:MAX_CHARACTERS])
        state.complain(say("message.cut", n=len(text), most=MAX_CHARACTERS))


def examples(text: str) -> None:
    """The worked examples; the tagger stays as it is."""
    of_task = [example.name for example in BY_TASK[_task()]]
    example, before = BY_SENTENCE.get(text), EXAMPLE.value
    EXAMPLE.set(example.name if example and example.name in of_task else _OWN)
    st.selectbox(
        say("labels.example"), [_OWN, *of_task], format_func=lambda name: say(f"labels.{name}"),
        key=EXAMPLE.key, on_change=_use_example, args=(text, before), width=190,
    )  # fmt: skip


def _use_example(shown: str, before: str | None) -> None:
    """The chosen example's sentence, where another one is shown.

    Who types on at once has the example from before lit in the browser: it comes back with the new
    sentence, and nobody has chosen it.
    """
    name = EXAMPLE.value
    if name == before and SENTENCE.value != shown:
        return
    if example := BY_NAME.get(name or ""):
        SENTENCE.set(example.sentence)


def about_example(lesson: Lesson, text: str, tagger: str, *, held: bool) -> None:
    """What the example on screen shows; with another tagger, the way to the one it is about.

    While tags are held, only a note that asks for it is shown.
    """
    example = BY_SENTENCE.get(text)
    if example is None or (held and not example.holds):
        return
    if tagger in example.notes:
        lesson.say(example.notes[tagger])
        return
    name = taggers.name_of(example.tagger)
    lesson.say("other-tagger", tagger=name)
    if st.button(
        say("labels.use-tagger", tagger=name), key="tag.other", on_click=TAGGER.set,
        args=(example.tagger,),
    ):  # fmt: skip
        st.rerun()  # the fields stand outside of the fragment


def _task() -> str:
    """What the chosen tagger tags."""
    key = TAGGER.value  # first: the address may bring one in
    return taggers.choices()[key].task


def _chosen_task() -> None:
    """The first tagger of the task; an example of the other task gives way to one of this."""
    of_task = [key for key, entry in taggers.choices().items() if entry.task == TASK.value]
    if of_task:
        TAGGER.set(of_task[0])
    if SENTENCE.value in BY_SENTENCE:
        SENTENCE.set(BY_TASK[TASK.value][0].sentence)


def tagger_switch() -> str:
    """Which tags, and which tagger gives them; its key."""
    TASK.set(_task())
    TASK.widget(say("labels.tags"), on_change=_chosen_task, label_visibility="collapsed")
    name = TAGGER.widget(say("labels.tagger"), task=TASK.value, width=214)
    with st.popover(say("labels.own-tagger"), key="tag.own", on_change="rerun"):
        your_own("tag", TAGGER)
    state.publish_one(TAGGER.address, name, TAGGER.default)
    return name


def load(name: str) -> tuple[str, AnyTagger] | None:
    """The tagger with its key, or None after a message that says why it cannot be had."""
    for folder in start_options.given().taggers:
        if folder.fault:  # a line of it here, all of it where taggers are added
            note(theme.shorten(folder.told, 150))
    try:
        return name, taggers.get(name)
    except ModelRefusedError as error:
        st.error(theme.markdown(f"{error}."))
        return None


def split(tagger: AnyTagger, text: str) -> tuple[str, ...] | None:
    """The sentence's tokens, or None after a message."""
    tokens = tuple(taggers.tokens_of(tagger, text[:MAX_CHARACTERS]))
    if not tokens:
        st.info(say("message.no-word"))
        return None
    if len(text) > MAX_CHARACTERS:
        st.warning(say("message.characters", n=len(text), most=MAX_TOKENS))
    elif len(tokens) > MAX_TOKENS:
        st.warning(say("message.tokens", n=len(tokens), most=MAX_TOKENS))
    else:
        return tokens
    return None


def to_the_lessons(text: str, key: str) -> None:
    """Take this sentence with all its scores, exactly as they are, to the first lesson."""
    if st.button(
        say("labels.to-lessons"), key="tag.lessons", icon=":material/arrow_forward:",
        on_click=problem_state.use_tagger, args=(text, key),
    ):  # fmt: skip
        menu.go(contents.COURSE[1].address)


def undo_and_free(hand: ByHand) -> None:
    """Take back what was held; shown once there is something to take back."""
    if hand.history:
        st.button(say("labels.undo"), key="tag.undo", icon=":material/undo:", on_click=hand.undo)
    if any(tag >= 0 for tag in hand.fixed):
        st.button(say("labels.free"), key="tag.free", icon=":material/close:", on_click=hand.clear)
