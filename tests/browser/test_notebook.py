"""A real JupyterLab in Chromium: figures are drawn, and what is done to them comes back."""

import json
import os
import socket
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest
from playwright.sync_api import expect

from pages.shared.contents import ROOT

SETUP = """import torch
from crf import LinearChain, figures
chain = LinearChain(torch.tensor([[[2.0, 0.5], [1.0, 1.5], [0.0, 1.0]]]), torch.zeros(2, 2))
names = dict(tokens=["They", "can", "fish"], tags=["NOUN", "VERB"])
flow = figures.flow(chain, **names)
flow"""
CELLS = [
    SETUP,
    "stepper = figures.viterbi(chain, **names)\nstepper",
    "print(flow.choice, flow.held, stepper.scores.start)",
]


@pytest.fixture
def lab(tmp_path):
    """JupyterLab's address; a.ipynb has the cells."""
    if not (find_spec("jupyterlab") and find_spec("anywidget")):
        pytest.skip("JupyterLab is not installed (requirements-thorough.txt)")
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"c{k}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for k, source in enumerate(CELLS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}}
    (tmp_path / "a.ipynb").write_text(
        json.dumps(notebook | {"nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "JUPYTER_PLATFORM_DIRS": "1"}
    options = [
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={tmp_path}",
        "--LabApp.news_url=",
    ]
    command = [sys.executable, "-m", "jupyterlab", *options]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, env=os.environ | own, **quiet)
    try:
        until = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < until, "JupyterLab does not start"
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


@pytest.mark.thorough
def test_a_notebook_draws_figures_and_hears_what_is_done_to_them(lab, open_page):
    page = open_page(f"{lab}/lab/tree/a.ipynb?reset", height=1000)
    page.locator(".jp-Notebook .jp-CodeCell").nth(2).wait_for(timeout=120_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    flow, trellis = page.locator("[data-figure=flow]"), page.locator("[data-figure=trellis]")
    trellis.locator(".cell text").first.wait_for(timeout=120_000)
    block = flow.locator(".face[data-token='1'][data-tag=NOUN]")
    block.click()  # it is held
    expect(block).to_have_attribute("data-p", "1")
    score = trellis.locator("[data-score='s:NOUN'] .pill")
    score.hover()  # a cell of JupyterLab moves when it is pointed at
    page.wait_for_timeout(300)
    box = score.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(box["x"] + 9, box["y"] - 51, steps=5)
    first = trellis.locator(".cell[data-token='0'][data-tag=NOUN]")
    expect(first).to_have_attribute("data-value", "3")  # while it moves, by the kernel
    page.mouse.up()
    last = page.locator(".jp-CodeCell").nth(2)
    last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    said = "{'token': 1, 'tag': 'NOUN'} {1: 0} (1.0, 0.0)"
    expect(last.locator(".jp-OutputArea")).to_contain_text(said)
