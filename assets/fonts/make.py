"""Make the fonts in this folder from Streamlit's: `python -m assets.fonts.make`.

It takes `pip install fonttools brotli`.

They hold the letters that the app's texts have in Latin and Greek script and its mathematical
signs, in the weights that it uses. Any other letter is Streamlit's; a page that has one loads it.
"""

import io
import re
from importlib.resources import as_file, files
from pathlib import Path

from fontTools import subset  # pyright: ignore[reportMissingImports]
from fontTools.ttLib import TTFont  # pyright: ignore[reportMissingImports]
from fontTools.varLib import instancer  # pyright: ignore[reportMissingImports]

from pages.shared.ui.fonts import LETTERS

HERE = Path(__file__).resolve().parent
FONTS = {  # name → file of Streamlit's, the axes that stay or are fixed
    "sans": ("SourceSansVF-Upright", {"wght": (400, 700)}),
    "serif": ("SourceSerifVariable-Roman", {"wght": (400, 700), "opsz": 20}),
    "serif-italic": ("SourceSerifVariable-Italic", {"wght": (400, 700), "opsz": 20}),
}
FEATURES = "kern liga mark mkmk ccmp locl tnum lnum sups subs calt"


def letters() -> list[int]:
    """The code points of LETTERS."""
    found: list[int] = []
    for part in LETTERS.replace("U+", "").split(","):
        first, _, last = part.partition("-")
        found += range(int(first, 16), int(last or first, 16) + 1)
    return found


def make(name: str, stem: str, axes: dict) -> None:
    """Write one font."""
    options = subset.Options(flavor="woff2", hinting=False)
    options.layout_features, options.name_IDs = FEATURES.split(), [0, 13, 14]
    with as_file(files("streamlit").joinpath("static", "static", "media")) as folder:
        font = TTFont(next(folder.glob(f"{stem}*")))
    instancer.instantiateVariableFont(font, axes, inplace=True)
    font.flavor, kept = None, io.BytesIO()
    font.save(kept)
    font = TTFont(kept)
    cut = subset.Subsetter(options)
    cut.populate(unicodes=letters())
    cut.subset(font)
    subset.save_font(font, HERE / f"{name}.woff2", options)


def make_symbols() -> None:
    """Write those of Streamlit's icons that are a word in its scripts, or that our pages name."""
    with as_file(files("streamlit").joinpath("static", "static")) as folder:
        scripts = "".join(path.read_text("utf-8") for path in folder.rglob("*.js"))
        source = next(folder.glob("media/MaterialSymbols-Rounded*"))
        font = TTFont(source)
    pages = "".join(path.read_text("utf-8") for path in HERE.parents[1].glob("pages/**/*.py"))
    named = set(re.findall(r"[\"'`]([a-z0-9_]+)[\"'`]", scripts + pages))
    named |= set(re.findall(r":material/([a-z0-9_]+):", scripts + pages))
    letters = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    tables = [table for one in font["GSUB"].table.LookupList.Lookup for table in one.SubTable]
    glyphs = {
        name: ligature.LigGlyph
        for table in (getattr(table, "ExtSubTable", table) for table in tables)
        for first, ligatures in getattr(table, "ligatures", {}).items()
        for ligature in ligatures
        if (name := "".join(letters[glyph] for glyph in (first, *ligature.Component))) in named
    }
    options = subset.Options(flavor="woff2", hinting=False, layout_closure=False)
    options.layout_features = ["*"]
    cut = subset.Subsetter(options)
    cut.populate(
        glyphs=[*glyphs.values()], unicodes=map(ord, "abcdefghijklmnopqrstuvwxyz0123456789_")
    )
    cut.subset(font)
    subset.save_font(font, HERE / source.name, options)
    (HERE / "symbols.txt").write_text("\n".join(sorted(glyphs)) + "\n", "utf-8")


if __name__ == "__main__":
    for name, how in FONTS.items():
        make(name, *how)
    make_symbols()
