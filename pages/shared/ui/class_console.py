"""The lecturer's own page: how one joins, who is there, what can be asked, what came of it."""

from collections.abc import Callable
from urllib.parse import urlsplit

import streamlit as st
from streamlit.config import get_option

from pages.shared.contents import CLASS
from pages.shared.course.classroom import network, tally
from pages.shared.course.classroom.ballot import LONGEST, MOST_OPTIONS, Ballot, quiz
from pages.shared.course.classroom.classroom import Classroom, StoreError
from pages.shared.course.classroom.store import MOST_STUDENTS
from pages.shared.course.slide import read_options
from pages.shared.course.start_options import given
from pages.shared.figures import votes
from pages.shared.figures.theme import markdown
from pages.shared.ui import class_session
from pages.shared.ui.frame import note, show_complaints
from pages.shared.ui.state import SessionValue, complain
from pages.shared.ui.words import say_in_class as say

_QUESTION, _OPTIONS = SessionValue("class.own.question", ""), SessionValue("class.own.options", "")


def page() -> "st.Page":
    """It, among the pages; it is in no menu."""
    return st.Page(show, title=CLASS.title, url_path=CLASS.address, visibility="hidden")


def show() -> None:
    """Draw it."""
    room = class_session.lecturing()
    if room is None:
        note(say("console.unknown"))
        return
    show_complaints()
    ways, questions = st.columns([2, 3], gap="large")
    with ways:
        _how_to_join(room)
        _the_door(room)
    with questions:
        note(say("console.how"))
        _own_question()
        _quiz(room)
        _results(room)


def _how_to_join(room: Classroom) -> None:
    bases = _bases()
    link = f"{bases[0]}/join?code={room.code}"
    st.html(
        f'<div class="crf-join"><img src="{network.qr_as_image(link)}" alt="QR code: {link}">'
        f"<p>{bases[0].partition('//')[2]}/join</p><p class='crf-code'>{room.code}</p></div>"
    )
    for other in bases[1:]:
        note(say("console.also", link=f"{other}/join"))


def _bases() -> list[str]:
    """Addresses for students: that of this very browser first, unless nobody else can use it."""
    _, known = addresses()
    own = (st.context.url or "").rpartition(f"/{CLASS.address}")[0]
    if own and not given().public and not network.is_loopback(urlsplit(own).hostname or ""):
        known.insert(0, own)
    return list(dict.fromkeys(known)) or [own or f"http://127.0.0.1:{get_option('server.port')}"]


def addresses() -> tuple[str, list[str]]:
    """The address that the server is bound to, and those at which others reach the app."""
    listens = get_option("server.address") or ""
    port, path = get_option("server.port"), get_option("server.baseUrlPath")
    return listens, network.bases(listens, port, given().public, path)


@st.fragment(run_every=3.0)
def _the_door(room: Classroom) -> None:
    """How full the room is, and what keeps others out."""
    try:
        places, locked = room.store.places(), room.now().locked
    except StoreError as error:
        st.warning(markdown(str(error)))
        return
    note(say("console.places", taken=places.taken, most=MOST_STUDENTS, live=places.live))
    with st.container(horizontal=True, gap="small"):
        st.button(
            say("console.open-door" if locked else "console.lock-door"), key="class.lock",
            help=say("console.lock"), on_click=_change, args=(lambda: room.store.lock(not locked),),
        )  # fmt: skip
        with st.popover(say("console.empty"), key="class.empty.ask"):
            st.markdown(say("console.promise"))
            st.button(
                say("console.empty-it"), key="class.empty", on_click=_change,
                args=(room.store.empty,),
            )  # fmt: skip


def _change(change: Callable[[], None]) -> None:
    try:
        change()
    except StoreError as error:
        complain(str(error))


def _own_question() -> None:
    with (
        st.expander(say("console.own")),
        st.form("class.own", border=False, clear_on_submit=False),
    ):
        st.text_input(say("console.question"), key=_QUESTION.key, max_chars=LONGEST)
        st.text_area(
            say("console.answers", most=MOST_OPTIONS), key=_OPTIONS.key, height=110,
            max_chars=MOST_OPTIONS * LONGEST,
        )  # fmt: skip
        st.form_submit_button(say("ask.button"), on_click=_ask, args=(_own,))


def _own() -> Ballot:
    options, right = read_options(_OPTIONS.value)
    return Ballot(_QUESTION.value.strip(), options, right[0] if right else None)


def _ask(make: Callable[[], Ballot]) -> None:
    class_session.ask(make)


def _quiz(room: Classroom) -> None:
    asked = {ballot.key for ballot in room.ballots()}
    with st.expander(say("console.quiz")):
        for number, ballot in enumerate(quiz(), start=1):
            ask = "console.again" if ballot.key in asked else "console.ask"
            press, words = st.columns([2, 7], vertical_alignment="center")
            press.button(
                say(ask, number=number), key=f"class.quiz.{number}", width="stretch",
                on_click=_ask, args=(lambda ballot=ballot: ballot,),
            )  # fmt: skip
            words.markdown(markdown(ballot.question))


@st.fragment(run_every=3.0)
def _results(room: Classroom) -> None:
    try:
        now, ballots = room.now(), room.ballots()
        tallies = [room.tally(k, ballot) for k, ballot in enumerate(ballots, start=1)]
    except StoreError as error:
        st.warning(markdown(str(error)))
        return
    if not ballots:
        note(say("console.no-results"))
        return
    for number in range(len(ballots), 0, -1):
        if number != now.ballot or now.phase == "over":  # the panel shows the latest
            with st.expander(f"{number}. {markdown(ballots[number - 1].question)}"):
                st.html(votes.bars(tallies[number - 1]))
    st.download_button(
        say("console.results"), lambda: tally.to_csv(ballots, tallies), "class.csv", "text/csv",
        on_click="ignore", key="class.csv",
    )  # fmt: skip
