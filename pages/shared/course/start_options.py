"""What stands after `--` when the app is started: `streamlit run app.py -- --tagger DIR --class`.

app.py reads it once, before the first reader comes; pages ask `given()`. What is misspelt ends the
start with a sentence, as of any command. A folder that cannot be used does not: the sentence is
printed at the start and stands on the page, and all else works.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pages.shared.course import model_files
from pages.shared.course.model_files import ModelRefusedError

if TYPE_CHECKING:
    from crf.tagger.model_files import OpenedModel

_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:\d{1,5})?")
APP = Path(__file__).resolve().parents[3] / "app.py"


@dataclass(frozen=True)
class Folder:
    """A folder with a model of the lecturer's own."""

    path: Path  # where it is
    fault: str = ""  # why it cannot be used, as a sentence; "": it can
    models: "tuple[OpenedModel, ...]" = ()  # the taggers in it

    @property
    def told(self) -> str:
        """The fault as readers are told it: where the folder lies is no business of theirs."""
        return self.fault.replace(f"--tagger {self.path}", f"The folder {self.path.name}", 1)


@dataclass(frozen=True)
class StartOptions:
    """What the app was started with."""

    taggers: tuple[Folder, ...] = ()  # folders of further taggers, in the order given
    room: bool = False  # whether there is a class
    store: str = ""  # where it is kept: a file, "redis://…"; "" for a file in the user's own folder
    public: str = ""  # the address that readers use, if it is not this machine's own; "" if it is
    device: str = "cpu"  # where networks compute: "cpu", "cuda" or "mps"
    embed_from: tuple[str, ...] = ()  # origins whose pages may show the app in a frame


_given: list[StartOptions] = []  # none or one


def parser() -> argparse.ArgumentParser:
    """Of the options; `--help` shows them."""
    options = argparse.ArgumentParser(
        prog="streamlit run app.py --", description="Start the explainer.", allow_abbrev=False
    )
    options.add_argument(
        "--tagger",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder with a tagger for every page to use, as `crf train` writes it, or a model "
        "of others; may be given several times",
    )
    options.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda", "mps"),
        default="cpu",
        help="where networks compute (default: cpu); auto: on a CUDA GPU if there is one; mps: "
        "Apple’s GPU",
    )
    options.add_argument(
        "--class",
        dest="room",
        action="store_true",
        help="open a class: students join by a code, follow the lecturer and vote",
    )
    options.add_argument(
        "--store",
        metavar="WHERE",
        default="",
        help="where a class is kept: a file, or redis://HOST:PORT/DB for several servers",
    )
    options.add_argument(
        "--public-url",
        metavar="URL",
        dest="public",
        default="",
        help="the address that readers use, where it is not this machine's own: of a proxy, of a "
        "tunnel, of a forwarded port",
    )
    options.add_argument(
        "--embed-from",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="a site, as https://course.example.org, that may show the app in a frame; may be "
        "given several times",
    )
    return options


def read(argv: Sequence[str]) -> StartOptions:
    """Take over what the app was started with, and print what is wrong with it.

    Args:
        argv: The command's words, the program first; those of another program than app.py (a test,
            another server) are not ours.

    Raises:
        SystemExit: An option does not exist, or lacks its value or companion; argparse has said so.
    """
    ours = bool(argv) and Path(argv[0]).resolve() == APP
    options = parser()
    said = options.parse_args(argv[1:] if ours else [])
    if said.store and not said.room:
        options.error("--store is of a class: add --class")
    if said.public and not said.public.startswith(("http://", "https://")):
        options.error(f"--public-url: expected http://… or https://…, got {said.public[:60]!r}")
    for site in said.embed_from:
        if not _ORIGIN.fullmatch(site):
            options.error(f"--embed-from: expected https://HOST or http://HOST, got {site[:60]!r}")
    try:
        device = _device(said.device)
    except ValueError as error:
        options.error(str(error))
    taggers = tuple(folder(Path(name)) for name in dict.fromkeys(said.tagger))
    sites = tuple(said.embed_from)
    options = StartOptions(taggers, said.room, said.store, said.public, device, sites)
    for one in options.taggers:
        if one.fault:
            print(one.fault, file=sys.stderr, flush=True)
    _given[:] = [options]
    return options


def given() -> StartOptions:
    """What the app was started with; nothing, if it was not started by app.py."""
    return _given[0] if _given else StartOptions()


def folder(path: Path) -> Folder:
    """A folder with its taggers, which are loaded, or what is wrong with it."""
    try:
        return Folder(path, models=tuple(model_files.load_folder(path)))
    except ModelRefusedError as error:
        return Folder(path, f"--tagger {path}: {str(error).removeprefix(f'{path}: ')}.")


def _device(name: str) -> str:
    """The device of a name, if it is here; torch is imported only where a GPU is asked for."""
    if name == "cpu":
        return name
    from crf.tagger.devices import device_of

    return device_of(name).type
