"""Settings of the kernels' tests: those of the core's; the library that the sanitizers watch."""

import os

import pytest

from tests.core.conftest import generator  # noqa: F401

if "CRF_LIBRARY" in os.environ:
    kernels = pytest.importorskip("crf.kernels")
    kernels.libraries = [kernels.library_at(os.environ["CRF_LIBRARY"])]
