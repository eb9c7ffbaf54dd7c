"""States of every kind, drawn: a lesson's beat with its scores, edits, fixed tags, step and bet."""

import math
from dataclasses import replace
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from pages import beats
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.state import Base, Given, State
from pages.shared.ui.stage.view import state_of

LESSONS = list(beats.LESSONS)
EVERY = [(lesson, beat) for lesson in LESSONS for beat in beats.LESSONS[lesson]]
WORDS = ("a", "b", "a", "1", "2,5", "old", "man")  # repeated, and digits
SENTENCES = [
    ("The old man the boat .", "bilstm"),
    ("The old man the boat .", "local"),
    ("Stop", "local"),
    ("2 1 2", "bilstm"),
    ("the the the the", "bilstm"),
    ("no", "local"),
    ("Hat die Katze Hunger ?", "local"),
    ("My back hurts .", "local"),
    ("What time is it ?", "bilstm"),
    ("Paris Hilton visited Paris Texas", "ner"),
    (" ".join(["time flies like an arrow ."] * 10), "local"),  # 60 words
]
SCORES = (  # of a table: everything ties, some tie, some are forbidden, none is like another
    (0.0,),
    (0.0, 1.0),
    (0.0, 0.5, 2.0, -1.5, 3.0, -math.inf),
    tuple(n / 10 for n in range(-50, 51)),
    tuple(n / 1000 for n in range(-9999, 9999, 7)),
    (-20.0, 0.0, 20.0),
)
SHAPES = ((1, 3), (2, 1), (2, 2), (2, 4), (3, 3), (3, 3), (4, 5), (4, 4), (17, 2))  # tags, words
CONTROLS = {
    "learning": (
        "score_t.0.0", "score_e.0.0", "rate_9", "rate_0", "right_0.0.0", "weight_T.1.0",
        "method_perceptron", "method_adam~eta_.1", "penalty_.3", "start_random 1", "eta_0",
        "corpus_a/X b/X", "corpus_not-separable", "model_pairs", "code_B", "code_C",
    ),
    "constraints": ("flip_0.0", "flip_5.3", "out_none", "out_0.0", "out_1.0-1.1", "flip_1.1-2.2"),
    "graphs": ("days_-----", "days_h-c-h", "days_hhhhh", "days_-h---", "days_hh-hh", "days_--chh",
               "cones_11111", "sees_all", "model_discriminative", "letter_o~evidence_.2",
               "letter_i", "evidence_0", "hot_.9"),
    "stability": ("words_1", "words_300", "c_0", "c_-500", "c_88"),
    "cost": ("shape_left", "semiring_max", "long_1", "tags_2", "tags_1", "against_kernels",
             "way_0.0"),
    "batches": ("rows_", "changes_left-nan", "changes_shuffled", "cell_0.0.0", "rows_a", "rows__",
                "rows_a\n_", "rows_a b\nb a~changes_nan", "rows_a b\n_"),
    "implement": ("pasted_beta", "form_message", "space_probability", "claim_loss", "ends_off",
                  "claim_log-z 19", "claim_log-z 3", "claim_score 7", "pasted_delta"),
    "words": ("tagger_names", "tagger_local", "cut_0"),
}  # fmt: skip


class Case(NamedTuple):
    """What is shown: `beat.now(state)` with its lesson."""

    lesson: str
    beat: object
    state: State


def _table(draw: Random, scores, shape):
    if len(shape) == 1:
        return [draw.choice(scores) for _ in range(shape[0])]
    return [_table(draw, scores, shape[1:]) for _ in range(shape[0])]


def problem(draw: Random) -> Problem:
    """Scores of 1 to 17 tags and 1 to 5 words, many alike, some forbidden."""
    (S, m), scores = draw.choice(SHAPES), draw.choice(SCORES)
    tags = [f"T{s}" for s in range(S)]
    if S <= 4:
        names = (tags, ["DET", "VERB", "NOUN", "AUX"], ["B-PER", "I-PER", "O", "B-LOC"])
        tags = draw.choice([*names, ["B", "I", "O"]] if S == 3 else names)[:S]
    tables = [_table(draw, scores, shape) for shape in ((m, S), (S, S), (S,), (S,))]
    if draw.random() < 0.1:
        tables[0][draw.randrange(m)] = [-math.inf] * S  # no reading
    return Problem.of(tags, [draw.choice(WORDS) for _ in range(m)], *tables)


def case(seed: int, lessons=tuple(LESSONS)) -> Case:
    """A lesson's beat in a state, by chance."""
    draw = Random(seed)
    lesson, beat = draw.choice([one for one in EVERY if one[0] in lessons])
    kind = draw.choice(["example", "example", "table", "table", "table", "sentence"])
    if kind == "table":
        table = problem(draw)
        state = State(Base(table=table), Given(table, "hand"))
    elif kind == "example":
        state = state_of({"ex": draw.choice(sorted(EXAMPLES))}, lesson)[0]
    else:
        text, tagger = draw.choice(SENTENCES)
        state = state_of({"sentence": text, "tagger": tagger}, lesson)[0]
    m, S = len(state.problem.tokens), len(state.problem.tags)
    if draw.random() < 0.25:
        place = ("emissions", (draw.randrange(m), draw.randrange(S)))
        state = replace(state, edits={place: draw.choice([0.0, 9.0, -0.25, -math.inf])})
    if draw.random() < 0.25:
        state = replace(state, fixed={draw.randrange(m): draw.randrange(S)})
    if draw.random() < 0.25:
        state = replace(state, path=tuple(draw.randrange(S) for _ in range(m)))
    if lesson == "trellis" and draw.random() < 0.3:
        form, scale = draw.choice(["state", "message", "pair"]), draw.choice(["log", "potential"])
        state = replace(state, form=form, scale=scale)
    if lesson in CONTROLS and draw.random() < 0.5:
        controls = draw.choice(CONTROLS[lesson]).split("~")
        state = replace(state, controls=dict(one.split("_", 1) for one in controls))
    if lesson == "tag" and draw.random() < 0.6:
        state = replace(
            state, lambda_=draw.choice([0.0, 0.3, 1.0]), tau=draw.choice([0.0, 0.4, 1.0])
        )
    steps = beat.steps(beat.prepare(state).problem)
    if draw.random() < 0.7:
        state = replace(state, step=draw.choice(steps))
    bet = beat.asks(state)
    options = ["-", "-", "."]
    options += (bet.options or ("7.5", "0", "x", bet.right)) if bet else ()
    return Case(lesson, beat, replace(state, bet=draw.choice(options)))


def cases(lessons=tuple(LESSONS)):
    """Cases of some lessons."""
    return st.integers(0, 2**40).map(lambda seed: case(seed, lessons))
