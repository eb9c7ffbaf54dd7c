"""Tags text or words that are split: a stream as it comes, or a file."""

import hashlib
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from .. import LinearChain
from ..schemes import convert
from ..strict_json import JsonError, read_json, write_json
from .brat import BratSource, open_text
from .columns import recognised
from .decoders import DECODERS
from .evaluation import label_scheme
from .formats import TEXT
from .lines import DataFileError, LineError, StreamSource, TextSource
from .model import AnyTagger
from .model_files import spans_of
from .storage import ModelFileError, alone_in, naming, write_atomically
from .text_input import SplitText
from .text_input import sentences as read_sentences
from .unseen import unseen_scripts
from .writers import WRITERS, TaggedText, conllu_column

PIECE = 1 << 18  # characters of text that are tagged together, about
BATCH_CELLS = 8192  # tokens of a batch, padding included, unless a single sentence has more
WORTH_COMPILING = 2000
"""Tokens from which the compiled kernels are used; a line typed by hand does not wait for them."""
_SHAPES_OUTPUT = ("tags", "scheme", "written_as", "tokeniser", "constraints")  # of a tagger


class Form(NamedTuple):
    """How sentences come in, how they are tagged, how they go out."""

    write: str = "text"  # one of `WRITERS`
    read: str = "auto"  # see `text_input`; "auto": recognised by the first lines
    encoding: str = "utf-8"  # of the input; the output is UTF-8
    decoder: str = "viterbi"  # one of `DECODERS`
    words: str = ""  # the column of the words; default: see `columns.recognised`


def answers(tagger: AnyTagger, sentences: Sequence[SplitText], form: Form) -> list[str]:
    """Tag some sentences and write each, with its line end; nothing for a line without names."""
    write = WRITERS[form.write]
    written = [(one.source, write(one)) for one in tagged(tagger, sentences, form)]
    return [
        f"{source.around[0]}{text}{source.around[1]}\n"
        for source, text in written
        if text or "brat" not in source.fields
    ]


def tagged(
    tagger: AnyTagger,
    sentences: Sequence[SplitText],
    form: Form,
    measure: Callable[[LinearChain], list[float]] | None = None,
) -> list[TaggedText]:
    """Tag some sentences.

    Args:
        tagger: The tagger.
        sentences: Their words.
        form: What is to be written of them.
        measure: Of each sentence of a chain; see `TaggedText.unsure`.
    """
    words = [sentence.words for sentence in sentences]
    backend = "auto" if sum(map(len, words)) >= WORTH_COMPILING else "plain"
    scheme = label_scheme(tagger)
    column = conllu_column(tagger.tags, has_spans=scheme is not None)
    has_numbers = form.write in ("json", "spans")
    found: list[TaggedText | None] = [None] * len(sentences)
    waiting = list(_batches([len(tokens) for tokens in words]))
    while waiting:
        rows = waiting.pop()
        try:
            chain = tagger.chain([words[row] for row in rows], backend)
        except ModelFileError as error:  # a model of others reads so many words at a time
            if len(rows) > 1:
                waiting += [[row] for row in rows]
                continue
            sentence = sentences[rows[0]]
            note = f"line {sentence.number}: {error}; each of its tags is written as _"
            print(note, file=sys.stderr)
            tags = ["_"] * len(sentence.words)
            found[rows[0]] = TaggedText(sentence, tags, None, None, column)
            continue
        best = DECODERS[form.decoder].tags(chain)
        log_probs = chain.log_prob(best).tolist() if has_numbers else [0.0] * len(rows)
        names: Sequence[Any] = [[] if scheme else None] * len(rows)
        if scheme and has_numbers:
            names = chain.entities(tagger.tags, paths=best)
        scores = measure(chain) if measure else [None] * len(rows)
        for row, path, log_prob, spans, score in zip(
            rows, best.tolist(), log_probs, names, scores, strict=True
        ):
            tags = [tagger.tags[tag] for tag in path[: len(words[row])]]
            if getattr(tagger, "written_as", None) == "IOB1":
                tags = convert(tags, "IOB1")
            found[row] = TaggedText(sentences[row], tags, log_prob, spans, column, score)
    return [one for one in found if one]


def tag_stream(tagger: AnyTagger, source: io.BufferedReader, out: TextIO, form: Form) -> None:
    """Answer each sentence as soon as it is there, and those that are there together at once.

    Raises:
        DataFileError: A line is too long, not of the encoding, or not of the kind that is read.
    """
    waiting: list[SplitText] = []

    def answer() -> None:
        if waiting:
            out.writelines(answers(tagger, waiting, form))
            out.flush()
        waiting.clear()

    stream = StreamSource(source, "standard input", form.encoding, before_wait=answer)
    try:
        for sentence in _sentences(tagger, form, stream):
            waiting.append(sentence)
    except DataFileError:
        answer()  # so the sentences before the fault are answered
        raise
    answer()


def tag_file(tagger: AnyTagger, path: Path, output: Path | None, form: Form) -> None:
    """Tag a file, piece by piece.

    Without `output` the answers go to standard output. If `output` is a pipe or a device, they go
    into it as they come. Else each piece is kept in `OUTPUT.parts/` until all are done, so that a
    run that was stopped goes on; only the whole result is put under the name asked for. If that
    is a link, it stays, and the file that it leads to is written.

    Raises:
        DataFileError: A line is too long or not of the encoding.
        ValueError: The parts are those of another run, or another process writes them.
        OSError: A file cannot be read or written.
    """
    if output is None or (output.exists() and not output.is_file()):
        stream = output.open("w", encoding="utf-8") if output else nullcontext(sys.stdout)
        with naming(output or "standard output"), stream as out:
            for sentences in pieces(tagger, open_text(path, form.encoding), form):
                out.writelines(answers(tagger, sentences, form))
                out.flush()
        return
    output = Path(os.path.realpath(output))
    parts = Path(f"{output}.parts")
    with alone_in(parts, "tagging"):
        _claim(parts, tagger, path, form)
        count = 0
        for count, sentences in enumerate(
            pieces(tagger, open_text(path, form.encoding), form), start=1
        ):
            part = parts / f"{count:08d}"
            if not part.exists():
                text = "".join(answers(tagger, sentences, form))
                write_atomically(part, text.encode())
        texts = ((parts / f"{n:08d}").read_bytes() for n in range(1, count + 1))
        write_atomically(output, texts)
        shutil.rmtree(parts)


def pieces(
    tagger: AnyTagger, source: TextSource | StreamSource, form: Form
) -> Iterator[list[SplitText]]:
    """The sentences of a source, some at a time.

    Raises:
        DataFileError: As for `tag_file`.
    """
    piece: list[SplitText] = []
    size = 0
    for sentence in _sentences(tagger, form, source):
        piece.append(sentence)
        size += len(sentence.text)
        if size >= PIECE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _sentences(
    tagger: AnyTagger, form: Form, source: TextSource | StreamSource
) -> Iterator[SplitText]:
    """The sentences of a source as the lines come; on standard error, how they are read."""
    can_be_text = form.read == "auto" and not isinstance(source, BratSource)
    remedy = "--input text reads it as plain text" if can_be_text else ""
    try:
        layout, _, _, notes = recognised(
            source.head(),
            words=form.words,
            tags=tagger.tags,
            labelled=False,
            kind=form.read,
        )
        is_text = layout.kind == TEXT
        advice = "--input columns reads a word on each line" if is_text else remedy
        for note in notes:
            last = f"; {advice}" if advice and note is notes[-1] else ""
            print(f"{source.name}: {note}{last}", file=sys.stderr)
        remedy = "" if is_text else remedy
        said = set[str]()
        found = read_sentences(source.lines(), layout, partial(spans_of, tagger))
        if layout.is_array and form.write == "spans":
            found = _in_array(found)
        for sentence in found:
            if not sentence.text.isascii():
                _say_scripts(tagger, sentence, source.name, said)
            yield sentence
    except LineError as error:
        raise source.located(error, remedy) from error


def _in_array(sentences: Iterator[SplitText]) -> Iterator[SplitText]:
    """Sentences with what stands around them in an array of JSON."""
    last = next(sentences, None)
    before = "["
    for sentence in sentences:
        assert last
        yield last._replace(around=(before, ","))
        last, before = sentence, ""
    if last:
        yield last._replace(around=(before, "]"))


def _say_scripts(tagger: AnyTagger, sentence: SplitText, name: str, said: set[str]) -> None:
    """Say on standard error, once for each script, that training had no letter of it."""
    for script in unseen_scripts(tagger, sentence.text):
        if script not in said:
            said.add(script)
            print(
                f"{name}, line {sentence.number}: letters that the tagger has never seen "
                f"({script.title()}): expect wrong tags, and wrong words where there are no spaces",
                file=sys.stderr,
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


def _claim(parts: Path, tagger: AnyTagger, path: Path, form: Form) -> None:
    """Take the directory for this file, tagger and form, or refuse another run's."""
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256")
    if path.suffix == ".ann":
        content.update(path.with_suffix(".txt").read_bytes())
    model = hashlib.sha256(repr([getattr(tagger, name, None) for name in _SHAPES_OUTPUT]).encode())
    for tensor in tagger.state_dict().values():
        model.update(tensor.cpu().numpy().tobytes())
    shape = hashlib.sha256(repr((form, PIECE)).encode())
    digests = {"file": content, "tagger": model, "form of answer": shape}
    header = {name: digest.hexdigest() for name, digest in digests.items()}
    mark = parts / "run.json"
    parts.mkdir(parents=True, exist_ok=True)
    if mark.exists() or any(parts.glob("[0-9]*")):
        try:
            there = read_json(mark.read_bytes(), 1 << 16)
        except (OSError, JsonError):
            there = None
        there = there if isinstance(there, dict) else {}
        if other := [name for name in header if there.get(name) != header[name]]:
            raise ValueError(
                f"{parts}: the parts of a run with another {' and another '.join(other)}; delete "
                "it to start over, or give another --output"
            )
    write_atomically(mark, write_json(header).encode())
