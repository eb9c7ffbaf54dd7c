"""What the worked examples claim, against the shipped taggers."""

import math
from dataclasses import astuple
from functools import cache
from pathlib import Path

import pytest

from crf import engines
from crf.schemes import faults, spans
from crf.tagger import Tagger, TaggingDataset, tokenise
from crf.tagger.bundled import sample
from pages.shared.contents import FIRST_SENTENCE, PAGES
from pages.shared.figures.analysis import FREE, analyse
from pages.shared.figures.text import LessonText
from pages.shared.ui import taggers
from pages.shared.ui.taggers import MAX_CHARACTERS, MAX_TOKENS, TAGGER
from pages.tag import picture
from pages.tag.examples import BY_NAME, BY_SENTENCE, EXAMPLES

SHIPPED = Path(__file__).resolve().parents[3] / "crf" / "tagger" / "shipped"


@cache
def tagger(name):
    return Tagger.load(SHIPPED / name)


def record(name, by=None, **by_hand):
    """The example's record; by_hand: word=tag."""
    example = BY_NAME[name]
    tokens = tuple(tokenise(example.sentence))
    model = tagger(by or example.tagger)
    fixed = [model.tags.index(by_hand[w]) if w in by_hand else FREE for w in tokens]
    return analyse(model, tokens, tuple(fixed))


def tags_of(word, analysis, path):
    return [tag for token, tag in zip(analysis.tokens, path.tags, strict=True) if token == word]


@pytest.mark.parametrize("example", BY_NAME.values(), ids=lambda example: example.name)
def test_every_example_can_be_shown(example):
    assert example.tagger in taggers.shipped_entries()
    assert len(example.sentence) <= MAX_CHARACTERS
    assert 1 <= len(tokenise(example.sentence)) <= MAX_TOKENS
    assert BY_SENTENCE[example.sentence] is example
    for by, paragraph in example.notes.items():
        assert by in taggers.shipped_entries()
        assert LessonText.load(PAGES / "tag" / "text.md")[paragraph].holes == frozenset()


def test_the_page_opens_on_a_sentence_that_three_decoders_tag_differently():
    """What `example-kindly-guide` in text.md says, and what the page is opened for."""
    assert EXAMPLES[0].sentence == FIRST_SENTENCE
    assert EXAMPLES[0].tagger == TAGGER.default == next(iter(taggers.shipped_entries()))
    it = record(EXAMPLES[0].name)
    greedy, viterbi, posterior = (path.tags for path in (it.greedy, it.viterbi, it.posterior))
    assert len({greedy, viterbi, posterior}) == 3
    assert greedy == ("DET", "ADV", "VERB", "PRON", "NOUN", "PUNCT")
    assert viterbi == ("DET", "ADJ", "NOUN", "PRON", "NOUN", "PUNCT")
    assert posterior == ("DET", "ADJ", "VERB", "PRON", "NOUN", "PUNCT")
    noun, verb = (it.marginals[2][it.tags.index(tag)] for tag in ("NOUN", "VERB"))
    assert 0.4 < noun < verb < 0.6


@pytest.mark.parametrize(
    ("by", "task", "suffix"), [("bilstm", "pos", "conllu"), ("ner", "names", "iob2")]
)
def test_the_treebanks_tags_stand_under_its_own_sentences(by, task, suffix):
    first = TaggingDataset.read(sample(f"dev.{suffix}"))[0]
    shown = picture.readings(analyse(tagger(by), first.words, (FREE,) * len(first.words)))
    assert shown["lines"][-1]["tags"] == first.tags
    assert picture.gold(("no", "such"), task) == ()


@pytest.mark.parametrize("by", ["bilstm", "local"])
def test_garden_path(by):
    taken_in = record("garden-path", by)
    assert tags_of("man", taken_in, taken_in.viterbi) == ["NOUN"]
    half = record("garden-path", by, man="VERB")
    assert half.viterbi.tags[1:3] == ("ADJ", "VERB")  # the reading meant needs a second tag set
    meant = record("garden-path", by, man="VERB", old="NOUN")
    assert meant.viterbi.tags == ("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT")
    assert math.exp(meant.log_share) < math.exp(half.log_share) < 0.05


def test_one_word_two_tags():
    it = record("one-word-two-tags")
    first, second = (t for t, token in enumerate(it.tokens) if token == "book")
    assert it.emissions[first] == pytest.approx(it.emissions[second], abs=1e-5)
    assert len(set(tags_of("book", it, it.greedy))) == 1
    assert tags_of("book", it, it.viterbi) == ["VERB", "NOUN"]


def test_a_new_verb():
    it = record("a-new-verb")
    assert tags_of("google", it, it.greedy) == ["PROPN"]
    assert tags_of("google", it, it.viterbi) == ["VERB"]


def test_they_can_fish():
    it = record("they-can-fish")
    assert all(tags_of("can", it, path) == ["AUX"] for path in it.best)  # no fish in cans
    canned = record("they-can-fish", can="VERB", fish="NOUN")
    assert canned.viterbi.tags == ("PRON", "VERB", "NOUN", "PUNCT")
    assert math.exp(canned.log_share) < 1e-4


def test_right_the_wrong():
    local, bilstm = record("right-the-wrong", "local"), record("right-the-wrong", "bilstm")
    assert tags_of("right", local, local.greedy) == ["ADJ"]
    assert tags_of("right", local, local.viterbi) == ["ADV"]
    assert tags_of("right", bilstm, bilstm.viterbi) == ["VERB"]


def test_that_that():
    it = record("that-that")
    assert tags_of("that", it, it.viterbi) == ["SCONJ", "PRON", "PRON"]
    assert tags_of("that", it, it.greedy) == ["SCONJ", "PRON", "PRON"]


def test_refuse_permit():
    it = record("refuse-permit")
    assert tags_of("to", it, it.posterior)[0] == "PART"
    assert tags_of("to", it, it.viterbi)[0] == "ADP"
    assert it.posterior.log_prob < it.viterbi.log_prob


def test_jabberwocky():
    it = record("jabberwocky")
    assert sum(it.unknown) >= 5
    assert tags_of("toves", it, it.viterbi) == ["NOUN"]
    assert tags_of("gimble", it, it.viterbi) == ["VERB"]
    assert tags_of("gyre", it, it.viterbi) == ["NOUN"]
    assert tags_of("gyre", it, it.posterior) == ["VERB"]
    assert math.exp(it.viterbi.log_prob) < 0.5


@pytest.mark.parametrize("name", ["kindly-guide", "person-or-place"])
def test_the_kernels_say_the_same_as_the_plain_code(name, monkeypatch):
    """Which of the two answers depends on whether the kernels were built."""
    held = {"horse": "VERB"} if name == "kindly-guide" else {}
    said = {}
    for engine in (None, engines.KERNELS):
        monkeypatch.setattr(engines, "KERNELS", engine)
        said[engine is None] = astuple(record(name, **held))
    same(said[False], said[True])


def same(one, other):
    """Two nested records: what is a number to the tenth digit, all else exactly."""
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-10, abs=1e-10)
    else:
        assert one == other


def test_contractions():
    tokens = tokenise(BY_NAME["contractions"].sentence)
    assert " ".join(tokens) == "Do n't you think that 's what we 're gon na need ?"


class TestNames:
    def test_greedy_goes_on_with_names_that_nothing_has_begun(self):
        it = record("a-paper-and-a-person")
        assert faults(it.greedy.tags, "BIO")
        assert [span[0] for span in spans(it.viterbi.tags)] == ["ORG", "PER"]
        assert not faults(it.viterbi.tags, "BIO")

    def test_held_as_a_person_the_name_follows(self):
        it = record("person-or-place")
        assert it.viterbi.tags[:2] == ("B-LOC", "I-LOC")
        model = tagger("ner")
        tokens = it.tokens
        held = [FREE] * len(tokens)
        held[0] = model.tags.index("B-PER")
        by_hand = analyse(model, tokens, tuple(held))
        assert by_hand.viterbi.tags[:2] == ("B-PER", "I-PER")
        assert by_hand.viterbi.tags[2:] == it.viterbi.tags[2:]

    @pytest.mark.skipif("ner-softmax" not in taggers.shipped_entries(), reason="is not shipped")
    def test_the_softmax_goes_on_with_another_kind(self):
        assert tags_of("University", *both("ner")) == ["B-ORG"]
        assert tags_of("of", *both("ner")) == ["O"]
        found = both("ner-softmax")[1].tags
        assert found[1:3] == ("B-ORG", "I-LOC")
        b, i = (tagger("ner").tags.index(tag) for tag in ("B-ORG", "I-LOC"))
        assert record("a-city-in-a-name").transitions[b][i] == -math.inf

    def test_the_names_of_the_best_sequence_are_drawn(self):
        it = record("a-paper-and-a-person")
        drawn = [(one["kind"], one["from"], one["to"]) for one in picture.readings(it)["spans"]]
        assert drawn == [tuple(span) for span in spans(it.viterbi.tags)]


def both(name):
    it = record("a-city-in-a-name", name)
    return it, it.viterbi
