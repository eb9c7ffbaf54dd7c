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
from pages.shared.course.classroom.ballot import LONGEST_ANSWER, Ballot
from pages.shared.course.classroom.classroom import Classroom, RefusedError, StoreError
from pages.shared.course.classroom.store import PAUSE, Now, OverError
from pages.shared.course.lecture import Stop
from pages.shared.figures import column as columns
from pages.shared.figures import path_score, theme, votes
from pages.shared.ui import class_session, presenter_view, question
from pages.shared.ui import view as views
from pages.shared.ui.component import component
from pages.shared.ui.frame import note, style
from pages.shared.ui.lesson import FOLD
from pages.shared.ui.server_path import root
from pages.shared.ui.state import SessionValue, asked, complain

_FOLLOW = component("follow", "pages/shared/ui/scripts/follow", triggers=["news"])
_COMPLAINED = SessionValue("class.complained", False)  # since the panel was drawn
_TOLD = SessionValue("class.told", False)  # a presenter has gone on to the answer since then
_ON_SCREEN = contents.ROOT / "assets/class/question.css"
_SERVER = "This cannot be shown just now; it will be tried again. "


def show(address: str) -> None:
    """Draw it on the page with this address; nothing at all where there is no class."""
    room = classroom.running()
    if room is None:
        return
    role = class_session.role(room, st.context.cookies)
    class_session.HERE.set(address)
    with st.container(key="class"):
        if role == "lecturer":
            _lecturer(room, contents.entry(address))
        elif role == "student":
            entry = contents.entry(address)
            if part := asked("picture"):  # of a stop that shows one picture; it may be folded up
                FOLD.at(entry.folder, part).begin(lambda: True)
            _student("" if entry is contents.FIRST else entry.folder)
        elif room.is_over():
            note(str(OverError()))
        elif "controls" not in views.current().hide:
            st.html('<p class="crf-note">A class is on here: <a href="join">join it</a>.</p>')


def parts(stop: Stop) -> list[str]:
    """Where a page has the picture that a stop shows: classes of the document, the best first."""
    part, folder = stop.values.get("picture"), contents.entry(stop.page).folder
    return [f"st-key-picture-{folder}-{part}", f"st-key-{folder}-fold-{part}"] if part else []


def _redraw(now: Now, ballot: Ballot | None) -> None:
    """Draw the whole page again when a column’s answers come into its picture, or leave it.

    Also where this session has seen an answer that it must not see while the class is asked.
    """
    shown = now.ballot if ballot and ballot.column and now.phase == "revealed" else 0
    is_open = ballot and now.phase in ("open", "closed")
    key = ballot.key if ballot and is_open else ""
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
    boxes = f".st-key-asks-{own}, .st-key-fill-{own}"
    if phase != "revealed":
        boxes += ', [class*="st-key-asks-"], [class*="st-key-fill-"]'
    rules = f":is({boxes}) {{ display: none !important; }}"
    if views.current().screen:
        rules += _ON_SCREEN.read_text(encoding="utf-8").replace("OWN", own)
    style(rules)


# ---------------------------------------------------------------------- students


@st.fragment
def _student(here: str) -> None:
    member = class_session.member()
    if member is None:
        return
    try:
        now = member.room.now()
        ballot = member.room.ballot(now.ballot) if now.phase != "over" else None
        kept = member.room.answer(member.student, now.ballot) if ballot else None
    except StoreError as error:
        now, ballot, kept = Now(), None, None
        st.warning(theme.markdown(_SERVER + str(error)))
    _redraw(now, ballot)
    _FOLLOW(
        key="class.follow",
        data={
            "code": member.room.code,
            "root": root(),
            "news": class_session.NEWS,
            "here": here,
            "stop": now.number,
            "ballot": now.ballot,
            "phase": now.phase,
        },
        on_news_change=lambda: None,
    )
    if ballot is not None:
        _give_way(ballot, now.phase)
        with st.container(border=True, key="class-question"):
            if now.phase == "open":
                _answer(member, now.ballot, ballot, kept)
            else:
                _outcome(member.room, now, ballot, kept)


def _answer(member: class_session.Member, number: int, ballot: Ballot, kept: Any) -> None:
    """The question, and what the student says to it."""
    key = f"class.vote.{number}"
    if ballot.column is None:
        said: Any = st.radio(
            theme.markdown(ballot.question),
            range(len(ballot.options)),
            index=kept if isinstance(kept, int) else None,
            format_func=lambda k: theme.markdown(ballot.options[k]),
            key=key,
        )
        if said is None:
            note("Nobody sees whose answer it is.")
            return
        if said != kept and not _sent(member, number, ballot, said):
            return
        note("Your answer is in. You can change it until the question is closed.")
        return
    typed = kept["typed"] if isinstance(kept, dict) else [""] * len(ballot.options)
    st.markdown(f"**{theme.markdown(ballot.question)}**")
    with st.form(key, border=False):
        _, trace = ballot.traced()
        tables = columns.given(trace, ballot.column.column, ballot.column.space)
        st.html(path_score.given_tables(tables, "What is given"))
        with st.container(horizontal=True, gap="small"):
            said = [
                st.text_input(
                    theme.markdown(option), value, key=f"{key}.{k}", max_chars=LONGEST_ANSWER,
                    autocomplete="off", width=150,
                )
                for k, (option, value) in enumerate(zip(ballot.options, typed, strict=True))
            ]  # fmt: skip
        pressed = st.form_submit_button("Send")
    if pressed and any(text.strip() for text in said):
        if _sent(member, number, ballot, said):
            kept, typed = said, said
    if kept is None:
        return
    empty = sum(not text.strip() for text in typed)
    if typed != said:
        note("What you have sent before counts until you send other numbers.")
    elif empty:
        note(f"Your numbers are in; fields still empty: {empty}. You can send more until the end.")
    else:
        note("Your numbers are in. You can change them until the question is closed.")


def _sent(member: class_session.Member, number: int, ballot: Ballot, said: Any) -> bool:
    """Give the answer to the store; what comes of it is said, unless it counts.

    Who answers faster than the store takes it waits here, in a thread of their own: the last
    answer counts all the same, and nobody else is slowed.
    """
    try:
        outcome = member.room.vote(member.student, number, ballot, said)
        if outcome == "early":
            time.sleep(PAUSE)
            outcome = member.room.vote(member.student, number, ballot, said)
    except (StoreError, RefusedError) as error:
        st.warning(theme.markdown(f"Your answer is not in. {error}"))
        return False
    if outcome == "closed":
        st.info("The question was closed before this answer came.")
    elif outcome != "counted":
        st.warning("Your answer is not in. Join the class again by its code, then answer.")
    return outcome == "counted"


def _outcome(room: Classroom, now: Now, ballot: Ballot, kept: Any) -> None:
    """After the question is closed: how the class has answered, once the lecturer shows it."""
    st.markdown(f"**{theme.markdown(ballot.question)}**")
    if now.phase != "revealed":
        mine = "Your answer is in." if kept is not None else "You have not answered."
        note(f"The question is closed. {mine}")
        return
    _bars(room, now, ballot, kept)
    if isinstance(kept, dict):
        note(f"Yours: {kept['message']}")


# ---------------------------------------------------------------------- the lecturer


@st.fragment(run_every=1.0)
def _lecturer(room: Classroom, here: contents.Entry) -> None:
    try:
        now, students = room.now(), room.store.places().live
        ballot = room.ballot(now.ballot) if now.phase != "over" else None
        _redraw(now, ballot)
        stop = room.stop(now)
        where = f"shown: {stop.title}" if stop else "nothing is shown yet"
        if "controls" not in views.current().hide:  # on a projector the picture is alone
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                note(f"Class {room.code} · {students} in the room, {where}")
                if here in contents.COURSE:
                    st.button("Show this to the class", key="class.show", on_click=_show_here)
                if here is not contents.CLASS:
                    st.page_link(_page(), label="Your class")
            if now.lost:
                at = datetime.fromtimestamp(now.lost).strftime("%H:%M")
                note(
                    f"At {at} the class’s store came back empty. The class goes on with its code, "
                    "its stop and its questions; the answers given before are gone."
                )
        if ballot is not None:
            _give_way(ballot, now.phase)
            with st.container(border=True, key="class-question"):
                _ballot(room, now, ballot, students)
    except StoreError as error:
        st.warning(theme.markdown(_SERVER + str(error)))
    if _COMPLAINED.take() or _TOLD.take():
        st.rerun()  # the page says what went wrong, or shows the answer


def _show_here() -> None:
    shown = class_session.show_page()
    _COMPLAINED.set(not shown)
    if shown:
        st.toast("The class is shown this page.")


def _turn(room: Classroom, ballot: int, phase: str) -> None:
    try:
        room.turn(ballot, phase)
    except StoreError as error:
        complain(f"The question stays as it is. {error}")
        _COMPLAINED.set(True)


def _ballot(room: Classroom, now: Now, ballot: Ballot, students: int) -> None:
    tally = room.tally(now.ballot, ballot)
    st.markdown(f"**{theme.markdown(ballot.question)}**")
    if now.phase == "revealed":
        _bars(room, now, ballot, None)
    else:
        if views.current().screen:
            _asked_of_all(ballot)
        st.html(votes.turnout(tally.total, max(tally.total, students)))
    if views.current().screen:
        _turned_by_keys(room, now, ballot)
        return
    ways = {
        "open": {"closed": "Close", "revealed": "Close and reveal"},
        "closed": {"open": "Open again", "revealed": "Reveal"},
        "revealed": {"closed": "Hide", "over": "Done"},
    }[now.phase]
    with st.container(horizontal=True, gap="small"):
        for phase, label in ways.items():
            st.button(
                label,
                key=f"class.turn.{phase}",
                on_click=_turn,
                args=(room, now.ballot, phase),
            )
        if now.phase != "revealed":
            st.button(
                "Drop it", key="class.drop", on_click=_turn, args=(room, now.ballot, "over"),
                type="tertiary",
            )  # fmt: skip


def _asked_of_all(ballot: Ballot) -> None:
    """What the class answers by, before a class: the options, or the numbers that are given."""
    if ballot.column is None:
        st.html(votes.options(ballot.options))
    else:
        _, trace = ballot.traced()
        tables = columns.given(trace, ballot.column.column, ballot.column.space)
        st.html(path_score.given_tables(tables, "What is given"))


def _turned_by_keys(room: Classroom, now: Now, ballot: Ballot) -> None:
    """A presenter's key for going on closes and shows the vote, then the page's own answer."""
    if now.phase != "revealed":
        presenter_view.turn(
            "next", "Close and reveal", lambda: _turn(room, now.ballot, "revealed"), key="class"
        )
        return

    def go_on() -> None:
        _turn(room, now.ballot, "over")
        if ballot.key:
            views.tell(True)
        _TOLD.set(True)

    presenter_view.turn("next", "Done", go_on, key="class.done")


def _bars(room: Classroom, now: Now, ballot: Ballot, kept: Any) -> None:
    tally = room.tally(now.ballot, ballot)
    if ballot.column is not None:
        number = NOTATIONS[ballot.column.space].number
        truth = [number(value) for value in ballot.truth]
        st.html(votes.column(ballot.options, tally, truth))
    else:
        st.html(votes.bars(tally, kept if isinstance(kept, int) else None))
    if ballot.why:
        note(ballot.why)


def _page() -> "st.Page":
    from pages.shared.ui.class_console import page

    return page()
