"""The page's sentences: the record's numbers, and nothing that a token could smuggle in."""

import re

import pytest

from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, analyse
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


@pytest.mark.parametrize("figures", [None, {}, {"decoders": {"greedy": 1}}, {"decoders": None}])
def test_tagger_note_without_metrics(figures):
    assert "BiLSTM" in facts.tagger_note("bilstm", figures)
    assert facts.tagger_note("0123abc", figures) == ""
