"""The textbook's code stands on the pages of its recursions, beside our names for its own."""

import pytest

from tests.apps import fresh

CASES = [
    ("forward", {}, "alpha_e", "log_alphas"),
    ("backward", {}, "beta_e", "log_betas"),
    ("viterbi", {}, "last_tag_index", "backpointers"),
    ("viterbi", {"semiring": "sum"}, "alpha_e", "log_alphas"),
    ("batches", {}, "new_alpha_e", "log_alphas"),
]


@pytest.mark.parametrize(("page", "query", "there", "here"), CASES)
def test_it_is_on_its_page(page, query, there, here):
    app = fresh(page, **query)
    app.session_state[f"{page}.fold.textbook"] = True
    app.session_state["batches.reached"] = 2
    app.run()
    assert not app.exception
    shown = " ".join(part.proto.body for part in app.get("html"))
    listing = shown[shown.index('<pre class="crf-listing"') :]
    assert there in listing
    assert here in listing
    assert ("crf-runs" in listing) == (page == "batches")  # elsewhere the stepper marks its lines
    if page != "batches":
        assert f'data-code="{page}.stepper"' in shown
