"""Tags text, a sentence a line: a stream as it comes, or a file, by one process or by several."""

import gzip
import hashlib
import json
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Protocol, TextIO

from torch import distributed

from .model_files import AnyTagger, words_of
from .storage import write_atomically
from .training import from_first, processes, rank

MAX_LINE = 1_000_000
"""Bytes of a line; a sentence is one, a file whose line ends were lost is not."""

PIECE = 1 << 18
"""Bytes of text that are tagged together, about."""

BATCH_CELLS = 8192
"""Tokens of a batch, padding included, unless a single sentence has more."""

WORTH_COMPILING = 2000
"""Tokens from which the compiled kernels are used; a line typed by hand does not wait for them."""


class Readable(Protocol):
    """What `tag_stream` reads: a binary stream that can give what is there already."""

    def read1(self, size: int, /) -> bytes:
        """Some bytes, waiting only if there are none; empty at the end."""
        ...


def answers(tagger: AnyTagger, lines: Sequence[str], as_json: bool) -> list[str]:
    """A line of answer to each line: `word/TAG` pairs, or JSON with tokens, tags and log_prob."""
    sentences = [words_of(tagger, line) for line in lines]
    backend = "auto" if sum(map(len, sentences)) >= WORTH_COMPILING else "plain"
    found: list[str] = [""] * len(sentences)
    for rows in _batches([len(tokens) for tokens in sentences]):
        batch = [sentences[row] for row in rows]
        chain = tagger.chain(batch, backend)
        best = chain.viterbi().tags
        log_probs = chain.log_prob(best).tolist() if as_json else [0.0] * len(rows)
        for row, tokens, path, log_prob in zip(rows, batch, best.tolist(), log_probs, strict=True):
            tags = [tagger.tags[tag] for tag in path[: len(tokens)]]
            if as_json:
                answer = {"tokens": tokens, "tags": tags, "log_prob": log_prob}
                found[row] = json.dumps(answer, ensure_ascii=False)
            else:
                found[row] = " ".join(map("/".join, zip(tokens, tags, strict=True)))
    return found


def tag_stream(tagger: AnyTagger, source: Readable, out: TextIO, as_json: bool) -> None:
    """Answer each line as soon as it is there, and lines that are there together at once.

    Raises:
        ValueError: A line is longer than `MAX_LINE`.
    """
    rest, done, open_ = b"", 0, True
    while open_:
        block = source.read1(PIECE)
        open_ = bool(block)
        *lines, rest = (rest + block).split(b"\n") if open_ else [rest, b""]
        if not open_ and not lines[0]:
            break
        for number, line in enumerate([*lines, rest], start=done + 1):
            _check_length("standard input", number, line)
        if lines:
            done += len(lines)
            texts = [line.decode(errors="replace") for line in lines]
            out.writelines(f"{answer}\n" for answer in answers(tagger, texts, as_json))
            out.flush()


def tag_file(tagger: AnyTagger, path: Path, output: Path | None, as_json: bool) -> None:
    """Tag a file, piece by piece; of several processes each takes its share of the pieces.

    With `output`, each piece is kept in `OUTPUT.parts/` until all are done, so that a run that was
    stopped goes on; only the whole result is put under the name asked for.

    Args:
        tagger: The tagger.
        path: UTF-8 text, may be gzipped (.gz).
        output: Where the answers go; None: to standard output.
        as_json: As for `answers`.

    Raises:
        ValueError: A line is too long or not UTF-8, or the parts are those of another run.
        OSError: A file cannot be read or written.
    """
    if output is None and processes() == 1:
        for lines in pieces(path):
            for answer in answers(tagger, lines, as_json):
                print(answer)
        return
    parts = Path(f"{output}.parts") if output else Path(from_first(tempfile.mkdtemp))
    try:
        _claim(parts, tagger, path, as_json)
        count = 0
        for count, lines in enumerate(pieces(path), start=1):
            part = parts / f"{count:08d}"
            if count % processes() == rank() and not part.exists():
                text = "".join(f"{answer}\n" for answer in answers(tagger, lines, as_json))
                write_atomically(part, text.encode())
        if processes() > 1:
            distributed.barrier()
        if not rank():
            texts = ((parts / f"{n:08d}").read_bytes() for n in range(1, count + 1))
            if output:
                write_atomically(output, texts)
                shutil.rmtree(parts)
            else:
                for text in texts:
                    print(text.decode(), end="")
    finally:
        if output is None and not rank():
            shutil.rmtree(parts)


def pieces(path: Path) -> Iterator[list[str]]:
    """The file's lines, some at a time.

    Raises:
        ValueError: A line is longer than `MAX_LINE` or not UTF-8, or the gzip file is damaged.
    """
    lines: list[str] = []
    size = 0
    opened: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as file:
            for number, line in enumerate(_lines(file), start=1):
                _check_length(str(path), number, line)
                try:
                    lines.append(
                        line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                    )
                except UnicodeDecodeError as error:
                    raise ValueError(
                        f"{path}, line {number}: expected UTF-8 text, got {error.reason}; "
                        "convert the file, or is it no text?"
                    ) from error
                size += len(line)
                if size >= PIECE:
                    yield lines
                    lines, size = [], 0
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: the gzip file is damaged: {error}") from error
    if lines:
        yield lines


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE + 2):
        yield line


def _check_length(name: str, number: int, line: bytes) -> None:
    if len(line) > MAX_LINE + 1:
        raise ValueError(
            f"{name}, line {number}: expected at most {MAX_LINE:,} bytes, got more; "
            "break the text into sentences, one a line"
        )


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The rows of sentences of similar length, few enough for `BATCH_CELLS`."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if batch and (len(batch) + 1) * lengths[row] > BATCH_CELLS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _claim(parts: Path, tagger: AnyTagger, path: Path, as_json: bool) -> None:
    """Take the directory for this file, tagger and form of answer, or refuse another run's."""
    seen = path.stat()
    run = hashlib.sha256(repr((seen.st_size, seen.st_mtime_ns, as_json, tagger.tags)).encode())
    for tensor in tagger.state_dict().values():
        run.update(tensor.cpu().numpy().tobytes())
    mark = parts / "run"
    parts.mkdir(parents=True, exist_ok=True)
    if mark.exists() and mark.read_text() != run.hexdigest():
        raise ValueError(
            f"{parts}: the parts of a run with another file, tagger or form of answer; "
            "delete it to start over, or give another --output"
        )
    write_atomically(mark, run.hexdigest().encode())
