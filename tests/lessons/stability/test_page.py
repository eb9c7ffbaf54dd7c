"""The lesson "Numerical stability" without a browser: its address, tables, steps and questions."""

import csv
import io
import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import computed
from pages.shared.ui.problem_state import SHARED
from pages.shared.ui.stage.view import state_of
from pages.shared.ui.words import say
from pages.stability import closing, growing, own_scores
from pages.stability.chains import grow, log_space, repeated
from pages.stability.forbidden import WAYS
from pages.stability.number_formats import DTYPES
from pages.stability.sums import exact_log_partition
from tests.apps import html_of, messages, of_stage, opened, press, table, text_of, unfolded
from tests.oracles import recursions as oracle

OLD_MAN = EXAMPLES["old-man"].problem
INF = math.inf
NUMBER, UNHANDLED, HANDLED = WAYS
FOLDS = ("error", "winner", "formats", "log-add", "gradient", "empty")


def open_page(*folds, **query):
    """The lesson with these folds open, or all."""
    app = press(unfolded("stability", *(folds or FOLDS), **query), "Just show me")
    assert not app.exception
    return app


def verdicts(app, caption):
    """{row name: [(value, sign and word, remark) for each format]} of a table of verdicts."""
    tables = re.findall("<table.*?</table>", html_of(app), re.DOTALL)
    body = next(t for t in tables if f'<caption class="crf-hidden">{caption}' in t)
    found = {}
    for row in re.findall("<tr>(.*?)</tr>", body.split("<tbody>")[1]):
        name, *cells = re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row.replace("\xa0", " "))
        found[name] = [tuple(re.findall("<(?:b|span)[^>]*>(.*?)</", cell)) for cell in cells]
    return found


def read(text):
    """A number as the page writes it."""
    text = text.replace("−", "-").replace(",", "")
    if match := re.fullmatch(r"(-?[0-9.]+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        power = match[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{match[1]}e{power}")
    return float(text)


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


def test_scores_that_no_reader_can_type_give_way_to_the_preset(session):
    for forged in ("x", (), (INF,), None):
        session.state[own_scores.SCORES.key] = forged
        assert own_scores.SCORES.value == own_scores.SCORES.default


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
    app, problem = open_page("error", ex=name), EXAMPLES[name].problem
    columns, log_z = log_alphas(problem, growing.TOKENS.default)
    found = verdicts(app, "log Z of the chain")
    value, sign, _ = found["Log space"][3]
    if log_z == -INF:
        assert (value, sign) == ("−inf", "✓ right: −∞")
    else:
        assert (read(value), sign) == (pytest.approx(log_z, rel=1e-6), "✓ right")
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
    app = open_page("winner", lag=str(lag))
    found = verdicts(app, "log Z of the two paths")
    assert found["Log space"][2][0] == f"−{lag}"
    assert found["Scaled"][2][: len(scaled)] == scaled
    assert said in text_of(app)
    press(app, "Put this problem on screen")
    assert not app.exception
    assert app.session_state[SHARED.key].problem.tags == ("A", "B")


def test_scores_of_ones_own():
    """800.31 lies between 800 and 804 of bfloat16; nothing nearer can be written in it."""
    app = open_page("formats", q="800~799", format="float16")

    def shifted():
        return verdicts(app, "log Σ exp")["Largest subtracted"]

    _, bfloat16, float32, _ = before = shifted()
    assert bfloat16 == ("800", "✓ as near as bfloat16 gets", "off by 0.31")
    assert float32[1] == "✓ right"
    for typed in ("", "seven", "1, inf", "1e9", ",".join("1" * 21)):  # refused, and nothing is lost
        app.text_input(key="stability.scores").set_value(typed).run()
        assert "expected" in app.warning[0].value
        assert shifted() == before
    app.slider(key="stability.c.float16").set_value(-12).run()
    assert "= 788 + log inf" in text_of(app)
    press(app, "From the problem")
    assert read(shifted()[3][0]) == pytest.approx(oracle.total(OLD_MAN, "sum"), abs=1e-3)
    press(app, "All forbidden")
    assert "−∞ − (−∞) is nan" in messages(app)


@pytest.mark.parametrize(("guess", "verdict"), [(3, "success"), (1, "error")])
def test_a_guess_before_the_formats_are_told(guess, verdict):
    app = opened("stability")
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
    app = opened("stability", ask=str(seed))

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


@pytest.mark.parametrize("name", ["bio", "pair-potentials", "one-token", "rib-rob"])
def test_inside_is_what_the_run_computed_and_a_long_chain_has_one_exact_sum(name):
    problem = EXAMPLES[name].problem
    assert float(exact_log_partition(problem)) == pytest.approx(
        problem.chain().log_partition.item(), rel=1e-12
    )
    tokens = 2 * len(problem.tokens) + 1
    tables = repeated(problem, tokens)
    longer = growing.lengthened(problem, tokens).chain().log_partition.item()
    assert longer == pytest.approx(log_space(tables).log_z[-1].item(), rel=1e-12)
    for run in grow(problem, tokens):
        for t, column in enumerate(run.columns):
            for s, value in enumerate(column):
                terms, numbers = growing.inside(tables, run, t, s)
                assert numbers["value"] == pytest.approx(value, nan_ok=True), (run.method, t)
                assert len(terms) == (len(column) if t else 0)


def test_it_opens_where_the_run_broke_and_every_digit_is_shown():
    app = open_page()
    run = grow(OLD_MAN, 40)[2]
    assert (run.method, run.dtype) == ("probability", "float32")
    assert app.number_input(key=growing.TOKEN.key).value == run.broke.token + 1
    said = text_of(app)
    assert ": inf = α" in said
    exact = f"{exact_log_partition(OLD_MAN)}"
    assert len(exact.replace(".", "")) == 25
    assert f"decimal arithmetic gives log Z = {exact}" in said
    assert "Exact, by decimal arithmetic with 25 digits: 95.0" in said


def test_a_click_on_a_curve_opens_its_step(session):
    run = grow(OLD_MAN, 20)[9]
    for points in ([], [{}], [{"x": "7"}], [{"x": 0}], [{"x": 999, "curve_number": 0}]):
        session.state[growing.CHART] = {"selection": {"points": points}}
        growing.picked([run])
        assert growing.TOKEN.key not in session.state
    session.state[growing.CHART] = {"selection": {"points": [{"curve_number": 0, "x": 13}]}}
    growing.picked([run])
    assert session.state[growing.TOKEN.key] == 13
    assert (growing.METHOD.value, growing.FORMAT.value) == ("log", "bfloat16")


def test_the_way_to_forward():
    app = open_page(step="11")
    app.selectbox(key=growing.TAG.key).set_value("NOUN").run()
    press(app, "See this step in the lesson Forward")
    assert not app.exception
    assert app.title[0].value == "Forward"
    view = of_stage(app)["view"]
    assert view["beat"] == "add"
    problem = state_of(view["state"])[0].problem
    assert problem.tokens == OLD_MAN.tokens * 3
    trellis = computed.trace(problem, "forward", "state", "sum")
    column = log_space(repeated(OLD_MAN, 12)).alphas[11].tolist()
    assert trellis.steps[11 * 4 + 2].log_value == pytest.approx(column[2], abs=1e-9)
    assert view["trellis"]["now"]["step"] == 11 * 4 + 2
    app = open_page(step="150", len="200")  # too long for Forward
    assert all("lesson Forward" not in b.label for b in app.button)


def test_what_the_page_says_of_no_path():
    app = open_page()
    found = verdicts(app, "log Z with −10000")
    assert [c[0] for c in found[NUMBER]] == ["−10000", "−9984", "−9999", "−9999"]
    assert [c[1] for c in found[UNHANDLED]] == ["✗ nan"] * 4
    assert [c[:2] for c in found[HANDLED]] == [("−inf", "✓ right: −∞")] * 4
    assert "8 in float16 and 64 in bfloat16" in text_of(app)
    assert "A may not follow A" in text_of(app)
    rows = table(app, "A row of −∞ only")[1:]
    assert [row[1:] for row in rows] == [
        ["nan", "nan, nan, nan"], ["−inf", "nan, nan, nan"], ["−inf", "0, 0, 0"],
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_columns_that_do_not_sum_to_1(dtype):
    app = open_page(which="long", format3=dtype)
    sums = [read(x) for x in table(app, "Gradient with −10000")[-1][1:]]
    told = re.search(r"(\d+) of the 16 columns sum to between (\S+) and (\S+), not", text_of(app))
    if dtype == "float64":
        assert told is None
        assert sums == [1] * 16
        return
    assert [float(told[2]), float(told[3])] == pytest.approx([min(sums), max(sums)], abs=6e-4)
    assert int(told[1]) >= sum(abs(x - 1) > 0.0015 for x in sums) > 8
    assert f"are {2.0 ** (16 - 7):.3g} apart" in text_of(app)


@pytest.mark.parametrize("name", ["old-man", "no-path"])
def test_the_problem_on_screen(name):
    app = open_page(ex=name, which="screen")
    found = verdicts(app, "log Z with −10000")
    log_z = oracle.total(EXAMPLES[name].problem, "sum")
    assert read(found[HANDLED][3][0]) == pytest.approx(log_z, rel=1e-6)
    sums = [read(x) for x in table(app, "Gradient with −∞, handled")[-1][1:]]
    assert sums == pytest.approx([float(log_z > -INF)] * len(sums))
    assert ("forbids nothing" in messages(app)) == (name == "old-man")
    assert "A may not follow A" not in text_of(app)
