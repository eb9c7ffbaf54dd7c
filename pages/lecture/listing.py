"""The list of stops: order, names, times, notes; as a file, as a link."""

from typing import Any

import streamlit as st

from pages.lecture import own_slide, presentation
from pages.lecture.handout_file import handout
from pages.shared.contents import ROOT
from pages.shared.course import lecture as files
from pages.shared.course.lecture import Lecture, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.start_options import given
from pages.shared.figures import theme
from pages.shared.ui import client_values, lectures, teacher
from pages.shared.ui import files as uploads
from pages.shared.ui.add_stop import TEXT
from pages.shared.ui.component import component
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue, asked, complain, publish, publish_one

ADDRESS = "stops"  # of the whole lecture in a link
EXAMPLE = ROOT / "pages" / "lecture" / "fifty-minutes.json"
_STOPS, _KEY = component("stops", "pages/lecture/stops", triggers=["act"]), "lecture.stops"
_TAKEN = SessionValue("lecture.taken", "")  # the last one that an address brought
_FIELDS: dict[str, SessionValue[Any]] = {  # of each stop
    "title": SessionValue("lecture.title.{}", ""),
    "minutes": SessionValue("lecture.minutes.{}", 0.0),
    "place": SessionValue("lecture.place.{}", 1),
    "note": SessionValue("lecture.note.{}", ""),
}


def from_address() -> None:
    """Take over the lecture that the address brings; the one before can be had back."""
    link = asked(ADDRESS)
    if link is None:
        return
    if not _TAKEN.is_set or _TAKEN.value != link:
        _TAKEN.set(link)
        try:
            lectures.change(files.from_link(link))
        except ProblemError as error:
            complain(f"This link brings no lecture. {error}.")
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
        _empty()
    if not given().room:
        note(
            "To ask the class on their phones, start the app with a class: streamlit run app.py "
            "--server.address 0.0.0.0 -- --class"
        )


def _listed(lecture: Lecture) -> None:
    publish(lectures.CHOSEN.query())
    chosen = min(lectures.CHOSEN.value, len(lecture.stops)) - 1
    with st.container(horizontal=True, vertical_alignment="center", key="lecture-head"):
        st.button(
            f"Present from stop {chosen + 1}" if chosen else "Present",
            icon=":material/slideshow:", type="primary", on_click=presentation.start,
            args=(chosen,), key="lecture.present",
        )  # fmt: skip
        if chosen:
            st.button(
                "Present from the start", on_click=presentation.start, args=(0,),
                key="lecture.present.first",
            )  # fmt: skip
        own_slide.button()
        _undo()
        stops = f"{len(lecture.stops)} stop{'s' * (len(lecture.stops) != 1)}"
        st.markdown(f"**{stops}, {lecture.minutes:g} minutes**", width="content")
    note(
        "While presenting: → or a remote: the next step, then the next stop (held down: to the end "
        "of a stop); ← back, from where a stop began to the stop before; N and P the stop after "
        "and before, Home and End the first and the last; B a black screen, any key ends it; S "
        "your window with notes and clock; F full screen; Esc back to this list."
    )
    listed, one = st.columns([3, 2], gap="large")
    with listed:
        _list(lecture, chosen)
    with one:
        _stop(lecture, chosen)
        _whole(lecture)


def _empty() -> None:
    st.html(TEXT.html("empty"))
    with st.container(horizontal=True):
        st.button(
            "Start from the 50-minute plan", type="primary", on_click=lambda: _use(example()),
            key="lecture.example",
        )  # fmt: skip
        own_slide.button()
        _undo()
    _load()


def _use(lecture: Lecture) -> None:
    lectures.change(lecture)
    lectures.CHOSEN.reset()


def _undo() -> None:
    if lectures.can_undo():
        st.button("Undo", icon=":material/undo:", on_click=lectures.undo, key="lecture.undo")


def _list(lecture: Lecture, chosen: int) -> None:
    rows = [
        {
            "title": stop.title,
            "minutes": f"{stop.minutes:g}" if stop.minutes else "",
            "start": f"{start:g}",
            "href": _href(stop),
        }
        for stop, start in zip(lecture.stops, lecture.starts(), strict=True)
    ]
    data = {"stops": rows, "chosen": chosen, "words": {"delete": TEXT.title("delete")}}
    _STOPS(key=_KEY, data=data, on_act_change=lambda: _act(lecture))


def _act(lecture: Lecture) -> None:
    """Do what the reader has done in the list."""
    stop = client_values.index(len(lecture.stops))
    check = client_values.record(
        do=client_values.one_of(("choose", "move", "delete")), stop=stop, to=stop
    )
    act = client_values.genuine(client_values.state(_KEY, "act"), check)
    if act is None:
        return
    if act["do"] == "choose":
        lectures.CHOSEN.set(act["stop"] + 1)
    elif act["do"] == "move":
        _change(lecture.moved(act["stop"], act["to"]), act["to"])
    else:
        _change(lecture.without(act["stop"]), act["stop"])


def _change(lecture: Lecture, chosen: int) -> None:
    lectures.change(lecture)
    lectures.CHOSEN.set(min(max(chosen + 1, 1), files.MOST_STOPS))


def _stop(lecture: Lecture, k: int) -> None:
    """The chosen stop: its name, time, place and note, each kept as soon as its field is left."""
    stop = lecture.stops[k]
    for name, field in _FIELDS.items():
        value = k + 1 if name == "place" else getattr(stop, name)
        if not field.at(k).is_set or field.at(k).value != value:  # new, undone, another's place
            field.at(k).set(value)
    key = {name: field.at(k).key for name, field in _FIELDS.items()}
    _picture(stop)
    with st.container(horizontal=True):
        for name, icon, to, off in (
            ("Earlier", "arrow_upward", k - 1, k == 0),
            ("Later", "arrow_downward", k + 1, k == len(lecture.stops) - 1),
        ):
            st.button(
                name, icon=f":material/{icon}:", key=f"lecture.{name}", disabled=off,
                on_click=_change, args=(lecture.moved(k, to), to), type="tertiary",
                shortcut="alt+up" if to < k else "alt+down",
            )  # fmt: skip
    st.text_input(
        f"Title of stop {k + 1}", max_chars=files.LONGEST_TITLE, key=key["title"],
        on_change=_say, args=(k, "title"), persist_state="session",
    )  # fmt: skip
    with st.container(horizontal=True):
        st.number_input(
            "Minutes", 0.0, files.MOST_MINUTES, step=1.0, format="%g", key=key["minutes"],
            on_change=_say, args=(k, "minutes"), width=130, persist_state="session",
        )  # fmt: skip
        st.number_input(
            "Place in the list", 1, len(lecture.stops), step=1, key=key["place"],
            on_change=_say, args=(k, "place"), width=130, persist_state="session",
        )  # fmt: skip
    own_slide.fields(lecture, k)
    st.text_area(
        "Note, for you alone", max_chars=files.LONGEST_NOTE, key=key["note"], height=140,
        on_change=_say, args=(k, "note"), persist_state="session",
    )  # fmt: skip
    st.link_button(
        "Open this stop", f"{presentation.address_of(stop) or '.'}?{stop.query}",
        icon=":material/open_in_new:",
    )  # fmt: skip


def _picture(stop: Stop) -> None:
    """Show the stop as a class sees it, small."""
    with st.container(key="lecture-picture"):
        st.iframe(_href(stop), height=720, tab_index=-1, alt=stop.title)


def _href(stop: Stop) -> str:
    """Return the address of the stop as a class sees it."""
    query = teacher.encoded(stop.values | {"screen": stop.values.get("picture") or "1"})
    base = teacher.link(st.context.url, "lecture", {}).removesuffix("/lecture")
    return f"{base}/{presentation.address_of(stop)}?{query}"


def _say(k: int, name: str) -> None:
    """Keep what one field of a stop says."""
    lecture, value = lectures.current(), _FIELDS[name].at(k).value
    value = value.strip() if name == "title" else value
    if k >= len(lecture.stops):  # deleted in another tab
        return
    if name == "place":
        _change(lecture.moved(k, value - 1), value - 1)
        return
    try:
        lectures.change(
            lecture.with_changed(k, **vars(own_slide.changed(lecture.stops[k], **{name: value})))
        )
    except ProblemError as error:
        if name == "title" and not value:
            complain(f"A stop needs a title; stop {k + 1} has the one that it had.")
        else:
            complain(f"It was not kept. {error}.")


def _whole(lecture: Lecture) -> None:
    """The lecture's name; as a file, as a link; another one in its place."""
    part = st.expander("File, link, name", key="lecture.whole", on_change="rerun")
    if not part.open:
        return
    with part:
        name = st.text_input(
            "Name of the lecture", lecture.title, max_chars=files.LONGEST_TITLE,
            key=f"lecture.name.{hash(lecture.title)}",
        )  # fmt: skip
        if name.strip() and name.strip() != lecture.title:
            try:
                lectures.change(Lecture(name.strip(), lecture.stops))
            except ProblemError as error:
                complain(str(error))
            st.rerun()
        st.download_button(
            "Save as a file", files.to_json(lecture), "lecture.json", "application/json",
            on_click="ignore", key="lecture.save",
        )  # fmt: skip
        handout(lecture)
        try:
            address = teacher.link(st.context.url, "lecture", {ADDRESS: files.to_link(lecture)})
            st.caption("The whole lecture as a link, notes included")
            st.code(address, language=None)
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
        _load()
        with st.container(horizontal=True):
            st.button("The 50-minute plan", on_click=lambda: _use(example()), key="lecture.again")
            st.button("Empty the list", on_click=lambda: _use(Lecture()), key="lecture.empty")
        note("“Undo” brings back what was there before.")


def _load() -> None:
    uploads.loader(
        "Load a lecture from a file",
        "Expected a lecture as “Save as a file” on this page writes it.", "lecture.load",
        lambda content, _: _use(files.from_json(content)),
    )  # fmt: skip
