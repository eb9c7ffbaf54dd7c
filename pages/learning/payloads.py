"""What the lesson's components are sent: numbers of the core, rounded, and names."""

from threading import Lock
from typing import Any

from torch import Tensor

from crf.figures.flow.payload import THRESHOLD, Payload, flow, of_path
from crf.figures.gradient.payload import FOLDER, transition_table
from crf.figures.words import words
from pages.learning.corpus import Corpus, text
from pages.learning.one_sentence import Ascent, Counts
from pages.learning.training import CorpusSettings, Run, train
from pages.shared.figures.theme import tag_colours
from pages.shared.ui.component_data import zipped
from pages.shared.ui.computed import once

_FEW = 6  # tags that are all shown
_MOST_NUMBERS, _MOST_FRAMES = 150_000, 151  # of all frames of a run
_TRAINING = Lock()

# ---------------------------------------------------------------------- one sentence


def observed_flow(ascent: Ascent) -> Payload:
    """The right path as a flow: one ribbon of probability 1."""
    say, problem = text().line, ascent.problem
    return of_path(
        ascent.path, problem.tags, problem.tokens, label=say("flows.observed"),
        hint=say("flows.observed-hint"),
    )  # fmt: skip


def expected_flow(ascent: Ascent, n: int) -> Payload:
    """The model's flow after n steps, the right path outlined."""
    say, problem = text().line, ascent.problem
    return flow(
        ascent.marginals[n].tolist(), ascent.pairs[n].tolist(), problem.tags, problem.tokens,
        path=ascent.path, label=say("flows.expected"), hint=say("flows.expected-hint"),
        how=say("flows.how"),
    )  # fmt: skip


def gradient(ascent: Ascent, n: int) -> dict[str, Any]:
    """Observed and expected counts after n steps, and the places that each adds up.

    Of many tags those are left out that are under `THRESHOLD` at every token and step.
    """
    problem, observed, expected = ascent.problem, ascent.observed, ascent.expected
    every, tokens = problem.tags, problem.tokens
    kept = kept_tags(ascent)

    def ends_and_steps(counts: Counts) -> tuple[list, list, list]:
        _, matrix, start, end = counts
        matrix = matrix.sum(0) if matrix.dim() == 3 else matrix
        return start.tolist(), matrix.tolist(), end.tolist()

    pairs, marginals = ascent.pairs[n].tolist(), ascent.marginals[n].tolist()
    used_at = [
        [t for t, word in enumerate(ascent.word_of) if word == w] for w in range(len(ascent.words))
    ]
    # the sum of tables, each of which is pushed by itself, where each step has one
    summed = {"names": "T[{row}, {column}], all steps"} if problem.per_step else {}
    transitions = transition_table(
        every, tokens, pairs, ends_and_steps(observed),
        ends_and_steps(Counts(*(table[n] for table in expected))), kept,
        is_sum=problem.per_step, **summed,
    )  # fmt: skip
    features = {
        "name": "Words",
        "names": "w[{row}, {column}]",
        "rows": list(ascent.words),
        "columns": [every[s] for s in kept],
        "reads": [[[f"emission:{t}:{s}" for t in at] for s in kept] for at in used_at],
        "observed": observed.words[:, kept].tolist(),
        "expected": expected.words[n][:, kept].tolist(),
        "places": [[[[tokens[t], marginals[t][s]] for t in at] for s in kept] for at in used_at],
    }
    return {"rate": ascent.rate, "tables": [transitions, features], "words": words(FOLDER)}


def kept_tags(ascent: Ascent) -> list[int]:
    """The tags that have a row in the gradient: all of a few, else those that are ever likely."""
    S = len(ascent.problem.tags)
    likely = (ascent.marginals >= THRESHOLD).flatten(0, 1).any(0).tolist()
    return [s for s in range(S) if S <= _FEW or likely[s] or s in ascent.path]


# ---------------------------------------------------------------------- a training run


@once(maxsize=8)
def run(corpus: Corpus, settings: CorpusSettings) -> Run:
    """A run, computed once; of many that are asked for at once, one after the other.

    A long one takes seconds. Side by side on few cores none would be ready before all are.
    """
    with _TRAINING:
        return train(corpus, settings)


@once(maxsize=16)
def packed(corpus: Corpus, settings: CorpusSettings) -> bytes:
    """A whole run, as it is sent."""
    return zipped({"run": training(corpus, settings)})


def training(corpus: Corpus, settings: CorpusSettings) -> dict[str, Any]:
    """A whole run: curves of every iteration, and of as many as are shown what is drawn of them.

    The curves fall: they are −L of the corpus and −log p of each sentence. A perceptron has none of
    them: its curves are wrong tags, its flow is Viterbi’s path.
    """
    found = run(corpus, settings)
    N = found.iterations
    B, S = len(corpus.sentences), len(corpus.tags)
    per_frame = sum(map(len, corpus.sentences)) * (S + S * S) + (len(corpus.words) + S) * S
    most = max(21, min(_MOST_FRAMES, _MOST_NUMBERS // per_frame))
    frames = (
        sorted({round(k * N / (most - 1)) for k in range(most)}) if N >= most else [*range(N + 1)]
    )
    shown = found.at(frames)
    if settings.is_perceptron:
        shown = shown.clamp(shown.viterbi().tags)
    each = found.wrong if settings.is_perceptron else found.nll
    total = each.sum(1) if settings.is_perceptron else -found.objective
    lengths = [len(sentence) for sentence in corpus.sentences]
    marginals = shown.marginals.reshape(len(frames), B, -1, S)
    pairs = shown.pair_marginals.reshape(len(frames), B, -1, S, S)
    colours = tag_colours(corpus.tags)
    return {
        "tags": [{"name": tag, "colour": colours[tag]} for tag in corpus.tags],
        "words": list(corpus.words),
        "sentences": [
            {"words": list(words), "of": list(of), "gold": list(gold)}
            for words, of, gold in zip(corpus.sentences, corpus.word_of, corpus.tag_of, strict=True)
        ],
        "perceptron": settings.is_perceptron,
        "penalty": 0.0 if settings.is_perceptron else settings.penalty,
        "steps": list(range(N + 1)),
        "total": _rounded(total),
        "each": _rounded(each.T),
        "norms": _rounded(found.norms),
        "lengths": _rounded(found.weights.squared().sqrt()),
        "frames": frames,
        "weights": _rounded(found.weights.words[frames]),
        "transitions": _rounded(found.weights.tags[frames]),
        "decoded": [
            [row[:m] for row, m in zip(frame, lengths, strict=True)]
            for frame in found.decoded[frames].tolist()
        ],
        "marginals": [[_rounded(frame[b, : lengths[b]]) for b in range(B)] for frame in marginals],
        "pairs": [[_rounded(frame[b, : lengths[b] - 1]) for b in range(B)] for frame in pairs],
    }


def _rounded(values: Any) -> Any:
    """Numbers with five digits, so that a run is no large message."""
    if isinstance(values, Tensor):
        values = values.tolist()
    return list(map(_rounded, values)) if isinstance(values, list) else float(f"{values:.5g}")
