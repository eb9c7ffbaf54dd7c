"""Every beat as rows of one table: state → what is said, without a browser and without Streamlit.

A row names a lesson, a beat, a state and words that must be in the sentence, the equation or the
answer. Numbers in rows are those of the syllabus or follow from them by hand.
"""

import json
import re
import sys
from functools import cache

import pytest

from crf.strict_json import read_json
from pages import beats
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui.language import speaking
from pages.shared.ui.stage.view import state_of, view

CACHE = type(cache(len))
BOAT = {"ex": "old-man"}
EVERY = [(lesson, beat) for lesson, each in beats.LESSONS.items() for beat in each]
IDS = [f"{lesson}/{beat.name}" for lesson, beat in EVERY]
KINDS = {  # examples of which no two are alike; `thorough` has the others, too
    "old-man",
    "ice-cream",
    "fifty",
    "paris-hilton",
    "bio",
    "all-zero",
    "one-token",
    "no-path",
    "all-forbidden",
    "pair-potentials",
}


def find(lesson, name):
    """A beat by name."""
    return next(beat for beat in beats.LESSONS[lesson] if beat.name == name)


def plain(segments):
    """What a reader reads."""
    return "".join(s if isinstance(s, str) else s["text"] for s in segments or [])


def told(lesson, name, query):
    """Sentence, equation, question and answer of a state, as one text."""
    now = find(lesson, name).now(state_of(query)[0])
    bet = now.get("bet") or {}
    parts = (now["say"], now.get("equation"), bet.get("question"), bet.get("answer"))
    return " | ".join(map(plain, parts))


ROWS = [
    ("bet", {}, "best reading of the whole sentence first differ from this one?"),
    ("bet", {"bet": "-"}, "DET ADJ NOUN DET NOUN, which has no verb"),
    (
        "bet",
        {"bet": "w1"},
        "Right: at old. Counting the steps between tags, DET NOUN VERB DET NOUN",
    ),
    ("bet", {"bet": "w3"}, "Not quite: at old"),
    ("bet", {"bet": "nowhere"}, "scores 19.0, and the word-by-word reading 18.0"),
    ("path", {}, "earns 19.0, more than any other. Click"),
    ("path", {"path": "0~1~2~0~2"}, "This one earns 18.0. Click"),
    ("path", {"path": "0~9~2~0~2"}, "earns 19.0"),
    ("path", {"edit": "s:DET_x"}, "This one earns "),
    ("path", {"edit": "e:0:DET_x", "path": "0~1~2~0~2"}, "so it is forbidden"),
    ("count", {"bet": "-"}, "4 tags for each of 5 words make 1,024 readings"),
    ("count", {"bet": "never"}, "Right. There are 4⁶⁰ readings"),
    ("regroup", {"bet": "-"}, "four readings of old man are four products"),
    ("regroup", {"step": "2", "bet": "m6"}, "Take the shared factor out"),
    ("regroup", {"bet": "m8"}, "Not quite: it is six"),
    ("add", {}, "Four ways lead into man, DET. The widest, from ADJ, brings"),
    ("add", {"step": "11"}, "Four ways lead into man, VERB. The widest, from NOUN, brings 88 %"),
    ("add", {"step": "11"}, "+0.5 = 9.13"),
    ("add", {"step": "0"}, "Nothing comes before The, DET"),
    ("column", {"step": "20"}, "log Z = 19.43"),
    ("column", {"step": "17"}, "ways lead into boat, ADJ"),
    ("column", {"step": "13", "bet": "~"}, "ways lead into the, ADJ"),
    ("column", {}, "what goes into the, DET?"),
    ("column", {"bet": "16.0"}, "Not yet"),
    ("column", {"bet": "~16.0"}, "Not quite"),
    ("column", {"bet": "~15.9"}, "Right"),
    ("column", {"bet": "x"}, "That is not a number"),
    ("logz", {"bet": "-"}, "never below the best score, 19.0"),
    ("logz", {"bet": "-"}, "the best reading is in it: p = exp(19.0 − 19.4324) = .649"),
    ("logz", {"bet": "rise"}, "grow, by a factor of e, and together they have .67"),
    ("logz", {"bet": "one"}, "it rises by .77"),
    ("best", {}, "man, DET keeps the way from ADJ"),
    ("best", {"step": "11"}, "man, VERB keeps the way from NOUN"),
    ("best", {"step": "11"}, "= 9.0"),
    ("mind", {}, "After man the best beginning is DET ADJ NOUN. Which beginning"),
    ("mind", {"bet": "-"}, "After man the best beginning was DET ADJ NOUN, with 12.0 against 9.0"),
    ("mind", {"bet": "leads"}, "DET NOUN VERB DET overtakes it, with 15.5 against 14.5"),
    ("mind", {"bet": "led"}, "Not quite: DET NOUN VERB DET overtakes it"),
    ("back", {}, "boat gets NOUN"),
    ("back", {"step": "25"}, "The best reading is DET NOUN VERB DET NOUN and scores 19.0"),
    ("both", {"step": "20"}, "log Z = 19.43"),
    ("both", {"step": "6"}, "−1 −3 −1.00 , +0 +2 +0.50 , +1 −1 +0.00 )"),
    ("mind", {"step": "18"}, "boat, NOUN keeps the way from DET and shuts the others"),
    ("mind", {"step": "20"}, "The best reading scores 19.0"),
    ("regroup", {"bet": "m6"}, "+2 has become exp(+2) = 7.39"),
    ("logz", {"bet": "rise"}, "log(1 − .67 + .67 · e) = .77"),
    ("meet", {"bet": "-"}, "From the left NOUN leads with .95, from the right VERB with .96"),
    ("meet", {"bet": "t3"}, "Right: VERB, with .74"),
    ("meet", {"step": "4"}, "No word follows, so the end scores alone come from the right"),
    ("meet", {"step": "2", "fix": "2.1"}, "You fixed man as ADJ, so it has probability 1."),
    ("bet", {"fix": "2.1"}, "each word has the tag that you fixed, or the one that fits it best"),
    ("bet", {"fix": "2.1", "bet": "nowhere"}, "Beside the tags that you fixed, every word’s own"),
    ("count", {"fix": "2.1", "bet": "-"}, "With what you fixed, 256 are left"),
    ("logz", {"fix": "2.1", "bet": "-"}, "adds up the 256 readings with the tags that you fixed"),
    ("add", {"step": "10", "fix": "2.1"}, "man, NOUN is forbidden, because you fixed man as ADJ."),
    ("textbook", {"step": "1"}, "8.63, and +0.5 is not in it yet"),
    ("textbook", {"step": "2"}, "The cell holds 9.13, as in this course"),
    ("learn", {"bet": "-"}, "DET → ADJ 0 times, but paths drawn from the model use it .33 times"),
    ("learn", {"bet": "down"}, "Right, it goes down."),
    ("learn", {"edit": "t:NOUN:VERB_-1"}, "Suppose DET NOUN VERB DET NOUN is correct"),
]
FLIPPED = {"ex": "old-man", "edit": "t:VERB:DET_-3~t:VERB:ADJ_8"}  # no change of mind is left
OTHER_ROWS = [
    ("trellis", "add", {"ex": "no-path"}, "Scores of −∞ forbid every reading"),
    ("trellis", "best", {"ex": "all-zero"}, "tie"),
    ("trellis", "logz", {"ex": "bio", "bet": "-"}, "exp("),
    ("trellis", "add", {"sentence": "Time flies .", "tagger": "local"}, "more )"),
    ("trellis", "mind", {"ex": "one-token", "bet": "-"}, "end scores turn that over"),
    ("trellis", "bet", {"ex": "one-token", "bet": "-"}, "start and end scores, the best tag is"),
    ("trellis", "bet", {"ex": "all-zero", "bet": "-"}, "after comparing whole readings"),
    ("trellis", "path", {"ex": "all-zero"}, "earns 0.0, and no other earns more"),
    ("trellis", "logz", {"t": "X~Y", "w": "a", "e": "-3_-4", "bet": "-"}, "exp(−3.0 + 2.6867)"),
    (
        "trellis",
        "count",
        {"t": "X~Y", "w": "a", "bet": "never"},
        "2⁶⁰ readings at a billion a second",
    ),
    ("trellis", "bet", {"t": "X~Y", "w": "a", "e": "0_0", "s": "0_0", "bet": "-"}, "scores more"),
    (
        "trellis",
        "meet",
        {"t": "X~Y", "w": "a", "e": "0_.008"},
        "Up to the word a, Y has .50 of all beginnings",
    ),
    ("trellis", "meet", {"t": "X~Y", "w": "a", "e": "0_.008", "bet": "-"}, "Y wins with .502"),
    ("trellis", "count", {"ex": "one-token", "bet": "-"}, "3 tags for one word make 3 readings"),
    ("trellis", "regroup", {"ex": "one-token"}, "Choose a sentence with two words or more"),
    ("trellis", "regroup", {"sentence": "Time flies .", "tagger": "local", "bet": "-"}, "× 10"),
    (
        "trellis",
        "add",
        {"ex": "all-zero"},
        "ways lead into y, A, and each brings the same",
    ),
    ("trellis", "add", {"ex": "bio", "step": "5"}, "Only the way from O into y, O is open"),
    ("trellis", "add", {"sentence": "Dogs bark", "tagger": "ner"}, "of the 7 ways into bark, "),
    (
        "trellis",
        "back",
        {"ex": "fish"},
        "fish (3) gets NOUN. Its cell kept the way from VERB, so fish (2)",
    ),
    ("trellis", "mind", {"ex": "fish", "bet": "-"}, "VERB NOUN leads, with 2.6 against 2.4"),
    (
        "trellis",
        "textbook",
        {"sentence": "Dogs bark", "tagger": "local", "step": "2"},
        "for the end",
    ),
    ("trellis", "learn", {"ex": "bio", "path": "2~1"}, "no gradient can make it possible"),
    ("trellis", "bet", {"ex": "all-zero", "bet": "nowhere"}, "but several score as much"),
    ("trellis", "add", {"ex": "old-man", "step": "6"}, "from DET, brings nearly all of what"),
    ("trellis", "best", {"ex": "all-zero"}, "Three ways into y, A tie"),
    ("trellis", "best", {"ex": "bio", "step": "5"}, "Only the way from O into y, O is open"),
    ("trellis", "column", {"ex": "one-token", "bet": "7"}, "just a start score plus"),
    ("trellis", "logz", {"t": "X~Y", "w": "a", "e": "9_-9", "bet": "one"}, "Right, or very nearly"),
    ("trellis", "mind", {"ex": "bio", "bet": "led"}, "never changes"),
    ("trellis", "mind", FLIPPED | {"bet": "led"}, "Right: here it stays the best"),
    ("trellis", "back", {"ex": "all-zero", "step": "16"}, "own best tag gives the same reading"),
    ("trellis", "back", {"ex": "bio", "step": "8"}, "would give a forbidden reading"),
    ("trellis", "meet", {"ex": "all-zero", "bet": "tie"}, "Right: a tie, with .33 each"),
    ("trellis", "learn", {"ex": "one-token"}, "With one word there is no step"),
    ("trellis", "learn", {"t": "X~Y", "w": "a~b", "e": "9_-9~9_-9"}, "hardly anything is left"),
    ("trellis", "learn", {"ex": "bio", "bet": "up"}, "uses it once, and the model expects it .40"),
]


@pytest.mark.parametrize(("name", "query", "said"), ROWS)
def test_what_the_trellis_says_of_the_boat(name, query, said):
    assert said in told("trellis", name, BOAT | query)


@pytest.mark.parametrize(("lesson", "name", "query", "said"), OTHER_ROWS)
def test_what_is_said_of_others(lesson, name, query, said):
    assert said in told(lesson, name, query)


def test_an_edit_moves_the_best_path():
    drawn = find("trellis", "best").figure(state_of(BOAT | {"edit": "t:NOUN:VERB_-.5"})[0])
    tags = [tag["name"] for tag in drawn["picture"]["tags"]]
    assert [tags[s] for s in drawn["picture"]["best"]] == "DET ADJ NOUN DET NOUN".split()
    assert drawn["picture"]["best_score"] == pytest.approx(18.0)


@pytest.mark.parametrize(("lesson", "beat"), EVERY, ids=IDS)
@pytest.mark.parametrize(
    "example",
    [pytest.param(e, marks=[] if e in KINDS else pytest.mark.thorough) for e in EXAMPLES],
)
def test_every_beat_of_every_example_is_one_valid_json(lesson, beat, example):
    state, fault = state_of({"ex": example})
    assert fault == ""
    shown = view(beat, lesson, state, fault, beats.LESSONS[lesson])
    text = json.dumps(shown, allow_nan=False)
    assert read_json(text, 10**6) == json.loads(text)
    now = shown.get("picture", shown.get("flow"))["now"]
    bet = now.get("bet")
    assert plain(now["say"] or bet["question"]).endswith((".", "?"))
    assert "{" not in plain(now["say"])
    if lesson == "trellis" and len(state.problem.tokens) <= 12:
        # without the tables, which are sent while a score is dragged
        assert len(json.dumps({k: v for k, v in now.items() if k != "picture"})) <= 4096
    if bet:
        assert bet["right"] is None
        assert bet["answer"] is None
        assert not bet["revealed"]


@pytest.mark.parametrize("beat", beats.LESSONS["trellis"], ids=lambda beat: beat.name)
def test_many_tags_without_a_path_are_shown_and_said(beat):
    rows = ["_".join("x" * 12)] * 2
    query = {"t": "~".join("ABCDEFGHIJKL"), "w": "a~b", "e": "~".join(rows)}
    state, fault = state_of(query)
    shown = view(beat, "trellis", state, beats=beats.LESSONS["trellis"])
    assert fault == ""
    assert plain(shown["picture"]["now"]["say"]).endswith(".")
    assert shown["picture"].get("rows", [0])


@pytest.mark.parametrize("beat", beats.LESSONS["trellis"], ids=lambda beat: beat.name)
@pytest.mark.parametrize(("tags", "tokens"), [("X", "a"), ("X", "a~b~c~d"), ("X~Y", "a")])
def test_one_tag_or_one_word_is_shown_and_said(beat, tags, tokens):
    query = {"t": tags, "w": tokens}
    state, _ = state_of(query | {"bet": "-"})
    shown = view(beat, "trellis", state, beats=beats.LESSONS["trellis"])
    now = shown["picture"]["now"]
    assert plain(now["say"]).endswith(".")
    sentence = f" {plain(now['say'])} {plain((now['bet'] or {}).get('question'))} "
    assert not re.search(r"\b1 (words|tags|readings)\b|One ways|\b0 of", sentence)
    assert len(sentence.split()) <= 60
    idle = now["bet"] is None
    assert (beat.bet is None or len(tags) > 1 or beat.name in ("count",)) or idle


@pytest.mark.parametrize(("lesson", "beat"), EVERY, ids=IDS)
def test_every_step_of_every_beat_is_told(lesson, beat):
    problem = state_of(BOAT)[0].problem
    assert beat.opens(problem) in beat.steps(problem)
    for step in beat.steps(problem):
        now = beat.now(state_of(BOAT | {"step": str(step)})[0])
        assert plain(now["say"] or now["bet"]["question"])
        if lesson == "trellis" and beat.name not in ("bet", "path", "count", "learn"):
            assert now["step"] == step


@pytest.mark.parametrize("step", ["999", "-1", "x", "1e3"])
def test_a_step_that_there_is_not_gives_where_the_beat_opens(step):
    beat = find("trellis", "add")
    assert beat.now(state_of(BOAT | {"step": step})[0])["step"] == 8


def every_number(value):
    """All numbers of a payload."""
    if isinstance(value, dict):
        return [n for part in value.values() for n in every_number(part)]
    if isinstance(value, (list, tuple)):
        return [n for part in value for n in every_number(part)]
    return [value] if isinstance(value, float) else []


@pytest.mark.parametrize(
    ("name", "answer"), [("column", 15.93), ("mind", 15.5), ("meet", 0.738), ("bet", 19.0)]
)
def test_nothing_that_is_sent_before_the_answer_holds_it(name, answer):
    beat = find("trellis", name)
    sent = [beat.figure(state_of(BOAT)[0]), beat.now(state_of(BOAT)[0])]
    shown = beat.figure(state_of(BOAT | {"bet": "-"})[0])
    close = [n for n in every_number(sent) if abs(n - answer) < 0.006]
    assert close == []
    assert any(abs(n - answer) < 0.006 for n in every_number(shown))


@pytest.mark.parametrize("still", ["0", "1", "2"])
def test_a_calculator_gets_the_total_of_the_regrouped_line(still):
    now = find("trellis", "regroup").now(state_of(BOAT | {"bet": "m6", "step": still})[0])
    line, _, total = plain(now["equation"]).partition(" = ")
    assert set(line) <= set("0123456789.·+() ")
    assert eval(line.replace("·", "*")) == pytest.approx(float(total), abs=0.1)


def test_a_change_of_mind_is_bet_on_with_the_beginnings_that_the_answer_compares():
    options = find("trellis", "mind").now(state_of(BOAT)[0])["bet"]["options"]
    labels = {option["name"]: option["label"] for option in options}
    assert labels == {"led": "DET ADJ NOUN DET", "leads": "DET NOUN VERB DET"}


def test_before_the_bet_learn_shows_what_the_right_path_uses_and_nothing_expected():
    beat = find("trellis", "learn")
    rows = beat.figure(state_of(BOAT)[0])["picture"]["learn"]
    assert {(row["from"], row["to"]): row["observed"] for row in rows} == {
        (0, 1): 0,
        (0, 2): 2,
        (2, 3): 1,
        (3, 0): 1,
    }
    assert all(row["expected"] is None and row["push"] is None for row in rows)


CODE = {
    "code",
    "lines",
    "pasted",
    "name",
    "value",
    "eta",
    "words",
    "state",
    "address",
    "headline",
    "says",
}


def strings(value, key=""):
    """Each text that is shown, but code, names and values of controls."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from () if name in CODE else strings(part, name)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings(part, key)


@pytest.mark.parametrize(("lesson", "beat"), EVERY, ids=IDS)
@pytest.mark.parametrize("query", [{}, {"bet": "-"}, {"step": "2"}], ids=str)
def test_numbers_have_a_decimal_comma_in_german(lesson, beat, query):
    state, fault = state_of(query, lesson)
    with speaking("de"):
        shown = view(beat, lesson, state, fault, beats.LESSONS[lesson])
    wrong = [s for s in strings(shown) if re.search(r"(?<![\w.])\d*\.\d|(?<!\d),\d", s[1])]
    assert not wrong


def test_no_reader_gets_words_in_the_language_of_an_earlier_one():
    def views(language):
        with speaking(language):
            return {
                (lesson, beat.name): view(
                    beat, lesson, *state_of({}, lesson), beats.LESSONS[lesson]
                )
                for lesson, beat in EVERY
            }

    views("en")
    after_english = views("de")
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("crf", "pages"):
            for one in vars(module).values():
                if isinstance(one, CACHE):
                    one.cache_clear()
    alone = views("de")
    assert [place for place in alone if after_english[place] != alone[place]] == []


@pytest.mark.parametrize("lesson", beats.LESSONS)
def test_a_lesson_that_leaves_fixed_tags_aside_says_so(lesson):
    state, _ = state_of({"ex": "old-man", "fix": "2.1"})
    every = beats.LESSONS[lesson]
    message = view(every[0], lesson, state, beats=every)["message"]
    assert ("without the tags that you fixed" in message) == (lesson not in ("tag", "trellis"))
