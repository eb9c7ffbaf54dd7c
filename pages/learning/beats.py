"""Learning, beat by beat: observed − expected, a corpus, and whether a gradient is right."""

from pages.learning import corpus_beats as corpus
from pages.learning import gradient_beats as gradient
from pages.learning import methods_beats as methods
from pages.learning import sentence_beats as sentence
from pages.learning.controls import CORPUS, GRADIENT, SENTENCE, TEXT
from pages.shared.figures.told import Telling, tell

BEATS = (
    *tell(
        "learning", TEXT,
        Telling(
            "counts", sentence.drawn, sentence.facts, sentence.at_counts,
            steps=lambda problem: range(2), controls=SENTENCE,
        ),
        Telling(
            "step", sentence.drawn, sentence.later_facts, sentence.at_counts,
            steps=sentence.several_steps, opens=lambda problem: 1, bet=sentence.bet_on_steps,
            controls=SENTENCE,
        ),
        Telling(
            "sign", sentence.drawn_slope, sentence.slope_facts, sentence.at_slope,
            steps=sentence.moves, opens=lambda problem: sentence.MOVES.index(0),
            controls=SENTENCE,
        ),
    ),
    *tell(
        "learning", TEXT,
        Telling(
            "likelihood", corpus.drawn_likelihood, corpus.likelihood_facts, corpus.at_likelihood,
            steps=corpus.lines, opens=lambda problem: 1, controls=CORPUS,
        ),
        Telling(
            "corpus", corpus.drawn_corpus, corpus.corpus_facts, corpus.at_corpus,
            steps=corpus.iterations, opens=lambda problem: corpus.OPENS,
            bet=corpus.bet_on_weight, veil=corpus.without_pulls, controls=CORPUS,
        ),
        Telling(
            "methods", methods.drawn_methods, methods.methods_facts, methods.at_methods,
            steps=methods.few_iterations, opens=lambda problem: corpus.OPENS, controls=CORPUS,
        ),
        chooses=False,
    ),
    *tell(
        "learning", TEXT,
        Telling(
            "right", gradient.drawn, gradient.facts, gradient.at_power, steps=gradient.powers,
            opens=lambda problem: gradient.OPENS, bet=gradient.bet_on_error,
            veil=gradient.veiled, controls=GRADIENT,
        ),
        Telling(
            "fault", gradient.drawn_fault, gradient.fault_facts, bet=gradient.fault_bet,
            controls=GRADIENT,
        ),
    ),
)  # fmt: skip
