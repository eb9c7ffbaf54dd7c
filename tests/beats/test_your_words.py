"""The first beat where a tagger has read a sentence: the front page's numbers, in the trellis."""

import pytest

from pages.shared.ui.stage.view import state_of, view
from pages.tag.beats import BEATS as FRONT
from pages.trellis.beats import BEATS

BET = BEATS[0]
ARROW = {"sentence": "Time flies like an arrow .", "tagger": "local"}


@pytest.mark.parametrize("query", [ARROW, ARROW | {"tagger": "bilstm"}, ARROW | {"fix": "1.7"}])
def test_its_levels_are_the_heights_of_the_front_page_s_blocks(query):
    state = state_of(query)[0]
    drawn = view(BET, "trellis", state, beats=BEATS)
    front = view(FRONT[0], "tag", state)["flow"]["now"]
    now = drawn["picture"]["now"]
    for words, blocks in zip(now["marginals"], front["all"], strict=True):
        assert words == pytest.approx(blocks, abs=1e-8)
    assert now["path"] == front["path"]
    table = BET.prepare(state).problem.chain().pair_marginals[0]
    seen = {(t, i, j): p for t, i, j, p in now["ribbons"]}
    assert seen == pytest.approx({at: table[at].item() for at in seen})
    assert len(seen) == (table >= 0.005).sum() >= len(now["marginals"]) - 1
    assert (now["bet"], drawn["mode"], drawn["beats"][0]["label"]) == (None, "both", "your words")
    assert BET.shares(state) is None


@pytest.mark.parametrize("query", [{"ex": "old-man"}, {"t": "A~B", "w": "x~y"}])
def test_an_example_and_a_table_have_a_question(query):
    drawn = view(BET, "trellis", state_of(query, "trellis")[0], beats=BEATS)
    assert drawn["picture"]["now"]["bet"] is not None or query != {"ex": "old-man"}
    assert (drawn["mode"], drawn["beats"][0]["label"]) == ("path", "bet")
