"""The lesson "From words to scores": its layers are the tagger's own, its figures the card's."""

import math
import re

import pytest
import torch

from crf.tagger import Tagger, tokenise
from crf.tagger.bundled import shipped
from pages.words import judging, runs, sections
from pages.words import network as networks
from tests.apps import html_of, opened, unfolded

WORDS = ("We", "need", "to", "google", "the", "new", "iPhone", ".")
FOLDS = ("well", "mistakes", "transitions", "calibration", "reading")


@pytest.fixture(scope="module", params=["bilstm", "local"])
def tagger(request) -> Tagger:
    torch.set_num_threads(1)
    return Tagger.load(shipped(request.param))


class TestNetwork:
    def test_the_slabs_side_by_side_are_what_the_network_reads(self, tagger):
        found = networks.run(tagger, WORDS)
        slabs = [found.layer(name) for name in ("word", "affixes", "characters")]
        sizes = [slab.values.shape for slab in slabs if slab]
        assert all(shape[0] == len(WORDS) for shape in sizes)
        assert sum(shape[1] for shape in sizes) == tagger.sizes.token_dim
        states = found.layer("lstm")
        read = states.values if states else torch.cat([s.values for s in slabs if s], dim=1)
        emissions = found.layer("emissions").values
        assert torch.allclose(tagger.projection(read), emissions, atol=1e-5)
        assert torch.allclose(
            emissions, tagger.chain([list(WORDS)]).potentials.emissions.float()[0]
        )

    def test_a_changed_word_moves_others_through_the_lstm_only(self, tagger):
        found = networks.moved(tagger, WORDS, 2, "eat")
        others = [x for t, x in enumerate(found) if t != 2]
        assert found[2] > 0.1
        assert (max(others) > 0.1) == (tagger.encoder.lstm is not None)

    def test_an_unknown_word_is_marked_and_looked_up_as_unknown(self, tagger):
        found = networks.run(tagger, ("The", "blorptastic", "cat"))
        assert found.unknown == (False, True, False)
        assert networks.indices(tagger, "blorptastic")[0][2] == 1

    def test_a_strip_shows_the_largest_of_each_bin_with_its_sign(self):
        values = torch.tensor([[1.0, -4.0, 2.0, 0.5], [0.0, 0.0, 0.0, 1.0]])
        assert networks.pooled(values, 2) == [[-1.0, 0.5], [0.0, 0.25]]

    def test_arcs_are_of_other_words_and_the_longest_is_the_largest(self, tagger):
        drawn = networks.payload(
            networks.run(tagger, WORDS), tagger.tags, None, [0.1, 2.0, 9.0, 4.0, 0, 0, 0, 0], 2
        )
        assert {arc["to"]: arc["size"] for arc in drawn["arcs"]} == {0: 0.025, 1: 0.5, 3: 1.0}


class TestRuns:
    def test_calibration_by_hand(self):
        bins = judging.calibration([0.92, 0.98, 0.55, 0.51], [True, False, True, True])
        assert bins["right"].to_dict() == {5: 1.0, 9: 0.5}
        assert bins["words"].tolist() == [2, 2]
        assert judging.expected_error(bins) == pytest.approx((2 * 0.47 + 2 * 0.45) / 4)
        assert judging.expected_error(judging.calibration([], [])) == 0.0

    def test_confusions_by_hand(self):
        table = runs.confusions({"confusion": [[5, 1], [2, 7]]}, ["A", "B"])
        assert table.loc["B", "A"] == 2
        assert judging.mistaken(table).data[0].z.tolist() == [[0, 1], [2, 0]]

    def test_the_most_disliked_come_first_and_the_forbidden_not_at_all(self):
        header, rows = judging.disliked([[0.5, -3.0], [-1.0, 2.0]], ["A", "B"], {("A", "B"): 4})
        assert rows[:2] == [["A → B", "−3.00", "4"], ["B → A", "−1.00", "0"]]
        assert len(header) == 3
        header, rows = judging.disliked([[0.5, -math.inf], [-1.0, 2.0]], ["A", "B"], None)
        assert [row[0] for row in rows] == ["B → A", "A → A", "B → B"]
        assert len(header) == len(rows[0]) == 2


def test_the_page_opens_on_an_unknown_word_of_which_the_tagger_is_right_and_unsure(tagger):
    words = tokenise(sections.SENTENCE.default)
    assert networks.run(tagger, words).unknown == (False, False, True, False, False)
    chain = tagger.chain([words])
    tags = [tagger.tags[s] for s in chain.viterbi().tags[0]]
    assert tags == ["PRON", "VERB", "NOUN", "NOUN", "PUNCT"]
    assert 0.5 < chain.marginals[0, sections.WORD.default - 1].max() < 0.85


def test_the_mistakes_of_a_sentence_stand_together():
    one = judging.Measured(("a", "<b>", "c", "d"), ("X", "X", "Y", "X"), ("X", "Y", "X", "Y"),
                            (1.0, 0.5, 0.9998977, 0.25))  # fmt: skip
    assert judging.wrong(one) == [1, 2, 3]
    assert judging.wrong(one, ("X", "Y")) == [1, 3]
    told = judging._sentence(one, [1, 2])
    assert "a <b>&lt;b&gt;</b> <b>c</b> d" in told
    assert "&lt;b&gt;: right X, tagged Y (p = 0.500); c: right Y, tagged X (p = 0.9999)" in told


@pytest.mark.parametrize("name", ["local", "ner"])
def test_the_mistakes_are_those_of_the_shortest_sentences(name: str):
    app = unfolded("tagger", "mistakes", tagger=name)
    shown = re.findall(r'<p class="crf-note">(.*?)<br>', html_of(app))
    lengths = [len(sentence.split()) for sentence in shown]
    assert len(shown) == judging.SHOWN
    assert lengths == sorted(lengths)
    assert judging.FEWEST_WORDS <= lengths[0]
    assert lengths[-1] < 20


def test_of_two_words_the_second_may_be_replaced():
    app = opened("tagger", sentence="Run away", other="paint", tagger="bilstm")
    field = next(field for field in app.number_input if field.label == "Which word")
    assert (field.value, field.max) == (2, 2)


def test_the_names_of_other_implementations():
    names = unfolded("tagger", *FOLDS).dataframe[0].value
    assert "LinearChain.score" in list(names["here"])
    assert "theirs starts at <ROOT>" in list(names["note"])


def test_what_replaced_a_word_does_not_replace_one_of_the_next_sentence():
    app = opened("tagger", other="paint")
    assert "now show" in html_of(app)
    app.text_input(key="tagger.sentence").set_value("They fish.").run()
    assert "now show" not in html_of(app)
    assert "other" not in app.query_params
