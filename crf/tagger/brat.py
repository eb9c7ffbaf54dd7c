"""Files of brat: a text, and beside it an .ann with the spans of its characters.

    T1<tab>PER 0 3<tab>Ada

Each line of the text is a sentence. Relations, events and attributes are not read.

Source: the manual of brat, "brat standoff format".
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..strict_json import write_json
from .lines import DataFileError, LineError, TextSource

_SPAN = re.compile(r"T\d+\t(\S+) (\d+)(?: \d+;\d+)* (\d+)(?:\t(.*))?")


class BratSource(TextSource):
    """The lines of an .ann's text, each with its spans as a line of JSON.

    Raises:
        DataFileError: There is no text beside the .ann, or the encoding is unknown.
    """

    def __init__(self, path: Path, encoding: str = "utf-8", max_bytes: int = 0) -> None:
        super().__init__(path, encoding=encoding, max_bytes=max_bytes)
        text = path.with_suffix(".txt")
        if not text.is_file():
            raise DataFileError(
                f"{path}: expected its text beside it, {text.name}, got none; an .ann holds only "
                "the places of its spans"
            )
        self.text = TextSource(text, f"{text} (with {path.name})", encoding, max_bytes)
        self.text.keeps_ends = True  # because brat counts both characters of Windows' line ends

    def lines(self) -> Iterator[tuple[int, str]]:
        """Read the lines of the text, each an object with its spans and its place in the text.

        Raises:
            DataFileError: As for `TextSource`; or a span is not in the text.
        """
        spans = [self._span(*line) for line in super().lines() if line[1][:1] == "T"]
        spans.sort(key=lambda span: (span["start"], -span["end"]))
        start = done = 0
        for number, line in self.text.lines():
            after, line = start + len(line), line.rstrip("\r\n")
            end, here = start + len(line), []
            while done < len(spans) and spans[done]["start"] <= end:
                span = spans[done]
                if span["end"] > end:
                    fault = f"span {span['start']}–{span['end']} goes past the end of its line"
                    raise self.text.located(LineError(number, fault))
                here.append({**span, "start": span["start"] - start, "end": span["end"] - start})
                done += 1
            yield number, write_json({"text": line, "spans": here, "brat": start})
            start = after
        if done < len(spans):
            raise DataFileError(
                f"{self.name}: its spans end at {spans[-1]['end']:,}, its text at {start:,}"
            )

    def _span(self, number: int, line: str) -> dict[str, Any]:
        match = _SPAN.fullmatch(line)
        if match is None:
            raise LineError(
                number, f"expected T1, a tab, PER 0 3, a tab, the text; got {line[:60]!a}"
            )
        label, start, end, written = match.groups()
        texts = {} if ";" in line or not written else {"text": written}
        return {"start": int(start), "end": int(end), "label": label, **texts}


def open_text(
    path: Path, encoding: str = "utf-8", max_bytes: int = 0, name: str = ""
) -> TextSource:
    """The lines of a file; of an .ann those of its text, as JSON with their spans.

    Raises:
        DataFileError: As for `TextSource` and `BratSource`.
    """
    if path.suffix == ".ann":
        return BratSource(path, encoding, max_bytes)
    return TextSource(path, name, encoding, max_bytes)
