"""Methods beside each other on one corpus: what each makes of it, iteration by iteration."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from crf.figures.flow.payload import Payload
from pages.learning.controls import words
from pages.learning.corpus import Corpus
from pages.learning.corpus_beats import (
    CHUNK,
    corpus_of,
    named_tags,
    of_right_tags,
    right_tags,
    run_of,
    settings_of,
    wrong_tags,
)
from pages.learning.sentence_beats import size
from pages.learning.training import CorpusSettings, counted
from pages.shared.course.problem import Problem
from pages.shared.course.state import State

FEW = 30  # iterations


def few_iterations(_: Problem) -> range:
    """The iterations that the methods take beside each other."""
    return range(FEW + 1)


def _ways(state: State) -> dict[str, CorpusSettings]:
    """How each method is trained; all begin at zeros."""
    asked = replace(settings_of(state), start="zeros")
    names = ("ascent", "adam", "lbfgs", "perceptron")
    ways = {name: replace(asked, optimiser=name) for name in names}
    return ways | {"softmax": replace(ways["ascent"], transitions=False)}


def drawn_methods(state: State) -> Payload:
    """The sentences, and a row for each method."""
    corpus, names = corpus_of(state), (*_ways(state), "hmm")
    return {
        "draws": "methods", **named_tags(corpus), "length": FEW,
        "sentences": [
            {"tokens": list(tokens), "gold": list(gold)}
            for tokens, gold in zip(corpus.sentences, corpus.tag_of, strict=True)
        ],
        "methods": list(names),
        "words": words("word-right-of", "word-loss", *(f"method-{name}" for name in names)),
    }  # fmt: skip


def at_methods(state: State, step: int) -> Payload:
    """After so many iterations: each method's curve so far, its tags and their probabilities."""
    corpus = corpus_of(state)
    until = min(max(-(-step // CHUNK), 1) * CHUNK, FEW)
    rows = [_counted(corpus)]
    for name, how in reversed(_ways(state).items()):
        found = run_of(corpus, how, until)
        n, counts = min(step, found.iterations), name == "perceptron"
        curve = (found.wrong if counts else found.nll).sum(1)[: n + 1].tolist()
        rows.append({
            "loss": "" if counts else size(curve[-1]), "curve": [float(f"{v:.4g}") for v in curve],
            "p": right_tags(corpus, how, until)[n],
            "wrong": wrong_tags(corpus, found.decoded[n].tolist()),
        })  # fmt: skip
    total = sum(map(len, corpus.sentences))
    for row in rows:
        row["misses"] = sum(bool(tag) for line in row["wrong"] for tag in line)
        row["right"] = f"{total - row['misses']}/{total}"
    return {"rows": rows[::-1]}


@lru_cache(maxsize=16)
def _counts(corpus: Corpus) -> tuple[list, list, float]:
    chain = counted(corpus)
    nll = -chain.log_prob(corpus.batch.tags.clamp(min=0)).sum().item()
    return of_right_tags(chain.marginals[None], corpus)[0], chain.viterbi().tags.tolist(), nll


def _counted(corpus: Corpus) -> Payload:
    """The row of the HMM, which has no iterations."""
    p, tags, nll = _counts(corpus)
    return {"loss": size(nll), "curve": [], "p": p, "wrong": wrong_tags(corpus, tags)}


def methods_facts(state: State, step: int) -> dict[str, Any]:
    """Which method is ahead, and which cannot get there."""
    rows = dict(zip((*_ways(state), "hmm"), at_methods(state, step)["rows"], strict=True))
    losses = {name: rows[name]["curve"][-1] for name in ("ascent", "adam", "lbfgs")}
    return {
        "n": step, "ahead": min(losses, key=losses.__getitem__), "begins": int(step == 0),
        "end": int(step >= FEW), "soft": rows["softmax"]["misses"],
        "crf": rows["ascent"]["misses"], "least": size(min(losses.values())),
        "gap": int(rows["softmax"]["misses"] > rows["ascent"]["misses"]),
    }  # fmt: skip
