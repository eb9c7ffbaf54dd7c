"""Behind "⋯": how good the tagger is, how sure, what its transitions learnt, and where it errs."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from crf.figures.numbers import decimal, format_probability, format_score
from crf.tagger import Sentence
from pages.shared.course.right_to_left import escape
from pages.shared.course.state import State
from pages.shared.figures import theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.chart import BAR, ChartLine, line_chart
from pages.shared.figures.chart import look as look_of
from pages.shared.figures.heat_map import HeatCells, heat_map
from pages.shared.figures.text import LessonText
from pages.shared.ui import client_values, taggers
from pages.shared.ui.stage import reader
from pages.words import judging, name_errors
from pages.words.beats import judged
from pages.words.tagged_file import tagged_file

LESSON = "words"
MOST_JUDGED, SHOWN = 500, 5  # sentences


def text_table(
    text: LessonText, heads: str, rows: list[list[str]], caption: str, **holes: str
) -> None:
    """Draw a table whose heads and caption are labels of the lesson."""
    columns = [text.line(f"labels.{name}") for name in heads.split()]
    label = text.line(f"labels.{caption}", **holes)
    st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True, height="content", alt=label)


def _shares(of: Mapping[str, Any], **holes: str) -> dict[str, str]:
    """Shares of a card as text."""
    shares = {hole: of.get(name) for hole, name in holes.items()}
    return {hole: "none" if x is None else theme.percent(x) for hole, x in shares.items()}


def well(state: State, _beat: Beat, text: LessonText) -> None:
    """The card’s figures, and the training log."""
    if (card := taggers.metrics(judged(state))) is None:
        st.html(text.html("no-figures"))
        return
    tokens = decimal(f"{card['tokens']:,}")
    if "span_f1" in card:
        shares = _shares(card, f1="span_f1", precision="span_precision", recall="span_recall")
        broken = card["invalid_tags"]
        st.html(text.html("figures-names", tokens=tokens, invalid=broken, **shares))
        greedy = card["spans"]["greedy"]
        shares = _shares(greedy, greedy="span_f1")
        st.html(text.html("figures-names-greedy", invalid=greedy["invalid_tags"], **shares))
    else:
        holes = {"accuracy": "accuracy", "sentences": "sentence_accuracy"}
        all_holes = holes | {"unknown": "unknown_word_accuracy"}
        st.html(text.html("figures", tokens=tokens, **_shares(card, **all_holes)))
        st.html(text.html("figures-greedy", **_shares(card["decoders"]["greedy"], **holes)))
        if twin := card.get("softmax"):
            st.html(text.html("twin", **_shares(twin, **all_holes)))
    if "sureness" in card:
        st.html(text.html("columns"))
    if log := card.get("training", {}).get("history"):
        st.html(text.html("trained"))
        st.dataframe(pd.DataFrame(log), hide_index=True, width="content")


def _measured(state: State, fold: str, text: LessonText) -> Sequence[judging.Measured]:
    """Sentences to judge the tagger by: those that it came with, else the reader's own."""
    return judging.measured(judged(state), _sentences(state, fold, text))


def _sentences(state: State, fold: str, text: LessonText) -> tuple[Sentence, ...]:
    """Sentences with right tags: the reader's, else those that the tagger came with."""
    key = judged(state)
    if usual := judging.judged_by(key):
        with st.popover(text.line("labels.judge-own"), icon=":material/upload:"):
            file = tagged_file(text, f"words.judge.{key}", fold, key)
    else:
        st.html(text.html("judge-by", tagger=taggers.name_of(key)))
        file = tagged_file(text, f"words.judge.{key}", fold, key)
    if file is None:
        return usual
    if not {t for one in file.sentences for t in one.tags} & set(taggers.get(key).tags):
        st.html(text.html("other-tags", file=file.name))
        return ()
    if len(file.sentences) > MOST_JUDGED:
        st.html(text.html("judged-first", most=MOST_JUDGED, all=len(file.sentences)))
    return file.sentences[:MOST_JUDGED]


def calibration(state: State, _beat: Beat, text: LessonText) -> None:
    """How sure it is of words, and how often it is right."""
    if not (sentences := _measured(state, "calibration", text)):
        return
    bins = judging.calibration(sentences)
    ece, count = judging.calibration_error(bins), sum(one.words for one in bins)
    st.html(text.html("calibration", words=decimal(f"{count:,}"), ece=format_probability(ece)))
    place = st.container()
    heads = [text.line(f"labels.{name}") for name in ("sure", "right", "words")]
    frame = pd.DataFrame([(one.sure, one.right, one.words) for one in bins], columns=heads)
    st.dataframe(frame, hide_index=True, height="content")
    colours, sure = look_of(st.context.theme.type), [one.sure for one in bins]
    lines = [
        ChartLine(text.line("labels.exact"), (0, 1), (0, 1), colours.grey, "dot"),
        ChartLine("", sure, [one.right for one in bins], colours.blue, mode="lines+markers"),
    ]
    figure = line_chart(lines, colours, (heads[0], heads[1])).update_yaxes(range=[-0.02, 1.02])
    alt = text.line("labels.calibration-alt")
    place.plotly_chart(figure, theme=None, config=BAR, alt=alt, key=f"{LESSON}.calibration")


def transitions(state: State, _beat: Beat, text: LessonText) -> None:
    """The learnt transitions, the most disliked first."""
    key = judged(state)
    tagger, data = taggers.get(key), taggers.data_of(key)
    sentences = judging.sample("training", tagger.tags) if data is None else tuple(data[0])
    weights = tagger.chain([state.problem.tokens]).potentials.transitions.tolist()
    st.html(text.html("disliked", sentences=len(sentences)))
    lowest = judging.disliked(weights, tagger.tags, sentences)
    rows = [[name, format_score(weight), str(times)] for name, weight, times in lowest]
    text_table(text, "transition weight times", rows, "lowest")


def mistakes(state: State, _beat: Beat, text: LessonText) -> None:
    """The whole confusion matrix; the shortest sentences with a mistake."""
    key = judged(state)
    card = taggers.metrics(key)
    mistake = _confused(key, card, text) if card else None
    if not (given := _sentences(state, "mistakes", text)):
        return
    sentences, fewest = judging.measured(key, given), judging.FEWEST_WORDS
    mistakes = [one for one in sentences if len(one.words) >= fewest and one.wrong(mistake)]
    holes = {"most": SHOWN, "fewest": fewest} if mistakes else {}
    name_errors.show(key, given, text)
    st.html(text.html("errors" if mistakes else "no-mistake", **holes))
    for k, one in enumerate(mistakes[:SHOWN]):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(_wrong(one, text))
            order = {"sentence": " ".join(one.words), "tagger": key, "spaces": "1"}
            order |= {"beat": "network", "ex": "", "fix": "", "edit": ""}
            st.button(
                text.line("labels.open"),
                key=f"words.error.{k}",
                on_click=reader.order,
                args=(LESSON,),
                kwargs=order,
            )


def _confused(key: str, card: Mapping[str, Any], text: LessonText) -> tuple[str, str] | None:
    """The confusion matrix, its diagonal left out; the mistake whose cell is pressed."""
    tags, counts = judging.confusions(card, taggers.get(key).tags, most=1000)
    off = [[0 if a == b else n for b, n in enumerate(row)] for a, row in enumerate(counts)]
    most = max(map(max, off), default=0) or 1
    share = [[n / most for n in row] for row in off]
    texts = [[str(n or "") for n in row] for row in off]
    figure = heat_map(HeatCells(off, share, texts, tags, tags), "n", st.context.theme.type)
    st.html(text.html("confusion"))
    place = st.container()
    st.download_button("CSV", pd.DataFrame(counts, tags, tags).to_csv, "confusion.csv", "text/csv")
    place.plotly_chart(
        figure,
        theme=None,
        key="words.confusion",
        alt=text.line("labels.confusion"),
        config={"displayModeBar": False},
        on_select="rerun",
        selection_mode="points",
    )
    S, point = len(tags), (client_values.points("words.confusion") or [{}])[0]
    cell = client_values.genuine(point.get("point_index"), client_values.index(S * S))
    return None if cell is None else (tags[cell // S], tags[cell % S])


def _wrong(one: judging.Measured, text: LessonText) -> str:
    """A sentence with its wrong words marked, and what is wrong with each."""
    places = one.wrong()
    words = [f"<b>{escape(w)}</b>" if t in places else escape(w) for t, w in enumerate(one.words)]
    mistakes = [
        text.line(
            "labels.wrong",
            word=one.words[t],
            right=one.right[t],
            given=one.found[t],
            p=format_probability(one.sure[t]),
        )
        for t in places
    ]
    return f'<p class="crf-note">{" ".join(words)}<br>{escape("; ".join(mistakes))}</p>'
