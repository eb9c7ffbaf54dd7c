"""List what texts lack in other languages than English: `python -m tests.untranslated`.

It is shown in English until somebody translates it. Nothing fails for it but a release.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from crf.figures.languages import LANGUAGES
from crf.figures.texts import translations
from crf.figures.words import cases
from pages.shared.contents import ROOT

TEXTS = sorted(
    [
        *(path for folder in ("crf/figures", "pages") for path in (ROOT / folder).rglob("*.md")),
        ROOT / "crf/lab/words.md",
    ]
)
_PART = re.compile(r"^#{1,2} ([^:\n]+).*\n((?:(?!#{1,2} ).*\n?)*)", re.MULTILINE)


def names(text: str) -> list[str]:
    """Headings with their guards, and cases, in their order; a case is "table.case"."""
    found = []
    for name, body in _PART.findall(text):
        rows = cases(body.strip() + "\n")
        found += [name, *(f"{name}.{case}" for case in rows)]
    return found


def lacking(path: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a language and a passage or case that it lacks."""
    texts = translations(path)
    for language in LANGUAGES:
        own = set(names(texts.get(language, "")))
        yield from ((language, name) for name in names(texts["en"]) if name not in own)


def main() -> None:
    """Print a line for each."""
    found = [(path, *pair) for path in TEXTS for pair in lacking(path)]
    for path, language, name in found:
        print(f"{path.relative_to(ROOT).as_posix()}: {name} [{language}]")
    print(f"{len(found)} passages are not translated")


if __name__ == "__main__":
    main()
