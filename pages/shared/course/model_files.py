"""Models of a reader's own, by upload or in a folder given at the start; see `crf.tagger`.

torch takes a second to import, and the first paint does not wait for it: the library's part,
`crf.tagger.model_files`, is imported when there is a model to read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pages.shared.course.problem import ProblemError

if TYPE_CHECKING:
    from crf.tagger.model_files import OpenedModel

MOST_TAGS = 200  # the pages compute with every pair of them


class ModelRefusedError(ProblemError):
    """Files that hold no model that can be used; the message says why, and what to do."""


def load_upload(contents: Mapping[str, bytes]) -> "list[OpenedModel]":
    """The taggers in uploaded files, by name.

    Raises:
        ModelRefusedError: There are none that can be used.
    """
    from crf.tagger import ModelFileError, model_files

    try:
        return _drawable(model_files.load_upload(contents))
    except ModelFileError as error:
        raise ModelRefusedError(str(error)) from None


def load_folder(path: Path) -> "list[OpenedModel]":
    """The taggers in a folder.

    Raises:
        ModelRefusedError: There are none that can be used.
    """
    from crf.tagger import ModelFileError, model_files

    try:
        return _drawable(model_files.load_folder(path))
    except ModelFileError as error:
        raise ModelRefusedError(str(error)) from None


def _drawable(models: "list[OpenedModel]") -> "list[OpenedModel]":
    if (tags := len(models[0].tagger.tags)) > MOST_TAGS:
        raise ModelRefusedError(
            f"expected at most {MOST_TAGS} different tags, which the pages can draw, got {tags:,}; "
            "“crf tag” works with all of them"
        )
    return models


def digest(contents: Mapping[str, bytes]) -> str:
    """What tells these files from any others, whatever they are called."""
    from crf.tagger import model_files

    return model_files.digest(contents)
