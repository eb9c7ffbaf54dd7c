"""The page's sentences: the record's numbers, and nothing that a token could smuggle in."""

import re
from dataclasses import replace

import pytest
import torch

from crf import LinearChain
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, analyse, holdable
from pages.tag import facts, picture
from tests.oracles.garden_path import TAGS, TOKENS, GardenPath

NOTHING = (FREE,) * len(TOKENS)


def plain(html):
    return re.sub("<[^>]*>", "", html)


@pytest.fixture(scope="module")
def record():
    return analyse(GardenPath(), TOKENS, NOTHING)


def test_equation(record):
    html = facts.equation(record)
    p = theme.log_probability(record.viterbi.log_prob)
    assert p in html
    assert theme.count(record.num_sequences) in html
    score, log_z = (float(x) for x in re.findall(r"(?:exp\(|− )</i>([\d.]+)", html))
    assert score == pytest.approx(record.viterbi.score, abs=0.005)
    assert log_z == pytest.approx(record.log_partition, abs=0.005)
    assert theme.log_probability(score - log_z) == p  # the sum as printed comes out


class TestScore:
    """What the best path's score is said to be the sum of is all that is in it, and no more."""

    def test_is_of_emissions_and_transitions(self, record):
        assert not any((*record.start, *record.end))
        assert "its score: emissions, transitions, added up" in facts.equation(record)

    def test_start_and_end_are_named_where_they_are(self, record):
        ends = replace(record, end=[0.5, 0, 0, 0])
        told = "emissions, transitions, start and end scores, added up"
        assert told in facts.equation(ends)

    def test_one_word_has_no_transitions(self, record):
        one = replace(record, tokens=TOKENS[:1])
        assert "its score: emission<" in facts.equation(one)

    def test_a_tagger_without_transitions_adds_none(self, record):
        zero = replace(record, transitions=[[0.0] * len(TAGS)] * len(TAGS))
        assert "its score: emissions, added up" in facts.equation(zero)


def test_what_ties_with_the_best_is_not_less_probable(record):
    tied = replace(record.greedy, log_prob=record.viterbi.log_prob)
    assert "sequence is exactly as probable" in facts.decoders(replace(record, greedy=tied))
    close = replace(record.greedy, log_prob=record.viterbi.log_prob - 1e-4)
    assert "hardly less probable" in facts.decoders(replace(record, greedy=close))


def test_uncertainty_speaks_of_neighbours_only_where_there_are_some(record):
    first = {"marginals": record.marginals[1:2], "entropies": record.entropies[1:2]}
    one = plain(facts.uncertainty(replace(record, tokens=TOKENS[1:2], **first)))
    assert "neighbours" not in one
    assert "with an entropy of" in one
    assert "neighbours" in facts.uncertainty(record)


def test_where_all_tags_are_held_no_word_is_called_the_least_certain():
    told = facts.uncertainty(analyse(GardenPath(), TOKENS, (0, 2, 3, 0, 2)))
    assert "Least certain" not in told
    assert "No word is uncertain" in told


def test_decoders_names_each_difference(record):
    html = plain(facts.decoders(record))
    assert "‘old’" in html
    assert "‘man’" in html
    assert "‘boat’" not in html
    assert "2.7 times less probable" in html  # .646 / .238
    assert "Posterior agrees" in html


def test_held_names_what_was_chosen_and_what_moved():
    fixed = (FREE, TAGS.index("ADJ"), FREE, FREE, FREE)
    clamped = analyse(GardenPath(), TOKENS, fixed)
    told = facts.held(clamped)
    assert "‘old’ at ADJ" in plain(told["chosen"])
    assert told["share"] == theme.log_probability(clamped.log_share)
    assert "‘man’" in plain(told["moved"])
    assert "‘old’" not in plain(told["moved"])


def test_changes_names_the_word_that_moved_most(record):
    clamped = analyse(GardenPath(), TOKENS, (FREE, TAGS.index("ADJ"), FREE, FREE, FREE))
    moved = picture.moved(picture.Pinned("", record), clamped)
    assert moved[1] == pytest.approx(1 - record.marginals[1][1]) == max(moved)
    html = plain(facts.changes(record, clamped, moved))
    assert "‘old’" in html
    assert theme.probability(record.marginals[1][1]) in html or "NOUN" in html
    same = picture.moved(picture.Pinned("", record), record)
    assert "the same" in facts.changes(record, record, same)
    other = analyse(GardenPath(), ("a", "b", "c", "d", "e"), NOTHING)
    assert picture.moved(picture.Pinned("", record), other) == []
    assert "different sentences" in facts.changes(record, other, [])
    renamed = replace(record, tags=tuple(f"{tag}2" for tag in record.tags))
    assert picture.moved(picture.Pinned("", record), renamed) == []
    assert "different sets of tags" in facts.changes(record, renamed, [])


def test_the_picture_holds_the_records_numbers(record):
    payload = picture.readings(record)
    assert [line["tags"] for line in payload["lines"]] == [
        record.viterbi.tags,
        record.greedy.tags,
        record.posterior.tags,
    ]
    old = {block.tag: block.p for block in payload["columns"][1]["blocks"]}
    assert old["NOUN"] == record.marginals[1][TAGS.index("NOUN")]
    assert [column["unknown"] for column in payload["columns"]] == list(record.unknown)


@pytest.mark.parametrize(
    "sentence",
    [lambda a: "".join(facts.held(a).values()), facts.decoders, facts.uncertainty, facts.equation],
)
def test_hostile_tokens_are_inert(sentence):
    tokens = ("<b onclick=x>",) * len(TOKENS)
    clamped = analyse(GardenPath(), tokens, (0, 1, 2, 3, FREE))
    assert "<b onclick" not in sentence(clamped)


def test_best_paths_says_where_they_differ(record):
    html = plain(facts.best_paths(record))
    second, third = html.split("The third best")
    assert "‘man’ (NOUN for VERB)" in second + third
    share = sum(theme.exp(path.log_prob) for path in record.best)
    assert theme.probability(share) in third


def test_long_tokens_are_cut():
    assert "x" * 30 not in facts.uncertainty(analyse(GardenPath(), ("x" * 500,) * 5, NOTHING))


def test_tagger_note_quotes_the_metrics():
    figures = {
        "decoders": {
            "greedy": {"accuracy": 0.9024, "sentence_accuracy": 0.431},
            "viterbi": {"accuracy": 0.9381, "sentence_accuracy": 0.602},
            "posterior_decode": {"accuracy": 0.9399, "sentence_accuracy": 0.597},
        }
    }
    html = facts.tagger_note("local", figures)
    for number in ("90.2 %", "43.1 %", "93.8 %", "60.2 %", "94.0 %", "59.7 %"):
        assert number in html


@pytest.mark.parametrize(("broken", "told"), [(0, "Each I"), (1234, "At 1,234 words")])
def test_the_note_on_a_tagger_of_names_quotes_the_metrics(broken, told):
    spans = {"span_precision": 0.7251, "span_recall": 0.7153, "invalid_tags": broken}
    html = facts.tagger_note("ner", {"spans": {"viterbi": spans}})
    assert "finds 71.5 % of the names" in html
    assert "72.5 % of what it finds" in html
    assert told in html


@pytest.mark.parametrize("figures", [None, {}, {"decoders": {"greedy": 1}}, {"decoders": None}])
def test_tagger_note_without_metrics(figures):
    assert "BiLSTM" in facts.tagger_note("bilstm", figures)
    assert "BiLSTM" in facts.tagger_note("ner", figures)
    assert facts.tagger_note("0123abc", figures) == ""


class Bio(GardenPath):
    """A BIO tagger whose best emissions go on with a name that nothing has begun."""

    tags = ("O", "B", "I")

    def chain(self, sentences, backend="auto"):
        never = float("-inf")
        emissions = torch.tensor([[0.0, 0.5, 1.0]]).repeat(len(sentences[0]), 1)[None].double()
        transitions = torch.tensor([[0.0, 0.0, never], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        start, end = torch.tensor([0.0, 0.0, never]), torch.tensor([0.0, never, 0.0])
        return LinearChain(
            emissions, transitions.double(), start=start.double(), end=end.double(), backend=backend
        )


class Chunks(GardenPath):
    """The example in which posterior decoding gives a forbidden sequence."""

    tags = EXAMPLES["bio"].problem.tags

    def chain(self, sentences, backend="auto"):
        return EXAMPLES["bio"].problem.chain()


def test_posterior_decoding_s_forbidden_sequence_is_impossible_too():
    html = plain(facts.decoders(analyse(Chunks(), ("x", "y"), (FREE, FREE))))
    assert "Posterior differs at ‘x’" in html
    assert html.endswith("Its sequence is impossible (T[O, I] = −∞): probability 0.")


O, B, I = range(3)  # noqa: E741
NAME = ("a", "b", "c")


def test_a_forbidden_sequence_is_impossible_and_not_so_many_times_less_probable():
    html = plain(facts.decoders(analyse(Bio(), NAME, (FREE,) * 3)))
    assert "its sequence is impossible (start[I] = −∞): probability 0." in html
    assert "times" not in html


def test_what_cannot_be_held_is_left_out_and_the_longest_held_stays():
    assert holdable(Bio(), NAME, (I, FREE, FREE), [0]) == (FREE, FREE, FREE)
    assert holdable(Bio(), NAME, (O, I, FREE), [0, 1]) == (O, FREE, FREE)
    assert holdable(Bio(), NAME, (O, I, FREE), [1, 0]) == (FREE, I, FREE)
    assert holdable(Bio(), NAME, (B, I, FREE), [0, 1]) == (B, I, FREE)


@pytest.mark.parametrize(
    ("fixed", "t", "tag", "why"),
    [
        ((FREE,) * 3, 0, I, "‘a’ cannot be I: I may not begin a sentence"),
        ((FREE,) * 3, 2, B, "‘c’ cannot be B: B may not end a sentence"),
        ((O, FREE, FREE), 1, I, "‘b’ cannot be I: I may not follow O, which you hold at ‘a’"),
        ((FREE, I, FREE), 0, O, "‘a’ cannot be O: I, which you hold at ‘b’, may not follow O"),
    ],
)
def test_why_a_tag_cannot_be_held(fixed, t, tag, why):
    assert facts.impossible(analyse(Bio(), NAME, fixed), t, tag) == why


def test_both_probabilities_of_a_held_sequence_are_named():
    clamped = analyse(GardenPath(), TOKENS, (FREE, TAGS.index("ADJ"), FREE, FREE, FREE))
    html = facts.equation(clamped)
    given = theme.log_probability(clamped.viterbi.log_prob_given)
    assert f"with your tags, {given}" in html
    assert given in picture.readings(clamped)["lines"][0]["text"]


def test_of_a_single_sequence_no_others_are_told():
    whole = analyse(GardenPath(), TOKENS, tuple(map(TAGS.index, "DET ADJ NOUN DET NOUN".split())))
    assert facts.best_paths(whole) == "No other sequence has your tags."


def test_entropies_that_agree_are_said_to_agree(record):
    whole, parts = (round(h, 3) for h in (record.entropy, sum(record.entropies)))
    assert f"{theme.number(parts - whole, 3)} more" in facts.uncertainty(record)
    alone = replace(record, entropy=sum(record.entropies) + 1e-5)
    assert "the same to three digits: neighbours tell hardly anything" in facts.uncertainty(alone)


def test_who_agrees_only_because_of_a_held_tag_is_said_to():
    fixed = tuple(map(TAGS.index, ("DET", "ADJ", "NOUN", "DET", "NOUN")))
    assert "agree, given your tags" in facts.decoders(analyse(GardenPath(), TOKENS, fixed))
