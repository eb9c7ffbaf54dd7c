"""A tagger on disk: `tagger.json` and `weights.safetensors`, and the checks on the way back.

The files may come from anyone (the page takes uploads), so nothing in them is trusted: sizes are
bounded before anything is parsed or allocated, nothing is executed (JSON and safetensors, never
pickle), the weights' SHA-256 must be the one the JSON names, and every tensor must have the name,
type and shape that the JSON's sizes imply. Whatever fails is one sentence in a `ModelFileError`.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from ..strict_json import JsonError, read_json, write_json
from .lines import MAX_ENTRY_LENGTH, MAX_TAG_LENGTH, FileError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

FORMAT, VERSION = "linear-chain CRF tagger", 1
OPTIONAL = {"scheme", "clusters", "tokeniser", "written_as"}
JSON_NAME, WEIGHTS_NAME = "tagger.json", "weights.safetensors"
MAX_JSON_BYTES, MAX_WEIGHTS_BYTES, MAX_HEADER_BYTES = 16 << 20, 128 << 20, 64 << 10
MAX_TAGS = 1000
VOCABULARIES = ("words", "affixes", "characters")
CONSTRAINED = ("BIO", "BIOES", "BILOU", "BMES")  # the label schemes that forbid something
TOKENISERS = ("unicode", "english", "spaces")  # see `crf.tagger.tokeniser`


_AS_WRITTEN = "use the two files of one directory as `crf train` wrote them"


class ModelFileError(FileError):
    """A tagger's file is missing, damaged, or not a tagger's."""


class Contents(NamedTuple):
    """Contents of a tagger's two files."""

    tags: list[str]
    scheme: str | None  # the CRF's constraints: one of `CONSTRAINED`, or none
    vocabularies: dict[str, list[str]]
    """`words`, `affixes`, `characters`: the entries, without the two reserved ones."""
    clusters: dict[str, str]
    """The path of a word in the tree of clusters; empty: the tagger knows no clusters."""
    hyperparameters: dict[str, float]
    weights: dict[str, Tensor]
    """By the name of the parameter; float16, as on disk, once they are read."""
    tokeniser: str = "english"  # one of `TOKENISERS`
    written_as: str | None = None
    """The scheme of the output where the tags do not tell it: IOB1, or IO without letters."""


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Name the file in an OSError that names none, such as "No space left on device"."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_atomically(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write bytes, or their parts, so that a kill at any moment leaves the old content or the new.

    The directory is made if need be.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with naming(path), os.fdopen(handle, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


@contextlib.contextmanager
def alone_in(directory: Path, work: str) -> Iterator[None]:
    """Keep a second "training" or "tagging" out of a directory; the system lifts the lock of a
    process that was killed. A directory that is left empty is removed.

    Raises:
        ValueError: Another process works there.
    """
    if fcntl is None:
        yield
        return
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f".{work}"
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(
                f"{directory}: another {work} writes there; wait for it, or give another --output"
            ) from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                directory.rmdir()


def write(directory: Path, contents: Contents) -> None:
    """Write both files; `read` gives the contents back, rounded to float16."""
    halves = {name: tensor.detach().half() for name, tensor in contents.weights.items()}
    for name, tensor in halves.items():
        if not tensor.isfinite().all():
            raise ValueError(f"weights: expected numbers that fit float16, got others in {name}")
    weights = safetensors.torch.save(halves)
    write_atomically(directory / WEIGHTS_NAME, weights)
    text = _description(contents, hashlib.sha256(weights).hexdigest())
    write_atomically(directory / JSON_NAME, text)


def check_sizes(contents: Contents) -> None:
    """Check before training that what `write` will write can be read again.

    Raises:
        ValueError: A tag is too long or not printable, or a file would be too large.
    """
    check_tags(contents.tags, "the sentences")
    entries = (entry for names in contents.vocabularies.values() for entry in names)
    longest = max(entries, key=len, default="")
    if len(longest) > MAX_ENTRY_LENGTH:
        raise ValueError(
            f"words: expected at most {MAX_ENTRY_LENGTH:,} characters, got {len(longest):,}: "
            f"{longest[:40]!a}"
        )
    json_size = len(_description(contents, "0" * 64))
    weights_size = 2 * sum(tensor.numel() for tensor in contents.weights.values())
    for name, size, most, remedy in (
        (JSON_NAME, json_size, MAX_JSON_BYTES, "train on fewer different words"),
        (WEIGHTS_NAME, weights_size + MAX_HEADER_BYTES, MAX_WEIGHTS_BYTES, "give smaller sizes"),
    ):
        if size > most:
            raise ValueError(
                f"{name}: would have {size:,} bytes, and at most {most:,} are read; {remedy}"
            )


def _description(contents: Contents, sha256: str) -> bytes:
    words: dict[str, list[str]] = {}  # of each path: half the size of a word at a time
    for word, path in contents.clusters.items():
        words.setdefault(path, []).append(word)
    optional = {
        "scheme": contents.scheme,
        "written_as": contents.written_as,
        "clusters": {path: " ".join(words[path]) for path in sorted(words)},
    }
    description = {
        "format": FORMAT,
        "version": VERSION,
        "sha256": sha256,
        "tags": contents.tags,
        "tokeniser": contents.tokeniser,
        **{name: value for name, value in optional.items() if value},
        "hyperparameters": contents.hyperparameters,
        "vocabularies": contents.vocabularies,
    }
    return write_json(description).encode()


def read(directory: Path) -> tuple[bytes, bytes]:
    """The bytes of both files.

    Raises:
        ModelFileError: One of them is missing, unreadable or too large.
    """
    parts = []
    for name, limit in ((JSON_NAME, MAX_JSON_BYTES), (WEIGHTS_NAME, MAX_WEIGHTS_BYTES)):
        path = directory / name
        try:
            with path.open("rb") as file:
                parts.append(file.read(limit + 1))  # `parse` refuses what is larger than the limit
        except OSError as error:
            raise ModelFileError(
                f"{path}: {error.strerror}; a tagger is a directory with {JSON_NAME} and "
                f"{WEIGHTS_NAME}",
                "`crf train` writes one",
            ) from error
    return parts[0], parts[1]


def parse(tagger_json: bytes, weights: bytes) -> Contents:
    """Check both files and take them apart. The weights remain to be checked: `check_weights`.

    Raises:
        ModelFileError: Anything is not as `write` writes it.
    """
    description = _parse_json(tagger_json)
    tags, vocabularies = description["tags"], description["vocabularies"]
    check_tags(tags, JSON_NAME)
    _check(
        isinstance(vocabularies, dict) and sorted(vocabularies) == sorted(VOCABULARIES),
        f"vocabularies: {', '.join(VOCABULARIES)}",
    )
    for name in VOCABULARIES:
        entries = vocabularies[name]
        _check(
            isinstance(entries, list)
            and all(isinstance(entry, str) and len(entry) <= MAX_ENTRY_LENGTH for entry in entries),
            f"vocabularies: {name} a list of strings of at most {MAX_ENTRY_LENGTH} characters",
        )
    sizes = description["hyperparameters"]
    _check(
        isinstance(sizes, dict) and all(type(size) in (int, float) for size in sizes.values()),
        "hyperparameters: names with a number each",
    )
    scheme = description.get("scheme")
    _check(scheme in (None, *CONSTRAINED), f"scheme: one of {', '.join(CONSTRAINED)}, or none")
    tokeniser, written_as = description.get("tokeniser", "english"), description.get("written_as")
    _check(tokeniser in TOKENISERS, f"tokeniser: one of {', '.join(TOKENISERS)}")
    _check(written_as in (None, "IO", "IOB1"), "written_as: IO, IOB1 or none")
    clusters = _parse_clusters(description.get("clusters", {}))
    tensors = _parse_weights(weights, description["sha256"])
    return Contents(tags, scheme, vocabularies, clusters, sizes, tensors, tokeniser, written_as)


def check_tags(tags: Any, where: str) -> list[str]:
    """Return the names of tags, if they are a list of different visible names, not too many.

    Raises:
        ModelFileError: They are not; the message begins with `where`.
    """
    if not isinstance(tags, list) or not 1 <= len(tags) <= MAX_TAGS:
        got = f"{len(tags):,}" if isinstance(tags, list) else "something else"
        raise ModelFileError(f"{where}: expected 1 to {MAX_TAGS:,} tags, got {got}")
    for tag in tags:
        if not (isinstance(tag, str) and len(tag) <= MAX_TAG_LENGTH and _is_visible(tag)):
            raise ModelFileError(
                f"{where}: expected tags of 1 to {MAX_TAG_LENGTH} visible characters, got "
                f"{ascii(tag)[:40]}"
            )
    if len(set(tags)) < len(tags):
        raise ModelFileError(f"{where}: expected tags that differ, got one twice")
    return tags


def _is_visible(name: str) -> bool:
    return bool(name.strip()) and name.isprintable()


def check_weights(
    weights: Mapping[str, Tensor], expected: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """The weights as float32, if names and shapes are those of the network that is to hold them.

    Raises:
        ModelFileError: They differ, or a weight is not finite.
    """
    if missing := sorted(expected.keys() - weights.keys()):
        raise _weights_error(f"{missing[0]} is missing")
    if surplus := sorted(weights.keys() - expected.keys()):
        raise _weights_error(f"{surplus[0][:80]} does not belong to a tagger")
    for name, tensor in expected.items():
        if weights[name].shape != tensor.shape:
            raise _weights_error(
                f"{name} has shape {tuple(weights[name].shape)}, and {JSON_NAME} "
                f"implies {tuple(tensor.shape)}"
            )
        if not weights[name].isfinite().all():
            raise _weights_error(f"{name[:80]} holds nan or infinity")
    return {name: tensor.float() for name, tensor in weights.items()}


def _parse_clusters(paths: Any) -> dict[str, str]:
    _check(
        isinstance(paths, dict)
        and all(
            set(path) <= {"0", "1"} and len(path) <= MAX_TAG_LENGTH and isinstance(words, str)
            for path, words in paths.items()
        ),
        "clusters: words, by a path of zeros and ones",
    )
    return {word: path for path, words in paths.items() for word in words.split(" ")}


def _parse_json(content: bytes) -> dict[str, Any]:
    try:
        description = read_json(content, MAX_JSON_BYTES)
    except JsonError as error:
        raise ModelFileError(
            f"{JSON_NAME}: cannot be read (truncated, or another file?): {error}", _AS_WRITTEN
        ) from None
    _check(isinstance(description, dict), "an object")
    _check(description.get("format") == FORMAT, f'format: "{FORMAT}"')
    version = description.get("version")
    if type(version) is not int or version != VERSION:
        raise ModelFileError(
            f"{JSON_NAME}: expected format version {VERSION}, got {str(version)[:20]}",
            "train the tagger again, or use the version of this project that wrote it",
        )
    names = {"format", "version", "sha256", "tags", "hyperparameters", "vocabularies"}
    _check(description.keys() - OPTIONAL == names, f"the keys {', '.join(sorted(names))}")
    return description


def _parse_weights(content: bytes, sha256: object) -> dict[str, Tensor]:
    if len(content) <= MAX_WEIGHTS_BYTES and hashlib.sha256(content).hexdigest() != sha256:
        raise _weights_error(
            "truncated, altered, or of another tagger: its SHA-256 is not the one that "
            f"{JSON_NAME} names"
        )
    tensors = read_tensors(content, WEIGHTS_NAME)
    for name, tensor in tensors.items():
        if tensor.dtype != torch.float16:
            raise _weights_error(f"{name[:80]} is {tensor.dtype}, expected float16")
    return tensors


def read_tensors(content: bytes, name: str) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file, which may come from anyone.

    Raises:
        ModelFileError: It is too large or damaged; the message begins with `name`.
    """
    if len(content) > MAX_WEIGHTS_BYTES:
        raise ModelFileError(f"{name}: expected at most {MAX_WEIGHTS_BYTES:,} bytes, got more")
    try:
        return safetensors.torch.load(content)
    except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise ModelFileError(f"{name}: not a safetensors file ({error})") from error


def _check(holds: bool, expected: str) -> None:
    if not holds:
        raise ModelFileError(
            f"{JSON_NAME}: expected {expected}; it was altered or is another file", _AS_WRITTEN
        )


def _weights_error(fault: str) -> ModelFileError:
    return ModelFileError(f"{WEIGHTS_NAME}: {fault}", _AS_WRITTEN)
