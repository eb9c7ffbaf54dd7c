"""Tags that the neighbours change: the sentences of "surprise me", and words to swap in."""

import pytest

from pages.shared.course import surprises
from pages.shared.ui.stage.view import state_of, view
from pages.tag import flips
from pages.tag.beats import BEATS
from tests.lessons.tag.test_beats import plain

SURE = 0.55
ALSO_DOWN = "The leaves/NOUN fall in autumn ."  # rare: posterior and Viterbi differ, too


def read(sentence):
    state, fault = state_of({"sentence": sentence, "tagger": "local"})
    assert fault == "" or "never seen letters" in fault
    return state


def edges(state):
    """Marginals [L, S] of the words alone and together, by the library."""
    chain = state.problem.chain()
    return chain.potentials.emissions[0].softmax(-1), chain.marginals[0]


def test_there_are_forty_surprises_and_no_two_are_the_same():
    assert len(set(surprises.sentences())) == len(surprises.sentences()) == 40


@pytest.mark.parametrize("marked", surprises.marked())
def test_a_surprise_flips_to_the_marked_tag(marked):
    words = [word.partition("/") for word in marked.split()]
    state = read(" ".join(word for word, _, _ in words))
    tags, (alone, together) = state.problem.tags, edges(state)
    assert list(state.problem.tokens) == [word for word, _, _ in words]
    sure = 0.5 if marked == ALSO_DOWN else SURE
    for t, (_, _, tag) in enumerate(words):
        before, after = alone[t].max(-1), together[t].max(-1)
        assert (before.indices != after.indices) == bool(tag)
        if tag:
            assert tags[after.indices] == tag
            assert min(before.values, after.values) >= sure
    decoded, posterior = state.problem.chain().viterbi().tags[0], together.argmax(-1)
    assert (decoded != posterior).any() == (marked == ALSO_DOWN)


@pytest.mark.parametrize(
    "sentence",
    ["I saw her duck", "I saw her duck, really.", "We live in Berlin", "1984 was a good year"],
)
def test_swaps_flip_a_tag_and_leave_the_other_words_as_they_were(sentence):
    flow = view(BEATS[0], "tag", read(sentence))["flow"]
    assert not flow["flip"]
    assert len(flow["swaps"]) == 2
    for swap in flow["swaps"]:
        assert swap["own"]
        alone, together = edges(read(swap["sentence"]))
        changed = (alone.argmax(-1) != together.argmax(-1)).nonzero().flatten().tolist()
        assert changed
        (bold,) = (part["text"] for part in swap["say"] if isinstance(part, dict))
        words = read(swap["sentence"]).problem.tokens
        assert words[changed[0]] in bold.split()
        assert min(alone[changed[0]].max(), together[changed[0]].max()) >= SURE


def test_a_sentence_keeps_what_stands_between_its_words():
    state = read("Well,  I saw (her) duck!")
    word = state.problem.tokens.index("saw")
    assert flips.sentence(state, flips.Swap(word, ("book",), 1)) == "Well,  I book (her) duck!"


def test_where_nothing_can_be_swapped_in_tested_sentences_are_offered():
    flow = view(BEATS[0], "tag", read("… 12 %"))["flow"]
    assert [swap["own"] for swap in flow["swaps"]] == [False, False]
    assert plain(flow["swap"]) == "Try one where a tag changes:"


@pytest.mark.parametrize(
    "query",
    [
        {"ex": "old-man"},
        {"ex": "flight"},
        {"sentence": "Hello", "tagger": "local"},
        {"sentence": "I saw her duck", "tagger": "bilstm"},
        {"sentence": "I saw her duck", "tagger": "local", "fix": "1.15"},
    ],
)
def test_no_swap_is_offered_where_a_tag_flips_or_words_are_not_read_one_by_one(query):
    assert view(BEATS[0], "tag", *state_of(query))["flow"]["swaps"] == []


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Ich möchte ein Bier bestellen", "has not seen 5 of these 5 words"),
        ("asdfgh", "has not seen this word, so its tag is a guess"),
        ("🦆🦆 duck 🦆", "has not seen 3 of these 4 words"),
        ("colorless green ideas sleep furiously", ""),
    ],
)
def test_a_language_that_the_tagger_never_read_is_named(sentence, said):
    flow = view(BEATS[0], "tag", read(sentence))["flow"]
    detail = plain(flow["now"]["detail"])
    assert ("learnt from English" in detail) == bool(said)
    assert said in detail
    assert not said or not any(swap["own"] for swap in flow["swaps"])


@pytest.mark.parametrize("sentence", ["שלום עולם", "我喜欢学习语言"])
def test_it_is_named_once(sentence):
    shown = view(BEATS[0], "tag", *state_of({"sentence": sentence, "tagger": "local"}))
    said = shown["message"] + plain(shown["flow"]["now"]["detail"])
    assert said.count("learnt from English") == 1


def test_the_row_of_a_typed_sentence_is_the_upper_row_of_the_whole_grid():
    state = read("I book her duck")
    typed, whole = BEATS[0].typed(state), view(BEATS[0], "tag", state)["flow"]
    assert typed["tokens"] == whole["tokens"]
    assert typed["grid"]["taus"] == [1.0]
    for t, own in enumerate(typed["shown"]):
        for k, tag in enumerate(own):
            if tag in whole["shown"][t]:
                at = whole["shown"][t].index(tag)
                exact = whole["now"]["blocks"][t][at]
                if tag < len(state.problem.tags):
                    assert typed["now"]["blocks"][t][k] == pytest.approx(exact, abs=1e-8)
    assert typed["now"]["path"] == whole["now"]["path"]
