"""The server's key, from which the tokens of homework classes are derived."""

import os
import secrets
from pathlib import Path

from pages.shared.course.homework import SHORTEST_KEY
from pages.shared.course.problem_checks import ProblemError, refuse

VARIABLE = "CRF_CLASS_KEY"  # in the environment: for several servers, and where no file can be kept
_FILE = Path(".config") / "crf" / "class-key"  # in the home of whoever runs the server


def class_key() -> str:
    """The key: the environment's, else the one kept in a file, made when first asked for.

    Raises:
        ProblemError: The environment's is too short, or no file can be kept.
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
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(32))
        except FileExistsError:
            pass
        kept = path.read_text(encoding="ascii").strip()
    except (OSError, RuntimeError, UnicodeDecodeError):
        kept = ""
    if len(kept) < SHORTEST_KEY:
        raise ProblemError(
            "This server cannot keep a key for its classes. Whoever runs it sets the environment’s "
            f"{VARIABLE} to a secret text and starts it again"
        )
    return kept
