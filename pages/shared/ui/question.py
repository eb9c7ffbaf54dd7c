"""One question widget: a guess before an answer is shown, and questions to check oneself.

A guess that has been judged keeps its verdict. A wrong answer gets one more try with a hint before
the solution is shown; another answer, or another question (another key), starts anew. What a press
does is done before the run that follows it: another press may cut that run short.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.course.typed_numbers import parse_finite
from pages.shared.figures import theme
from pages.shared.ui import presenter_view
from pages.shared.ui import view as views
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say as words


class Verdict(NamedTuple):
    """What is said of an answer."""

    right: bool  # whether it is
    text: str = ""  # Why, if it is; else a hint. Plain text.
    solution: str = ""  # shown after the second wrong answer; "" if there is none


class _Guess(NamedTuple):
    """A guess as it was asked: an edit must not put other words beside its verdict."""

    question: str
    options: tuple[str, ...]
    right: int
    why: str
    key: str
    subject: Hashable

    @property
    def solution(self) -> str:
        return words("question.it-is", option=self.options[self.right], why=self.why).strip()

    @property
    def choice(self) -> SessionValue[int | None]:
        """What its radio holds."""
        return _CHOSEN.at(self.key, hash(self.subject))

    def radio(self, **how: Any) -> int | None:
        return st.radio(
            self.question, range(len(self.options)), horizontal=True,
            format_func=lambda k: theme.markdown(self.options[k]), **how,
        )  # fmt: skip


class _Judged(NamedTuple):
    """A guess with what was chosen."""

    guess: _Guess
    chosen: int


_SKIPPED = SessionValue("guess.skipped", False)
_JUDGED = SessionValue[_Judged | None]("{}·said", None, kind=_Judged)
_CHOSEN = SessionValue[int | None]("{}·{}", None, kind=int)  # by the radio of a guess
_ANSWER = SessionValue[Any]("{}.answer", None, kind=object)  # in the field of a question
_CHECKED = SessionValue[Any]("{}·checked", None, kind=object)  # the answer
_WRONG = SessionValue("{}·wrong", frozenset[object]())  # answers


# ---------------------------------------------------------------------- before a reveal


def guess(
    question: str,
    options: Sequence[str],
    right: int,
    *,
    key: str,
    subject: Hashable,
    why: str = "",
    seen: bool = False,
) -> bool:
    """Ask, and say whether the answer may be shown: after a guess, or to who asks to just see.

    Whoever asks to just see is not asked again in this session.

    `subject`: what the question is about; about another one it is asked again. Scores are no part
    of it: who edits them after a verdict keeps the verdict.
    `seen`: whether the reader is beyond it, as by a link; who was asked before keeps the verdict.
    """
    asked = _Guess(question, tuple(map(str, options)), right, why, key, subject)
    page, view, judged = key.partition(".")[0], views.current(), _JUDGED.at(key).value
    if views.OPEN.value == page:
        views.OPEN.reset()
    shows_all = "prose" in view.hide and not view.guess  # the picture shows all at once
    if judged and judged.guess.subject == subject:
        _show_verdict(judged, asked)
        return True
    if _SKIPPED.value or view.told:
        _show_answer(asked)
        return True
    if seen or shows_all:
        return True
    with st.container(border=True, key=f"asks-{key}"):
        _ask(asked)
    if not _SKIPPED.value:
        views.OPEN.set(page)
    return _SKIPPED.value


def has_told(key: str) -> bool:
    """Return whether this session has seen the answer to a guess, or would see it."""
    return _SKIPPED.value or _JUDGED.at(key).value is not None


def _ask(asked: _Guess) -> None:
    """The options, and the buttons: commit, look."""
    key = asked.key

    def commit() -> None:
        if (chosen := asked.choice.value) is not None:
            _JUDGED.at(key).set(_Judged(asked, chosen))

    def skip() -> None:
        _SKIPPED.set(True)
        if views.current().screen:  # its address says so
            views.tell(True)

    chosen = asked.radio(index=None, key=asked.choice.key)
    with st.container(horizontal=True):
        committed = st.button(words("question.commit"), key=f"{key}·commit", on_click=commit)
        turns = "stays" if _SKIPPED.value else "turn-next"
        with st.container(key=f"{turns}-{key}", width="content"):  # pressed by a presenter
            st.button(words("question.skip"), key=f"{key}·skip", on_click=skip, type="tertiary")
    if committed and chosen is None:
        st.info(words("question.choose"))


def _show_verdict(judged: _Judged, now: _Guess) -> None:
    """The options as they were answered, also after a visit to another page, and the verdict."""
    (before, chosen), key = judged, now.key
    with st.container(border=True, key=f"asks-{key}"):
        before.radio(index=chosen, disabled=True, key=f"{before.choice.key}·judged")
        is_right = chosen == before.right
        say(Verdict(is_right, before.why if is_right else before.solution), again=False)
        if before[:3] != now[:3]:
            note(words("question.before"))
            st.button(words("question.anew"), key=f"{key}·anew", on_click=_JUDGED.at(key).reset)
        _way_back(key)


def _show_answer(asked: _Guess) -> None:
    """The answer to a question that is skipped, and the way to be asked after all."""
    if views.current().screen:
        with st.container(key=f"told-{asked.key}"):
            _way_back(asked.key)
            solution = theme.markdown(asked.solution)
            st.markdown(f"{theme.markdown(asked.question)} **{solution}**")
        return
    note(f"{asked.question} {asked.solution}")
    st.button(
        words("question.ask-first"), key=f"{asked.key}·first", on_click=_SKIPPED.reset,
        type="tertiary", help=words("question.ask-first-help"),
    )  # fmt: skip


def _way_back(key: str) -> None:
    """What a presenter’s key for going back presses: the question stands again, unanswered."""

    def ask_again() -> None:
        _SKIPPED.set(False)
        views.tell(False)
        _JUDGED.at(key).reset()

    if views.current().screen:
        presenter_view.turn("back", words("question.ask-again"), ask_again, key=key)


# ---------------------------------------------------------------------- check yourself


def choice(
    question: str, options: Sequence[str], judge: Callable[[int], Verdict], *, key: str
) -> None:
    """A question with answers to choose from.

    `key`: of the question, with its numbers: new numbers are a new question.
    """
    with st.form(key):
        said = st.radio(
            question, range(len(options)), index=None, key=f"{key}.answer",
            format_func=lambda k: theme.markdown(str(options[k])),
        )  # fmt: skip
        if _is_checked(key, said) and said is not None:
            _settle(key, said, judge(said))


def several(
    question: str,
    options: Sequence[str],
    judge: Callable[[frozenset[str]], Verdict],
    *,
    key: str,
    helps: bool = True,
) -> None:
    """A question with any number of right answers; arguments as of `choice`."""
    none = words("question.none")
    with st.form(key):
        every = [*options, none]
        said = frozenset(st.pills(question, every, selection_mode="multi", key=f"{key}.answer"))
        if not _is_checked(key, said, lambda chosen: frozenset(chosen or ())):
            return
        if not said or said > {none}:
            st.info(words("question.choose-some", none=none))
        else:
            _settle(key, said, judge(said - {none}), helps)


def number(
    question: str,
    judge: Callable[[float], Verdict],
    *,
    key: str,
    name: str = "",
    helps: bool = True,
    read: Callable[[str, str], float] = parse_finite,
) -> None:
    """A question whose answer is a number; anything else that is typed is answered by a sentence.

    `read`: reads what was typed; of `pages.shared.course.typed_numbers`, which has others for
    whole numbers, and for those that may be −∞.
    """
    with st.form(key):
        typed = st.text_input(
            question, key=f"{key}.answer", max_chars=60, autocomplete="off", width=520
        )
        if not _is_checked(key, typed) or not typed.strip():
            return
        try:
            given = read(typed, name or words("question.answer"))
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
        else:
            _settle(key, typed, judge(given), helps)


def say(verdict: Verdict, *, again: bool) -> None:
    """A verdict in a sign and words."""
    text = theme.markdown(verdict.text)
    if verdict.right:
        st.success(words("question.right", why=text).strip(), icon=":material/check:")
    else:
        wrong = words("question.wrong-again" if again else "question.wrong", why=text)
        st.error(" ".join(wrong.split()), icon=":material/close:")


def _is_checked(key: str, answer: object, read: Callable[[Any], object] = lambda a: a) -> bool:
    """Draw the button; whether the answer was checked, now or before, and not changed since."""
    field, checked = _ANSWER.at(key), _CHECKED.at(key)
    st.form_submit_button(words("question.check"), on_click=lambda: checked.set(read(field.value)))
    return checked.is_set and checked.value == answer


def _settle(key: str, answer: object, verdict: Verdict, helps: bool = True) -> None:
    """Say the verdict; the solution not before the second wrong answer."""
    wrong = _WRONG.at(key).value | (set() if verdict.right else {answer})
    _WRONG.at(key).set(wrong)
    shown = verdict if helps or verdict.right else verdict._replace(text="", solution="")
    say(shown, again=len(wrong) < 2 and bool(verdict.solution))
    if shown.solution and (verdict.right or len(wrong) > 1):
        st.markdown(theme.markdown(shown.solution))
