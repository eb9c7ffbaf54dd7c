"""Several sentences: what a corpus's loss is, the pulls on one weight, and other methods."""

import math
from dataclasses import replace
from functools import cache, lru_cache
from threading import Lock, Thread
from typing import Any

import torch

from crf.figures.flow.payload import Payload
from crf.figures.numbers import bare, decimal, format_magnitude, format_probability, power_of_ten
from pages.learning.controls import CORPUS, TEXT, corpus_text, words
from pages.learning.corpus import PRESETS, Corpus, parse, text
from pages.learning.sentence_beats import share, signed, size
from pages.learning.training import OPTIMISERS, CorpusSettings, Run, Trainer
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import Bet
from pages.shared.figures.beat_text import BeatText
from pages.shared.figures.theme import tag_colours

ITERATIONS = 60
OPENS = 2  # mid-flow
LINES = 4  # of the likelihood
MANY = 1000  # sentences, whose likelihood no one writes down
CHUNK = 5  # iterations of the methods that are computed at once
_TRAINING = Lock()


@lru_cache(maxsize=64)
def _training(corpus: Corpus, settings: CorpusSettings) -> Trainer:
    return Trainer(corpus, settings)


@lru_cache(maxsize=128)
def _trained(corpus: Corpus, settings: CorpusSettings, iterations: int) -> Run:
    return _training(corpus, settings).run(iterations)


def run_of(corpus: Corpus, settings: CorpusSettings, iterations: int = ITERATIONS) -> Run:
    """A run, computed once; simultaneous requests take turns."""
    with _TRAINING:
        return _trained(corpus, settings, iterations)


@cache
def prepare() -> None:
    """Train on the usual corpus in the background, once: the first training imports much of torch.

    So no reader waits for that, nor for the usual runs.
    """

    def train() -> None:
        corpus = _parsed(corpus_text(PRESETS[0]))
        run_of(corpus, CorpusSettings())
        for name in OPTIMISERS:
            run_of(corpus, CorpusSettings(name), CHUNK)

    Thread(target=train, name="training", daemon=True).start()


@lru_cache(maxsize=128)
def right_tags(
    corpus: Corpus, settings: CorpusSettings, iterations: int
) -> list[list[list[float]]]:
    """[iteration][sentence][word] the probability of the right tag."""
    found = run_of(corpus, settings, iterations)
    chain = found.at(range(found.iterations + 1))
    if settings.is_perceptron:
        chain = chain.clamp(chain.viterbi().tags)
    B, (N, L) = len(corpus.sentences), (found.iterations + 1, corpus.batch.mask.shape[1])
    return of_right_tags(chain.marginals.reshape(N, B, L, -1), corpus)


def of_right_tags(marginals: torch.Tensor, corpus: Corpus) -> list[list[list[float]]]:
    """[N, B, L, S] marginals → those of the right tags."""
    gold = corpus.batch.tags.clamp(min=0)[None, ..., None].expand(*marginals.shape[:3], 1)
    every = marginals.gather(3, gold)[..., 0].tolist()
    lengths = list(map(len, corpus.sentences))
    return [
        [[round(p, 4) for p in row[:m]] for row, m in zip(table, lengths, strict=True)]
        for table in every
    ]


@lru_cache(maxsize=16)
def _parsed(typed: str) -> Corpus:
    return parse(typed)


def corpus_of(state: State) -> Corpus:
    """The corpus on screen."""
    return _parsed(corpus_text(state.control("corpus", CORPUS)))


def settings_of(state: State) -> CorpusSettings:
    """The settings of the run on screen."""
    how = (state.control(name, CORPUS) for name in ("method", "eta", "penalty", "start"))
    return CorpusSettings(*how)


def run(state: State) -> Run:
    """The run on screen."""
    return run_of(corpus_of(state), settings_of(state))


def iterations(_: Problem) -> range:
    """The iterations of a run."""
    return range(ITERATIONS + 1)


# ---------------------------------------------------------------------- the likelihood, in lines


def lines(_: Problem) -> range:
    """Product, sum of logs, loss, mean."""
    return range(LINES)


def _begun(state: State) -> tuple[Corpus, Run, int]:
    """Corpus and run after two iterations of plain ascent: right, and not certain."""
    corpus = corpus_of(state)
    found = run_of(corpus, CorpusSettings(), OPENS)
    return corpus, found, found.iterations


def drawn_likelihood(state: State) -> Payload:
    """Each sentence with log p = score − log Z of its right tags."""
    corpus, found, n = _begun(state)
    chain = found.at([n])
    scores = chain.score(corpus.batch.tags.clamp(min=0)).tolist()
    log_zs = chain.log_partition.tolist()
    rows = []
    for b, tokens in enumerate(corpus.sentences):
        nll = found.nll[n][b].item()
        rows.append({
            "tokens": list(tokens), "gold": list(corpus.tag_of[b]), "p": math.exp(-nll),
            "texts": [
                share(math.exp(-nll)),
                f"{signed(scores[b])} − {share(log_zs[b])} = {signed(-nll)}",
                size(nll), "",
            ],
        })  # fmt: skip
    total, B = found.nll[n].sum().item(), len(rows)
    totals = [
        bare(format_probability(math.exp(-total))), signed(-total), size(total),
        size(total / B),
    ]  # fmt: skip
    return {
        "draws": "likelihood", **named_tags(corpus), "rows": rows, "totals": totals,
        "words": words(*(f"word-{kind}-{k}" for kind in ("line", "total") for k in range(LINES))),
    }  # fmt: skip


def at_likelihood(_: State, step: int) -> Payload:
    """The line on screen."""
    return {"line": step}


def likelihood_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentences about the likelihood of several sentences."""
    corpus, found, n = _begun(state)
    total, B = found.nll[n].sum().item(), len(corpus.sentences)
    ten = -total / B * MANY / math.log(10)
    return {
        "line": step, "B": B, "total": size(total), "mean": size(total / B),
        "product": bare(format_probability(math.exp(-total))),
        "many": decimal(f"{MANY:,}"), "power": power_of(ten),
    }  # fmt: skip


def power_of(exponent: float) -> str:
    """Ten to a power that no float may hold, to one digit.

    >>> power_of(-161.4), power_of(0.0)
    ('4 × 10⁻¹⁶²', '1 × 1')
    """
    whole = math.floor(exponent)
    return f"{10 ** (exponent - whole):.0f} × {power_of_ten(whole)}"


# ---------------------------------------------------------------------- the pulls on one weight


def named_tags(corpus: Corpus) -> Payload:
    hues = tag_colours(corpus.tags)
    return {"tags": [{"name": tag, "hue": hues[tag]} for tag in corpus.tags]}


def drawn_corpus(state: State) -> Payload:
    """Sentences, weights, and the curve that is the scrubber."""
    corpus, found = corpus_of(state), run(state)
    counts = found.settings.is_perceptron
    curve = found.wrong.sum(1).tolist() if counts else (-found.objective).tolist()
    asked = state.control("corpus", CORPUS)
    return {
        "draws": "corpus", **named_tags(corpus),
        "names": list(corpus.words),
        "sentences": [
            {"tokens": corpus.sentences[b], "of": corpus.word_of[b], "gold": corpus.tag_of[b]}
            for b in range(len(corpus.sentences))
        ],
        "curve": [float(f"{value:.5g}") for value in curve],
        "last": f"{curve[-1]:.0f}" if counts else _objective(curve[-1]),
        "weight": name_of(state),
        "corpora": [{"name": name, "label": text().title(f"corpus-{name}")} for name in PRESETS],
        "corpus": asked if asked in PRESETS else "",
        "counts": counts,
        "words": words(
            "word-play", "word-after", "word-loss-after", "word-wrong-after", "word-scrub",
            "word-corpus", "word-own", "word-method", "word-rate", "word-penalty", "word-pull",
            "word-follow", *(f"method-{name}" for name in OPTIMISERS),
        ),
        "controls": {
            "method": found.settings.optimiser, "eta": f"{found.settings.rate:g}",
            "penalty": f"{found.settings.penalty:g}",
        },
    }  # fmt: skip


def _objective(value: float) -> str:
    return ("−" if value < 0 else "") + size(abs(value))


def weight_of(state: State) -> tuple[str, int, int]:
    """The weight that is followed: "w" or "T", its row and its column."""
    corpus = corpus_of(state)
    letter, at = state.control("weight", CORPUS)
    letter = "T" if letter in "Tt" else "w"
    rows = len(corpus.words if letter == "w" else corpus.tags)
    row, column = at if len(at) == 2 else (0, 0)
    return letter, min(row, rows - 1), min(column, len(corpus.tags) - 1)


def name_of(state: State) -> str:
    """The followed weight as the address has it: "w.1.1"."""
    return ".".join(map(str, weight_of(state)))


def pulls(found: Run, n: int, weight: tuple[str, int, int]) -> list[Payload]:
    """Observed − expected of a weight at each place where it is used, after n iterations."""
    corpus = found.corpus
    chain = found.at([n])
    if found.settings.is_perceptron:
        chain = chain.clamp(chain.viterbi().tags)
    letter, i, j = weight
    places = []
    for b, (of, gold) in enumerate(zip(corpus.word_of, corpus.tag_of, strict=True)):
        if letter == "w":
            for t in (t for t, word in enumerate(of) if word == i):
                seen, mean = float(gold[t] == j), chain.marginals[b, t, j].item()
                places.append({"sentence": b, "token": t, "observed": seen, "expected": mean})
        else:
            for t in range(1, len(of)):
                seen = float((gold[t - 1], gold[t]) == (i, j))
                mean = chain.pair_marginals[b, t - 1, i, j].item()
                places.append({"sentence": b, "token": t, "observed": seen, "expected": mean})
    for one in places:
        one["pull"] = one["observed"] - one["expected"]
        one["text"] = signed(one["pull"])
    return places


def at_corpus(state: State, step: int) -> Payload:
    """The picture's part for one iteration: probabilities, tags, weights, pulls."""
    found = run(state)
    n, corpus = min(step, found.iterations), found.corpus
    letter, i, j = weight = weight_of(state)
    weights = found.weights.words[n], found.weights.tags[n]
    held = -found.settings.penalty * weights[letter == "T"][i, j].item()
    places = pulls(found, n, weight)
    total = sum(one["pull"] for one in places)
    if not found.settings.is_perceptron:
        total += held
    return {
        "iteration": n,
        "p": right_tags(corpus, settings_of(state), ITERATIONS)[n],
        "wrong": wrong_tags(corpus, found.decoded[n].tolist()),
        "weights": [[[_weight(v) for v in row] for row in table.tolist()] for table in weights],
        "pulls": places,
        "held": signed(held) if held and not found.settings.is_perceptron else "",
        "sum": signed(total), "sum_value": total,
        "loss": _loss(found, n),
    }  # fmt: skip


def _loss(found: Run, n: int) -> str:
    if found.settings.is_perceptron:
        return str(int(found.wrong[n].sum()))
    return _objective(-found.objective[n].item())


def _weight(value: float) -> str:
    """A weight with its sign and one decimal."""
    if abs(value) >= 1000:
        return ("−" if value < 0 else "+") + format_magnitude(abs(value), 2)
    shown = f"{value:+.1f}".replace("-", "−")
    return "0" if shown in ("+0.0", "−0.0") else decimal(shown)


def wrong_tags(corpus: Corpus, decoded: list[list[int]]) -> list[list[str]]:
    """The wrongly decoded tags; "" for a right one."""
    return [
        ["" if s == right else corpus.tags[s] for s, right in zip(row, gold, strict=False)]
        for row, gold in zip(decoded, corpus.tag_of, strict=True)
    ]


def without_pulls(picture: Payload, now: Payload) -> tuple[Payload, Payload]:
    """The pulls' places alone, while the question is which way they pull."""
    places = [{key: one[key] for key in ("sentence", "token")} for one in now["pulls"]]
    return picture, now | {"pulls": places, "sum": "", "sum_value": 0, "held": ""}


def bet_on_weight(state: State) -> Bet | None:
    """Whether the weight rises or falls in the next iteration."""
    found = run(state)
    if state.step not in (None, OPENS) or len(found.corpus.tags) < 2:
        return None
    total = at_corpus(state, OPENS)["sum_value"]
    right = "stays" if abs(total) < 0.005 else "rises" if total > 0 else "falls"
    return Bet(("rises", "falls", "stays"), right)


def corpus_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentence about an iteration, or at the end about the whole run."""
    found, drawn = run(state), at_corpus(state, step)
    corpus, n = found.corpus, drawn["iteration"]
    letter, i, j = weight_of(state)
    values = [one["pull"] for one in drawn["pulls"]]
    up, down = (sum(sign * v >= 0.005 for v in values) for sign in (1, -1))
    names = corpus.words if letter == "w" else corpus.tags
    terms = [
        {"text": f" {one['text']}" if k else one["text"], "bold": abs(one["pull"]) >= 0.2}
        for k, one in enumerate(drawn["pulls"][:8])
    ]
    counts = {"places": len(values), "up": up, "down": down}
    say = BeatText.load(TEXT)
    return {
        **counts, **{f"{name}_word": say.plain("number", {"n": n}) for name, n in counts.items()},
        "of": found.iterations, "end": int(step >= ITERATIONS), "begins": int(n == 0),
        "start": found.settings.start.split()[0], "method": found.settings.optimiser,
        "kind": letter, "row": names[i], "tag": corpus.tags[j], "terms": terms,
        "more": max(len(values) - 8, 0), "held": drawn["held"], "holds": int(bool(drawn["held"])),
        "sum": drawn["sum"], "overflowed": int(found.overflowed), **shown_by(found),
    }  # fmt: skip


def shown_by(found: Run) -> dict[str, Any]:
    """The conclusion from a whole run: a case of the lesson's text and its numbers."""
    n, asked = found.iterations, found.settings
    known = {
        "wrong": int(found.wrong[-1].sum()), "total": sum(map(len, found.corpus.sentences)),
        "length": size(found.weights.squared().sqrt()[-1].item()), "low": "", "high": "",
        "nll": size(found.nll[-1].sum().item()), "penalty": f"{asked.penalty:g}", "last": 0,
    }  # fmt: skip
    if len(found.corpus.tags) == 1:
        return known | {"shows": "one-tag"}
    if asked.is_perceptron:
        moves = sum(table.diff(dim=0).abs().sum((1, 2)) for table in found.weights)
        last = int(moves.nonzero().max()) + 1 if moves.any() else 0  # pyright: ignore
        return known | {"shows": "mistakes", "last": last}
    if asked.rate == 0:
        return known | {"shows": "still"}
    if is_swinging(found):
        curve = -found.objective
        rise = int(curve.diff().argmax())
        low, high = (format_magnitude(curve[k].item()) for k in (rise, rise + 1))
        return known | {"shows": "swings", "low": low, "high": high}
    if asked.penalty:
        return known | {"shows": "held"}
    best = found.at([n]).topk(2).scores
    if known["wrong"] or not (best[:, 0] - best[:, 1] > 1e-9).all():  # so p cannot grow
        return known | {"shows": "stuck"}
    return known | {"shows": "grows"}


def is_swinging(found: Run) -> bool:
    """Whether gradient ascent goes down on its way, because η is too large."""
    return found.settings.optimiser == "ascent" and bool((found.objective.diff() < -1e-6).any())


# ---------------------------------------------------------------------- starts


def tops(state: State) -> list[tuple[str, float]]:
    """The objective that runs from each start end with; not of a perceptron, which climbs none."""
    asked = settings_of(state)
    if asked.is_perceptron:
        return []
    starts = dict.fromkeys((asked.start, "zeros", "random 1", "random 2"))
    found = {name: run_of(corpus_of(state), replace(asked, start=name)) for name in starts}
    return [(name, each.objective[-1].item()) for name, each in found.items()]
