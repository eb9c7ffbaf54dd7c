"""The sections that judge the tagger on tagged sentences: its own, or some that the reader has."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
import torch

from crf.figures.numbers import format_probability, format_score
from crf.tagger import Sentence
from pages.shared.course.right_to_left import escape
from pages.shared.figures import tables
from pages.shared.ui import problem_state, taggers
from pages.shared.ui.client_values import points
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.taggers import TAGGER
from pages.tagger.runs import BLUE, chart, confusions, plain
from pages.tagger.sections import SENTENCE, network_tagger
from pages.tagger.tagged_files import tagged_file
from pages.tagger.training_config import bundled

MOST_JUDGED = 500  # sentences
SHOWN, FEWEST_WORDS = 5, 5  # of the sentences with a mistake: so many, the shortest from so long
DISLIKED = 12  # transitions with the lowest weights that are listed
BATCH = 64


class Measured(NamedTuple):
    """What the tagger makes of a sentence: words, right tags, its tags, their probabilities."""

    words: tuple[str, ...]
    right: tuple[str, ...]
    found: tuple[str, ...]
    sure: tuple[float, ...]


@lru_cache(maxsize=4)
def _sample(part: str, tags: tuple[str, ...]) -> tuple[Sentence, ...]:
    """The bundled sample’s sentences, with parts of speech or names, if their tags are these."""
    found = getattr(bundled(taggers.task_of(tags)), part)
    return tuple(sentence for sentence in found if set(sentence.tags) <= set(tags))


def came_with(part: int) -> tuple[Sentence, ...]:
    """Sentences that the tagger has learnt from (0), or was measured by (1), if they are here."""
    key = TAGGER.value
    if key in taggers.shipped_entries():
        return _sample(("training", "dev")[part], taggers.get(key).tags)
    data = taggers.data_of(key)
    return tuple(data[part]) if data else ()


def judged_by(lesson: Lesson, place: str) -> tuple[Sentence, ...]:
    """Sentences to judge the tagger by: those that it came with, else the reader's own.

    The place tells the parts apart that ask.
    """
    if found := came_with(1):
        return found[:MOST_JUDGED]
    key, tags = TAGGER.value, taggers.get(TAGGER.value).tags
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


# ---------------------------------------------------------------------- its mistakes


def mistakes(lesson: Lesson) -> None:
    """The confusion matrix of the card; sentences of the sample with a mistake."""
    metrics = taggers.metrics(TAGGER.value)
    if metrics is not None:
        lesson.say("confusion")
        figure = mistaken(confusions(metrics, taggers.get(TAGGER.value).tags))
        alt = lesson.text.line("charts.confusion")
        chart(figure, "confusion", alt, on_select="rerun", selection_mode="points")
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


def mistaken(table: pd.DataFrame) -> go.Figure:
    """The confusions; the diagonal is left out, or it would blind."""
    figure = go.Figure()
    figure.add_heatmap(
        z=table.mask(np.eye(len(table), dtype=bool), 0), x=table.columns, y=table.index,
        colorscale="Cividis", xgap=1, ygap=1, colorbar={"title": "words"},
        hovertemplate="%{y} tagged as %{x}: %{z} words<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(title="tagged as", tickangle=-60)
    figure.update_yaxes(title="right tag", autorange="reversed")
    return plain(figure, 460)


def wrong(one: Measured, chosen: tuple[object, object] | None = None) -> list[int]:
    """The words of a sentence that are tagged wrong, all or with one mistake: (right tag, tag)."""
    pairs = enumerate(zip(one.right, one.found, strict=True))
    return [t for t, (right, got) in pairs if right != got and chosen in (None, (right, got))]


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


# ---------------------------------------------------------------------- its transitions


def transitions(lesson: Lesson) -> None:
    """The learnt transitions, the most disliked first."""
    tagger, sentences = network_tagger(TAGGER.value), came_with(0)
    counts = _counts(tuple(s.tags for s in sentences)) if sentences else None
    if sentences:
        lesson.say("disliked", sentences=len(sentences))
    else:
        lesson.say("disliked-alone")
    may = tagger.crf.constraints.transitions
    if not may.all():
        lesson.say("left-out")
    weights = tagger.crf.transitions.masked_fill(~may, -torch.inf).tolist()
    header, rows = disliked(weights, tagger.tags, counts)
    st.html(tables.text_table(header, rows, lesson.text.line("charts.lowest")))


@lru_cache(maxsize=4)
def _counts(sentences: tuple[tuple[str, ...], ...]) -> Mapping[tuple[str, str], int]:
    """How often each tag follows each in tagged sentences."""
    return Counter(pair for tags in sentences for pair in pairwise(tags))


def disliked(
    transitions: Sequence[Sequence[float]],
    tags: Sequence[str],
    counts: Mapping[tuple[str, str], int] | None,
) -> tuple[list[str], list[list[str]]]:
    """The transitions with the lowest weights, and how often the sample has them, if it is known.

    What is forbidden, −∞, has no weight.
    """
    pairs = zip((w for row in transitions for w in row), product(tags, repeat=2), strict=True)
    rows = []
    for weight, (a, b) in sorted(pair for pair in pairs if pair[0] > -math.inf)[:DISLIKED]:
        times = [] if counts is None else [str(counts.get((a, b), 0))]
        rows.append([f"{a} → {b}", format_score(weight), *times])
    return ["transition", "weight T", *["times in the sample"] * (counts is not None)], rows


# ---------------------------------------------------------------------- its probabilities


def calibrated(lesson: Lesson) -> None:
    """Reliability curve and ECE on the sample."""
    if not (sentences := judged_by(lesson, "calibration")):
        return
    found = measured(TAGGER.value, sentences)
    sure = [p for one in found for p in one.sure]
    right = [a == b for one in found for a, b in zip(one.right, one.found, strict=True)]
    bins = calibration(sure, right)
    lesson.say(
        "calibration" if TAGGER.value in taggers.shipped_entries() else "calibration-own",
        words=f"{len(sure):,}", ece=format_probability(expected_error(bins)),
    )  # fmt: skip
    chart(reliability(bins), "reliability", lesson.text.line("charts.reliability"))


def calibration(sure: Sequence[float], right: Sequence[bool]) -> pd.DataFrame:
    """Words by the probability of their chosen tag, and whether it is right, in ten bins.

    Returns:
        A row for each bin that has words, by its number: how many words, their mean probability
        ("sure"), the share of them whose tag is right ("right").

    Source: Guo, Pleiss, Sun and Weinberger (2017), "On calibration of modern neural networks".

    >>> calibration([0.95, 0.95, 0.15], [True, False, False])["right"].to_dict()
    {1: 0.0, 9: 0.5}
    """
    words = pd.DataFrame({"sure": sure, "right": right}, dtype=float)
    words["bin"] = (words["sure"] * 10).astype(int).clip(upper=9)
    return words.groupby("bin").agg(
        words=("sure", "size"), sure=("sure", "mean"), right=("right", "mean")
    )


def expected_error(bins: pd.DataFrame) -> float:
    """ECE: the mean distance between how sure the model is and how often it is right."""
    distances = (bins["sure"] - bins["right"]).abs()
    return float(np.average(distances, weights=bins["words"])) if len(bins) else 0.0


def reliability(bins: pd.DataFrame) -> go.Figure:
    """How often a tag is right against how probable the model says it is."""
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": "#767676", "dash": "dot"},
        name="perfectly calibrated", hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=bins["sure"], y=bins["right"], mode="markers+lines",
        name="this tagger", line={"color": BLUE},
        marker={"size": 6 + 3 * np.log10(bins["words"])},
        customdata=bins["words"],
        hovertemplate="says %{x:.2f}, right %{y:.2f} of %{customdata} words<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(title="probability of the chosen tag", range=[0, 1.02])
    figure.update_yaxes(title="share that is right", range=[0, 1.02])
    return plain(figure, 320)
