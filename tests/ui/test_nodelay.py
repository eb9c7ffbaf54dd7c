"""What the server writes leaves at once: the socket it listens on is open when app.py is read."""

import os
import socket
import sys

import pytest

from benchmarks.serving import serving
from pages.shared.ui.server.nodelay import send_at_once

APP = """
import streamlit as st
from pages.shared.ui.server.nodelay import send_at_once
print("listening sockets:", send_at_once(), flush=True)
app = st.App("page.py")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at Linux's list of open files")
def test_connections_inherit_it():
    before, open_files = send_at_once(), os.listdir("/proc/self/fd")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        assert send_at_once() == before + 1
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            accepted.close()
    assert len(os.listdir("/proc/self/fd")) == len(open_files)  # a pipe's copy would keep it open


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at Linux's list of open files")
def test_streamlit_listens_before_it_reads_the_app(tmp_path):
    (tmp_path / "page.py").write_text("import streamlit as st\nst.write('Here.')\n")
    (tmp_path / "app.py").write_text(APP)
    log = tmp_path / "log"
    with serving(tmp_path / "app.py", log):
        assert "listening sockets: 1" in log.read_text()
