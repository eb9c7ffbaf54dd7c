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
from tests.apps import opened, switch
from tests.lessons.stability.reading import (
    INF,
    OLD_MAN,
    blocks,
    button,
    open_page,
    read,
    texts,
    verdicts,
)
from tests.oracles import recursions as oracle

LARGEST = {  # of IEEE 754 binary16, binary32, binary64, and of bfloat16
    "float16": 65504.0,
    "bfloat16": (2 - 2**-7) * 2.0**127,
    "float32": (2 - 2**-23) * 2.0**127,
    "float64": (2 - 2**-52) * 2.0**1023,
}
SMALLEST = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}  # powers of 2


# ---------------------------------------------------------------------- address and parts


def test_the_address_comes_back_and_is_in_the_link():
    app = open_page(q="1.5~-inf~3", len="50", ex="three-one-three", which="long")
    assert app.text_input(key="stability.scores").value == "1.5, -inf, 3"
    query = {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}
    assert query == {"q": "1.5~-inf~3", "len": "50", "ex": "three-one-three", "which": "long"}
    button(app, say("teacher.title")).click().run()
    (link,) = [code.value for code in app.code if "stability?" in code.value]
    assert "which=long" in link
    names = [control.address for control in closing.CONTROLS]
    assert all(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("q", "a~b", "score 1: expected a number"), ("q", "", "expected 1 to 20 numbers"),
        ("q", "1~inf", "asks for q “1~inf”"), ("len", "501", "1 to 500"), ("len", "²", "1 to 500"),
    ],
)  # fmt: skip
def test_a_bad_address_is_answered(key, value, message):
    app = open_page(seen=False, **{key: value})
    assert message in " ".join(w.value for w in app.warning).replace("\\", "")


@pytest.mark.parametrize("forged", [None, -5, "x", ("a",)])
def test_a_session_that_holds_something_else(forged):
    app = opened()
    for key in ("scores", "kept", "tokens", "lag", "which", "a", "c"):
        app.session_state[f"stability.{key}"] = forged
    switch(app, "stability")
    button(app, "Just show me").click().run()
    assert not app.exception
    assert "Largest subtracted" in texts(app)


@pytest.mark.parametrize("part", ["prose", "answers", "controls"])
def test_hidden_parts(part):
    app = open_page(hide=part, seen=part != "prose")
    shown = " ".join(texts(app).split())
    assert ("Scaled divides each column" in shown) == (part != "prose")
    assert ("At token 4 the product is more" in shown) == (part != "prose")
    assert any(c.key == "stability.which" for c in app.get("button_group")) == (part != "controls")
    assert any(e.label == "Show log Z" for e in app.expander) == (part == "answers")
    assert any(e.label == "Export" for e in app.expander) == (part != "controls")


def test_every_table_can_be_taken_away(session):
    session.state["stability.tokens"] = 10
    found = closing.tables(OLD_MAN)
    for one in found.values():
        parsed = list(csv.reader(io.StringIO(one.csv())))
        assert len({len(row) for row in parsed}) == 1
    header, *rows = csv.reader(io.StringIO(found["Growing chain"].csv()))
    log_z = log_alphas(OLD_MAN, 10)[1]
    assert float(rows[-1][header.index("log float64")]) == pytest.approx(log_z, abs=1e-9)
    assert [row[1] for row in rows] == list(OLD_MAN.tokens) * 2


# ---------------------------------------------------------------------- a chain that grows


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


@pytest.mark.parametrize(
    "name", ["old-man", "bio", "no-path", "pair-potentials", "one-token", "fifty"]
)
def test_every_example(name):
    app, problem = open_page(ex=name), EXAMPLES[name].problem
    assert app.title[0].value == "Numerical stability"
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
    seam = "between two repeats all transitions score 0" in texts(app)
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
    assert said in texts(app)
    button(app, "Put this problem on screen").click().run()
    assert not app.exception
    assert app.session_state[SHARED.key].problem.tags == ("A", "B")


# ---------------------------------------------------------------------- one sum


def test_as_near_as_a_format_gets_is_not_called_right():
    """800.31 lies between 800 and 804 of bfloat16; nothing nearer can be written in it."""
    app = open_page(q="800~799")
    _, bfloat16, float32, _ = verdicts(app, "log Σ exp")["Largest subtracted"]
    assert bfloat16 == ("800", "✓ as near as bfloat16 gets", "off by 0.31")
    assert float32[1] == "✓ right"
    cells = "".join(blocks(app)).split("as near as bfloat16 gets")[0]
    assert cells.rpartition("<span")[2].startswith(' class="crf-about">')  # not in green


@pytest.mark.parametrize("typed", ["", "seven", "1, inf", "nan", "1e9", ",".join("1" * 21)])
def test_what_cannot_be_read_is_refused_and_nothing_is_lost(typed):
    app = open_page(q="1~2")
    app.text_input(key="stability.scores").set_value(typed).run()
    assert not app.exception
    assert "expected" in app.warning[0].value
    value = read(verdicts(app, "log Σ exp")["Largest subtracted"][3][0])
    assert value == pytest.approx(math.log(math.exp(1) + math.exp(2)), rel=1e-6)


def test_presets_and_the_problem_s_last_column():
    app = open_page()
    button(app, "From the problem").click().run()
    value = read(verdicts(app, "log Σ exp")["Largest subtracted"][3][0])
    assert value == pytest.approx(oracle.total(OLD_MAN, "sum"), abs=1e-3)
    button(app, "All forbidden").click().run()
    assert not app.exception
    assert any("−∞ − (−∞) is nan" in info.value for info in app.info)


@pytest.mark.parametrize(("guess", "verdict"), [(3, "success"), (1, "error")])
def test_a_guess_before_the_formats_are_told(guess, verdict):
    app = open_page(seen=False)
    assert "Largest subtracted" not in texts(app)
    radio = next(r for r in app.radio if r.label.startswith("In how many"))
    radio.set_value(guess)
    button(app, "Commit, then see").click().run()
    assert "float16, bfloat16, float32" in getattr(app, verdict)[0].value
    assert "Largest subtracted" in texts(app)


# ---------------------------------------------------------------------- check yourself


def check(app, key):
    """Press the button of one question."""
    button = next(b for b in app.button if b.label == "Check" and b.proto.form_id == key)
    return button.click().run()


@pytest.mark.parametrize("seed", range(6))
def test_which_formats(seed):
    scores, wrong = closing.scores_of(seed), []
    for dtype in DTYPES:
        total = sum(map(math.exp, scores)) if max(scores) < 700 else INF
        over = max(scores) > math.log(LARGEST[dtype]) or total > LARGEST[dtype]
        under = max(scores) < (SMALLEST[dtype] - 1) * math.log(2)
        wrong += [dtype] if over or under else []
    app = open_page(seen=False, ask=str(seed))
    key = f"stability.formats.{seed}"
    given = (
        ([say("question.none")] if wrong else ["float16"], "error"),
        (wrong or [say("question.none")], "success"),
    )
    for answer, verdict in given:
        next(c for c in app.get("button_group") if c.key == f"{key}.answer").set_value(answer)
        check(app, key)
        assert not app.exception
        assert len(getattr(app, verdict)) == 1
    assert any("float64" in m.value for m in app.markdown)


@pytest.mark.parametrize(("off", "verdict"), [(0.0, "success"), (0.02, "error")])
def test_by_hand(off, verdict):
    app = open_page(seen=False)
    button(app, "New numbers").click().run()
    seed = app.session_state[closing.SEED.key]
    key = f"stability.byhand.{seed}"
    score, times = closing.equal_scores(seed)
    app.text_input(key=f"{key}.answer").set_value(f"{score + math.log(times) + off:.2f}")
    check(app, key)
    assert len(getattr(app, verdict)) == 1
    assert any("times exp" in m.value for m in app.markdown) == (verdict == "success")
