"""The facts of the page "Tag a sentence": record in, cases of text.md with their facts out."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from crf.figures.numbers import digits_that_give, format_potential
from pages.shared.course.right_to_left import escape
from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, Analysis, Tagging
from pages.shared.figures.path_score import BigNumber
from pages.shared.figures.tables import tag_chip
from pages.shared.figures.text import Case, Items, Unbroken, case
from pages.tag import picture

MOST = 4  # words that are named one by one


def equation(analysis: Analysis) -> list[BigNumber]:
    """p = exp(score − log Z) of the best path, in large figures with what each one is."""
    best, count = analysis.viterbi, theme.count(analysis.num_sequences)
    digits = digits_that_give(best.score, analysis.log_partition)
    log_z = theme.number(analysis.log_partition, digits)
    p = case("number.p")
    if analysis.is_clamped:  # what the smaller one in the picture is
        p = case("number.p-given", p=theme.log_probability(best.log_prob_given))
    of = "emissions" if len(analysis.tokens) > 1 else "emission"  # what the score is the sum of
    if len(analysis.tokens) > 1 and any(map(any, analysis.transitions)):
        of = "transitions"
    ends = "-ends" if any(analysis.start) or any(analysis.end) else ""
    return [
        BigNumber("", theme.log_probability(best.log_prob), "", p),
        BigNumber("= exp(", theme.number(best.score, digits), "", case(f"number.{of}{ends}")),
        BigNumber("− ", log_z, ")", case("number.log-z", count=count)),
    ]


def tag_meanings(tags: Sequence[str]) -> str:
    """What the tags stand for, as a list; nothing if nothing is known of any."""
    items = "".join(
        f'<span class="crf-nowrap">{tag_chip(tag, tags)} {escape(meaning)}</span>'
        for tag in tags
        if (meaning := theme.tag_meaning(tag))
    )
    return items and f'<div class="crf-meanings">{items}</div>'


def held(analysis: Analysis) -> dict[str, Any]:
    """What the held tags cost, and what the best completion around them is."""
    before, best = analysis.best_without_hand, analysis.viterbi
    chosen, changed = [], []
    for t, (fixed, old, new) in enumerate(zip(analysis.fixed, before.tags, best.tags, strict=True)):
        word = _word(analysis, t)
        if fixed >= 0:
            chosen.append(case("word.at", word=word, tag=_chip(new, analysis)))
        elif old != new:
            was, now = _chip(old, analysis), _chip(new, analysis)
            changed.append(case("word.from", word=word, was=was, now=now))
    return {
        "chosen": _first(chosen),
        "share": theme.log_probability(analysis.log_share),
        "best": theme.log_probability(best.log_prob),
        "given": theme.log_probability(best.log_prob_given),
        "before": theme.log_probability(before.log_prob),
        "moved": [case("moved.others", changed=_first(changed))] if changed else [],
    }


def impossible(analysis: Analysis, t: int, s: int) -> Case:
    """That word t cannot have tag s, and why: of an analysis without it, whose held tags stay."""
    words = [case("word.one", word=theme.shorten(token)) for token in analysis.tokens]
    before, _, after = (FREE, *analysis.fixed, FREE)[t : t + 3]  # what is held at its neighbours
    scores = {"emission": analysis.emissions[t][s]}
    if t == 0:
        scores["begin"] = analysis.start[s]
    if t == len(words) - 1:
        scores["end"] = analysis.end[s]
    if before != FREE:
        scores["after"] = analysis.transitions[before][s]
    if after != FREE:
        scores["before"] = analysis.transitions[s][after]
    usual = "none-held" if analysis.is_clamped else "none"
    why, more = next((name for name, x in scores.items() if x == -math.inf), usual), {}
    if why == "after":
        more = {"held": analysis.tags[before], "neighbour": words[t - 1]}
    elif why == "before":
        more = {"held": analysis.tags[after], "neighbour": words[t + 1]}
    return case(f"cannot.{why}", word=words[t], tag=analysis.tags[s], **more)


def changes(then: Analysis, now: Analysis) -> Case:
    """Where the readings moved most since they were pinned; of another sentence, that it is one."""
    moved = picture.moved(then, now)
    if not moved:
        return case("changes.tags" if then.tokens == now.tokens else "changes.sentences")
    t = max(range(len(moved)), key=lambda t: moved[t])
    if moved[t] < 0.0005:
        return case("changes.same")
    s = max(range(len(now.tags)), key=lambda s: abs(now.marginals[t][s] - then.marginals[t][s]))
    before, after = (theme.probability(a.marginals[t][s]) for a in (then, now))
    tag = _chip(now.tags[s], now)
    return case("changes.most", word=_word(now, t), tag=tag, before=before, after=after)


def decoders(analysis: Analysis) -> list[Case]:
    """Where the three decoders differ."""
    greedy = _differences(analysis, analysis.greedy)
    posterior = _differences(analysis, analysis.posterior)
    if not greedy and not posterior:
        return [case("agreement.all-held" if analysis.is_clamped else "agreement.all")]
    found = [case("agreement.greedy")]
    if greedy:
        less = _less_probable(analysis, analysis.greedy)
        found = [case("agreement.greedy-differs", words=_first(greedy), less=less)]
    if not posterior:
        return [*found, case("agreement.posterior")]
    found.append(case("agreement.posterior-differs", words=_first(posterior)))
    if analysis.posterior.log_prob == -math.inf:
        less = _less_probable(analysis, analysis.posterior)
        found.append(case("agreement.posterior-impossible", less=less))
    return found


def best_paths(analysis: Analysis) -> list[Case]:
    """Where the next best paths leave the best, and how much of the probability they all hold."""
    held = "-held" if analysis.is_clamped else ""
    if len(analysis.best) == 1:
        return [case(f"ranks.alone{held}")]
    found = [
        case(f"ranks.{rank}", words=_first(_differences(analysis, path)))
        for rank, path in zip(("second", "third"), analysis.best[1:], strict=False)
    ]
    share = min(sum(theme.exp(path.log_prob_given) for path in analysis.best), 1.0)
    others = analysis.num_agreeing > len(analysis.best) and share < 1
    name = f"ranks.{'some' if others else 'all'}{held}"
    return [*found, case(name, share=theme.probability(share))]


def uncertainty(analysis: Analysis) -> list[Case]:
    """Which token is least certain, and the entropy of the whole sequence."""
    t = max(range(len(analysis.tokens)), key=lambda t: analysis.entropies[t])
    if analysis.entropies[t] < 5e-4:
        return [case("uncertainty.none")]
    p = analysis.marginals[t]
    tags = [
        case("word.with", tag=_chip(analysis.tags[s], analysis), p=theme.probability(p[s]))
        for s in sorted(range(len(p)), key=lambda s: -p[s])[:2]
    ]
    whole, parts = (round(h, 3) for h in (analysis.entropy, sum(analysis.entropies)))
    least = {"word": _word(analysis, t), "tags": Items(tags), "entropy": theme.number(whole, 3)}
    if len(analysis.tokens) == 1:
        return [case("uncertainty.one", **least)]
    told = case("uncertainty.same")
    if parts > whole:
        more = theme.number(parts - whole, 3)
        told = case("uncertainty.more", parts=theme.number(parts, 3), more=more)
    return [case("uncertainty.least", **least), told]


def tagger_note(name: str, figures: dict | None) -> list[Case]:
    """What a shipped tagger looks at, and what the CRF adds to it, by its metrics.json.

    Of any other there is nothing to say; without figures a tagger can be used, too.
    """
    if name not in ("bilstm", "local", "ner", "ner-softmax"):
        return []
    measured = _names_found if name.startswith("ner") else _words_right
    try:
        return [case(f"sees.{name}"), *measured(figures or {})]
    except (KeyError, TypeError):
        return [case(f"sees.{name}")]


def _words_right(figures: dict) -> list[Case]:
    shares = {}
    for name in ("greedy", "viterbi", "posterior_decode"):
        found = figures["decoders"][name]
        words, whole = (theme.percent(found[n]) for n in ("accuracy", "sentence_accuracy"))
        shares[name.partition("_")[0]] = case("sees.share", words=words, sentences=whole)
    return [case("sees.words-right", **shares)]


def _names_found(figures: dict) -> list[Case]:
    found = figures["spans"]["viterbi"]
    recall, precision = theme.percent(found["span_recall"]), theme.percent(found["span_precision"])
    broken = found["invalid_tags"]
    rule = case("sees.broken", n=broken) if broken else case("sees.unbroken")
    return [case("sees.names-found", recall=recall, precision=precision), rule]


def _chip(tag: str, analysis: Analysis) -> Markup:
    return Markup(tag_chip(tag, analysis.tags))


def _word(analysis: Analysis, t: int) -> Case:
    """The token in quotes; one that occurs twice is told apart by its place."""
    token = analysis.tokens[t]
    word = Markup(f"<bdi>{escape(theme.shorten(token))}</bdi>")
    if analysis.tokens.count(token) > 1:
        return case("word.again", n=t + 1, word=word)
    return case("word.one", word=word)


def _differences(analysis: Analysis, path: Tagging) -> list[Case]:
    found = []
    for t, (tag, best) in enumerate(zip(path.tags, analysis.viterbi.tags, strict=True)):
        if tag != best:
            tags = case("word.tags", tag=_chip(tag, analysis), best=_chip(best, analysis))
            found.append(case("word.differs", word=_word(analysis, t), tags=Unbroken(tags)))
    return found


def _less_probable(analysis: Analysis, path: Tagging) -> Case:
    """How a path compares with the best."""
    if path.log_prob == -math.inf:
        return _forbidden_step(analysis, path)
    behind = analysis.viterbi.log_prob - path.log_prob
    ratio = theme.exp(behind)
    if behind < 1e-9:
        return case("less.tie")
    if ratio >= 2:  # also beyond the largest float
        times = f"{ratio:.1f}" if ratio < 100 else format_potential(behind)
        return case("less.times", times=times)
    percent = theme.percent(1 - 1 / ratio, 0)
    return case("less.hardly") if percent == "0 %" else case("less.percent", percent=percent)


def _forbidden_step(analysis: Analysis, path: Tagging) -> Case:
    """That a path is impossible, at the first of its scores that is −∞."""
    tags = analysis.tags
    index = [tags.index(tag) for tag in path.tags]
    steps = [(f"start[{path.tags[0]}]", analysis.start[index[0]])]
    steps += [(f"T[{tags[a]}, {tags[b]}]", analysis.transitions[a][b]) for a, b in pairwise(index)]
    steps.append((f"end[{path.tags[-1]}]", analysis.end[index[-1]]))
    for name, score in steps:
        if score == -math.inf:
            return case("less.impossible-at", score=name)
    return case("less.impossible")


def _first(cases: Sequence[Case]) -> Items:
    """The first of a list; the rest of a long one is counted."""
    if len(cases) > MOST:
        return Items([*cases[: MOST - 1], case("word.more", n=len(cases) - MOST + 1)])
    return Items(cases)
