"""The article as a page: one file that needs no server, or at /read with its script as a file.

The file has the views of its figures with it. At /read the figures ask the server, so that there
one can drag and type, too; the text is that of the file, whose equations and stills are written
with tools that the server does without.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from crf.figures import file, modules
from crf.figures.languages import LANGUAGES, language
from crf.figures.words import words
from pages.beats import LESSONS
from pages.read.article import FIGURES, FOLDER, ArticleWriter, MathMl, in_language, inline, sections
from pages.shared.contents import ROOT
from pages.shared.ui import component, fonts
from pages.shared.ui.component_data import as_json
from pages.shared.ui.language import of_browser, speaking
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import story_file

FILES = {  # language → the article as one file
    name: ROOT / "docs" / ("article.html" if name == "en" else f"article.{name}.html")
    for name in LANGUAGES
}
PDF = FILES["en"].with_suffix(".pdf")
COURSE = "http://localhost:8501/"  # where links of the file lead: the course, once it is started
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; script-src '
    "'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:\">"
)
_START = """
const page = await unzipped(document.getElementById("article").textContent);
(await load(page.modules, "{entry}")).animate(page);
"""
_MAIN = re.compile(r"<!-- body -->(.*)<!-- end -->", re.DOTALL)
_STYLE = FOLDER / "page.css"
_TITLE = re.compile(r"<h1>(.*?)</h1>")
_OTHER_FILE = re.compile(r'href="article[\w.]*" (?=hreflang="(\w+)")')


def body(mathml: MathMl, stills: Mapping[str, str], version: str, course: str = COURSE) -> Markup:
    """All that one reads: the head, the contents, the text, the sources.

    Args:
        mathml: Turns LaTeX into MathML; whether it stands on a line of its own is its second.
        stills: Figure → its still as SVG.
        version: Of the project, to be cited.
        course: Where the course is.
    """
    writer = ArticleWriter(mathml, stills, course)
    title, *parts = sections()
    written = Markup("\n").join(writer.section(part) for part in parts)
    said = words(FOLDER)
    entry = Markup('<li><a href="#{}">{}</a></li>').format
    listed = Markup("").join(entry(part.name, part.title) for part in parts)
    cite = said["ui.cite-as"].format(title=title.title, version=version)
    start = inline(said["ui.start"].format(command="`streamlit run app.py`"))
    other = Markup('<a href="{0}" hreflang="{1}" lang="{1}">{2}</a>').format
    others = (other(FILES[key].name, key, LANGUAGES[key]) for key in FILES if key != language())
    return Markup((FOLDER / "body.html").read_text(encoding="utf-8").rstrip()).format(
        course=course + in_language(""),
        others=Markup(" ").join(others),
        here=FILES[language()].name,
        course_word=said["ui.course"],
        read=said["ui.read"],
        file=said["ui.file"],
        pdf=said["ui.pdf"],
        cite_word=said["ui.cite"],
        contents=said["ui.contents"],
        listed=listed,
        title=title.title,
        about=writer.prose(title.text.strip()),
        steps=said["ui.steps"],
        start=start,
        written=written,
        sources_word=said["ui.sources"],
        sources=writer.sources(),
        cite=inline(cite),
    )


def stages(host: str) -> dict[str, Any]:
    """What the article's figures draw: the states of each, and the style of all."""
    said = words(FOLDER)
    return {
        "style": modules.style("pages/read"),
        "host": host,
        "figures": {
            name: {
                "lesson": one.lesson,
                "beat": one.beat,
                "state": dict(one.state),
                "paths": one.paths,
                "choices": [
                    {
                        "label": said[f"choice.{choice}"],
                        "beat": beat,
                        "state": {**one.state, **added},
                    }
                    for choice, (beat, added) in one.choices.items()
                ],
            }
            for name, one in FIGURES.items()
        },
    }


def held() -> dict[str, Any]:
    """The views that the figures of a file can show."""
    held = story_file.nothing()
    for one in FIGURES.values():
        beats = {beat.name: beat for beat in LESSONS[one.lesson]}
        for beat, state in one.views():
            for _ in story_file.hold(held, beats[beat], one.lesson, (), state):
                pass
    return held


def document(text: Markup) -> str:
    """The file.

    Args:
        text: What `body` returns.
    """
    entry = "pages/read/index.js"
    data = {"modules": modules.texts(entry), **stages("article"), "story": held()}
    script = modules.host("unzipped.js") + _START.format(entry=entry)
    return _page(text, file.zipped(data), f">\n{script}", _embedded_fonts(), _POLICY)


def _embedded_fonts() -> str:
    def data(found: re.Match[str]) -> str:
        letters = (ROOT / "assets" / "fonts" / found[1]).read_bytes()
        return f'url("data:font/woff2;base64,{b64encode(letters).decode()}")'

    return re.sub(r'url\("[^"]*/([\w-]+\.woff2)"\)', data, fonts.faces())


def _page(text: Markup, data: str, script: str, faces: str, policy: str = "") -> str:
    title = _TITLE.search(text)
    return Template((FOLDER / "page.html").read_text(encoding="utf-8")).substitute(
        title=title[1] if title else "",
        language=language(),
        policy=policy,
        style=f"{faces}\n" + _STYLE.read_text(encoding="utf-8"),
        body=text,
        data=data,
        script=script,
    )


def text_of(document: str) -> Markup:
    """What one reads of a file that `document` has made."""
    found = _MAIN.search(document)
    if not found:
        raise ValueError("article: expected the body between two comments; run make article")
    return Markup(found[1].strip())


@cache
def _served(speak: str) -> str:
    with speaking(speak):
        return _at_read()


def _at_read() -> str:
    text = text_of(FILES[language()].read_text(encoding="utf-8")).replace(COURSE, escape(root()))
    text = _OTHER_FILE.sub(rf'href="{escape(root())}read?lang=\1" ', text)
    data = stages("article") | {"draws": f"{root()}draw/"}
    address = component.module_address("pages/read/app.js")
    shown = as_json(data).decode("utf-8", "replace").replace("<", "\\u003c")
    return _page(Markup(text), shown, f' src="{escape(address)}">', fonts.faces())


def routes() -> list[BaseRoute]:
    """The server's routes for the article and its two files."""

    def page(request: Request) -> Response:
        speak = request.query_params.get("lang", "")
        if speak not in FILES:
            speak = of_browser(request.headers.get("accept-language"))
        return HTMLResponse(_served(speak), headers={"Cache-Control": "no-cache"})

    def of(path: Path) -> Any:
        def answer(_request: Request) -> Response:
            return FileResponse(path) if path.exists() else Response(status_code=404)

        return answer

    return [
        Route(f"{root()}read", page),
        *(Route(f"{root()}{path.name}", of(path)) for path in (*FILES.values(), PDF)),
    ]
