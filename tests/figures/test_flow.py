"""Flow: the payload holds the core's numbers, columns are equally high, what flows in flows out."""

import math
from collections import defaultdict

import pytest

from crf.figures.flow.payload import OTHER, THRESHOLD, flow, of_chain, of_path
from pages.shared.course.examples import EXAMPLES

OLD_MAN = EXAMPLES["old-man"].problem


def drawn(name, **how):
    problem = EXAMPLES[name].problem
    return of_chain(problem.chain(), problem.tags, problem.tokens, **how)


def blocks(payload):
    return [{block.tag: block.p for block in column["blocks"]} for column in payload["columns"]]


@pytest.mark.parametrize("name", ["can-fish", "ice-cream", "bio", "one-token"])
def test_every_column_is_equally_high_and_what_flows_in_flows_out(name):
    payload = drawn(name)
    columns = blocks(payload)
    for column in columns:
        assert math.fsum(column.values()) == pytest.approx(1, abs=1e-12)
    for t, row in enumerate(payload["ribbons"]):
        out, into = defaultdict(float), defaultdict(float)
        for ribbon in row:
            out[ribbon.left] += ribbon.p
            into[ribbon.to] += ribbon.p
        assert out == pytest.approx(columns[t], abs=1e-12)
        assert into == pytest.approx(columns[t + 1], abs=1e-12)


def test_blocks_and_ribbons_are_the_cores_numbers():
    chain, tags = OLD_MAN.chain(), OLD_MAN.tags
    payload = drawn("old-man")
    for t, column in enumerate(payload["columns"]):
        assert column["path"] == ("DET", "NOUN", "VERB", "DET", "NOUN")[t]
        for block in column["blocks"]:
            if block.tag != OTHER:
                s = tags.index(block.tag)
                assert block.p == chain.marginals[0, t, s].item() >= THRESHOLD
    adj, verb = tags.index("ADJ"), tags.index("VERB")
    kept = [r.p for r in payload["ribbons"][1] if (r.left, r.to) == ("ADJ", "VERB")]
    assert kept == [chain.pair_marginals[0, 1, adj, verb].item()]


def test_a_tag_keeps_its_place_and_what_is_rare_is_gathered_last():
    order = [*OLD_MAN.tags, OTHER]
    for man in (-4.0, 0.0, 4.0):
        problem = OLD_MAN.with_score("emissions", (2, 3), man)
        payload = of_chain(problem.chain(), problem.tags, problem.tokens)
        for column in payload["columns"]:
            places = [order.index(block.tag) for block in column["blocks"]]
            assert places == sorted(places)
            rare = [p for _, p, *_ in column["choices"] if p < THRESHOLD]
            gathered = {b.tag: b.p for b in column["blocks"]}.get(OTHER, 0.0)
            assert gathered == pytest.approx(math.fsum(rare), abs=1e-15)
    verb = OLD_MAN.tags.index("VERB")  # what is outlined or held has a block however rare
    payload = drawn("old-man", path=[verb] * 5, held={0: verb})
    assert all("VERB" in column for column in blocks(payload))
    assert payload["columns"][0]["held"] == "VERB"


def test_a_given_path_is_one_ribbon():
    payload = of_path([0, 2, 3], OLD_MAN.tags, ["the", "old", "man"])
    assert blocks(payload) == [{"DET": 1.0}, {"NOUN": 1.0}, {"VERB": 1.0}]
    ribbons = [tuple(ribbon[:3]) for row in payload["ribbons"] for ribbon in row]
    assert ribbons == [("DET", "NOUN", 1.0), ("NOUN", "VERB", 1.0)]
    assert flow([], [], ["A"], [])["columns"] == []


def test_cut_ribbons_stand_apart_and_nothing_is_lost():
    payload = drawn("old-man", cut={(1, 1, 3)}, cut_blocks={(1, 1)})
    assert {(r.left, r.to) for r in payload["ribbons"][1] if r.cut} == {("ADJ", "VERB")}
    assert [b.tag for b in payload["columns"][1]["blocks"] if b.cut] == ["ADJ"]
    assert math.fsum(r.p for r in payload["ribbons"][1]) == pytest.approx(1, abs=1e-12)
    nothing = drawn("no-path")
    assert not any(blocks(nothing))
    assert all(column["path"] is None for column in nothing["columns"])
