"""What is one press away: the marginals as heat map or table, the scores to be edited."""

import pytest

from pages.shared.ui.marginal_views import VIEW
from tests.apps import fresh, opened
from tests.golden import decoded

EDIT = {"start": "tag.fold.ingredients", "tagger": ""}


def figures(app):
    return [part.proto.component_name.split(".")[-1] for part in app.get("bidi_component")]


@pytest.mark.parametrize(("address", "page"), [("", "tag"), ("backward", "backward")])
def test_marginals_are_a_flow_a_heat_map_or_a_table(address, page):
    app = opened(address)
    flows = figures(app).count("flow")  # Backward has another one further down
    if page == "tag":
        next(b for b in app.button if b.label == "Heat map").click().run()
    else:
        next(g for g in app.get("button_group") if g.key == VIEW[page].key).set_value("heat").run()
    assert not app.exception
    assert figures(app).count("flow") == flows - 1
    name = "cell_table"
    heat = next(p.proto for p in app.get("bidi_component") if p.proto.component_name.endswith(name))
    rows = [
        [0.0 if cell[0][0] == "<" else float(cell[0].lstrip(">")) for cell in row["cells"]]
        for row in decoded(heat)["rows"]
    ]
    assert len(rows) > 3
    assert all(abs(sum(column) - 1) < 0.1 for column in zip(*rows, strict=True))
    app = opened(address, **({} if page == "tag" else {"as": "table"}))
    if page == "tag":
        next(b for b in app.button if b.label == "Table").click().run()
    assert not app.exception
    assert (figures(app).count("flow"), figures(app).count("cell_table")) == (flows - 1, 0)
    assert any('data-figure="marginals"' in part.proto.body for part in app.get("html"))


@pytest.mark.parametrize("address", EDIT)
def test_a_sentence_s_scores_can_be_edited_one_press_from_where_they_are_shown(address):
    app = fresh(address)
    if EDIT[address]:
        app.session_state[EDIT[address]] = True
    app.run()
    next(b for b in app.button if b.label == "Edit these scores").click().run()
    assert not app.exception
    assert app.session_state["bar.editing"]
    app.switch_page("../scores/page.py").run()
    assert "score_editor" in figures(app)


@pytest.mark.parametrize("is_folded", [False, True])
def test_the_folded_matrix_is_shown_where_the_transitions_are_read(is_folded):
    app = fresh("scores")
    app.session_state["editor·folded"] = is_folded
    app.session_state["scores.fold.More: reading the table of transitions"] = True
    app.run()
    assert not app.exception
    assert any("&lt;ROOT&gt;" in part.proto.body for part in app.get("html")) == is_folded
