"""The beats of every lesson, by the lesson's folder: what the stage's hosts can be asked for."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from pages.shared.contents import COURSE
from pages.shared.figures.beat import Beat


class _Lessons(Mapping[str, Sequence[Beat]]):
    """`BEATS` of each lesson, imported when asked for: the server starts without torch."""

    def __getitem__(self, folder: str) -> Sequence[Beat]:
        if folder not in iter(self):
            raise KeyError(folder)
        return import_module(f"pages.{folder}.beats").BEATS

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(entry.folder for entry in COURSE if entry.has_beats))

    def __len__(self) -> int:
        return sum(1 for _ in self)


LESSONS = _Lessons()
