"""Sentences with numbers, as inert HTML: record in, string out."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from pages.figures import theme
from pages.figures.tables import tag_chip

if TYPE_CHECKING:
    from pages.ui.analysis import Analysis, Path


def equation(analysis: "Analysis") -> str:
    """exp(score − log Z) = p of the best path, in large figures with what each one is."""
    best = analysis.viterbi
    parts = [
        (theme.log_probability(best.log_prob), "probability of this sequence"),
        ("= exp (", ""),
        (theme.number(best.score), "its score: emissions and transitions added up"),
        ("−", ""),
        (
            theme.number(analysis.log_partition),
            f"log Z: log-sum-exp of the scores of all {theme.count(analysis.num_sequences)} sequences",
        ),
        (")", ""),
    ]
    cells = "".join(
        f'<div><span class="crf-big">{escape(big)}</span><span class="crf-about">{escape(about)}</span></div>'
        for big, about in parts
    )
    return f'<div class="crf-sum">{cells}</div>'


def by_hand(analysis: "Analysis") -> str:
    """What the tags set by hand cost, and what the best completion around them is."""
    chosen = [
        f"‘{escape(token)}’ {tag_chip(analysis.tags[tag])}"
        for token, tag in zip(analysis.tokens, analysis.fixed, strict=True)
        if tag >= 0
    ]
    before, best = analysis.best_without_hand, analysis.viterbi
    moved = [
        f"‘{escape(token)}’ {tag_chip(old)} → {tag_chip(new)}"
        for token, tag, old, new in zip(
            analysis.tokens, analysis.fixed, before.tags, best.tags, strict=True
        )
        if tag < 0 and old != new
    ]
    verb = "agrees" if len(chosen) == 1 else "agree"
    text = (
        f"<p>You set {_and(chosen)}. The sequences that {'have it' if verb == 'agrees' else 'have them'} "
        f"hold <b>{theme.log_probability(analysis.log_share)}</b> of all probability: "
        "exp(log Z with your choice − log Z). The best of them has probability "
        f"<b>{theme.log_probability(best.log_prob)}</b>, or "
        f"{theme.log_probability(best.log_prob_given)} given your choice; without it, the best sequence "
        f"has {theme.log_probability(before.log_prob)}.</p>"
    )
    if moved:
        text += f"<p>Your choice also moved {_and(moved)}: the transitions carry it along.</p>"
    return f'<div class="crf-prose">{text}</div>'


def decoders(analysis: "Analysis") -> str:
    """Where the three decoders differ, in words."""
    greedy = _differences(analysis, analysis.greedy)
    posterior = _differences(analysis, analysis.posterior)
    if not greedy and not posterior:
        text = "All three agree on this sentence."
    else:
        parts = []
        if greedy:
            ratio = analysis.viterbi.log_prob - analysis.greedy.log_prob
            parts.append(
                f"Greedy decoding, blind to the transitions, differs at {_and(greedy)}; its sequence is "
                f"{_times(ratio)} less probable than Viterbi’s."
            )
        else:
            parts.append("Greedy decoding agrees with Viterbi here.")
        if posterior:
            parts.append(
                f"Posterior decoding differs at {_and(posterior)}: there the most probable tag is not "
                "the one in the most probable sequence."
            )
        else:
            parts.append("Posterior decoding agrees with Viterbi.")
        text = " ".join(parts)
    return f'<p class="crf-prose">{text}</p>'


def best_paths(analysis: "Analysis") -> str:
    """How much of the probability the listed paths hold."""
    share = sum(theme.exp(path.log_prob) for path in analysis.best)
    rest = analysis.num_sequences - len(analysis.best)
    text = f"Together they hold {theme.probability(min(share, 1.0))} of the probability"
    text += f"; the other {theme.count(rest)} sequences share what is left." if rest else "."
    return f'<p class="crf-prose">{escape(text)}</p>'


def uncertainty(analysis: "Analysis") -> str:
    """Which token is least certain, and the entropy of the whole sequence."""
    t = max(range(len(analysis.tokens)), key=lambda t: analysis.entropies[t])
    p = analysis.marginals[t]
    order = sorted(range(len(p)), key=lambda s: -p[s])[:2]
    tags = " and ".join(
        f"{tag_chip(analysis.tags[s])} {escape(theme.probability(p[s]))}" for s in order
    )
    total = sum(analysis.entropies)
    return (
        f'<p class="crf-prose">Least certain: ‘{escape(analysis.tokens[t])}’, with {tags}. The entropy '
        f"of the whole sequence is {theme.number(analysis.entropy)} nats; its tokens’ entropies add up "
        f"to {theme.number(total)}, because neighbours’ tags depend on each other.</p>"
    )


def _differences(analysis: "Analysis", path: "Path") -> list[str]:
    return [
        f"‘{escape(token)}’ ({tag_chip(tag)} for {tag_chip(best)})"
        for token, tag, best in zip(analysis.tokens, path.tags, analysis.viterbi.tags, strict=True)
        if tag != best
    ]


def _times(log_ratio: float) -> str:
    ratio = theme.exp(log_ratio)
    return f"{ratio:.1f} times" if ratio < 100 else f"{theme.count(round(ratio))} times"


def _and(items: Sequence[str], most: int = 4) -> str:
    """Join with commas and "and"; the rest of a long list is counted.

    >>> _and(["a", "b", "c"]), _and(list("abcdef"))
    ('a, b and c', 'a, b, c and 3 more')
    """
    if len(items) > most:
        items = [*items[: most - 1], f"{len(items) - most + 1} more"]
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def tagger_note(name: str, figures: dict | None) -> str:
    """What a shipped tagger looks at, and what the CRF is worth on top of it, by its own figures.

    Args:
        name: "bilstm" or "local"; of any other tagger there is nothing to say.
        figures: Its metrics.json; None if it cannot be read.
    """
    sees = {
        "bilstm": "This tagger’s BiLSTM reads the whole sentence before it scores a word, which leaves "
        "the CRF little to mend.",
        "local": "This tagger scores each word alone, so whatever it knows of word order is in the CRF.",
    }
    if name not in sees:
        return ""
    text = sees[name]
    try:
        without, crf, posterior = (
            figures["decoders"][decoder] for decoder in ("greedy", "viterbi", "posterior_decode")
        )
        text += (
            f" On the treebank’s development set, greedy decoding gets {_share(without)} right, Viterbi "
            f"{_share(crf)}, posterior decoding {_share(posterior)}."
        )
    except (KeyError, TypeError):
        pass  # a tagger can be used without its figures
    return f'<p class="crf-prose">{text}</p>'


def _share(figures: dict) -> str:
    tokens, sentences = figures["accuracy"], figures["sentence_accuracy"]
    return f"{theme.percent(tokens)} of tokens and {theme.percent(sentences)} of sentences"
