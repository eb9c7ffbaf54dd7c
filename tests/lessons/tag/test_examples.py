"""What the worked examples claim, against the shipped taggers."""

import math
from functools import cache
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("name", "by", "word", "path", "tags"),
    [
        ("one-word-two-tags", "", "book", "viterbi", "VERB NOUN"),
        ("a-new-verb", "", "google", "greedy", "PROPN"),
        ("a-new-verb", "", "google", "viterbi", "VERB"),
        ("right-the-wrong", "local", "right", "greedy", "ADJ"),
        ("right-the-wrong", "local", "right", "viterbi", "ADV"),
        ("right-the-wrong", "bilstm", "right", "viterbi", "VERB"),
        ("that-that", "", "that", "greedy", "SCONJ PRON PRON"),
        ("that-that", "", "that", "viterbi", "SCONJ PRON PRON"),
        ("refuse-permit", "", "to", "posterior", "PART PART"),
        ("refuse-permit", "", "to", "viterbi", "ADP PART"),
        ("jabberwocky", "", "toves", "viterbi", "NOUN"),
        ("jabberwocky", "", "gimble", "viterbi", "VERB"),
        ("jabberwocky", "", "gyre", "viterbi", "NOUN"),
        ("jabberwocky", "", "gyre", "posterior", "VERB"),
        ("a-city-in-a-name", "ner", "University", "viterbi", "B-ORG"),
        ("a-city-in-a-name", "ner", "of", "viterbi", "O"),
        ("a-city-in-a-name", "ner-softmax", "University", "viterbi", "B-ORG"),
        ("a-city-in-a-name", "ner-softmax", "of", "viterbi", "I-LOC"),
    ],
)
def test_a_word_s_tags_are_those_that_the_note_speaks_of(name, by, word, path, tags):
    it = record(name, by)
    assert tags_of(word, it, getattr(it, path)) == tags.split()


def test_what_else_the_notes_say():
    book, jabber, refuse = map(record, ("one-word-two-tags", "jabberwocky", "refuse-permit"))
    first, second = (t for t, token in enumerate(book.tokens) if token == "book")
    assert book.emissions[first] == pytest.approx(book.emissions[second], abs=1e-5)
    assert len(set(tags_of("book", book, book.greedy))) == 1
    assert sum(jabber.unknown) >= 5
    assert math.exp(jabber.viterbi.log_prob) < 0.5
    assert refuse.posterior.log_prob < refuse.viterbi.log_prob
    can = record("they-can-fish")
    assert all(tags_of("can", can, path) == ["AUX"] for path in can.best)  # no fish in cans
    canned = record("they-can-fish", can="VERB", fish="NOUN")
    assert canned.viterbi.tags == ("PRON", "VERB", "NOUN", "PUNCT")
    assert math.exp(canned.log_share) < 1e-4
    tokens = tokenise(BY_NAME["contractions"].sentence)
    assert " ".join(tokens) == "Do n't you think that 's what we 're gon na need ?"
    b, i = (tagger("ner").tags.index(tag) for tag in ("B-ORG", "I-LOC"))
    assert record("a-city-in-a-name").transitions[b][i] == -math.inf


def test_greedy_goes_on_with_names_that_nothing_has_begun():
    it = record("a-paper-and-a-person")
    assert faults(it.greedy.tags, "BIO")
    names = spans(it.viterbi.tags)
    assert [span[0] for span in names] == ["ORG", "PER"]
    assert not faults(it.viterbi.tags, "BIO")
    drawn = [(one["kind"], one["from"], one["to"]) for one in picture.readings(it)["spans"]]
    assert drawn == [tuple(span) for span in names]


def test_held_as_a_person_the_name_follows():
    it = record("person-or-place")
    assert it.viterbi.tags[:2] == ("B-LOC", "I-LOC")
    held = [FREE] * len(it.tokens)
    held[0] = it.tags.index("B-PER")
    by_hand = analyse(tagger("ner"), it.tokens, tuple(held))
    assert by_hand.viterbi.tags[:2] == ("B-PER", "I-PER")
    assert by_hand.viterbi.tags[2:] == it.viterbi.tags[2:]
