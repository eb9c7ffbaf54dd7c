"""Settings of the core's property tests."""

import os

import pytest
import torch
from hypothesis import HealthCheck, settings

settings.register_profile(
    "core", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("core"), derandomize=True, database=None)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=25)  # for the mutants
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "core"))

torch.set_num_threads(1)


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(20260)
