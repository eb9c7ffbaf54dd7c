"""The facts of the page "Tag a sentence" and what is told by cases: record in, inert HTML out.

The words that stand whatever the numbers are in text.md; these fill its holes.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from pages.shared.course.direction import escape
from pages.shared.course.numbers import digits_that_give, format_potential
from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, Analysis, Tagging
from pages.shared.figures.tables import tag_chip
from pages.shared.figures.text import prose

_READS = (
    "This tagger’s BiLSTM, a neural network, reads the sentence from both ends before it scores a "
    "word"
)
_SEES = {  # what a shipped tagger goes by
    "bilstm": f"{_READS}, which leaves the CRF little to mend.",
    "local": "This tagger scores each word alone, so all it knows of word order is in the CRF.",
    "ner": f"{_READS}. Its CRF forbids each I that does not go on with a name of the same kind.",
    "ner-softmax": f"{_READS}. It has no CRF: each word’s tag is chosen alone, so an I may follow "
    "anything.",
}


def equation(analysis: Analysis) -> str:
    """p = exp(score − log Z) of the best path, in large figures with what each one is."""
    best, count = analysis.viterbi, theme.count(analysis.num_sequences)
    digits = digits_that_give(best.score, analysis.log_partition)
    parts = [
        ("", theme.log_probability(best.log_prob), "", _probability_of(analysis)),
        (
            "= exp(",
            theme.number(best.score, digits),
            "",
            _score_of(analysis),
        ),
        (
            "− ",
            theme.number(analysis.log_partition, digits),
            ")",
            f"log Z: the log of the sum of exp(score) over all {count} sequences",
        ),
    ]
    cells = "".join(
        f'<div><span class="crf-big"><i>{before}</i>{number}<i>{after}</i></span>'
        f'<span class="crf-about">{escape(about)}</span></div>'
        for before, number, after, about in parts
    )
    return f'<div class="crf-sum">{cells}</div>'


def _score_of(analysis: Analysis) -> str:
    """What the best path's score is the sum of."""
    several = len(analysis.tokens) > 1
    parts = ["emissions" if several else "emission"]
    if several and any(map(any, analysis.transitions)):
        parts.append("transitions")
    if any(analysis.start) or any(analysis.end):
        parts.append("start and end scores")
    return f"its score: {', '.join(parts)}{', added up' if several or parts[1:] else ''}"


def _probability_of(analysis: Analysis) -> str:
    """What the large number is; with held tags, what the smaller one in the picture is."""
    if not analysis.is_clamped:
        return "probability of this sequence"
    given = theme.log_probability(analysis.viterbi.log_prob_given)
    return f"probability of this sequence among all; among those with your tags, {given}"


def tag_meanings(tags: Sequence[str]) -> str:
    """What the tags stand for, as a list; nothing if nothing is known of any."""
    known = [tag for tag in tags if theme.tag_meaning(tag)]
    items = "".join(
        f'<span class="crf-nowrap">{tag_chip(tag, tags)} {escape(theme.tag_meaning(tag))}</span>'
        for tag in known
    )
    return f'<div class="crf-meanings">{items}</div>' if known else ""


def held(analysis: Analysis) -> dict[str, str]:
    """What the held tags cost, and what the best completion around them is."""
    before, best = analysis.best_without_hand, analysis.viterbi
    chosen, changed = [], []
    for t, (fixed, old, new) in enumerate(zip(analysis.fixed, before.tags, best.tags, strict=True)):
        if fixed >= 0:
            chosen.append(f"{_word(analysis, t)} at {tag_chip(new, analysis.tags)}")
        elif old != new:
            was, now = (tag_chip(tag, analysis.tags) for tag in (old, new))
            changed.append(f"{_word(analysis, t)} from {was} to {now}")
    moved = ""
    if changed:
        moved = f"Your choice moved {_and(changed)}: transitions carry it to the neighbours."
    return {
        "chosen": Markup(_and(chosen)),
        "share": theme.log_probability(analysis.log_share),
        "best": theme.log_probability(best.log_prob),
        "given": theme.log_probability(best.log_prob_given),
        "before": theme.log_probability(before.log_prob),
        "moved": Markup(moved),
    }


def impossible(analysis: Analysis, t: int, s: int) -> str:
    """Which tag a word cannot have, and why, as plain text.

    Args:
        analysis: Without that tag; its held tags stay.
        t: The word.
        s: The tag.
    """
    word = [f"‘{theme.shorten(token)}’" for token in analysis.tokens]
    before, after = FREE, FREE  # what is held at its neighbours
    if t > 0:
        before = analysis.fixed[t - 1]
    if t < len(word) - 1:
        after = analysis.fixed[t + 1]
    tag, never = analysis.tags[s], -math.inf
    if analysis.emissions[t][s] == never:
        why = "the emission score is −∞"
    elif t == 0 and analysis.start[s] == never:
        why = f"{tag} may not begin a sentence"
    elif t == len(word) - 1 and analysis.end[s] == never:
        why = f"{tag} may not end a sentence"
    elif before != FREE and analysis.transitions[before][s] == never:
        why = f"{tag} may not follow {analysis.tags[before]}, which you hold at {word[t - 1]}"
    elif after != FREE and analysis.transitions[s][after] == never:
        why = f"{analysis.tags[after]}, which you hold at {word[t + 1]}, may not follow {tag}"
    else:
        with_others = " that has your other tags" if analysis.is_clamped else ""
        why = f"no allowed sequence{with_others} has it there"
    return f"{word[t]} cannot be {tag}: {why}"


def changes(then: Analysis, now: Analysis, moved: Sequence[float]) -> Markup:
    """Where the readings moved most since they were pinned; of another sentence, that it is one.

    Args:
        then: What was pinned.
        now: What is on screen.
        moved: [L] how much probability of each token has another tag now; [] for another sentence,
            or other tags.
    """
    if not moved:
        same = then.tokens == now.tokens
        return Markup(f"They are of different {'sets of tags' if same else 'sentences'}.")
    t = max(range(len(moved)), key=lambda t: moved[t])
    if moved[t] < 0.0005:
        return Markup(
            "To three digits they are the same: hold a tag, or another, or choose another tagger, "
            "to see them differ."
        )
    s = max(range(len(now.tags)), key=lambda s: abs(now.marginals[t][s] - then.marginals[t][s]))
    before, after = (theme.probability(a.marginals[t][s]) for a in (then, now))
    tag = tag_chip(now.tags[s], now.tags)
    return Markup(
        f"Most has changed at {_word(now, t)}: {tag} had probability {before}, and has {after} now."
    )


def decoders(analysis: Analysis) -> Markup:
    """Where the three decoders differ, in words."""
    greedy = _differences(analysis, analysis.greedy)
    posterior = _differences(analysis, analysis.posterior)
    if not greedy and not posterior:
        given = ", given your tags" if analysis.is_clamped else " on this sentence"
        return Markup(f"All three agree{given}.")
    text = "Greedy agrees with Viterbi here. "
    if greedy:
        text = (
            "Greedy, blind to transitions (how well a tag follows another), differs from Viterbi "
            f"at {_and(greedy)}; its sequence is {_less_probable(analysis, analysis.greedy)}. "
        )
    if posterior:
        text += (
            f"Posterior differs at {_and(posterior)}: the most probable tag is not the one in the "
            "most probable sequence."
        )
        if analysis.posterior.log_prob == -math.inf:
            text += f" Its sequence is {_less_probable(analysis, analysis.posterior)}."
    else:
        text += "Posterior agrees with Viterbi."
    return Markup(text)


def best_paths(analysis: Analysis) -> Markup:
    """Where the next best paths leave the best, and how much of the probability they all hold."""
    if len(analysis.best) == 1:
        return Markup("No other sequence has your tags." if analysis.is_clamped else "It is alone.")
    sentences = [
        f"The {rank} best differs at {_and(_differences(analysis, path))}."
        for rank, path in zip(("second", "third"), analysis.best[1:], strict=False)
    ]
    share = min(sum(theme.exp(path.log_prob_given) for path in analysis.best), 1.0)
    others = analysis.num_agreeing > len(analysis.best) and share < 1
    yours = " of all sequences with your tags" if analysis.is_clamped else ""
    text = f"Together they hold {escape(theme.probability(share))} of the probability{yours}"
    text += "; all others share what is left." if others else "."
    return Markup(" ".join([*sentences, text]))


def uncertainty(analysis: Analysis) -> Markup:
    """Which token is least certain, and the entropy of the whole sequence."""
    t = max(range(len(analysis.tokens)), key=lambda t: analysis.entropies[t])
    if analysis.entropies[t] < 5e-4:
        return Markup("No word is uncertain here: every entropy is 0 to three digits.")
    p = analysis.marginals[t]
    first, second = sorted(range(len(p)), key=lambda s: -p[s])[:2]
    tags = " and ".join(
        f"{tag_chip(analysis.tags[s], analysis.tags)} {escape(theme.probability(p[s]))}"
        for s in (first, second)
    )
    whole, parts = (round(h, 3) for h in (analysis.entropy, sum(analysis.entropies)))
    told = (
        f"{theme.number(parts, 3)}, {theme.number(parts - whole, 3)} more: so much do neighbours "
        "tell about each other."
        if parts > whole
        else "the same to three digits: neighbours tell hardly anything about each other."
    )
    certain = "tag" if len(analysis.tokens) == 1 else "sequence"
    nats = f"nats (units of the natural logarithm: 0 where one {certain} is certain)"
    if len(analysis.tokens) == 1:
        return Markup(
            f"{_word(analysis, t)} is {tags}, with an entropy of {theme.number(whole, 3)} {nats}."
        )
    return Markup(
        f"Least certain: {_word(analysis, t)}, with {tags}. The "
        f"entropy of the whole sequence is {theme.number(whole, 3)} {nats}. The words’ own "
        f"entropies add up to {told}"
    )


def tagger_note(name: str, figures: dict | None) -> str:
    """What a shipped tagger looks at, and what the CRF adds to it, by its own figures.

    Args:
        name: A key of `_SEES`; of any other tagger there is nothing to say.
        figures: Its metrics.json; None if it cannot be read.
    """
    if name not in _SEES:
        return ""
    measured = _names_found if name.startswith("ner") else _words_right
    try:
        return prose(Markup(f"{_SEES[name]} {measured(figures or {})}"))
    except (KeyError, TypeError):  # a tagger can be used without its figures
        return prose(Markup(_SEES[name]))


def _words_right(figures: dict) -> str:
    without, crf, posterior = (
        _share(figures["decoders"][decoder])
        for decoder in ("greedy", "viterbi", "posterior_decode")
    )
    return (
        f"On the treebank’s development set, greedy decoding gets {without} right, Viterbi {crf}, "
        f"posterior decoding {posterior}."
    )


def _names_found(figures: dict) -> str:
    found = figures["spans"]["viterbi"]
    broken = found["invalid_tags"]
    rule = "Each I goes on with a name of its kind."
    if broken:
        rule = f"At {theme.count(broken)} words an I goes on with no name of its kind."
    return (
        f"On the treebank’s development set it finds {theme.percent(found['span_recall'])} of the "
        f"names, and {theme.percent(found['span_precision'])} of what it finds is right. {rule}"
    )


def _share(figures: dict) -> str:
    tokens, sentences = figures["accuracy"], figures["sentence_accuracy"]
    return f"{theme.percent(tokens)} of words and {theme.percent(sentences)} of sentences"


def _word(analysis: Analysis, t: int) -> str:
    """The token in quotes; one that occurs twice is told apart by its place."""
    token = analysis.tokens[t]
    place = f"word {t + 1} " if analysis.tokens.count(token) > 1 else ""
    return f"{place}‘<bdi>{escape(theme.shorten(token))}</bdi>’"


def _in_brackets(tag: str, best: str, tags: Sequence[str]) -> str:
    return f'<span class="crf-nowrap">({tag_chip(tag, tags)} for {tag_chip(best, tags)})</span>'


def _differences(analysis: Analysis, path: Tagging) -> list[str]:
    return [
        f"{_word(analysis, t)} {_in_brackets(tag, best, analysis.tags)}"
        for t, (tag, best) in enumerate(zip(path.tags, analysis.viterbi.tags, strict=True))
        if tag != best
    ]


def _less_probable(analysis: Analysis, path: Tagging) -> str:
    """How a path compares with the best: "7 % less probable", "forbidden: …"."""
    if path.log_prob == -math.inf:
        return f"impossible{_forbidden_step(analysis, path)}: probability 0"
    behind = analysis.viterbi.log_prob - path.log_prob
    if behind < 1e-9:
        return "exactly as probable"
    less = _times(behind)
    return "hardly less probable" if less == "0 %" else f"{less} less probable"


def _forbidden_step(analysis: Analysis, path: Tagging) -> str:
    """The first step of a path that the tables forbid, in brackets; "" if there is none."""
    index = [analysis.tags.index(tag) for tag in path.tags]
    steps = [
        ("START", path.tags[0], analysis.start[index[0]]),
        *(
            (analysis.tags[a], analysis.tags[b], analysis.transitions[a][b])
            for a, b in pairwise(index)
        ),
        (path.tags[-1], "END", analysis.end[index[-1]]),
    ]
    found = next(((a, b) for a, b, score in steps if score == -math.inf), None)
    if not found:
        return ""
    first, second = map(escape, found)
    name = f"start[{second}]" if first == "START" else f"T[{first}, {second}]"
    return f" ({f'end[{first}]' if second == 'END' else name} = −∞)"


def _times(log_ratio: float) -> str:
    """How many times less probable: "7 %", "12.5 times", also beyond the largest float.

    >>> _times(0.05), _times(2.5), _times(2000.0)
    ('5 %', '12.2 times', '3.88 × 10⁸⁶⁸ times')
    """
    ratio = theme.exp(log_ratio)
    if ratio < 2:
        return f"{1 - 1 / ratio:.0%}".replace("%", " %")
    return f"{ratio:.1f} times" if ratio < 100 else f"{format_potential(log_ratio)} times"


def _and(items: Sequence[str], most: int = 4) -> str:
    """Join with commas and "and"; the rest of a long list is counted.

    >>> _and(["a", "b", "c"]), _and(list("abcdef"))
    ('a, b and c', 'a, b, c and 3 more')
    """
    if len(items) > most:
        items = [*items[: most - 1], f"{len(items) - most + 1} more"]
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
