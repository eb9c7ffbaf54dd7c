"""One sentence: pick the right path, compare observed with expected, take steps."""

import streamlit as st

from crf.figures.numbers import counted, format_magnitude, format_score
from pages.learning import payloads
from pages.learning.corpus import text
from pages.learning.one_sentence import Ascent, climb
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.figures.path_score import Path
from pages.shared.figures.tables import Rows
from pages.shared.ui import computed, problem_state, question
from pages.shared.ui.component import component
from pages.shared.ui.controls import Integer, InvalidError, Number, Value
from pages.shared.ui.exports import Table
from pages.shared.ui.flow import flow
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import goes_with

_MOST_STEPS = 300
_ON_SCREEN = 8  # steps that a presenter takes before the next stop
_AHEAD = 5  # steps computed at once, so that the next click finds them there
_GRADIENT = component("gradient", "crf/figures/gradient")


def _path(value: object) -> Path:
    if isinstance(value, tuple) and len(value) <= 60:
        if all(type(s) is int and 0 <= s < 20 for s in value):
            return value
    raise InvalidError(text().line("notes.path"))


def _read(typed: str) -> Path:
    parts = typed.split(".")
    numbers = all(part.isascii() and part.isdigit() and len(part) < 3 for part in parts)
    return _path(tuple(map(int, parts)) if numbers else None)


GOLD = Value[Path](
    "learning.gold", (), address="gold",
    checked=_path, reads=_read, writes=lambda path: ".".join(map(str, path)),
)  # fmt: skip
RATE = Number("learning.alpha", 0.5, low=0.0, high=1e9, address="alpha")
STEPS = Integer("learning.steps", 0, low=0, high=_MOST_STEPS, address="steps")
CONTROLS = (GOLD, RATE, STEPS)


def right_path(lesson: Lesson) -> Path:
    """The right tags: those that the reader chose, else the best path of the problem as it came.

    Who edits scores changes what the model holds for best, and not what is right.
    """
    problem, came = lesson.problem, problem_state.origin().problem
    goes_with(came, GOLD)
    goes_with(problem, STEPS)
    path = GOLD.value
    if len(path) == len(problem.tokens) and all(s < len(problem.tags) for s in path):
        return path
    best = computed.best_path(problem)
    if (came.tags, came.tokens) != (problem.tags, problem.tokens):
        return best
    first = computed.best_path(came)
    if first not in (best, ()):
        GOLD.set(first)  # a link has the problem as it is now, and not as it came
    return first or best


def ascent(lesson: Lesson) -> Ascent:
    """The run on screen: a few steps more than the reader has taken.

    Raises:
        ValueError: The right path is forbidden.
    """
    ahead = -(-(STEPS.value + 1) // _AHEAD) * _AHEAD
    return climb(lesson.problem, right_path(lesson), RATE.value, ahead)


@st.fragment
def section(lesson: Lesson) -> None:
    """The section; a fragment, so that a step repaints nothing else."""
    if not lesson.summary.feasible:
        st.info(lesson.text.line("notes.no-path"))
        return
    try:
        run = ascent(lesson)
    except ValueError:
        st.warning(lesson.text.line("notes.forbidden"))
        best = computed.best_path(lesson.problem)
        st.button(lesson.text.line("notes.take-best"), on_click=lambda: GOLD.set(best))
        return
    n, problem = STEPS.value, lesson.problem
    picture, text = lesson.split()
    with text:
        lesson.say("sentence")
        guessed = _guess(lesson, run)
        if guessed:
            lesson.say("slope")
            _derived(lesson, run, n)
            _twice(lesson, run)
            if problem.per_step:
                lesson.say("per-step")
    with picture:
        _drawn(lesson, run, n, guessed)
    if guessed:
        with text:
            first = format_magnitude(run.norms[0].item())
            if lesson.summary.has_one_path:
                lesson.say("one-path")
            elif n:
                lesson.say(
                    "vanish", first=first, steps=counted(n, "step"),
                    norm=format_magnitude(run.norms[n].item()),
                    p=theme.log_probability(run.log_p[n].item()),
                )  # fmt: skip
            else:
                lesson.say("begins", first=first)
            if lesson.asks:
                _keep(run, n)
    lesson.publish()


def _drawn(lesson: Lesson, run: Ascent, n: int, guessed: bool) -> None:
    """The controls, both flows, and after the guess the gradient."""
    tags = run.problem.tags
    _controls(lesson, run, n, guessed)
    tall = 0 if guessed else 140  # where the gradient will be drawn
    # What is beside each other on a screen leaves room for letters that the last row can read.
    beside = lesson.view.screen and guessed
    first, second = st.columns(2) if beside else (st.container(), st.container())
    with first:
        thin = 124 if beside else 36 + tall // 5
        flow(payloads.observed_flow(run), key="learning.observed", height=thin)
    with second:
        flow(
            payloads.expected_flow(run, n), key="learning.expected", height=124 + tall,
            on_choice=lambda token, tag: _choose(run.path, token, tags.index(tag)),
        )  # fmt: skip
    if guessed:
        _GRADIENT(key="learning.gradient", data=payloads.gradient(run, n))
        if len(payloads.kept_tags(run)) < len(tags):
            note(lesson.text.line("notes.left-out"))


def _controls(lesson: Lesson, run: Ascent, n: int, guessed: bool) -> None:
    p = theme.log_probability(run.log_p[n].item())
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if lesson.view.screen and guessed:
            _turns(n)
        if lesson.asks and not guessed:
            note(lesson.text.line("notes.steps-later"))
        if lesson.asks and guessed:
            st.button("Step", on_click=_step, args=(1,), type="primary", disabled=n == _MOST_STEPS)
            st.button("Ten steps", on_click=_step, args=(10,), disabled=n == _MOST_STEPS)
            st.button("Undo", key="learning.undo", on_click=_step, args=(-1,), disabled=n == 0,
                      icon=":material/undo:")  # fmt: skip
            with st.container(
                horizontal=True, vertical_alignment="center", gap="small", width="content"
            ):  # one below the other is for the whole, not for a field and its name
                st.html("η", width="content")
                RATE.widget("η", step=0.1, format="%g", width=112, label_visibility="collapsed",
                            help="Learning rate η (eta)")  # fmt: skip
        nll = format_magnitude(max(-run.log_p[n].item(), 0.0))
        st.html(
            f'<p class="crf-note"><b>{counted(n, "step")}</b>: −log p = {nll}, p = {p}</p>',
            width="content",
        )


def _turns(n: int) -> None:
    """What a presenter's keys press: some steps on, and back."""
    for name, by, off in (("next", 1, n >= _ON_SCREEN), ("back", -1, n == 0)):
        with st.container(key=f"turn-{name}", width="content"):
            st.button(name, key=f"learning.turn.{name}", on_click=_step, args=(by,), disabled=off)


def _step(by: int) -> None:
    STEPS.set(min(max(STEPS.value + by, 0), _MOST_STEPS))


def _choose(path: Path, token: int, tag: int) -> None:
    if path[token] == tag:  # right already: nothing that was learnt is lost
        return
    GOLD.set((*path[:token], tag, *path[token + 1 :]))
    STEPS.set(0)


def _keep(run: Ascent, n: int) -> None:
    """A button that takes the learnt scores to every lesson; all of the page changes with them."""
    if n and st.button(text().line("notes.keep")):
        try:
            problem_state.change(run.problem_after(n), counted(n, "gradient step"))
            STEPS.set(0)
        except ProblemError as error:
            problem_state.complain(str(error))
        st.rerun()


def exports(lesson: Lesson) -> dict[str, Table]:
    """The gradient as a table to take away, where there is one."""
    if not lesson.summary.feasible:
        return {}
    try:
        run, n = ascent(lesson), STEPS.value
    except ValueError:
        return {}
    return {"Gradient": Table.of(lambda: gradient_rows(run, n))}


def gradient_rows(run: Ascent, n: int) -> Rows:
    """Observed, expected and gradient of every score after n steps."""
    tags = run.problem.tags
    rows: list[list[str | float]] = [["score", "observed", "expected", "gradient"]]
    for name, lines, seen, expects in zip(
        ("w", "T", "start", "end"), (run.words, tags, ("",), ("",)), run.observed, run.expected,
        strict=True,
    ):  # fmt: skip
        summed = (x.sum(0) if x.dim() == 3 else x for x in (seen, expects[n]))  # over the steps
        a, b = (x.reshape(len(lines), len(tags)) for x in summed)
        for i, line in enumerate(lines):
            for j, tag in enumerate(tags):
                place = f"{line}, {tag}" if line else tag
                pair = a[i, j].item(), b[i, j].item()
                rows.append([f"{name}[{place}]", *pair, pair[0] - pair[1]])
    return rows


# ---------------------------------------------------------------------- the guess


def _guess(lesson: Lesson, run: Ascent) -> bool:
    """Which transition gets the largest push, which way?"""
    options, right = choices(run)
    if len(options) < 2:
        return True
    return question.guess(
        lesson.text.line("push.question"),
        options,
        right,
        key="learning.push",
        subject=(run.problem.tags, run.problem.tokens),
        why=lesson.text.line("push.why"),
        tells=(STEPS.address,),
        seen=STEPS.value > 0 and not lesson.view.guess,
    )


def choices(run: Ascent) -> tuple[list[str], int]:
    """The largest pushes on transitions before the first step, one of them turned round.

    What is pushed as far as the first is no other answer.
    """
    slopes = run.gradient.transitions[0]
    if slopes.dim() == 3:  # a table for each step, each with pushes of its own
        return [], 0
    tags = run.problem.tags
    S = range(len(tags))
    ranked = sorted(((i, j) for i in S for j in S), key=lambda at: -abs(slopes[at].item()))
    if len(run.problem.tokens) < 2 or abs(slopes[ranked[0]].item()) < 1e-6:
        return [], 0

    def said(at: tuple[int, int], up: bool) -> str:
        return f"T[{tags[at[0]]}, {tags[at[1]]}] {'up' if up else 'down'}"

    best, used, top = ranked[0], run.observed.transitions > 0, slopes.abs().max().item()
    right = said(best, slopes[best].item() > 0)
    small = [at for at in reversed(ranked) if used[at] and abs(slopes[at].item()) < top - 1e-6]
    others = [said(at, True) for at in small[:1]]
    others += [said(at, slopes[at].item() <= 0) for at in (best, *ranked[2:3])]
    options = sorted({right, *others})
    return options, options.index(right)


def _derived(lesson: Lesson, run: Ascent, n: int) -> None:
    """Why the gradient of log Z is what the model expects, line by line, and one entry of it."""
    with lesson.fold(key="derive") as is_open:
        if not is_open:
            return
        lesson.say("derive")
        gradient, expected = run.gradient.transitions[n], run.expected.transitions[n]
        if gradient.dim() == 3 or len(run.problem.tokens) < 2:
            return
        tags = run.problem.tags
        i, j = divmod(int(gradient.abs().argmax()), len(tags))
        numbers = {
            "observed": run.observed.transitions, "expected": expected, "gradient": gradient
        }  # fmt: skip
        texts = {name: format_score(table[i, j].item(), 4) for name, table in numbers.items()}
        lesson.say("derive-numbers", a=tags[i], b=tags[j], **texts)


def _twice(lesson: Lesson, run: Ascent) -> None:
    """Which score is used more than once by the right path."""
    observed = run.observed.transitions
    if observed.dim() == 3:
        return
    count, flat = observed.max().item(), int(observed.argmax())
    if count > 1:
        i, j = divmod(flat, len(run.problem.tags))
        tags = run.problem.tags
        lesson.say("twice", score=f"T[{tags[i]}, {tags[j]}]", count=f"{count:.0f}")
