"""The lecturer's own page: how one joins, who is there, what can be asked, what came of it."""

from collections.abc import Callable

import streamlit as st
from streamlit import config

from pages.shared.contents import CLASS
from pages.shared.course.classroom import network, quiz, tally
from pages.shared.course.classroom.ballot import LONGEST, MOST_OPTIONS, Ballot
from pages.shared.course.classroom.classroom import Classroom, StoreError
from pages.shared.course.classroom.store import MOST_STUDENTS
from pages.shared.course.problem import ProblemError
from pages.shared.course.start_options import given
from pages.shared.figures import theme, votes
from pages.shared.ui import class_session
from pages.shared.ui.frame import note, show_complaints
from pages.shared.ui.server.refusals import TEXT
from pages.shared.ui.state import SessionValue

_QUESTION, _OPTIONS = SessionValue("class.own.question", ""), SessionValue("class.own.options", "")


def page() -> "st.Page":
    """It, among the pages; it is in no menu."""
    return st.Page(show, title=CLASS.title, url_path=CLASS.address, visibility="hidden")


def show() -> None:
    """Draw it."""
    room = class_session.lecturing()
    if room is None:
        note("This page is for whoever leads the class: open the link that the start has printed.")
        return
    show_complaints()
    ways, questions = st.columns([2, 3], gap="large")
    with ways:
        _how_to_join(room)
        _the_door()
    with questions:
        note("The class sees what you show: press “Show this to the class”, or present a lecture.")
        _own_question()
        _quiz(room)
        _results()


def _how_to_join(room: Classroom) -> None:
    bases = _bases()
    link = f"{bases[0]}/join?code={room.code}"
    st.html(
        f'<div class="crf-join"><img src="{network.qr_as_image(link)}" alt="QR code: {link}">'
        f"<p>{bases[0].partition('//')[2]}/join</p><p class='crf-code'>{room.code}</p></div>"
    )
    for other in bases[1:]:
        note(f"Also {other}/join")


def _bases() -> list[str]:
    """Addresses for students: that of this very browser first, unless nobody else can use it."""
    listens = config.get_option("server.address") or ""
    port, path = config.get_option("server.port"), config.get_option("server.baseUrlPath")
    known = network.bases(listens, port, given().public, path)
    own = (st.context.url or "").rpartition(f"/{CLASS.address}")[0]
    if own and not given().public and not network.is_loopback(own):
        known.insert(0, own)
    return list(dict.fromkeys(known)) or [own or f"http://127.0.0.1:{port}"]


@st.fragment(run_every=3.0)
def _the_door() -> None:
    """How full the room is, and what keeps others out."""
    room = class_session.lecturing()
    if room is None:
        return
    try:
        places, locked = room.store.places(), room.now().locked
    except StoreError as error:
        st.warning(theme.markdown(str(error)))
        return
    note(TEXT.title("places", taken=places.taken, most=MOST_STUDENTS, live=places.live))
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Open the door" if locked else "Lock the door",
            key="class.lock",
            help=TEXT.title("lock"),
            on_click=_at_the_door,
            args=(lambda: room.store.lock(not locked),),
        )
        with st.popover("Empty the room", key="class.empty.ask"):
            st.html(TEXT.html("promise"))
            st.button(
                "Empty it", key="class.empty", on_click=_at_the_door, args=(room.store.empty,)
            )


def _at_the_door(change: Callable[[], None]) -> None:
    try:
        change()
    except StoreError as error:
        class_session.complain(str(error))


# ---------------------------------------------------------------------- what can be asked


def _own_question() -> None:
    with st.expander("Ask a question of your own"):
        with st.form("class.own", border=False, clear_on_submit=False):
            st.text_input("Question", key=_QUESTION.key, max_chars=LONGEST)
            st.text_area(
                f"Answers, one a line (up to {MOST_OPTIONS}); a * before the right one",
                key=_OPTIONS.key,
                max_chars=MOST_OPTIONS * LONGEST,
                height=110,
            )
            if st.form_submit_button("Ask the class"):
                _ask_own()
                st.rerun()


def _ask_own() -> None:
    lines = [line.strip() for line in _OPTIONS.value.splitlines() if line.strip()]
    right = next((k for k, line in enumerate(lines) if line.startswith("*")), None)
    options = tuple(line.removeprefix("*").strip() for line in lines)
    try:
        class_session.ask(Ballot(_QUESTION.value.strip(), options, right))
    except ProblemError as error:
        class_session.complain(f"The class was not asked. {error}")


def _ask(ballot: Ballot) -> None:
    class_session.ask(ballot)


def _quiz(room: Classroom) -> None:
    asked = {ballot.key for ballot in room.ballots()}
    with st.expander("Exit quiz: five questions"):
        for number, ballot in enumerate(quiz.questions(), start=1):
            ask = "Again" if ballot.key in asked else "Ask"
            press, words = st.columns([2, 7], vertical_alignment="center")
            press.button(
                f"{ask} {number}", key=f"class.quiz.{number}", on_click=_ask,
                args=(ballot,), width="stretch",
            )  # fmt: skip
            words.markdown(theme.markdown(ballot.question))


# ---------------------------------------------------------------------- what came of it


@st.fragment(run_every=3.0)
def _results() -> None:
    room = class_session.lecturing()
    if room is None:
        return
    try:
        now, ballots = room.now(), room.ballots()
        over = [k for k in range(1, len(ballots) + 1) if k != now.ballot or now.phase == "over"]
        tallies = [room.tally(k, ballot) for k, ballot in enumerate(ballots, start=1)]
    except StoreError as error:
        st.warning(theme.markdown(str(error)))
        return
    if not ballots:
        note(
            "Every “guess first” and every column to fill has a button “Ask the class”. What was "
            "asked stands here."
        )
        return
    for number in reversed(over):
        with st.expander(f"{number}. {theme.markdown(ballots[number - 1].question)}"):
            st.html(votes.bars(tallies[number - 1]))
    st.download_button(
        "Results as CSV",
        lambda: tally.to_csv(ballots, tallies),
        "class.csv",
        "text/csv",
        on_click="ignore",
        key="class.csv",
    )
