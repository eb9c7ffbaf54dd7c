"""What is computed once and kept, with many readers at once."""

from threading import Event, Thread

import pytest

from pages.shared.ui.computed import once


def test_one_computes_who_asks_for_the_same_waits_and_who_asks_for_another_does_not():
    begun, go_on, calls = Event(), Event(), []

    @once(maxsize=4)
    def doubled(x: int) -> int:
        calls.append(x)
        if x == 1:
            begun.set()
            assert go_on.wait(10)
        return 2 * x

    found = []
    readers = [Thread(target=lambda: found.append(doubled(1)), daemon=True) for _ in range(3)]
    for reader in readers:
        reader.start()
    assert begun.wait(10)
    another = Thread(target=lambda: found.append(doubled(5)), daemon=True)
    another.start()
    another.join(10)
    assert found == [10]
    go_on.set()
    for reader in readers:
        reader.join(10)
    assert (found, calls) == ([10, 2, 2, 2], [1, 5])


def test_what_failed_is_asked_again():
    calls = []

    @once(maxsize=4)
    def risky() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("at first")
        return 3

    with pytest.raises(ValueError, match="at first"):
        risky()
    assert (risky(), risky(), len(calls)) == (3, 3, 2)
