"""`crf tag` with many files or folders: one start, one file out for each in, whatever one holds."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from .lines import FileError
from .model import AnyTagger
from .tag_lines import Form, tag_file


def named(paths: Sequence[Path]) -> list[tuple[Path, PurePath]]:
    """Return the files of some paths, in order, each with its name in the folder of the output.

    Of a folder all files, also in folders within; names that begin with a full stop are left out.
    A text that has an .ann of brat beside it is read by this. An output is not packed.

    Raises:
        FileError: Two have one name, or a folder has no file.
    """
    found: list[tuple[Path, PurePath]] = []
    for path in paths:
        files = list(_of_folder(path)) if path.is_dir() else [(path, PurePath(path.name))]
        if not files:
            raise FileError(f"{path}: expected a folder with files, got none")
        found += files
    found = [(path, name.with_suffix("") if name.suffix == ".gz" else name) for path, name in found]
    name, count = Counter(name for _, name in found).most_common(1)[0]
    if count > 1:
        raise FileError(f"{name}: expected files of different names, got {count} of this one")
    return found


def _of_folder(folder: Path) -> Iterator[tuple[Path, PurePath]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in name.parts)
        is_text_of_ann = path.suffix == ".txt" and path.with_suffix(".ann").is_file()
        if path.is_file() and not is_hidden and not is_text_of_ann:
            yield path, name


def tag_files(tagger: AnyTagger, paths: Sequence[Path], output: Path | None, form: Form) -> int:
    """Tag files one after the other; a fault of one is named, and the others are done.

    Args:
        tagger: The tagger.
        paths: Files and folders.
        output: A folder, which is made if need be; None: all go to standard output, in order.
        form: How sentences come in and go out.

    Returns:
        The exit status: 1 if a file has a fault.

    Raises:
        FileError: As for `named`, or the output is no folder.
    """
    if output and output.exists() and not output.is_dir():
        raise FileError(f"output: expected a folder for several files, got the file {output}")
    status = 0
    for path, name in named(paths):
        target = output / name if output else None
        try:
            if target:
                if target.exists() and target.samefile(path):
                    raise FileError(f"{path}: expected another folder than its own for the output")
                target.parent.mkdir(parents=True, exist_ok=True)
            tag_file(tagger, path, target, form)
        except BrokenPipeError:
            raise
        except (ValueError, OSError) as error:
            remedy = getattr(error, "remedy", "")
            fault = f"{path}: {error.strerror}" if isinstance(error, OSError) else str(error)
            print(f"crf tag: {fault}{'; ' if remedy else ''}{remedy}", file=sys.stderr)
            status = 1
    return status
