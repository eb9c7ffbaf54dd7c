"""The numbers in the article: those that its figures say, and more from the core and the cards."""

import math
from collections.abc import Mapping
from typing import Any

import torch

from crf import LinearChain
from crf.figures.numbers import (
    bare,
    decimal,
    format_count,
    format_percent,
    format_power,
    format_score,
)
from crf.strict_json import read_json
from pages.beats import LESSONS
from pages.shared.contents import ROOT
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures.beat import step_of
from pages.shared.ui.stage import view as views

LONG = 60  # words of a long sentence
_CARDS = ROOT / "assets" / "taggers" / "shipped"


def facts() -> dict[str, str]:
    """What fills each hole of article.md that is a number or a path."""
    problem = EXAMPLES["old-man"].problem
    found = {**_of_paths(problem), **_of_cells(problem), **_of_figures(), **_of_cards()}
    return {name: text.replace(" %", "\N{NO-BREAK SPACE}%") for name, text in found.items()}


def _p(value: float) -> str:
    return decimal(bare(f"{value:.2f}"))


def _score(value: float) -> str:
    return format_score(value, 1)


def _of_paths(problem: Problem) -> dict[str, str]:
    """The best path against the garden path, and both against all paths."""
    chain, (S, m) = problem.chain(), (len(problem.tags), len(problem.tokens))
    (best, garden), (high, low) = chain.topk(2).tags[0].tolist(), chain.topk(2).scores[0].tolist()
    log_z, e = chain.log_partition.item(), problem.emissions
    first, second = math.exp(high - log_z), math.exp(low - log_z)
    lost_old, lost_man = (e[t][garden[t]] - e[t][best[t]] for t in (1, 2))
    limit = math.log(torch.finfo(torch.float32).max)
    return {
        "best": " ".join(problem.tags[s] for s in best),
        "garden": " ".join(problem.tags[s] for s in garden),
        "best_score": _score(high),
        "garden_score": _score(low),
        "lost_old": _score(lost_old),
        "lost_man": _score(lost_man),
        "won": _score(high - low + lost_old + lost_man),
        "log_z": format_score(log_z),
        "loss": _p(log_z - high),
        "p_best": _p(first),
        "p_garden": _p(second),
        "p_rest": _p(1 - first - second),
        "e": decimal(f"{math.e:.2f}"),
        "count": format_count(S**m),
        "rest_count": format_count(S**m - 2),
        "sixty": format_power(S**LONG, 2),
        "sums": format_count((m - 1) * S + 1),
        "sixty_sums": format_count((LONG - 1) * S + 1),
        "per_copy": _score(_gains(problem)),
        "limit": format_score(limit),
        "fit": format_count(_overflows(problem, limit)),
    }


def _overflows(problem: Problem, limit: float) -> int:
    """The word at which the sum over all beginnings passes a limit, if the sentence is repeated."""
    return int((_repeated(problem) > limit).int().argmax()) + 1


def _gains(problem: Problem) -> float:
    """What each repetition of the sentence adds to the logarithm of this sum."""
    return _repeated(problem)[:: len(problem.tokens)].diff()[-1].item()


def _repeated(problem: Problem) -> torch.Tensor:
    """The logarithm of the sum over all beginnings after each word of the repeated sentence."""
    emissions, transitions, start, end = problem.tables()
    again = emissions.repeat(LONG, 1)[None]
    return LinearChain(again, transitions, start, end).log_alphas[0].logsumexp(-1)


def _of_cells(problem: Problem) -> dict[str, str]:
    """What is believed about *old* and *man*, and what training does there."""
    chain, noun = problem.chain(), problem.tags.index("NOUN")
    counts = chain.expected_counts.transitions[0]
    old, man = chain.marginals[0, 1:3, noun].tolist()
    return {
        "noun": _p(man),
        "old_noun": _p(old),
        "old_gap": _p(1 - old),
        "adj_expected": _p(counts[problem.tags.index("DET"), problem.tags.index("ADJ")].item()),
    }


def _said(lesson: str, name: str, step: int | None = None) -> Mapping[str, Any]:
    """What a beat says of its usual example."""
    beat = next(beat for beat in LESSONS[lesson] if beat.name == name)
    state = beat.prepare(views.state_of({}, lesson)[0])
    return beat.facts(state, step_of(beat, state) if step is None else step)


def _of_figures() -> dict[str, str]:
    """What the figures say, under the text's names."""
    tags = EXAMPLES["old-man"].problem.tags
    add = _said("trellis", "add", 2 * len(tags) + tags.index("VERB"))
    mind, meet = _said("trellis", "mind"), _said("trellis", "meet")
    before, after = (_said("learning", "counts", step) for step in (0, 1))
    names = _said("constraints", "train")
    return {
        "share": add["share"],
        "alpha": add["value"],
        "led": mind["led"],
        "led_score": mind["led_score"],
        "leads": mind["leads"],
        "leads_score": mind["score"],
        "carried": mind["carried"],
        "left": meet["left_p"],
        "right": meet["right_p"],
        "verb": meet["p"],
        "expected": before["expected"],
        "push": before["push"],
        "rate": after["rate"],
        "loss_after": after["loss"],
        "broken": f"{names['illegal']} %",
        "allowed_best": names["best"],
        "p_before": names["p"],
        "p_allowed": names["p_held"],
    }


def _of_cards() -> dict[str, str]:
    """What was measured of the taggers and their twins."""
    cards = {
        name: read_json((_CARDS / name / "metrics.json").read_bytes(), 10**7)
        for name in ("local", "bilstm", "ner", "ner-softmax")
    }
    found = {"dev_sentences": format_count(cards["local"]["sentences"])}
    for name in ("local", "bilstm"):
        for kind, card in (("crf", cards[name]), ("softmax", cards[name]["softmax"])):
            found[f"{name}_{kind}"] = format_percent(card["accuracy"])
            found[f"{name}_{kind}_whole"] = format_percent(card["sentence_accuracy"])
    for kind, card in (("crf", cards["ner"]), ("softmax", cards["ner-softmax"])):
        found[f"ner_{kind}"] = format_percent(card["span_f1"])
        found[f"ner_{kind}_broken"] = format_count(card["invalid_tags"])
    cut = cards["ner-softmax"]["spans"]["viterbi_constrained"]
    return found | {"ner_cut": format_percent(cut["span_f1"])}
