"""Gives pytest the option of `pytest -p crf.lab.pytest_plugin --pyargs crf.lab --homework FILE`."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the homework's file."""
    parser.addoption("--homework", type=Path, metavar="FILE", help="check this file's functions")
