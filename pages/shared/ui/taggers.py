"""The taggers that the page can use: two shipped ones and one of the reader's own, by upload.

torch takes a second to import, and the first paint does not wait for it: `crf` is imported inside
the functions that need it.
"""

import gc
import hashlib
import json
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.contents import ROOT
from pages.shared.figures.analysis import Analysis, analyse, viterbi_trace

if TYPE_CHECKING:
    from streamlit.typing import UploadedFile

    from crf.steps import Trace
    from crf.tagger import Tagger

TAGGER_NAMES = {"bilstm": "BiLSTM-CRF", "local": "Local CRF", "own": "Your own"}
_SHIPPED = ROOT / "crf" / "tagger" / "shipped"


@st.cache_resource(show_spinner=False)
def shipped(name: str) -> "Tagger":
    """A tagger that comes with the library.

    Raises:
        ModelFileError: Its files are missing or damaged.
    """
    import torch

    from crf.tagger import Tagger

    torch.set_num_threads(1)  # a sentence is too small to share, and readers may be many
    tagger = Tagger.load(_SHIPPED / name)
    gc.collect()
    gc.freeze()  # torch's many objects stay for good: no collection need look at them again
    return tagger


def metrics(name: str) -> dict | None:
    """The figures of a shipped tagger (metrics.json), or None if the file is unreadable."""
    try:
        return json.loads((_SHIPPED / name / "metrics.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


@st.cache_resource(show_spinner=False, max_entries=4)
def _uploaded(digest: str, _description: bytes, _weights: bytes) -> "Tagger":
    from crf.tagger import Tagger

    return Tagger.from_bytes(_description, _weights)


def from_upload(files: "list[UploadedFile]") -> "tuple[str, Tagger] | str | None":
    """A tagger from uploaded files.

    Args:
        files: What was uploaded: a `tagger.json` and a `weights.safetensors`, in any order.

    Returns:
        (key, tagger); or the reason why there is none; or None when nothing was uploaded yet.
    """
    from crf.tagger import ModelFileError

    by_kind = {file.name.rsplit(".", 1)[-1].lower(): file for file in files}
    if not files:
        return None
    if len(files) != 2 or set(by_kind) != {"json", "safetensors"}:
        names = ", ".join(file.name for file in files)
        return (
            "A tagger is two files from one training run, tagger.json and weights.safetensors. "
            f"You uploaded: {names}."
        )
    description, weights = (by_kind[kind].getvalue() for kind in ("json", "safetensors"))
    digest = hashlib.sha256(description + weights).hexdigest()
    try:
        return digest, _uploaded(digest, description, weights)
    except ModelFileError as error:
        return str(error)


@st.cache_resource(show_spinner=False, max_entries=64)
def analysis(
    tagger_key: str, _tagger: "Tagger", tokens: tuple[str, ...], fixed: tuple[int, ...]
) -> Analysis:
    """The record for a sentence, computed once."""
    return analyse(_tagger, tokens, fixed)


@st.cache_resource(show_spinner=False, max_entries=16)  # of 60 words, 9 MB each
def trace(
    tagger_key: str, _tagger: "Tagger", tokens: tuple[str, ...], fixed: tuple[int, ...]
) -> "Trace | None":
    """Viterbi on a sentence step by step, the same object on every rerun."""
    return viterbi_trace(_tagger, tokens, fixed)
