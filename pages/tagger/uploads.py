"""A file of tagged sentences of a reader's own, as it was read."""

from typing import NamedTuple

from crf.tagger import DataFileError, Sentence
from crf.tagger.columns import FileColumn
from crf.tagger.reading import TaggedFile
from pages.shared.course.problem import ProblemError

MOST_BYTES = 3 << 20  # of a file: some 40,000 words
MOST_UNPACKED = 16 << 20


class TaggedUpload(NamedTuple):
    """A file as it was read."""

    name: str  # of the file
    content: bytes  # its bytes, to read another column
    sentences: tuple[Sentence, ...]  # all of them
    columns: tuple[FileColumn, ...]  # that were found
    label: str  # name of the one with the labels
    notes: tuple[str, ...]  # what was assumed, in sentences

    @classmethod
    def read(
        cls, content: bytes, name: str, column: str = "", tags: tuple[str, ...] = ()
    ) -> "TaggedUpload":
        """Read a file of any format that `TaggedFile` recognises.

        Args:
            content: Of the file.
            name: Of the file.
            column: The name of the column with the labels; "": the likeliest.
            tags: Of a tagger: the likeliest column is then the one that holds most of them.

        Raises:
            ProblemError: It is too large, empty or of another format; the message says what to do.
        """
        if len(content) > MOST_BYTES:
            raise ProblemError(
                f"expected at most {MOST_BYTES:,} bytes, got {len(content):,}. Take the first "
                "thousands of sentences; for a whole treebank there is “crf train”"
            )
        try:
            file = TaggedFile(
                content, name, column=column, tags=tags, repair=True, max_bytes=MOST_UNPACKED
            )
            if tags:
                file.rewrite_for(tags)
            elif file.scheme == "IOB1":
                file.rewrite("BIO")  # what is learnt
            sentences = tuple(file)
        except DataFileError as error:
            raise ProblemError(str(error).removeprefix(name).lstrip(":, ")) from None
        return cls(name, content, sentences, tuple(file.columns), file.label, tuple(file.notes))
