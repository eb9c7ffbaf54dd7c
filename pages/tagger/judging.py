"""The sections that judge the tagger on tagged sentences: its own, or some that the reader has."""

from functools import lru_cache
from typing import NamedTuple

import streamlit as st
import torch

from crf.figures.numbers import format_probability
from crf.tagger import Sentence, TaggingDataset
from crf.tagger.bundled import sample
from pages.shared.course.right_to_left import escape
from pages.shared.figures import tables
from pages.shared.ui import problem_state, taggers
from pages.shared.ui.client_values import points
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.taggers import TAGGER
from pages.tagger import network as networks
from pages.tagger import runs
from pages.tagger.sections import SENTENCE, network_tagger
from pages.tagger.tagged_files import tagged_file

MOST_JUDGED = 500  # sentences
SHOWN, FEWEST_WORDS = 5, 5  # of the sentences with a mistake: so many, the shortest from so long
BATCH = 64


class Measured(NamedTuple):
    """What the tagger makes of the sample: for each sentence its words, right tags, tags, p's."""

    words: tuple[str, ...]
    right: tuple[str, ...]
    found: tuple[str, ...]
    sure: tuple[float, ...]


@lru_cache(maxsize=4)
def _sample(part: str, tags: tuple[str, ...]) -> tuple[Sentence, ...]:
    """The bundled sample’s sentences, with parts of speech or names, if their tags are these."""
    is_names = taggers.task_of(tags) == taggers.NAMES
    found = TaggingDataset.read(sample(f"{part}.{'iob2' if is_names else 'conllu'}"))
    return tuple(sentence for sentence in found if set(sentence.tags) <= set(tags))


def learnt_from() -> tuple[Sentence, ...]:
    """Sentences that the tagger has learnt from, as far as they are here."""
    key = TAGGER.value
    if key in taggers.shipped_entries():
        return _sample("train", taggers.get(key).tags)
    data = taggers.data_of(key)
    return tuple(data[0]) if data else ()


def judged_by(lesson: Lesson, place: str) -> tuple[Sentence, ...]:
    """Sentences to judge the tagger by: those that it came with, else the reader's own.

    Args:
        lesson: Whose words ask for them.
        place: Tells the parts apart that ask.
    """
    key, tags = TAGGER.value, taggers.get(TAGGER.value).tags
    if key in taggers.shipped_entries():
        return _sample("dev", tags)
    if data := taggers.data_of(key):
        return tuple(data[1])[:MOST_JUDGED]
    lesson.say("judge-by", tagger=taggers.name_of(key))
    file = tagged_file(lesson, f"tagger.judge.{key}", place=place, tags=tags)
    if file is None:
        return ()
    if not {tag for one in file.sentences for tag in one.tags} & set(tags):
        lesson.say("other-tags", file=file.name)
        return ()
    if len(file.sentences) > MOST_JUDGED:
        lesson.say("judged-first", most=MOST_JUDGED, all=len(file.sentences))
    return file.sentences[:MOST_JUDGED]


@lru_cache(maxsize=4)
def measured(name: str, sentences: tuple[Sentence, ...]) -> tuple[Measured, ...]:
    """What the tagger makes of tagged sentences, computed when it is first asked for."""
    tagger, found = taggers.get(name), []
    for first in range(0, len(sentences), BATCH):
        batch = sentences[first : first + BATCH]
        chain = tagger.chain([list(s.words) for s in batch], "plain")
        paths, marginals = chain.viterbi().tags.tolist(), chain.marginals
        for b, (s, path) in enumerate(zip(batch, paths, strict=True)):
            tags = tuple(tagger.tags[k] for k in path[: len(s.words)])
            sure = tuple(marginals[b, t, path[t]].item() for t in range(len(s.words)))
            found.append(Measured(s.words, s.tags, tags, sure))
    return tuple(found)


def mistakes(lesson: Lesson) -> None:
    """The confusion matrix of the card; sentences of the sample with a mistake."""
    metrics = taggers.metrics(TAGGER.value)
    tags = taggers.get(TAGGER.value).tags
    if metrics is not None:
        lesson.say("confusion")
        st.plotly_chart(
            runs.mistaken(runs.confusions(metrics, tags)), key="tagger.confusion",
            on_select="rerun", selection_mode="points", config={"displayModeBar": False},
            alt=lesson.text.line("charts.confusion"),
        )  # fmt: skip
    chosen = next(((p.get("y"), p.get("x")) for p in points("tagger.confusion")), None)
    if not (sentences := judged_by(lesson, "mistakes")):
        return
    lesson.say("errors", most=SHOWN, fewest=FEWEST_WORDS)
    judged = [one for one in measured(TAGGER.value, sentences) if len(one.words) >= FEWEST_WORDS]
    judged.sort(key=lambda one: len(one.words))
    found = [(one, places) for one in judged if (places := wrong(one, chosen))]
    if not found:
        lesson.say("no-mistake")
    for k, (one, places) in enumerate(found[:SHOWN]):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(_sentence(one, places))
            st.button(
                "Open", key=f"tagger.error.{k}", on_click=_take, args=(" ".join(one.words),),
                help=lesson.text.line("charts.open"),
            )  # fmt: skip


def wrong(one: Measured, chosen: tuple[object, object] | None = None) -> list[int]:
    """The words of a sentence that are tagged wrong.

    Args:
        one: The sentence.
        chosen: (right tag, tag): only words with this mistake; None: with any.
    """
    return [
        t
        for t, (right, found) in enumerate(zip(one.right, one.found, strict=True))
        if right != found and chosen in (None, (right, found))
    ]


def _sentence(one: Measured, places: list[int]) -> str:
    """The sentence with its wrong words marked, and what is wrong with each."""
    words = [
        f"<b>{escape(word)}</b>" if t in places else escape(word)
        for t, word in enumerate(one.words)
    ]
    told = [
        f"{escape(one.words[t])}: right {escape(one.right[t])}, tagged {escape(one.found[t])} "
        f"(p = {format_probability(one.sure[t])})"
        for t in places
    ]
    return f'<p class="crf-note">{" ".join(words)}<br>{"; ".join(told)}</p>'


def _take(sentence: str) -> None:
    problem_state.use_tagger(sentence, TAGGER.value)
    SENTENCE.set(sentence[: SENTENCE.longest])


def transitions(lesson: Lesson) -> None:
    """The learnt transitions, the most disliked first."""
    tagger, sentences = network_tagger(TAGGER.value), learnt_from()
    counts = networks.transition_counts(tuple(s.tags for s in sentences))
    if sentences:
        lesson.say("disliked", sentences=len(sentences))
    else:
        lesson.say("disliked-alone")
    may = tagger.crf.constraints.transitions
    weights = tagger.crf.transitions.masked_fill(~may, -torch.inf)
    if not may.all():
        lesson.say("left-out")
    header, rows = runs.disliked(weights.tolist(), tagger.tags, counts if sentences else None)
    st.html(tables.text_table(header, rows, lesson.text.line("charts.lowest")))


def calibrated(lesson: Lesson) -> None:
    """Reliability curve and ECE on the sample."""
    if not (sentences := judged_by(lesson, "calibration")):
        return
    found = measured(TAGGER.value, sentences)
    sure = [p for one in found for p in one.sure]
    right = [a == b for one in found for a, b in zip(one.right, one.found, strict=True)]
    bins = runs.calibration(sure, right)
    lesson.say(
        "calibration" if TAGGER.value in taggers.shipped_entries() else "calibration-own",
        words=f"{len(sure):,}",
        ece=format_probability(runs.expected_error(bins)),
    )
    st.plotly_chart(
        runs.reliability(bins), key="tagger.reliability", config={"displayModeBar": False},
        alt=lesson.text.line("charts.reliability"),
    )  # fmt: skip
