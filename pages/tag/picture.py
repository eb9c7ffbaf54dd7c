"""The picture of the page "Tag a sentence": all readings as flow, and two of them to compare."""

from functools import lru_cache
from typing import Literal

from crf.figures.flow.payload import Line, Payload, flow
from crf.schemes import spans
from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, Analysis, Tagging
from pages.shared.figures.text import LessonText
from pages.shared.ui.taggers import NAMES, task_of

Decoder = Literal["viterbi", "greedy", "posterior"]
MOVED = 0.05  # of probability that has changed its tag: from there on a word is marked


def decoders(analysis: Analysis) -> tuple[tuple[Decoder, Tagging], ...]:
    """The three decoders’ paths by name; the first is what the others are compared with."""
    return (
        ("viterbi", analysis.viterbi),
        ("greedy", analysis.greedy),
        ("posterior", analysis.posterior),
    )


def readings(analysis: Analysis, *, since: Analysis | None = None) -> Payload:
    """All readings, with the decoders’ paths under them; what has changed since is marked."""
    say = LessonText.of("tag").line
    lines = [_line(name, path) for name, path in decoders(analysis)]
    if right := gold(analysis.tokens, task_of(analysis.tags)):
        lines.append(Line(say("labels.treebank"), right))
    return _flow(
        analysis, label=say("labels.readings"), lines=lines, how=say("hint.how"),
        hint=say("hint.several" if len(analysis.tokens) > 1 else "hint.one"),
        marked=[t for t, share in enumerate(moved(since, analysis)) if share >= MOVED],
    )  # fmt: skip


def pinned(then: Analysis) -> Payload:
    """The readings that are pinned, with the best sequence under them."""
    label = LessonText.of("tag").line("labels.pinned")
    return _flow(then, label=label, hint="", lines=[_line("viterbi", then.viterbi)])


def _line(name: Decoder, path: Tagging) -> Line:
    text = theme.log_probability(path.log_prob_given)
    return Line(LessonText.of("tag").line(f"labels.{name}"), path.tags, text)


@lru_cache(maxsize=2)
def _sample(task: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The right tags of the bundled sentences, by their words."""
    from crf.tagger import TaggingDataset
    from crf.tagger.bundled import sample

    suffix = "iob2" if task == NAMES else "conllu"
    found = [TaggingDataset.read(sample(f"{part}.{suffix}")) for part in ("train", "dev")]
    return {s.words: s.tags for part in found for s in part}


def gold(tokens: tuple[str, ...], task: str) -> tuple[str, ...]:
    """The right tags, where the sentence is one of the bundled sample; () for any other."""
    return _sample(task).get(tokens, ())


def _flow(analysis: Analysis, **how) -> Payload:
    if task_of(analysis.tags) == NAMES and analysis.is_feasible:
        how["spans"] = spans(analysis.viterbi.tags)
    return flow(
        analysis.marginals, analysis.pairs, analysis.tags, analysis.tokens,
        path=[analysis.tags.index(tag) for tag in analysis.viterbi.tags],
        held={t: s for t, s in enumerate(analysis.fixed) if s != FREE},
        unknown=analysis.unknown, choices=analysis.choices, **how,
    )  # fmt: skip


def moved(then: Analysis | None, now: Analysis) -> list[float]:
    """[L] for each token how much probability has another tag now; [] for others, or other tags."""
    if then is None or (then.tokens, then.tags) != (now.tokens, now.tags):
        return []
    return [
        sum(abs(p - q) for p, q in zip(before, after, strict=True)) / 2
        for before, after in zip(then.marginals, now.marginals, strict=True)
    ]
