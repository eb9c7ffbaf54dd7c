"""What is one press away: the marginals as heat map or table, the scores to be edited."""

import pytest

from pages.shared.ui.marginal_views import VIEW
from tests.apps import fresh, html_of, opened, press, switch, unfolded
from tests.golden import decoded


def figures(app):
    return [part.proto.component_name.split(".")[-1] for part in app.get("bidi_component")]


@pytest.mark.parametrize(("address", "page"), [("", "tag"), ("backward", "backward")])
def test_marginals_are_a_flow_a_heat_map_or_a_table(address, page):
    app = opened(address)
    flows = figures(app).count("flow")  # Backward has another one further down
    if page == "tag":
        press(app, "Heat map")
    else:
        next(g for g in app.get("button_group") if g.key == VIEW[page].key).set_value("heat").run()
    assert not app.exception
    assert figures(app).count("flow") == flows - 1
    protos = [part.proto for part in app.get("bidi_component")]
    heat = next(proto for proto in protos if proto.component_name.endswith("cell_table"))
    rows = [
        [0.0 if cell[0][0] == "<" else float(cell[0].lstrip(">")) for cell in row["cells"]]
        for row in decoded(heat)["rows"]
    ]
    assert len(rows) > 3
    assert all(abs(sum(column) - 1) < 0.1 for column in zip(*rows, strict=True))
    app = opened(address, **({} if page == "tag" else {"as": "table"}))
    if page == "tag":
        press(app, "Table")
    assert not app.exception
    assert (figures(app).count("flow"), figures(app).count("cell_table")) == (flows - 1, 0)
    assert any('data-figure="marginals"' in part.proto.body for part in app.get("html"))


@pytest.mark.parametrize(("address", "folds"), [("start", ["ingredients"]), ("tagger", [])])
def test_a_sentence_s_scores_can_be_edited_one_press_from_where_they_are_shown(address, folds):
    app = press(unfolded(address, *folds), "Edit these scores")
    assert app.session_state["bar.editing"]
    assert "score_editor" in figures(switch(app, "scores"))


@pytest.mark.parametrize("is_folded", [False, True])
def test_the_folded_matrix_is_shown_where_the_transitions_are_read(is_folded):
    app = fresh("scores")
    app.session_state["editor·folded"] = is_folded
    app.session_state["scores.fold.More: reading the table of transitions"] = True
    app.run()
    assert not app.exception
    assert ("&lt;ROOT&gt;" in html_of(app)) == is_folded
