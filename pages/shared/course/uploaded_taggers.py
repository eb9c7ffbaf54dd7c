"""Models of a reader's own, by upload or in a folder given at the start; see `crf.tagger`.

torch takes a second to import, and the first paint does not wait for it: the library's part,
`crf.tagger.model_files`, is imported when there is a model to read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pages.shared.course.problem import ProblemError
from pages.shared.course.words import say

if TYPE_CHECKING:
    from crf.tagger.model_files import OpenedModel

MOST_TAGS = 200  # the pages compute with every pair of them


class ModelRefusedError(ProblemError):
    """Files that hold no model that can be used; the message says why, and what to do."""


def checked_models(source: Mapping[str, bytes] | Path) -> "list[OpenedModel]":
    """The taggers in uploaded files, by name, or in a folder; a ModelRefusedError where none is."""
    from crf.tagger import ModelFileError, model_files

    try:
        if isinstance(source, Path):
            models = model_files.load_folder(source)
        else:
            models = model_files.load_upload(source)
    except ModelFileError as error:
        raise ModelRefusedError(str(error)) from None
    if (tags := len(models[0].tagger.tags)) > MOST_TAGS:
        raise ModelRefusedError(say("model.tags", most=MOST_TAGS, tags=tags))
    return models


def digest(contents: Mapping[str, bytes]) -> str:
    """A digest of the files' contents; their names do not matter."""
    from crf.tagger import model_files

    return model_files.digest(contents)
