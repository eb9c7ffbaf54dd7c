"""The page's sentences, with the record's numbers and nothing of a token; tags set by hand."""

import re
from dataclasses import replace

import pytest
import torch

from crf import LinearChain
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, analyse, holdable
from pages.shared.figures.path_score import in_figures
from pages.shared.figures.text import Case, LessonText, case
from pages.tag import facts, picture
from pages.tag.by_hand import ByHand
from tests.oracles.garden_path import TAGS, TOKENS, GardenPath

NOTHING = (FREE,) * len(TOKENS)
NO_ENDS = {"start": [0.0] * len(TAGS), "end": [0.0] * len(TAGS)}


def say(told):
    """Cases in words, without markup."""
    return re.sub("<[^>]*>", "", LessonText.of("tag").sentence(told))


def names(told):
    """The names of the cases that hold."""
    return [one.name for one in ([told] if isinstance(told, Case) else told)]


@pytest.fixture(scope="module")
def record():
    return analyse(GardenPath(), TOKENS, NOTHING)


def test_equation(record):
    html = in_figures(LessonText.of("tag"), facts.equation(record))
    p = theme.log_probability(record.viterbi.log_prob)
    assert p in html
    assert theme.count(record.num_sequences) in html
    score, log_z = (float(x) for x in re.findall(r"(?:exp\(|− )</i>([\d.]+)", html))
    assert score == pytest.approx(record.viterbi.score, abs=0.005)
    assert log_z == pytest.approx(record.log_partition, abs=0.005)
    assert theme.log_probability(score - log_z) == p  # the sum as printed comes out


@pytest.mark.parametrize(
    ("changed", "case"),
    [
        ({}, "number.transitions-ends"),
        (NO_ENDS, "number.transitions"),
        (NO_ENDS | {"end": [0.5, 0, 0, 0]}, "number.transitions-ends"),
        (NO_ENDS | {"tokens": TOKENS[:1]}, "number.emission"),
        (NO_ENDS | {"transitions": [[0.0] * len(TAGS)] * len(TAGS)}, "number.emissions"),
    ],
)
def test_the_score_is_the_sum_of_all_that_is_in_it_and_no_more(record, changed, case):
    assert names(facts.equation(replace(record, **changed))[1].told) == [case]


def test_what_is_as_probable_or_as_uncertain_is_not_said_to_differ(record):
    for short, less in ((0.0, "tie"), (1e-4, "hardly")):
        greedy = replace(record.greedy, log_prob=record.viterbi.log_prob - short)
        told = facts.decoders(replace(record, greedy=greedy))
        assert names(told[0].facts["less"]) == [f"less.{less}"]
    for apart, told in ((0.0, "same"), (1e-5, "same"), (0.2, "more")):
        now = replace(record, entropy=sum(record.entropies) - apart)
        assert names(facts.uncertainty(now)) == ["uncertainty.least", f"uncertainty.{told}"]
    first = {"marginals": record.marginals[1:2], "entropies": record.entropies[1:2]}
    one = facts.uncertainty(replace(record, tokens=TOKENS[1:2], **first))
    assert names(one) == ["uncertainty.one"]  # it has no neighbours


def test_both_probabilities_of_a_held_sequence_are_named():
    clamped = analyse(GardenPath(), TOKENS, (FREE, TAGS.index("ADJ"), FREE, FREE, FREE))
    given = theme.log_probability(clamped.viterbi.log_prob_given)
    assert facts.equation(clamped)[0].told == case("number.p-given", p=given)
    assert given in picture.readings(clamped)["lines"][0]["text"]


def test_decoders_names_each_difference(record):
    told = facts.decoders(record)
    assert names(told) == ["agreement.greedy-differs", "agreement.posterior"]
    assert "‘old’" in say(told)
    assert "‘man’" in say(told)
    assert "‘boat’" not in say(told)
    assert told[0].facts["less"] == case("less.times", times="2.7")  # exp(19.0 − 18.0)


def test_held_names_what_was_chosen_and_what_moved():
    fixed = (FREE, TAGS.index("ADJ"), FREE, FREE, FREE)
    clamped = analyse(GardenPath(), TOKENS, fixed)
    told = facts.held(clamped)
    assert "‘old’ at ADJ" in say(told["chosen"].items)
    assert told["share"] == theme.log_probability(clamped.log_share)
    assert "‘man’" in say(told["moved"])
    assert "‘old’" not in say(told["moved"])


def test_the_picture_holds_the_records_numbers(record):
    payload = picture.readings(record)
    paths = (record.viterbi, record.greedy, record.posterior)
    assert [line["tags"] for line in payload["lines"]] == [path.tags for path in paths]
    old = {block.tag: block.p for block in payload["columns"][1]["blocks"]}
    assert old["NOUN"] == record.marginals[1][TAGS.index("NOUN")]
    assert [column["unknown"] for column in payload["columns"]] == list(record.unknown)


def test_hostile_tokens_are_inert_and_long_ones_cut():
    text = LessonText.of("tag")
    long = analyse(GardenPath(), ("x" * 500,) * 5, NOTHING)
    hostile = analyse(GardenPath(), ("<b onclick=x>",) * len(TOKENS), (0, 1, 2, 3, FREE))
    for told in (facts.decoders, facts.uncertainty):
        assert "x" * 30 not in say(told(long))
        assert "<b onclick" not in text.sentence(told(hostile))
    assert "<b onclick" not in text.html("held", **facts.held(hostile))


def test_best_paths_says_where_they_differ(record):
    told = facts.best_paths(record)
    assert names(told) == ["ranks.second", "ranks.third", "ranks.some"]
    assert "‘man’ (NOUN for VERB)" in say(told)
    share = sum(theme.exp(path.log_prob) for path in record.best)
    assert told[-1].facts["share"] == theme.probability(share)


def test_tagger_note_quotes_the_metrics():
    shares = {
        "greedy": (0.9024, 0.431),
        "viterbi": (0.9381, 0.602),
        "posterior_decode": (0.94, 0.597),
    }
    keys = ("accuracy", "sentence_accuracy")
    decoders = {name: dict(zip(keys, found, strict=True)) for name, found in shares.items()}
    html = say(facts.tagger_note("local", {"decoders": decoders}))
    for number in ("90.2 %", "43.1 %", "93.8 %", "60.2 %", "94.0 %", "59.7 %"):
        assert number in html


def test_the_note_on_a_tagger_of_names_quotes_the_metrics():
    for broken, rule in ((0, "unbroken"), (1234, "broken")):
        spans = {"span_precision": 0.7251, "span_recall": 0.7153, "invalid_tags": broken}
        told = facts.tagger_note("ner", {"spans": {"viterbi": spans}})
        assert names(told) == ["sees.ner", "sees.names-found", f"sees.{rule}"]
        assert told[1].facts == {"recall": "71.5 %", "precision": "72.5 %"}
        assert ("1,234 words" in say(told)) == bool(broken)
    for figures in (None, {}, {"decoders": {"greedy": 1}}, {"decoders": None}):
        assert names(facts.tagger_note("bilstm", figures)) == ["sees.bilstm"]
        assert names(facts.tagger_note("ner", figures)) == ["sees.ner"]
        assert facts.tagger_note("0123abc", figures) == []


class Bio(GardenPath):
    """A BIO tagger whose best emissions go on with a name that nothing has begun."""

    tags = ("O", "B", "I")

    def chain(self, sentences, backend="auto"):
        never = float("-inf")
        transitions = [[0.0, 0.0, never], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        scores = (
            [[0.0, 0.5, 1.0]] * len(sentences[0]),
            transitions,
            [0.0, 0.0, never],
            [0.0, never, 0.0],
        )
        emissions, *others = (torch.tensor(table, dtype=torch.float64) for table in scores)
        return LinearChain(emissions[None], *others, backend=backend)


class Chunks(GardenPath):
    """The example in which posterior decoding gives a forbidden sequence."""

    tags = EXAMPLES["bio"].problem.tags

    def chain(self, sentences, backend="auto"):
        return EXAMPLES["bio"].problem.chain()


O, B, I = range(3)  # noqa: E741
NAME = ("a", "b", "c")


def test_a_forbidden_sequence_is_impossible_and_not_so_many_times_less_probable():
    first, *_ = facts.decoders(analyse(Bio(), NAME, (FREE,) * 3))
    assert first.facts["less"] == case("less.impossible-at", score="start[I]")
    *_, differs, last = facts.decoders(analyse(Chunks(), ("x", "y"), (FREE, FREE)))
    assert differs.name == "agreement.posterior-differs"
    assert last.facts["less"] == case("less.impossible-at", score="T[O, I]")


def test_what_cannot_be_held_is_left_out_and_the_longest_held_stays():
    assert holdable(Bio(), NAME, (I, FREE, FREE), [0]) == (FREE, FREE, FREE)
    assert holdable(Bio(), NAME, (O, I, FREE), [0, 1]) == (O, FREE, FREE)
    assert holdable(Bio(), NAME, (O, I, FREE), [1, 0]) == (FREE, I, FREE)
    assert holdable(Bio(), NAME, (B, I, FREE), [0, 1]) == (B, I, FREE)


@pytest.mark.parametrize(
    ("fixed", "t", "tag", "why"),
    [
        ((FREE,) * 3, 0, I, "begin"),
        ((FREE,) * 3, 2, B, "end"),
        ((O, FREE, FREE), 1, I, "after"),
        ((FREE, I, FREE), 0, O, "before"),
    ],
)
def test_why_a_tag_cannot_be_held(fixed, t, tag, why):
    assert facts.impossible(analyse(Bio(), NAME, fixed), t, tag).name == f"cannot.{why}"


def test_where_all_tags_are_held_there_is_one_sequence_and_it_is_certain():
    whole = analyse(GardenPath(), TOKENS, tuple(map(TAGS.index, "DET ADJ NOUN DET NOUN".split())))
    assert names(facts.best_paths(whole)) == ["ranks.alone-held"]
    assert names(facts.uncertainty(whole)) == ["uncertainty.none"]
    assert names(facts.decoders(whole)) == ["agreement.all-held"]


def test_changes_names_the_word_that_moved_most(record):
    clamped = analyse(GardenPath(), TOKENS, (FREE, TAGS.index("ADJ"), FREE, FREE, FREE))
    moved = picture.moved(record, clamped)
    assert moved[1] == pytest.approx(1 - record.marginals[1][1]) == max(moved)
    assert "‘old’" in say(facts.changes(record, clamped))
    assert names(facts.changes(record, record)) == ["changes.same"]
    other = analyse(GardenPath(), ("a", "b", "c", "d", "e"), NOTHING)
    assert names(facts.changes(record, other)) == ["changes.sentences"]


def test_each_change_is_one_step_and_can_be_taken_back():
    hand = ByHand((("A",), ("a", "b")), (-1, -1))
    hand.undo()  # there is nothing yet
    assert hand.fixed == (-1, -1)
    hand.choose(1, 3)
    hand.choose(1, 3)  # the same again is no change
    hand.choose(0, 2)
    hand.clear()
    assert hand.fixed == (-1, -1)
    for before in ((2, 3), (-1, 3), (-1, -1)):
        hand.undo()
        assert hand.fixed == before


def test_the_same_tag_again_is_let_go_and_the_longest_held_comes_first():
    hand = ByHand((("A",), ("a", "b", "c")), (-1, 4, -1))  # from an address
    for tag in (3, 2, 2):
        hand.hold(2, tag)
    assert hand.fixed == (-1, 4, -1)
    hand.undo()
    assert hand.fixed == (-1, 4, 2)
    hand.choose(0, 1)
    assert hand.in_order() == [1, 2, 0]
    hand.choose(2, 3)
    assert hand.in_order() == [1, 0, 2]
