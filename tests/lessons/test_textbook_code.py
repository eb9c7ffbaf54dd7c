"""The textbook's code stands on the lessons' pages, run on what is on screen."""

import pytest
import torch
from starlette.exceptions import HTTPException
from starlette.requests import Request

from pages.shared.course import textbook
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import core_files
from tests.apps import fresh

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
    app = fresh(page, **query)
    name = "tag" if page == "start" else page
    app.session_state[f"{name}.fold.textbook"] = True
    app.session_state["batches.reached"] = 2
    app.run()
    assert not app.exception
    shown = " ".join(part.proto.body for part in app.get("html"))
    listing = shown[shown.index('<pre class="crf-listing"') :]
    assert there in listing
    assert here in listing
    assert "returns the same" in listing
    assert ("crf-runs" in listing) == (page == "batches")  # elsewhere the stepper marks its lines
    if here and page != "batches":
        assert f'data-code="{page}.stepper"' in shown


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("name", OF_A_CHAIN)
def test_it_equals_the_library_on_every_example(name, example):
    chain = EXAMPLES[example].problem.chain()
    if chain.potentials.per_step or not chain.feasible.item():
        return
    mine, core = textbook.answers(name, chain)
    assert torch.allclose(mine.double(), core.double())


def test_what_cannot_be_run_says_where_the_library_does_it():
    app = fresh("forward", ex="no-path")
    app.session_state["forward.fold.textbook"] = True
    app.run()
    shown = " ".join(part.proto.body for part in app.get("html"))
    assert "does the same for whole batches" in shown
    assert "returns the same" not in shown


@pytest.mark.parametrize("file", sorted(set(textbook.CORE.values())))
def test_the_library_s_files_are_served_as_text(file):
    answer = core_files._answer(Request({"type": "http", "path_params": {"file": file}}))
    assert "def " in bytes(answer.body).decode()
    assert answer.media_type == "text/plain"


@pytest.mark.parametrize("file", ["../app.py", "/etc/passwd", "nothing.py", ""])
def test_nothing_else_is_served(file):
    with pytest.raises(HTTPException) as refused:
        core_files._answer(Request({"type": "http", "path_params": {"file": file}}))
    assert refused.value.status_code == 404
