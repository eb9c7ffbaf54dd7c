"""The numbers behind "⋯" of the trellis, against sums over all paths."""

import math
import re

import pytest

from crf.figures.numbers import format_log_probability
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import implement
from tests.apps import benched, html_of, table, text_of
from tests.oracles import marginals as oracle
from tests.oracles import recursions

OLD_MAN = EXAMPLES["old-man"].problem
ADJ, NOUN, VERB = 1, 2, 3
OLD, MAN = 1, 2


def opened(section, beat="add", session=None, **query):
    """The page with one section open."""
    query = {"ex": "old-man"} | query
    return benched("structure", section, session=session, beat=beat, **query)


def number(text):
    """A number of a table."""
    return float(str(text).replace("−", "-").replace("∞", "inf").lstrip("<>"))


@pytest.mark.parametrize("name", ["old-man", "bio", "one-token", "no-path"])
@pytest.mark.parametrize(("beat", "semiring"), [("add", "sum"), ("best", "max"), ("both", "sum")])
def test_three_forms_have_one_total(name, beat, semiring):
    rows = table(opened("textbook", beat, ex=name), "The same total in three forms")[1:]
    assert [row[0] for row in rows] == ["State", "Message", "Pair"]
    total = recursions.total(EXAMPLES[name].problem, semiring)
    assert [number(row[2]) for row in rows] == pytest.approx([total] * 3, abs=1e-6)


@pytest.mark.parametrize("form", ["state", "message", "pair"])
@pytest.mark.parametrize(("beat", "semiring"), [("add", "sum"), ("best", "max"), ("both", "sum")])
def test_the_cells_of_a_form_are_the_oracle_s(form, beat, semiring):
    app = opened("textbook", beat, form=form)
    rows = table(app, "The cells in this form")[1:]
    for s, (_, *cells) in enumerate(rows):
        for c, text in enumerate(cells):
            if beat == "both":
                value = oracle.beta(OLD_MAN, form, semiring, c, s)
            else:
                token = c + (form == "message")
                value = recursions.cell(OLD_MAN, form, semiring, token, s)
            assert number(text) == pytest.approx(value, abs=0.006)


@pytest.mark.parametrize("name", ["old-man", "bio", "one-token"])
def test_every_column_adds_up_to_z(name):
    app = opened("derivation", "logz", ex=name)
    (_, *totals), (_, *off) = table(app, "log Z from each column")[1:]
    log_z = recursions.total(EXAMPLES[name].problem, "sum")
    assert len(totals) == len(EXAMPLES[name].problem.tokens)
    assert [number(text) for text in totals] == pytest.approx([log_z] * len(totals), abs=1e-6)
    assert all(text == "0" or re.search("10⁻¹.", text) for text in off)  # 10⁻¹⁵ or so


def test_two_neighbours_and_the_entropies():
    app = opened("certainty", "meet", {"trellis.neighbours": OLD})
    pairs = oracle.pairs(OLD_MAN, OLD)
    shown = table(app, "Probabilities of the tags of old and man together")[1:]
    for s, row in enumerate(shown[:4]):
        found = [number(text) for text in row[1:5]]
        assert found == pytest.approx(pairs[s], abs=0.011)
    assert pairs[NOUN][VERB] == max(map(max, pairs))
    single = [-sum(p * math.log(p) for p in row) for row in oracle.unary(OLD_MAN)]
    nats, choices = table(app, "Entropy of each word’s tag")[1:]
    assert [number(text) for text in nats[1:]] == pytest.approx(single, abs=6e-4)
    assert [number(text) for text in choices[1:]] == pytest.approx(
        list(map(math.exp, single)), abs=6e-3
    )
    words, whole, gap = (
        float(re.search(rf"{before} ([\d.]+)", text_of(app))[1])
        for before in ("the words’ entropies make", "The whole reading has", "The difference,")
    )
    assert whole == pytest.approx(oracle.entropy(OLD_MAN), abs=6e-4)
    assert words - whole == pytest.approx(gap, abs=2e-3)


def test_fixed_tags_have_the_probability_of_the_readings_that_are_left():
    app = opened("certainty", "meet", fix="1.1~4.2")
    fits = [y for y in oracle.every_path(OLD_MAN) if y[0][OLD] == ADJ and y[0][-1] == NOUN]
    log_p = oracle.total(OLD_MAN, paths=fits) - oracle.total(OLD_MAN)
    assert f"have probability {format_log_probability(log_p)} =" in text_of(app)


@pytest.mark.parametrize("name", ["old-man", "one-token", "bio"])
def test_paths_are_listed_best_first(name):
    problem = EXAMPLES[name].problem
    rows = table(opened("paths", "back", ex=name), "The best paths, best first")[1:]
    expected = [pair for pair in recursions.best_paths(problem, len(rows)) if pair[0] > -math.inf]
    log_z = recursions.total(problem, "sum")
    assert [row[1] for row in rows] == pytest.approx([score for score, _ in expected])
    probabilities = [math.exp(score - log_z) for score, _ in expected]
    assert [row[2] for row in rows] == pytest.approx(probabilities)
    assert rows[-1][3] == pytest.approx(sum(probabilities))


def test_where_and_why_each_decoder_leaves_the_best_path():
    app = opened("decoders", "back")
    rows = table(app, "Four decoders’ paths")[1:]
    assert [row[1] for row in rows] == ["19.00", "18.00", "18.00", "19.00"]
    right = sum(max(row) for row in oracle.unary(OLD_MAN))
    said = text_of(app)
    assert f"gets {right:.2f} of 5 tags right" in said
    # ADJ and NOUN in place of NOUN and VERB: 3 more by emissions, and 4 less by transitions
    assert "In emissions, given in brackets, it is 3.00 ahead" in said
    assert "it is 4.00 behind, which makes 1.00 behind in all" in said
    assert "ADJ with 2.50 and NOUN with 1.50" in said
    assert "Once it is not just the previous one" in said
    said = text_of(opened("decoders", "back", ex="bio"))
    assert "Here posterior decoding gives O I, a path of probability 0" in said


def test_backpointers_and_the_way_back_without_them():
    app = opened("derivation", "back")
    cells = [cell for _, *row in table(app, "Backpointers: ")[1:] for cell in row]
    assert sorted(cell[2:] for cell in cells if cell[0] == "●") == ["DET", "DET", "NOUN", "VERB"]
    way = table(app, "The way back, with each argmax")[1:]
    assert [row[-1] for row in way] == ["NOUN", "DET", "VERB", "NOUN", "DET"]


def test_counts_times_weights_give_the_score():
    app = opened("derivation", "path", path="0~1~2~0~2")
    shown = table(app, "How often this path uses each transition")[1:]
    counts = [[int(text or 0) for text in row[1:]] for row in shown]
    T = OLD_MAN.transitions
    score = sum(OLD_MAN.emissions[t][s] for t, s in enumerate((0, 1, 2, 0, 2)))
    for i, (row, end) in enumerate(zip(counts[1:], OLD_MAN.end, strict=True)):
        score += sum(n * w for n, w in zip(row, (*T[i], end), strict=True))
    score += sum(n * w for n, w in zip(counts[0], OLD_MAN.start, strict=False))
    assert score == 18.0
    assert "so its factor is exp(0.50) = 1.65" in text_of(app)


def test_samples_come_close_to_the_marginals():
    app = opened("samples", "meet")
    rows = table(app, "How often each tag was drawn in 10,000 samples")[1:]
    columns = list(zip(*([number(text) for text in row[1:]] for row in rows[:4]), strict=True))
    for column, p in zip(columns, oracle.unary(OLD_MAN), strict=True):
        assert column == pytest.approx(p, abs=0.03)
    found = table(app, "How far the frequencies are")[1:]
    assert [row[0] for row in found] == [10, 100, 1000, 10_000]
    assert found[0][2] == pytest.approx(10 * found[2][2], rel=0.05)
    assert found[3][1] < 3 * found[3][2]


@pytest.mark.parametrize("tau", [0.3, 1.0, 3.0])
def test_temperature_is_a_power_of_every_path_s_probability(tau):
    app = opened("temperature", "best", {"trellis.tau": tau})
    scores = [path.score for path in enumerate_paths(OLD_MAN)]
    log_z = math.log(math.fsum(math.exp((s - scores[0]) / tau) for s in scores)) + scores[0] / tau
    said = text_of(app)
    p = re.search(r"the best path has (\S+?)\. τ · log Z is (\S+),", said)
    assert p
    assert float(p[1]) == pytest.approx(math.exp(scores[0] / tau - log_z), abs=6e-4)
    assert float(p[2]) == pytest.approx(tau * log_z, abs=6e-3)


def test_what_it_costs_by_the_number_of_words():
    rows = table(opened("cost", "count"), "What it costs, by the number of words")[1:]
    assert rows[4] == [5, 4**5, 4**5 - 1, 4 * 4 * 3 + 3]
    assert [row[0] for row in rows] == [1, 2, 3, 4, 5, 10, 20, 50]


@pytest.mark.parametrize(
    ("beat", "there", "here"),
    [
        ("bet", "argmax", "greedy_left_to_right"),
        ("path", "total = root", "score_terms"),
        ("add", "alpha_e", "log_alphas"),
        ("best", "last_tag_index", "backpointers"),
        ("both", "beta_e", "log_betas"),
        ("back", "argmax", "backtrace"),
    ],
)
def test_the_textbook_s_code_stands_beside_the_library_s(beat, there, here):
    shown = html_of(opened("step", beat))
    assert there in shown
    assert here in shown
    assert "returns the same" in shown
    assert ("returns the same numbers, to 9 decimals" in shown) == ("× 4 numbers" in shown)
    assert "crf-runs" in shown
    assert "does the same for whole batches" in html_of(opened("step", beat, ex="no-path"))


@pytest.mark.parametrize("beat", ["path", "add", "best", "both"])
def test_the_functions_to_write_are_those_of_the_mode(beat):
    app = opened("check", beat)
    code = " ".join(block.value for block in app.code)
    assert all(f"def {name}(" in code for name in implement.FUNCTIONS[beat])


@pytest.mark.parametrize("name", ["heat-maps", "paths", "samples", "problems"])
def test_sections_that_need_a_path_say_so_where_none_is_allowed(name):
    assert "No path is allowed here" in text_of(opened(name, ex="no-path"))


def test_every_worked_example_can_be_opened():
    app = opened("whose")
    labels = [button.label for button in app.button]
    assert [example.title for example in EXAMPLES.values()] == [
        label for label in labels if label in {each.title for each in EXAMPLES.values()}
    ]
    shown = [text.value for text in app.text]
    assert [example.why for example in EXAMPLES.values()] == shown
