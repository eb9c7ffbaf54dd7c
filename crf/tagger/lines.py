"""Numbered lines of a text file or an upload; whatever is wrong with it is one sentence.

Plain or gzipped, UTF-8 (with or without a byte order mark) or another encoding, any line ends. A
line at a time is in memory, and none longer than `MAX_LINE`.
"""

import codecs
import contextlib
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, cast

from .encodings import likely_encodings

MAX_LINE = 1_000_000  # characters
MAX_TAG_LENGTH, MAX_ENTRY_LENGTH = 128, 1000  # characters of a label, of a word
HEAD_LINES, HEAD_CHARACTERS = 1000, 1 << 20
PIECE = 1 << 18  # bytes of a stream that are read together
TOO_LONG = (
    f"expected at most {MAX_LINE:,} characters, got more; put one word, or one sentence, on a line"
)
_GZIP = b"\x1f\x8b"
_SAMPLE = 1 << 16  # bytes by which an encoding is guessed
_TELLS_NO_FORMAT = re.compile(r"\s*(#\s*[\w.:]+\s*=.*|-DOCSTART-.*)?")


class FileError(ValueError):
    """A file that cannot be used.

    Args:
        fault: What is wrong, for the owner of the file.
        remedy: What to do about it on the command line, which adds this to the message.
    """

    def __init__(self, fault: str, remedy: str = "") -> None:
        super().__init__(fault)
        self.remedy = remedy


class DataFileError(FileError):
    """A file of sentences that cannot be read; names the file, the line and the fault."""


class LineError(Exception):
    """A fault of one line, or of the file (line 0), and a remedy as in `FileError`."""

    def __init__(self, number: int, fault: str, remedy: str = "") -> None:
        super().__init__(fault)
        self.number, self.fault, self.remedy = number, fault, remedy


class _Explained:
    """What is wrong with a source, in one sentence."""

    name: str
    encoding: str

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
            raise self.located(error) from error

    def located(self, error: LineError, remedy: str = "") -> DataFileError:
        """The fault of a line, with the source's name; a remedy, if the fault has none."""
        line = f", line {error.number}" if error.number else ""
        return DataFileError(f"{self.name}{line}: {error.fault}", error.remedy or remedy)

    def _undecodable(self, error: UnicodeDecodeError) -> DataFileError:
        raise NotImplementedError

    def _no_text(self, number: int, reason: str, where: str, sample: bytes) -> DataFileError:
        """A byte that is not of the encoding; the bytes around it tell which it may be."""
        likely = likely_encodings(sample)
        remedy = "convert it to UTF-8, or name its --encoding; is it text at all?"
        if likely:
            remedy = f"it looks like {' or '.join(likely)}: use --encoding {likely[0]}"
        return DataFileError(
            f"{self.name}, line {number}: expected {self.encoding.upper()} text, got {reason}"
            f"{where}",
            remedy,
        )


def _encoding(name: str) -> str:
    """Python's name of an encoding.

    Raises:
        DataFileError: There is none.
    """
    try:
        b"".decode(name)  # LookupError also for codecs that are no encodings of text
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        raise DataFileError(
            f"encoding: expected one that Python knows, such as utf-8, latin-1 or utf-16, got "
            f"{name[:40]!a}"
        ) from None


class TextSource(_Explained):
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
        self.encoding = _encoding(encoding)
        self.keeps_ends = False

    def lines(self) -> Iterator[tuple[int, str]]:
        """Read the lines, numbered from 1, without their ends, or with them if `keeps_ends`.

        Raises:
            DataFileError: The text cannot be read.
            LineError: A line is longer than `MAX_LINE`, or no text.
        """
        with self.explained():
            yield from self._lines()

    def _lines(self) -> Iterator[tuple[int, str]]:
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        newline = "" if self.keeps_ends else None
        with self._open() as file, io.TextIOWrapper(file, encoding, newline=newline) as text:
            read, size = partial(text.readline, MAX_LINE + 2), 0
            for number, line in enumerate(iter(read, ""), start=1):
                size += len(line)
                line = _checked(number, line)
                if self.max_bytes and size > self.max_bytes:
                    raise self._too_large(f"more than {self.max_bytes >> 20:,}")
                yield number, line if self.keeps_ends else line.rstrip("\n")

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
            file.seek(0)
            sample = file.read(4 if wide else 0) or _around(file, offset)
        where = f" at byte {offset:,} of the file"
        return self._no_text(number, error.reason, where, sample)


def _around(file: IO[bytes], offset: int) -> bytes:
    """The bytes around a place, from the begin of a line on."""
    file.seek(max(0, offset - _SAMPLE // 2))
    if file.tell():
        file.readline(_SAMPLE // 4)
    return file.read(_SAMPLE)


def _checked(number: int, line: str) -> str:
    """A line without byte order marks, which stand at the joints of joined files.

    Raises:
        LineError: It is too long, or no text.
    """
    if len(line) > MAX_LINE + 1:
        raise LineError(number, TOO_LONG)
    if "\0" in line:
        raise LineError(
            number,
            "expected text, got a NUL character",
            "if it is UTF-16 or UTF-32, name its --encoding, such as utf-16-le",
        )
    return line.lstrip("\ufeff")


class StreamSource(_Explained):
    """A text that is read once, as it comes.

    Args:
        stream: Its bytes, plain or gzipped; a `BufferedReader`, or what it can read from.
        name: For messages.
        encoding: Of the text.
        before_wait: Called when all lines that are there have been given.

    Raises:
        DataFileError: There is no such encoding.
    """

    def __init__(
        self,
        stream: io.BufferedReader | io.RawIOBase,
        name: str,
        encoding: str,
        before_wait: Callable[[], None],
    ) -> None:
        self.stream, self.name, self.encoding = stream, name, _encoding(encoding)
        self.before_wait = before_wait
        self._blocks = self._read()
        self._head: list[tuple[int, str]] = []
        self._rest, self._number = "", 0  # the beginning of a line; the number of lines before it

    def head(self) -> list[tuple[int, str]]:
        """Wait for the first lines that tell a format; they are among the `lines`, too.

        Raises:
            DataFileError: As for `lines`.
        """
        for block in self._blocks:
            self._head += block
            telling = [line for _, line in self._head if not _TELLS_NO_FORMAT.fullmatch(line)]
            if len(telling) > 1 or (telling and not self._rest):
                break
        return self._head[:HEAD_LINES]

    def lines(self) -> Iterator[tuple[int, str]]:
        """Read the lines without their ends, numbered from 1.

        Raises:
            DataFileError: The text cannot be decoded.
            LineError: A line is longer than `MAX_LINE`, or no text.
        """
        block: list[tuple[int, str]] | None = self._head
        while block is not None:
            yield from block
            self.before_wait()
            block = next(self._blocks, None)

    def _read(self) -> Iterator[list[tuple[int, str]]]:
        """The whole lines that are there, each time."""
        stream = self.stream
        if not isinstance(stream, io.BufferedReader):
            stream = io.BufferedReader(stream)
        if stream.peek(len(_GZIP)).startswith(_GZIP):
            stream = gzip.GzipFile(fileobj=stream)
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        bare = codecs.getincrementaldecoder(encoding)()
        decoder = io.IncrementalNewlineDecoder(bare, translate=True)
        block, fault = b" ", None
        while block and not fault:
            with self.explained():
                block = stream.read1(PIECE)
                try:
                    text = decoder.decode(block, final=not block)
                except UnicodeDecodeError as error:
                    fault, good = error, error.object[: error.start]
                    text = good.decode(encoding, errors="replace").replace("\r\n", "\n")
                *whole, self._rest = (self._rest + text).split("\n")
                if not block and self._rest:
                    whole.append(self._rest)
                lines = [(n, _checked(n, one)) for n, one in enumerate(whole, self._number + 1)]
                self._number += len(whole)
                _checked(self._number + 1, self._rest)
                self._rest = "" if fault else self._rest
            yield lines
        if fault:
            raise self._undecodable(fault)

    def _undecodable(self, error: UnicodeDecodeError) -> DataFileError:
        """The decoder has the bytes that came last."""
        return self._no_text(self._number + 1, error.reason, "", error.object[-_SAMPLE:])
