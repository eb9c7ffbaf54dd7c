"""The lesson "Numerical stability" as a whole: its address, hidden parts, questions, exports."""

import csv
import io
import math

import pytest

from pages.shared.ui.question import NONE
from pages.stability import closing
from pages.stability.number_formats import DTYPES
from tests.apps import html_of, opened, switch
from tests.lessons.stability.reading import (
    INF,
    LARGEST,
    OLD_MAN,
    SMALLEST,
    button,
    log_alphas,
    open_page,
    texts,
)


def test_the_address_comes_back():
    app = open_page(q="1.5~-inf~3", len="50", ex="three-one-three")
    assert app.text_input(key="stability.scores").value == "1.5, -inf, 3"
    assert "the chain" in texts(app)
    query = {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}
    assert query == {"q": "1.5~-inf~3", "len": "50", "ex": "three-one-three"}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("q", "a~b", "score 1: expected a number"), ("q", "", "expected 1 to 20 numbers"),
        ("q", "1~inf", "asks for q “1~inf”"), ("shift", "1201", "-1,200 to 1,200"),
        ("len", "-3", "1 to 500"), ("len", "501", "1 to 500"), ("len", "²", "1 to 500"),
        ("len", "9" * 400, "1 to 500"),
    ],
)  # fmt: skip
def test_a_bad_address_is_answered(key, value, message):
    app = open_page(seen=False, **{key: value})
    assert not app.exception
    assert message in " ".join(w.value for w in app.warning).replace("\\", "")


@pytest.mark.parametrize("key", ["scores", "kept", "shift", "tokens", "token", "tag", "method"])
@pytest.mark.parametrize("forged", [None, -5, "x", ("a",)])
def test_a_session_that_holds_something_else(key, forged):
    app = opened()
    app.session_state[f"stability.{key}"] = forged
    switch(app, "stability")
    button(app, "Just show me").click().run()
    assert not app.exception
    assert "Largest subtracted" in texts(app)


@pytest.mark.parametrize("part", ["prose", "answers", "controls"])
def test_hidden_parts(part):
    app = open_page(hide=part)
    assert not app.exception
    shown = texts(app)
    assert ("Scaled divides each column" in " ".join(shown.split())) == (part != "prose")
    assert ("At token 4 the product is more" in shown) == (part != "prose")
    assert any(box.key != "foot.lang" for box in app.selectbox) == (part != "controls")
    assert any(e.label == "Show log Z" for e in app.expander) == (part == "answers")
    assert any(e.label == "Export" for e in app.expander) == (part != "controls")


class TestBeforeItIsUsed:
    def test_a_pending_guess_is_not_told(self):
        rule = "logΣexp(q)=c+logΣexp(q−c)"
        pending, seen = ("".join(texts(open_page(**how)).split()) for how in ({"seen": False}, {}))
        assert seen.index(rule) < seen.index("logΣexp(q)=95+log(")
        assert "logΣexp(q)=95+log(" not in pending
        assert "Largestsubtracted" not in pending


def check(app, key):
    """Press the button of one question."""
    button = next(b for b in app.button if b.label == "Check" and b.proto.form_id == key)
    return button.click().run()


def formats_question(app, seed):
    app.session_state[closing.SEED.key] = seed
    app.run()
    key = f"stability.formats.{seed}"
    return key, next(c for c in app.get("button_group") if c.key == f"{key}.answer")


class TestCheckYourself:
    @pytest.mark.parametrize("seed", range(6))
    def test_which_formats(self, seed):
        scores = closing.scores_of(seed)
        wrong = []
        for dtype in DTYPES:
            total = sum(map(math.exp, scores)) if max(scores) < 700 else INF
            over = max(scores) > math.log(LARGEST[dtype]) or total > LARGEST[dtype]
            under = max(scores) < (SMALLEST[dtype] - 1) * math.log(2)
            wrong += [dtype] if over or under else []
        app = open_page(seen=False)
        for no_answer in ([], [DTYPES[0], NONE]):
            key, pills = formats_question(app, seed)
            pills.set_value(no_answer)
            check(app, key)
            assert "“none of them”" in app.info[0].value
            assert not app.error
        key, pills = formats_question(app, seed)
        pills.set_value(wrong or [NONE])
        check(app, key)
        assert not app.exception
        assert app.success, (scores, wrong, app.error[0].value)

    def test_a_hint_and_one_more_try_before_the_formats_are_told(self):
        app = open_page(seen=False)
        key, pills = formats_question(app, 0)
        largest = f"{max(closing.scores_of(0)):g}".replace("-", "−")
        for wrong, told in ((["float64"], False), (["float16"], True)):
            _, pills = formats_question(app, 0)
            pills.set_value(wrong)
            check(app, key)
            assert not app.success
            assert largest in app.error[0].value
            assert ("Try once more" in app.error[0].value) != told
            assert any("float64" in m.value for m in app.markdown) == told

    def test_a_verdict_stays_when_the_other_question_is_checked(self):
        app = open_page(seen=False)
        key, pills = formats_question(app, 0)
        pills.set_value(["float16", "bfloat16", "float32"])
        check(app, key)
        assert len(app.success) == 1
        other = "stability.byhand.0"
        app.text_input(key=f"{other}.answer").set_value("17")
        check(app, other)
        assert len(app.success) == len(app.error) == 1
        check(app, key)
        assert len(app.success) == len(app.error) == 1
        assert "Try once more" in app.error[0].value  # and what stays is not counted again

    def test_questions_are_of_both_kinds(self):
        largest = [max(closing.scores_of(seed)) for seed in range(40)]
        assert min(largest) < -100
        assert max(largest) > 100

    @pytest.mark.parametrize(("off", "verdict"), [(0.0, "success"), (0.02, "error")])
    def test_by_hand(self, off, verdict):
        app = open_page(seen=False)
        seed = app.session_state[closing.SEED.key]
        key = f"stability.byhand.{seed}"
        score, times = closing.equal_scores(seed)
        answer = score + math.log(times) + off
        app.text_input(key=f"{key}.answer").set_value(f"{answer:.2f}")
        check(app, key)
        assert len(getattr(app, verdict)) == 1
        told = any("times exp" in m.value for m in app.markdown)
        assert told == (verdict == "success")
        app.text_input(key=f"{key}.answer").set_value("many")
        check(app, key)
        assert "expected a number" in app.warning[0].value.replace("\\", "")

    def test_new_numbers(self):
        app = open_page(seen=False)
        before = app.session_state[closing.SEED.key]
        button(app, "New numbers").click().run()
        assert app.session_state[closing.SEED.key] != before


TABLES = ["Formats", "One sum", "Two at a time", "Growing chain", "Forbidden", "Row of -inf"]


def test_every_table_can_be_taken_away(session):
    session.state["stability.tokens"] = 10
    app = open_page(seen=False)
    app.session_state["stability·export"] = True
    app.run()
    assert not app.exception
    assert app.selectbox(key="stability·table").options[:6] == list(closing.tables(OLD_MAN))
    assert list(closing.tables(OLD_MAN)) == TABLES
    for name, table in closing.tables(OLD_MAN).items():
        parsed = list(csv.reader(io.StringIO(table.csv())))
        assert len(parsed) > 3, name
        assert len({len(row) for row in parsed}) == 1, name
    header, *rows = csv.reader(io.StringIO(closing.tables(OLD_MAN)["Growing chain"].csv()))
    _, log_z = log_alphas(OLD_MAN, 10)
    assert float(rows[-1][header.index("log float64")]) == pytest.approx(log_z, abs=1e-9)
    assert [row[1] for row in rows] == list(OLD_MAN.tokens) * 2


def words(**query: str) -> str:
    app = opened("stability", **query)
    assert not app.exception
    return html_of(app)


def test_what_is_said_of_minus_10000_is_said_of_what_is_chosen():
    assert "A may not follow A" in words(which="long")
    said = words(which="screen", ex="bio")
    assert "A may not follow A" not in said
    assert "each −∞ of the problem on screen" in said


def test_between_two_repeats_a_table_for_each_step_has_none():
    said = "between two repeats all transitions score 0"
    assert said in words(ex="pair-potentials", len="40")
    assert said not in words(ex="pair-potentials", len="10")  # once through
    assert said not in words(ex="old-man", len="40")
