"""The sections of the lesson "From words to scores"."""

from functools import lru_cache
from typing import Any, cast

import pandas as pd
import streamlit as st
import torch

from crf.figures.flow import payload as flows
from crf.figures.numbers import format_score
from crf.tagger import Tagger
from pages.shared.course import textbook
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
from pages.tagger import network as networks
from pages.tagger import runs
from pages.tagger.network import MOVED, NAMES, PARTS, UNKNOWN, Network

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
    """The words of the sentence on screen."""
    return tuple(taggers.tokens_of(network_tagger(TAGGER.value), SENTENCE.value))


def chooses_alone() -> bool:
    """Whether the tagger has no transitions: a softmax at each word."""
    return not network_tagger(TAGGER.value).crf.transitions.any().item()


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
                your_own("tagger", TAGGER, trains=False)


def opened(lesson: Lesson) -> bool:
    """Whether the tagger is one whose network can be drawn; if not, why."""
    try:
        tagger = taggers.get(TAGGER.value)
        if isinstance(tagger, Tagger):
            return True
        lesson.say("not-opened", tagger=taggers.name_of(TAGGER.value))
        words = taggers.tokens_of(tagger, SENTENCE.value)
        if words:
            chain = tagger.chain([words], "plain")
            flow(flows.of_chain(chain, tagger.tags, words), key="tagger.flow")
    except (ModelRefusedError, ValueError) as error:
        st.error(theme.markdown(f"{error}."))
    return False


@st.fragment
def through_the_network(lesson: Lesson) -> None:
    """The layers as strips of numbers, a word that can be replaced, the flow that comes out."""
    words = tokens()[:MOST_TOKENS]
    if not words:
        st.info(lesson.text.line("charts.no-word"))
        return
    if len(tokens()) > MOST_TOKENS:
        st.info(lesson.text.line("charts.cut", most=MOST_TOKENS))
    tagger = network_tagger(TAGGER.value)
    picture, text = lesson.split()
    source = min(WORD.value, len(words)) - 1
    other = (taggers.tokens_of(tagger, OTHER.value) or [""])[0]
    influence = _moved(TAGGER.value, words, source, other) if other else ()
    read = (*words[:source], other or words[source], *words[source + 1 :])
    shown = _network(TAGGER.value, read)
    place = (LAYER.value - 1, AT.value)
    is_open = 0 <= place[0] < len(shown.layers) and place[1] < len(words)
    with picture:
        chosen = place if is_open else None
        drawn = networks.payload(shown, tagger.tags, chosen, influence, source)
        networks.draw(drawn, key="tagger.layers", on_pick=_open)
        flow(flows.of_chain(shown.chain, tagger.tags, read), key="tagger.flow", height=150)
    with text:
        _explain(lesson, shown)
        _change(lesson, words, source, other, influence)
        if is_open:
            _box(lesson, shown, *place)
        if lesson.asks:
            problem_bar.offer_to_edit(" ".join(read), TAGGER.value, key="tagger.edit")
    lesson.publish()


def _open(layer: int, token: int) -> None:
    LAYER.set(layer + 1)
    AT.set(token)


def _explain(lesson: Lesson, shown: Network) -> None:
    """What the network looks up, how it goes on, and what comes out."""
    alone, reads = chooses_alone(), shown.layer("lstm") is not None
    out = case(f"out.{'softmax' if alone else 'crf' if len(shown.tokens) > 1 else 'ends'}")
    looked_up = [name for name in PARTS if shown.layer(name)]
    facts = {"unknown": str(UNKNOWN)} if "word" in looked_up else {}
    lesson.say(f"looks-up-{'-'.join(looked_up)}", **facts)
    if len(looked_up) > 1:
        lesson.say("side-by-side-lstm" if reads else "side-by-side", out=out)
    else:
        lesson.say("one-vector-lstm" if reads else "one-vector", out=out)
    lesson.say("strips")
    if not reads:
        lesson.say("local-alone" if alone else "local")


def _change(
    lesson: Lesson, words: tuple[str, ...], source: int, other: str, influence: tuple[float, ...]
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
    others = {t: x for t, x in enumerate(influence) if t != source and x > MOVED}
    facts = {"other": other, "word": words[source]}
    if others:
        most = max(others, key=others.__getitem__)
        facts |= {"most": words[most], "amount": format_score(others[most])}
        lesson.say("moved", count=len(others), **facts)
    else:
        reads = network_tagger(TAGGER.value).encoder.lstm is not None
        lesson.say("hardly-moved" if reads else "nothing-moved", **facts)


def _box(lesson: Lesson, shown: Network, k: int, t: int) -> None:
    """The numbers in one box."""
    layer, token = shown.layers[k], shown.tokens[t]
    tagger = network_tagger(TAGGER.value)
    numbers = layer.values[t].tolist()
    if layer.name in ("word", "affixes"):
        rows = [
            [what, text, str(number) if number != UNKNOWN else "unknown"]
            for what, text, number in networks.indices(tagger, token)
        ]
        st.html(tables.text_table(["looked up", "as", "number"], rows, f"What is seen of {token}"))
    low, high = format_score(min(numbers)), format_score(max(numbers))
    facts = {"shape": layer.shape, "size": len(numbers), "low": low, "high": high}
    lesson.say("box", layer=NAMES.get(layer.name, layer.name), token=token, **facts)
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

    def say(paragraph: str, of: dict[str, Any], holes: dict[str, str], **facts: Any) -> None:
        shares = {hole: of[name] for hole, name in holes.items()}
        texts = {h: "none" if x is None else theme.percent(x) for h, x in shares.items()}
        lesson.say(paragraph, **facts, **texts)

    alone = chooses_alone()
    words = {"accuracy": "accuracy", "sentences": "sentence_accuracy"}
    names = {"f1": "span_f1", "precision": "span_precision", "recall": "span_recall"}
    if "span_f1" in metrics:
        facts = {"tokens": metrics["tokens"], "invalid": metrics["invalid_tags"]}
        say("figures-names", metrics, names, **facts)
        if not alone:
            greedy = metrics["spans"]["greedy"]
            invalid = greedy["invalid_tags"]
            say("figures-names-greedy", greedy, {"greedy": "span_f1"}, greedy_invalid=invalid)
    else:
        unknown = {"unknown": "unknown_word_accuracy"}
        say("figures", metrics, words | unknown, tokens=metrics["tokens"])
        if not alone:
            say("figures-greedy", metrics["decoders"]["greedy"], words)
    if twin := metrics.get("softmax"):
        holes = {"softmax": "accuracy", "softmax_sentences": "sentence_accuracy"}
        say("twin", twin, holes | {"softmax_unknown": "unknown_word_accuracy"})
    lesson.say("trained-alone" if alone else "trained")
    if epochs := runs.logged(runs.history(metrics)):
        figure = runs.curves(epochs, epochs[-1].epoch)
        runs.chart(figure, "curves", lesson.text.line("charts.curves"))


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
    tagger, words = network_tagger(TAGGER.value), tokens()[:MOST_TOKENS]

    def answers() -> tuple[Any, Any]:
        shown = _network(TAGGER.value, words)
        read = shown.layer("joined") or shown.layers[0]
        with torch.no_grad():
            out = textbook.network(read.values, tagger.encoder.lstm, tagger.projection)
        return out, shown.layers[-1].values

    lesson.code("network", answers=answers if words else None)


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
