"""The textbook's code stands on the lessons' pages, run on what is on screen."""

import pytest
import torch
from starlette.exceptions import HTTPException
from starlette.requests import Request

from pages.shared.course import textbook
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import core_files
from tests.apps import html_of, unfolded

OF_A_CHAIN = sorted(textbook.CORE.keys() - {"bio", "network", "forward_batch"})
CASES = [
    ("start", {}, "last_tag_index", ""),
    ("scores", {}, "total = root", ""),
    ("structure", {}, "argmax", ""),
    ("forward", {}, "alpha_e", "log_alphas"),
    ("backward", {}, "beta_e", "log_betas"),
    ("viterbi", {}, "last_tag_index", "backpointers"),
    ("viterbi", {"semiring": "sum"}, "alpha_e", "log_alphas"),
    ("learning", {}, "difference -=", ""),
    ("tagger", {"tagger": "bilstm"}, "lstm(vectors)", ""),
    ("tagger", {"tagger": "local"}, "lstm(vectors)", ""),
    ("stability", {}, "largest", ""),
    ("batches", {}, "new_alpha_e", "log_alphas"),
    ("constraints", {}, "allowed", ""),
    ("cost", {}, "parts", ""),
]


@pytest.mark.parametrize(("page", "query", "there", "here"), CASES)
def test_it_is_on_its_page_and_returns_what_the_library_does(page, query, there, here):
    shown = html_of(unfolded(page, "textbook", **query))
    listing = shown[shown.index('<pre class="crf-listing"') :]
    assert there in listing
    assert here in listing
    assert "returns the same" in listing
    assert ("crf-runs" in listing) == (page == "batches")  # elsewhere the stepper marks its lines
    if here and page != "batches":
        assert f'data-code="{page}.stepper"' in shown


@pytest.mark.parametrize("name", OF_A_CHAIN)
def test_it_equals_the_library_on_examples(name):
    for example in ("old-man", "fish", "bio", "three-one-three", "one-token"):
        mine, core = textbook.answers(name, EXAMPLES[example].problem.chain())
        assert torch.allclose(mine.double(), core.double())


def test_what_cannot_be_run_says_where_the_library_does_it():
    shown = html_of(unfolded("forward", "textbook", ex="no-path"))
    assert "does the same for whole batches" in shown
    assert "returns the same" not in shown


def test_the_library_s_files_are_served_as_text_and_nothing_else_is():
    def answer(file):
        return core_files._answer(Request({"type": "http", "path_params": {"file": file}}))

    for file in set(textbook.CORE.values()):
        assert "def " in bytes(answer(file).body).decode()
        assert answer(file).media_type == "text/plain"
    for file in ("../app.py", "/etc/passwd", "nothing.py", ""):
        with pytest.raises(HTTPException) as refused:
            answer(file)
        assert refused.value.status_code == 404
