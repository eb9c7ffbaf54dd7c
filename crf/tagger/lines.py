"""Numbered lines of a text file or an upload; whatever is wrong with it is one sentence.

Plain or gzipped, UTF-8 (with or without a byte order mark) or another encoding, any line ends. A
line at a time is in memory, and none longer than `MAX_LINE`.
"""

import codecs
import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, cast

MAX_LINE = 1_000_000  # characters
HEAD_LINES, HEAD_CHARACTERS = 1000, 1 << 20
_GZIP = b"\x1f\x8b"


class FileError(ValueError):
    """A file that cannot be used.

    Args:
        fault: What is wrong, for whoever has the file.
        remedy: What to do about it on the command line, which adds this to the message.
    """

    def __init__(self, fault: str, remedy: str = "") -> None:
        super().__init__(fault)
        self.remedy = remedy


class DataFileError(FileError):
    """A file of sentences that cannot be read; names the file, the line and the fault."""


class LineError(Exception):
    """A fault of one line, and a remedy as in `FileError`."""

    def __init__(self, number: int, fault: str, remedy: str = "") -> None:
        super().__init__(fault)
        self.number, self.fault, self.remedy = number, fault, remedy


class TextSource:
    r"""A text that can be read as often as wanted.

    Args:
        source: A path, or the bytes of an upload.
        name: For messages; default: the path.
        encoding: Of the text.
        max_bytes: Refuse more of it, unpacked; 0: no limit.

    Raises:
        DataFileError: There is no such encoding.

    Example:
        >>> list(TextSource("\ufeffÖl\r\nfließt".encode()).lines())
        [(1, 'Öl'), (2, 'fließt')]
    """

    def __init__(
        self,
        source: str | Path | bytes,
        name: str = "",
        encoding: str = "utf-8",
        max_bytes: int = 0,
    ) -> None:
        self.source = source if isinstance(source, bytes) else Path(source)
        self.name = name or ("the file" if isinstance(source, bytes) else str(source))
        self.max_bytes = max_bytes
        try:
            self.encoding = codecs.lookup(encoding).name
        except LookupError:
            raise DataFileError(
                f"encoding: expected one that Python knows, such as utf-8, latin-1 or utf-16, got "
                f"{encoding[:40]!r}"
            ) from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Read the lines without their ends, numbered from 1.

        Raises:
            LineError: A line is longer than `MAX_LINE`; use `explained`.
        """
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        with self._open() as file, io.TextIOWrapper(file, encoding, newline=None) as text:
            read, size = partial(text.readline, MAX_LINE + 2), 0
            for number, line in enumerate(iter(read, ""), start=1):
                size += len(line)
                if len(line) > MAX_LINE + 1:
                    raise LineError(
                        number,
                        f"expected at most {MAX_LINE:,} characters, got more; put one word, or one "
                        "sentence, on a line",
                    )
                if self.max_bytes and size > self.max_bytes:
                    raise self._too_large(f"more than {self.max_bytes >> 20:,}")
                yield number, line.rstrip("\n")

    def head(self) -> list[tuple[int, str]]:
        """Read the first lines, by which a format is recognised."""
        head, size = [], 0
        for number, line in self.lines():
            head.append((number, line))
            size += len(line)
            if number >= HEAD_LINES or size >= HEAD_CHARACTERS:
                break
        return head

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turn whatever goes wrong in reading into a `DataFileError`."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise self._undecodable(error) from error
        except UnicodeError as error:
            raise DataFileError(f"{self.name}: expected {self.encoding} text: {error}") from error
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataFileError(f"{self.name}: the gzip file is damaged: {error}") from error
        except OSError as error:
            raise DataFileError(f"{self.name}: {error.strerror or error}") from error
        except LineError as error:
            fault = f"{self.name}, line {error.number}: {error.fault}"
            raise DataFileError(fault, error.remedy) from error

    @contextlib.contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if not isinstance(self.source, bytes):
            size, file = self.source.stat().st_size, self.source.open("rb")
        else:
            size, file = len(self.source), io.BytesIO(self.source)
        with file:
            if self.max_bytes and size > self.max_bytes:
                raise self._too_large(f"{size >> 20:,}")
            start = file.read(len(_GZIP))
            file.seek(0)
            packed = start == _GZIP or self.name.endswith(".gz")
            yield cast(IO[bytes], gzip.open(file)) if packed else file

    def _too_large(self, size: str) -> DataFileError:
        return DataFileError(
            f"{self.name}: expected at most {self.max_bytes >> 20:,} MiB, which memory can hold, "
            f"got {size}; train on a part of it"
        )

    def _undecodable(self, error: UnicodeDecodeError) -> DataFileError:
        """Say where the first byte is that is no text: the decoder knows its own piece only."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        offset = number = 0
        with self._open() as file:
            wide = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            file.seek(0)
            for piece in iter(partial(file.readline, MAX_LINE), b""):
                number += 1
                waiting = len(cast(bytes, decoder.getstate()[0]))
                try:
                    decoder.decode(piece)
                except UnicodeDecodeError as found:
                    offset += found.start - waiting
                    break
                offset += len(piece)
        return DataFileError(
            f"{self.name}, line {number}: expected {self.encoding.upper()} text, got "
            f"{error.reason} at byte {offset:,} of the file",
            f"give its --encoding, such as {'utf-16' if wide else 'latin-1'}, or is it no text?",
        )
