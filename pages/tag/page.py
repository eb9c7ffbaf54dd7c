"""Lesson: a trained tagger at work on a sentence of the reader's own, and how it decodes it."""

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.ui import fixed_tags, frame, loading, state, taggers
from pages.tag import controls, sections
from pages.tag.sentence import tagged_sentence

if TYPE_CHECKING:
    from crf.tagger import Tagger


@st.fragment
def answer(tagger_key: str, tagger: "Tagger", tokens: tuple[str, ...], text: str) -> None:
    """Everything under the controls; a tag set by hand repaints this and nothing else."""
    chain = (tagger.tags, tokens)
    hand = state.by_hand(chain, lambda: fixed_tags.from_address(*chain))
    with st.container():  # always there: what follows keeps its place
        frame.show_complaints()
    set_by_hand = fixed_tags.to_text({t: s for t, s in enumerate(hand.fixed) if s >= 0})
    state.publish(fixed_tags.ADDRESS, set_by_hand, "")
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


complaints = st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    text = controls.sentence_field()
    name = controls.tagger_switch()
with complaints:
    frame.show_complaints()
controls.examples(text, name)
loading.wait()  # what stands above is painted before
with st.container():
    loaded = controls.load(name)
    tokens = controls.split(text)
with st.container():
    if loaded and tokens:
        answer(*loaded, tokens, text)
