"""Trained models as files, by upload or in a folder: which kind they are, and the taggers in them.

Two kinds are read, told apart by what is in the files, and without running anything of it:

- a tagger of this library: `tagger.json` and `weights.safetensors`;
- a Hugging Face token-classification folder: config.json, tokenizer.json, model.safetensors, with
  a CRF's tables among the weights or without (`hugging_face`, where `transformers` is installed).

Whatever else comes is refused.
"""

import hashlib
import io
import tempfile
import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ..strict_json import JsonError, read_json
from . import hugging_face
from .model import AnyTagger, Tagger
from .model_card import METRICS_NAME, read_figures
from .storage import JSON_NAME, WEIGHTS_NAME, ModelFileError, naming
from .tokeniser import word_spans

OURS, HUGGING_FACE = "ours", "hugging face"
MOST_UNPACKED = 96 << 20  # bytes of a zip's contents
MOST_ENTRIES = 100  # files in a zip
MOST_TEXT = 4 << 20  # bytes of a JSON file
_reading = threading.Lock()  # what is unpacked and converted takes memory
EXPECTED = (
    "Expected a tagger as “crf train” or this app saves it (tagger.json and weights.safetensors), "
    "or a Hugging Face folder (config.json, tokenizer.json, model.safetensors); several files can "
    "be chosen together, or one zip with all of them"
)


class OpenedModel(NamedTuple):
    """A tagger in some files."""

    about: str  # what tells it from others in the same files
    tagger: AnyTagger
    figures: dict[str, Any] | None = None
    """Metrics of its training, as `model_card.metrics` has them."""


class Files(NamedTuple):
    """Files, wherever they lie."""

    names: tuple[str, ...]  # without their folder
    read: Callable[..., bytes]  # the content of one of them, at most so many bytes of it
    folder: Path | None = None  # where they lie on this machine; None: nowhere yet

    @classmethod
    def of_folder(cls, path: Path) -> "Files":
        """Those of a folder, or one file; an OSError if it cannot be read."""
        if path.is_file():
            return cls.of_upload({path.name: path.read_bytes()})
        names = sorted(file.name for file in path.iterdir() if file.is_file())

        def read(name: str, most: int = -1) -> bytes:
            with (path / name).open("rb") as file:
                return file.read(most)

        return cls(tuple(name for name in names if name[0] != "."), read, path)

    @classmethod
    def of_upload(cls, contents: Mapping[str, bytes]) -> "Files":
        """Those that were uploaded; the files of a zip in its place.

        Raises:
            ModelFileError: The zip is damaged or too large.
        """
        ((name, content),) = contents.items() if len(contents) == 1 else [("", b"")]
        if _is_zip(name, content):
            contents = _unpacked(name, content)
        return cls(tuple(contents), lambda name, most=None: contents[name][:most])

    def like(self, form: str) -> list[str]:
        """Those of a form: "weights", "pickle", "json", "text" or "binary"."""
        return [name for name in self.names if self._form(name) == form]

    def _form(self, name: str) -> str:
        """By what is in it; where that says nothing, by the end of its name."""
        head, suffix = self.read(name, 64), PurePosixPath(name).suffix.lower()
        if suffix == ".safetensors" or _is_safetensors(head):
            return "weights"
        if suffix in _PICKLES or head[:1] == b"\x80":
            return "pickle"
        if b"\0" in head:
            return "binary"
        is_json = suffix == ".json" or head.lstrip(b"\xef\xbb\xbf \r\n").startswith((b"{", b"["))
        return "json" if is_json else "text"


_PICKLES = {".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt"}


def _is_safetensors(head: bytes) -> bool:
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 27


def _is_zip(name: str, content: bytes) -> bool:
    suffix = PurePosixPath(name).suffix.lower()
    return suffix == ".zip" or (content[:4] == b"PK\x03\x04" and suffix not in _PICKLES)


def digest(contents: Mapping[str, bytes]) -> str:
    """Return a digest of the files' contents, which does not depend on their names."""
    parts = sorted(
        PurePosixPath(name).suffix.lower() + hashlib.sha256(content).hexdigest()
        for name, content in contents.items()
    )
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:20]


def kind_of(files: Files) -> str:
    """Return the kind of the files, `OURS` or `HUGGING_FACE`.

    Raises:
        ModelFileError: None of them; the message says what is missing.
    """
    weights, texts, others = files.like("weights"), files.like("json"), files.like("text")
    if weights and "config.json" in texts:
        return HUGGING_FACE
    if len(weights) == 1 and _ours_among(files):
        return OURS
    if pickles := files.like("pickle"):
        raise ModelFileError(
            f"{pickles[0]} is a pickle. To open a pickle is to run whatever program is in it, "
            "so it is not opened here. Where you trust it, load it yourself (torch’s load has "
            "weights_only=True) and save the weights with “safetensors.torch.save_file”; a "
            "Hugging Face model with “model.save_pretrained(…, safe_serialization=True)”"
        )
    if "checkpoint.safetensors" in files.names:
        raise ModelFileError(
            "the training is not finished: only its checkpoint is there, checkpoint.safetensors",
            f"this command continues it: {_command(files)}",
        )
    got = ", ".join(files.names[:6]) or "nothing"
    lacking = remedy = ""
    if len(weights) == 1 and not texts and not others:
        lacking = (
            ". What belongs to these weights is missing: choose all files of their folder. The "
            "weights of a CRF alone can be loaded in Python, into crf.ChainCRF"
        )
    elif not weights and "config.json" in texts:
        lacking = ". The weights are missing: add model.safetensors"
    elif not weights and any("vocabularies" in _keys(files.read(name)) for name in texts):
        lacking = ". The weights are missing: add weights.safetensors, from the same folder"
    elif not weights and others and not texts:
        lacking = ". A file of tagged sentences is no model: train one from it first"
        remedy = "`crf train` does"
    raise ModelFileError(f"{EXPECTED}; got {got}{lacking}", remedy)


def _command(files: Files) -> str:
    """The command of a training that was stopped."""
    if "command.txt" not in files.names:
        return "the `crf train` that was stopped"
    text = files.read("command.txt", 4096).decode("utf-8", "replace").strip()
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def _ours_among(files: Files) -> str:
    """The name of the file that plays tagger.json, or ""."""
    texts = files.like("json")
    if "tagger.json" in texts:
        return "tagger.json"
    named = [name for name in texts if "vocabularies" in _keys(files.read(name))]
    return next(iter(named or (texts if len(texts) == 1 else [])), "")


def words_of(tagger: AnyTagger, text: str, *, by_spaces: bool = False) -> list[str]:
    """Split a typed sentence into words, as `spans_of` does, or at spaces alone."""
    spans = word_spans(text, "spaces") if by_spaces else spans_of(tagger, text)
    return [text[start:end] for start, end in spans]


def spans_of(tagger: AnyTagger, text: str) -> list[tuple[int, int]]:
    """Find the words of a text by the tagger's tokeniser; models of others have Unicode's."""
    return word_spans(text, getattr(tagger, "tokeniser", "unicode"))


def load(files: Files) -> list[OpenedModel]:
    """Return the taggers in the files; the last one is the default.

    Raises:
        ModelFileError: They are damaged, altered, too large, or of no kind that is read.
    """
    try:
        return _LOADERS[kind_of(files)](files)
    except OSError as error:
        name = PurePosixPath(str(error.filename or "a file")).name
        raise ModelFileError(f"{name}: {error.strerror or error}") from None


def load_folder(path: Path) -> list[OpenedModel]:
    """The taggers in a folder, or in one file.

    Raises:
        ModelFileError: As for `load`, or there is no such folder.
    """
    if not path.exists():
        Tagger.load(path)  # says what is expected
    try:
        return load(Files.of_folder(path))
    except OSError as error:
        raise ModelFileError(f"{path}: {error.strerror or error}") from None


def load_upload(contents: Mapping[str, bytes]) -> list[OpenedModel]:
    """The taggers in uploaded files, by name; one upload is read at a time, the others wait.

    Raises:
        ModelFileError: As for `load` and `Files.of_upload`.
    """
    with _reading:
        return load(Files.of_upload(contents))


def _ours(files: Files) -> list[OpenedModel]:
    (weights_name,), json_name = files.like("weights"), _ours_among(files)
    weights, figures = files.read(weights_name), None
    try:
        tagger = Tagger.from_bytes(files.read(json_name), weights)
    except ModelFileError as error:  # it may have come by other names
        message = str(error).replace(JSON_NAME, json_name).replace(WEIGHTS_NAME, weights_name)
        raise ModelFileError(message, error.remedy) from None
    if METRICS_NAME in files.names:
        sha256 = hashlib.sha256(weights).hexdigest()
        figures = read_figures(files.read(METRICS_NAME), sha256, len(tagger.tags))
    return [OpenedModel("", tagger, figures)]


def _hugging_face(files: Files) -> list[OpenedModel]:
    if files.folder is not None:
        tagger = hugging_face.load(files.folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            for name in files.names:
                with naming(name):
                    (Path(folder) / PurePosixPath(name).name).write_bytes(files.read(name))
            tagger = hugging_face.load(Path(folder))
    plain = OpenedModel("its own transitions" if tagger.has_crf else "no transitions", tagger)
    if tagger.scheme is None:
        return [plain]
    if tagger.has_crf:
        return [OpenedModel(f"own transitions, {tagger.scheme} table", tagger.with_scheme()), plain]
    return [plain, OpenedModel(f"{tagger.scheme} table", tagger.with_scheme())]


_LOADERS = {OURS: _ours, HUGGING_FACE: _hugging_face}


def _keys(content: bytes) -> set[str]:
    try:
        value = read_json(content, MOST_TEXT)
    except JsonError:
        return set()
    return set(value) if isinstance(value, dict) else set()


def _unpacked(name: str, content: bytes) -> dict[str, bytes]:
    """The files in a zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if _is_wanted(entry)]
            size = sum(entry.file_size for entry in entries)
            if size > MOST_UNPACKED or len(entries) > MOST_ENTRIES:
                raise ModelFileError(
                    f"{name}: expected at most {MOST_UNPACKED:,} bytes when unpacked, got {size:,} "
                    f"in {len(entries)} files"
                )
            return {PurePosixPath(entry.filename).name: archive.read(entry) for entry in entries}
    except ModelFileError:
        raise
    except Exception as error:  # whatever the decoders make of a damaged file
        reason = ascii(f"{error}" or type(error).__name__)[1:200]
        raise ModelFileError(f"{name}: the zip file is damaged ({reason})") from None


def _is_wanted(entry: zipfile.ZipInfo) -> bool:
    """Whether a zip's entry is a file that somebody put there: macOS adds some of its own."""
    path = PurePosixPath(entry.filename)
    return not (entry.is_dir() or path.name.startswith(".") or "__MACOSX" in path.parts)
