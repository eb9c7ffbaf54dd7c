"""Label bias, in the lesson "Why structure": rib and rob under MEMM, CRF and HMM."""

import math

import streamlit as st

from pages.shared.course.brute_force import count_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders, tables
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import probability
from pages.shared.ui import exports, question
from pages.shared.ui.lesson import Lesson
from pages.structure import label_bias
from pages.structure.bias_figures import derived, flow_drawing, flows, path_rows
from pages.structure.graph_component import graph
from pages.structure.sections import LETTER

MIDDLE = 1  # the token that tells rib from rob
LETTERS = ("o", "i")
STRENGTHS = (0.0, 1.0, 3.0, 6.0, 10.0)  # nats
MOST_COMPARED = 2000  # paths of the problem on screen, in some 70 ms


def heard(letter: str, evidence: float | None = None) -> Problem:
    """The example rib or rob with a letter read in the middle."""
    example = EXAMPLES["rib-rob"].problem
    usual = max(example.emissions[MIDDLE])
    return label_bias.hear(example, MIDDLE, letter, usual if evidence is None else evidence)


def probabilities(letter: str, word: str, evidence: float | None = None) -> tuple[float, ...]:
    """A word's probability under MEMM, CRF and HMM.

    Args:
        letter: What is read in the middle.
        word: "rib" or "rob".
        evidence: The emission of the right state, in nats; None for the example's.
    """
    problem = heard(letter, evidence)
    hmm = label_bias.as_hmm(problem, [heard(other, evidence) for other in LETTERS])
    state = problem.tags.index(f"r·{word}")
    found = next(path for path in label_bias.compare(problem) if path.tags[0] == state)
    generated = next(path for path in label_bias.compare(hmm) if path.tags[0] == state)
    return found.memm, found.crf, generated.crf


def section(shown: Lesson) -> None:
    """A question, both models side by side, and why."""
    st.header("Label bias: why normalise as a whole?", anchor=False)
    example = EXAMPLES["rib-rob"].problem
    paths = label_bias.compare(heard("o"))
    prior = {path.tags[0]: path.memm for path in paths}
    if shown.tells:
        rib, rob = (prior[example.tags.index(f"r·{word}")] for word in ("rib", "rob"))
        st.html(
            prose(
                "A MEMM (maximum-entropy Markov model) multiplies local probabilities, each "
                "normalised for itself; a CRF multiplies scores and normalises once. Here is where "
                "it matters, where each choice sees its own letter only: five states "
                "spell two words, rib and rob. At first rib is the likelier, "
                f"{probability(rib)} to {probability(rob)}. After that each state has one "
                "successor only. Now an o is read."
            )
        )
    if not question.guess(
        "What will the MEMM make of it?",
        ["rob: the o is clear evidence", "rib: as before", "half and half"],
        1,
        key="structure.bias",
        subject="rib-rob",
        why="The letter has no say, as you see below.",
    ):
        return
    if "controls" not in shown.view.hide:
        LETTER.widget(
            "The middle letter read", help="What the models read in the middle of the word."
        )
    letter = LETTER.value
    problem = heard(letter)
    paths = label_bias.compare(problem)
    allowed = [path for path in paths if path.score > -math.inf]
    for column, model, name in zip(
        st.columns(2), ("memm", "crf"), ("MEMM: normalised state by state", "CRF: as a whole"),
        strict=True,
    ):  # fmt: skip
        with column:
            st.subheader(name, anchor=False)
            label = f"{name}, ‘{letter}’ read"
            picture = flow_drawing(problem, flows(allowed, model), label)
            graph(picture, key=f"structure.flow.{model}")
    header = ["path", "score", "MEMM", "CRF"]
    st.html(tables.text_table(header, path_rows(problem, allowed), "Both words, both models"))
    if shown.tells:
        st.html(prose(derived(problem, allowed), *_told(letter)))
    other = LETTERS[1 - LETTERS.index(letter)]
    rows = [
        [
            *(decoders.format_score(x, 0) for x in (2 * e, e, -e if e else e)),
            *map(probability, probabilities(letter, f"r{letter}b", e)),
        ]
        for e in STRENGTHS
    ]
    header = ["evidence, nats", f"score of {letter}", f"of {other}", "MEMM", "CRF", "HMM"]
    st.html(tables.text_table(header, rows, f"p(r{letter}b) as the evidence grows"))
    if shown.tells:
        st.html(prose(*filter(None, (_hmm(letter), _on_screen(shown)))))


def _told(letter: str) -> list[str]:
    other = LETTERS[1 - LETTERS.index(letter)]
    memm, crf, _ = probabilities(letter, f"r{letter}b")
    changed, _, _ = probabilities(other, f"r{letter}b")
    return [
        "On the lines stands where each state leads, and with what probability; they are as thick "
        "as the probability that passes along them.",
        f"With {letter} read, the MEMM gives r{letter}b {probability(memm)}; had it read {other}, "
        f"{probability(changed)}: the same. In a MEMM all that comes into a state must go out "
        "again. A state with one successor passes all of it on, with probability 1, whatever it "
        "reads. The fewer successors a state has, the less the input counts: a bias for states "
        "with few ways on.",
        f"The CRF gives r{letter}b {probability(crf)}. Its factors need not sum to 1, so a state "
        "may pass on more than came in, or less: exp(score) of a path that does not fit is small, "
        "wherever the misfit is. Z compares whole paths, and so the letter changes even what "
        "happens before it is read.",
        f"How strong would the evidence have to be? The letter speaks for {letter} by the score of "
        f"state {letter}, and against {other} by that of state {other}, so that the evidence is "
        f"their difference. This is the probability of r{letter}b as it grows:",
    ]


def _hmm(letter: str) -> str:
    _, crf, hmm = probabilities(letter, f"r{letter}b")
    return (
        "HMMs have no label bias. Their transitions, too, sum to 1, but each state also multiplies "
        "by the probability of what is read, p(x | y), which may be small for all that comes in. "
        f"With the same scores turned into such probabilities the HMM gives r{letter}b "
        f"{probability(hmm)}, against the CRF’s {probability(crf)}."
    )


def _on_screen(shown: Lesson) -> str:
    """The problem on screen under both models."""
    problem = shown.problem
    if (
        not shown.reading.feasible
        or count_paths(problem) > MOST_COMPARED
        or len(problem.tokens) < 2
    ):
        return ""
    paths = label_bias.compare(problem)
    crf, memm = paths[0], max(paths, key=lambda path: path.memm)
    told = (
        "The scores of the problem on screen, normalised state by state: the MEMM’s best path is "
        f"{decoders.names(problem, memm.tags)}, {probability(memm.memm)}."
    )
    if memm.tags == crf.tags:
        return f"{told} It is the CRF’s, too, which gives it {probability(crf.crf)}."
    return f"{told} The CRF’s is {decoders.names(problem, crf.tags)}, {probability(crf.crf)}."


def export_table(shown: Lesson) -> exports.Table:
    """Both words under the three models, for either letter."""
    rows: exports.Rows = [["read", "word", "MEMM", "CRF", "HMM"]]
    rows += [
        [f"r{letter}b", word, *probabilities(letter, word)]
        for letter in LETTERS
        for word in ("rib", "rob")
    ]
    return exports.Table.of(lambda: rows)
