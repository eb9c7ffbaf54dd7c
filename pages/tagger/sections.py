"""The sections of the lesson "From words to scores"."""

from functools import lru_cache
from typing import Any, cast

import pandas as pd
import streamlit as st
import torch

from crf.figures.flow import payload as flows
from crf.figures.numbers import format_score
from crf.tagger import Tagger
from pages.shared.course.uploaded_models import ModelRefusedError
from pages.shared.figures import tables, theme
from pages.shared.figures.text import LessonText, case
from pages.shared.ui import problem_bar, taggers
from pages.shared.ui.controls import Integer, Text
from pages.shared.ui.exports import Table
from pages.shared.ui.flow import flow
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.own_tagger import your_own
from pages.shared.ui.taggers import TAGGER
from pages.tagger import layers, runs
from pages.tagger import network as networks
from pages.tagger.layers import NAMES, shape_of
from pages.tagger.network import Network

MOST_TOKENS = 14  # that stand beside each other
SENTENCE = Text("tagger.sentence", "I love reboot movies.", address="sentence", longest=300)
WORD = Integer("tagger.word", 3, address="word", low=1, high=MOST_TOKENS)
OTHER = Text("tagger.other", "", address="other", longest=64)
LAYER = Integer("tagger.layer", 0, address="layer", low=0, high=9)
AT = Integer("tagger.at", 0, address="at", low=0, high=MOST_TOKENS)
CONTROLS = (SENTENCE, TAGGER, WORD, OTHER, LAYER, AT)


def network_tagger(key: str) -> Tagger:
    """A tagger whose network can be looked into."""
    return cast(Tagger, taggers.get(key))


@lru_cache(maxsize=16)
def _network(tagger: str, tokens: tuple[str, ...]) -> Network:
    return networks.run(network_tagger(tagger), tokens)


@lru_cache(maxsize=16)
def _moved(tagger: str, tokens: tuple[str, ...], token: int, word: str) -> tuple[float, ...]:
    return tuple(networks.moved(network_tagger(tagger), tokens, token, word))


def tokens() -> tuple[str, ...]:
    """The sentence on screen, cut to what fits beside each other."""
    return _all_tokens()[:MOST_TOKENS]


def _all_tokens() -> tuple[str, ...]:
    return tuple(taggers.tokens_of(network_tagger(TAGGER.value), SENTENCE.value))


# ---------------------------------------------------------------------- through the network


def sentence_and_tagger(lesson: Lesson) -> None:
    """The sentence field and the tagger."""
    if not lesson.asks:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        SENTENCE.widget(
            "Sentence", placeholder=lesson.text.line("charts.type"),
            on_change=OTHER.reset,  # what replaced a word of the sentence before
        )  # fmt: skip
        TAGGER.widget("Tagger", width=220)
        with st.popover(lesson.text.line("charts.own"), key="tagger.own", on_change="rerun") as own:
            if own.open:
                your_own("tagger", _use_own, trains=False)


def _use_own(key: str) -> None:
    TAGGER.set(key)
    if sentence := taggers.only_sentence(taggers.get(key)):
        SENTENCE.set(sentence[: SENTENCE.longest])


def opened(lesson: Lesson) -> bool:
    """Whether the tagger is one whose network can be drawn; if not, why."""
    try:
        tagger = taggers.get(TAGGER.value)
    except ModelRefusedError as error:
        st.error(theme.markdown(f"{error}."))
        return False
    if isinstance(tagger, Tagger):
        return True
    lesson.say("not-opened", tagger=taggers.name_of(TAGGER.value))
    words = taggers.only_sentence(tagger).split() or taggers.tokens_of(tagger, SENTENCE.value)
    try:
        chain = tagger.chain([words], "plain") if words else None
    except ValueError as error:
        st.error(theme.markdown(f"{error}."))
        return False
    if chain is not None:
        flow(flows.of_chain(chain, tagger.tags, words), key="tagger.flow")
    return False


@st.fragment
def through_the_network(lesson: Lesson) -> None:
    """The layers as strips of numbers, a word that can be replaced, the flow that comes out."""
    words = tokens()
    if not words:
        st.info(lesson.text.line("charts.no-word"))
        return
    if len(_all_tokens()) > MOST_TOKENS:
        st.info(lesson.text.line("charts.cut", most=MOST_TOKENS))
    picture, text = lesson.split()
    source = min(WORD.value, len(words)) - 1
    other = (taggers.tokens_of(network_tagger(TAGGER.value), OTHER.value) or [""])[0]
    influence = _moved(TAGGER.value, words, source, other) if other else ()
    read = (*words[:source], other or words[source], *words[source + 1 :])
    shown = _network(TAGGER.value, read)
    with picture:
        place = (LAYER.value - 1, AT.value)
        is_open = 0 <= place[0] < len(shown.layers) and place[1] < len(words)
        tags = network_tagger(TAGGER.value).tags
        drawn = layers.payload(shown, tags, place if is_open else None, influence, source)
        layers.layers(drawn, key="tagger.layers", on_pick=_open)
        flow(flows.of_chain(shown.chain, tags, read), key="tagger.flow", height=150)
    with text:
        alone = chooses_alone()
        reads = shown.layer("lstm") is not None
        out = case(f"out.{'softmax' if alone else 'crf' if len(words) > 1 else 'ends'}")
        looked_up = [name for name in ("word", "affixes", "characters") if shown.layer(name)]
        facts = {"unknown": str(networks.UNKNOWN)} if "word" in looked_up else {}
        lesson.say(f"looks-up-{'-'.join(looked_up)}", **facts)
        if len(looked_up) > 1:
            lesson.say("side-by-side-lstm" if reads else "side-by-side", out=out)
        else:
            lesson.say("one-vector-lstm" if reads else "one-vector", out=out)
        lesson.say("strips")
        if not reads:
            lesson.say("local-alone" if alone else "local")
        _change(lesson, words, source, other, influence, reads)
        if is_open:
            _box(lesson, shown, *place)
        if lesson.asks:
            problem_bar.offer_to_edit(" ".join(read), TAGGER.value, key="tagger.edit")
    lesson.publish()


def _open(place: tuple[int, int]) -> None:
    LAYER.set(place[0] + 1)
    AT.set(place[1])


def chooses_alone() -> bool:
    """Whether the tagger has no transitions: a softmax at each word."""
    return not network_tagger(TAGGER.value).crf.transitions.any().item()


def _change(
    lesson: Lesson,
    words: tuple[str, ...],
    source: int,
    other: str,
    influence: tuple[float, ...],
    reads: bool,
) -> None:
    """Replace a word; which others' emissions move, if the network reads them together."""
    is_only = len(words) == 1
    lesson.say("change-only" if is_only else "change", word=words[source])
    if lesson.asks:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if not is_only:
                if WORD.value > len(words):
                    WORD.set(len(words))
                WORD.widget("Which word", width=150, max_value=len(words))
            OTHER.widget("becomes", width=180, placeholder="another word")
    if not influence:
        return
    if is_only:
        lesson.say("now-shown", other=other)
        return
    others = {t: x for t, x in enumerate(influence) if t != source and x > 0.005}
    if not others:
        lesson.say("hardly-moved" if reads else "nothing-moved", other=other, word=words[source])
        return
    most = max(others, key=lambda t: others[t])
    lesson.say(
        "moved", other=other, word=words[source], count=len(others), most=words[most],
        amount=format_score(others[most]),
    )  # fmt: skip


def _box(lesson: Lesson, shown: Network, k: int, t: int) -> None:
    """The numbers in one box."""
    layer, token = shown.layers[k], shown.tokens[t]
    tagger = network_tagger(TAGGER.value)
    numbers = layer.values[t].tolist()
    if layer.name in ("word", "affixes"):
        rows = [
            [what, text, str(number) if number != networks.UNKNOWN else "unknown"]
            for what, text, number in networks.indices(tagger, token)
        ]
        st.html(tables.text_table(["looked up", "as", "number"], rows, f"What is seen of {token}"))
    lesson.say(
        "box", layer=NAMES[layer.name], token=token, shape=shape_of(*layer.values.shape),
        size=len(numbers), low=format_score(min(numbers)), high=format_score(max(numbers)),
    )  # fmt: skip
    if layer.name == "emissions":
        ranked = sorted(zip(numbers, tagger.tags, strict=True), reverse=True)
        rows = [[tag, format_score(score)] for score, tag in ranked[:6]]
        st.html(tables.text_table(["tag", "emission"], rows, f"Emissions of {token}"))
    else:
        st.code("  ".join(f"{x:+.2f}" for x in numbers[:48]) + " …", language=None, wrap_lines=True)


# ---------------------------------------------------------------------- its figures


def how_well(lesson: Lesson) -> None:
    """The card’s figures, and the training log."""
    metrics = taggers.metrics(TAGGER.value)
    if metrics is None:
        lesson.say("no-figures")
        return

    def shares(of: dict[str, Any], **names: str) -> dict[str, str]:
        return {
            hole: "none" if of[name] is None else theme.percent(of[name])
            for hole, name in names.items()
        }

    alone, tokens = chooses_alone(), metrics["tokens"]
    if "span_f1" in metrics:
        found = shares(metrics, f1="span_f1", precision="span_precision", recall="span_recall")
        lesson.say("figures-names", tokens=tokens, invalid=metrics["invalid_tags"], **found)
        greedy = metrics["spans"]["greedy"]
        if not alone:
            invalid = greedy["invalid_tags"]
            found = shares(greedy, greedy="span_f1")
            lesson.say("figures-names-greedy", greedy_invalid=invalid, **found)
    else:
        parts = {"accuracy": "accuracy", "sentences": "sentence_accuracy"}
        lesson.say(
            "figures", tokens=tokens,
            **shares(metrics, **parts, unknown="unknown_word_accuracy"),
        )  # fmt: skip
        if not alone:
            lesson.say("figures-greedy", **shares(metrics["decoders"]["greedy"], **parts))
    if twin := metrics.get("softmax"):
        lesson.say(
            "twin",
            **shares(twin, softmax="accuracy", softmax_sentences="sentence_accuracy",
                     softmax_unknown="unknown_word_accuracy"),
        )  # fmt: skip
    lesson.say("trained-alone" if alone else "trained")
    if epochs := runs.logged(runs.history(metrics)):
        st.plotly_chart(
            runs.curves(epochs, epochs[-1].epoch), key="tagger.curves",
            config={"displayModeBar": False}, alt=lesson.text.line("charts.curves"),
        )  # fmt: skip


# a textbook implementation's names, ours, and the note of text.md on the two
READING = (
    ("forward_belief_propagation", "crf.recursions.forward", "start"),
    ("score_sentence", "LinearChain.score", "numerator"),
    ("viterbi_decode", "LinearChain.viterbi, ChainCRF.decode", ""),
    ("negative_log_likelihood", "ChainCRF.forward", "loss"),
    ("log_transitions, (S+2)²", "transitions, start, end", "bordered"),
    ("word embedding, BiLSTM, linear", "crf.tagger.model.Encoder, Tagger.projection", ""),
)  # fmt: skip


def _names() -> pd.DataFrame:
    say = LessonText.of("tagger").line
    rows = [(theirs, ours, note and say(f"reading.{note}")) for theirs, ours, note in READING]
    return pd.DataFrame(rows, columns=[say(f"reading.{n}") for n in ("theirs", "ours", "note")])


def reading_along(_: Lesson) -> None:
    """The textbook implementation’s names and ours."""
    st.dataframe(_names(), hide_index=True, width="stretch")


def code(lesson: Lesson) -> None:
    """The network in code, run on the words' vectors on screen."""
    tagger = network_tagger(TAGGER.value)

    def answers() -> tuple[Any, Any]:
        from pages.shared.course import textbook

        shown = _network(TAGGER.value, tokens())
        read = shown.layer("joined") or shown.layers[0]
        layers = tagger.encoder.lstm, tagger.projection
        with torch.no_grad():
            return textbook.network(read.values, *layers), shown.layers[-1].values

    lesson.code("network", answers=answers if tokens() else None)


def export_tables() -> dict[str, Table]:
    """The training log, the confusions and the textbook’s names as files."""
    reading = {"Reading along": Table.of_frame(_names)}
    if not (metrics := taggers.metrics(TAGGER.value)):
        return reading
    confusions = runs.confusions(metrics, taggers.get(TAGGER.value).tags)
    return {
        "Training log": Table.of_frame(lambda: runs.history(metrics)),
        "Confusions": Table.of_frame(lambda: confusions.reset_index(names="right tag")),
    } | reading
