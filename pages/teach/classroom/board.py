"""The lecturer's page: how to join, in letters for the last row; the number of phones; the door."""

from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from crf.figures.words import words
from pages.shared.course.right_to_left import escape
from pages.shared.ui import component, language
from pages.shared.ui.component_data import as_json
from pages.shared.ui.server.loopback import is_loopback
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import beat_page
from pages.shared.ui.words import say as site
from pages.teach.classroom import network
from pages.teach.classroom.store import say

PLANS = ("twenty-minutes", "fifty-minutes")
_FOLDER = Path(__file__).parent
_SCRIPT = "pages/teach/classroom/board.js"
_PAGE = Template((_FOLDER / "board.html").read_text(encoding="utf-8"))


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
        f'<a class="way" href="{root()}structure?plan={name}">{texts[f"lead.{name}"]}</a>'
        for name in PLANS
    )
    return _PAGE.substitute(
        language=language.current(), fonts=beat_page.fonts(),
        site=escape(site("site.title")), title=texts["lead.title"],
        how=texts["lead.how"], code=escape(code), qr=network.qr_as_image(link),
        address=escape(bases[0].partition("//")[2] + "/join"), root=root(), plans=plans,
        course=texts["lead.course"], lock=texts["lead.lock"], empty=texts["lead.empty"],
        promise=texts["lead.promise"], script=component.module_address(_SCRIPT),
        also="".join(f"<p>{escape(say('lead.also', link=f'{one}/join'))}</p>" for one in bases[1:]),
        data=as_json({"words": words(_FOLDER), "root": root()}).decode().replace("<", "\\u003c"),
    )  # fmt: skip
