"""Settings of the kernels' tests: those of the core's."""

from tests.core.conftest import generator  # noqa: F401
