"""Twelve questions at the end of the course; every number in an answer is the core's."""

from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import torch
from markupsafe import Markup

from crf import Constraints, LinearChain
from crf.figures.numbers import counted, format_probability, format_score
from pages.shared import contents
from pages.shared.course.brute_force import count_paths
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import count

TEXT = LessonText.load(Path(__file__).with_name("quiz.md"))
PICTURES = {  # where each answer is shown: the page, and what its address asks for
    "paths": "scores?ex=old-man&beat=count",
    "score": "scores?ex=old-man",
    "greedy": "structure?ex=old-man",
    "forward": "forward?ex=old-man&step=10",
    "marginal": "backward?ex=old-man&beat=meet",
    "change": "viterbi?ex=old-man&beat=mind",
    "gradient": "learning?ex=old-man",
    "overflow": "stability",
    "mask": "batches?ex=old-man",
    "table": "constraints?ex=paris-hilton",
    "cost": "cost?ex=old-man",
    "bias": "graphs?letter=o",
}
_OLD_MAN, _NAMES, _RIB_ROB = "old-man", "paris-hilton", "rib-rob"
_TOKEN, _TAG = 2, 2  # ‘man’ as NOUN: likely for who has read so far, wrong in the end


@lru_cache(maxsize=1)
def facts() -> dict[str, dict[str, str]]:
    """What fills the holes of each question and its answer."""
    return _of_the_course() | _of_learning() | _of_practice()


def _path_and_p(summary: ChainSummary) -> dict[str, str]:
    best = summary.viterbi
    return {"best": " ".join(best), "p": format_probability(summary.p(best))}


def _of_the_course() -> dict[str, dict[str, str]]:
    problem, summary = EXAMPLES[_OLD_MAN].problem, EXAMPLES[_OLD_MAN].summary
    S, m, chain, best = len(problem.tags), len(problem.tokens), summary.chain, _path_and_p(summary)
    log_z, greedy = format_score(summary.log_z), summary.greedy
    alpha, beta, p = (
        x[0, _TOKEN, _TAG].item() for x in (chain.log_alphas, chain.log_betas, chain.marginals)
    )
    cell = {
        "word": problem.tokens[_TOKEN], "tag": problem.tags[_TAG], "alpha": format_score(alpha),
    }  # fmt: skip
    return {
        "paths": {
            "sentence": " ".join(problem.tokens), "tags": str(S), "tokens": str(m),
            "paths": count(count_paths(problem)),
        },
        "score": {
            "score": format_score(chain.viterbi().scores.item()), "log_z": log_z, "p": best["p"],
        },
        "greedy": {
            "greedy": " ".join(greedy), "p_greedy": format_probability(summary.p(greedy)),
            "best": best["best"], "p_best": best["p"],
        },
        "forward": cell | {"prefixes": count(S**_TOKEN)},
        "marginal": cell
        | {"beta": format_score(beta), "log_z": log_z, "p": format_probability(p)},
        "change": {"before": " ".join(summary.first(3).viterbi), "best": best["best"]},
        "cost": {
            "m": str(m), "tags": str(S), "once": count(m * S**2), "twice": count(2 * m * S**2),
        },
        "bias": _path_and_p(EXAMPLES[_RIB_ROB].summary),
    }  # fmt: skip


def _of_learning() -> dict[str, dict[str, str]]:
    """The transition that is pushed up most if the best path were right."""
    summary, tags = EXAMPLES[_OLD_MAN].summary, EXAMPLES[_OLD_MAN].problem.tags
    expected = summary.chain.pair_marginals[0].sum(0)
    observed = torch.zeros_like(expected)
    for a, b in pairwise(map(tags.index, summary.viterbi)):
        observed[a, b] += 1
    a, b = divmod(int((observed - expected).argmax()), len(tags))
    uses = int(observed[a, b])
    return {
        "gradient": {
            "path": " ".join(summary.viterbi), "a": tags[a], "b": tags[b],
            "way": "Up" if uses > expected[a, b] else "Down",
            "observed": counted(uses, "time"),
            "expected": format_probability(expected[a, b].item()),
        }
    }  # fmt: skip


def _of_practice() -> dict[str, dict[str, str]]:
    ninety, names = torch.tensor([90.0, 90.0]), EXAMPLES[_NAMES].problem
    short = EXAMPLES[_OLD_MAN].problem
    while len(short.tokens) > 3:
        short = short.remove_token(0)
    return {
        "overflow": {
            "overflow": str(ninety[0].exp().item()), "sum": f"{ninety.logsumexp(0).item():.2f}",
        },
        "mask": {
            "short": " ".join(short.tokens), "alone": format_score(ChainSummary(short).log_z),
        },
        "table": {
            "names": " ".join(names.tokens), "tags": str(len(names.tags)),
            "before": count(count_paths(names)), "after": count(_allowed(names)),
        },
    }  # fmt: skip


def _allowed(problem: Problem) -> int:
    """How many tag sequences the BIO table allows: Z of a chain whose scores are all 0."""
    S = len(problem.tags)
    zeros = torch.zeros(1, len(problem.tokens), S, dtype=torch.float64)
    table, edge = zeros.new_zeros(S, S), zeros.new_zeros(S)
    every = LinearChain(*Constraints.bio(problem.tags).apply(zeros, table, edge, edge))
    return round(every.log_partition.exp().item())


def as_html() -> Markup:
    """The questions, each with its answer and the way to its picture to unfold."""
    made = Markup(
        '<details class="crf-quiz"><summary>{}</summary>{}'
        '<p class="crf-note"><a href="{}" target="_blank">See it: {}</a></p></details>'
    )
    entries = []
    for name, there in PICTURES.items():
        of = facts().get(name, {})
        page = contents.entry(there.partition("?")[0]).title
        entries.append(made.format(TEXT.title(name, **of), TEXT.body(name, **of), there, page))
    return Markup("").join(entries)
