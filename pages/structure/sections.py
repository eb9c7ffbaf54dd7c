"""Sections of the lesson "Why structure": words alone, counting, problems, the map, features."""

import math

import streamlit as st

from pages.shared.figures import decoders, problem_scores, tables
from pages.shared.figures.path_score import prose
from pages.shared.ui import exports, fixed_tags, problem_state, question
from pages.shared.ui.controls import Choice
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.structure import model_prose
from pages.structure import prose as structure_prose
from pages.structure.greedy import DECODERS, against_the_best
from pages.structure.greedy import Decoded as Greedy

MODEL = Choice(
    "structure.model",
    "crf",
    address="graph",
    labels={"crf": "CRF", "memm": "MEMM", "hmm": "HMM"},
)
SEES = Choice(
    "structure.sees",
    "token",
    address="sees",
    labels={"token": "Its word", "sentence": "All words"},
)
LETTER = Choice("structure.letter", "o", address="letter", labels={"o": "o", "i": "i"})
PAGE = "structure"
LARGE = 100  # scores that are shown unfolded


def open_lesson() -> Lesson:
    """The formula and the problem's bar."""
    lesson = Lesson.open(
        PAGE,
        controls=(MODEL, SEES, LETTER),
        own=lambda problem: fixed_tags.query(PAGE, problem),
    )
    if "equation" not in lesson.view.hide:
        st.html(_formula())
    lesson.bar()
    return lesson


def _formula() -> str:
    """One maximum for each token, against one over all sequences."""

    def symbol(role: str, text: str, index: str) -> str:
        return f'<span class="crf-role-{role}">{text}<sub>{index}</sub></span>'

    y, at = "<i>y<sub>t</sub></i>", "<i>t</i>, <i>s</i>"
    emission = symbol("e", "e", at)
    return (
        f'<p class="crf-prose crf-formula">word by word: {y} = argmax<sub><i>s</i></sub> {emission}'
        "<br>as a whole: <i>y</i> = argmax<sub><i>y</i></sub> [ Σ<sub><i>t</i></sub> "
        + symbol("e", "e", "<i>t</i>, <i>y<sub>t</sub></i>")
        + " + Σ<sub><i>t</i></sub> "
        + symbol("t", "T", "<i>y<sub>t</sub></i> → <i>y<sub>t</sub></i>₊₁")
        + " ]</p>"
        f'<p class="crf-prose">A score says how well something fits: {emission}, the emission, how '
        "well tag <i>s</i> fits word <i>t</i>; "
        + symbol("t", "T", "<i>i</i> → <i>j</i>")
        + ", the transition, how well tag <i>j</i> follows tag <i>i</i>. Scores may be any number, "
        "and −∞ means forbidden. (Scores for the first and the last tag, start and end, are added "
        "where a problem has them.)</p>"
    )


# ---------------------------------------------------------------------- word by word


def scores(shown: Lesson) -> None:
    """All scores of the problem, to be read; folded where they are many."""
    problem = shown.problem
    S, m = len(problem.tags), len(problem.tokens)
    steps = m - 1 if problem.per_step else 1
    many = S * (m + S * steps) > LARGE
    with st.expander("The scores on screen, as tables") if many else st.container():
        st.html(problem_scores.whole(problem))
        note(problem_scores.LEGEND)


def greedy(shown: Lesson) -> None:
    """Two greedy decoders against the best path; first a guess."""
    problem = shown.problem
    st.header("Tagging each word by itself", anchor=False)
    scores(shown)
    found = [against_the_best(problem, decoder) for decoder in DECODERS]
    alone, left_to_right = found
    if alone is None or left_to_right is None:
        st.info("No path is allowed here, so there is nothing to decode. Take another example.")
        return
    if shown.tells:
        st.html(
            prose(
                "A greedy decoder takes what looks best at once, and never takes it back; where "
                "a good beginning misleads it, one speaks of a garden path. The simplest tagger "
                "is greedy: it gives each word the tag with the best emission and never asks "
                "whether neighbouring tags go together. A less simple one goes from left to right "
                "and adds the transition from the tag it has just chosen. It is greedy, too."
            )
        )
    words = [decoders.word(problem, t) for t in range(len(problem.tokens))]
    wrong = len(words) if alone.mistake is None else alone.mistake.token
    if not question.guess(
        "Word by word: which is the first word whose tag differs from the best path’s?",
        [*words, "none"],
        wrong,
        key="structure.guess",
        subject=(problem_state.origin().label, len(problem.tags), len(problem.tokens)),
    ):
        return
    table = decoders.path_table(problem, _decoded(shown), "Two greedy paths and the best one")
    st.html(f'<div class="crf-long-names">{table}</div>')
    for column, one in zip(st.columns(2, gap="large"), (alone, left_to_right), strict=True):
        with column:
            _decision(shown, one)


def _decoded(shown: Lesson) -> list[decoders.Decoded]:
    """Best path, each word by itself, left to right."""
    best, alone, left_to_right, _ = shown.decoded
    return [
        best._replace(name="Best path", about="as a whole"),
        alone._replace(name="Word by word"),
        left_to_right,
    ]


def _decision(shown: Lesson, found: Greedy) -> None:
    problem, mistake = shown.problem, found.mistake
    if shown.tells:
        st.html(prose(*structure_prose.decision(problem, found)))
    if mistake is not None:
        header, rows, ringed = structure_prose.decision_rows(problem, found.decoder, mistake)
        caption = f"{structure_prose.MANNER[found.decoder]}: the decision that went wrong"
        st.html(tables.text_table(header, rows, caption, ringed))


# ---------------------------------------------------------------------- problems and models


def three_problems(shown: Lesson) -> None:
    """Evaluation, decoding, learning: each with this problem's number."""
    st.header("Three questions to ask of a model", anchor=False)
    if not shown.reading.feasible:
        st.info(model_prose.NO_ANSWERS)
        return
    with shown.results("Show this problem’s answers"):
        st.html(model_prose.problems_html(_problems(shown)))


def _problems(shown: Lesson) -> list[list[str]]:
    problem, chain = shown.problem, shown.reading.chain
    best, *others = _decoded(shown)
    other = next((o for o in others if o.path != best.path and o.log_p > -math.inf), best)
    taught = model_prose.lesson(
        problem, other.path, other.log_p, chain.pair_marginals[0], chain.marginals[0]
    )
    log_z = shown.reading.log_z
    return model_prose.basic_problems(problem, best.path, best.score, log_z, taught)


def kin(shown: Lesson) -> None:
    """The map of models, and where the problem on screen stands on it."""
    from pages.structure import figures as structure

    st.header("From local to global: a map", anchor=False)
    if shown.tells:
        st.html(
            prose(
                "A generative model tells how tags and words come about together, p(x, y). A "
                "discriminative one only asks which tags go with these words, p(y | x), and may "
                "look at the words as it likes. Each model in the lower row is the one above it, "
                "trained for the other question; each column has more structure than the one "
                "before it."
            )
        )
    st.html(structure.kin_table())
    if shown.tells:
        note(structure.KIN_SYMBOLS)
    if shown.tells and shown.reading.feasible:
        best = _decoded(shown)[0]
        told = model_prose.without_transitions(shown.problem, best.path, math.exp(best.log_p))
        st.html(prose(*filter(None, (told, model_prose.is_it_an_hmm(shown.problem)))))


def features(shown: Lesson) -> None:
    """A factor is the exponential of weights times features."""
    if not shown.tells:
        return
    st.header("Where the scores come from", anchor=False)
    here = model_prose.NO_SUM
    if shown.reading.feasible:
        here = model_prose.features(shown.problem, _decoded(shown)[0].path)
    st.html(
        prose(
            "Each factor of a CRF is the exponential of weights times features, ψ = exp(θ · f), "
            f"with the same θ at every position. {here}",
            "Added up along a path, the weights give its score, and a score that is a sum of terms "
            "for one or two neighbours is what makes all recursions possible. The lesson “Scores” "
            "goes through it term by term.",
        )
    )


def export_table(shown: Lesson) -> exports.Table:
    """The decoders' paths."""
    return exports.Table.of(lambda: decoders.path_rows(shown.problem, _decoded(shown)))
