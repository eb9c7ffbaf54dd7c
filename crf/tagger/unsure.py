"""The sentences that would teach most, if somebody annotated them: where the tagger is unsure.

    entropy           H(Y | x) / words, in nats: 0 where one tag sequence has all probability
    least-confident   1 − p(best path)
    margin            p(best path) − p(second path); the smallest first

Source: Settles and Craven (2008), "An analysis of active learning strategies for sequence labeling
tasks"; the entropy of all paths is exact here.
"""

import heapq
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

from .. import LinearChain
from .brat import open_text
from .lines import StreamSource, TextSource
from .many_files import named
from .model import AnyTagger
from .tag_lines import Form, pieces, tagged
from .writers import WRITERS, TaggedText


def _entropy(chain: LinearChain) -> list[float]:
    return (chain.entropy.cpu() / chain.mask.sum(1).clamp(min=1).cpu()).tolist()


def _least_confident(chain: LinearChain) -> list[float]:
    return (1 - chain.topk(1).log_probs[:, 0].exp()).tolist()


def _margin(chain: LinearChain) -> list[float]:
    best = chain.topk(2).log_probs.exp()
    return (best[:, 0] - best[:, 1]).tolist()


MEASURES: dict[str, tuple[Callable[[LinearChain], list[float]], int]] = {
    "entropy": (_entropy, 1),
    "least-confident": (_least_confident, 1),
    "margin": (_margin, -1),
}
"""By name: the measure, and 1 if large values are unsure."""


def least_sure(
    tagger: AnyTagger, paths: Sequence[Path], form: Form, most: int, by: str = "entropy"
) -> None:
    """Write the sentences of which a tagger is least sure to standard output, the least sure first.

    Each has its value under `unsure`. Sentences without a word, and copies of one, are left out.

    Args:
        tagger: The tagger.
        paths: Files and folders; none: standard input.
        form: "spans" or "json".
        most: Number of sentences.
        by: A name from `MEASURES`.

    Raises:
        DataFileError: The input cannot be read.
    """
    measure, sign = MEASURES[by]
    best: list[tuple[float, int, TaggedText]] = []
    seen: set[tuple[str, ...]] = set()  # the words of those in `best`
    count = 0
    for source in _sources(paths, form.encoding):
        for one in _tagged(tagger, source, form, measure):
            words = tuple(one.source.words)
            if not words or one.unsure is None or words in seen:
                continue
            count += 1
            seen.add(words)
            heapq.heappush(best, (sign * one.unsure, -count, one))
            if len(best) > most:
                seen.discard(tuple(heapq.heappop(best)[2].source.words))
    ranked = [one for *_, one in sorted(best, key=lambda item: item[:2], reverse=True)]
    lines = [WRITERS[form.write](_without_brat(one)) for one in ranked]
    if any(any(one.source.around) for one in ranked):  # an array came in
        print("[" + ",\n".join(lines) + "]")
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines)


def _sources(paths: Sequence[Path], encoding: str) -> Iterator[TextSource | StreamSource]:
    if not paths:
        stream = cast(io.BufferedReader, sys.stdin.buffer)
        yield StreamSource(stream, "standard input", encoding, before_wait=lambda: None)
    for path, _ in named(paths) if paths else ():
        yield open_text(path, encoding)


def _tagged(
    tagger: AnyTagger,
    source: TextSource | StreamSource,
    form: Form,
    measure: Callable[[LinearChain], list[float]],
) -> Iterator[TaggedText]:
    for sentences in pieces(tagger, source, form):
        yield from tagged(tagger, sentences, form, measure)


def _without_brat(one: TaggedText) -> TaggedText:
    """A line of brat's text as an object of its own."""
    fields = {key: value for key, value in one.source.fields.items() if key != "brat"}
    return one._replace(source=one.source._replace(fields=fields))
