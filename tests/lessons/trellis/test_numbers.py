"""All numbers behind "⋯" of the trellis: heat maps, tables and what a click does."""

import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.beat import beat_with
from pages.shared.figures.heat_map import LEAST, HeatCells, heat_map
from pages.shared.ui import bench
from pages.shared.ui.stage import reader
from pages.shared.ui.stage.view import state_of
from pages.trellis import more, picture
from pages.trellis.beats import BEATS
from tests.apps import benched, text_of
from tests.oracles import marginals as oracle
from tests.oracles import recursions

BY_NAME = {beat.name: beat for beat in BEATS}


def frame(quantity, beat="add", **query):
    session = {"bench.quantity": quantity}
    app = benched("structure", "heat-maps", session=session, beat=beat, **({"ex": "bio"} | query))
    return app.dataframe[0].value


def expected(problem, quantity, t, s):
    if quantity == "emissions":
        return problem.emissions[t][s]
    if quantity == "marginals":
        return oracle.unary(problem)[t][s]
    if quantity == "backward":
        return oracle.beta(problem, "state", "sum", t, s)
    return recursions.cell(problem, "state", "max" if quantity == "best" else "sum", t, s)


@pytest.mark.parametrize("quantity", ["emissions", "forward", "backward", "best", "marginals"])
@pytest.mark.parametrize("name", ["bio", "one-token"])
def test_the_table_has_the_oracle_s_numbers(quantity, name):
    problem, shown = EXAMPLES[name].problem, frame(quantity, ex=name)
    assert list(shown.columns)[: len(problem.tags)] == list(problem.tags)
    for t in range(len(problem.tokens)):
        for s in range(len(problem.tags)):
            assert shown.iloc[t, s] == pytest.approx(expected(problem, quantity, t, s))


def test_backpointers_name_the_tag_before():
    problem, shown = EXAMPLES["old-man"].problem, frame("pointers", ex="old-man")
    assert list(shown.iloc[0]) == ["–"] * 4
    best = max(range(4), key=lambda s: recursions.cell(problem, "state", "max", 4, s))
    assert shown.iloc[4, best].startswith("← ")
    trace = picture.numbers(problem).viterbi
    assert shown.iloc[4, best] == f"← {problem.tags[trace.best_path[3]]}"


def test_words_that_look_alike_have_rows_of_their_own():
    long = "internationalisation"
    words = f"{long} {long}s the the {long}s"
    app = benched("structure", "heat-maps", beat="add", sentence=words, tagger="local")
    heads = list(app.dataframe[0].value.index)
    assert len(set(heads)) == len(heads) == 5


def test_what_a_question_asks_for_is_hidden_until_it_is_answered():
    asked, told = (frame("forward", "column", ex="old-man", **bet) for bet in ({}, {"bet": "."}))
    hidden = [t for t in range(5) if all(math.isnan(x) for x in asked.iloc[t])]
    assert hidden == [3, 4]
    assert not told.isna().any().any()
    app = benched("structure", "heat-maps", beat="meet", ex="old-man")
    assert app.dataframe[0].value.isna().all().all()
    assert "once the question above is answered" in text_of(app)


@pytest.mark.parametrize("form", ["message", "pair"])
@pytest.mark.parametrize("quantity", ["forward", "backward", "best"])
def test_the_numbers_follow_the_reader_s_textbook(quantity, form):
    problem = EXAMPLES["bio"].problem
    logs, plain = (frame(quantity, form=form, scale=scale) for scale in ("", "potential"))
    assert len(logs) == len(problem.tokens) - (form == "message")
    semiring = "max" if quantity == "best" else "sum"
    for c in range(len(logs)):
        for s in range(len(problem.tags)):
            if quantity == "backward":
                value = oracle.beta(problem, form, semiring, c, s)
            else:
                token = c + (form == "message")
                value = recursions.cell(problem, form, semiring, token, s)
            assert logs.iloc[c, s] == pytest.approx(value)
            assert plain.iloc[c, s] == pytest.approx(math.exp(value))


def test_each_word_s_entropy_stands_beside_its_marginals():
    rows = oracle.unary(EXAMPLES["old-man"].problem)
    shown = frame("marginals", ex="old-man").iloc[:, -1]
    own = [-sum(p * math.log(p) for p in row if p) for row in rows]
    assert list(shown) == pytest.approx(own)


def test_the_best_paths_add_up():
    app = benched("structure", "heat-maps", beat="add", ex="old-man")
    best = app.dataframe[1].value
    every = recursions.best_paths(EXAMPLES["old-man"].problem, bench.BEST)
    assert list(best["score"]) == pytest.approx([score for score, _ in every])
    assert list(best["sum"]) == pytest.approx(best["p"].cumsum().tolist())


@pytest.mark.parametrize("quantity", bench.QUANTITIES)
def test_a_click_takes_the_stage_to_the_cell(monkeypatch, quantity):
    ordered = {}
    monkeypatch.setattr(reader, "order", lambda lesson, **parts: ordered.update(parts))
    state, _ = state_of({"ex": "old-man"}, "trellis")
    for t, s in ((0, 0), (2, 3), (4, 1)):
        more.go(state, quantity, t, s)
        there, _ = state_of({"ex": "old-man"} | ordered, "trellis")
        beat, there = beat_with(BY_NAME[ordered["beat"]], there, BEATS)
        now = beat.now(there)
        assert now["column"] == t
        assert ordered["beat"] == "meet" or now["cell"] == [t, s]


def test_a_click_on_any_of_many_tags_leads_to_its_word(monkeypatch):
    ordered = {}
    monkeypatch.setattr(reader, "order", lambda lesson, **parts: ordered.update(parts))
    query = {"sentence": "They fish in the park", "tagger": "local"}
    state, _ = state_of(query, "trellis")
    for quantity in bench.QUANTITIES:
        for s in range(len(state.problem.tags)):
            more.go(state, quantity, 2, s)
            there, _ = state_of(query | ordered, "trellis")
            assert BY_NAME[ordered["beat"]].now(there)["column"] == 2


def test_the_pair_s_numbers_make_its_probability():
    app = benched("structure", "heat-maps", beat="add", ex="old-man", step="11")  # at man, VERB
    problem = EXAMPLES["old-man"].problem
    pairs = oracle.pairs(problem, 1)
    likely = max(range(4), key=lambda i: pairs[i][3])
    assert f"{problem.tags[likely]} → VERB: log α" in text_of(app)
    assert f"≈ {pairs[likely][3]:.3f}" in text_of(app)


def test_a_heat_map_is_shaded_by_the_share_s_logarithm_and_reads_no_markup():
    cells = HeatCells([[1.0, 2.0]], [[1.0, 0.0]], [["1", "2"]], ["<b>x</b>"], ["a", "b"])
    figure = heat_map(cells, "p", "dark", (0, 1))
    assert list(figure.data[0].z[0]) == [0.0, LEAST]
    assert "<b>" not in figure.to_json().replace("\\u003c", "<").replace("%{", "")
    assert list(figure.data[1].customdata[1]) == ["b, &lt;b&gt;x&lt;/b&gt;", "2"]
