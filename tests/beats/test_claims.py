"""What is said is true in every state: equations and claims of what is shown, in drawn states."""

import re
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from crf.figures.texts import translations
from pages import beats
from pages.shared.figures.beat_text import BeatText, Passage, passages
from pages.shared.ui.language import speaking
from pages.shared.ui.stage.view import state_of
from pages.tag.scene import TEXT, Scene
from tests.beats.claims import CLAIMS, Seen, claims, predicates
from tests.beats.equations import faults, texts
from tests.beats.states import LESSONS, Case, cases
from tests.beats.states import case as one
from tests.beats.theory import THEORY

PAGES = Path(beats.__file__).parent
DRAWN = 300  # states; `thorough` draws more of each lesson


def english(lesson):
    """The passages of a lesson."""
    return passages(translations(PAGES / lesson / "beats.md")["en"])


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_claim_has_a_predicate_and_each_predicate_a_claim(lesson):
    said = [one for passage in english(lesson) for one in claims(passage, lesson)]
    assert [one for one in said if not predicates(lesson, one)] == []
    assert [key for key in CLAIMS[lesson] if not any(re.search(key, one) for one in said)] == []
    begun = THEORY.get(lesson, ())
    assert [one for one in begun if not any(said_.startswith(one) for said_ in said)] == []


def shown(case, language="en"):
    """The step that is shown, and the passages that were used for it, with their facts."""
    used = []
    original = BeatText.passage

    def noted(self, name, facts):
        passage = original(self, name, facts)
        used.append((passage, dict(facts)))
        return passage

    BeatText.passage = noted
    try:
        with speaking(language):
            return case.beat.now(case.state), used
    finally:
        BeatText.passage = original


def wrong(case, used):
    """The sentences of the passages that claim what is not so."""
    bodies = {(p.name, p.guard): p.body for p in english(case.lesson)}
    step = step_shown(case)
    for passage, facts in used:
        seen = Seen(case.lesson, case.beat, case.state, step, passage, facts)
        body = bodies.get((passage.name, passage.guard), "")  # "": of another lesson's label
        for sentence in claims(Passage(passage.name, passage.guard, body), case.lesson):
            for is_true in predicates(case.lesson, sentence):
                if not is_true(seen):
                    yield passage.name, passage.guard, sentence


def step_shown(case):
    """The step on screen."""
    from pages.shared.figures.beat import step_of

    return step_of(case.beat, case.beat.prepare(case.state))


@settings(max_examples=DRAWN)
@given(cases())
def test_what_is_shown_comes_out_and_is_so(case):
    event(case.lesson)
    check(case)


@pytest.mark.thorough
@pytest.mark.parametrize("lesson", LESSONS)
@settings(max_examples=2 * DRAWN)
@given(seed=st.integers(0, 2**40))
def test_what_each_lesson_shows_comes_out_and_is_so(lesson, seed):
    check(one(seed, (lesson,)))


def check(case):
    """Evaluate the equations and the claims of what is shown."""
    now, used = shown(case)
    assert [fault for text in texts(now) for fault in faults(text)] == []
    assert list(wrong(case, used)) == []


OLD = [  # each was said once, in a state where it is false
    ("trellis", "path", {"ex": "all-zero"}, "This one earns 0.0, more than any other."),
    ("trellis", "bet", {"ex": "all-zero"}, "Here that is also the best reading of the whole"),
    ("trellis", "meet", {"ex": "all-zero"}, "From the left {left} leads with .33, from the"),
    ("trellis", "add", {"ex": "all-zero", "step": "5"}, "The widest, from {from}, brings 33 %."),
    (
        "trellis",
        "mind",
        {"ex": "old-man"},
        "In this sentence the best beginning never changes.",
    ),
    (
        "trellis",
        "back",
        {"ex": "old-man", "step": "25"},
        "Each word’s own best tag gives the same reading.",
    ),
    ("constraints", "switch", {"t": "B~I~O", "w": "x~y"}, "The best of them is {best}."),
    ("constraints", "breaks", {}, "No reading of this length breaks a rule."),
    ("tag", "flow", {"ex": "all-zero", "tau": ".4"}, "Further down, the best reading gets more"),
    (
        "tag",
        "flow",
        {"ex": "all-zero", "tau": "0"},
        "It is the one that Viterbi’s algorithm finds.",
    ),
    ("tag", "flow", {"ex": "one-token", "lambda": "0"}, "Drag the dot to the right, and the"),
    ("tag", "flow", {"ex": "arrow"}, "Here each word keeps its tag, alone or"),
    ("tag", "flow", {"ex": "arrow", "lambda": "0"}, "After {by} it becomes {now1}."),
    ("tag", "flow", {"ex": "old-man", "fix": "2.2"}, "The other words hardly change."),
]


def facts_of(case):
    """What the words of a beat are given."""
    if case.lesson != "tag":
        return case.beat.facts(case.beat.prepare(case.state), step_shown(case))
    scene = Scene(case.state, (case.state.lambda_,), (case.state.tau,))
    return scene.facts(0, 0, BeatText.load(TEXT))


@pytest.mark.parametrize(("lesson", "name", "query", "sentence"), OLD)
def test_the_predicates_see_old_faults(lesson, name, query, sentence):
    beat = next(beat for beat in beats.LESSONS[lesson] if beat.name == name)
    state = state_of(query, lesson)[0]
    case = Case(lesson, beat, state)
    facts = facts_of(case)
    seen = Seen(lesson, beat, state, step_shown(case), Passage(name, "", ""), facts)
    found = predicates(lesson, sentence)
    assert found
    assert not all(is_true(seen) for is_true in found)


@pytest.mark.parametrize("spoken", ["de", "zh"])
@settings(max_examples=60)
@given(case=cases())
def test_equations_come_out_in_other_languages_too(spoken, case):
    """The guards choose passages by the same facts; each passage has the same holes."""
    now, used = shown(case, spoken)
    marks = english_marks if spoken == "de" else str
    assert [fault for text in texts(now) for fault in faults(marks(text))] == []
    _, said = shown(case, "en")
    chosen = [{(p.name, p.guard) for p, _ in passages} for passages in (used, said)]
    both = {name for name, _ in chosen[0]} & {name for name, _ in chosen[1]}  # labels are kept
    assert {one for one in chosen[0] ^ chosen[1] if one[0] in both} == set()


def english_marks(text):
    """A German text with English marks in its numbers."""
    return re.sub(r"(?<=\d),(?=\d)", ".", text.replace("\u202f", ""))
