"""Threads, backends and randomness of the core's tests."""

import os

import pytest
import torch

import crf
from tests.core.strategies import BACKENDS

torch.set_num_threads(1)

if "CRF_TEST_BACKENDS" in os.environ:  # a run for some backends: no chain may take another one
    for owner in (crf.LinearChain, crf.ChainCRF):
        defaults = owner.__init__.__kwdefaults__
        owner.__init__.__kwdefaults__ = {**(defaults or {}), "backend": BACKENDS[0]}


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(20260)
