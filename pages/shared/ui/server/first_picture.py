"""The still of a lesson's first picture: it stands in the page until the scripts have come.

A lecture hall's line takes seconds for the scripts, and the still comes with the page itself. The
stage takes it away once it has drawn (pages/shared/ui/stage/index.js). `python -m
docs.first_pictures` draws the files.
"""

from functools import cache
from urllib.parse import parse_qsl

from crf.figures.languages import LANGUAGES
from pages.shared.contents import ALIASES, FIRST, ROOT
from pages.shared.ui.language import of_browser
from pages.shared.ui.server_path import root
from pages.shared.ui.state import LANGUAGE

FOLDER = ROOT / "assets" / "first_pictures"
_PAPER = "light-dark(#ffffff, #12161a)"
# What Streamlit draws meanwhile is not seen. All ends by itself where no stage comes: without
# scripts, or after an error of the page.
STYLE = f"""<style>
[data-first-picture] {{
  position: fixed; inset: 0; z-index: 1; pointer-events: none; color-scheme: light dark;
  font-family: "Course Sans", "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif;
  animation: first-picture-ends 0s 60s forwards;
}}
[data-first-picture] svg {{ position: absolute; background: {_PAPER}; }}
[data-first-picture] .serif {{ font-family: "Course Serif", Georgia, "DejaVu Serif", serif; }}
html:has([data-first-picture]) {{ background: {_PAPER}; color-scheme: light dark; }}
html:has([data-first-picture=""]) #root {{ animation: first-picture-stands 60s; }}
@keyframes first-picture-ends {{ to {{ visibility: hidden; }} }}
@keyframes first-picture-stands {{ from, to {{ visibility: hidden; }} }}
@media (max-width: 640px) {{ [data-first-picture] .wide {{ display: none; }} }}
@media (min-width: 640.02px) {{ [data-first-picture] .narrow {{ display: none; }} }}
</style>"""
_FIRST = ("", *(name for name, one in ALIASES.items() if one is FIRST))  # its other addresses


def still(path: str, query: str, accepts: str) -> str:
    """HTML for the page at an address; "" where there is none, or where it names a state.

    `accepts`: the browser's languages.
    """
    named = dict(parse_qsl(query, keep_blank_values=True))
    speak = named.pop(LANGUAGE, "")
    speak = speak if speak in LANGUAGES else of_browser(accepts)
    address = path.removeprefix(root()).strip("/")
    drawn = _stills().get(f"{FIRST.address if address in _FIRST else address}.{speak}", "")
    if not drawn or named:
        return ""
    return f'{STYLE}<div data-first-picture="" aria-hidden="true">{drawn}</div>'


@cache
def _stills() -> dict[str, str]:
    """Address and language → its drawings."""
    return {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.html")}
