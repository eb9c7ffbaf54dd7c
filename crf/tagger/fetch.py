"""Downloads a treebank: pinned revisions, checksums verified, no half-written file.

Each file is written under a temporary name beside its place, checked, and only then moved there; a
file that is already there and intact is not downloaded again. So after an interrupted download,
calling `fetch` again loads only the files that are missing.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple, cast

import pooch
import requests
from tqdm import tqdm


class Treebank(NamedTuple):
    """Where one revision of a treebank is, and what it must be."""

    base_url: str  # what stands before a file's name in its address
    sha256: dict[str, str]  # file name → SHA-256 of its content, in hexadecimal digits


TREEBANKS = {
    "ud-english-ewt": Treebank(  # CC BY-SA 4.0
        "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/"
        "15d613d8447b3478787d4c278730a1e48a945efb/",
        {
            "en_ewt-ud-train.conllu": (
                "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b"
            ),
            "en_ewt-ud-dev.conllu": (
                "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6"
            ),
        },
    )
}


class FetchError(OSError):
    """A file could not be had; the message says which, why, and what to do."""


def fetch(name: str, directory: str | os.PathLike[str] | None = None) -> Path:
    """Download a treebank's files, unless they are there already, and return their directory.

    The default directory is the user's cache, under the name.

    Raises:
        ValueError: No treebank has that name.
        FetchError: No connection, the server refuses, what it sends is not the pinned file, or the
            files cannot be written. What was there before is then there still, unchanged.
    """
    if name not in TREEBANKS:
        raise ValueError(
            f"NAME: expected one of {', '.join(TREEBANKS)}, got {name!r}; download the files of "
            "another treebank yourself, and give them to `crf train`"
        )
    treebank = TREEBANKS[name]
    into = Path(pooch.os_cache("linear-chain-crf") / name if directory is None else directory)
    for file, sha256 in treebank.sha256.items():
        _download(treebank.base_url + file, into / file, sha256)
    return into


def _download(url: str, path: Path, sha256: str) -> None:
    """Bring one file unless it is there, and turn what can go wrong into a `FetchError`."""
    try:
        if path.exists() and pooch.file_hash(path) == sha256:  # or a bar would flash up
            return
        with tqdm(desc=path.name, total=1, unit="B", unit_scale=True) as bar:  # 1 until pooch knows
            downloader: Any = pooch.HTTPDownloader(cast(Any, bar), chunk_size=2**16, timeout=30)
            pooch.retrieve(url, f"sha256:{sha256}", path.name, path.parent, downloader=downloader)
        path.chmod(0o644)  # pooch's temporary file is for its owner alone
    except requests.exceptions.HTTPError as error:
        answer = str(error).partition(" for url")[0]
        raise FetchError(f"{url}: the server refuses ({answer})") from error
    except requests.exceptions.ConnectionError as error:
        raise FetchError(f"{url}: no connection; is the network up? ({error})") from error
    except requests.exceptions.RequestException as error:
        raise FetchError(f"{url}: the download broke off; try again ({error})") from error
    except ValueError as error:
        raise FetchError(
            f"{url}: what the server sent is not the pinned file, so it was not kept; try again "
            f"({error})"
        ) from error
    except OSError as error:
        raise FetchError(f"{path}: cannot be written: {error.strerror or error}") from error
