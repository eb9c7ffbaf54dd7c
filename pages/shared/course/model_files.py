"""Trained models as files, by upload or in a folder: which kind they are, and the taggers in them.

Three kinds are read, all without running anything that is in the files:

- a tagger of this library: `tagger.json` and `weights.safetensors`;
- the CRF of pytorch-crf: its state dict as .safetensors, and a sentence's emissions as CSV or JSON
  (`crf.tagger.recorded`);
- a Hugging Face token-classification folder: config.json, tokenizer.json, model.safetensors
  (`crf.tagger.hugging_face`, where `transformers` is installed).

Whatever else comes is refused in a sentence that says what to do.
"""

import hashlib
import io
import tempfile
import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from crf.strict_json import JsonError, read_json
from pages.shared.course.problem import ProblemError

if TYPE_CHECKING:
    from crf import LinearChain

OURS, RECORDED, HUGGING_FACE = "ours", "recorded", "hugging face"
PICKLES = {".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt"}
MOST_UNPACKED = 96 << 20  # bytes of a zip's contents
MOST_ENTRIES = 100  # files in a zip
MOST_TEXT = 4 << 20  # bytes of a JSON or CSV file
MOST_TAGS = 200  # the pages compute with every pair of them
_reading = threading.Lock()  # what is unpacked and converted takes memory
_EXPECTED = (
    "Expected a tagger as “crf train” or this app saves it (tagger.json and weights.safetensors, "
    "or both in a zip), a pytorch-crf state dict (.safetensors) with a sentence’s emissions (.csv "
    "or .json), or a Hugging Face folder (config.json, tokenizer.json, model.safetensors)"
)


class ModelRefusedError(ProblemError):
    """Files that hold no model that can be used; the message says why, and what to do."""


class AnyTagger(Protocol):
    """What every page needs of a tagger, whoever has made it.

    Attributes:
        tags: The names of the tags.
    """

    tags: tuple[str, ...]

    def chain(self, sentences: list[list[str]], backend: str = "auto") -> "LinearChain":
        """p(tags | words) of a batch of sentences."""
        raise NotImplementedError

    def unknown(self, tokens: list[str]) -> list[bool]:
        """Which tokens it did not see in training."""
        raise NotImplementedError


class OpenedModel(NamedTuple):
    """A tagger in some files; `about` tells it from others in the same files."""

    about: str
    tagger: Any  # like AnyTagger


class Files(NamedTuple):
    """Files, wherever they lie.

    Attributes:
        names: Without their folder.
        read: The content of one of them.
        folder: Where they lie on this machine; None: nowhere yet.
    """

    names: tuple[str, ...]
    read: Callable[[str], bytes]
    folder: Path | None = None

    @classmethod
    def of_folder(cls, path: Path) -> "Files":
        """Those of a folder; an OSError if it cannot be read."""
        names = sorted(file.name for file in path.iterdir() if file.is_file())
        return cls(tuple(names), lambda name: (path / name).read_bytes(), path)

    @classmethod
    def of_upload(cls, contents: Mapping[str, bytes]) -> "Files":
        """Those that were uploaded; the files of a zip in its place.

        Raises:
            ModelRefusedError: The zip is damaged or too large.
        """
        if [PurePosixPath(name).suffix.lower() for name in contents] == [".zip"]:
            contents = _unpacked(*next(iter(contents.items())))
        return cls(tuple(contents), contents.__getitem__)

    def like(self, *suffixes: str) -> list[str]:
        """Those whose names end like that."""
        return [name for name in self.names if PurePosixPath(name).suffix.lower() in suffixes]


def digest(contents: Mapping[str, bytes]) -> str:
    """What tells these files from any others of their kinds, whatever they are called."""
    parts = sorted(
        PurePosixPath(name).suffix.lower() + hashlib.sha256(content).hexdigest()
        for name, content in contents.items()
    )
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:20]


def kind_of(files: Files) -> str:
    """Which kind the files are: `OURS`, `RECORDED` or `HUGGING_FACE`.

    Raises:
        ModelRefusedError: None of them.
    """
    weights, got = files.like(".safetensors"), ", ".join(files.names[:6]) or "nothing"
    if not weights:
        if pickles := files.like(*PICKLES):
            raise ModelRefusedError(
                f"{pickles[0]} is a pickle. To open a pickle is to run whatever program is in it, "
                "so it is not opened here. Where you trust it, load it yourself (torch’s load has "
                "weights_only=True) and save the weights with “safetensors.torch.save_file”; a "
                "Hugging Face model with “model.save_pretrained(…, safe_serialization=True)”"
            )
        raise ModelRefusedError(f"{_EXPECTED}; got {got}")
    if "config.json" in files.names:
        return HUGGING_FACE
    texts = files.like(".json")
    if len(weights) == 1 and "tagger.json" in texts:
        return OURS
    if len(weights) == 1 and len(files.like(".csv")) == 1:
        return RECORDED
    if len(weights) == 1 and len(texts) == 1:
        return RECORDED if "emissions" in _keys(files.read(texts[0])) else OURS
    raise ModelRefusedError(f"{_EXPECTED}; got {got}")


def tags_of(files: Files) -> tuple[str, ...]:
    """The tags, as far as they can be told without opening the weights; () if they cannot."""
    kind = kind_of(files)
    name = {OURS: "tagger.json", HUGGING_FACE: "config.json"}.get(kind)
    try:
        said = read_json(files.read(name), MOST_TEXT) if name else {}
        tags = said["tags"] if kind == OURS else said["id2label"].values()
        return tuple(tag for tag in tags if isinstance(tag, str))
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return ()


def load(files: Files) -> list[OpenedModel]:
    """The taggers in the files.

    Raises:
        ModelRefusedError: They are damaged, altered, too large, or of no kind that is read.
    """
    from crf.tagger import ModelFileError

    try:
        models = _LOADERS[kind_of(files)](files)
    except (ModelFileError, OSError) as error:
        raise ModelRefusedError(str(error)) from None
    if (tags := len(models[0].tagger.tags)) > MOST_TAGS:
        raise ModelRefusedError(
            f"expected at most {MOST_TAGS} different tags, which the pages can draw, got {tags:,}; "
            "`crf tag` works with all of them"
        )
    return models


def load_upload(contents: Mapping[str, bytes]) -> list[OpenedModel]:
    """The taggers in uploaded files; one upload is read at a time, the others wait for it.

    Args:
        contents: Files by name.

    Raises:
        ModelRefusedError: As for `load` and `Files.of_upload`.
    """
    with _reading:
        return load(Files.of_upload(contents))


def _ours(files: Files) -> list[OpenedModel]:
    from crf.tagger import Tagger

    texts = files.like(".json")
    name = "tagger.json" if "tagger.json" in texts else texts[0]
    return [
        OpenedModel(
            "", Tagger.from_bytes(files.read(name), files.read(*files.like(".safetensors")))
        )
    ]


def _recorded(files: Files) -> list[OpenedModel]:
    from crf.tagger.recorded import Recorded

    (weights,) = files.like(".safetensors")
    name = (files.like(".csv") or files.like(".json"))[0]
    content = files.read(name)
    if len(content) > MOST_TEXT:
        raise ModelRefusedError(f"{name}: expected at most {MOST_TEXT:,} bytes, got more")
    return [OpenedModel("", Recorded.from_bytes(files.read(weights), content, name))]


def _hugging_face(files: Files) -> list[OpenedModel]:
    from crf.tagger import hugging_face

    if files.folder is not None:
        tagger = hugging_face.load(files.folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            for name in files.names:
                (Path(folder) / PurePosixPath(name).name).write_bytes(files.read(name))
            tagger = hugging_face.load(Path(folder))
    if (table := tagger.with_bio_table()) is None:
        return [OpenedModel("", tagger)]
    return [OpenedModel("no transitions", tagger), OpenedModel("BIO table", table)]


_LOADERS = {OURS: _ours, RECORDED: _recorded, HUGGING_FACE: _hugging_face}


def _keys(content: bytes) -> set[str]:
    try:
        said = read_json(content, MOST_TEXT)
    except JsonError:
        return set()
    return set(said) if isinstance(said, dict) else set()


def _unpacked(name: str, content: bytes) -> dict[str, bytes]:
    """The files in a zip."""
    unpacked: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            size = sum(entry.file_size for entry in entries)
            if size > MOST_UNPACKED or len(entries) > MOST_ENTRIES:
                raise ModelRefusedError(
                    f"{name}: expected at most {MOST_UNPACKED:,} bytes when unpacked, got {size:,} "
                    f"in {len(entries)} files; a larger model can be given when the app is "
                    "started, by `streamlit run app.py -- --tagger DIR`"
                )
            for entry in entries:
                unpacked[PurePosixPath(entry.filename).name] = archive.read(entry)
    except ModelRefusedError:
        raise
    except Exception as error:  # whatever the decoders make of a damaged file
        reason = f"{error}" or type(error).__name__
        raise ModelRefusedError(f"{name}: the zip file is damaged ({reason})") from None
    return unpacked
