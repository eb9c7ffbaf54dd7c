"""What a class adds above every page: whom one follows, what is asked, how the answers stand.

A student's panel is drawn again only when there is news; the lecturer's once a second.
"""

import re
import time
from datetime import datetime
from typing import Any

import streamlit as st

from crf.figures.trellis.notation import NOTATIONS
from pages.shared import contents
from pages.shared.course.classroom import classroom
from pages.shared.course.classroom.ballot import LONGEST_ANSWER, Ballot, traced
from pages.shared.course.classroom.classroom import Classroom, RefusedError, StoreError
from pages.shared.course.classroom.store import SECONDS_BETWEEN_VOTES, Now, OverError
from pages.shared.course.lecture import Stop
from pages.shared.figures import column as columns
from pages.shared.figures import path_score, votes
from pages.shared.figures.theme import markdown
from pages.shared.ui import class_session, client_values, presenter_view, question
from pages.shared.ui import view as views
from pages.shared.ui.component import component
from pages.shared.ui.frame import note, style
from pages.shared.ui.lesson import FOLD
from pages.shared.ui.server_path import root
from pages.shared.ui.state import SessionValue, asked, complain
from pages.shared.ui.words import say_in_class as say
from pages.shared.ui.words import words_in_class

_FOLLOW = component("follow", "pages/shared/ui/scripts/follow", triggers=["news"])
_STALE = SessionValue("class.stale", False)  # whether the page has more to say than the panel
_RECENT = 0.2  # seconds: two hundred phones ask at once, and the server's news is read meanwhile
_ON_SCREEN = contents.ROOT / "assets/class/question.css"
_WAYS = {  # phase of a question -> what the lecturer's buttons do: the next phase, the label
    "open": {"closed": "close", "revealed": "close-reveal", "over": "drop"},
    "closed": {"open": "open", "revealed": "reveal", "over": "drop"},
    "revealed": {"closed": "hide", "over": "done"},
}


def show(address: str) -> None:
    """Draw it on the page with this address; nothing at all where there is no class."""
    room = classroom.running()
    if room is None:
        return
    cookies = st.context.cookies
    class_session.HERE.set(address)
    if room.is_lecturer(cookies.get(class_session.LECTURER)):
        with st.container(key="class"):
            _lecturer(room, contents.entry(address))
    elif room.named(cookies.get(class_session.STUDENT)):
        entry = contents.entry(address)
        if part := asked("picture"):  # of a stop that shows one picture; it may be folded up
            FOLD.at(entry.folder, part).begin(lambda: True)
        _student(room, "" if entry is contents.FIRST else entry.name)
    elif room.is_over():
        note(str(OverError()))
    elif "controls" not in views.current().hide:
        st.html(f'<p class="crf-note">{say("panel.join")}</p>')


def parts(stop: Stop) -> list[str]:
    """Where a page has the picture that a stop shows: classes of the document, the best first."""
    part, folder = stop.values.get("picture"), contents.entry(stop.page).folder
    return [f"st-key-picture-{folder}-{part}", f"st-key-{folder}-fold-{part}"] if part else []


def _redraw(now: Now, ballot: Ballot | None) -> None:
    """Draw the whole page again when a column’s answers come into its picture, or leave it.

    Also where this session has seen an answer that it must not see while the class is asked.
    """
    shown = now.ballot if ballot and ballot.column and now.phase == "revealed" else 0
    key = ballot.key if ballot and now.phase != "revealed" else ""
    before = class_session.OPEN_KEY.value
    class_session.OPEN_KEY.set(key)
    hides = before != key and question.has_told(key or before)
    if class_session.SHOWN.value != shown or hides:
        class_session.SHOWN.set(shown)
        st.rerun()


def _give_way(ballot: Ballot, phase: str) -> None:
    """Hide the page's own copy of a question while the class has it: it stands once.

    While the class still answers, nothing else on the page asks or tells.
    """
    own = re.sub(r"[^A-Za-z0-9_-]", "-", ballot.key)
    boxes = f".st-key-asks-{own}, .st-key-asks-{own}-fields, .st-key-fill-{own}"
    if phase != "revealed":
        boxes += ', [class*="st-key-asks-"], [class*="st-key-fill-"]'
    rules = f":is({boxes}) {{ display: none !important; }}"
    if views.current().screen:
        rules += _ON_SCREEN.read_text(encoding="utf-8").replace("OWN", own)
    style(rules)


def _bold(text: str) -> None:
    st.markdown(f"**{markdown(text)}**")


def _given(ballot: Ballot) -> None:
    """Draw the numbers from which a column is computed."""
    assert ballot.column is not None
    tables = columns.given(traced(ballot)[1], ballot.column.column, ballot.column.space)
    st.html(path_score.given_tables(tables, say("answer.given")))


def _bars(room: Classroom, now: Now, ballot: Ballot, kept: Any) -> None:
    """Draw how the class has answered, the own answer marked."""
    tally = room.tally(now.ballot, ballot)
    if ballot.column is not None:
        number = NOTATIONS[ballot.column.space].number
        st.html(votes.column(ballot.options, tally, [number(value) for value in ballot.truth]))
    else:
        st.html(votes.bars(tally, kept if isinstance(kept, int) else None))
    if ballot.why:
        note(ballot.why)


@st.fragment
def _student(room: Classroom, here: str) -> None:
    cookie, kept = st.context.cookies.get(class_session.STUDENT), None
    try:
        now = room.now(_RECENT)
        if now.serial < _told():  # another server was quicker
            now = room.now()
        student = room.named(cookie)  # as the store has it now: the room may have been emptied
        if not student:
            return
        ballot = room.ballot(now.ballot) if now.phase != "over" else None
        kept = room.answer(student, now.ballot) if ballot else None
    except OverError as error:
        note(str(error))
        return
    except StoreError as error:
        now, student, ballot = Now(), "", None
        st.warning(markdown(say("panel.retry", why=error)))
    _redraw(now, ballot)
    bar = {
        name.removeprefix("follow."): said
        for name, said in words_in_class().items()
        if name.startswith("follow.")
    }
    _FOLLOW(
        key="class.follow",
        data={
            "code": room.code, "root": root(), "news": class_session.NEWS, "here": here,
            "picture": class_session.PICTURE,
            "stop": now.number, "ballot": now.ballot, "phase": now.phase, "words": bar,
        },
        on_news_change=lambda: None,
    )  # fmt: skip
    if ballot is None:
        return
    _give_way(ballot, now.phase)
    with st.container(border=True, key="class-question"):
        if now.phase == "open":
            answer = _answer_column if ballot.column else _answer_choice
            answer(room, student, now.ballot, ballot, kept)
            return
        _bold(ballot.question)
        if now.phase == "closed":
            note(say("answer.closed-without" if kept is None else "answer.closed-with"))
            return
        _bars(room, now, ballot, kept)
        if isinstance(kept, dict):
            note(say("answer.yours", message=kept["message"]))


def _told() -> int:
    """Return the number of the news that the phone has heard; 0 where the whole page is drawn."""
    said = client_values.state("class.follow", "news")
    return client_values.genuine(said, client_values.index(2**53)) or 0


def _answer_choice(room: Classroom, student: str, number: int, ballot: Ballot, kept: Any) -> None:
    """Draw the options, and what they are worked out from; a tap is a vote."""
    if ballot.given:
        st.html(path_score.given_tables(ballot.given, say("answer.given")))
    said = st.radio(
        markdown(ballot.question), range(len(ballot.options)),
        index=kept if isinstance(kept, int) else None,
        format_func=lambda k: markdown(ballot.options[k]), key=f"class.vote.{number}",
    )  # fmt: skip
    if said is None:
        note(say("answer.secret"))
    elif said == kept or _vote(room, student, number, ballot, said):
        note(say("answer.in"))


def _answer_column(room: Classroom, student: str, number: int, ballot: Ballot, kept: Any) -> None:
    """Draw the fields of a column, what is given, and what has been sent."""
    key = f"class.vote.{number}"
    typed = kept["typed"] if isinstance(kept, dict) else [""] * len(ballot.options)
    _bold(ballot.question)
    with st.form(key, border=False):
        _given(ballot)
        with st.container(horizontal=True, gap="small"):
            said = [
                st.text_input(
                    markdown(option), value, key=f"{key}.{k}", max_chars=LONGEST_ANSWER,
                    autocomplete="off", width=150,
                )
                for k, (option, value) in enumerate(zip(ballot.options, typed, strict=True))
            ]  # fmt: skip
        pressed = st.form_submit_button(say("answer.send"))
    if pressed and any(map(str.strip, said)) and _vote(room, student, number, ballot, said):
        kept, typed = said, said
    if kept is None:
        return
    empty = sum(not text.strip() for text in typed)
    if typed != said:
        note(say("answer.changed"))
    else:
        note(say("answer.numbers-empty", empty=empty) if empty else say("answer.numbers-in"))


def _vote(room: Classroom, student: str, number: int, ballot: Ballot, said: Any) -> bool:
    """Give the answer to the store, and say if it does not count; return whether it does.

    A student who votes again too soon waits here, in the session's own thread, and the answer is
    sent again: the last one counts, and nobody else is slowed.
    """
    try:
        outcome = room.vote(student, number, ballot, said)
        if outcome == "early":
            time.sleep(SECONDS_BETWEEN_VOTES)
            outcome = room.vote(student, number, ballot, said)
    except (StoreError, RefusedError) as error:
        st.warning(markdown(say("answer.not-in", why=error)))
        return False
    if outcome == "closed":
        st.info(say("answer.late"))
    elif outcome != "counted":
        st.warning(say("answer.stranger"))
    return outcome == "counted"


@st.fragment(run_every=1.0)
def _lecturer(room: Classroom, here: contents.Entry) -> None:
    try:
        now, students = room.now(), room.store.places().live
        ballot = room.ballot(now.ballot) if now.phase != "over" else None
        _redraw(now, ballot)
        if "controls" not in views.current().hide:  # on a projector the picture is alone
            _bar(room, now, students, here)
        if ballot is not None:
            _give_way(ballot, now.phase)
            with st.container(border=True, key="class-question"):
                _ballot(room, now, ballot, students)
    except StoreError as error:
        st.warning(markdown(say("panel.retry", why=error)))
    if _STALE.take():
        st.rerun()


def _bar(room: Classroom, now: Now, students: int, here: contents.Entry) -> None:
    """Draw what the class is shown, and the way to show it this page."""
    stop = room.stop(now)
    where = say("panel.shown", title=stop.title) if stop else say("panel.nothing")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        note(say("panel.state", code=room.code, students=students, where=where))
        if here in contents.COURSE:
            st.button(say("panel.show"), key="class.show", on_click=_show_here)
        if here is not contents.CLASS:
            from pages.shared.ui.class_console import page

            st.page_link(page(), label=say("panel.console"))
    if now.lost:
        note(say("panel.lost", time=datetime.fromtimestamp(now.lost).strftime("%H:%M")))


def _show_here() -> None:
    shown = class_session.show_page()
    _STALE.set(not shown)
    if shown:
        st.toast(say("panel.is-shown"))


def _turn(room: Classroom, ballot: int, phase: str) -> None:
    try:
        room.store.turn(ballot, phase)
    except StoreError as error:
        complain(say("panel.not-turned", why=error))
        _STALE.set(True)


def _ballot(room: Classroom, now: Now, ballot: Ballot, students: int) -> None:
    """Draw a question, how many have answered it or what they have, and what turns it."""
    is_on_screen = bool(views.current().screen)
    _bold(ballot.question)
    if now.phase == "revealed":
        _bars(room, now, ballot, None)
    else:
        if is_on_screen and ballot.column:
            _given(ballot)
        elif is_on_screen:
            st.html(votes.options(ballot.options))
        total = room.tally(now.ballot, ballot).total
        st.html(votes.turnout(total, max(total, students)))
    if is_on_screen:
        _turned_by_keys(room, now, ballot)
        return
    with st.container(horizontal=True, gap="small"):
        for phase, label in _WAYS[now.phase].items():
            st.button(
                say(f"turn.{label}"), key=f"class.turn.{phase}", on_click=_turn,
                args=(room, now.ballot, phase), type="tertiary" if label == "drop" else "secondary",
            )  # fmt: skip


def _turned_by_keys(room: Classroom, now: Now, ballot: Ballot) -> None:
    """A presenter's key for going on closes and shows the vote, then the page's own answer."""

    def reveal() -> None:
        _turn(room, now.ballot, "revealed")

    def go_on() -> None:
        _turn(room, now.ballot, "over")
        if ballot.key:
            views.tell(True)
        _STALE.set(True)

    if now.phase == "revealed":
        presenter_view.turn("next", say("turn.done"), go_on, key="class.done")
    else:
        presenter_view.turn("next", say("turn.close-reveal"), reveal, key="class")
