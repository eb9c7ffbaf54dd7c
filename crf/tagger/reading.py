"""Tagged sentences from files as they are: format, columns and label scheme are found, and said.

    file = TaggedFile("train.txt")              # or the bytes of an upload
    file.notes                                  # what was assumed, in sentences
    file.columns, file.label, file.first        # for a menu; the first sentence as it is read
    for sentence in file: ...                   # one at a time, as often as wanted
    TaggingDataset.of(file)                     # all of them in memory, as training takes them

A file is parsed from its first line to its last when it is opened, so that whatever is wrong in it
is known before anything is learnt from it; a sentence at a time, so that memory stays flat.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from .. import schemes
from ..schemes import LabelStyle, SchemeStatistics
from .brat import open_text
from .columns import NO_SENTENCE, recognised
from .formats import COLUMNS, CONLLU, DOCSTART, JSON, WRITE_COLUMNS, FileRows, Layout
from .lines import MAX_ENTRY_LENGTH, MAX_TAG_LENGTH, DataFileError, LineError, TextSource

FIRST_FAULTS = 5  # that are shown
MAX_BYTES = 512 << 20  # of a text that is taken into memory
HINTS = ("UPOS", "XPOS", "FEATS", "DEPREL")
ALIASES = {"IOB2": "BIO", "IOB": "BIO", "IOBES": "BIOES", "BIOUL": "BILOU", "BMESO": "BMES"}


def check_words(layout: Layout, rows: FileRows) -> None:
    """Refuse words that are empty or too long.

    Raises:
        LineError: There is one.
    """
    for number, cells in zip(rows.numbers, rows.cells, strict=True):
        word = cells[layout.word]
        if not word:
            name = layout.names[layout.word]
            raise LineError(
                number,
                f"column {name} is empty; every token needs one: if the token is a blank, write it "
                "as ␣, or leave its line out",
            )
        if len(word) > MAX_ENTRY_LENGTH:
            raise LineError(
                number,
                f"expected words of at most {MAX_ENTRY_LENGTH:,} characters, got {len(word):,}; is "
                "it one word?",
            )


class Sentence(NamedTuple):
    """A sentence's words, with one tag each."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    hints: tuple[tuple[str, ...], ...] = ()
    """Each word's further columns in the treebank (xpos, feats, deprel); training may use them."""


class TaggedFile:
    r"""A file of tagged sentences: CoNLL-U, columns or JSON lines; plain or gzipped.

    Iterate over it for its sentences, as often as you like; each time the file is read again.

    Args:
        source: A path, or the bytes of an upload.
        name: Of an upload, for messages; default: the path.
        column: Name or number of the column with the labels, MISC:NER for NER=B-PER in MISC;
            default: UPOS in CoNLL-U; in columns the one with most spans, else the last; in JSON
            tags, ner_tags, labels.
        words: Name or number of the column with the words; default: the first that holds neither
            numbers nor labels; FORM in CoNLL-U; tokens or words in JSON.
        labels: Names for labels that are numbers, in their order.
        scheme: One of `crf.schemes.SCHEMES`, or "none" for plain tags; default: found from the
            labels.
        repair: Read labels that break the scheme as conlleval does, instead of refusing the file.
        encoding: Of the text.
        tags: Of a tagger: the default column is then the one that holds most of them.
        tokeniser: It splits the texts of files with spans of characters.
        align: What to do with spans that do not begin and end where words do: refuse the file
            (strict), take the words that they touch (expand), or leave them out (drop).
        max_bytes: Of the unpacked text that is read at most; 0: no limit.
        settle: Whether to settle the scheme now; else call `settle` before iterating.

    Attributes:
        format: "CoNLL-U", "columns" or "JSON lines".
        columns: All columns found, each with its name and examples.
        word, label: Names of the columns that hold the words and the labels.
        scheme: The label scheme that came in, or None for plain tags.
        first: The first sentence, as it is read.
        sentences, tokens, faults: How many there are; a fault is a label that breaks the scheme.
        statistics: Counts of the labels as they were written, but for their style (B_PER, PER-B).
        notes: What was assumed or left out, in sentences.

    Raises:
        DataFileError: The file is missing, damaged, of no known format, has a line that does not
            fit it, or labels that break the scheme; the message says where, and what to do.

    Example:
        >>> file = TaggedFile(b"Ada NNP I-PER\nsang VBD O\n\nUlm NNP I-LOC\nwept VBD O\n")
        >>> file.format, file.label, file.scheme, file.sentences
        ('columns', '3', 'IO', 2)
        >>> [column.name for column in file.columns], file.first.words
        (['1', '2', '3'], ('Ada', 'sang'))
    """

    def __init__(
        self,
        source: str | Path | bytes,
        name: str = "",
        *,
        column: str = "",
        words: str = "",
        labels: Sequence[str] = (),
        scheme: str = "",
        repair: bool = False,
        encoding: str = "utf-8",
        tags: Sequence[str] = (),
        tokeniser: str = "unicode",
        align: str = "strict",
        max_bytes: int = 0,
        settle: bool = True,
    ) -> None:
        if isinstance(source, bytes):
            self.source = TextSource(source, name, encoding, max_bytes)
        else:
            self.source = open_text(Path(source), encoding, max_bytes, name)
        self.align = align
        self.name, self.labels, self.repair = self.source.name, tuple(labels), repair
        self.sentences = self.tokens = self.faults = 0
        self.scheme: str | None = None
        self.statistics = SchemeStatistics()
        self._checked: set[str] = set()  # labels
        self._written: tuple[str, bool] | None = None  # see `rewrite`
        self._style: LabelStyle | None = None
        with self.source.explained():
            choice = recognised(
                self.source.head(),
                column=column,
                words=words,
                tags=tags,
                tokeniser=tokeniser,
                align=align,
            )
        layout, self.columns, label, self.notes = choice
        assert label is not None
        place = self._column = label
        self.format, self.word = layout.kind, layout.names[layout.word]
        self.label = layout.names[place]
        self._hints = [
            (hint, layout.names.index(hint))
            for hint in HINTS
            if self.format == CONLLU and hint in layout.names and hint != self.label
        ]
        if self.format == JSON:  # other lists need not be in every object
            layout, place = replace(layout, names=(self.word, self.label), word=0), 1
        self.layout, self._place = layout, place
        self.first = Sentence((), ())
        self._scan()
        if style := schemes.style_of(self.statistics.counts):
            self._style, self.statistics = style, SchemeStatistics()
            for sentence, _ in self._parsed():
                self.statistics.add(sentence.tags)
            self.first = next(self._parsed())[0]
            how = "B{}PER" if style.letter_first else "PER{}B"
            self.notes.append(f"labels written as {how.format(style.separator)} are read as B-PER")
        if settle:
            self.settle(scheme)

    def __iter__(self) -> Iterator[Sentence]:
        """Read the sentences, one at a time."""
        return (self._rewritten(sentence) for sentence, _ in self._parsed())

    def settle(self, scheme: str = "", statistics: SchemeStatistics | None = None) -> None:
        """Settle the label scheme; refuse labels that break it, unless they shall be repaired.

        The statistics are those of all files that share the scheme; by default, of this one.

        Raises:
            DataFileError: Labels break the scheme, or are none of it.
        """
        statistics = statistics or self.statistics
        self.scheme = self._named(scheme) if scheme else statistics.scheme()
        if self.scheme is None:
            if not scheme and (expected := self.columns[self._column].scheme):
                self._refuse_odd(expected)
            return
        self.notes.append(f"label scheme {self.scheme}{' (as told)' if scheme else ''}")
        where: list[str] = []
        closed = self.scheme not in ("IO", "IOB1", "BIO")
        if closed or (self.scheme == "BIO" and self.statistics.begun_by_inside):
            for sentence, numbers in self._parsed():
                for position in schemes.faults(sentence.tags, self.scheme):
                    self.faults += 1
                    if self.faults <= FIRST_FAULTS:
                        where.append(f"line {numbers[position]}: {sentence.tags[position]}")
        if not self.faults:
            return
        first = "; ".join(where) + ("; …" if self.faults > FIRST_FAULTS else "")
        fault = f"labels that break the scheme {self.scheme}: {self.faults:,} ({first})"
        if not self.repair:
            raise DataFileError(
                f"{self.name}: {fault}",
                "--repair reads them as conlleval does, --scheme names another scheme",
            )
        self.notes.append(f"{fault}; they are read as conlleval does")
        self.rewrite(self.scheme)

    @property
    def target_scheme(self) -> str | None:
        """The label scheme of the sentences as they are given: another one after `rewrite`."""
        return self._written[0] if self._written else self.scheme

    def rewrite(self, scheme: str, *, bare: bool = False) -> None:
        """From now on, give all spans as labels of this scheme; bare: `PER` for `I-PER` in IO."""
        self._written = scheme, bare
        self.first = self._rewritten(self.first)

    def rewrite_for(self, tags: Sequence[str], scheme: str | None = None) -> None:
        """From now on, give labels of spans as a tagger's tags write them; plain tags stay."""
        scheme = scheme or schemes.scheme_of_tags(tags)
        if not scheme and schemes.OUTSIDE in tags:
            scheme = "IO"  # PER, LOC, O
        if self.scheme and scheme:
            self.rewrite(scheme, bare=not all(map(schemes.has_letter, tags)))

    def _refuse_odd(self, scheme: str) -> None:
        """Refuse the first label that is none of the scheme of the others."""
        for sentence, numbers in self._parsed():
            for number, tag in zip(numbers, sentence.tags, strict=True):
                if not schemes.has_letter(tag) or schemes.foreign([tag], scheme):
                    raise DataFileError(
                        f"{self.name}, line {number}: expected a label of the scheme {scheme} as "
                        f"in most lines, got {tag[:40]!r}",
                        "--scheme none reads plain tags, --column another column",
                    )

    def _scan(self) -> None:
        """Read everything once: count, and refuse what cannot be read."""
        blank = 0
        if self.layout.of_object:
            self._scan_spans()
        for sentence, _ in self._parsed():
            self.first = self.first if self.sentences else sentence
            self.sentences += 1
            self.tokens += len(sentence.words)
            blank += sentence.words.count("_") if self.format == CONLLU else 0
            self.statistics.add(sentence.tags)
        if not self.sentences:
            raise DataFileError(f"{self.name}: {NO_SENTENCE}")
        if set(self.statistics.counts) == {"_"}:
            raise DataFileError(f"{self.name}: column {self.label} is empty: every label is _")
        if blank:
            self.notes.append(f"{blank:,} words are written _ and are read as that sign")

    def _scan_spans(self) -> None:
        """Count the spans that cannot be read as they are; refuse them, unless told otherwise."""
        where, misfits, nested, left_out = list[str](), 0, 0, 0
        with self.source.explained():
            for rows in self.layout.sentences(self.source.lines()):
                nested += rows.nested
                left_out += not rows.cells and "answer" in rows.fields
                misfits += len(rows.misfits)
                where += [f"line {rows.start}: {one}" for one in rows.misfits]
                del where[FIRST_FAULTS:]
        if left_out:
            self.notes.append(f"{left_out:,} texts are left out: their answer is not accept")
        if nested:
            self.notes.append(f"{nested:,} spans overlap others; of these the outermost are read")
        if not misfits:
            return
        more = "; …" if misfits > FIRST_FAULTS else ""
        first = "; ".join(where) + more
        fault = f"spans that do not begin and end where words do: {misfits:,} ({first})"
        if self.align == "strict":
            raise DataFileError(
                f"{self.name}: {fault}",
                "--align expand takes the words that they touch, --align drop leaves them out",
            )
        done = "take the words that they touch" if self.align == "expand" else "are left out"
        self.notes.append(f"{fault}; they {done}")

    def _parsed(self) -> Iterator[tuple[Sentence, list[int]]]:
        """Every sentence as it was written, with the lines of its words."""
        with self.source.explained():
            for rows in self.layout.sentences(self.source.lines()):
                numbers, cells = rows.numbers, rows.cells
                words = tuple(row[self.layout.word] for row in cells)
                if rows.text is not None:
                    raise LineError(rows.start, f'"{self.word}": expected a list of words')
                if not words or words == (DOCSTART,):
                    continue
                tags = tuple(row[self._place] for row in cells)
                if self.labels:
                    tags = tuple(map(self._name_of, numbers, tags))
                if not (all(words) and max(map(len, words)) <= MAX_ENTRY_LENGTH):
                    check_words(self.layout, rows)
                if not self._checked.issuperset(tags):
                    self._check(numbers, tags)
                hints = tuple(map(self._hints_of, cells)) if self._hints else ()
                if self._style:
                    tags = tuple(map(self._style.rewrite, tags))
                yield Sentence(words, tags, hints), numbers

    def _hints_of(self, row: Sequence[str]) -> tuple[str, ...]:
        """The hints of a word; of its relation without the subtype."""
        return tuple(
            row[n].partition(":")[0] if name == "DEPREL" else row[n] for name, n in self._hints
        )

    def _check(self, numbers: Sequence[int], tags: Sequence[str]) -> None:
        """Refuse labels that are empty, too long or unprintable."""
        of_conllu = self.format == CONLLU
        for number, tag in zip(numbers, tags, strict=True):
            if not tag or (tag == "_" and self.label == "UPOS" and of_conllu):
                raise LineError(number, f"column {self.label} is empty; every token needs one")
            if self.format == COLUMNS and " " in tag and not schemes.has_letter(tag):
                raise LineError(
                    number,
                    f"expected one label, got {tag[:40]!r} (tabs and spaces mixed, or a whole "
                    f"sentence on one line?); {WRITE_COLUMNS}",
                )
            if len(tag) > MAX_TAG_LENGTH or not tag.isprintable():
                raise LineError(
                    number,
                    f"expected labels of at most {MAX_TAG_LENGTH} printable characters, got "
                    f"{len(tag):,}: {tag[:40]!a}",
                    "--column reads another column",
                )
            if self.format == JSON and tag.isdecimal() and not self.labels:
                raise LineError(
                    number,
                    f'"{self.label}" are numbers without known names',
                    "name them in order with --labels O,B-PER,… or with a file that has a label on "
                    "each line",
                )
        self._checked.update(tags)

    def _name_of(self, number: int, tag: str) -> str:
        if not tag.isdecimal() or int(tag) >= len(self.labels):
            raise LineError(
                number,
                f"expected numbers from 0 to {len(self.labels) - 1}, one for each label named, got "
                f"{tag[:40]!r}",
            )
        return self.labels[int(tag)]

    def _named(self, scheme: str) -> str | None:
        """The scheme that was asked for, if the labels are of it."""
        name = ALIASES.get(scheme.upper(), scheme.upper())
        if name == "NONE":
            return None
        if name not in schemes.SCHEMES:
            raise DataFileError(
                f"scheme: expected one of {', '.join(schemes.SCHEMES)} or none, got {scheme[:40]!r}"
            )
        if odd := schemes.foreign(self.statistics.counts, name):
            raise DataFileError(
                f"{self.name}: scheme {name}: {odd[:40]!r} is no label of it",
                "name another --scheme, or another --column",
            )
        return name

    def _rewritten(self, sentence: Sentence) -> Sentence:
        if self._written is None:
            return sentence
        scheme, bare = self._written
        return sentence._replace(tags=tuple(schemes.convert(sentence.tags, scheme, bare=bare)))


class TaggingDataset(list[Sentence]):
    """A list of tagged sentences, which torch can use as a data set.

    Example:
        >>> dataset = TaggingDataset([Sentence(("Fish", "fish"), ("NOUN", "VERB"))])
        >>> len(dataset), dataset[0].tags, dataset.tags
        (1, ('NOUN', 'VERB'), ('NOUN', 'VERB'))
    """

    @classmethod
    def read(cls, source: str | Path | bytes, name: str = "", **options: Any) -> "TaggingDataset":
        """Read the sentences of a path or an upload, with the arguments of `TaggedFile`.

        Raises:
            DataFileError: As for `TaggedFile`; or there are more than `MAX_BYTES`.
        """
        return cls.of(TaggedFile(source, name, max_bytes=MAX_BYTES, **options))

    @classmethod
    def of(cls, file: TaggedFile) -> "TaggingDataset":
        """Read a file's sentences into memory; equal words share one string."""
        once: dict[str, str] = {}

        def shared(texts: Iterable[str]) -> tuple[str, ...]:
            return tuple(once.setdefault(text, text) for text in texts)

        return cls(
            Sentence(shared(words), shared(tags), tuple(map(shared, hints)))
            for words, tags, hints in file
        )

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the sentences, sorted and without duplicates."""
        return tuple(sorted({tag for sentence in self for tag in sentence.tags}))


def read_together(*paths: Path, **options: Any) -> list[TaggedFile]:
    """Open files that share the first one's column and a label scheme; IOB1 is given as BIO.

    Raises:
        DataFileError: As for `TaggedFile`; or one has more than `MAX_BYTES`.
    """
    scheme = options.pop("scheme", "")
    options |= {"max_bytes": MAX_BYTES, "settle": False}
    files = [TaggedFile(paths[0], **options)]
    options["column"] = files[0].label
    files += [TaggedFile(path, **options) for path in paths[1:]]
    together = SchemeStatistics()
    for file in files:
        together.merge(file.statistics)
    for file in files:
        file.settle(scheme, together)
        if file.scheme == "IOB1":
            file.rewrite("BIO")
    return files


def with_hints(dataset: TaggingDataset, treebank: TaggingDataset) -> TaggingDataset:
    """The dataset's sentences with the tags and hints that the same sentence has in a treebank.

    Raises:
        ValueError: No sentence is in both.
    """
    by_words = {
        words: tuple((tag, *more) for tag, more in zip(tags, hints, strict=True))
        for words, tags, hints in treebank
    }
    hinted = [sentence._replace(hints=by_words.get(sentence.words, ())) for sentence in dataset]
    if not any(sentence.hints for sentence in hinted):
        raise ValueError(
            "hints: expected a CoNLL-U file with the sentences of the training file, got one that "
            "has none of them; give the treebank that the names were annotated in"
        )
    return TaggingDataset(hinted)
