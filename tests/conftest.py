"""How hypothesis runs: any time it takes, and the same examples every time where CI is set."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # workers share the cores; before torch is loaded

from functools import cache

import pytest
import streamlit as st
from hypothesis import HealthCheck, Phase, settings
from streamlit.components.v2 import manifest_scanner

# Each run of AppTest would look again for components among all installed packages: 0.2 s.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

settings.register_profile(
    "local", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("local"), max_examples=200)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile(  # for the mutants: that a test fails is enough, no smallest example
    "quick", settings.get_profile("ci"), max_examples=25, phases=[Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "local"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give neighbours to one worker: what they share, as a server, is started once."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.option.dist == "load" else None


class Query(dict):
    """The address's values, as Streamlit hands them out."""

    def to_dict(self):
        return dict(self)

    def from_dict(self, values):
        self.clear()
        self.update(values)


class Session:
    """What one reader's session holds.

    Attributes:
        state: Its session state.
        query: The values in the address.
    """

    def __init__(self, patch):
        self._patch = patch
        self.open()

    def open(self, **query):
        """Start again at an address with these values."""
        self.state, self.query = {}, Query(query)
        self._patch.setattr(st, "session_state", self.state)
        self._patch.setattr(st, "query_params", self.query)
        return self

    def complaints(self):
        """What was wrong; asking clears it."""
        return self.state.pop("complaints", [])


@pytest.fixture
def session(monkeypatch):
    return Session(monkeypatch)
