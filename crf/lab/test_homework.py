"""Each check of a homework as a test.

pytest -p crf.lab.pytest_plugin --pyargs crf.lab --homework FILE
"""

from typing import Any

import pytest

from .command import check_file
from .process import HomeworkError
from .report import as_text


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each check; without a homework there is none."""
    path = metafunc.config.getoption("--homework", default=None)
    try:
        report = check_file(path)[0] if path else None
    except HomeworkError as error:
        raise pytest.UsageError(str(error)) from None
    checks = report.checks if report else []
    names = [f"{check.function}, {check.check}" for check in checks]
    text = as_text(report) if report else ""
    metafunc.parametrize("homework_check", [(check, text) for check in checks], ids=names)


def test_homework(homework_check: Any) -> None:
    """Fail with the report where a check did not pass."""
    check, text = homework_check
    if not check.passed:
        pytest.fail(text, pytrace=False)
