"""Which code computes: the one place where a backend is chosen."""

from typing import Any

BACKENDS = ("auto", "plain")


def check_backend(backend: Any) -> None:
    """Refuse an unknown backend's name."""
    if backend not in BACKENDS:
        raise ValueError(
            f"backend: expected one of {', '.join(map(repr, BACKENDS))}, got {backend!r}; "
            "'auto' chooses for you"
        )
