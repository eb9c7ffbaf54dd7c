"""The lesson "Numerical stability" as a whole: its address, hidden parts, questions, exports."""

import csv
import io
import math

import pytest

from pages.shared.course.problem_files import rows_to_csv
from pages.stability import closing
from pages.stability.number_formats import DTYPES
from tests.apps import opened, switch
from tests.pages.stability_pages import (
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
    assert ("None of the four formats" in shown) == (part != "prose")
    assert ("At token 29 the product is more" in shown) == (part != "prose")
    assert bool(app.selectbox) == (part != "controls")
    assert bool(app.slider) == (part != "controls") or part == "controls"
    assert any(e.label == "Show log Z" for e in app.expander) == (part == "answers")
    assert any(e.label == "Export" for e in app.expander) == (part != "controls")


class TestBeforeItIsUsed:
    def test_the_rule_stands_before_the_guess_and_its_numbers_after(self):
        rule = "logΣexp(q)=c+logΣexp(q−c)"
        pending, seen, short = (
            "".join(texts(open_page(**how)).split())
            for how in ({"seen": False}, {}, {"seen": False, "hide": "prose"})
        )
        for shown in (pending, seen):
            assert 0 < shown.index(rule) < shown.index("withthelargerofthetwoasc")
        assert "logΣexp(q)=95+log(" not in pending
        assert "logΣexp(q)=95+log(" in seen
        assert "Largestsubtracted" not in pending
        assert rule in short

    def test_what_a_gradient_is_stands_before_its_verdicts(self):
        shown = texts(open_page())
        assert shown.index("by the gradient of log Z") < shown.index("gradient off by")

    def test_the_16_bit_formats_are_introduced(self):
        shown = texts(open_page())
        assert shown.index("float16 and bfloat16 take 16 bits") < shown.index("Every cell of")


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
        app.session_state[closing.SEED] = seed
        app.run()
        pills = next(c for c in app.get("button_group") if c.key == f"stability.answer.{seed}")
        pills.set_value(wrong)
        [b for b in app.button if b.label == "Commit, then see"][-1].click().run()
        assert not app.exception
        assert app.success, (scores, wrong, app.error[0].value)

    def test_a_hint_and_one_more_try_before_the_formats_are_told(self):
        app = open_page(seen=False)
        app.session_state[closing.SEED] = seed = 0
        app.run()
        largest = max(closing.scores_of(seed))
        commit = [b for b in app.button if b.label == "Commit, then see"][-1]
        pills = next(c for c in app.get("button_group") if c.key == f"stability.answer.{seed}")
        right = ["float16", "bfloat16", "float32"]
        for wrong, told in ((["float64"], False), (right[:1], True)):
            pills.set_value(wrong)
            commit.click().run()
            assert not app.success
            assert ("It goes wrong in" in app.error[0].value) == told
            assert (f"{largest:g}".replace("-", "−") in app.error[0].value) != told
            assert ("float64: " in texts(app).split("Check yourself")[-1]) == told

    def test_a_verdict_stays_when_the_other_question_is_checked(self):
        app = open_page(seen=False)
        app.session_state[closing.SEED] = seed = 0
        app.run()
        pills = next(c for c in app.get("button_group") if c.key == f"stability.answer.{seed}")
        pills.set_value(["float16", "bfloat16", "float32"])
        [b for b in app.button if b.label == "Commit, then see"][-1].click().run()
        assert len(app.success) == 1
        app.text_input(key=f"stability.typed.{seed}").set_value("17")
        button(app, "Check").click().run()
        assert len(app.success) == len(app.error) == 1
        [b for b in app.button if b.label == "Commit, then see"][-1].click().run()
        assert len(app.success) == len(app.error) == 1
        assert "Try once more" in app.error[0].value  # and what stays is not counted again
        app.text_input(key=f"stability.typed.{seed}").set_value(" ")
        button(app, "Check").click().run()
        assert not app.error

    def test_questions_are_of_both_kinds(self):
        largest = [max(closing.scores_of(seed)) for seed in range(40)]
        assert min(largest) < -100
        assert max(largest) > 100

    @pytest.mark.parametrize(("off", "verdict"), [(0.0, "success"), (0.02, "error")])
    def test_by_hand(self, off, verdict):
        app = open_page(seen=False)
        seed = app.session_state[closing.SEED]
        score, times = closing.equal_scores(seed)
        answer = score + math.log(times) + off
        app.text_input(key=f"stability.typed.{seed}").set_value(f"{answer:.2f}")
        button(app, "Check").click().run()
        assert len(getattr(app, verdict)) == 1
        assert ("times exp(0) is" in texts(app)) == (verdict == "success")
        button(app, "Check").click().run()  # once more
        assert len(getattr(app, verdict)) == 1
        assert "times exp(0) is" in texts(app)
        app.text_input(key=f"stability.typed.{seed}").set_value("many")
        button(app, "Check").click().run()
        assert "expected a number" in app.warning[0].value.replace("\\", "")

    def test_new_numbers(self):
        app = open_page(seen=False)
        before = app.session_state[closing.SEED]
        button(app, "New numbers").click().run()
        assert app.session_state[closing.SEED] != before


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
        for name, rows in closing.files(OLD_MAN).items():
            parsed = list(csv.reader(io.StringIO(rows_to_csv(rows))))
            assert len(parsed) == len(rows) > 3, name
            assert len({len(row) for row in parsed}) == 1, name

    def test_the_growing_chain_is_exact(self, session):
        session.state.update({"stability.a": 0.0, "stability.b": -12.0, "stability.tokens": 10})
        rows = closing.files(OLD_MAN)["Growing chain"]
        column = rows[0].index("log float64")
        _, log_z = log_alphas(OLD_MAN, 10)
        assert rows[-1][column] == pytest.approx(log_z, abs=1e-9)
        assert [row[1] for row in rows[1:]] == list(OLD_MAN.tokens) * 2
