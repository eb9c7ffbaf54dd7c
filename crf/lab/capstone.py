"""The last rung: a reader's own functions train a tagger of names, and ours do the same.

A feature is on or off at a word, and has a weight for each tag; a word's emissions are the sums of
its features' weights. A step adds up the gradients of a few sentences and moves each weight
against its own (AdaGrad: Duchi, Hazan and Singer, 2011, "Adaptive subgradient methods").
"""

import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..tagger.bundled import sample
from ..tagger.evaluation import SpanCounts
from ..tagger.reading import TaggingDataset
from .cells import AnswerForm
from .homework import TRAINING
from .process import Homework, HomeworkError
from .reference import ScoreTable, transposed

SENTENCES, EPOCHS, BATCH, RATE = 200, 8, 8, 0.5
TIME_LIMIT = 600.0  # seconds for a function's answers together
Gradient = tuple[
    ScoreTable, ScoreTable, list[float], list[float]
]  # emissions, transitions, start, end


class CapstoneResult(NamedTuple):
    """What one training has reached."""

    f1: float  # of exact names in other sentences
    seconds: float  # of training and decoding


class CapstoneFunctions(NamedTuple):
    """Who computes: both functions take emissions [L][S], transitions [S][S], start and end [S]."""

    gradients: Callable[..., Gradient]  # (emissions, tags, transitions, start, end), of the loss
    viterbi: Callable[..., list[int]]


def features(words: Sequence[str], t: int) -> list[str]:
    """The features of a word: its letters and case, and the words beside it."""
    word, low = words[t], words[t].lower()
    shape = "A" if word.isupper() else "Aa" if word[:1].isupper() else "0" if word.isdigit() else ""
    before = words[t - 1].lower() if t else "<"
    after = words[t + 1].lower() if t + 1 < len(words) else ">"
    beside = (f"before {before}", f"after {after}")
    return ["all", f"word {low}", f"end {low[-3:]}", f"shape {shape} {t == 0}", *beside]


def ours() -> CapstoneFunctions:
    """The library's functions."""
    import torch

    from ..chain import LinearChain

    def chain(*tables: Any) -> LinearChain:
        emissions, transitions, start, end = tables
        return LinearChain(emissions[None], transitions, start, end)

    def tensors(*tables: Any) -> list[Any]:
        return [torch.tensor(table, dtype=torch.float64) for table in tables]

    def gradients(emissions: Any, tags: Any, *tables: Any) -> Gradient:
        scores = [table.requires_grad_() for table in tensors(emissions, *tables)]
        loss = -chain(*scores).log_prob(torch.tensor([tags])).sum()
        return tuple(table.tolist() for table in torch.autograd.grad(loss, scores))  # pyright: ignore

    def viterbi(*tables: Any) -> list[int]:
        return chain(*tensors(*tables)).viterbi().tags[0].tolist()

    return CapstoneFunctions(gradients, viterbi)


def theirs(homework: Homework) -> CapstoneFunctions:
    """The functions of a homework, each sentence by itself.

    Raises:
        HomeworkError: One is missing, or takes batches.
    """
    form = AnswerForm.of(homework.options)
    missing = [name for name in TRAINING if name not in homework.functions]
    if missing:
        raise HomeworkError(f"to train, write {' and '.join(missing)} first")

    def ask(name: str, arguments: dict[str, Any]) -> Any:
        if homework.functions[name]:  # of batches: one of a single sentence
            some = {key: [arguments[key]] for key in ("emissions", "tags") if key in arguments}
            mask = [[True] * len(arguments["emissions"])]
            arguments = arguments | some | {"mask": mask}
        if form.to_from:
            arguments["transitions"] = transposed(arguments["transitions"])
        answer = homework.ask(name, arguments=arguments, kind=homework.kind)
        if "value" not in answer:
            raise HomeworkError(f"{name}: {answer.get('error', 'it is not written yet')}")
        return answer["value"]

    def gradients(
        emissions: ScoreTable,
        tags: list[int],
        transitions: ScoreTable,
        start: list[float],
        end: list[float],
    ) -> Gradient:
        given = {"emissions": emissions, "tags": tags, "transitions": transitions}
        of_emissions, of_transitions, *ends = ask("gradients", given | {"start": start, "end": end})
        if homework.functions["gradients"]:
            of_emissions = of_emissions[0]
        if form.to_from:
            of_transitions = transposed(of_transitions)
        return (of_emissions, of_transitions, *ends)  # pyright: ignore

    def viterbi(
        emissions: ScoreTable, transitions: ScoreTable, start: list[float], end: list[float]
    ) -> list[int]:
        given = {"emissions": emissions, "transitions": transitions, "start": start, "end": end}
        tags = ask("viterbi", given)
        return [int(tag) for tag in (tags[0] if homework.functions["viterbi"] else tags)]

    return CapstoneFunctions(gradients, viterbi)


def sentences() -> tuple[list[Any], list[Any]]:
    """The sentences to learn from, and those to be tagged.

    Raises:
        ModuleNotFoundError: The taggers' data are not installed.
    """
    train, dev = (TaggingDataset.read(sample(f"{part}.iob2")) for part in ("train", "dev"))
    every = [one for one in train if len(one.words) > 1]  # else no transition has a gradient
    return every[:SENTENCES], [*every[SENTENCES:], *dev]


class _Weights:
    """Weights by name, each with a step of its own: AdaGrad."""

    def __init__(self) -> None:
        self.of: dict[Any, float] = {}
        self._squares: dict[Any, float] = defaultdict(float)

    def table(self, name: str, rows: Sequence[Any], S: int) -> ScoreTable:
        return [[self.of.get((name, row, s), 0.0) for s in range(S)] for row in rows]

    def step(self, slopes: Mapping[Any, float]) -> None:
        for key, slope in slopes.items():
            if slope:
                self._squares[key] += slope * slope
                rate = RATE / math.sqrt(self._squares[key])
                self.of[key] = self.of.get(key, 0.0) - rate * slope


def _slopes(found: list[list[str]], gradient: Gradient) -> Iterator[tuple[Any, float]]:
    """The slope of each weight that a sentence uses, feature by feature."""
    of_emissions, of_steps, of_start, of_end = gradient
    rows = [
        (("feature", name), row)
        for names, row in zip(found, of_emissions, strict=True)
        for name in names
    ]
    rows += [(("transition", i), row) for i, row in enumerate(of_steps)]
    for key, row in (*rows, (("start", 0), of_start), (("end", 0), of_end)):
        for s, slope in enumerate(row):
            yield (*key, s), slope


def train(tagging: CapstoneFunctions, learn: Sequence[Any], other: Sequence[Any]) -> CapstoneResult:
    """Train on some sentences, and measure the names that are found in others."""
    began = time.perf_counter()
    tags = sorted({tag for sentence in learn for tag in sentence.tags})
    S, weights, numbers = len(tags), _Weights(), {tag: s for s, tag in enumerate(tags)}
    draw, order = random.Random(0), list(range(len(learn)))

    def scores(words: Sequence[str]) -> tuple[list[list[str]], list[Any]]:
        found = [features(words, t) for t in range(len(words))]
        tables = [weights.table("feature", names, S) for names in found]
        emissions = [[math.fsum(of_tag) for of_tag in zip(*rows, strict=True)] for rows in tables]
        ends = [weights.table(name, [0], S)[0] for name in ("start", "end")]
        return found, [emissions, weights.table("transition", range(S), S), *ends]

    for _ in range(EPOCHS):
        draw.shuffle(order)
        for first in range(0, len(order), BATCH):
            slopes: dict[Any, float] = defaultdict(float)
            for sentence in (learn[b] for b in order[first : first + BATCH]):
                found, (emissions, *tables) = scores(sentence.words)
                gold = [numbers[tag] for tag in sentence.tags]
                for key, slope in _slopes(found, tagging.gradients(emissions, gold, *tables)):
                    slopes[key] += slope
            weights.step(slopes)
    counts = SpanCounts()
    for sentence in other:
        path = tagging.viterbi(*scores(sentence.words)[1])
        counts.add(sentence.tags, [tags[s] for s in path])
    return CapstoneResult(counts.scores().span_f1 or 0.0, time.perf_counter() - began)
