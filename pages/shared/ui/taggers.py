"""The taggers that the pages can use: those that come with the library, those of folders given at
the start, and the reader's own, uploaded or trained here.

A reader's own stays with the session, and on the server by its key: a page that is loaded again
finds it by the address, as long as the server runs and not too many have come since.

torch takes a second to import, and the first paint does not wait for it: `crf` is imported inside
the functions that need it.
"""

import gc
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from crf.strict_json import read_json
from pages.shared.contents import ROOT
from pages.shared.course import start_options, uploaded_taggers
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.ui.controls import Control, Flag, InvalidError
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

if TYPE_CHECKING:
    from crf.tagger import Tagger
    from crf.tagger.model_files import AnyTagger, OpenedModel

POS, NAMES = "pos", "names"
OWN = "own-"  # a reader's own key begins with it
MAX_CHARACTERS, MAX_TOKENS = 1000, 60  # of a sentence
MOST_KEPT, MOST_OWN = 32, 8  # on the server; of a reader
_SHIPPED = ROOT / "assets" / "taggers" / "shipped"


class TaggerEntry(NamedTuple):
    """A tagger that can be chosen."""

    name: str  # what it is called
    task: str  # what its tags are: `POS` or `NAMES`
    tagger: Any = None  # like `AnyTagger`; None: a shipped one, which is loaded when it is used
    figures: dict | None = None  # what was measured of it, as in a card; None: nothing
    # the tagged sentences that it learnt from here, and those that it was measured by
    data: tuple[Any, Any] | None = None


_SHIPPED_TASKS = {  # what they are called stands in words.md
    "bilstm": POS,
    "local": POS,
    "bilstm-softmax": POS,
    "local-softmax": POS,
    "ner": NAMES,
    "ner-softmax": NAMES,
}


def task_of(tags: Sequence[str]) -> str:
    """`NAMES` if all tags are O, B-… or I-…, else `POS`.

    >>> task_of(["O", "B-PER"]), task_of(["NOUN"]), task_of([])
    ('names', 'pos', 'pos')
    """
    is_bio = all(tag == "O" or tag[:2] in ("B-", "I-") for tag in tags)
    return NAMES if tags and is_bio else POS


def choices() -> dict[str, TaggerEntry]:
    """All taggers that this session can choose, by key: shipped ones, given folders, its own."""
    with _lock:
        own = {key: uploaded[key] for key in _OWN_KEYS.value if key in uploaded}
    return shipped_entries() | given_entries() | own


def shipped_entries() -> dict[str, TaggerEntry]:
    """The taggers that come with the library."""
    tasks = _SHIPPED_TASKS.items()
    there = _shipped_names(_SHIPPED)
    return {key: TaggerEntry(say(f"own.{key}"), task) for key, task in tasks if key in there}


@lru_cache(maxsize=1)
def _shipped_names(folder: Path) -> frozenset[str]:
    return frozenset(path.parent.name for path in folder.glob("*/tagger.json"))


@lru_cache(maxsize=1)
def given_entries() -> dict[str, TaggerEntry]:
    """The usable taggers in folders given at the start."""
    entries: dict[str, TaggerEntry] = {}
    for number, folder in enumerate(start_options.given.taggers):
        title = folder.path.resolve().name
        key = re.sub(r"\W+", "-", title).strip("-") or "tagger"
        if key in entries or key in _SHIPPED_TASKS:
            key += f"-{number + 1}"
        for k, model in enumerate(folder.models):
            entries[f"{key}-{k + 1}" if k else key] = _entry(title, model)
    return entries


def _entry(title: str, model: "OpenedModel", data: tuple[Any, Any] | None = None) -> TaggerEntry:
    name = f"{title}, {model.about}" if model.about else title
    task = task_of(model.tagger.tags)
    return TaggerEntry(name, task, on_device(model.tagger), model.figures, data)


def name_of(key: str) -> str:
    """A tagger's name, for readers."""
    entry = choices().get(key)
    return entry.name if entry else say("own.your-tagger")


def title(key: str) -> str:
    """A tagger's name, wherever it is asked: no session need have it."""
    if key in _SHIPPED_TASKS:
        return say(f"own.{key}")
    entry = _server_entry(key)
    return entry.name if entry else say("own.your-tagger")


# ---------------------------------------------------------------------- the reader's own

uploaded: OrderedDict[str, TaggerEntry] = OrderedDict()  # of all readers, the oldest first
_lock = threading.Lock()
_OWN_KEYS = SessionValue[tuple[str, ...]]("lesson.own_taggers", ())


def adopt(key: str) -> bool:
    """Take the server's tagger with this key into the session; return whether there is one."""
    with _lock:
        there = key in uploaded
    if there and key not in _OWN_KEYS.value:
        _own(key)
    return there


def _own(key: str) -> None:
    _OWN_KEYS.set((*(k for k in _OWN_KEYS.value if k != key), key)[-MOST_OWN:])


def add_files(
    contents: Mapping[str, bytes], name: str = "", data: tuple[Any, Any] | None = None
) -> str:
    """Take over a model in files; the key of the last tagger in it, or a ModelRefusedError.

    `data`: the tagged sentences that it learnt from here, and those that it was measured by.
    """
    keys = keep_files(contents, name, data)
    for key in keys:
        _own(key)
    return keys[-1]


def keep_files(
    contents: Mapping[str, bytes], name: str = "", data: tuple[Any, Any] | None = None
) -> list[str]:
    """Keep the taggers on the server and return their keys; no session owns them yet."""
    base = OWN + uploaded_taggers.digest(contents)
    with _lock:
        if there := [key for key in (base, f"{base}.1") if key in uploaded]:
            return there
    keys = []
    for number, model in enumerate(uploaded_taggers.checked_models(contents)):
        keys.append(f"{base}.{number}" if number else base)
        with _lock:
            uploaded[keys[-1]] = _entry(name or say("own.name"), model, data)
            uploaded.move_to_end(keys[-1])
            while len(uploaded) > MOST_KEPT:
                uploaded.popitem(last=False)
    return keys


# ---------------------------------------------------------------------- the choice


@dataclass(frozen=True)
class TaggerChoice(Control[str]):
    """The control for choosing a tagger, whose choices depend on the session."""

    def check(self, value: object) -> str:
        if isinstance(value, str) and value in choices():
            return value
        raise InvalidError(say("control.tagger", known=", ".join(choices())))

    def read(self, text: str) -> str:
        if text.startswith(OWN) and not adopt(text):
            raise InvalidError(say("own.gone"))
        return self.check(text)

    def widget(self, label: str, *, task: str = "", **how: Any) -> str:
        """Draw it."""
        names = {key: one.name for key, one in choices().items() if task in ("", one.task)}
        return self._draw(st.selectbox, label, list(names), format_func=names.__getitem__, **how)


SPACES = Flag("lesson.spaces", False, address="spaces")  # the words of a sentence are split already
TAGGER = TaggerChoice("tagger", "bilstm", address="tagger")


def get(key: str) -> "AnyTagger":
    """The tagger of this key; a ModelRefusedError, if its files are damaged or it is gone."""
    from crf.tagger import ModelFileError

    try:
        entry = TaggerEntry("", "", shipped(key)) if key in _SHIPPED_TASKS else _server_entry(key)
    except ModelFileError as error:
        raise ModelRefusedError(say("own.damaged", why=error)) from None
    if entry is None:
        raise ModelRefusedError(say("own.gone").rstrip("."))
    return entry.tagger


def _server_entry(key: str) -> TaggerEntry | None:
    """The server's entry for a tagger that is not a shipped one."""
    with _lock:
        if key in uploaded:
            uploaded.move_to_end(key)
    return given_entries().get(key) or uploaded.get(key)


@st.cache_resource(show_spinner=False)
def shipped(name: str) -> "Tagger":
    """A tagger that comes with the library; a ModelFileError, if its files are damaged."""
    import torch

    from crf.tagger import Tagger

    torch.set_num_threads(1)  # a sentence is too small to share, and readers may be many
    tagger = on_device(Tagger.load(_SHIPPED / name))
    gc.collect()
    gc.freeze()  # torch's many objects stay for good: no collection need look at them again
    return tagger


def on_device(tagger: Any) -> Any:
    """The same tagger with its network on the device that the app was started with."""
    if (device := start_options.given.device) == "cpu":
        return tagger
    return getattr(tagger, "network_to", tagger.to)(device)


def metrics(name: str) -> dict | None:
    """A tagger's metrics.json; None if it has none."""
    if name in _SHIPPED_TASKS:
        return _shipped_metrics(name)
    entry = _server_entry(name)
    return entry and entry.figures


def data_of(name: str) -> tuple[Any, Any] | None:
    """The sentences that a tagger was trained and measured on, if that happened here."""
    entry = _server_entry(name)
    return entry and entry.data


@lru_cache(maxsize=16)
def _shipped_metrics(name: str) -> dict | None:
    try:
        return read_json((_SHIPPED / name / "metrics.json").read_bytes(), most=1 << 24)
    except (OSError, ValueError):
        return None
