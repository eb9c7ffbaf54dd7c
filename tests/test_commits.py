"""The check of commit subjects in .ci/run: 72 characters pass, 73 do not, old commits are left."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[1] / ".ci" / "commits"


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize(
    ("subject", "code"), [("α" * 72, 0), ("α" * 73, 1)], ids=["72 characters", "73"]
)
def test_a_subject_has_at_most_72_characters(tmp_path, subject, code):
    def git(*command):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ["git", *who, *command], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x" * 100)
    base = git("rev-parse", "HEAD")
    git("commit", "-q", "--allow-empty", "-m", subject, "-m", "y" * 100)
    done = subprocess.run(
        [sys.executable, CHECK, base], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert (subject in done.stdout) == bool(code)
