"""The lesson "Numerical stability" as a whole: its address, its tables, hidden parts, questions."""

import csv
import io
import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui.problem_state import SHARED
from pages.shared.ui.words import say
from pages.stability import closing, growing
from pages.stability.number_formats import DTYPES
from tests.apps import messages, opened, press, switch, text_of
from tests.lessons.stability.reading import INF, OLD_MAN, open_page, read, verdicts
from tests.oracles import recursions as oracle

LARGEST = {  # of IEEE 754 binary16, binary32, binary64, and of bfloat16
    "float16": 65504.0,
    "bfloat16": (2 - 2**-7) * 2.0**127,
    "float32": (2 - 2**-23) * 2.0**127,
    "float64": (2 - 2**-52) * 2.0**1023,
}
SMALLEST = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}  # powers of 2


def test_the_address_comes_back_and_is_in_the_link():
    app = open_page(q="1.5~-inf~3", len="50", ex="three-one-three", which="long")
    assert app.text_input(key="stability.scores").value == "1.5, -inf, 3"
    query = {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}
    assert query == {"q": "1.5~-inf~3", "len": "50", "ex": "three-one-three", "which": "long"}
    press(app, say("teacher.title"))
    (link,) = [code.value for code in app.code if "stability?" in code.value]
    assert "which=long" in link


def test_a_session_that_holds_something_else():
    app = opened()
    keys = ("scores", "kept", "tokens", "lag", "which", "a", "c")
    for key, forged in zip(keys, ("x", None, -5, ("a",), "x", None, -5), strict=True):
        app.session_state[f"stability.{key}"] = forged
    switch(app, "stability")
    press(app, "Just show me")
    assert not app.exception
    assert "Largest subtracted" in text_of(app)


def test_every_table_is_a_file(session):
    session.state["stability.tokens"] = 10
    found = {
        name: list(csv.reader(io.StringIO(one.csv())))
        for name, one in closing.tables(OLD_MAN).items()
    }
    assert all(len({len(row) for row in table}) == 1 for table in found.values())
    header, *rows = found["Growing chain"]
    log_z = log_alphas(OLD_MAN, 10)[1]
    assert float(rows[-1][header.index("log float64")]) == pytest.approx(log_z, abs=1e-9)
    assert [row[1] for row in rows] == list(OLD_MAN.tokens) * 2
    assert [row[0] for row in found["Formats"][1:]] == list(DTYPES)
    pair = found["Two at a time"]
    assert float(pair[4][pair[0].index("exact")]) == pytest.approx(math.log1p(math.exp(-12)))
    assert len(found["Forbidden"]) == len(found["Row of -inf"]) == 13


def log_alphas(problem, tokens):
    """log α of the problem's tokens over and over, and log Z, by plain floats."""
    m, every = len(problem.tokens), range(len(problem.tags))
    columns = [[problem.start[s] + problem.emissions[0][s] for s in every]]
    for t in range(1, tokens):
        seam = problem.per_step and t % m == 0
        step = [[0.0] * len(every) for _ in every] if seam else oracle.matrix(problem, t % m)
        columns.append(
            [
                oracle.merge((columns[-1][i] + step[i][s] for i in every), "sum")
                + problem.emissions[t % m][s]
                for s in every
            ]
        )
    return columns, oracle.merge((columns[-1][s] + problem.end[s] for s in every), "sum")


@pytest.mark.parametrize("name", ["old-man", "no-path", "pair-potentials"])
def test_the_growing_chain_of_an_example(name):
    app, problem = open_page(ex=name), EXAMPLES[name].problem
    columns, log_z = log_alphas(problem, growing.TOKENS.default)
    found = verdicts(app, "log Z of the chain")
    value, sign, _ = found["Log space"][3]
    if log_z == -INF:
        assert (value, sign) == ("−inf", "✓ right: −∞")
    else:
        assert read(value) == pytest.approx(log_z, rel=1e-6)
        assert sign == "✓ right"
    largest = [max(column) for column in columns]
    for dtype, cell in zip(DTYPES, found["Probability space"], strict=True):
        over = next((t for t, x in enumerate(largest) if x > math.log(LARGEST[dtype])), None)
        if over is None:
            assert "overflow" not in cell[1]
        elif all(x > SMALLEST[dtype] * math.log(2) for x in largest[:over]):
            assert cell[0] in ("inf", "nan")  # inf times a potential of 0 is nan
            assert cell[1] == "✗ overflow"
            assert cell[2].removesuffix(", then nan") == f"from token {over + 1} on"
    seam = "between two repeats all transitions score 0" in text_of(app)
    assert seam == problem.per_step


@pytest.mark.parametrize(
    ("lag", "scaled", "said"),
    [(120, ("−160", "✗ paths lost", "off by 40"), f"exp(−{-math.log(2**-150):.2f})"),
     (60, ("−60", "✓ right"), "so B is kept")],
)  # fmt: skip
def test_the_winner_is_lost_by_scaling_and_kept_where_it_is_near(lag, scaled, said):
    app = open_page(lag=str(lag))
    found = verdicts(app, "log Z of the two paths")
    assert found["Log space"][2][0] == f"−{lag}"
    assert found["Scaled"][2][: len(scaled)] == scaled
    assert said in text_of(app)
    press(app, "Put this problem on screen")
    assert not app.exception
    assert app.session_state[SHARED.key].problem.tags == ("A", "B")


def test_scores_of_ones_own():
    """800.31 lies between 800 and 804 of bfloat16; nothing nearer can be written in it."""
    app = open_page(q="800~799", format="float16")

    def shifted():
        return verdicts(app, "log Σ exp")["Largest subtracted"]

    _, bfloat16, float32, _ = before = shifted()
    assert bfloat16 == ("800", "✓ as near as bfloat16 gets", "off by 0.31")
    assert float32[1] == "✓ right"
    for typed in ("", "seven", "1, inf", ",".join("1" * 21)):  # refused, and nothing is lost
        app.text_input(key="stability.scores").set_value(typed).run()
        assert "expected" in app.warning[0].value
        assert shifted() == before
    press(app, "From the problem")
    assert read(shifted()[3][0]) == pytest.approx(oracle.total(OLD_MAN, "sum"), abs=1e-3)
    press(app, "All forbidden")
    assert "−∞ − (−∞) is nan" in messages(app)


def test_c_is_chosen_in_each_format():
    app = open_page(format="float16")
    assert "log Σ exp(q) = 95 + log(" in text_of(app)
    app.slider(key="stability.c.float16").set_value(-12).run()
    assert "= 83 + log inf" in text_of(app)


@pytest.mark.parametrize(("guess", "verdict"), [(3, "success"), (1, "error")])
def test_a_guess_before_the_formats_are_told(guess, verdict):
    app = open_page(seen=False)
    assert "Largest subtracted" not in text_of(app)
    next(r for r in app.radio if r.label.startswith("In how many")).set_value(guess)
    press(app, "Commit, then see")
    assert "float16, bfloat16, float32" in getattr(app, verdict)[0].value
    assert "Largest subtracted" in text_of(app)


@pytest.mark.parametrize("seed", [2, 4, 11])  # no format is wrong, some, all
def test_check_yourself(seed):
    scores, wrong = closing.scores_of(seed), []
    for dtype in DTYPES:
        total = sum(map(math.exp, scores)) if max(scores) < 700 else INF
        over = max(scores) > math.log(LARGEST[dtype]) or total > LARGEST[dtype]
        under = max(scores) < (SMALLEST[dtype] - 1) * math.log(2)
        wrong += [dtype] if over or under else []
    app = open_page(seen=False, ask=str(seed))

    def check(question, kind, answer, is_right):
        key = f"stability.{question}.{seed}"
        next(c for c in app.get(kind) if c.key == f"{key}.answer").set_value(answer)
        next(b for b in app.button if b.label == "Check" and b.proto.form_id == key).click().run()
        assert not app.exception
        assert bool(app.error) != is_right

    none = [say("question.none")]
    check("formats", "button_group", none if wrong else ["float16"], False)
    check("formats", "button_group", wrong or none, True)
    assert any("float64" in m.value for m in app.markdown)
    score, times = closing.equal_scores(seed)
    for off in (0.02, 0.0):
        answer = f"{score + math.log(times) + off:.2f}"
        check("byhand", "text_input", answer, is_right=off == 0)
        assert any("times exp" in m.value for m in app.markdown) == (off == 0)
