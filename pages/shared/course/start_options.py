"""The options after `--` when the app is started: `streamlit run app.py -- --tagger DIR --class`.

app.py reads them once, before the first reader comes; pages ask `given`. A misspelt option ends
the program with a sentence, as in any command. An unusable folder does not: the sentence is printed
at the start and shown on the page, and everything else works.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pages.shared.course import uploaded_taggers
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.course.words import say

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
        """The error as readers see it, without the folder's path."""
        return self.fault.replace(f"--tagger {self.path}", f"The folder {self.path.name}", 1)


@dataclass(frozen=True)
class StartOptions:
    """The options with which the app was started."""

    taggers: tuple[Folder, ...] = ()  # folders of further taggers, in the order given
    room: bool = False  # whether there is a class
    store: str = ""  # the file in which it is kept; "" for one in the user's own folder
    public: str = ""  # the address that readers use, if it is not this machine's own; "" if it is
    device: str = "cpu"  # where networks compute: "cpu", "cuda" or "mps"
    embed_from: tuple[str, ...] = ()  # origins whose pages may show the app in a frame


given = StartOptions()  # those with which the app was started; app.py sets it


OPTIONS: dict[str, dict[str, Any]] = {  # their help is in words.md
    "tagger": {"metavar": "DIR", "action": "append", "default": []},
    "device": {"choices": ("auto", "cpu", "cuda", "mps"), "default": "cpu"},
    "class": {"dest": "room", "action": "store_true"},
    "store": {"metavar": "FILE", "default": ""},
    "public-url": {"metavar": "URL", "dest": "public", "default": ""},
    "embed-from": {"metavar": "ORIGIN", "action": "append", "default": []},
}


def parser() -> argparse.ArgumentParser:
    """The parser of the options, which `--help` shows."""
    options = argparse.ArgumentParser(
        prog="streamlit run app.py --", description=say("option.start"), allow_abbrev=False
    )
    for name, how in OPTIONS.items():
        options.add_argument(f"--{name}", help=say(f"option.{name}"), **how)
    return options


def read(argv: Sequence[str]) -> StartOptions:
    """Read the options with which the app was started, and print what is wrong with them.

    The words of another program than app.py (a test, another server) are not ours.

    Raises:
        SystemExit: An option does not exist, or lacks its value or companion; argparse has said so.
    """
    ours = bool(argv) and Path(argv[0]).resolve() == APP
    options = parser()
    args = options.parse_args(argv[1:] if ours else [])
    if args.store and not args.room:
        options.error(say("option.no-class"))
    if args.public and not args.public.startswith(("http://", "https://")):
        options.error(f"--public-url: expected http://… or https://…, got {args.public[:60]!r}")
    for site in args.embed_from:
        if not _ORIGIN.fullmatch(site):
            options.error(f"--embed-from: expected https://HOST or http://HOST, got {site[:60]!r}")
    try:
        device = _device(args.device)
    except ValueError as error:
        options.error(str(error))
    options = StartOptions(
        tuple(folder(Path(name)) for name in dict.fromkeys(args.tagger)),
        args.room,
        args.store,
        args.public,
        device,
        tuple(args.embed_from),
    )
    for one in options.taggers:
        if one.fault:
            print(one.fault, file=sys.stderr, flush=True)
    return options


def folder(path: Path) -> Folder:
    """A folder with its taggers, which are loaded, or what is wrong with it."""
    try:
        return Folder(path, models=tuple(uploaded_taggers.checked_models(path)))
    except ModelRefusedError as error:
        return Folder(path, f"--tagger {path}: {str(error).removeprefix(f'{path}: ')}.")


def _device(name: str) -> str:
    """The device of a name, if it is here; torch is imported only where a GPU is asked for."""
    if name == "cpu":
        return name
    from crf.tagger.devices import device_of

    return device_of(name).type
