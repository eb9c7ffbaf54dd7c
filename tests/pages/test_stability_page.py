"""The lesson "Numerical stability" without a browser, against numpy and plain floats."""

import csv
import io
import math
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from crf.course.examples import EXAMPLES
from crf.course.problem_files import rows_to_csv
from crf.course.stability import DTYPES
from crf.course.stability_chains import grow, repeated
from pages.ui import stability_chain, stability_closing, stability_scores, stability_step
from pages.ui.problem_state import SHARED
from tests.pages import recursion_oracle as oracle

APP = str(Path(__file__).resolve().parents[2] / "app.py")
OLD_MAN = EXAMPLES["old-man"].problem
INF = math.inf
LARGEST = {  # of IEEE 754 binary16, binary32, binary64, and of bfloat16
    "float16": 65504.0,
    "bfloat16": (2 - 2**-7) * 2.0**127,
    "float32": (2 - 2**-23) * 2.0**127,
    "float64": (2 - 2**-52) * 2.0**1023,
}
SMALLEST = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}  # powers of 2


def open_page(seen=True, **query):
    app = AppTest.from_file(APP, default_timeout=60).run()
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page("pages/stability.py").run()
    if seen:
        button(app, "Just show me").click().run()
    return app


def button(app, label):
    return next(b for b in app.button if b.label == label)


def blocks(app):
    return [block.proto.body for block in app.get("html")]


def texts(app):
    return unescape(re.sub("<[^>]+>", " ", " ".join(blocks(app)))).replace("\xa0", " ")


def verdicts(app, caption):
    """{row name: [(value, sign and word, remark) for each format]} of a table of verdicts."""
    table = next(b for b in blocks(app) if f'<caption class="crf-hidden">{caption}' in b)
    found = {}
    for row in re.findall("<tr>(.*?)</tr>", table.split("<tbody>")[1]):
        name = re.search("<th[^>]*>(.*?)</th>", row)[1]
        cells = re.findall("<td[^>]*><b>(.*?)</b>(.*?)</td>", row)
        spans = [(v, *re.findall("<span[^>]*>(.*?)</span>", rest)) for v, rest in cells]
        found[name] = [tuple(x.replace("\xa0", " ") for x in cell) for cell in spans]
    return found


def table(app, caption):
    """Rows of a table of texts, the header first."""
    body = next(b for b in blocks(app) if f'<caption class="crf-hidden">{caption}' in b)
    rows = re.findall("<tr>(.*?)</tr>", body)
    return [
        [
            unescape(re.sub("<[^>]+>", "", cell)).replace("\xa0", " ")
            for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)
        ]
        for row in rows
    ]


def read(text):
    """A number as the page writes it."""
    text = text.replace("−", "-").replace(",", "")
    match = re.fullmatch(r"(-?[0-9.]+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if match:
        power = match[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{match[1]}e{power}")
    return float(text)


def log_alphas(problem, tokens):
    """log α of the problem's tokens over and over, and log Z, by plain floats."""
    m, every = len(problem.tokens), range(len(problem.tags))
    per_step = problem.transitions and isinstance(problem.transitions[0][0], tuple)
    columns = [[problem.start[s] + problem.emissions[0][s] for s in every]]
    for t in range(1, tokens):
        if per_step and t % m == 0:
            step = [[0.0] * len(every) for _ in every]
        else:
            step = oracle.matrix(problem, t % m)
        columns.append(
            [
                oracle.merge((columns[-1][i] + step[i][s] for i in every), "sum")
                + problem.emissions[t % m][s]
                for s in every
            ]
        )
    return columns, oracle.merge((columns[-1][s] + problem.end[s] for s in every), "sum")


def naive(scores, dtype):
    """log Σ exp by numpy in a format that it has; bfloat16 by its limits alone."""
    with np.errstate(all="ignore"):
        q = np.array(scores, dtype=dtype)
        return float(np.log(np.sum(np.exp(q))))


# ---------------------------------------------------------------------- every example


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_every_example(name):
    app = open_page(ex=name)
    assert not app.exception
    assert app.title[0].value == "Numerical stability"
    problem = EXAMPLES[name].problem
    tokens = app.select_slider(key="stability.tokens").value
    assert tokens % len(problem.tokens) == 0
    columns, log_z = log_alphas(problem, tokens)
    found = verdicts(app, "log Z of the chain")
    reference = found["Log space"][3]
    if log_z == -INF:
        assert reference[:2] == ("−inf", "✓ right: −∞")
    else:
        assert read(reference[0]) == pytest.approx(log_z, rel=1e-6)
        assert reference[1] == "✓ right"
    for dtype, cell in zip(DTYPES, found["Probability space"], strict=True):
        largest = [max(column) for column in columns]
        over = next((t for t, x in enumerate(largest) if x > math.log(LARGEST[dtype])), None)
        if over is None:
            assert "overflow" not in cell[1]
        elif all(x > SMALLEST[dtype] * math.log(2) for x in largest[:over]):
            assert cell[0] in ("inf", "nan")  # inf times a potential of 0 is nan
            assert cell[1:] == ("✗ overflow", f"from token {over + 1} on")


def test_underflow_where_the_last_subnormal_ends():
    app = open_page(ex="ice-cream", len="500")
    columns, _ = log_alphas(EXAMPLES["ice-cream"].problem, 495)
    found = verdicts(app, "log Z of the chain")["Probability space"]
    assert found[3][1] == "✓ right"
    for dtype, cell in zip(DTYPES[:3], found, strict=False):
        gone = (SMALLEST[dtype] - 1) * math.log(2)  # half of the smallest is rounded to 0
        under = next(t for t, c in enumerate(columns) if max(c) < gone)
        assert cell[:2] == ("−inf", "✗ underflow")
        assert int(re.search(r"\d+", cell[2])[0]) == pytest.approx(under + 1, abs=2)


@pytest.mark.parametrize("name", ["old-man", "ice-cream", "one-token", "pair-potentials", "bio"])
def test_once_through_it_is_the_problem(name):
    problem = EXAMPLES[name].problem
    app = open_page(ex=name, len=str(len(problem.tokens)))
    value = read(verdicts(app, "log Z of the chain")["Log space"][3][0])
    assert value == pytest.approx(oracle.total(problem, "sum"), rel=1e-6)
    exact = re.search(r"exact fractions give log Z = (.+?), and float64 gives (\S+)\. ", texts(app))
    total = oracle.total(problem, "sum")
    assert [read(x) for x in exact.groups()] == pytest.approx([total] * 2, abs=1e-12)


def test_many_tags_are_bounded():
    many = EXAMPLES["old-man"].problem.blank([f"T{k}" for k in range(20)], ["x"] * 33)
    offered = stability_chain.lengths(many)
    assert offered[0] == 33
    assert max(offered) * 20**2 <= 100_000


@pytest.mark.parametrize("tokens", [10, 200, 400])
@pytest.mark.parametrize("name", ["old-man", "pair-potentials", "ice-cream"])
def test_the_beginning_of_a_longer_chain_is_the_shorter_one(name, tokens):
    problem = EXAMPLES[name].problem
    tokens = stability_chain.length_near(problem, tokens)
    whole = grow(repeated(problem, tokens))
    for run, alone in zip(stability_chain.runs(problem, tokens), whole, strict=True):
        assert repr(run) == repr(alone)


# ---------------------------------------------------------------------- one sum


class TestOneSum:
    @pytest.mark.parametrize("preset", list(stability_scores.PRESETS))
    def test_presets_against_numpy(self, preset):
        app = open_page()
        button(app, preset).click().run()
        assert not app.exception
        scores = stability_scores.read(stability_scores.PRESETS[preset][0])
        found = verdicts(app, "log Σ exp")
        for k in (0, 2, 3):
            value = naive(scores, DTYPES[k])
            assert read(found["As written"][k][0]) == pytest.approx(value, rel=2e-3), DTYPES[k]
        right = oracle.merge(scores, "sum")
        for way in ("Largest subtracted", "Two at a time"):
            cell = found[way][3]
            if right > -INF:
                assert read(cell[0]) == pytest.approx(right, rel=1e-6)
                assert cell[1] == "✓ right"
        if right == -INF:
            assert [cell[0] for cell in found["Largest subtracted"]] == ["nan"] * 4
            assert [cell[1] for cell in found["Two at a time"]] == ["✓ right: −∞"] * 4

    def test_exps_and_the_exact_value(self):
        app = open_page(q="2~-3.5")
        rows = table(app, "exp of each score")
        assert [row[0] for row in rows[1:]] == ["exp(2)", "exp(−3.5)"]
        assert read(rows[1][4]) == pytest.approx(math.exp(2), rel=5e-3)
        exact = re.search(r"25 digits: ([0-9.]+)", texts(app))[1].rstrip(".")
        assert float(exact) == pytest.approx(math.log(math.exp(2) + math.exp(-3.5)), rel=1e-15)

    def test_the_line_with_its_numbers(self):
        app = open_page(q="7~5")
        app.slider(key="stability.c.float32").set_value(-3).run()
        lines = next(b for b in blocks(app) if "log Σ exp(q) = " in b)
        steps = re.findall("<div>(.*?)</div>", lines)
        assert steps[0] == "log Σ exp(q) = 4 + log(exp(7 − 4) + exp(5 − 4))"
        assert steps[1] == f"= 4 + log({math.exp(3):.4g} + {math.exp(1):.4g})"
        total = math.exp(3) + math.exp(1)
        assert read(steps[2].split("log ")[1]) == pytest.approx(total, rel=1e-4)
        assert read(steps[-1][2:]) == pytest.approx(math.log(math.exp(7) + math.exp(5)), rel=1e-6)

    def test_a_forbidden_score_in_the_line(self):
        app = open_page(q="2~-inf")
        line = next(b for b in blocks(app) if "log Σ exp(q) = " in b)
        assert "<div>log Σ exp(q) = 2 + log(exp(2 − 2) + exp(−∞ − 2))</div>" in line
        assert "<div>= 2 + log(1 + 0)</div>" in line
        assert table(app, "exp of each score")[2] == ["exp(−∞)", "0", "0", "0", "0"]

    def test_a_c_that_is_too_far_away(self):
        app = open_page()
        app.slider(key="stability.c.float32").set_value(-90).run()
        assert "= inf" in next(b for b in blocks(app) if "log Σ exp(q) = " in b)
        app.slider(key="stability.c.float32").set_value(110).run()
        assert "= −inf" in next(b for b in blocks(app) if "log Σ exp(q) = " in b)

    def test_scores_are_moved_together(self):
        app = open_page(q="1~2")
        app.slider(key="stability.shift").set_value(800).run()
        found = verdicts(app, "log Σ exp")
        right = 800 + math.log(math.exp(1) + math.exp(2))
        assert found["As written"][3][:2] == ("inf", "✗ overflow")
        assert read(found["Largest subtracted"][3][0]) == pytest.approx(right)
        assert app.query_params["q"] in ("801~802", ["801~802"])

    @pytest.mark.parametrize("typed", ["", "seven", "1, inf", "nan", "1e9", ",".join("1" * 21)])
    def test_what_cannot_be_read_is_refused_and_nothing_is_lost(self, typed):
        app = open_page(q="1~2")
        app.text_input(key="stability.scores").set_value(typed).run()
        assert not app.exception
        assert "expected" in app.warning[0].value
        value = read(verdicts(app, "log Σ exp")["Largest subtracted"][3][0])
        assert value == pytest.approx(math.log(math.exp(1) + math.exp(2)), rel=1e-6)

    def test_fractions_logarithms_and_minus_infinity(self):
        assert stability_scores.read("2/4; log 2, −∞") == (0.5, math.log(2), -INF)

    def test_the_problem_s_last_column(self):
        app = open_page()
        button(app, "From the problem").click().run()
        value = read(verdicts(app, "log Σ exp")["Largest subtracted"][3][0])
        assert value == pytest.approx(oracle.total(OLD_MAN, "sum"), abs=1e-3)

    def test_of_no_path(self):
        app = open_page(ex="all-forbidden")
        button(app, "From the problem").click().run()
        assert not app.exception
        assert any("−∞ − (−∞) is nan" in info.value for info in app.info)


class TestGuess:
    def test_nothing_is_told_before(self):
        app = open_page(seen=False)
        assert "Largest subtracted" not in texts(app)
        assert "exact" not in texts(app).split("Two scores")[0].lower().replace("exactly", "")

    @pytest.mark.parametrize(
        ("guess", "verdict"),
        [(["float16", "bfloat16", "float32"], "success"), (["float16"], "error"), ([], "error")],
    )
    def test_committed(self, guess, verdict):
        app = open_page(seen=False)
        pills = next(c for c in app.get("button_group") if c.key == "stability.guess")
        pills.set_value(guess)
        button(app, "Commit, then see").click().run()
        assert not app.exception
        said = getattr(app, verdict)
        assert "float16, bfloat16, float32" in said[0].value
        button(app, "Small").click().run()  # the guess was about other scores
        assert not app.success
        assert not app.error


def test_two_at_a_time():
    app = open_page()
    app.number_input(key="stability.a").set_value(2.0)
    app.number_input(key="stability.b").set_value(-20.0).run()
    header, *rows = table(app, "Two scores added")
    assert header[1:] == ["as written", "with log(1 + x)", "with log1p(x)", "exact"]
    assert [read(x) for x in rows[3][1:]] == pytest.approx([2 + math.exp(-22)] * 4, rel=1e-6)
    assert read(rows[0][1]) == 2
    line = next(b for b in blocks(app) if " ⊕ " in b and "log1p(x)" in b)
    assert f"{2 + math.log1p(math.exp(-22)):.12g}" in line


# ---------------------------------------------------------------------- chains


class TestInside:
    def test_where_it_broke(self):
        app = open_page()
        columns, _ = log_alphas(OLD_MAN, 200)
        broke = next(t for t, c in enumerate(columns) if max(c) > math.log(LARGEST["float32"]))
        assert app.number_input(key=stability_step.TOKEN).value == broke + 1
        assert ": inf = α" in texts(app)

    @pytest.mark.parametrize("method", ["probability", "scaled", "log"])
    def test_the_terms_of_a_step(self, method):
        app = open_page(step="6")
        for key, value in (
            (stability_step.METHOD, method),
            (stability_step.FORMAT, "float64"),
        ):
            next(c for c in app.get("button_group") if c.key == key).set_value(value).run()
        app.selectbox(key=stability_step.TAG).set_value("NOUN").run()
        columns, _ = log_alphas(OLD_MAN, 7)
        rows = table(app, "What meets in the cell")[1:]
        into = [OLD_MAN.transitions[i][2] for i in range(4)]
        shift = oracle.merge(columns[5], "sum") if method == "scaled" else 0.0
        for row, before, step in zip(rows, columns[5], into, strict=True):
            logs = (before - shift, step, before - shift + step)
            values = logs if method == "log" else map(math.exp, logs)
            assert [read(x) for x in row[1:]] == pytest.approx(list(values), rel=1e-3)
        line = next(b for b in blocks(app) if "emission" in b and "crf-steps" in b)
        value = columns[6][2] - (oracle.merge(columns[6], "sum") if method == "scaled" else 0.0)
        value = value if method == "log" else math.exp(value)
        text = unescape(re.sub("<[^>]+>", "", line)).replace("\xa0", " ").removesuffix(" = α̂")
        number = re.search(r"[:=] (−?[0-9.]+(?: × 10[⁻⁰-⁹¹²³]+)?)$", text)[1]
        assert read(number) == pytest.approx(value, rel=1e-3)

    def test_a_click_on_a_curve(self, session):
        run = stability_chain.runs(OLD_MAN, 20)[9]
        point = {"curve_number": 0, "x": 13}
        session.state[stability_chain.CHART] = {"selection": {"points": [point]}}
        stability_chain._picked([run])
        assert session.state[stability_step.TOKEN] == 13
        assert session.state[stability_step.METHOD] == "log"
        assert session.state[stability_step.FORMAT] == "bfloat16"

    @pytest.mark.parametrize(
        "points", [[], [{}], [{"x": "7"}], [{"x": 0}], [{"x": 999, "curve_number": 0}]]
    )
    def test_a_forged_click(self, session, points):
        session.state[stability_chain.CHART] = {"selection": {"points": points}}
        stability_chain._picked([stability_chain.runs(OLD_MAN, 20)[0]])
        assert stability_step.TOKEN not in session.state

    def test_the_way_to_forward(self):
        app = open_page(step="11")
        app.selectbox(key=stability_step.TAG).set_value("NOUN").run()
        button(app, "See this step in the lesson Forward").click().run()
        assert not app.exception
        assert app.title[0].value == "Forward"
        problem = app.session_state[SHARED].problem
        assert problem.tokens == OLD_MAN.tokens * 3
        columns, _ = log_alphas(OLD_MAN, 12)
        follow = next(b for b in blocks(app) if "crf-follow" in b)
        assert f"Its logarithm: {columns[11][2]:.2f}." in unescape(follow)

    def test_too_long_for_forward(self):
        app = open_page(step="150")
        assert all("lesson Forward" not in b.label for b in app.button)


class TestScaling:
    def test_the_winner_is_lost(self):
        app = open_page()
        found = verdicts(app, "log Z of the two paths")
        assert found["Log space"][2][0] == "−120"
        assert found["Scaled"][2] == ("−160", "✗ paths lost", "off by 40")
        assert found["Scaled"][3][:2] == ("−120", "✓ right")
        assert f"exp({math.log(2**-150):.2f})".replace("-", "−") in texts(app)

    def test_and_kept_where_it_is_near(self):
        app = open_page()
        app.slider(key="stability.lag").set_value(60).run()
        found = verdicts(app, "log Z of the two paths")
        assert read(found["Scaled"][2][0]) == pytest.approx(-60)
        assert "so B is kept" in texts(app)

    def test_on_screen(self):
        app = open_page()
        button(app, "Put this problem on screen").click().run()
        assert not app.exception
        assert app.session_state[SHARED].problem.tags == ("A", "B")


# ---------------------------------------------------------------------- forbidden


class TestForbidden:
    def test_no_path_left(self):
        app = open_page()
        found = verdicts(app, "log Z with −10000")
        assert [c[:2] for c in found["−10000"]] == [
            ("−10000", "✗ invented"), ("−9984", "✗ invented"), ("−9999", "✗ invented"),
            ("−9999", "✗ invented"),
        ]  # fmt: skip
        assert [c[1] for c in found["−∞, nothing handled"]] == ["✗ nan"] * 4
        assert [c[:2] for c in found["−∞, handled"]] == [("−inf", "✓ right: −∞")] * 4
        assert "8 in float16 and 64 in bfloat16" in texts(app)

    def test_below_the_lowest_number_of_float16(self):
        app = open_page()
        which = next(c for c in app.get("button_group") if c.key == "stability.which")
        which.set_value("long").run()
        assert verdicts(app, "log Z with −10000")["−10000"][0][1] == "✗ nan"

    @pytest.mark.parametrize("name", ["bio", "rib-rob", "old-man", "no-path"])
    def test_the_problem_on_screen(self, name):
        app = open_page(ex=name)
        which = next(c for c in app.get("button_group") if c.key == "stability.which")
        which.set_value("screen").run()
        assert not app.exception
        found = verdicts(app, "log Z with −10000")
        log_z = oracle.total(EXAMPLES[name].problem, "sum")
        assert read(found["−∞, handled"][3][0]) == pytest.approx(log_z, rel=1e-6)
        rows = table(app, "Gradient with −∞, handled")
        sums = [read(x) for x in rows[-1][1:]]
        assert sums == pytest.approx([float(log_z > -INF)] * len(sums))
        told = any("forbids nothing" in info.value for info in app.info)
        assert told == (name == "old-man")

    def test_a_row_of_nothing(self):
        rows = table(open_page(), "A row of −∞ only")[1:]
        assert [row[1] for row in rows] == ["nan", "−inf", "−inf"]
        assert [row[2] for row in rows] == ["nan, nan, nan", "nan, nan, nan", "0, 0, 0"]


# ---------------------------------------------------------------------- the page


def test_the_address_comes_back():
    app = open_page(q="1.5~-inf~3", len="50", ex="three-one-three")
    assert app.text_input(key="stability.scores").value == "1.5, -inf, 3"
    assert app.select_slider(key="stability.tokens").value == 51
    query = {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}
    assert query == {"q": "1.5~-inf~3", "len": "51", "ex": "three-one-three"}
    app.select_slider(key="stability.tokens").set_value(201).run()
    assert "len" not in app.query_params


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("q", "a~b", "scores that cannot be read"), ("q", "", "scores that cannot be read"),
        ("len", "-3", "tokens"), ("len", "501", "tokens"), ("len", "²", "tokens"),
        ("len", "9" * 400, "tokens"),
    ],
)  # fmt: skip
def test_a_bad_address_is_answered(key, value, message):
    app = open_page(seen=False, **{key: value})
    app.run()
    assert not app.exception
    assert message in " ".join(w.value for w in app.warning).replace("\\", "") or key == "len"


@pytest.mark.parametrize("key", ["scores", "kept", "shift", "tokens", "token", "tag", "method"])
@pytest.mark.parametrize("forged", [None, -5, "x", ("a",)])
def test_a_session_that_holds_something_else(key, forged):
    app = AppTest.from_file(APP, default_timeout=60).run()
    app.session_state[f"stability.{key}"] = forged
    app.switch_page("pages/stability.py").run()
    button(app, "Just show me").click().run()
    assert not app.exception
    assert "Largest subtracted" in texts(app)


@pytest.mark.parametrize("part", ["prose", "answers", "controls"])
def test_hidden_parts(part):
    app = open_page(hide=part)
    assert not app.exception
    shown = texts(app)
    assert ("None of the four formats" in shown) == (part != "prose")
    assert ("At token 29 the product is more" in shown) == (part != "prose")
    assert bool(app.selectbox) == (part != "controls")
    assert bool(app.slider) == (part != "controls") or part == "controls"
    assert any(e.label == "Show log Z" for e in app.expander) == (part == "answers")
    assert any(e.label == "Export" for e in app.expander) == (part != "controls")


class TestCheckYourself:
    @pytest.mark.parametrize("seed", range(6))
    def test_which_formats(self, seed):
        scores = stability_closing.scores_of(seed)
        wrong = []
        for dtype in DTYPES:
            total = sum(map(math.exp, scores)) if max(scores) < 700 else INF
            over = max(scores) > math.log(LARGEST[dtype]) or total > LARGEST[dtype]
            under = max(scores) < (SMALLEST[dtype] - 1) * math.log(2)
            wrong += [dtype] if over or under else []
        app = open_page(seen=False)
        app.session_state[stability_closing.SEED] = seed
        app.run()
        pills = next(c for c in app.get("button_group") if c.key == f"stability.answer.{seed}")
        pills.set_value(wrong)
        [b for b in app.button if b.label == "Commit, then see"][-1].click().run()
        assert not app.exception
        assert app.success, (scores, wrong, app.error[0].value)

    def test_questions_are_of_both_kinds(self):
        largest = [max(stability_closing.scores_of(seed)) for seed in range(40)]
        assert min(largest) < -100
        assert max(largest) > 100

    @pytest.mark.parametrize(("off", "verdict"), [(0.0, "success"), (0.02, "error")])
    def test_by_hand(self, off, verdict):
        app = open_page(seen=False)
        seed = app.session_state[stability_closing.SEED]
        score, times = stability_closing.equal_scores(seed)
        answer = score + math.log(times) + off
        app.text_input(key=f"stability.typed.{seed}").set_value(f"{answer:.2f}")
        button(app, "Check").click().run()
        assert len(getattr(app, verdict)) == 1
        app.text_input(key=f"stability.typed.{seed}").set_value("many")
        button(app, "Check").click().run()
        assert "expected a number" in app.warning[0].value.replace("\\", "")

    def test_new_numbers(self):
        app = open_page(seen=False)
        before = app.session_state[stability_closing.SEED]
        button(app, "New numbers").click().run()
        assert app.session_state[stability_closing.SEED] != before


class TestExport:
    def test_it_is_made_when_it_is_open(self):
        app = open_page(seen=False)
        app.session_state["stability·export"] = True
        app.run()
        assert not app.exception
        assert app.selectbox(key="stability·table").options == [
            "Formats", "One sum", "Two at a time", "Growing chain", "Forbidden", "Row of -inf",
        ]  # fmt: skip

    def test_every_table(self, session):
        session.state.update({"stability.a": 0.0, "stability.b": -12.0})
        for name, rows in stability_closing.files(OLD_MAN).items():
            parsed = list(csv.reader(io.StringIO(rows_to_csv(rows))))
            assert len(parsed) == len(rows) > 3, name
            assert len({len(row) for row in parsed}) == 1, name

    def test_the_growing_chain_is_exact(self, session):
        session.state.update({"stability.a": 0.0, "stability.b": -12.0, "stability.tokens": 10})
        rows = stability_closing.files(OLD_MAN)["Growing chain"]
        column = rows[0].index("log float64")
        _, log_z = log_alphas(OLD_MAN, 10)
        assert rows[-1][column] == pytest.approx(log_z, abs=1e-9)
        assert [row[1] for row in rows[1:]] == list(OLD_MAN.tokens) * 2
