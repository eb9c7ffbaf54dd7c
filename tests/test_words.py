"""Words that are not plain English have gone, from texts, docstrings, comments and messages."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("crf", "pages", "docs", "benchmarks", "deploy", "examples", "tests")
FILES = [
    *ROOT.glob("*.md"),
    *(
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".md", ".py", ".js", ".css") and path != Path(__file__)
    ),
]
READERS_TEXTS = [
    path for path in FILES if path.suffix == ".md" and path.is_relative_to(ROOT / "pages")
] + sorted((ROOT / "crf" / "figures").rglob("*.md"))
# a pattern that is wrong wherever it stands, and what to write instead
GONE = {
    r"mend(s|ed|ing)?": "fix, correct, repair",
    r"anew": "again",
    r"all else": "everything else",
    r"at a press": "when you press …",
    r"by yourself": "on your own, or automatically",
    r"(need|must) not press": "you do not need to …",
    r"not right\.": "Not quite.",
    r"parallel time": "in parallel over time",
    r"of which nobody knows": "unknown",
    r"who(so)?ever": "anyone who, the reader, the student, any client",
    r"an own": "its own",
    r"(go|goes|going|went) on with": "continue",
    r"in the place of": "instead of",
    r"times (less|fewer|smaller|lower|slower)": "a third of, one third as",
    r"(held|holding) tags?|tags? (is|are) held": "fixed tag, fix a tag",
    r"belongs? into": "goes into",
    r"let go of (a|the|this) tag": "release a tag",
}
PATTERN = re.compile(rf"(?<![\w.-])(?:{'|'.join(GONE)})(?!\w)", re.IGNORECASE)
CODE = re.compile(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|<[^>\n]+>|\{[^}\n]*\}", re.DOTALL)


def prose(kind: str, source: str) -> str:
    """What people read in a file; of code: comments, docstrings and texts of several words."""
    if kind == ".md":
        return CODE.sub("", source)
    if kind in (".js", ".css"):
        return "\n".join(re.findall(r"(?:/\*.*?\*/|(?<!:)//[^\n]*)", source, re.DOTALL))
    texts = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
    return "\n".join(
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT or (token.type in texts and " " in token.string)
    )


def gone(text: str) -> list[str]:
    """The expressions in a text that have gone, each with what to write instead."""
    found = [hit[0] for hit in PATTERN.finditer(" ".join(text.split()))]
    return [
        f"{hit!r}: write {instead!r}"
        for hit in found
        for pattern, instead in GONE.items()
        if re.fullmatch(pattern, hit, re.IGNORECASE)
    ]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_file_has_an_expression_that_has_gone():
    found = {named(path): gone(prose(path.suffix, path.read_text("utf-8"))) for path in FILES}
    assert not {name: hits for name, hits in found.items() if hits}


def straight_quotes(text: str) -> list[str]:
    """The lines of a reader's text with ' or ", outside of code and formulas."""
    return [line for line in CODE.sub("", text).splitlines() if re.search(r"""['"]""", line)]


def test_readers_texts_have_typographic_quotes():
    found = {named(path): straight_quotes(path.read_text("utf-8")) for path in READERS_TEXTS}
    assert not {name: lines for name, lines in found.items() if lines}
    assert straight_quotes("`it's` and {it's} is it’s") == []
    assert straight_quotes("it’s\n**{word}**'s\n") == ["****'s"]


@pytest.mark.parametrize(
    ("kind", "planted"),
    [
        (".md", "Whoever opens it sees it."),
        (".md", "The loop goes\non with the first rows."),
        (".py", "# a fault is mended"),
        (".py", 'raise ValueError("two words, anew")'),
        (".js", "x(); // in the place of the answer"),
    ],
)
def test_a_planted_one_is_found(kind: str, planted: str):
    assert len(gone(prose(kind, planted))) == 1
    assert not gone(prose(kind, "`anew` is a name" if kind == ".md" else "anew = 1"))
