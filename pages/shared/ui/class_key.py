"""The server's key, from which the tokens of homework classes are derived."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from pages.shared.course.homework import SHORTEST_KEY
from pages.shared.course.problem_checks import ProblemError, refuse
from pages.shared.ui.words import say_in_class as say

VARIABLE = "CRF_CLASS_KEY"  # in the environment: for several servers, and where no file can be kept
_FILE = Path(".config") / "crf" / "class-key"  # in the home of whoever runs the server


def class_key() -> str:
    """The key: the environment's, else the one kept in a file, made when first asked for.

    Raises:
        ProblemError: The environment's is too short, the file's is damaged, or no file can be kept.
    """
    given = os.environ.get(VARIABLE)
    if given is not None:
        if len(given) < SHORTEST_KEY:
            raise refuse(
                VARIABLE, f"at least {SHORTEST_KEY} characters", str(len(given)), "choose more"
            )
        return given
    try:
        path = Path.home() / _FILE
        if not path.exists():
            _make(path)
        kept = path.read_text(encoding="ascii", errors="replace").strip()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ProblemError(say("key.none", file=_FILE, reason=reason, variable=VARIABLE)) from None
    if len(kept) < SHORTEST_KEY or not (kept.isascii() and kept.isprintable()):
        raise ProblemError(say("key.damaged", file=_FILE))
    return kept


def _make(path: Path) -> None:
    """Write a new key beside the file's place, then put it there whole, unless one is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)  # for its owner alone
    try:
        with open(handle, "w") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another server was quicker
            os.link(temporary, path)
    finally:
        os.unlink(temporary)
