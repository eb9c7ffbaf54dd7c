"""The article as one file a language that needs no network: `python -m docs.article [--stills]`.

It writes docs/article.html, docs/article.de.html and so on from pages/read/article.md, the core and
docs/stills/. With `--stills` a Chromium first draws the stills from the figures, and at the end the
English PDF.
"""

import argparse
import re
import shutil
import tomllib
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

from crf.figures import file
from crf.figures.languages import language
from pages.read import page
from pages.read.article import FIGURES, ArticleWriter
from pages.shared.contents import ROOT
from pages.shared.ui.language import speaking

STILLS = Path(__file__).with_name("stills")
ANSWERED = ("meet", "replace", "multiply", "bias")
TO_THE_END = ("add", "back")
_PRIME = re.compile(r"<msup><mi>(\w)</mi><m[io][^>]*>[^<\w]?(?:&#x0?2032;|′|')</m[io]></msup>")
_USUAL = re.compile(
    r' (?:(?:fill-|stroke-)?opacity="1"|stroke-dasharray="none"|stroke-linecap="butt"'
    r'|stroke-linejoin="miter"|font-style="normal")'
)
_TAG = re.compile(r"<[^>]+>")
_FONT = re.compile(r"<(?!text|tspan|svg)\w+\b[^>]*>")  # what has no text of its own
_FUNCTION = re.compile(r"(<mi>(?:log|exp|max)</mi>)(?!<mo[^>]*>(?:\(|&#x0*28;))")


def mathml(latex: str, display: bool) -> str:
    """LaTeX as MathML, with primes on the line of their letter, and a space after log and exp."""
    written = convert(latex, display="block" if display else "inline")
    written = _PRIME.sub(r"<mrow><mi>\1</mi><mo>′</mo></mrow>", written)
    return _FUNCTION.sub(r'\1<mspace width="0.17em"/>', written)


def stills() -> dict[str, str]:
    """Each figure's still, called by its alt text, with names of its own."""
    alt = ArticleWriter(mathml, {}, "").alt
    return {name: _still(name, alt(name)) for name in FIGURES}


def _still(name: str, alt: str) -> str:
    path = folder() / f"{name}.svg"
    drawn = path.read_text(encoding="utf-8") if path.exists() else "<svg></svg>"
    drawn = re.sub(r"<(title|desc)>.*?</\1>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r'\bid="', f'id="{name}-', drawn)
    drawn = re.sub(r"url\((?:&quot;)?#([\w-]+)(?:&quot;)?\)", rf"url(#{name}-\1)", drawn)
    drawn = re.sub(r"'Source (Sans|Serif)", r"'Course \1', 'Source \1", drawn)
    opening, rest = drawn.split(">", 1)
    opening = re.sub(r' (role|aria-label|width|height)="[^"]*"', "", opening)
    return f'{opening} role="img" aria-label="{escape(alt)}">{rest}'


def version() -> str:
    """The project's version, to be cited."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def folder() -> Path:
    """Where the stills of the language are."""
    return STILLS if language() == "en" else STILLS / language()


def write() -> None:
    """Write the file with the stills that there are."""
    path, text = page.FILES[language()], page.body(mathml, stills(), version())
    file.write(path, page.document(text))
    print(f"{path}, {path.stat().st_size:,} bytes")


def draw(browser: Any) -> None:
    """Draw the stills, each from its figure in the file."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    tab.goto(page.FILES[language()].as_uri())
    save = (ROOT / "crf/figures/shared/save.js").read_text(encoding="utf-8")
    dom = (ROOT / "crf/figures/shared/dom.js").read_text(encoding="utf-8")
    plain = re.sub(r"^import .*$|^export ", "", f"{dom}\n{save}", flags=re.MULTILINE)
    for name in FIGURES:
        figure = tab.locator(f"#figure-{name}")
        figure.scroll_into_view_if_needed()
        _tell(figure, name)
        _save(figure, plain, folder() / f"{name}.svg")
    tab.close()


def _save(figure: Any, script: str, path: Path) -> None:
    """Write a figure as it is on screen."""
    _stand(figure)
    drawn = _short(
        figure.locator("[data-figure]").evaluate(
            f"(root) => {{ {script}\n return figureAsSvg(root) }}"
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(drawn, encoding="utf-8")
    print(path.stem, len(drawn))


def _tell(figure: Any, name: str) -> None:
    """Bring a figure to where the text reads it, since paper neither steps nor takes bets."""
    _stand(figure)
    if name in ANSWERED:
        figure.locator("[data-option]").first.click()
    if name in TO_THE_END:
        figure.locator("[data-on]").press("End")
    for button in figure.locator("[data-figure] button").all():
        button.evaluate("(one) => (one.style.visibility = 'hidden')")


def _stand(figure: Any) -> None:
    """Wait until a figure stands, with its fonts."""
    figure.locator("[data-figure]").wait_for()
    figure.page.wait_for_timeout(600)


def _short(drawn: str) -> str:
    """The drawing with numbers of one decimal, and without attributes that say nothing."""
    drawn = _FONT.sub(lambda tag: re.sub(r' (font-\w+|text-anchor)="[^"]*"', "", tag[0]), drawn)
    drawn = re.sub(r'(<(?!stop)\w+\b[^>]*?) stop-color="[^"]*"', r"\1", drawn)
    return _TAG.sub(lambda tag: re.sub(r"(\d\.\d)\d+", r"\1", _USUAL.sub("", tag[0])), drawn)


def print_pdf(browser: Any) -> None:
    """Print the English file."""
    tab = browser.new_page(java_script_enabled=False)
    tab.goto(page.FILES["en"].as_uri())
    tab.pdf(path=page.PDF, prefer_css_page_size=True, print_background=True, tagged=True)
    print(f"{page.PDF}, {page.PDF.stat().st_size:,} bytes")


def in_each_language(work: Callable[[], None]) -> None:
    """Do some work for each language."""
    for name in page.FILES:
        with speaking(name):
            work()


def main() -> None:
    """Write what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m docs.article", description=__doc__)
    parser.add_argument("--stills", action="store_true", help="draw the stills and the PDF, too")
    if not parser.parse_args().stills:
        return in_each_language(write)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        in_each_language(write)
        in_each_language(lambda: draw(browser))
        in_each_language(write)
        print_pdf(browser)
        browser.close()


if __name__ == "__main__":
    main()
