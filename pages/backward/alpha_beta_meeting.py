"""Where α and β meet: α's front from the left, β's from the right, the marginal their product.

The front of α at token t is the flow of the tokens up to t alone: its last column is α, normalised.
That of β is the flow of those from t on, without t's emission: its first column is β, normalised.
"""

import streamlit as st
import torch

from crf import LinearChain
from crf.figures.flow import payload as flow
from crf.figures.flow.payload import OTHER, Payload, Ribbon, of_chain
from crf.figures.numbers import format_probability
from pages.shared.course.problem import Problem
from pages.shared.figures.text import LessonText
from pages.shared.ui import computed, presenter_view
from pages.shared.ui.controls import Integer
from pages.shared.ui.flow import flow as draw
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.recursion import Pictures, Recursion
from pages.shared.ui.state import SessionValue

NOWHERE = -1
_MET = SessionValue("backward.met", NOWHERE)  # where they met before the whole flow
MEET = Integer("backward.meet", NOWHERE, address="meet", low=NOWHERE, high=59)
_KEY = "backward.meeting"
HEIGHT = 68  # px of the pictures under the trellis: with it they fit a window 800 px high
_NEAR = 0.62  # of the distance between columns: α, product and β of one token stand closer


def alpha_front(chain: LinearChain, t: int) -> LinearChain:
    """Tokens 0 … t alone, without end: its last column of marginals is α_t, normalised."""
    p = chain.potentials
    steps = p.transitions if p.transitions.ndim == 2 else p.transitions[:, :t]
    return LinearChain(p.emissions[:, : t + 1], steps, p.start, None, backend="plain")


def beta_front(chain: LinearChain, t: int) -> LinearChain:
    """Tokens t … m-1 without start and t's emission: its first column of marginals is β_t."""
    p = chain.potentials
    steps = p.transitions if p.transitions.ndim == 2 else p.transitions[:, t:]
    emissions = torch.cat([torch.zeros_like(p.emissions[:, :1]), p.emissions[:, t + 1 :]], 1)
    return LinearChain(emissions, steps, None, p.end, backend="plain")


def fronts(problem: Problem, chain: LinearChain, t: int) -> Payload:
    """Both fronts at token t, and between them the blocks of their product; a path is allowed."""
    tags, tokens, line = problem.tags, problem.tokens, LessonText.of("backward").line
    ends = alpha_front(chain, t), beta_front(chain, t)
    left, right = (
        of_chain(part, tags, words, path=(), choices=())
        for part, words in zip(ends, (tokens[: t + 1], tokens[t:]), strict=True)
    )
    whole = of_chain(chain, tags, tokens, choices=())
    product = whole["columns"][t] | {"part": "product", "near": _NEAR}
    before = [column | {"part": "alpha"} for column in left["columns"]]
    after = [column | {"part": "beta", "token": t + k} for k, column in enumerate(right["columns"])]
    before[-1] |= {"text": "α̂"}
    after[0] |= {"text": "β", "near": _NEAR}
    marginals = chain.marginals[0, t].tolist()
    alphas, betas = (part.marginals[0, k].tolist() for part, k in zip(ends, (-1, 0), strict=True))
    into = _joined(tags, (before[-1], alphas), (product, marginals))
    out = _joined(tags, (product, marginals), (after[0], betas))
    return flow.payload(
        [*before, product, *after],
        [*left["ribbons"], into, out, *right["ribbons"]],
        tags,
        label=line("labels.fronts", word=tokens[t]),
        hint=line("labels.fronts-hint"),
        how=line("labels.fronts-how"),
    )


def _joined(tags, left, right) -> list[Ribbon]:
    """A ribbon from each tag to itself, which may widen or narrow on its way."""
    line = LessonText.of("backward").line

    def name(column, tag: str) -> str:
        return tag if any(block.tag == tag for block in column["blocks"]) else OTHER

    widths: dict[tuple[str, str], tuple[float, float]] = {}
    for tag, p, q in zip(tags, left[1], right[1], strict=True):
        if p > 0 or q > 0:
            ends = name(left[0], tag), name(right[0], tag)
            before = widths.get(ends, (0.0, 0.0))
            widths[ends] = before[0] + p, before[1] + q
    told = {
        (p, q): line("labels.becomes", p=format_probability(p), q=format_probability(q))
        for p, q in widths.values()
    }
    return [Ribbon(*ends, p, told[p, q], False, q) for ends, (p, q) in widths.items()]


def in_the_page(lesson: Recursion, problem: Problem) -> Pictures:
    """The meeting under the trellis; a click on a block moves it there."""
    t = MEET.value if 0 <= MEET.value < len(problem.tokens) else len(problem.tokens) // 2

    def meet(token: int, _tag: str) -> None:
        MEET.set(token)
        lesson.changed.set(True)

    def picture(of: Problem) -> Payload | None:
        chain = computed.summary(of).chain
        return fronts(of, chain, t) if chain.feasible[0] else None

    if drawn := picture(problem):
        draw(drawn, key=_KEY, on_choice=meet, height=HEIGHT)
    return lambda moved: {_KEY: picture(moved)}


def explanation(lesson: Lesson) -> None:
    """What it means that they meet; with the numbers of one tag, where the picture shows it."""
    problem, chain, t = lesson.problem, lesson.summary.chain, MEET.value
    lesson.say("fronts")
    if not 0 <= t < len(problem.tokens) or "answers" in lesson.view.hide:
        return
    s = int(chain.marginals[0, t].argmax())
    alpha, beta = (
        torch.softmax(table[0, t], 0)[s].item() for table in (chain.log_alphas, chain.log_betas)
    )
    lesson.say(
        "fronts-now", word=problem.tokens[t], tag=problem.tags[s],
        alpha=format_probability(alpha), beta=format_probability(beta),
        p=format_probability(chain.marginals[0, t, s].item()),
    )  # fmt: skip


@st.fragment
def on_screen(lesson: Lesson) -> None:
    """Before a class: the flow of all paths; a click on a block lets the two fronts meet there.

    A presenter's keys press buttons: the whole flow after the fronts, and the fronts again.
    """
    problem, chain, line = lesson.problem, lesson.summary.chain, lesson.text.line
    t = MEET.value if MEET.value < len(problem.tokens) else NOWHERE

    def meet(token: int, _tag: str) -> None:
        MEET.set(NOWHERE if token == t else token)

    with lesson.picture("fronts"):
        if t != NOWHERE:
            _MET.set(t)
            presenter_view.turn("next", line("labels.turn-flow"), MEET.reset, key="backward.meet")
        elif (before := _MET.value) != NOWHERE:
            again = line("labels.turn-fronts")
            presenter_view.turn("back", again, lambda: MEET.set(before), key="backward.meet")
        draw(
            of_chain(chain, problem.tags, problem.tokens, path=[], choices=())
            if t == NOWHERE
            else fronts(problem, chain, t),
            key="backward.fronts",
            on_choice=meet,
            height=220,
            numbers="answers" not in lesson.view.hide,
        )
