"""The list of stops: order, names, times, notes; as a file, as a link."""

from typing import Any

import streamlit as st

from crf.figures.words import words
from pages.lecture import own_slide, presentation
from pages.shared.contents import ROOT
from pages.shared.course import lecture as files
from pages.shared.course.lecture import Lecture, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.start_options import given
from pages.shared.figures import theme
from pages.shared.ui import client_values, lectures, teacher
from pages.shared.ui import files as uploads
from pages.shared.ui.component import component
from pages.shared.ui.frame import note
from pages.shared.ui.lectures import say
from pages.shared.ui.state import SessionValue, asked, complain, publish, publish_one

ADDRESS = "stops"  # of the whole lecture in a link
EXAMPLE = ROOT / "pages" / "lecture" / "fifty-minutes.json"
_STOPS, _KEY = component("stops", "pages/lecture/stops", triggers=["act"]), "lecture.stops"
_HANDOUT = "pages/lecture/handout"
_FILE = component("lecture_file", _HANDOUT)
_TAKEN = SessionValue("lecture.taken", "")  # the last one that an address brought
_FIELDS: dict[str, SessionValue[Any]] = {  # of each stop
    "title": SessionValue("lecture.title.{}", ""),
    "minutes": SessionValue("lecture.minutes.{}", 0.0),
    "note": SessionValue("lecture.note.{}", ""),
}


def from_address() -> None:
    """Take over the lecture that the address brings; the one before can be had back."""
    link = asked(ADDRESS)
    if link is not None and (not _TAKEN.is_set or _TAKEN.value != link):
        _TAKEN.set(link)
        try:
            lectures.change(files.from_link(link))
        except ProblemError as error:
            complain(say("list.bad-link", why=f"{error}."))
        publish_one(ADDRESS, "")
        st.rerun()


def example() -> Lecture:
    """The plan of fifty minutes that comes with the app."""
    return files.from_json(EXAMPLE.read_bytes())


def show(lecture: Lecture) -> None:
    """The list, what can be done with it, and the stop that is chosen."""
    if lecture.stops:
        _listed(lecture)
    else:
        note(say("empty.about"))
        with st.container(horizontal=True):
            st.button(
                say("empty.plan"), key="lecture.example", type="primary",
                on_click=lambda: _use(example()),
            )  # fmt: skip
            own_slide.button()
            _undo()
        _load()
    if not given().room:
        note(say("present.class"))


def _listed(lecture: Lecture) -> None:
    publish(lectures.CHOSEN.query())
    chosen = min(lectures.CHOSEN.value, len(lecture.stops)) - 1
    with st.container(horizontal=True, vertical_alignment="center", key="lecture-head"):
        st.button(
            say("present.from", number=chosen + 1) if chosen else say("present.all"),
            icon=":material/slideshow:", type="primary", on_click=presentation.start,
            args=(chosen,), key="lecture.present",
        )  # fmt: skip
        if chosen:
            st.button(
                say("present.first"), on_click=presentation.start, args=(0,),
                key="lecture.present.first",
            )  # fmt: skip
        own_slide.button()
        _undo()
        length = say("list.length", n=len(lecture.stops), minutes=f"{lecture.minutes:g}")
        st.markdown(f"**{length}**", width="content")
    note(say("present.keys"))
    listed, one = st.columns([3, 2], gap="large")
    with listed:
        _list(lecture, chosen)
    with one:
        _stop(lecture, chosen)
        _whole(lecture)


def _use(lecture: Lecture) -> None:
    lectures.change(lecture)
    lectures.CHOSEN.reset()


def _undo() -> None:
    if lectures.mine().past:
        st.button(
            say("list.undo"), icon=":material/undo:", on_click=lectures.undo, key="lecture.undo"
        )


def _list(lecture: Lecture, chosen: int) -> None:
    rows = [
        {
            "title": stop.title,
            "minutes": f"{stop.minutes:g}" if stop.minutes else "",
            "start": f"{start:g}",
            "href": _href(stop, screen=stop.values.get("picture") or "1"),
        }
        for stop, start in zip(lecture.stops, lecture.starts(), strict=True)
    ]
    data = {"stops": rows, "chosen": chosen, "words": {"delete": say("list.delete")}}
    _STOPS(key=_KEY, data=data, on_act_change=_act)


def _act() -> None:
    """Do what the reader has done in the list; a field that was left meanwhile has changed it."""
    lecture = lectures.current()
    stop = client_values.index(len(lecture.stops))
    check = client_values.record(
        do=client_values.one_of(("choose", "move", "delete")), stop=stop, to=stop
    )
    act = client_values.genuine(client_values.state(_KEY, "act"), check)
    if act is None:
        return
    if act["do"] == "move":
        _move(act["stop"], act["to"])
    else:
        if act["do"] == "delete":
            lectures.change(lecture.with_changed(act["stop"]))
        lectures.CHOSEN.set(act["stop"] + 1)


def _move(k: int, to: int) -> None:
    lectures.change(lectures.current().moved(k, to))
    lectures.CHOSEN.set(to + 1)


def _stop(lecture: Lecture, k: int) -> None:
    """The chosen stop: its name, time, place and note, each kept as soon as its field is left."""
    stop = lecture.stops[k]
    how = {}
    for name, field in _FIELDS.items():
        if not field.at(k).is_set or field.at(k).value != getattr(stop, name):  # new, undone, moved
            field.at(k).set(getattr(stop, name))
        how[name] = {
            "key": field.at(k).key, "on_change": _keep, "args": (k, name),
            "persist_state": "session",
        }  # fmt: skip
    with st.container(horizontal=True):
        for name, icon, to, off in (
            ("earlier", "up", k - 1, k == 0),
            ("later", "down", k + 1, k == len(lecture.stops) - 1),
        ):
            st.button(
                say(f"stop.{name}"), icon=f":material/arrow_{icon}ward:", key=f"lecture.{name}",
                disabled=off, on_click=_move, args=(k, to), type="tertiary",
                shortcut=f"alt+{icon}",
            )  # fmt: skip
    longest = files.LONGEST_TITLE
    st.text_input(say("stop.title", number=k + 1), max_chars=longest, **how["title"])
    st.number_input(
        say("stop.minutes"), 0.0, files.MOST_MINUTES, step=1.0, format="%g", width=130,
        **how["minutes"],
    )  # fmt: skip
    own_slide.fields(lecture, k)
    st.text_area(say("stop.note"), max_chars=files.LONGEST_NOTE, height=140, **how["note"])
    st.link_button(
        say("stop.open"), f"{presentation.address_of(stop) or '.'}?{stop.query}",
        icon=":material/open_in_new:",
    )  # fmt: skip


def _href(stop: Stop, **more: str) -> str:
    """Return the address of the stop, with more values in it."""
    query = teacher.encoded(stop.values | more)
    base = teacher.link(st.context.url, "lecture", {}).removesuffix("/lecture")
    return f"{base}/{presentation.address_of(stop)}?{query}"


def _keep(k: int, name: str) -> None:
    """Keep what one field of a stop says."""
    lecture, value = lectures.current(), _FIELDS[name].at(k).value
    value = value.strip() if name == "title" else value
    if k >= len(lecture.stops):  # deleted in another tab
        return
    try:
        stop = own_slide.changed(lecture.stops[k], **{name: value})
        lectures.change(lecture.with_changed(k, stop))
    except ProblemError as error:
        if name == "title" and not value:
            complain(say("stop.no-title", number=k + 1))
        else:
            complain(say("stop.not-kept", why=f"{error}."))


def _whole(lecture: Lecture) -> None:
    """The lecture's name; as a file, as a link; another one in its place."""
    part = st.expander(say("file.fold"), key="lecture.whole", on_change="rerun")
    if not part.open:
        return
    with part:
        name = st.text_input(
            say("file.name"), lecture.title, max_chars=files.LONGEST_TITLE,
            key=f"lecture.name.{hash(lecture.title)}",
        )  # fmt: skip
        if name.strip() and name.strip() != lecture.title:
            try:
                lectures.change(Lecture(name.strip(), lecture.stops))
            except ProblemError as error:
                complain(str(error))
            st.rerun()
        st.download_button(
            say("file.save"), files.to_json(lecture), "lecture.json", "application/json",
            on_click="ignore", key="lecture.save",
        )  # fmt: skip
        _file(lecture)
        try:
            address = teacher.link(st.context.url, "lecture", {ADDRESS: files.to_link(lecture)})
            st.caption(say("file.link"))
            st.code(address, language=None)
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
        _load()
        with st.container(horizontal=True):
            st.button(say("file.plan"), key="lecture.again", on_click=lambda: _use(example()))
            st.button(say("file.empty"), on_click=lambda: _use(Lecture()), key="lecture.empty")
        note(say("file.undo"))


def _file(lecture: Lecture) -> None:
    """The button that saves the lecture as one HTML file; it fetches each stop's figures."""
    stops = [
        {
            "href": _href(stop), "title": stop.title, "note": stop.note,
            "slide": own_slide.as_html(stop),
        }
        for stop in lecture.stops
    ]  # fmt: skip
    data = {"title": lecture.title, "name": "lecture.html", "stops": stops}
    _FILE(key="lecture.handout", data=data | {"words": words(ROOT / _HANDOUT)})


def _load() -> None:
    uploads.loader(
        say("file.load"), say("file.expected"), "lecture.load",
        lambda content, _: _use(files.from_json(content)),
    )  # fmt: skip
