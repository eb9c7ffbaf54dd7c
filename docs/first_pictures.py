"""The still of each lesson's first picture, which its page shows until the scripts have come.

    python -m docs.first_pictures [ADDRESS …]

A Chromium opens the lessons of this checkout, and draws each in a wide and in a narrow window,
light and dark. A file in assets/first_pictures/ has both windows' drawings in one language; a
colour that the dark picture has another of is written `light-dark(…)`.
"""

import argparse
import re
import shutil
import tempfile
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from benchmarks.serving import serving
from crf.figures.languages import LANGUAGES
from pages.shared.contents import COURSE, FIRST, ROOT, STORY
from pages.shared.ui.server.first_picture import FOLDER

SIZES = {"wide": (1280, 720), "narrow": (390, 844)}
_OPENS = {FIRST.address: "lambda=0"}  # its film begins there
_SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?\d+\.\d+")
_RGB = re.compile(r"rgb\((\d+), ?(\d+), ?(\d+)\)")
_NOTHING = re.compile(
    r"translate\(0 0\) matrix\(1, 0, 0, 1, 0, 0\) translate\(0 0\)|translate\(0 0\)"
)
_USUAL = {
    "opacity": "1",
    "stroke-dasharray": "none",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "font-style": "normal",
    "text-anchor": "start",
    "font-weight": "400",
}
_STROKE = ("stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin")
_FONT = ("font-size", "font-style", "font-weight", "font-family", "text-anchor")
_GROUPS = ("g", "svg", "defs", "pattern", "linearGradient", "clipPath", "mask")
_KEPT = set(  # of what draws nothing itself
    "id transform opacity x y width height viewBox overflow clip-path mask patternUnits"
    " patternTransform gradientUnits x1 x2 y1 y2".split()
)


def draw(tab: Any, window: str, scheme: str) -> tuple[str, list[float]]:
    """The picture on a page as SVG, and where it stands: x, y, width, height."""
    width, height = SIZES[window]
    tab.set_viewport_size({"width": width, "height": height})
    tab.emulate_media(color_scheme=scheme)
    tab.wait_for_timeout(1500)  # fonts, and what moves in spite of all
    folder = ROOT / "crf/figures/shared"
    texts = [(folder / name).read_text("utf-8") for name in ("dom.js", "save.js")]
    plain = re.sub(r"^import .*$|^export ", "", "\n".join(texts), flags=re.MULTILINE)
    return tab.locator(".stage > .figure, .stage > .picture-frame").first.evaluate(
        f"""(root) => {{ {plain}
        const {{ x, y, width, height }} = root.getBoundingClientRect();
        return [new XMLSerializer().serializeToString(drawn(root)), [x, y, width, height]]; }}"""
    )


def still(name: str, light: str, dark: str, place: list[float]) -> str:
    """One drawing in both colours, as small as it goes."""
    trees = [ElementTree.fromstring(text) for text in (light, dark)]
    parts = [list(tree.iter()) for tree in trees]
    assert [e.tag for e in parts[0]] == [e.tag for e in parts[1]], "light and dark differ"
    parents = {child: parent for parent in trees[0].iter() for child in parent}
    for one, other in zip(*parts, strict=True):
        _tidy(one, other)
    for title in ("title", "desc"):
        for found in trees[0].findall(f".//{_SVG}{title}"):
            parents[found].remove(found)
    for one in reversed(parts[0]):
        if _local(one) == "g" and not len(one) and one in parents:
            parents[one].remove(one)
    trees[0].remove(trees[0][0])  # the paper
    x, y, width, height = place
    beside = [
        f"calc(100% - {whole - part:g}px)"
        for whole, part in zip(SIZES[name], place[2:], strict=True)
    ]
    trees[0].attrib.clear()
    trees[0].attrib |= {
        "class": name,
        "style": f"left:{x:g}px;top:{y:g}px;width:{beside[0]};height:{beside[1]}",
        "viewBox": f"0 0 {width:g} {height:g}",
        "preserveAspectRatio": "none",
    }
    for one in trees[0].iter():
        one.tag = _local(one)
    text = ElementTree.tostring(trees[0], encoding="unicode")
    ids = sorted(set(re.findall(r'\bid="([\w-]+)"', text)))
    for k, old in enumerate(ids):
        text = re.sub(rf'\bid="{old}"', f'id="{name[0]}{k}"', text)
        text = re.sub(rf"url\((?:&quot;)?#{old}(?:&quot;)?\)", f"url(#{name[0]}{k})", text)
    return text


def _local(one: Element) -> str:
    return one.tag.rpartition("}")[2]


def _tidy(one: Element, other: Element) -> None:
    """Leave what is drawn, with both colours."""
    kind = _local(one)
    for paint in ("fill", "stroke", "stop"):
        both = [_colour(each.attrib, paint) for each in (one, other)]
        if all(both):
            key = "stop-color" if paint == "stop" else paint
            one.attrib[key] = both[0] if both[0] == both[1] else f"light-dark({','.join(both)})"
            one.attrib.pop(f"{paint}-opacity", None)
    for key, value in one.attrib.items():
        if key not in ("opacity", "id"):
            value = _NUMBER.sub(lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), value)
        one.attrib[key] = _NOTHING.sub("", value).removesuffix("px").strip()
    keys = set(one.attrib)
    drop = {key for key in keys if one.attrib[key] in ("", _USUAL.get(key))}
    drop.add("dominant-baseline")
    if kind != "stop":
        drop |= {"stop-color", "stop-opacity"}
    if kind in _GROUPS:
        drop |= keys - _KEPT
    elif kind == "stop":
        drop |= keys - {"offset", "stop-color", "stop-opacity"}
    elif kind not in ("text", "tspan"):
        drop |= set(_FONT)
    else:
        family = one.attrib.pop("font-family", "")
        if "Serif" in family:
            one.attrib["class"] = "serif"
    if one.attrib.get("stroke", "none") == "none":
        drop |= {"stroke", *_STROKE}
    for key in drop & set(one.attrib):
        del one.attrib[key]


def _colour(attributes: Mapping[str, str], paint: str) -> str:
    """A part's colour with its opacity, `#rrggbbaa`; "" of another paint."""
    found = _RGB.fullmatch(attributes.get("stop-color" if paint == "stop" else paint, ""))
    if not found:
        return attributes.get(paint, "") if attributes.get(paint) == "none" else ""
    opacity = round(255 * float(attributes.get(f"{paint}-opacity", 1)))
    parts = [*map(int, found.groups()), *([opacity] if opacity < 255 else [])]
    return "#" + "".join(f"{part:02x}" for part in parts)


def drawings(tab: Any, url: str) -> str:
    """The drawings of the picture on a page."""
    tab.goto(url)
    tab.locator("[data-figure]").first.wait_for(timeout=90_000)
    found = ""
    for window in SIZES:
        (light, place), (dark, _) = (draw(tab, window, scheme) for scheme in ("light", "dark"))
        found += still(window, light, dark, place) + "\n"
    return found


def main() -> None:
    """Draw the stills that are asked for, or all."""
    parser = argparse.ArgumentParser(prog="python -m docs.first_pictures", description=__doc__)
    parser.add_argument("addresses", nargs="*", help="of lessons; without one: all")
    doors = [one.address for one in (*COURSE, STORY) if one.has_beats]
    asked = parser.parse_args().addresses or doors
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = shutil.which("chromium")  # the headless shell would round the widths of letters
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with serving("app.py", Path(folder) / "log") as server:
            for address, language in product(asked, LANGUAGES):
                tab = browser.new_page()
                query = f"lang={language}&{_OPENS.get(address, '')}"
                text = drawings(tab, f"{server.url}/{address}?{query}")
                tab.close()
                (FOLDER / f"{address}.{language}.html").write_text(text, encoding="utf-8")
                print(address, language, len(text), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
