"""What stands behind "⋯" of the front page: tagger, decoders, numbers, code, files and links."""

import inspect

import streamlit as st
import torch

from crf.figures.numbers import decimal
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures import decoders, theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import Case, LessonText, case
from pages.shared.ui import taggers
from pages.shared.ui.stage import look, reader, take
from pages.tag import pad

LESSON = "tag"
COLDEST = 0.05  # τ at which the numbers are computed where the dot is lower


def _whose(state: State, _beat: Beat, text: LessonText) -> None:
    """Which tagger reads, and where words end; a worked example."""
    from pages.shared.ui.stage import whose  # pandas, which the first paint does not wait for

    st.html(text.html("about"))
    whose.show(LESSON, state)


def _ways(state: State, _beat: Beat, text: LessonText) -> None:
    """The paths of the four corners, with their probabilities."""
    from pages.shared.ui import bench  # pandas and Plotly, which the first paint does not wait for

    problem, chain = state.problem, state.problem.chain()
    if not chain.feasible.item():
        return
    fixed = tuple(sorted(state.fixed.items()))
    corners = pad.readings(problem, fixed, (0.0, 1.0), (1.0, 0.0))
    softmax, posterior = corners.marginals[0].argmax(-1).tolist()
    greedy, viterbi = corners.best.tolist()
    every = {"viterbi": viterbi, "posterior": posterior, "greedy": greedy, "softmax": softmax}
    tags = torch.tensor([*every.values()])
    paths = [
        decoders.Decoded(name, tuple(path), chain.score(row).item(), chain.log_prob(row).item())
        for (name, path), row in zip(every.items(), tags[:, None], strict=True)
    ]
    st.html(text.html("ways"))
    frame = bench.decoders_frame(problem, paths)
    st.dataframe(frame, height="content", alt=text.line("labels.caption"))


def at_the_dot(state: State) -> Problem:
    """The scores at the place of the dot: λ · the steps, all divided by τ, at least `COLDEST`."""
    problem = state.problem
    tags = torch.full((1, len(problem.tokens)), -1)
    for token, tag in state.fixed.items():
        tags[0, token] = tag
    lambdas = torch.tensor([state.lambda_], dtype=torch.float64)
    tables = pad.scaled(problem.chain().clamp(tags), lambdas)
    emissions, steps = ((x[0] / max(state.tau, COLDEST)).tolist() for x in tables)
    ends = [0.0] * len(problem.tags)
    steps = steps[0] if len(steps) == 1 else steps  # all share it
    return Problem.of(problem.tags, problem.tokens, emissions, steps, ends, ends)


def _numbers(state: State, _beat: Beat, text: LessonText) -> None:
    """All cells at the place of the dot; a click fixes a tag, or lets it go."""
    from pages.shared.ui import bench  # pandas and Plotly, which the first paint does not wait for

    def fix(_quantity: str, t: int, s: int) -> None:
        fixed = {token: tag for token, tag in state.fixed.items() if token != t}
        if state.fixed.get(t) != s:
            fixed[t] = s
        reader.order(LESSON, fix="~".join(f"{t}.{s}" for t, s in sorted(fixed.items())))

    st.html(text.html("numbers", least=decimal(f"{COLDEST:g}")))
    bench.show(bench.OnBench(LESSON, at_the_dot(state), goes=fix))


def _pairs() -> list[Case]:
    """What a CRF adds to each shipped network, by the model cards."""
    cases = []
    for key in ("local", "bilstm"):
        card = taggers.metrics(key) or {}
        if twin := card.get("softmax"):
            shares = {
                "alone": theme.percent(twin["sentence_accuracy"]),
                "crf": theme.percent(card["sentence_accuracy"]),
            }
            cases.append(case(f"pair.{key}", **shares))
    twin = taggers.metrics("ner-softmax") or {}
    if "invalid_tags" in twin:
        cases.append(case("pair.ner", broken=twin["invalid_tags"]))
    return cases


def _worth(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("worth", pairs=_pairs()))


def _code(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.body("code"))
    st.code(f"{inspect.getsource(pad.scaled)}\n\n{inspect.getsource(pad.readings)}")


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, (beat,), beat, state, text)


SECTIONS: look.Sections = {
    "numbers": {"heat-maps": _numbers, "decoders": _ways},
    "why": {"worth": _worth},
    "code": {"step": _code},
    "keep": {"whose": _whose, "link": _take},
}
