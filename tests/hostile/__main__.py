"""All that the hostile tests can try, on every page: `python -m tests.hostile`."""

import os
import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    os.environ["HOSTILE"] = "all"  # instead of every so many-th try
    sys.exit(pytest.main(["-m", "thorough or not thorough", str(Path(__file__).parent)]))
