"""Lesson: a trained tagger at work on a sentence of the reader's own, and how it decodes it."""

import streamlit as st

from pages.ui import controls, course, frame, sections, state, taggers
from pages.ui.sentence import tagged_sentence


@st.fragment
def answer(tagger_key: str, tagger: object, tokens: tuple[str, ...], text: str) -> None:
    """Everything under the controls; a tag set by hand repaints this and nothing else."""
    hand = state.by_hand(tagger_key, tokens)
    analysis = taggers.analysis(tagger_key, tagger, tokens, hand.fixed)
    if not analysis.is_feasible:
        st.error("This tagger allows no sequence at all with these tags.")
        controls.undo_and_clear(hand)
        return
    tagged_sentence(analysis, key="words", on_choice=hand.choose)
    controls.undo_and_clear(hand)
    sections.probability(analysis)
    sections.decoders(analysis, tagger_key)
    sections.best_sequences(analysis)
    sections.trellis(analysis)
    controls.to_the_lessons(text, tagger_key)
    sections.ingredients(analysis)
    sections.code()


course.begin("start")
complaints = st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    text = controls.sentence_field()
    name = controls.tagger_switch()
with complaints:
    frame.show_complaints()
controls.examples(text, name)
with st.container():
    loaded = controls.load(name)
    tokens = controls.split(text)
with st.container():
    if loaded and tokens:
        answer(*loaded, tokens, text)
