"""The picture of the page "Tag a sentence": all readings as flow, and what the decoders choose."""

from typing import Literal

from crf.figures.flow.payload import Line, Payload, flow
from crf.schemes import spans
from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, Analysis, Tagging
from pages.shared.figures.text import LessonText
from pages.shared.ui.taggers import NAMES, task_of

Decoder = Literal["viterbi", "greedy", "posterior"]


def decoders(analysis: Analysis) -> tuple[tuple[Decoder, Tagging], ...]:
    """The three decoders’ paths by name; the first is what the others are compared with."""
    return (
        ("viterbi", analysis.viterbi),
        ("greedy", analysis.greedy),
        ("posterior", analysis.posterior),
    )


def readings(analysis: Analysis) -> Payload:
    """All readings, with the decoders’ paths under them."""
    say = LessonText.of("tag").line
    how = {}
    if task_of(analysis.tags) == NAMES and analysis.is_feasible:
        how["spans"] = spans(analysis.viterbi.tags)
    return flow(
        analysis.marginals, analysis.pairs, analysis.tags, analysis.tokens,
        path=[analysis.tags.index(tag) for tag in analysis.viterbi.tags],
        held={t: s for t, s in enumerate(analysis.fixed) if s != FREE},
        unknown=analysis.unknown, choices=analysis.choices,
        label=say("labels.readings"),
        hint=say("hint.several" if len(analysis.tokens) > 1 else "hint.one"),
        how=say("hint.how"),
        lines=[
            Line(say(f"labels.{name}"), path.tags, theme.log_probability(path.log_prob_given))
            for name, path in decoders(analysis)
        ],
        **how,
    )  # fmt: skip
