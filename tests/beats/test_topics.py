"""The 187 topics of the course's sources: each is where the syllabus says, with its number.

A row is a topic, its place as `docs/syllabus.md` has it, a state, and what stands there: words, or
numbers of a table. Numbers come from the oracles, from plain Python here, or from the source.
"""

import math
import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from crf.__main__ import parser
from crf.figures.numbers import format_score
from pages.beats import LESSONS
from pages.graphs import ice_cream
from pages.shared import contents
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.beat import beat_with
from pages.shared.ui.stage import look
from pages.shared.ui.stage.view import state_of, view
from tests.apps import all_of, benched, section
from tests.beats.test_every_beat import find, plain, strings
from tests.oracles import marginals as oracle
from tests.oracles import recursions
from tests.test_docs import rows_of_the_syllabus

BOAT, TABLES = EXAMPLES["old-man"].problem, EXAMPLES["pair-potentials"].problem
NOUN, VERB, MAN = 2, 3, 2
S, L = len(BOAT.tags), len(BOAT.tokens)
LOG_Z, BEST = recursions.total(BOAT, "sum"), recursions.total(BOAT, "max")
P_BEST = math.exp(BEST - LOG_Z)
SURE = oracle.unary(BOAT)
EXPECTED = sum(oracle.pairs(BOAT, t)[NOUN][VERB] for t in range(L - 1))
TEN, PAIR = {"ex": "pair-potentials"}, {"ex": "pair-potentials", "form": "pair"}
MESSAGE, TOLD = {"form": "message"}, {"bet": "-"}
MARGINALS, BACKWARD = ({"bench.quantity": name} for name in ("marginals", "backward"))


def f(value: float, digits: int = 2) -> str:
    """A score as readers see it."""
    return format_score(value, digits)


def p(value: float, digits: int = 2) -> str:
    """A probability as a beat has it."""
    return f"{value:.{digits}f}".removeprefix("0")


class Numbers(NamedTuple):
    """Some table of a page has these numbers, [rows][columns], at its left top or turned."""

    rows: Sequence[Sequence[float]]
    within: float = 0.006


def cells(problem: Any, form: str, semiring: str) -> Numbers:
    """Forward or Viterbi cells, [S][columns], by the oracle."""
    words, tags = range(form == "message", len(problem.tokens)), range(len(problem.tags))
    return Numbers([[recursions.cell(problem, form, semiring, t, s) for t in words] for s in tags])


def betas(form: str) -> Numbers:
    """Backward cells, [S][columns]."""
    columns = range(L - (form == "message"))
    return Numbers([[oracle.beta(BOAT, form, "sum", c, s) for c in columns] for s in range(S)])


def by_columns(problem: Any) -> tuple[list[list[float]], list[list[float]]]:
    """α and β of a sentence too long to list its paths, in pair form, as the source has them."""
    m, tags = len(problem.tokens), range(len(problem.tags))
    psi = [
        [
            [recursions.matrix(problem, t)[i][j] + problem.emissions[t][j] for j in tags]
            for i in tags
        ]
        for t in range(1, m)
    ]
    psi[-1] = [[x + end for x, end in zip(row, problem.end, strict=True)] for row in psi[-1]]
    alpha = [[problem.start[s] + problem.emissions[0][s] for s in tags]]
    beta = [[0.0 for _ in tags]]
    for table in psi:
        before = alpha[-1]
        alpha.append([_log_sum(before[i] + table[i][j] for i in tags) for j in tags])
    for table in reversed(psi):
        after = beta[0]
        beta.insert(0, [_log_sum(table[i][j] + after[j] for j in tags) for i in tags])
    return alpha, beta


def _log_sum(values: Any) -> float:
    return math.log(math.fsum(map(math.exp, values)))


def pointers() -> list[list[int]]:
    """[L - 1][S] where the best way into each cell comes from, by plain loops."""
    delta, found = [a + b for a, b in zip(BOAT.start, BOAT.emissions[0], strict=True)], []
    for t in range(1, L):
        ways = [[delta[i] + BOAT.transitions[i][j] for i in range(S)] for j in range(S)]
        found.append([way.index(max(way)) for way in ways])
        delta = [max(way) + e for way, e in zip(ways, BOAT.emissions[t], strict=True)]
    LAST.extend(d + end for d, end in zip(delta, BOAT.end, strict=True))
    return found


LAST: list[float] = []  # δ + end of the last column
POINTERS = pointers()
ALPHA, BETA = by_columns(TABLES)
COLD = ice_cream.problem("32221")
HOT = [oracle.probability(COLD, lambda y, t=t: y[t] == 0, lambda y: y[2] == 0) for t in (1, 3)]
ROWS = ("The old man the boat the old man", "the boat the old man")


KNOWN = {word.lower(): e for word, e in zip(BOAT.tokens, BOAT.emissions, strict=True)}
ALPHA_MAN, ALPHA_BOAT = (
    [recursions.cell(BOAT, "state", "sum", t, s) for s in range(S)] for t in (MAN, L - 1)
)
DELTA_OLD = [recursions.cell(BOAT, "state", "max", MAN - 1, s) for s in range(S)]
EARNS = recursions.row(BOAT).paths[(0, 1, NOUN, 0, NOUN)]
KEPT = BOAT.tags[POINTERS[-1][NOUN]]


def sentence(words: str) -> float:
    """log Z of a row of a batch: each word with its scores."""
    first, *others = words.lower().split()
    column = [a + b for a, b in zip(BOAT.start, KNOWN[first], strict=True)]
    for word in others:
        ways = ([column[i] + BOAT.transitions[i][j] for i in range(S)] for j in range(S))
        column = [_log_sum(way) + e for way, e in zip(ways, KNOWN[word], strict=True)]
    return _log_sum(a + b for a, b in zip(column, BOAT.end, strict=True))


def best_of(words: str) -> str:
    """Score and tags of a row's best path, as the row of a table."""
    first, *others = words.lower().split()
    best = [(BOAT.start[s] + KNOWN[first][s], (s,)) for s in range(S)]
    for word in others:
        best = [
            max((score + BOAT.transitions[y[-1]][s] + KNOWN[word][s], (*y, s)) for score, y in best)
            for s in range(S)
        ]
    score, path = max((score + BOAT.end[y[-1]], y) for score, y in best)
    return f"{score},{' '.join(BOAT.tags[s] for s in path)}"


# topic, place, state, what stands there
THEORY = [
    ("tagging as the task", "/", {}, "looks like a verb"),
    ("a sentence of which some tags are known", "/", {"fix": "4.7"}, "You fixed arrow as a noun"),
    ("uses of tagging", "/graphs?beat=factors ⋯ Structured prediction", {}, "names in a text"),
    ("structured prediction", "/graphs?beat=factors ⋯ Structured prediction", {}, "one object"),
    ("y* = argmax", "/graphs?beat=factors ⋯ Structured prediction", {}, r"\operatorname*{argmax}"),
    ("|S|^m", "/structure?beat=count", TOLD, f"{S**L:,} readings"),
    ("greedy", "/structure?beat=bet ⋯ Ways to decode", {}, "Greedy,18.00,0.239,DET,≠ ADJ,≠ NOUN"),
    ("a CRF as a graph", "/graphs?beat=factors", {"step": "4"}, "ψ(y₂, y₃)"),
    ("generative, discriminative", "/graphs?beat=questions", TOLD, f"= {p(0.5 * 0.7 / 0.4, 3)}"),
    ("a product of factors", "/graphs?beat=factors", {"step": "4"}, "product of all squares"),
    ("directed and undirected", "/graphs?beat=kin", {"step": "4"}, "squares instead of arrows"),
    ("G = (V, F, E)", "/graphs?beat=factors ⋯ Factor graph", {}, "G = (V, F, E)"),
    ("∏ψ_a", "/graphs?beat=factors ⋯ Factor graph", {}, r"\prod_{a \in F}"),
    ("linear-chain and general CRF", "/graphs?beat=kin", {}, "general CRF"),
    ("the figure of the chain", "/graphs?beat=factors", {"step": "4"}, "y₂, y₃"),
    (
        "independence",
        "/graphs?beat=known",
        TOLD,
        f"{p(HOT[0] * HOT[1], 3)} = {p(HOT[0], 3)} × {p(HOT[1], 3)}",
    ),
    ("p(y | x)", "/graphs?beat=kin", {"step": "4"}, "p(y | x) = 1/Z(x) · ∏ₜ ψ(yₜ, x, t)"),
    ("ψ = exp(θ·f)", "/graphs?beat=factors ⋯ Features", {}, r"\psi = \exp(\theta \cdot f)"),
    ("Z", "/structure?beat=logz", TOLD, f"log Z = {f(LOG_Z)}"),
    ("the two sums", "/scores", {}, f"earns {f(BEST, 1)}, more than any other"),
    ("the likelihood of N points", "/learning?beat=likelihood", {"step": "1"}, "Σ (score − log Z)"),
    (
        "∇ = observed − expected",
        "/learning?beat=counts",
        {},
        f"observed 1 − expected {p(EXPECTED)}",
    ),
    ("∇ by an emission", "/learning?beat=counts ⋯ Derivation", {}, "marginal p(yₜ = s | x)"),
    (
        "∇ by a transition",
        "/learning?beat=counts ⋯ Derivation",
        {},
        f"1.0000 − {f(EXPECTED, 4)} = {f(1 - EXPECTED, 4)}",
    ),
    ("the gradient needs marginals", "/learning?beat=counts ⋯ Derivation", {}, "pair marginal"),
    ("exponential to polynomial", "/forward ⋯ What it costs", {}, f",{S**L - 1}.0,"),
    ("7! from 5!", "/structure?beat=regroup ⋯ Derivation", {}, f"= {math.factorial(7)}"),
    ("Z as nested sums", "/forward ⋯ Derivation", {}, r"Z = \sum_{y_{5}} \, \varepsilon"),
    ("braces", "/forward ⋯ My textbook", MESSAGE, r"}_{\alpha_{1}(y_{2})}"),
    (
        "impossible without independence",
        "/structure?beat=regroup ⋯ Derivation",
        {},
        "one would have to go through all paths",
    ),
    ("α(1, y₂)", "/forward ⋯ My textbook", MESSAGE, cells(BOAT, "message", "sum")),
    ("α(t, yₜ₊₁)", "/forward ⋯ My textbook", MESSAGE, r"}_{\alpha_{2}(y_{3})}"),
    ("the columns", "/forward", {}, f"= {f(recursions.cell(BOAT, 'state', 'sum', MAN, 0))}"),
    ("operations", "/forward ⋯ What it costs", {}, f"looks at {(L - 1) * S * S} ways"),
    ("Z from α(m − 1)", "/forward ⋯ My textbook", MESSAGE, f"Message,{L - 1},{f(LOG_Z, 6)}"),
    ("marginals as sums", "/structure?beat=meet ⋯ Derivation", {}, r"\sum_{y_1 \dots y_{t-1}}"),
    ("β as sums from the right", "/backward ⋯ Derivation", {}, r"\beta_{4}(y_{4}) = \sum_{y_{5}}"),
    ("β(m, ·)", "/backward ⋯ My textbook", MESSAGE, betas("message")),
    ("β(t, ·)", "/backward ⋯ My textbook", {}, betas("state")),
    ("the backward pass", "/backward", {"step": "20"}, f"log Z = {f(LOG_Z)} again"),
    (
        "αβψ",
        "/structure?beat=meet ⋯ Derivation",
        {},
        r"\alpha_{t-1}(s)\, \psi(s, x_t)\, \beta_{t+1}(s)",
    ),
    ("p(yₜ)", "/structure?beat=meet", TOLD, f"VERB wins with {p(SURE[MAN][VERB])}"),
    ("p(yₜ, yₜ₊₁)", "/structure?beat=meet ⋯ How certain", {}, Numbers(oracle.pairs(BOAT, 0))),
    ("argmax p", "/viterbi", {"step": "20"}, f"best reading scores {f(BEST, 1)}"),
    ("v, message form", "/viterbi ⋯ My textbook", MESSAGE, cells(BOAT, "message", "max")),
    (
        "backpointers",
        "/structure?beat=back ⋯ Derivation",
        {},
        [BOAT.tags[s] for column in POINTERS for s in column],
    ),
    ("the animation", "/forward", {"step": "9"}, ["Four ways lead into man, ADJ", f(ALPHA_MAN[1])]),
    ("Viterbi costs m|S|²", "/viterbi ⋯ What it costs", {}, f"fills {S * L} cells"),
    ("SGD end to end", "/tagger?beat=train", {}, f"of {8 * 400 // 16}. This batch"),
    ("sources of the theory", "/forward ⋯ Sources", {}, "Larochelle"),
]
IMPLEMENTATION = [
    ("an annotated sentence", "/ ⋯ Ways to decode", {}, "NOUN,VERB,ADP,DET,NOUN,PUNCT"),
    ("BiLSTM-CRF", "/tagger?beat=network", {}, "BiLSTM →"),
    ("NLL of a data set", "/learning?beat=likelihood ⋯ Loss of a batch", {}, "NLL = −log ℒ"),
    ("NLL of a minibatch", "/tagger?beat=train", {}, "−( Σ log p ) / 16"),
    ("autodiff", "/learning?beat=right ⋯ Every entry", {}, "automatic"),
    ("what features see", "/tagger?beat=replace", TOLD, "its neighbour changed"),
    ("H̄ and H", "/tagger?beat=network", {"step": "1"}, "[5, 288] → [5, 512]"),
    ("θ₁·f = H[t, y]", "/tagger?beat=network", {"step": "2"}, "H = H̄ W + b"),
    ("<PAD>", "/tagger?beat=network ⋯ Tagger(x)", {}, "Index 0 is <PAD>"),
    ("look-up", "/tagger?beat=network ⋯ Tagger(x)", {}, "word,her,114"),
    ("Encoder", "/tagger?beat=network ⋯ Names", {}, "crf.tagger.model.Encoder"),
    ("loss, score, tags", "/tagger?beat=network ⋯ Tagger(x)", {}, "0.0012,75.2268,PRON VERB PRON"),
    ("(|S| + 2)²", "/forward ⋯ My textbook", {"ends": "root"}, "<ROOT>"),
    ("−10000", "/stability?beat=forbidden", TOLD, f"1 − 10000 + 1 = −{10000 - 2}"),
    ("ChainCRF", "/tagger?beat=network ⋯ Names", {}, "ChainCRF.forward"),
    ("Xavier", "/tagger?beat=train ⋯ Train", {"with": "encoder_plain"}, "Xavier"),
    ("T[i, j], from i to j", "/scores ⋯ Change scores", {}, "from ↓ to →"),
    ("θ₂ is shared", "/graphs?beat=factors ⋯ Features", {}, "the same weights at every place"),
    ("the skeleton", "/check?beat=cell", {}, "Transitions transposed"),
    ("batches are fast", "/batches?beat=loop ⋯ Throughput", {}, "sentences a second"),
    ("the noise of a batch", "/tagger?beat=batches", TOLD, "1 ⁄ √B"),
    ("a noisy loss", "/tagger?beat=train", {}, "the dots jump"),
    (
        "time is not parallel",
        "/cost?beat=trees",
        TOLD,
        f"{int(math.log2(1024))} rounds, not {1023:,}",
    ),
    (
        "a batch of 8 and 5 words",
        "/batches?beat=loop ⋯ Results",
        {},
        [f"{sentence(row):.10f}"[:10] for row in ROWS],
    ),
    ("input_lengths", "/batches?beat=loop", TOLD, f"{ROWS[1]} has ended"),
    ("input_mask", "/batches?beat=loop", TOLD, "torch.where(mask[:, t, None], new, alpha)"),
    ("why logs", "/stability?beat=multiply", TOLD, "After 46 words, only float64"),
    ("from ψ to logsumexp", "/forward ⋯ Derivation", {}, "is called logsumexp"),
    ("−c + c", "/stability?beat=subtract", {}, "exp ( q − c + c )"),
    ("c = max", "/stability?beat=subtract", {}, "exp 0 = 1"),
    (
        "logsumexp in code",
        "/stability?beat=subtract ⋯ logsumexp",
        {},
        "torch.exp(scores - largest)",
    ),
    ("broadcasting", "/batches?beat=shapes", TOLD, f"{len(ROWS) * S * S} sums"),
    ("α̂", "/forward ⋯ My textbook", {}, cells(BOAT, "state", "sum")),
    ("α and α̂", "/forward ⋯ My textbook", {}, [f"{n},{f(LOG_Z, 6)}" for n in (L, L - 1, L)]),
    ("Z = Σ α̂", "/forward", {"step": "20"}, f"log Z = {f(LOG_Z)}"),
    ("the annotated equation", "/forward ⋯ This step", {}, "there here symbol"),
    (
        "forward_belief_propagation",
        "/batches?beat=loop ⋯ The batch in code",
        {},
        "; ".join(f(sentence(row), 4) for row in ROWS),
    ),
    ("broadcast_forward", "/batches?beat=shapes", TOLD, f"leaves [{len(ROWS)}, {S}]"),
    ("a mask keeps the old α", "/batches?beat=loop", TOLD, "keeps its old column"),
    ("score_sentence", "/batches?beat=score ⋯ The score of a batch", {}, "def score_terms("),
    ("the last transition", "/batches?beat=score", {"step": "8"}, "its own rule"),
    ("Viterbi in logs", "/viterbi", {}, f"max ( {f(DELTA_OLD[0], 1)} −3 , {f(DELTA_OLD[1], 1)} −3"),
    ("viterbi_decode", "/batches?beat=best ⋯ Results", {}, [best_of(row) for row in ROWS]),
    (
        "ŷ_m",
        "/structure?beat=back ⋯ Derivation",
        {},
        ", ".join(f"{tag} {f(x)}" for tag, x in zip(BOAT.tags, LAST, strict=True)),
    ),
    ("the LongTensor", "/batches?beat=bug", {"step": "2"}, "score of the best path"),
    ("batch_first", "/batches?beat=bug", {"step": "1"}, "one line is wrong"),
    ("sorted rows", "/batches?beat=bug", {"step": "3"}, "one line is wrong"),
    ("the best paths", "/batches?beat=best", {}, "pointers[rows, t, tag]"),
    ("num_active", "/batches?beat=best", {"step": "2"}, f"{ROWS[1]} has not started yet"),
    ("the table of backpointers", "/structure?beat=back ⋯ Derivation", {}, "● NOUN"),
    ("CUDA", "crf train", {}, "--device"),
    ("characters", "/tagger?beat=network", {}, "characters"),
    ("AllenNLP", "/constraints?beat=broken ⋯ Sources", {}, "AllenNLP"),
]
PAIRS = [
    ("the map of models", "/graphs?beat=kin", {}, "logistic regression"),
    (
        "a day’s input, or all",
        "/graphs?beat=factors",
        {"step": "1"},
        "It sees only what it touches",
    ),
    ("ψ(s′, s, i)", "/forward ⋯ My textbook", PAIR, "One table ψ(s′, s, t) for each step"),
    ("ψ ≥ 0", "/scores ⋯ Derivation", {}, "exp makes it positive"),
    ("p = ψ / Z", "/structure?beat=count", TOLD, "p = exp(score) / Z"),
    ("three problems", "/structure?beat=count ⋯ Three basic problems", {}, f(P_BEST, 3)),
    ("like an HMM", "/scores ⋯ Derivation", {}, "In a hidden Markov model"),
    ("α(i, s)", "/forward ⋯ My textbook", {"form": "pair"}, cells(BOAT, "pair", "sum")),
    ("Z = Σ α(m, s)", "/forward ⋯ My textbook", PAIR, f"{_log_sum(ALPHA[-1]):.6f}"),
    ("the likelihood of a path", "/scores", {"path": "0~1~2~0~2"}, f"earns {f(EARNS, 1)}"),
    (
        "p = 2.69869828108e-08",
        "/learning?beat=right ⋯ Every entry",
        {"with": "model_pairs"},
        "2.69869828108e-08",
    ),
    ("seq", "/learning?beat=right ⋯ Every entry", {"with": "model_pairs"}, "0 1 4 1 3 0 0 3 3 1"),
    ("time and memory", "/forward ⋯ Derivation", {}, r"O(m\,|S|^{2})"),
    ("forward is enough", "/learning?beat=right", TOLD, "log p(+h) − log p(−h)"),
    ("forward(psi)", "/forward ⋯ This step", PAIR, "def forward_pair("),
    ("α, 10 × 5", "/forward ⋯ Heat maps", PAIR, Numbers(ALPHA, 1e-9)),
    (
        "the recursion with max",
        "/viterbi ⋯ My textbook",
        {"form": "pair"},
        cells(BOAT, "pair", "max"),
    ),
    ("viterbi_1", "/viterbi ⋯ This step", {}, "def viterbi("),
    ("viterbi_2", "/structure?beat=back ⋯ This step", {}, "def viterbi_without_pointers("),
    (
        "the best path of the source",
        "/scores ⋯ All paths",
        TEN,
        [" ".join("1 4 2 4 3 0 3 0 3 1".split()), f(recursions.total(TABLES, "max"), 4)],
    ),
    ("β(m) = 1", "/backward ⋯ Derivation", {}, r"\underbrace{1}_{\beta_{5}(y_{5})}"),
    ("β, 10 × 5", "/backward ⋯ Heat maps", PAIR, Numbers(BETA, 1e-9)),
    ("Z from αψβ", "/backward ⋯ Heat maps", {}, [f"sum over all {S * S} pairs", f(LOG_Z)]),
    ("Z from β(1)", "/backward", {"step": "20"}, f"= {f(LOG_Z)}"),
    ("∂p / ∂ψ", "/learning?beat=right ⋯ By a factor ψ", {"with": "model_pairs"}, "2.44 × 10⁻⁸"),
    ("∂ log p / ∂ψ", "/learning?beat=right ⋯ By a factor ψ", {}, "(∂ log p / ∂ log ψ) / ψ"),
    (
        "grad[0]",
        "/learning?beat=right ⋯ One entry",
        {"with": "model_pairs~entry_s.4"},
        "∂ start[4] = ",
    ),
    ("check_grad", "/learning?beat=right", TOLD, "the largest error is"),
    ("_logsumexp(a, b)", "/stability?beat=subtract ⋯ logsumexp", {}, "log1p(exp(min(a, b)"),
    (
        "many at once",
        "/stability?beat=subtract ⋯ Scores of your own",
        {},
        f"{_log_sum((95, 90, 88)):.14f}"[:14],
    ),
    (
        "logs and plain numbers",
        "/forward ⋯ My textbook",
        {"scale": "potential"},
        f"{math.exp(recursions.cell(BOAT, 'state', 'sum', 0, 0)):.0f}",
    ),
    ("gradient_log", "/learning?beat=right", TOLD, f"Over all {(L + S + 2) * S} scores"),
    ("δ − p(pair)", "/learning?beat=right ⋯ One entry", {"with": "model_pairs"}, "0.98584381"),
    ("exp(w·φ)", "/graphs?beat=factors ⋯ Features", {}, r"\exp(w \cdot \Phi"),
    ("v·g and w·f", "/learning?beat=corpus ⋯ Features", {}, "for words and for transitions"),
    (
        "x, W, P, S",
        "/learning?beat=right ⋯ Inputs",
        {"with": "model_inputs"},
        "P[s′, s] + W_s · x_t",
    ),
    (
        "score()",
        "/learning?beat=right ⋯ Every entry",
        {"with": "model_seeded"},
        "5.92384711574e-06",
    ),
    ("42 gradients", "/learning?beat=right ⋯ Every entry", {"with": "model_seeded"}, " 41,"),
    ("the relative check", "/learning?beat=right", TOLD, "largest relative error"),
    ("P is the CRF’s own", "/tagger?beat=errs ⋯ Transitions", {}, "ADP → VERB"),
    ("HMM, RNN, CTC", "/graphs?beat=factors ⋯ CTC", {}, r"\text{collapses to}"),
    ("references", "/structure?beat=bet ⋯ Sources", {}, "Collobert"),
]
FEATURES = [
    ("p = exp(w·Φ) / Σ", "/graphs?beat=factors ⋯ Features", {}, r"{\sum_{y'} \exp(w \cdot"),
    ("Φ = Σφ", "/learning?beat=corpus ⋯ Features", {}, "Φ(x, y) = Σᵢ φ(x, i, yᵢ₋₁, yᵢ)"),
    ("the chain of argmax", "/viterbi ⋯ Derivation", {}, r"\arg\max"),
    (
        "a score that does not decompose",
        "/structure?beat=regroup ⋯ Derivation",
        {},
        "would leave nothing to take out",
    ),
    ("π[i, y]", "/viterbi ⋯ My textbook", {}, cells(BOAT, "state", "max")),
    ("the algorithm of Viterbi", "/viterbi ⋯ This step", {}, "delta_e = root + unary[0]"),
    (
        "L(w) with λ",
        "/learning?beat=corpus",
        {"with": "penalty_.1", "bet": "-", "step": "2"},
        "− λw",
    ),
    ("concave", "/learning?beat=corpus ⋯ One top", {}, "-0.08701692816804307"),
    (
        "until it converges",
        "/learning?beat=corpus ⋯ Loss and ‖∇‖",
        {},
        "It is there after 326 steps",
    ),
    ("−λw", "/learning?beat=likelihood ⋯ Loss of a batch", {}, "− λ wₖ"),
    ("the expectation", "/learning?beat=counts ⋯ Derivation", {}, "This is the expected count."),
    ("g(i, a, b)", "/structure?beat=meet ⋯ Derivation", {}, "g(i, a, b)"),
    ("α, β as sums of products", "/structure?beat=meet ⋯ Derivation", {}, r"\prod_{i \le t}"),
    ("ForwardBackward", "/learning?beat=counts ⋯ The gradient in code", {}, "betas.insert(0, "),
    (
        "g in pair form",
        "/structure?beat=meet ⋯ Derivation",
        {},
        r"\alpha_{i-1}(a)\, \psi(a, b, i)\, \beta_i(b)",
    ),
]
DATA = [
    ("the vocabulary", "/tagger?beat=network ⋯ Tagger(x)", {}, "Index 1 is <UNK>"),
    ("a tagged file", "crf train", {}, "CoNLL-U, columns or JSON lines"),
    ("the network", "/tagger?beat=network ⋯ Tagger(x)", {}, "def network(vectors: Tensor"),
    ("the layer", "/tagger?beat=network ⋯ Names", {}, "LinearChain.score"),
    ("train()", "/tagger?beat=train ⋯ Train", {}, "400 sentences to learn from"),
    (
        "test()",
        "/tagger?beat=good ⋯ How good",
        {},
        "of the words and 54.2 % of the whole sentences",
    ),
    ("the history", "/tagger?beat=good ⋯ How good", {}, "epoch,loss,accuracy"),
    ("UD EWT", "crf fetch", {}, "ud-english-ewt"),
    ("the loss in training", "/tagger?beat=train", {}, "A dot is the loss of one batch"),
    ("masks", "/batches?beat=same", {}, [f"{sentence(row):.9f}" for row in ROWS]),
    ("confusion", "/tagger?beat=errs ⋯ Mistakes", {}, "PROPN,NOUN,15"),
    ("uploads", "/tagger?beat=network ⋯ Whose scores?", {}, "Upload the zip"),
]
PRODUCT = [
    ("an explainer", "/", {}, "After an it becomes a noun"),
    ("PyTorch and NumPy", "/check?beat=write ⋯ The problem", {}, "emissions = [[5.0"),
    ("Plotly", "/tagger?beat=good ⋯ Calibration", {}, "says,is right,words"),
    ("pandas", "/learning?beat=corpus ⋯ Every step", {}, "step,objective,nll"),
    ("files", "/scores ⋯ Change scores", {}, "Load"),
    ("a batched core", "/batches?beat=same", {}, "Every log Z and every best path stays"),
    ("a GPU", "crf doctor", {}, "which code computes here"),
    ("scores by hand", "/scores", {"edit": "t:DET:NOUN_3"}, f"earns {f(BEST + 4, 1)}"),
    ("a tagger of one’s own", "/ ⋯ Whose scores?", {}, "Upload the zip"),
    ("α step by step", "/forward", {"step": "17"}, ["lead into boat, ADJ", f(ALPHA_BOAT[1])]),
    ("the trellis of backpointers", "/structure?beat=back", {}, f"way from {KEPT}"),
    ("marginals as a heat map", "/backward ⋯ Heat maps", {}, Numbers(SURE, 1e-9)),
    ("logsumexp, live", "/stability?beat=subtract", {}, "90.55 + log 1.0027"),
    ("a typed sentence", "/", {"sentence": "Time flies ."}, "takes flies for a noun"),
    ("in class", "/forward ⋯ Present, plan a lecture", {}, "Present"),
]
TOPICS = [*THEORY, *IMPLEMENTATION, *PAIRS, *FEATURES, *DATA, *PRODUCT]
SESSIONS = {"marginals as a heat map": MARGINALS, "β, 10 × 5": BACKWARD, "Z from αψβ": BACKWARD}
PLACE = re.compile(r"/([\w-]*)(?:\?beat=([\w-]+))?(?: ⋯ (.+))?")


@cache
def opened(place: str, state: tuple[tuple[str, str], ...], topic: str) -> tuple[str, list[Any]]:
    """What a place says, and the numbers of its tables; `topic`: of those with a session."""
    address, beat, label = PLACE.fullmatch(place).groups()  # pyright: ignore
    entry, query = contents.entry(address), dict(state)
    lesson, beat = entry.folder, beat or entry.beat or LESSONS[entry.folder][0].name
    if label is None:
        found, fault = state_of(query, lesson)
        one, found = beat_with(find(lesson, beat), found, LESSONS[lesson])
        now, shown = one.now(found), view(one, lesson, found)
        bet = now.get("bet") or {}
        parts = (now["say"], now.get("equation"), bet.get("question"), bet.get("answer"))
        assert not fault
        return " ".join([*map(plain, parts), *(text for _, text in strings(shown))]), []
    menu = look.menu(lesson, import_module(f"pages.{lesson}.more").SECTIONS)
    name = next(o["name"] for group in menu for o in group["entries"] if o["label"] == label)
    if name in ("sources", "present"):  # of all lessons
        app = benched(address, name)
    else:
        app = section(lesson, name, beat, session=SESSIONS.get(topic), **query)
    return all_of(app), [one.value.to_numpy() for one in app.dataframe]


def numbers_of(table: Any) -> Any:
    """A table's numbers; what is none is nan."""

    def number(cell: Any) -> float:
        try:
            return float(str(cell).replace("−", "-").replace("∞", "inf"))
        except ValueError:
            return math.nan

    return np.array([[number(cell) for cell in row] for row in table])


def has(tables: list[Any], wanted: Numbers) -> bool:
    """Whether one of the tables begins with these numbers, or turned."""
    right = np.array(wanted.rows)
    for table, turned in product(map(numbers_of, tables), (False, True)):
        found = (table.T if turned else table)[: len(right), : right.shape[1]]
        if found.shape == right.shape and np.allclose(found, right, rtol=0, atol=wanted.within):
            return True
    return False


@pytest.mark.parametrize(
    ("topic", "place", "state", "wanted"), TOPICS, ids=[topic for topic, *_ in TOPICS]
)
def test_a_topic_is_where_the_syllabus_says(topic, place, state, wanted, capsys):
    if place.startswith("crf "):
        with pytest.raises(SystemExit):
            parser().parse_args([place.removeprefix("crf "), "--help"])
        assert wanted in re.sub(r"\s+", " ", capsys.readouterr().out)
        return
    key = topic if topic in SESSIONS else ""
    said, tables = opened(place, tuple(sorted(state.items())), key)
    said = said.replace("\xa0", " ")
    if isinstance(wanted, Numbers):
        assert has(tables, wanted), tables
    else:
        for words in [wanted] if isinstance(wanted, str) else wanted:
            assert words in said, said


def test_the_sources_have_187_topics_and_the_syllabus_each_place():
    assert len(TOPICS) == 187
    assert len({topic for topic, *_ in TOPICS}) == 187
    places = {PLACE.fullmatch(place) for _, place, *_ in TOPICS if place.startswith("/")}
    found = {place.group(): place.groups("") for place in places if place}
    assert {*found.values()} <= {*rows_of_the_syllabus()}, found


def test_the_oracle_by_columns_is_that_by_paths():
    alpha, beta = by_columns(BOAT)
    assert _log_sum(alpha[-1]) == pytest.approx(LOG_Z)
    first = zip(alpha[0], beta[0], strict=True)
    assert _log_sum(a + b for a, b in first) == pytest.approx(LOG_Z)
