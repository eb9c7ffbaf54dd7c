"""What the page "Tag a sentence" says of a sentence, from top to bottom: the picture first."""

import streamlit as st

from crf.schemes import spans
from crf.tagger import ModelFileError
from crf.tagger.model_files import AnyTagger
from pages.shared.figures import theme
from pages.shared.figures.analysis import Analysis, holdable
from pages.shared.ui import fixed_tags, frame, presenter_view, state, taggers, teacher
from pages.shared.ui import view as views
from pages.shared.ui.flow import flow
from pages.shared.ui.lesson import FIRST_USES, Lesson
from pages.shared.ui.marginal_views import VIEW, draw, heat_map, switch
from pages.shared.ui.show_everything import EVERYTHING
from pages.shared.ui.state import SessionValue
from pages.shared.ui.taggers import NAMES, task_of
from pages.tag import by_hand, controls, facts, picture, pinned, sections

SEEN = SessionValue("tag.seen", False)
TALL, LOW, HALF = 232, 160, 84  # px of a column: one picture, a larger one, each of two


@st.fragment
def answer(tagger_key: str, tagger: AnyTagger, tokens: tuple[str, ...], text: str) -> bool:
    """What a held tag changes: it repaints this and nothing else.

    Returns:
        Whether the tagger has an answer; else a message says why not.
    """
    lesson = Lesson("tag", views.current())
    say = lesson.text.line
    FIRST_USES.at("tag").set({})
    presenter_view.fit(lesson.view)
    hand = by_hand.current((tagger.tags, tokens), fixed_tags.from_address)
    then = pinned.current()
    with st.container():  # always there: what follows keeps its place
        frame.show_complaints()
    state.publish_one(fixed_tags.ADDRESS, pinned.held(hand.fixed))
    try:
        analysis = _analysis(tagger_key, tagger, tokens, hand)
    except ModelFileError as error:  # of another program: it reads fewer words at a time
        st.error(theme.markdown(f"{error}."))
        return False
    if not analysis.is_feasible:
        st.error(say("message.no-sequence"))
        return False

    with st.container():
        if then is not None:
            frame.note(say("pins.a", readings=then.about))
            flow(picture.pinned(then.analysis), key="tag.pinned.flow", height=HALF)
            frame.note(say("pins.b", readings=pinned.about(analysis, tagger_key)))
    _picture(lesson, analysis, hand, then.analysis if then else None)
    SEEN.set(True)
    if task_of(analysis.tags) == NAMES and not spans(analysis.viterbi.tags):
        lesson.say("no-names")
    with st.container():
        sections.impossible(lesson, analysis, hand.fixed)
    with st.container(horizontal=True, key="tag-buttons"):
        switch("tag", brief=True)
        controls.undo_and_free(hand)
        controls.to_the_lessons(text, tagger_key)

    with st.container():
        if then is not None:
            lesson.say("compared", changes=facts.changes(then.analysis, analysis))
        if analysis.is_clamped:
            lesson.say("held", **facts.held(analysis))
    sections.decoders(lesson, analysis)
    name = "pin" if then is None else "unpin"
    st.button(
        say(f"labels.{name}"), icon=":material/keep:", key=f"tag.{name}",
        on_click=pinned.PINNED.set,
        args=(pinned.of(tagger_key, analysis, text) if then is None else None,),
    )  # fmt: skip
    with st.container():
        controls.about_example(lesson, text, tagger_key, held=analysis.is_clamped)
    sections.probability(lesson, analysis)
    sections.trellis(lesson, analysis, (tagger_key, tagger, tokens, analysis.fixed))
    sections.ingredients(lesson, analysis, text, tagger_key)
    if lesson.is_everything_shown("best"):
        sections.best_sequences(lesson, analysis)
    return True


def _analysis(
    tagger_key: str, tagger: AnyTagger, tokens: tuple[str, ...], hand: by_hand.ByHand
) -> Analysis:
    """What the tagger finds with the held tags; without those that nothing allows."""
    analysis = taggers.analysis(tagger_key, tagger, tokens, hand.fixed)
    if analysis.is_feasible:
        return analysis
    possible = holdable(tagger, tokens, hand.fixed, hand.in_order())
    return taggers.analysis(tagger_key, tagger, tokens, possible)


def about(tagger_key: str, tagger: AnyTagger, tokens: tuple[str, ...]) -> None:
    """What is the same whatever tags are held."""
    lesson = Lesson("tag", views.current())
    sections.meanings(lesson, tagger.tags, tagger_key)
    lesson.shows_everything("best")
    state.publish_one(EVERYTHING.address, EVERYTHING.write(EVERYTHING.value), "0")
    sections.code(lesson, tagger, tokens)
    teacher.of_address("tag")


def _picture(
    lesson: Lesson, analysis: Analysis, hand: by_hand.ByHand, then: Analysis | None
) -> None:
    """All readings as flow, heat map or table; a click holds a tag."""

    def hold(token: int, tag: str) -> None:
        hand.hold(token, analysis.tags.index(tag))

    view = VIEW["tag"].value
    state.publish_one(VIEW["tag"].address, view, VIEW["tag"].default)
    with st.container(key="picture-tag"):
        if view == "flow":
            flow(
                picture.readings(analysis, since=then), key="tag.flow", on_choice=hold,
                height=HALF if then else TALL if lesson.view.size == "1" else LOW,
                grows=not lesson.view.screen, intro=not SEEN.value and not lesson.view.screen,
            )  # fmt: skip
        else:
            held_tags = {t: s for t, s in enumerate(analysis.fixed) if s >= 0}
            shown = heat_map(analysis.tags, analysis.tokens, analysis.marginals, held_tags)
            draw(view, shown, key="tag.heat", on_choice=hold)
