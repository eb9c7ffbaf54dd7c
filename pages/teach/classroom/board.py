"""The lecturer's pages: how to join, in letters for the last row; the desk, which no class sees."""

from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from crf.figures.words import words
from pages.shared.course.right_to_left import escape
from pages.shared.ui import component, fonts, language
from pages.shared.ui.component_data import as_json
from pages.shared.ui.server.loopback import is_loopback
from pages.shared.ui.server_path import root
from pages.shared.ui.words import say as site
from pages.teach.classroom import network
from pages.teach.classroom.store import say

PLANS = ("twenty-minutes", "fifty-minutes")
_FOLDER = Path(__file__).parent
_SCRIPT = "pages/teach/classroom/board.js"
_PAGE, _DESK = (
    Template((_FOLDER / name).read_text(encoding="utf-8")) for name in ("board.html", "desk.html")
)


def page(code: str, bases: list[str], address: str) -> str:
    """The page.

    Args:
        code: Of the class.
        bases: Addresses for students, the one to show first.
        address: The address by which this very browser asks: it is shown first, unless nobody else
            can use it.
    """
    parts = urlsplit(address)
    own = f"{parts.scheme}://{parts.netloc}{root()}".rstrip("/")
    near = is_loopback(parts.hostname or "")
    usable: dict[str, None] = dict.fromkeys([*([] if near else [own]), *bases])
    bases = list(usable) or [own]
    link = f"{bases[0]}/join?code={code}"
    texts = {name: escape(text) for name, text in words(_FOLDER).items()}
    plans = "".join(
        f'<a class="way" href="{root()}structure?give={name}">{texts[f"lead.{name}"]}</a>'
        for name in PLANS
    )
    also = "".join(f"<p>{escape(say('lead.also', link=f'{one}/join'))}</p>" for one in bases[1:])
    address = escape(bases[0].partition("//")[2] + "/join")
    how = {"code": escape(code), "qr": network.qr_as_image(link), "address": address, "also": also}
    return _PAGE.substitute(_common(), plans=plans, **how)


def desk() -> str:
    """What only the lecturer needs: the number of phones, the door, the votes."""
    return _DESK.substitute(_common())


def _common() -> dict[str, str]:
    data = as_json({"words": words(_FOLDER), "root": root()}).decode().replace("<", "\\u003c")
    texts = {
        name.removeprefix("lead."): escape(text)
        for name, text in words(_FOLDER).items()
        if name.startswith("lead.")
    }
    return texts | {
        "language": language.current(),
        "fonts": fonts.faces(),
        "site": escape(site("site.title")),
        "root": root(),
        "script": component.module_address(_SCRIPT),
        "data": data,
    }
