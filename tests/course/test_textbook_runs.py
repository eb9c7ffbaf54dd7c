"""The textbook's code and the library's own, which lessons show behind "⋯"."""

import pytest
import torch
from starlette.applications import Starlette

from pages.shared.course import textbook
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import component
from tests.ui.asgi import answer

OF_A_CHAIN = sorted(textbook.CORE.keys() - {"bio", "network", "forward_batch"})


@pytest.mark.parametrize("name", OF_A_CHAIN)
def test_the_textbook_s_code_equals_the_library_on_examples(name):
    for example in ("old-man", "fish", "bio", "three-one-three", "one-token"):
        mine, core = textbook.answers(name, EXAMPLES[example].problem.chain())
        assert torch.allclose(mine.double(), core.double())


def test_the_library_s_files_are_served_as_text_and_nothing_else_is():
    def asked(file):
        return answer(Starlette(routes=component.routes()), component.core_address(file))

    for file in set(textbook.CORE.values()):
        status, headers, body = asked(file)
        assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert "def " in body.decode()
    for file in ("../app.py", "/etc/passwd", "nothing.py", "tagger/card.txt", ""):
        assert asked(file)[0] == 404
