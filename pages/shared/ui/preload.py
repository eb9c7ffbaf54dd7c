"""One thread imports the heavy modules as the server starts; readers' runs wait for it.

Python lets a second thread see a module that the first has half imported, and some libraries look
into `sys.modules` to find what is there (Plotly: "is this a pandas.Series?"). With a class at the
door of a cold server that ends in errors, so no reader's run imports anything heavy. The browser
loads Streamlit's scripts meanwhile. The front page needs neither pandas nor Plotly, so these come
last.
"""

import asyncio
import gc
import importlib
import threading
from contextlib import suppress

import streamlit as st
from markupsafe import Markup

from pages.shared.contents import PAGES
from pages.shared.course.problem_checks import ProblemError
from pages.shared.course.right_to_left import isolate
from pages.shared.course.state import Base
from pages.shared.figures import theme
from pages.shared.ui import state
from pages.shared.ui.stage.scores import FIRST, SENTENCES, give
from pages.shared.ui.words import say

_FRONT = ("torch", "crf.tagger", "pages.tag.more")
_HEAVY = ("pandas", "plotly.graph_objects")
_front, _everything = threading.Event(), threading.Event()
_errors: list[ImportError] = []
for event in (_front, _everything):
    event.set()  # where nothing was started, each page imports what it needs


def start(*, first: bool = False) -> None:
    """Begin to import; called once, as the server starts.

    Args:
        first: Whether to be done before the server answers: on a network, connections that take
            all open files would otherwise break an import half done. Then a lesson's optimiser
            has what it needs, too; alone, the first reader who trains waits for it.
    """
    _front.clear()
    _everything.clear()
    if first:
        _run(first=True)
    else:
        threading.Thread(target=_run, name="imports", daemon=True).start()


def wait(*, front: bool) -> None:
    """Return when the modules are imported; end the run with a message if one is missing."""
    imported, place = _front if front else _everything, st.empty()
    if not imported.is_set():
        if front:
            place.html(on_its_way(state.asked("sentence") or SENTENCES[FIRST].sentence))
        imported.wait()
        place.empty()
    if _errors:
        st.error(say("start.incomplete", why=theme.markdown(str(_errors[0]))))
        st.stop()


async def imported() -> None:
    """Return when all modules are imported; the server answers other requests meanwhile."""
    if not _everything.is_set():
        await asyncio.to_thread(_everything.wait)


def on_its_way(sentence: str) -> Markup:
    """The front page's picture before there is one: the sentence's words in their columns."""
    words = [theme.shorten(word, 12) for word in sentence.split()[:12]]
    columns = Markup("").join(
        Markup("<div><b>{}</b><i></i></div>").format(isolate(word)) for word in words
    )
    return Markup('<div class="crf-waiting">{}</div><p>{}</p>').format(
        columns, say("start.on-its-way")
    )


def _run(*, first: bool = False) -> None:
    gc.disable()  # what is imported stays: looking through it again and again takes a second
    try:
        _import(_FRONT)
        _read_first_example()
        _front.set()
        _import((*_HEAVY, *module_names()))
    except ImportError as error:
        _errors.append(error)
        return
    finally:
        _front.set()
        _everything.set()
        gc.enable()
    if first:
        _import_the_compiler()
    gc.collect()
    gc.freeze()  # no collection need look at these many objects again
    gc.set_threshold(10_000, 10, 10)  # a page's run makes some thousands, which go by themselves


def _import_the_compiler() -> None:
    """Make an optimiser: PyTorch's first one imports 800 modules, which takes seconds."""
    torch = importlib.import_module("torch")
    torch.optim.SGD([torch.zeros(1)], 1.0)


def _read_first_example() -> None:
    """Load the tagger of the front page's first example, while a browser loads its scripts."""
    with suppress(ProblemError):  # a damaged tagger is reported where it is used
        give(Base())


def _import(names: tuple[str, ...]) -> None:
    for name in names:
        importlib.import_module(name)


def module_names() -> list[str]:
    """Names of the modules in `pages`, without the class."""
    files = (path for path in sorted(PAGES.rglob("*/*.py")) if PAGES / "teach" not in path.parents)
    return [
        ".".join(path.relative_to(PAGES.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in files
    ]
