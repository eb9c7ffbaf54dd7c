"""The heavy modules are imported once, by one thread, and a reader's run waits for it.

Python lets a second thread see a module that the first has half imported, and some libraries look
into `sys.modules` to find what is there (plotly: "is this a pandas.Series?"). With a class at the
door of a cold server that ends in errors, so nothing heavy is imported by a reader's run. The first
paint of the front page needs none of it and does not wait; then that page waits for what it needs
itself, and every other page for everything. Who imports holds the interpreter's lock most of the
time: so the thread begins when the front page's fields have left, and what the lessons alone need
waits for the first tagged sentence, unless somebody is at a lesson's door.
"""

import gc
import importlib
import threading
import time

import streamlit as st

from pages.shared.contents import PAGES
from pages.shared.ui import frame, served

_FRONT = ("torch", "crf.tagger", "pages.tag.answer")
_TABLES = ("pandas", "pyarrow", "plotly.graph_objects")
_RUN_NOT_IMPORTED = ("page.py", "router.py")  # scripts
_LEAVES = 0.3  # s in which the front page's fields reach the browser
_AT_MOST = 3.0  # s that the lessons' modules wait for a first sentence to be tagged
_OPTIONAL = ("redis_tables.py",)  # needs a package that the app does without


class _Loader(threading.Thread):
    """Imports everything, each module whole before the next; keeps what went wrong.

    Attributes:
        front: Set when what the front page needs is there.
        everything: Set when all is.
        go_on: Set when the first sentence is tagged, or a lesson is asked for.
        error: What went wrong, if anything.
    """

    def __init__(self) -> None:
        super().__init__(name="imports", daemon=True)
        self.front, self.everything, self.go_on = (threading.Event() for _ in range(3))
        self.error: Exception | None = None

    def run(self) -> None:
        gc.disable()  # what is imported stays: looking through it again and again takes a second
        try:
            for name in _FRONT:
                importlib.import_module(name)
            self.front.set()
            self.go_on.wait(_AT_MOST)
            for name in (*_TABLES, *_our_modules()):
                importlib.import_module(name)
        except Exception as error:
            self.error = error
        finally:
            self.front.set()
            self.everything.set()
        gc.enable()
        _settle()
        gc.set_threshold(10_000, 10, 10)  # a page's run makes some thousands that go by themselves
        threading.Thread(target=served.keep_tidy, name="tidy", daemon=True).start()


def _our_modules() -> list[str]:
    """Every module of the lessons."""
    left_out = _RUN_NOT_IMPORTED + _OPTIONAL
    files = (path for path in sorted(PAGES.rglob("*.py")) if path.name not in left_out)
    return [
        ".".join(path.relative_to(PAGES.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in files
    ]


_lock = threading.Lock()
_loaders: list[_Loader] = []  # none or one


def wait(*, front: bool = False) -> None:
    """Go on when everything is imported; what cannot be is said, and the run ends.

    Args:
        front: Whether what the front page needs is enough.
    """
    if front and not _loaders:
        time.sleep(_LEAVES)
    loader = _started()
    if not front:
        loader.go_on.set()
    needed = loader.front if front else loader.everything
    if not needed.is_set():
        with st.spinner("The server is waking up …", show_time=False):
            needed.wait()
    if loader.error is not None:
        st.error(
            f"The app is not installed completely: {loader.error}. Install what requirements.txt "
            "lists, and start it again."
        )
        st.stop()
    st.set_page_config(page_icon=frame.ICON)  # Streamlit imports numpy for that


def go_on() -> None:
    """The first sentence is tagged: the modules of the lessons may come."""
    _started().go_on.set()


def _started() -> _Loader:
    """The one that imports; it begins when it is first asked for."""
    with _lock:
        if not _loaders:
            _loaders.append(_Loader())
            _loaders[0].start()
    return _loaders[0]


def _settle() -> None:
    """What has been imported stays for good: no collection need look at its many objects again."""
    gc.collect()
    gc.freeze()
