"""Downloads from a server of our own on this machine."""

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

import crf.tagger.fetch
from crf.tagger.fetch import TREEBANKS, FetchError, Treebank, fetch

TRAIN = b"# text = They fish.\n" * 9000  # more than one chunk
DEV = "1\tnaïve\n".encode()
SHA256 = {name: hashlib.sha256(data).hexdigest() for name, data in (("train", TRAIN), ("dev", DEV))}


class Server(BaseHTTPRequestHandler):
    """Serves `files` under /mirror/ and remembers what was asked for."""

    files: ClassVar[dict[str, bytes]]
    asked: ClassVar[list[str]]
    promised: ClassVar[int]  # bytes that the header promises beyond those sent

    def do_GET(self) -> None:
        folder, _, name = self.path.rpartition("/")
        self.asked.append(name)
        if folder != "/mirror" or name not in self.files:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.files[name]) + self.promised))
        self.end_headers()
        self.wfile.write(self.files[name])

    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Server]]:
    Server.files, Server.asked, Server.promised = {"train": TRAIN, "dev": DEV}, [], 0
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as http:
        url = f"http://127.0.0.1:{http.server_port}/mirror/"
        monkeypatch.setattr(crf.tagger.fetch, "TREEBANKS", {"tiny": Treebank(url, SHA256)})
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield Server
        http.shutdown()


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_brings_every_file_and_what_is_there_and_intact_not_again(server, tmp_path, capsys):
    into = tmp_path / "made" / "for it"
    assert fetch("tiny", into) == into
    assert contents(into) == {"train": TRAIN, "dev": DEV}
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in into.iterdir())
    (into / "dev").write_bytes(DEV[:-1])  # damaged
    assert contents(fetch("tiny", into)) == {"train": TRAIN, "dev": DEV}
    capsys.readouterr()
    fetch("tiny", into)
    assert server.asked == ["train", "dev", "dev"]
    assert capsys.readouterr().err == ""


def test_what_the_server_or_the_disk_refuses_keeps_what_was_there(server, tmp_path, monkeypatch):
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(FetchError, match=r"taken.*cannot be written"):
        fetch("tiny", tmp_path / "taken")
    assert server.asked == []
    del server.files["dev"]
    with pytest.raises(FetchError, match=r"dev: the server refuses.*404"):
        fetch("tiny", tmp_path / "into")
    assert contents(tmp_path / "into") == {"train": TRAIN}
    (tmp_path / "into" / "train").write_bytes(b"damaged")
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/"
    monkeypatch.setattr(crf.tagger.fetch, "TREEBANKS", {"tiny": Treebank(nobody, SHA256)})
    with pytest.raises(FetchError, match=r"train: no connection; is the network up\?"):
        fetch("tiny", tmp_path / "into")
    assert contents(tmp_path / "into") == {"train": b"damaged"}


@pytest.mark.parametrize("sent", [TRAIN[:-1] + b"?", b""])
def test_altered_content_is_refused_and_not_kept(server, tmp_path, sent):
    server.files["train"] = sent
    with pytest.raises(FetchError, match=r"train: what the server sent is not the pinned file"):
        fetch("tiny", tmp_path)
    assert contents(tmp_path) == {}
    server.files["train"] = TRAIN
    assert contents(fetch("tiny", tmp_path)) == {"train": TRAIN, "dev": DEV}


def test_a_download_that_breaks_off_leaves_nothing(server, tmp_path):
    server.files["dev"], server.promised = DEV[:5], 4
    (tmp_path / "train").write_bytes(TRAIN)
    with pytest.raises(FetchError, match=r"dev: the download broke off; try again"):
        fetch("tiny", tmp_path)
    assert contents(tmp_path) == {"train": TRAIN}


def test_a_treebank_is_a_fixed_revision_and_has_a_name():
    assert len(TREEBANKS["ud-english-ewt"].base_url.rstrip("/").rpartition("/")[2]) == 40
    with pytest.raises(ValueError, match=r"NAME: expected one of ud-english-ewt, got 'ud-klingon'"):
        fetch("ud-klingon")
