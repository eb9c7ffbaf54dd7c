"""Four methods on one corpus: CRF, structured perceptron, a softmax per token, HMM by counting.

Each ends as a chain of scores, so that the same recursions decode it and give its marginals. Their
table has small flows: methods down, sentences across, what each gets right and wrong.

Sources: Collins (2002) for the perceptron; Rabiner (1989), section III, for counting.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

import torch
from torch import Tensor

from crf import LinearChain
from pages.learning.corpus import Corpus, text
from pages.learning.training import BACKEND, CorpusSettings, Run
from pages.shared.course.right_to_left import escape
from pages.shared.figures.theme import probability, tag_colours

WIDTH, HEIGHT, BLOCK = 44, 34, 13  # px: from token to token, of probability 1, of a block


def methods(
    corpus: Corpus, settings: CorpusSettings, train: Callable[[Corpus, CorpusSettings], Run]
) -> dict[str, LinearChain]:
    """The corpus, [B] rows, under what each method has learnt of it, by the method's name.

    Args:
        corpus: What they learn from.
        settings: Those of the reader's own run; all that climb start at zeros.
        train: Trains, or gives a run that is there already.
    """
    settings = replace(settings, start="zeros")
    gradient = "ascent" if settings.is_perceptron else settings.optimiser
    trained = {
        "crf": replace(settings, optimiser=gradient),
        "perceptron": replace(settings, optimiser="perceptron"),
        "softmax": replace(settings, optimiser=gradient, transitions=False),
    }
    runs = {name: train(corpus, how) for name, how in trained.items()}
    found = {name: run.at([run.iterations]) for name, run in runs.items()}
    return found | {"hmm": counted(corpus)}


def counted(corpus: Corpus) -> LinearChain:
    """The HMM whose probabilities are relative frequencies; what was never seen is forbidden."""
    words, steps = corpus.observed
    first = torch.tensor([right[0] for right in corpus.tag_of])
    start = first.bincount(minlength=len(corpus.tags)).double()
    return LinearChain(
        _log_shares(words.T).T[corpus.batch.words], _log_shares(steps), _log_shares(start),
        mask=corpus.batch.mask, backend=BACKEND,
    )  # fmt: skip


def _log_shares(counts: Tensor) -> Tensor:
    """Each row's logs of relative frequencies; −∞ where nothing was counted."""
    total = counts.sum(-1, keepdim=True)
    return (counts / total.clamp(min=1.0)).log()


# ---------------------------------------------------------------------- the table


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
