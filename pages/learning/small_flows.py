"""A table of small flows: methods down, sentences across, what each gets right and wrong."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from crf import LinearChain
from pages.learning.corpus import Corpus, text
from pages.shared.course.right_to_left import escape
from pages.shared.figures.theme import probability, tag_colours

WIDTH, HEIGHT, BLOCK = 44, 34, 13  # px: from token to token, of probability 1, of a block


def table(corpus: Corpus, methods: Mapping[str, LinearChain]) -> str:
    """The table as HTML; a method without probabilities is drawn as its best path alone."""
    say = text().line
    head = "".join(
        f'<th scope="col"><bdi>{escape(" ".join(words))}</bdi></th>' for words in corpus.sentences
    )
    rows = "".join(_row(corpus, name, chain) for name, chain in methods.items())
    return (
        f'<div class="crf-scroll" tabindex="0" role="region" aria-label="{say("method.flows")}">'
        '<table class="crf-texts crf-words" data-figure="methods"><caption class="crf-hidden">'
        f"{say('method.caption')}</caption><thead><tr><td></td>{head}"
        f'<th scope="col">{say("method.right")}</th></tr></thead><tbody>{rows}</tbody></table>'
        "</div>"
    )


def _row(corpus: Corpus, name: str, chain: LinearChain) -> str:
    decoded = chain.viterbi().tags
    drawn = chain.clamp(decoded) if name == "perceptron" else chain
    marginals, pairs = drawn.marginals.tolist(), drawn.pair_marginals.tolist()
    cells, right = "", 0
    for b, golds in enumerate(corpus.tag_of):
        m, told = len(golds), []
        for s, gold in zip(decoded[b, : len(golds)].tolist(), golds, strict=True):
            right += s == gold
            tag = escape(corpus.tags[s])
            told.append(tag if s == gold else f"<b>✗ {tag}</b>")
        flow = _flow(marginals[b][:m], pairs[b][: m - 1], corpus.tags, golds)
        cells += f"<td>{flow}<small>{' '.join(told)}</small></td>"
    title, total = text().line(f"method.{name}"), sum(map(len, corpus.tag_of))
    return f'<tr><th scope="row">{escape(title)}</th>{cells}<td>{right} / {total}</td></tr>'


def _flow(
    marginals: Sequence[Sequence[float]],
    pairs: Sequence[Sequence[Sequence[float]]],
    tags: Sequence[str],
    gold: Sequence[int],
) -> str:
    """One sentence's flow as SVG; the right tags are outlined."""
    colours, m = tag_colours(tags), len(marginals)
    tops = [[HEIGHT * sum(column[:s]) for s in range(len(column))] for column in marginals]
    parts = []
    for t, matrix in enumerate(pairs):
        left, arrive = list(tops[t]), list(tops[t + 1])
        x0, x1 = t * WIDTH + BLOCK, (t + 1) * WIDTH
        for a, row in enumerate(matrix):
            for b, p in enumerate(row):
                high, y0, y1 = p * HEIGHT, left[a], arrive[b]
                left[a] += high
                arrive[b] += high
                if p > 0.005:
                    mid = (x0 + x1) / 2
                    parts.append(
                        f'<path fill="rgb({colours[tags[a]]})" fill-opacity=".38" d="M{x0} {y0:.1f}'
                        f"C{mid} {y0:.1f} {mid} {y1:.1f} {x1} {y1:.1f}V{y1 + high:.1f}"
                        f'C{mid} {y1 + high:.1f} {mid} {y0 + high:.1f} {x0} {y0 + high:.1f}Z"/>'
                    )
    for t, column in enumerate(marginals):
        for s, p in enumerate(column):
            if p > 0.005:
                ring = ' stroke="#767676" stroke-width="2"' if s == gold[t] else ""
                x, y, high = t * WIDTH + 1, tops[t][s] + 1, max(p * HEIGHT - 2, 0.5)
                parts.append(
                    f'<rect x="{x}" y="{y:.1f}" width="{BLOCK - 2}" height="{high:.1f}" '
                    f'fill="rgb({colours[tags[s]]})"{ring}/>'
                )
    told = ", ".join(
        f"{tags[s]} {probability(column[s])}" for column, s in zip(marginals, gold, strict=True)
    )
    wide = (m - 1) * WIDTH + BLOCK
    drawing = (  # as an image: Streamlit leaves no other SVG in its HTML
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{HEIGHT}" '
        f'viewBox="0 0 {wide} {HEIGHT}">{"".join(parts)}</svg>'
    )
    return (
        f'<img alt="{escape(text().line("method.image", told=told))}" width="{wide}" '
        f'height="{HEIGHT}" style="display:block;margin:auto" '
        f'src="data:image/svg+xml,{quote(drawing)}">'
    )
