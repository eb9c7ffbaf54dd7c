"""A browser session without a browser: what a page keeps, and the address it was opened at."""

import pytest
import streamlit as st


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
        """Start anew at an address with these values."""
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
