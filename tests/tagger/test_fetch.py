"""Downloads from a server of our own on this machine."""

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import crf.tagger.fetch
from crf.tagger.fetch import TREEBANKS, FetchError, Treebank, fetch

TRAIN = b"# text = They fish.\n" * 9000  # more than one chunk
DEV = "1\tnaïve\n".encode()
SHA256 = {name: hashlib.sha256(data).hexdigest() for name, data in (("train", TRAIN), ("dev", DEV))}


class Server:
    """Serves `files` under /mirror/ and remembers what was asked for."""

    def __init__(self) -> None:
        self.files = {"train": TRAIN, "dev": DEV}
        self.promised = 0  # bytes that the header promises beyond those sent
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                folder, _, name = self.path.rpartition("/")
                server.asked.append(name)
                if folder != "/mirror" or name not in server.files:
                    self.send_error(404)
                    return
                data = server.files[name]
                self.send_response(200)
                self.send_header("Content-Length", str(len(data) + server.promised))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/mirror/"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(crf.tagger.fetch, "TREEBANKS", {"tiny": Treebank(server.url, SHA256)})
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_brings_every_file_and_nothing_else(server, tmp_path):
    into = tmp_path / "made" / "for it"
    assert fetch("tiny", into) == into
    assert contents(into) == {"train": TRAIN, "dev": DEV}
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in into.iterdir())


def test_what_is_there_and_intact_is_not_downloaded_again(server, tmp_path, capsys):
    (tmp_path / "train").write_bytes(TRAIN)
    fetch("tiny", tmp_path)
    capsys.readouterr()
    fetch("tiny", tmp_path)
    assert server.asked == ["dev"]
    assert capsys.readouterr().err == ""


def test_a_damaged_file_is_replaced(server, tmp_path):
    (tmp_path / "dev").write_bytes(DEV[:-1])
    fetch("tiny", tmp_path)
    assert contents(tmp_path) == {"train": TRAIN, "dev": DEV}


@pytest.mark.parametrize("sent", [TRAIN[:-1], TRAIN[:-1] + b"?", b""])
def test_altered_content_is_refused_and_not_kept(server, tmp_path, sent):
    server.files["train"] = sent
    with pytest.raises(FetchError, match=r"train: what the server sent is not the pinned file"):
        fetch("tiny", tmp_path)
    assert contents(tmp_path) == {}
    server.files["train"] = TRAIN
    assert contents(fetch("tiny", tmp_path)) == {"train": TRAIN, "dev": DEV}


def test_a_download_that_breaks_off_leaves_nothing_and_can_be_started_again(server, tmp_path):
    server.files["dev"], server.promised = DEV[:5], 4
    server.files["train"] = TRAIN[:-4]
    (tmp_path / "train").write_bytes(TRAIN)
    with pytest.raises(FetchError, match=r"dev: the download broke off; try again"):
        fetch("tiny", tmp_path)
    assert contents(tmp_path) == {"train": TRAIN}
    server.files["dev"], server.promised = DEV, 0
    assert contents(fetch("tiny", tmp_path)) == {"train": TRAIN, "dev": DEV}


def test_not_found_keeps_what_came_before(server, tmp_path):
    del server.files["dev"]
    with pytest.raises(FetchError, match=r"dev: the server refuses.*404"):
        fetch("tiny", tmp_path)
    assert contents(tmp_path) == {"train": TRAIN}


def test_connection_refused_changes_nothing(server, tmp_path, monkeypatch):
    (tmp_path / "train").write_bytes(b"damaged")
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/"
    monkeypatch.setattr(crf.tagger.fetch, "TREEBANKS", {"tiny": Treebank(nobody, SHA256)})
    with pytest.raises(FetchError, match=r"train: no connection; is the network up\?"):
        fetch("tiny", tmp_path)
    assert contents(tmp_path) == {"train": b"damaged"}


def test_a_directory_that_is_a_file(server, tmp_path):
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(FetchError, match=r"taken.*cannot be written"):
        fetch("tiny", tmp_path / "taken")
    assert server.asked == []


def test_a_treebank_is_a_fixed_revision_and_has_a_name():
    assert len(TREEBANKS["ud-english-ewt"].base_url.rstrip("/").rpartition("/")[2]) == 40
    with pytest.raises(ValueError, match=r"name: expected one of ud-english-ewt, got 'ud-klingon'"):
        fetch("ud-klingon")
