"""The front page's beat: its pad is four decoders, and its sentences say what the numbers are."""

from itertools import pairwise
from urllib.parse import parse_qsl

import pytest
import torch

from crf import LinearChain
from crf.figures.flow.payload import THRESHOLD, shown
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui.stage.scores import SENTENCES
from pages.shared.ui.stage.view import state_of, view
from pages.tag import more, pad
from pages.tag.beats import BEATS, SCALE, now
from pages.tag.scene import TEXT, Scene
from tests.oracles.marginals import unary

OLD_MAN, FLIGHT = {"ex": "old-man"}, {"ex": "flight"}
NAMES = {"sentence": "Paris Hilton flew from Paris to New York City.", "tagger": "ner"}
BEAT = BEATS[0]


def plain(segments) -> str:
    """What a reader reads."""
    return "".join(s if isinstance(s, str) else s["text"] for s in segments)


def at(query, lambda_="1", tau="1", **more):
    """The state of the dot."""
    return now(state_of({**query, "lambda": lambda_, "tau": tau, **more})[0])


@pytest.mark.parametrize("query", [OLD_MAN, NAMES, {}, {"ex": "three-one-three"}, {"ex": "bio"}])
def test_the_corners_are_four_decoders(query):
    state, _ = state_of(query)
    chain = state.problem.chain()
    softmax = chain.potentials.emissions[0].softmax(-1)
    soft, posterior = (at(query, corner)["all"] for corner in ("0", "1"))
    assert torch.tensor(soft).allclose(softmax.float(), atol=1e-6)
    assert torch.tensor(posterior).argmax(-1).tolist() == chain.posterior_decode()[0].tolist()
    assert torch.tensor(posterior).allclose(chain.marginals[0].float(), atol=1e-6)
    for corner, path in (("0", chain.greedy()), ("1", chain.viterbi().tags)):
        alone = at(query, corner, "0")
        assert alone["path"] == path[0].tolist()
        assert alone["all"] == torch.nn.functional.one_hot(path[0], softmax.shape[1]).tolist()
    assert [at(query, x, y)["corner"] for x in "01" for y in "10"] == [
        "softmax",
        "greedy",
        "posterior",
        "viterbi",
    ]


@pytest.mark.parametrize(("lambda_", "tau"), [(0.3, 1.0), (1.0, 0.2), (0.5, 0.5)])
def test_any_place_is_the_chain_with_these_scores(lambda_, tau):
    """By enumeration of all paths, which shares no code with the core."""
    problem = state_of(OLD_MAN)[0].problem
    S, L = len(problem.tags), len(problem.tokens)
    changed = problem
    for i in range(S):
        for name in ("start", "end"):
            changed = changed.with_score(name, i, getattr(problem, name)[i] * lambda_ / tau)
        for j in range(S):
            moved = problem.transitions[i][j] * lambda_ / tau
            changed = changed.with_score("transitions", (i, j), moved)
        for t in range(L):
            changed = changed.with_score("emissions", (t, i), problem.emissions[t][i] / tau)
    got = at(OLD_MAN, str(lambda_), str(tau))
    assert torch.tensor(got["all"]).allclose(torch.tensor(unary(changed)), atol=1e-7)


@pytest.mark.parametrize("query", [{}, OLD_MAN, NAMES, OLD_MAN | {"fix": "2.2"}])
def test_a_column_s_blocks_add_up_to_one_and_ribbons_to_their_blocks(query):
    flow = view(BEAT, "tag", *state_of(query))["flow"]
    for blocks in flow["now"]["blocks"]:
        assert sum(blocks) == pytest.approx(1, abs=1e-8)
    for t, ribbons in enumerate(flow["now"]["ribbons"]):
        table = torch.tensor(ribbons, dtype=torch.float64)
        left, right = (torch.tensor(flow["now"]["blocks"][k]).double() for k in (t, t + 1))
        assert table.sum(1).allclose(left, atol=1e-7)
        assert table.sum(0).allclose(right, atol=1e-7)
    sizes = list(map(len, flow["shown"]))
    pairs = sum(a * b for a, b in pairwise(sizes))
    for state in range(len(flow["grid"]["says"])):
        assert len(flow["grid"]["blocks"][state]) == sum(sizes)
        assert len(flow["grid"]["ribbons"][state]) == pairs


def test_tags_that_are_small_in_every_state_are_folded():
    state, _ = state_of({"sentence": "They will back the back room .", "tagger": "local"})
    axis = pad.axis(len(state.problem.tokens))
    found = pad.readings(state.problem, (), axis, axis[::-1])
    largest = found.marginals.flatten(0, 1).amax(0)
    for t, own in enumerate(shown(found.marginals, {})):
        assert [s for s in range(17) if largest[t, s] >= THRESHOLD] == sorted(own[:-1])
        assert own[-1] == 17


def test_the_grid_s_last_place_is_the_dot_s_rest():
    flow = view(BEAT, "tag", *state_of(OLD_MAN))["flow"]
    rest = len(flow["grid"]["lambdas"]) - 1
    exact = [p for column in flow["now"]["blocks"] for p in column]
    assert [p / SCALE for p in flow["grid"]["blocks"][rest]] == pytest.approx(exact, abs=1 / SCALE)
    assert flow["sentences"][flow["grid"]["says"][rest]]["say"] == flow["now"]["say"]


def test_a_long_sentence_has_a_coarse_grid():
    assert len(pad.axis(20)) == pad.FINE
    assert len(pad.axis(21)) == pad.COARSE


@pytest.mark.parametrize(
    ("query", "lambda_", "said"),
    [
        (FLIGHT, "0", "On its own, book looks like a noun."),
        (FLIGHT, "1", "Word by word, book looks like a noun. After will it becomes a verb."),
        (OLD_MAN, "0", "On their own, old looks like an adjective, and man looks like a noun."),
        ({"ex": "arrow"}, "1", "After an it becomes a noun."),
        ({"ex": "park"}, "1", "Word by word, park looks like a noun."),
        (
            {"ex": "watch"},
            "1",
            "Word by word, watch looks like a verb. After the it becomes a noun.",
        ),
        ({"sentence": "They fish."}, "1", "A network that has read it all"),
        ({"sentence": "They fish."}, "0", "neighbours change no tag here"),
        ({"sentence": "They fish."}, ".5", "neighbours change no tag here"),
        (
            {"sentence": "I saw her duck", "tagger": "local"},
            "1",
            "The least certain is duck, a noun",
        ),
        ({"ex": "arrow", "tagger": "bilstm"}, "1", "surer of like, and less sure of flies."),
        ({"sentence": "My back hurts .", "tagger": "local"}, "1", "hurts looks like a verb."),
        ({"ex": "all-forbidden"}, "1", "forbid every reading"),
    ],
)
def test_what_is_said(query, lambda_, said):
    assert said in plain(at(query, lambda_)["say"])


def test_below_the_middle_the_best_reading_may_have_a_less_probable_tag():
    query = {"sentence": "My back hurts .", "tagger": "local"}
    chain = state_of(query)[0].problem.chain()
    assert chain.viterbi().tags[0, 2] != chain.posterior_decode()[0, 2]
    assert "In it hurts is a verb, though among all readings a noun" in plain(
        at(query, "1", "0")["say"]
    )


def test_the_network_s_numbers_are_those_of_the_model_cards():
    from crf.figures.numbers import format_percent
    from pages.shared.ui import taggers

    detail = plain(at({"ex": "arrow", "tagger": "bilstm"})["detail"])
    for name in ("bilstm", "local"):
        card = taggers.metrics(name)
        for share in (card["sentence_accuracy"], card["softmax"]["sentence_accuracy"]):
            assert format_percent(share, 0) in detail


def test_the_page_opens_on_a_sentence_that_flips_and_whose_ribbons_are_seen_at_rest():
    flow = view(BEAT, "tag", *state_of({}))["flow"]
    assert flow["flip"]
    large = [block for column in flow["now"]["blocks"] for block in column if block >= 0.08]
    assert len(large) >= len(flow["tokens"]) + 3


def test_an_example_flips_a_tag_and_the_numbers_are_the_tagger_s():
    alone, together = at(FLIGHT, "0"), at(FLIGHT, "1")
    noun, verb = (BEAT_TAGS.index(tag) for tag in ("NOUN", "VERB"))
    assert alone["all"][2][noun] == pytest.approx(0.76, abs=0.005)
    assert together["all"][2][verb] == pytest.approx(0.99, abs=0.005)


BEAT_TAGS = [tag["name"] for tag in view(BEAT, "tag", *state_of({}))["flow"]["tags"]]


def test_every_example_changes_the_tag_that_it_is_about():
    for name, word in (("arrow", "arrow"), ("park", "park"), ("watch", "watch")):
        assert SENTENCES[name].tagger == "local"
        assert word in plain(at({"ex": name})["say"])


def test_a_fixed_tag_says_what_it_changes():
    fixed = at(OLD_MAN, fix="2.2")
    assert "You fixed man as a noun." in plain(fixed["say"])
    assert fixed["all"][2] == [0, 0, 1, 0]
    free = at(OLD_MAN)
    marks = {mark["token"]: mark["at"] for mark in fixed["marks"]}
    assert marks[1] == pytest.approx(sum(free["all"][1][:2]), abs=1e-6)
    assert "all readings with this tag" in plain(fixed["detail"])


def test_an_impossible_tag_is_not_fixed_and_said_so():
    forbidden = {"ex": "bio", "fix": "0.1"}
    state, fault = state_of(forbidden)
    assert state.fixed == {}
    assert "−∞" in fault


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"sentence": " \t "}, "no word"),
        ({"sentence": "x " * 500}, "500 words. Only the first 60"),
        ({"sentence": "x" * 3000}, "3,000 characters"),
        ({"tagger": "nope"}, "no tagger called “nope”"),
        ({"ex": "nope"}, "no example called “nope”"),
        ({"t": "A"}, "names under w"),
    ],
)
def test_a_bad_state_is_shown_with_one_sentence(query, said):
    shown = view(BEAT, "tag", *state_of(query))
    assert said in shown["message"]
    assert shown["flow"]["now"]["path"]


@pytest.mark.parametrize("text", ["🦆🦆 🦆", "שלום עולם", "<b>x</b> & \"y\" 'z'", "a", "é́́́", "漢字"])
def test_any_text_is_read(text):
    shown = view(BEAT, "tag", *state_of({"sentence": text}))
    assert shown["message"] == "" or "never seen letters such as" in shown["message"]
    assert ("from left to right" in shown["message"]) == (text[0] == "ש")
    assert len(shown["flow"]["now"]["path"]) == len(shown["flow"]["tokens"]) >= 1


def test_the_way_to_the_trellis_has_the_same_scores():
    for query in ({}, OLD_MAN, {"sentence": "They fish.", "fix": "1.15", "lambda": ".5"}):
        state, _ = state_of(query)
        way = view(BEAT, "tag", state)["trellis"]
        asked = dict(parse_qsl(way))
        there, fault = state_of(asked, "trellis")
        assert fault == ""
        assert (there.problem, there.fixed) == (state.problem, state.fixed)


SAID = [
    "I saw her duck",
    "What time is it?",
    "The leaves fall in autumn .",
    "My back hurts .",
    "Der Hund beißt den Mann",
    "They work hard",
    "🦆🦆 duck 🦆",
]


def most_probable(problem, lambda_, tau):
    """Each word's most probable tag, by the chain with these scores; at τ = 0 the best path's."""
    scores = problem.chain().potentials
    ways = scores.transitions * lambda_, scores.start * lambda_, scores.end * lambda_
    if not tau:
        return LinearChain(scores.emissions, *ways).viterbi().tags[0].tolist()
    chain = LinearChain(scores.emissions / tau, *(way / tau for way in ways))
    return chain.marginals[0].argmax(-1).tolist()


@pytest.mark.parametrize("sentence", SAID)
@pytest.mark.parametrize("lambda_", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("tau", [1.0, 0.4, 0.0])
def test_the_sentence_speaks_of_each_word_s_most_probable_tag(sentence, lambda_, tau):
    state, _ = state_of({"sentence": sentence, "tagger": "local"})
    problem, words = state.problem, BeatText.load(TEXT)
    facts = Scene(state, (lambda_,), (tau,)).facts(0, 0, words)
    alone, together = (most_probable(problem, end, 1) for end in (0, 1))
    here = most_probable(problem, lambda_, tau)
    differ = [t for t, tag in enumerate(here) if tag != alone[t]]
    assert facts["changed"] == len(differ)
    assert facts["later"] == sum(a != b for a, b in zip(alone, together, strict=True))
    if differ:
        named = [t for t in differ if problem.tokens[t] == facts["word1"].text]
        shown = here if lambda_ else together
        assert facts["now1"].tag in [shown[t] for t in named]
    if not facts["later"]:
        p = problem.chain().marginals[0].amax(-1)
        assert facts["least"].text == problem.tokens[p.argmin()]
        assert facts["least_tag"].tag == alone[p.argmin()] == together[p.argmin()]


@pytest.mark.parametrize("query", [{"lambda": "0.5", "tau": "0.4"}, {"fix": "1.2"}, {}])
@pytest.mark.parametrize("example", ["old-man", "one-token", "fifty"])
def test_the_bench_has_the_numbers_at_the_dot(query, example):
    state, _ = state_of({"ex": example} | query, "tag")
    fixed = tuple(sorted(state.fixed.items()))
    readings = pad.readings(state.problem, fixed, (state.lambda_,), (max(state.tau, 0.05),))
    found = more.at_the_dot(state).chain().marginals[0]
    assert (found - readings.marginals[0, 0]).abs().max() < 1e-9
