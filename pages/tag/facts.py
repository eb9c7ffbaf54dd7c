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

MOST = 4  # words that are named one by one


def equation(analysis: Analysis) -> list[BigNumber]:
    """p = exp(score − log Z) of the best path, in large figures with what each one is."""
    best, count = analysis.viterbi, theme.count(analysis.num_sequences)
    digits = digits_that_give(best.score, analysis.log_partition)
    log_z = theme.number(analysis.log_partition, digits)
    return [
        BigNumber("", theme.log_probability(best.log_prob), "", _probability_of(analysis)),
        BigNumber("= exp(", theme.number(best.score, digits), "", _score_of(analysis)),
        BigNumber("− ", log_z, ")", case("number.log-z", count=count)),
    ]


def _score_of(analysis: Analysis) -> Case:
    """What the best path's score is the sum of."""
    several = len(analysis.tokens) > 1
    name = "emissions" if several else "emission"
    if several and any(map(any, analysis.transitions)):
        name = "transitions"
    return case(f"number.{name}{'-ends' if any(analysis.start) or any(analysis.end) else ''}")


def _probability_of(analysis: Analysis) -> Case:
    """What the large number is; with held tags, what the smaller one in the picture is."""
    if not analysis.is_clamped:
        return case("number.p")
    return case("number.p-given", p=theme.log_probability(analysis.viterbi.log_prob_given))


def tag_meanings(tags: Sequence[str]) -> str:
    """What the tags stand for, as a list; nothing if nothing is known of any."""
    known = [tag for tag in tags if theme.tag_meaning(tag)]
    items = "".join(
        f'<span class="crf-nowrap">{tag_chip(tag, tags)} {escape(theme.tag_meaning(tag))}</span>'
        for tag in known
    )
    return f'<div class="crf-meanings">{items}</div>' if known else ""


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
    """Which tag a word cannot have, and why.

    Args:
        analysis: Without that tag; its held tags stay.
        t: The word.
        s: The tag.
    """
    words = [case("word.one", word=theme.shorten(token)) for token in analysis.tokens]
    before, after = FREE, FREE  # what is held at its neighbours
    if t > 0:
        before = analysis.fixed[t - 1]
    if t < len(words) - 1:
        after = analysis.fixed[t + 1]
    never, why, more = -math.inf, "none", {}
    if analysis.emissions[t][s] == never:
        why = "emission"
    elif t == 0 and analysis.start[s] == never:
        why = "begin"
    elif t == len(words) - 1 and analysis.end[s] == never:
        why = "end"
    elif before != FREE and analysis.transitions[before][s] == never:
        why, more = "after", {"held": analysis.tags[before], "neighbour": words[t - 1]}
    elif after != FREE and analysis.transitions[s][after] == never:
        why, more = "before", {"held": analysis.tags[after], "neighbour": words[t + 1]}
    elif analysis.is_clamped:
        why = "none-held"
    return case(f"cannot.{why}", word=words[t], tag=analysis.tags[s], **more)


def changes(then: Analysis, now: Analysis, moved: Sequence[float]) -> Case:
    """Where the readings moved most since they were pinned; of another sentence, that it is one.

    Args:
        then: What was pinned.
        now: What is on screen.
        moved: [L] how much probability of each token has another tag now; [] for another sentence,
            or other tags.
    """
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
    less = _less_probable(analysis, analysis.greedy)
    found = [
        case("agreement.greedy-differs", words=_first(greedy), less=less)
        if greedy
        else case("agreement.greedy")
    ]
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
    """What a shipped tagger looks at, and what the CRF adds to it, by its own figures.

    Args:
        name: Of a shipped tagger; of any other there is nothing to say.
        figures: Its metrics.json; None if it cannot be read.
    """
    if name not in ("bilstm", "local", "ner", "ner-softmax"):
        return []
    measured = _names_found if name.startswith("ner") else _words_right
    try:
        return [case(f"sees.{name}"), *measured(figures or {})]
    except (KeyError, TypeError):  # a tagger can be used without its figures
        return [case(f"sees.{name}")]


def _words_right(figures: dict) -> list[Case]:
    shares = {
        name.partition("_")[0]: case(
            "sees.share",
            words=theme.percent(figures["decoders"][name]["accuracy"]),
            sentences=theme.percent(figures["decoders"][name]["sentence_accuracy"]),
        )
        for name in ("greedy", "viterbi", "posterior_decode")
    }
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
    return [
        case(
            "word.differs",
            word=_word(analysis, t),
            tags=Unbroken(case("word.tags", tag=_chip(tag, analysis), best=_chip(best, analysis))),
        )
        for t, (tag, best) in enumerate(zip(path.tags, analysis.viterbi.tags, strict=True))
        if tag != best
    ]


def _less_probable(analysis: Analysis, path: Tagging) -> Case:
    """How a path compares with the best."""
    if path.log_prob == -math.inf:
        score = _forbidden_step(analysis, path)
        return case("less.impossible-at", score=score) if score else case("less.impossible")
    behind = analysis.viterbi.log_prob - path.log_prob
    ratio = theme.exp(behind)
    if behind < 1e-9:
        return case("less.tie")
    if ratio >= 2:  # also beyond the largest float
        times = f"{ratio:.1f}" if ratio < 100 else format_potential(behind)
        return case("less.times", times=times)
    percent = theme.percent(1 - 1 / ratio, 0)
    return case("less.hardly") if percent == "0 %" else case("less.percent", percent=percent)


def _forbidden_step(analysis: Analysis, path: Tagging) -> str:
    """The first score of a path that is −∞, by name; "" if there is none."""
    index = [analysis.tags.index(tag) for tag in path.tags]
    first, last = path.tags[0], path.tags[-1]
    steps = [
        (f"start[{first}]", analysis.start[index[0]]),
        *(
            (f"T[{analysis.tags[a]}, {analysis.tags[b]}]", analysis.transitions[a][b])
            for a, b in pairwise(index)
        ),
        (f"end[{last}]", analysis.end[index[-1]]),
    ]
    return next((name for name, score in steps if score == -math.inf), "")


def _first(cases: Sequence[Case]) -> Items:
    """The first of a list; the rest of a long one is counted."""
    if len(cases) > MOST:
        return Items([*cases[: MOST - 1], case("word.more", n=len(cases) - MOST + 1)])
    return Items(cases)
