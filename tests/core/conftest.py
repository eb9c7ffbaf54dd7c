"""Settings of the core's property tests."""

import os

import pytest
import torch
from hypothesis import HealthCheck, Phase, settings

import crf
from tests.core.strategies import BACKENDS

settings.register_profile(
    "core", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("core"), derandomize=True, database=None)
settings.register_profile(  # for the mutants: that a test fails is enough, no smallest example
    "quick", settings.get_profile("ci"), max_examples=25, phases=[Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "core"))

torch.set_num_threads(1)

if "CRF_TEST_BACKENDS" in os.environ:  # a run for some backends: no chain may take another one
    for owner in (crf.LinearChain, crf.ChainCRF):
        owner.__init__.__kwdefaults__["backend"] = BACKENDS[0]


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(20260)
