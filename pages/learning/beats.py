"""Learning, beat by beat: observed − expected, a corpus, and whether a gradient is right.

Here stand the table of beats, the facts that fill their sentences, and the bets.
"""

import math
from typing import Any

import torch

from crf.figures.flow.payload import Payload
from crf.figures.numbers import (
    bare,
    decimal,
    format_magnitude,
    format_probability,
    format_score,
    power_of_ten,
)
from pages.learning import gradients, pictures
from pages.learning.corpus import (
    CORPUS,
    ITERATIONS,
    CorpusSettings,
    Run,
    corpus_of,
    run_of,
    settings_of,
    train,
    weight_of,
)
from pages.learning.gradients import (
    CODES,
    GRADIENT,
    Model,
    by_psi,
    entries,
    entry_of,
    exact,
    faulty,
    model_of,
)
from pages.learning.pictures import FINE, MOVES, OPENS, TEXT, errors_of, slopes
from pages.learning.sentence import (
    NOTHING,
    SENTENCE,
    ascent,
    counts_of,
    followed_score,
    magnitude,
    right_path,
    share,
    signed,
    size,
    title_of,
    wish,
)
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat, Bet, lesson
from pages.shared.figures.beat_text import BeatText
from pages.shared.figures.equation import equals, shown

MOST_STEPS = 20
LATER = 10  # steps until the bet on the difference is settled
MANY = 10_000  # sentences, whose likelihood no one writes down
LEAST = math.log10(math.ulp(0.0))  # of float64 above 0
POWER = 5  # of a tenth: the h that is shown at first
FURTHER = 3  # powers that the bet goes on
STOPS = (1, 2, 3, 5, 10, 20, 30)  # at which there is something new to see


# ---------------------------------------------------------------------- one sentence


def count_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentences on observed and expected."""
    run, right, tags = ascent(state, step), right_path(state), wish(state)
    facts: dict[str, Any] = {
        "none": int(run is None),
        "idle": 1,
        "replaced": int(tags not in ((), right)),
        "n": step,
        "rate": bare(format_magnitude(state.control("rate", SENTENCE))),
        "times": 1,
    }
    if run is None:
        return facts
    score = followed_score(state)
    observed, expected = counts_of(run, score, step)
    first, norm = run.norms[0].item(), run.norms[step].item()
    role = {"t": "transition", "e": "emission"}.get(score[0])
    look = {"role": role, "bold": True} if role else {"role": "edge"}
    return facts | {
        "idle": int(first < NOTHING),
        "times": round(observed),
        "score": [{"text": title_of(state.problem, score)} | look],
        "observed": f"{observed:.0f}",
        "expected": share(expected),
        "push": signed(observed - expected),
        "relation": equals(round(observed) - shown(share(expected)), signed(observed - expected)),
        "before": size(-run.log_p[0].item()),
        "loss": size(-run.log_p[step].item()),
        "first": size(first),
        "norm": size(norm),
    }


def bet_on_steps(state: State, _step: int) -> Bet | None:
    """Whether the difference shrinks; a question before the steps are taken."""
    run = ascent(state, LATER)
    if run is None or state.step not in (None, 1) or run.norms[0] < NOTHING:
        return None
    ratio = (run.norms[LATER] / run.norms[0]).item()
    right = "smaller" if ratio < 0.8 else "larger" if ratio > 1.25 else "same"
    return Bet(("smaller", "same", "larger"), right)


def step_facts(state: State, step: int) -> dict[str, Any]:
    """These facts, and the effect of ten steps."""
    run = ascent(state, max(step, LATER))
    facts = count_facts(state, step)
    if run is None:
        return facts
    loss = -run.log_p[step].item()
    text, p = exactly(loss), bare(format_probability(math.exp(-loss)))
    shrinks = bool(run.norms[step] < run.norms[0]) and loss < -run.log_p[0].item()
    return facts | {
        "loss": text,
        "p": p,
        "equals": equals(math.exp(-shown(text)), p) if p[0] != "≥" else "≈",
        "shrinks": int(shrinks),
        "later": LATER,
        "then": size(run.norms[LATER].item()),
        "later_loss": size(-run.log_p[LATER].item()),
        "rises": int((-run.log_p[: step + 1]).diff().gt(1e-9).any()),
    }


def exactly(loss: float) -> str:
    """A loss with three decimals, or three digits: so many that exp of it has three."""
    return bare(format_score(loss, 3) if loss >= 0.1 else format_magnitude(loss, 3))


def slope_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentence about the slope."""
    facts, here = count_facts(state, 0), pictures.slope_at(state, step)
    if here["slope"] is None:
        return facts
    x, slope = here["x"], here["slope"]
    return facts | {
        "moved": int(x != 0),
        "by": decimal(f"{x:+g}".replace("-", "−")),
        "slope": signed(slope),
        "minus": signed(-slope),
        "flat": int(abs(slope) < 0.005),
    }


# ---------------------------------------------------------------------- a corpus


def likelihood_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentences about the likelihood of several sentences."""
    corpus = corpus_of(state)
    total, B = train(corpus, CorpusSettings(), OPENS).nll[-1].sum().item(), len(corpus.sentences)
    return {
        "line": step,
        "B": B,
        "total": size(total),
        "mean": size(total / B),
        "product": bare(format_probability(math.exp(-total))),
        "many": decimal(f"{MANY:,}"),
        "n": OPENS,
        "power": power_of(exponent := -total / B * MANY / math.log(10)),
        "least": power_of(LEAST),
        "fits": int(exponent > LEAST),
    }


def power_of(exponent: float) -> str:
    """Ten to a power that no float may hold, to one digit.

    >>> power_of(-161.4), power_of(0.0)
    ('4 × 10⁻¹⁶²', '1 × 1')
    """
    whole = math.floor(exponent)
    return f"{10 ** (exponent - whole):.0f} × {power_of_ten(whole)}"


def bet_on_weight(state: State, _step: int) -> Bet | None:
    """Whether the weight rises or falls in the next iteration."""
    how, rate, *_ = settings_of(state)
    follows = how == "perceptron" or (how == "ascent" and rate)
    if not follows or state.step != OPENS or len(corpus_of(state).tags) < 2:
        return None  # other methods may move a weight against its pulls
    total = pictures.weights_at(state, OPENS)["sum_value"]
    right = "stays" if abs(total) < 0.005 else "rises" if total > 0 else "falls"
    return Bet(("rises", "falls", "stays"), right)


def _plus(text: str) -> str:
    """A number behind others, with its sign."""
    return "+0" if text == "0" else text


def weight_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentence about an iteration, or at the end about the whole run."""
    run, now = run_of(state), pictures.weights_at(state, step)
    corpus, n, pulls = run.corpus, now["iteration"], now["pulls"]
    letter, i, j = weight_of(state)
    up, down = (sum(sign * shown(one["text"]) > 0 for one in pulls) for sign in (1, -1))
    terms = [
        {"text": f" {_plus(one['text'])}" if k else one["text"], "bold": abs(one["pull"]) >= 0.2}
        for k, one in enumerate(pulls[:8])
    ]
    counts = {"places": len(pulls), "up": up, "down": down}
    text = BeatText.load(TEXT)
    numbers = [shown(one["text"]) for one in pulls] + [shown(now["held"] or "0")]
    return {
        "relation": equals(sum(numbers), now["sum"]),
        **counts, **{f"{name}_word": text.plain("number", {"n": n}) for name, n in counts.items()},
        "of": run.iterations, "end": int(step >= ITERATIONS), "begins": int(n == 0),
        "start": run.settings.start.split()[0], "method": run.settings.optimiser,
        "kind": letter, "row": (corpus.words if letter == "w" else corpus.tags)[i],
        "tag": corpus.tags[j], "terms": terms, "more": max(len(pulls) - 8, 0),
        "held": now["held"], "holds": (holds := int(bool(now["held"]))), "sum": now["sum"],
        "all": text.segments("corpus-all", {"holds": holds, "held": now["held"]}),
        "overflowed": int(run.overflowed), **conclusion(run),
    }  # fmt: skip


def conclusion(run: Run) -> dict[str, Any]:
    """What a whole run shows: a case of the lesson's text and its numbers."""
    settings = run.settings
    facts = {
        "wrong": int(run.wrong[-1].sum()),
        "total": sum(map(len, run.corpus.sentences)),
        "length": size(run.weights.squared().sqrt()[-1].item()),
        "low": "",
        "high": "",
        "nll": size(run.nll[-1].sum().item()),
        "penalty": f"{settings.penalty:g}",
        "last": 0,
    }
    if len(run.corpus.tags) == 1:
        return facts | {"shows": "one-tag"}
    if settings.is_perceptron:
        moves = sum(table.diff(dim=0).abs().sum((1, 2)) for table in run.weights)
        last = int(moves.nonzero().max()) + 1 if moves.any() else 0  # pyright: ignore
        return facts | {"shows": "mistakes", "last": last}
    if settings.rate == 0:
        return facts | {"shows": "still"}
    if run.is_swinging:
        rise = int((-run.objective).diff().argmax())
        low, high = (format_magnitude(-run.objective[k].item()) for k in (rise, rise + 1))
        return facts | {"shows": "swings", "low": low, "high": high}
    if settings.penalty:
        return facts | {"shows": "held"}
    best = run.at([run.iterations]).topk(2).scores
    if facts["wrong"] or not (best[:, 0] - best[:, 1] > 1e-9).all():  # so p cannot grow
        return facts | {"shows": "stuck"}
    return facts | {"shows": "grows"}


def method_facts(state: State, step: int) -> dict[str, Any]:
    """Which method is ahead, and which cannot get there."""
    names = (*pictures.methods_of(state), "hmm")
    rows = dict(zip(names, pictures.methods_at(state, step)["rows"], strict=True))
    losses = {name: rows[name]["curve"][-1] for name in ("ascent", "adam", "lbfgs")}
    soft, crf = rows["softmax"]["misses"], rows["ascent"]["misses"]
    return {
        "n": step,
        "ahead": min(losses, key=losses.__getitem__),
        "tie": int(len({f"{loss:.6g}" for loss in sorted(losses.values())[:2]}) == 1),
        "begins": int(step == 0),
        "end": int(step >= pictures.FEW),
        "soft": soft,
        "crf": crf,
        "gap": int(soft > crf),
        "least": size(min(losses.values())),
    }


# ---------------------------------------------------------------------- is it right


def bet_on_error(state: State, _step: int) -> Bet | None:
    """Whether a much smaller h makes the error smaller."""
    model = model_of(state)
    if model is None or state.step not in (None, POWER):
        return None
    (table, at), psi = entry_of(state, model), by_psi(state, model)
    right = exact(model, psi)[0][table][at].item()
    every = slopes(model, (table, at), psi)
    now, then = (abs(every[4 * k] - right) for k in (POWER, POWER + FURTHER))
    if not (math.isfinite(now) and math.isfinite(then)):
        return None
    change = "same" if now / 3 <= then <= 3 * now else "larger" if then > now else "smaller"
    return Bet(("smaller", "same", "larger"), change)


def error_facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentence about the error at h."""
    model = model_of(state)
    if model is None:
        return {"none": 1}
    psi, (table, at) = by_psi(state, model), entry_of(state, model)
    every, ranked = map(len, entries(model))
    largest, relative = worst(model, psi, step)
    right = exact(model, psi)[0][table][at].item()
    errors = errors_of(slopes(model, (table, at), psi), right)
    there = [(e, p) for e, p in zip(errors, FINE, strict=True) if e is not None]
    best = min(there, default=(0.0, float(step)))[1]
    return {
        "none": 0,
        "h": power_of_ten(-step),
        "side": -1 if step < best - 1.5 else 1 if step > best + 1.5 else 0,
        "count": ranked,
        "every": every,
        "all": int(ranked == every),
        "worst": magnitude(largest),
        "relative": magnitude(relative),
        "lost": int(math.isnan(slopes(model, (table, at), psi)[4 * step])),
        "before": magnitude(errors[4 * POWER] or 0.0),
        "after": magnitude(errors[4 * (POWER + FURTHER)] or 0.0),
        "thousand": decimal(f"{10**FURTHER:,}"),
    }


def worst(model: Model, psi: bool, power: int) -> tuple[float, float]:
    """The largest error over the parameters at h, absolute and relative."""
    places, right = entries(model)[1], exact(model, psi)[0]
    closed = torch.stack([right[name][index] for name, index in places])
    off = (gradients.differences(model, places, [10.0**-power], psi)[0] - closed).abs()
    there = off.isfinite()
    relative = (off / closed.abs())[there & (closed != 0)]
    largest = off[there].max().item() if there.any() else math.nan
    return largest, relative.max().item() if len(relative) else math.nan


def bet_on_fault(state: State, _step: int) -> Bet | None:
    """Which fault the code has; a fault with the same numbers is right, too."""
    model = model_of(state)
    code = gradients.code_of(state, model)
    if model is None or not code:
        return None
    wrong = faulty(model, CODES[code])[0]
    fits = [name for name in CODES.values() if gradients.alike(wrong, faulty(model, name)[0])]

    def verdict(choice: str) -> str:
        return "wrong" if choice not in fits else "also" if len(fits) > 1 else "right"

    right = state.bet if state.bet in fits else CODES[code]
    return Bet(("steps", "ends", "rows"), right, verdict=verdict)


def fault_facts(state: State, _step: int) -> dict[str, Any]:
    """Facts for the sentence about the faulty gradient."""
    model = model_of(state)
    code = gradients.code_of(state, model)
    if model is None or not code:
        return {"none": 1, "one": int(model is None)}
    count, steps, pairs = (
        len(gradients.codes_of(model)),
        len(model.tokens) - 1,
        faulty(model, CODES[code])[1],
    )
    return {
        "none": 0,
        "one": 0,
        "code": code,
        "fault": CODES[code],
        "seen": count,
        "unseen": len(CODES) - count,
        "right": steps,
        "sum": format_magnitude(pairs),
        "sums": int(abs(pairs - steps) < 1e-6),
    }


# ---------------------------------------------------------------------- the beats


def without_pulls(picture: Payload, now: Payload) -> tuple[Payload, Payload]:
    """The pulls' places alone, while the question is which way they pull."""
    places = [{key: one[key] for key in ("sentence", "token")} for one in now["pulls"]]
    return picture, now | {"pulls": places, "sum": "", "sum_value": 0, "held": ""}


def without_smaller_steps(picture: Payload, now: Payload) -> tuple[Payload, Payload]:
    """The error at larger steps alone."""
    return picture, now | {"dots": [dot for dot in now["dots"] if dot[0] <= POWER]}


BEATS = (
    *lesson(
        "learning", TEXT,
        Beat(
            "counts", pictures.flows, count_facts, pictures.flows_at,
            steps=lambda problem: range(2), controls=SENTENCE,
        ),
        Beat(
            "step", pictures.flows, step_facts, pictures.flows_at,
            steps=lambda problem: range(1, MOST_STEPS + 1), stops=lambda problem: STOPS,
            opens=lambda problem: 1,
            bet=bet_on_steps, controls=SENTENCE,
        ),
        Beat(
            "sign", pictures.slope, slope_facts, pictures.slope_at,
            steps=lambda problem: range(len(MOVES)), opens=lambda problem: MOVES.index(0),
            stops=lambda problem: (MOVES.index(0), MOVES.index(1)),
            controls=SENTENCE,
        ),
    ),
    *lesson(
        "learning", TEXT,
        Beat(
            "weights", pictures.shared, lambda state, _: weight_facts(state, ITERATIONS),
            lambda state, _: pictures.shared_at(state, ITERATIONS), controls=CORPUS,
        ),
        Beat(
            "likelihood", pictures.likelihood, likelihood_facts,
            at=lambda state, step: {"line": step}, steps=lambda problem: range(pictures.LINES),
            controls=CORPUS,
        ),
        Beat(
            "corpus", pictures.weights, weight_facts, pictures.weights_at,
            steps=lambda problem: range(ITERATIONS + 1), stops=lambda problem: STOPS,
            bet=bet_on_weight, veil=without_pulls, controls=CORPUS,
        ),
        Beat(
            "methods", pictures.methods, method_facts, pictures.methods_at,
            steps=lambda problem: range(pictures.FEW + 1), stops=lambda problem: STOPS,
            controls=CORPUS,
        ),
        chooses=False,
    ),
    *lesson(
        "learning", TEXT,
        Beat(
            "right", pictures.error, error_facts, pictures.error_at,
            steps=lambda problem: range(pictures.MOST_POWERS + 1), opens=lambda problem: POWER,
            stops=lambda problem: range(POWER % FURTHER, pictures.MOST_POWERS, FURTHER),
            bet=bet_on_error, veil=without_smaller_steps, controls=GRADIENT,
        ),
        Beat("fault", pictures.fault, fault_facts, bet=bet_on_fault, controls=GRADIENT),
    ),
)  # fmt: skip
