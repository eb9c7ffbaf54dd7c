"""What the beats draw, as plain JSON: for each picture the whole, and its part for a step."""

import math
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import torch

from crf.figures.colours import tag_colours
from crf.figures.flow.payload import Payload
from crf.figures.numbers import (
    bare,
    decimal,
    format_magnitude,
    format_probability,
    format_score,
    power_of_ten,
)
from pages.learning import gradients
from pages.learning.corpus import (
    CHUNK,
    CORPUS,
    ITERATIONS,
    OPTIMISERS,
    PRESETS,
    Corpus,
    CorpusSettings,
    Run,
    corpus_of,
    hmm_of,
    pulls,
    run_of,
    settings_of,
    train,
    weight_of,
)
from pages.learning.gradients import GRADIENT, Model, Named, by_psi, entry_of, exact, model_of
from pages.learning.sentence import (
    SENTENCE,
    Score,
    agreeing,
    ascent,
    digits,
    followed_score,
    magnitude,
    right_path,
    share,
    signed,
    size,
    title_of,
)
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat_text import BeatText
from pages.shared.figures.equation import equals, minus, shown
from pages.shared.figures.text import LessonText

TEXT = Path(__file__).with_name("beats.md")
MOVES = [k / 2 for k in range(-6, 7)]  # of the score on the slope
_CURVE = [k / 10 for k in range(-30, 31)]  # the points of its curve
OPENS = 2  # iteration that a run is shown at first: mid-flow
LINES = 4  # of the likelihood: product, sum of logs, loss, mean
FEW = 30  # iterations of methods beside each other
MOST_POWERS = 14  # of a tenth: the smallest h is 1e-14
FINE = [k / 4 for k in range(4 * MOST_POWERS + 1)]  # powers at which the error is measured


def words(*names: str) -> dict[str, str]:
    """Words inside a picture, passages of beats.md; what has holes is filled where it is drawn."""
    text = BeatText.load(TEXT)
    return {name: text.passage(name, {}).body for name in names}


def tags_of(names: tuple[str, ...]) -> list[Payload]:
    """Tags with their hues."""
    hues = tag_colours(names)
    return [{"name": tag, "hue": hues[tag]} for tag in names]


# ---------------------------------------------------------------------- one sentence


def flows(state: State) -> Payload:
    """Words, tags with their hues, and the right path."""
    problem, (letter, at) = state.problem, followed_score(state)
    return {
        "draws": "flows",
        "tokens": list(problem.tokens),
        "tags": tags_of(problem.tags),
        "right": list(right_path(state)),
        "score": ".".join([letter, *map(str, at)]),
        "rate": state.control("rate", SENTENCE),
        "per_step": problem.per_step,
        "words": words(
            "word-observed", "word-observed-about", "word-expected", "word-expected-about",
            "word-difference", "word-raise", "word-lower", "word-loss", "word-one-step",
            "word-five-steps", "word-size", "word-ahead", "word-call-right", "word-follow",
        ),
    }  # fmt: skip


def flows_at(state: State, step: int) -> Payload:
    """What the model expects after so many steps, the difference, and the loss."""
    run = ascent(state, step + 1)
    if run is None:
        return {"marginals": None, "loss": None}
    marginals, pairs = run.marginals[step], run.pairs[step]
    right, both = torch.zeros_like(marginals), torch.zeros_like(pairs)
    right[range(len(run.path)), list(run.path)] = 1
    for t, (a, b) in enumerate(pairwise(run.path)):
        both[t, a, b] = 1

    def rounded(table: torch.Tensor) -> list[list[float]]:
        return [[round(value, 5) for value in row] for row in table.tolist()]

    def few(table: torch.Tensor) -> list[list[float]]:  # from, to, value: those one can see
        places = (table.abs() >= 0.0005).nonzero().tolist()
        return [[a, b, round(table[a, b].item(), 5)] for a, b in places]

    losses = (-run.log_p).tolist()
    return {
        "marginals": rounded(marginals),
        "pairs": [few(table) for table in pairs],
        "difference": rounded(right - marginals),
        "pair_difference": [few(table) for table in both - pairs],
        "loss": losses[step],
        "ahead": losses[step + 1],
        "top": losses[0],
        "losses": [size(loss) for loss in losses[step : step + 2]],
    }


def slope(state: State) -> Payload:
    """log p and the loss, while one score moves and the others stay."""
    path, score = right_path(state), followed_score(state)
    if not path:
        return {"draws": "slope", "points": []}
    log_p, _ = slope_curve(state.problem, path, score, tuple(_CURVE))
    return {
        "draws": "slope",
        "points": [[x, round(y, 5)] for x, y in zip(_CURVE, log_p, strict=True)],
        "moves": MOVES,
        "words": words("word-slope-of", "word-moved", "word-log-p", "word-minus"),
        "name": title_of(state.problem, score),
    }


def slope_at(state: State, step: int) -> Payload:
    """Where the dot is, and the slopes there."""
    path = right_path(state)
    if not path:
        return {"slope": None}
    log_p, slopes = slope_curve(state.problem, path, followed_score(state), tuple(MOVES))
    texts = {"up": signed(slopes[step]), "down": signed(-slopes[step])}
    return {"x": MOVES[step], "log_p": log_p[step], "slope": slopes[step], "texts": texts}


@lru_cache(maxsize=32)
def slope_curve(
    problem: Problem, path: tuple[int, ...], score: Score, xs: tuple[float, ...]
) -> tuple[list[float], list[float]]:
    """log p(path | x) and its derivative, as one score is shifts by each of `xs`."""
    model = gradients.of_problem(problem, path)
    letter, at = score
    name = {"e": "e", "t": "T", "s": "start", "z": "end"}[letter]
    shifts = torch.tensor(xs, dtype=torch.float64, requires_grad=True)
    tables = {key: table.repeat(len(xs), *[1] * table.dim()) for key, table in model.tables.items()}
    places = [at]
    if letter == "e":  # a word that occurs twice has one score
        names = [token.casefold() for token in problem.tokens]
        places = [(t, at[1]) for t, word in enumerate(names) if word == names[at[0]]]
    unit = torch.zeros_like(model.tables[name])
    for place in places:
        unit[place] = 1.0
    tables[name] = tables[name] + shifts.reshape(-1, *[1] * unit.dim()) * unit
    log_p = gradients.log_probability(model, tables)
    (slopes,) = torch.autograd.grad(log_p.sum(), shifts)
    return log_p.detach().clamp(max=0.0).tolist(), slopes.tolist()


# ---------------------------------------------------------------------- a corpus


def likelihood(state: State) -> Payload:
    """Each sentence with log p = score − log Z of its right tags, after two steps of ascent."""
    corpus = corpus_of(state)
    run = train(corpus, CorpusSettings(), OPENS)
    chain, nll = run.at([run.iterations]), run.nll[-1]
    scores = chain.score(corpus.batch.tags.clamp(min=0)).tolist()
    rows = []
    for tokens, gold, score, log_z, loss in zip(
        corpus.sentences,
        corpus.tag_of,
        scores,
        chain.log_partition.tolist(),
        nll.tolist(),
        strict=True,
    ):
        p = math.exp(-loss)
        left, right, result = signed(score), share(log_z), signed(-loss)
        line = f"{left} {minus(right)} {equals(shown(left) - shown(right), result)} {result}"
        texts = [share(p), line, size(loss), ""]
        rows.append({"tokens": list(tokens), "gold": list(gold), "p": p, "texts": texts})
    total = nll.sum().item()
    product = bare(format_probability(math.exp(-total)))
    return {
        "draws": "likelihood",
        "tags": tags_of(corpus.tags),
        "rows": rows,
        "totals": [product, signed(-total), size(total), size(total / len(rows))],
        "words": words(*(f"word-{kind}-{k}" for kind in ("line", "total") for k in range(LINES))),
    }


def weights(state: State) -> Payload:
    """Sentences, weights, and the curve that is the scrubber."""
    corpus, run = corpus_of(state), run_of(state)
    counts = run.settings.is_perceptron
    curve = (run.wrong.sum(1) if counts else -run.objective).tolist()
    name, text = state.control("corpus", CORPUS), LessonText.of("learning")
    return {
        "draws": "corpus", "tags": tags_of(corpus.tags), "names": list(corpus.words),
        "sentences": [
            {"tokens": tokens, "of": of, "gold": gold} for tokens, of, gold
            in zip(corpus.sentences, corpus.word_of, corpus.tag_of, strict=True)
        ],
        "curve": [float(f"{value:.5g}") for value in curve],
        "last": loss_of(run, run.iterations),
        "weight": ".".join(map(str, weight_of(state))),
        "corpora": [{"name": one, "label": text.title(f"corpus-{one}")} for one in PRESETS],
        "corpus": name if name in PRESETS else "", "counts": counts,
        "words": words(
            "word-play", "word-after", "word-loss-after", "word-wrong-after", "word-scrub",
            "word-corpus", "word-own", "word-method", "word-rate", "word-penalty",
            "word-follow", *(f"method-{name}" for name in OPTIMISERS),
        ),
        "controls": {
            "method": run.settings.optimiser, "eta": f"{run.settings.rate:g}",
            "penalty": f"{run.settings.penalty:g}",
        },
    }  # fmt: skip


def shared(state: State) -> Payload:
    """Sentences and weights, each weight for all places of its feature."""
    return weights(state) | {"draws": "shared"}


def shared_at(state: State, iteration: int) -> Payload:
    """What training has made of the weights, and where the chosen one counts."""
    now = weights_at(state, iteration)
    places = [{key: one[key] for key in ("sentence", "token")} for one in now["pulls"]]
    return now | {"pulls": places, "sum": "", "sum_value": 0, "held": ""}


def loss_of(run: Run, n: int) -> str:
    """The loss after n iterations; of a perceptron the number of wrong tags."""
    if run.settings.is_perceptron:
        return str(int(run.wrong[n].sum()))
    value = -run.objective[n].item()
    return ("−" if value < 0 else "") + size(abs(value))


def weights_at(state: State, step: int) -> Payload:
    """The picture's part for one iteration: probabilities, tags, weights, pulls."""
    run = run_of(state)
    n, corpus, penalty = min(step, run.iterations), run.corpus, run.settings.penalty
    letter, i, j = weight_of(state)
    tables = run.weights.words[n], run.weights.tags[n]
    back = 0.0  # what the penalty pulls
    if not run.settings.is_perceptron:
        back = -penalty * tables[letter == "T"][i, j].item()
    places = pulls(run, n, (letter, i, j))
    total = sum(one["pull"] for one in places) + back
    return {
        "iteration": n,
        "p": right_tags(corpus, settings_of(state), ITERATIONS)[n],
        "wrong": wrong_tags(corpus, run.decoded[n].tolist()),
        "weights": [[list(map(_weight, row)) for row in table.tolist()] for table in tables],
        "pulls": places,
        "held": signed(back) if back else "",
        "sum": signed(total),
        "sum_value": total,
        "loss": loss_of(run, n),
    }


def _weight(value: float) -> str:
    """A weight with its sign and one decimal."""
    if abs(value) >= 1000:
        return ("−" if value < 0 else "+") + format_magnitude(abs(value), 2)
    text = f"{value:+.1f}".replace("-", "−")
    return "0" if text in ("+0.0", "−0.0") else decimal(text)


@lru_cache(maxsize=128)
def right_tags(
    corpus: Corpus, settings: CorpusSettings, iterations: int
) -> list[list[list[float]]]:
    """[iteration][sentence][word] the probability of the right tag."""
    run = train(corpus, settings, iterations)
    marginals = run.at(range(run.iterations + 1)).marginals
    return _of_right_tags(marginals, corpus)


def _of_right_tags(marginals: torch.Tensor, corpus: Corpus) -> list[list[list[float]]]:
    """[N · B, L, S] marginals → those of the right tags."""
    N, gold = len(marginals) // len(corpus.sentences), corpus.batch.tags.clamp(min=0)
    every = marginals.gather(2, gold.repeat(N, 1)[..., None]).reshape(N, *gold.shape).tolist()
    return [
        [
            [round(p, 4) for p in row[: len(of)]]
            for row, of in zip(table, corpus.tag_of, strict=True)
        ]
        for table in every
    ]


def wrong_tags(corpus: Corpus, decoded: list[list[int]]) -> list[list[str]]:
    """The wrongly decoded tags; "" for a right one."""
    return [
        ["" if s == right else corpus.tags[s] for s, right in zip(row, gold, strict=False)]
        for row, gold in zip(decoded, corpus.tag_of, strict=True)
    ]


# ---------------------------------------------------------------------- methods


def methods_of(state: State) -> dict[str, CorpusSettings]:
    """How each method is trained; all begin at zeros."""
    usual = settings_of(state)._replace(start="zeros")
    ways = {name: usual._replace(optimiser=name) for name in OPTIMISERS}
    return ways | {"softmax": ways["ascent"]._replace(transitions=False)}


def methods(state: State) -> Payload:
    """The sentences, and a row for each method."""
    corpus, names = corpus_of(state), (*methods_of(state), "hmm")
    return {
        "draws": "methods",
        "tags": tags_of(corpus.tags),
        "length": FEW,
        "sentences": [
            {"tokens": list(tokens), "gold": list(gold)}
            for tokens, gold in zip(corpus.sentences, corpus.tag_of, strict=True)
        ],
        "methods": list(names),
        "words": words("word-right-of", "word-loss", *(f"method-{name}" for name in names)),
    }


def methods_at(state: State, step: int) -> Payload:
    """After so many iterations: each method's curve so far, its tags and their probabilities."""
    corpus = corpus_of(state)
    until = min(max(-(-step // CHUNK), 1) * CHUNK, FEW)
    rows = []
    for name, settings in methods_of(state).items():
        run = train(corpus, settings, until)
        n, counts = min(step, run.iterations), name == "perceptron"
        curve = (run.wrong if counts else run.nll).sum(1)[: n + 1].tolist()
        rows.append(
            {
                "loss": "" if counts else size(curve[-1]),
                "curve": [float(f"{v:.4g}") for v in curve],
                "p": right_tags(corpus, settings, until)[n],
                "wrong": wrong_tags(corpus, run.decoded[n].tolist()),
            }
        )
    rows.append(_hmm_row(corpus))
    total = sum(map(len, corpus.sentences))
    for row in rows:
        row["misses"] = sum(bool(tag) for line in row["wrong"] for tag in line)
        row["right"] = f"{total - row['misses']}/{total}"
    return {"rows": rows}


def _hmm_row(corpus: Corpus) -> Payload:
    """The row of the HMM, which has no iterations."""
    chain = hmm_of(corpus)
    nll = -chain.log_prob(corpus.batch.tags.clamp(min=0)).sum().item()
    return {
        "loss": size(nll),
        "curve": [],
        "p": _of_right_tags(chain.marginals, corpus)[0],
        "wrong": wrong_tags(corpus, chain.viterbi().tags.tolist()),
    }


# ---------------------------------------------------------------------- is it right


def error(state: State) -> Payload:
    """The models and entries to choose from."""
    model, models = model_of(state), ("screen", "pairs", *gradients.PRESETS)
    choices = {"model": state.control("model", GRADIENT), "of": "log"}
    entries: list[Payload] = []
    if model is not None:
        choices["of"] = "psi" if by_psi(state, model) else "log"
        choices["entry"] = gradients.key_of(entry_of(state, model))
        entries = [
            {"name": gradients.key_of(entry), "label": gradients.entry_title(model, entry)}
            for entry in gradients.entries(model)[0]
        ]
    return {
        "draws": "error", "models": list(models), "chosen": choices, "most": MOST_POWERS,
        "psi": model is not None and model.has_potentials, "entries": entries,
        "words": words(
            "word-error", "word-coarse", "word-fine", "word-smaller-h", "word-closed",
            "word-automatic", "word-differences", "word-agree", "word-entry", "word-model",
            "word-by", "word-of-log", "word-of-psi", *(f"model-{name}" for name in models),
        ),
    }  # fmt: skip


def error_at(state: State, step: int) -> Payload:
    """The three numbers at h, and the error at every h."""
    model = model_of(state)
    if model is None:
        return {"numbers": None, "dots": []}
    psi, (table, at) = by_psi(state, model), entry_of(state, model)
    closed, automatic = (way[table][at].item() for way in exact(model, psi))
    every = slopes(model, (table, at), psi)
    slope, errors = every[4 * step], errors_of(every, closed)
    numbers = {"closed": closed, "automatic": automatic, "differences": slope}
    texts = {name: digits(value) for name, value in numbers.items()}
    return {
        "power": step,
        "h": power_of_ten(-step),
        "numbers": texts,
        "agree": agreeing(texts["closed"], texts["differences"]),
        "error": errors[4 * step],
        "dots": [[power, off] for power, off in zip(FINE, errors, strict=True) if off is not None],
        "relative": magnitude(abs(slope - closed) / abs(closed)) if closed else "",
    }


@lru_cache(maxsize=64)
def slopes(model: Model, entry: Named, psi: bool) -> list[float]:
    """Differences of one parameter at every h of `FINE`; nan where ψ − h is not positive."""
    return gradients.differences(model, [entry], [10.0**-p for p in FINE], psi)[:, 0].tolist()


def errors_of(slopes: list[float], right: float) -> list[float | None]:
    """How far slopes are off, to four digits; None where there is none."""
    off = (abs(slope - right) for slope in slopes)
    return [float(f"{max(x, 1e-17):.4g}") if math.isfinite(x) else None for x in off]


def fault(state: State) -> Payload:
    """The entries that are furthest off, right and as the code has them."""
    model = model_of(state)
    code = gradients.code_of(state, model)
    if model is None or not code:
        return {"draws": "fault", "rows": [], "codes": [], "words": {}}
    wrong, pairs = gradients.faulty(model, gradients.CODES[code])
    right = exact(model, False)[0]
    rows = []
    for table, at in gradients.largest(model, {name: right[name] - wrong[name] for name in right})[
        :5
    ]:
        ways = [way[table][at].item() for way in (right, wrong)]
        rows.append(
            {
                "name": gradients.entry_title(model, (table, at)),
                "right": ways[0],
                "code": ways[1],
                "texts": [format_score(value, 4) for value in ways],
            }
        )
    steps = len(model.tokens) - 1
    return {
        "draws": "fault",
        "rows": rows,
        "codes": gradients.codes_of(model),
        "code": code,
        "words": words("word-code", "word-is-right", "word-sum"),
        "sums": [
            {"value": steps, "text": str(steps)},
            {"value": pairs, "text": format_magnitude(pairs)},
        ],
    }
