"""The faults of `python -m tests.mutants` are lines that the code has."""

from tests.mutants import FAULTS, ROOT, place


def test_each_fault_has_one_place():
    """Else a change of the code has taken a fault out of the list without a word."""
    gone = []
    for fault in FAULTS:
        times = place(fault, ROOT / "crf").read_text(encoding="utf-8").count(fault.old)
        if times != 1:
            gone.append(f"{fault.file}: {times} × {fault.old!r}")
    assert not gone


def test_no_fault_is_the_code_itself():
    assert all(fault.old != fault.new for fault in FAULTS)
