"""What the server imports as it starts, so that no reader's request has to."""

import subprocess
import sys

import pytest

from pages.shared.contents import ROOT

FEW = 30  # modules that drawing all beats may still import
PROGRAM = """
import sys
from pages.beats import LESSONS
from pages.shared.ui import preload
from pages.shared.ui.stage import view as views

preload.start(first=True)
before = set(sys.modules)
for lesson, beats in LESSONS.items():
    for beat in beats:
        state, _ = views.state_of({}, lesson)
        views.view(beat, lesson, state, "", beats)
print(len(set(sys.modules) - before))
"""


@pytest.mark.thorough
def test_no_drawing_imports_much():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < FEW


def test_the_front_page_waits_for_no_chart():
    code = "import sys, pages.tag.more; print({'pandas'} & {*sys.modules})"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert found.stdout.strip() == "set()"
