"""One question widget: a guess before an answer is shown, and questions to check oneself.

    if question.guess("Which word will greedy get wrong?", words, right=2, key=…, subject=…):
        …the answer…

    question.choice("Which are independent?", options, judge, key=…)
    question.number("How many paths are there?", judge, key=…)

A guess that has been judged keeps its verdict. A wrong answer gets one more try with a hint before
the solution is shown; another answer, or another question (another key), starts anew. What a press
does is done before the run that follows it: another press may cut that run short.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.course.numbers import parse_finite
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui import ask_class, presenter_view
from pages.shared.ui import view as views
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say as words

if TYPE_CHECKING:
    from pages.shared.course.classroom.ballot import Ballot

_SKIPPED = SessionValue("guess.skipped", False)
_SAID = SessionValue[tuple](
    "{}·said", (None, None, None, None)
)  # (subject, verdict, choice, _Asked)
_CHOSEN = SessionValue[int | None]("{}·{}", None, kind=int)  # by the radio of a guess
_ANSWER = SessionValue[Any]("{}.answer", None, kind=object)  # in the field of a question
_CHECKED = SessionValue[Any]("{}·checked", None, kind=object)  # the answer
_WRONG = SessionValue("{}·wrong", frozenset[object]())  # answers
LONGEST = 60  # characters of an answer
NONE = "none of them"  # beside those of which any number may be right


class _Asked(NamedTuple):
    """A guess as it was asked: an edit must not put other words beside its verdict."""

    question: str
    options: tuple[str, ...]
    right: int


class Verdict(NamedTuple):
    """What is said of an answer."""

    right: bool  # whether it is
    text: str = ""  # Why, if it is; else a hint. Plain text.
    solution: str = ""  # shown after the second wrong answer; "" if there is none


# ---------------------------------------------------------------------- before a reveal


def guess(
    question: str,
    options: Sequence[str],
    right: int,
    *,
    key: str,
    subject: Hashable,
    why: str = "",
    tells: Collection[str] = (),
    seen: bool = False,
) -> bool:
    """Ask, and say whether the answer may be shown.

    Whoever asks to just see is not asked again in this session.

    Args:
        question: Plain text.
        options: Plain texts to choose from.
        right: Index of the right one.
        key: Of the widgets.
        subject: What the question is about; about another one it is asked again. Scores are no part
            of it: who edits them after a verdict keeps the verdict.
        why: Said with the verdict.
        tells: Values of the page's address that would tell the answer; a class does not get them.
        seen: Whether the reader is beyond it, as by a link; who was asked before keeps the verdict.

    Returns:
        Whether the reader has committed to a guess, or has asked to see without one.
    """
    page = key.partition(".")[0]
    if views.OPEN.value == page:
        views.OPEN.reset()
    about, said, answer, before = _SAID.at(key).value
    is_open = ask_class.is_open(key)
    verdict = said if about == subject and not is_open else None
    now = _Asked(question, tuple(map(str, options)), right)
    asked = now if verdict is None else before
    if verdict is None and not is_open and ((skips := _skips()) or seen or _is_told()):
        if skips:
            _show_answer(question, _it_is(options[right], why), key)
        return True
    radio = _CHOSEN.at(key, hash(subject))
    ballot = partial(_ballot, question, options, right, why, key)
    ask = partial(ask_class.button, ballot, key=key, tells=tells)
    with st.container(border=True, key=f"asks-{key}"):
        chosen = _radio(radio.key, asked, answer, verdict)
        if verdict is not None:
            ask()
            say(verdict, again=False)
            if asked != now:
                note(words("question.before"))
                st.button(words("question.anew"), key=f"{key}·anew", on_click=_SAID.at(key).reset)
            _way_back(key)
            return True
        committed = _buttons(partial(_commit, key, subject, radio, now, why), ask, key)
        if committed and chosen is None:
            st.info(words("question.choose"))
    if not _SKIPPED.value:
        views.OPEN.set(page)
    return _SKIPPED.value and not is_open


def _skips() -> bool:
    """Whether questions are skipped; not where a class is still to be asked."""
    if ask_class.leads() and not views.current().screen:
        return False
    return _SKIPPED.value or views.current().told


def _radio(key: str, asked: _Asked, answer: int | None, verdict: Verdict | None) -> int | None:
    """The options; once there is a verdict, as they were answered."""
    return st.radio(
        asked.question,
        range(len(asked.options)),
        index=answer if verdict is not None else None,  # also after a visit to another page
        format_func=lambda k: theme.markdown(asked.options[k]),
        horizontal=True,
        disabled=verdict is not None,
        key=key + "·judged" * (verdict is not None),
    )


def _buttons(commit: Callable[[], None], ask: Callable[[], None], key: str) -> bool:
    """Commit, ask the class, look; whether the first was pressed."""
    with st.container(horizontal=True):
        committed = st.button(words("question.commit"), key=f"{key}·commit", on_click=commit)
        ask()
        turns = "stays" if _SKIPPED.value else "turn-next"
        with st.container(key=f"{turns}-{key}", width="content"):  # pressed by a presenter
            st.button(words("question.skip"), key=f"{key}·skip", on_click=_skip, type="tertiary")
    return committed


def _show_answer(question: str, told: str, key: str) -> None:
    """The answer to a question that is skipped, and the way to be asked after all."""
    if views.current().screen:
        with st.container(key=f"told-{key}"):
            _way_back(key)
            st.markdown(f"{theme.markdown(question)} **{theme.markdown(told)}**")
        return
    note(f"{question} {told}")
    st.button(
        "Ask me first", key=f"{key}·first", on_click=_SKIPPED.reset, type="tertiary",
        help="Questions before an answer are skipped; this brings them back, here and on all "
        "pages.",
    )  # fmt: skip


def _commit(
    key: str, subject: Hashable, radio: SessionValue[int | None], now: _Asked, why: str
) -> None:
    """Judge what is chosen, if anything is."""
    if (chosen := radio.value) is not None:
        right = chosen == now.right
        text = why if right else _it_is(now.options[now.right], why)
        _SAID.at(key).set((subject, Verdict(right, text), chosen, now))


def has_told(key: str) -> bool:
    """Return whether this session has seen the answer to a guess, or would see it."""
    return _SKIPPED.value or _SAID.at(key).value[1] is not None


def _skip() -> None:
    """Show without a guess; on a screen its address says so."""
    _SKIPPED.set(True)
    if views.current().screen:
        views.tell(True)


def _it_is(option: str, why: str) -> str:
    return f"It is: {option}. {why}".strip()


def _way_back(key: str) -> None:
    """What a presenter’s key for going back presses: the question stands again, unanswered."""
    if not views.current().screen:
        return

    def ask_again() -> None:
        _SKIPPED.set(False)
        views.tell(False)
        _SAID.at(key).reset()

    presenter_view.turn("back", "Ask again", ask_again, key=key)


def _ballot(question: str, options: Sequence[str], right: int, why: str, key: str) -> "Ballot":
    from pages.shared.course.classroom.ballot import Ballot

    return Ballot(question, tuple(options), right, why, key)


def _is_told() -> bool:
    """Whether the text is hidden and no guess is wanted: then the picture shows all at once."""
    view = views.current()
    return "prose" in view.hide and not view.guess


# ---------------------------------------------------------------------- check yourself


def choice(
    question: str,
    options: Sequence[str],
    judge: Callable[[int], Verdict],
    *,
    key: str,
    helps: bool = True,
) -> None:
    """A question with answers to choose from.

    Args:
        question: Markdown.
        options: Plain texts.
        judge: What is to be said of an answer, by its index.
        key: Of the question, with its numbers: new numbers are a new question.
        helps: Whether hints and the solution are shown.
    """
    with st.form(key):
        said = st.radio(
            question,
            range(len(options)),
            index=None,
            format_func=lambda k: theme.markdown(str(options[k])),
            key=f"{key}.answer",
        )
        _check(key)
        if _is_checked(key, said) and said is not None:
            _settle(key, said, judge(said), helps)


def several(
    question: str,
    options: Sequence[str],
    judge: Callable[[frozenset[str]], Verdict],
    *,
    key: str,
    helps: bool = True,
) -> None:
    """A question with any number of right answers.

    Args:
        question: Markdown.
        options: Plain texts.
        judge: What is to be said of those that were chosen.
        key: As above.
        helps: Whether hints and the solution are shown.
    """
    with st.form(key):
        every = [*options, NONE]
        said = frozenset(st.pills(question, every, selection_mode="multi", key=f"{key}.answer"))
        _check(key, lambda chosen: frozenset(chosen or ()))
        if not _is_checked(key, said):
            return
        if not said or said > {NONE}:
            st.info(f"Choose some of them, or “{NONE}”.")
        else:
            _settle(key, said, judge(said - {NONE}), helps)


def number(
    question: str,
    judge: Callable[[float], Verdict],
    *,
    key: str,
    name: str = "The answer",
    helps: bool = True,
    read: Callable[[str, str], float] = parse_finite,
) -> None:
    """A question whose answer is a number; anything else that is typed is answered by a sentence.

    Args:
        question: Markdown.
        judge: What is to be said of a number.
        key: As above.
        name: What the number is called in messages.
        helps: Whether hints and the solution are shown.
        read: The number that was typed; of `pages.shared.course.numbers`, which has others for
            whole numbers, and for those that may be −∞.
    """
    with st.form(key):
        typed = st.text_input(
            question, key=f"{key}.answer", max_chars=LONGEST, autocomplete="off", width=520
        )
        _check(key)
        if not _is_checked(key, typed) or not typed.strip():
            return
        try:
            given = read(typed, name)
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
            return
        _settle(key, typed, judge(given), helps)


def say(verdict: Verdict, *, again: bool) -> None:
    """A verdict in a sign and words.

    Args:
        verdict: What is to be said.
        again: Whether there is one more try.
    """
    text = theme.markdown(verdict.text)
    if verdict.right:
        st.success(words("question.right", why=text).strip(), icon=":material/check:")
    else:
        more = " Try once more." if again else ""
        st.error(words("question.wrong", why=f"{text}{more}").strip(), icon=":material/close:")


def _check(key: str, read: Callable[[Any], object] = lambda answer: answer) -> None:
    answer, checked = _ANSWER.at(key), _CHECKED.at(key)
    st.form_submit_button(words("question.check"), on_click=lambda: checked.set(read(answer.value)))


def _is_checked(key: str, answer: object) -> bool:
    """Whether there is a verdict on the answer: it was checked, now or before, and not changed."""
    checked = _CHECKED.at(key)
    return checked.is_set and checked.value == answer


def _settle(key: str, answer: object, verdict: Verdict, helps: bool) -> None:
    """Say the verdict; the solution not before the second wrong answer."""
    wrong = _WRONG.at(key).value | (set() if verdict.right else {answer})
    _WRONG.at(key).set(wrong)
    shown = verdict if helps or verdict.right else verdict._replace(text="", solution="")
    say(shown, again=len(wrong) < 2 and bool(verdict.solution))
    if shown.solution and (verdict.right or len(wrong) > 1):
        st.markdown(theme.markdown(shown.solution))
