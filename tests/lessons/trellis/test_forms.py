"""Each cell and equation in each form and scale against recursions in plain Python."""

import math
import re
from dataclasses import replace
from random import Random

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.state import Base, Given, State
from pages.shared.figures.beat import AGAIN, beat_with
from pages.shared.figures.derivations import equations
from pages.shared.ui.exports import problem_tables
from pages.trellis.beats import BEATS
from pages.trellis.notation import potential

BY_NAME = {beat.name: beat for beat in BEATS}
FORMS, SCALES = ("state", "message", "pair"), ("log", "potential")


def random_problem(seed, tags, words):
    """Scores of one decimal; about a sixth are −∞."""
    draw = Random(seed)

    def row():
        return [draw.choice([draw.randint(-40, 40) / 10] * 5 + [-math.inf]) for _ in range(tags)]

    emissions, matrix = [row() for _ in range(words)], [row() for _ in range(tags)]
    names = [f"T{s}" for s in range(tags)], [f"w{t}" for t in range(words)]
    return Problem.of(*names, emissions, matrix, row(), row())


PROBLEMS = {
    "old-man": EXAMPLES["old-man"].problem,
    "pair-potentials": EXAMPLES["pair-potentials"].problem,
    **{f"random {seed}": random_problem(seed, 2 + seed, 6 - seed) for seed in (1, 2, 3)},
}


def lse(values):
    values = list(values)
    top = max(values)
    return top if top == -math.inf else top + math.log(sum(math.exp(x - top) for x in values))


def transition(problem, t, i, j):
    """Into word t."""
    table = problem.transitions
    return table[t - 1][i][j] if isinstance(table[0][0], tuple) else table[i][j]


def alphas(problem, form):
    """[m][S] as a book of this form writes them; None where it has no column."""
    m, tags = len(problem.tokens), range(len(problem.tags))
    full = [[problem.start[s] + problem.emissions[0][s] for s in tags]]  # with the own score
    arrives: list = [[None] * len(tags)]
    for t in range(1, m):
        ways = [lse(full[-1][i] + transition(problem, t, i, s) for i in tags) for s in tags]
        arrives.append(ways)
        full.append([ways[s] + problem.emissions[t][s] for s in tags])
    if form == "pair":
        full[-1] = [full[-1][s] + problem.end[s] for s in tags]
    return arrives if form == "message" else full


def betas(problem, form):
    """[m][S] from the right."""
    m, tags = len(problem.tokens), range(len(problem.tags))
    columns: list = [list(problem.end)]
    for t in range(m - 1, 0, -1):
        after = [problem.emissions[t][j] + columns[0][j] for j in tags]
        columns.insert(
            0, [lse(transition(problem, t, i, j) + after[j] for j in tags) for i in tags]
        )
    last = {"state": columns[-1], "message": [None] * len(tags), "pair": [0.0] * len(tags)}
    return [*columns[:-1], last[form]]


def state_of(name, form, scale="log", **parts):
    problem = PROBLEMS[name]
    state = State(Base(table=problem), Given(problem, "hand"), form=form, scale=scale)
    return replace(state, **parts)


def now_at(name, state):
    """A step, in the beat that has it, once its question is behind."""
    beat, _ = beat_with(BY_NAME[name], state, BEATS)
    return beat.now(replace(state, bet=AGAIN))


def value(one):
    return -math.inf if one == "-inf" else one


def ends(segments):
    return "".join(one if isinstance(one, str) else one["text"] for one in segments).split(" ")[-1]


def written(number, scale):
    if scale == "potential":
        return potential(number)
    return f"{number + 0.0:.2f}".replace("-inf", "−∞").replace("-0.00", "0.00").replace("-", "−")


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("beat", "table"), [("add", alphas), ("both", betas)])
def test_every_cell_is_that_of_a_plain_recursion(beat, table, form, name):
    wanted = table(PROBLEMS[name], form)
    for scale in SCALES:  # which changes no number
        drawn = BY_NAME[beat].figure(state_of(name, form, scale))["picture"]["values"]
        assert len(drawn) == len(wanted)
        for column, numbers in zip(drawn, wanted, strict=True):
            assert [value(one) for one in column] == (
                pytest.approx(numbers) if None not in numbers else numbers
            )


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("beat", "table"), [("add", alphas), ("both", betas)])
def test_every_equation_ends_with_its_cell(beat, table, scale, form, name):
    problem = PROBLEMS[name]
    S, m, wanted = len(problem.tags), len(problem.tokens), table(problem, form)
    for step in range(S if form == "message" else 0, S * m):
        now = now_at(beat, state_of(name, form, scale, step=step))
        t, s = now["cell"]
        assert ends(now["equation"]) == written(wanted[t][s], scale)
    now = now_at(beat, state_of(name, form, scale, step=S * m))
    total = lse(a + b for a, b in zip(alphas(problem, "state")[-1], problem.end, strict=True))
    assert ends(now["equation"]) == written(total, scale)


def test_the_second_source_s_tables_are_its_own():
    """50 α in pair form: ten columns of a generator's numbers, of which two are published."""
    picture = BY_NAME["add"].figure(state_of("pair-potentials", "pair"))["picture"]
    first = [1.10026295, 2.52187760, 1.40997704, 1.36407554, 1.00201186]
    last = [2.66620185e8, 4.91942550e8, 4.48597546e8, 3.42214705e8, 4.10510463e8]
    values = [[math.exp(one) for one in column] for column in picture["values"]]
    assert sum(map(len, values)) == 50
    assert values[0] == pytest.approx(first, rel=5e-9)
    assert values[-1] == pytest.approx(last, rel=5e-9)


@pytest.mark.parametrize("name", PROBLEMS)
def test_where_messages_meet_three_numbers_less_log_z_are_the_log_marginal(name):
    problem = PROBLEMS[name]
    m, tags = len(problem.tokens), range(len(problem.tags))
    left, right = alphas(problem, "message"), betas(problem, "message")
    left[0], right[-1] = problem.start, problem.end
    log_z = lse(a + b for a, b in zip(alphas(problem, "state")[-1], problem.end, strict=True))
    for t in range(m):
        picture = BY_NAME["meet"].figure(state_of(name, "message", step=t, bet="-"))["picture"]
        logs = [left[t][s] + problem.emissions[t][s] + right[t][s] - log_z for s in tags]
        p = [math.exp(log) for log in logs]
        assert picture["now"]["meet"]["both"] == pytest.approx(p, abs=1e-12)
        weights = [math.exp(x - lse(left[t])) for x in left[t]]
        assert picture["now"]["meet"]["left"] == pytest.approx(weights, abs=1e-12)
        said = "".join(x if isinstance(x, str) else x["text"] for x in picture["now"]["equation"])
        best = max(tags, key=p.__getitem__)
        shown = re.search(rf"{problem.tags[best]}: exp\( [^)]* \)( [=≈])? (>?[\d.]+)", said)
        assert shown
        assert float(shown[2].strip(">")) == pytest.approx(p[best], abs=0.0101)
        if t:
            kept = [None if x is None else value(x) for x in picture["left"][t - 1]]
            wanted = alphas(problem, "message")[t - 1]
            assert kept == (pytest.approx(wanted) if None not in wanted else wanted)


@pytest.mark.parametrize(("form", "held"), [("message", "11.21"), ("pair", "8.21")])
def test_a_filled_column_follows_the_form_once_it_is_settled(form, held):
    column = BY_NAME["column"]
    asked, told, shared = (
        column.figure(state_of("old-man", form, step=13, bet=bet))["picture"]
        for bet in ("", "8.21", "-")
    )
    assert (asked["notation"], asked["form"]) == (False, "state")
    assert (told["notation"], told["form"]) == (True, form)
    assert told["values"][3][1] == pytest.approx(alphas(PROBLEMS["old-man"], form)[3][1])
    assert ends(told["now"]["equation"]) == held
    assert "Right: 8.21" in "".join(map(str, told["now"]["bet"]["answer"]))  # we ask in our form
    assert held in "".join(map(str, told["now"]["bet"]["answer"]))
    assert (shared["notation"], shared["form"]) == (False, "state")  # a class's is in ours
    right = column.shares(state_of("old-man", form, step=13, bet="8.21")).right(13)
    assert right == pytest.approx(alphas(PROBLEMS["old-man"], "state")[3][1])


def test_the_column_after_start_stays_as_this_course_writes_it():
    problem = EXAMPLES["one-token"].problem
    state = State(Base(table=problem), Given(problem, "hand"), form="message", bet=".")
    picture = BY_NAME["column"].figure(state)["picture"]
    assert (picture["now"]["step"], picture["form"]) == (0, "state")


def test_root_and_eos_are_named_in_picture_symbols_sentences_and_tables():
    def told(beat, step, **parts):
        now = BY_NAME[beat].figure(state_of("old-man", "pair", step=step, ends="root", **parts))
        return now["picture"], now["picture"]["now"]

    def text(segments):
        return "".join(one if isinstance(one, str) else one["text"] for one in segments)

    picture, now = told("add", 2)
    assert picture["ends"] == "root"
    assert "T[ROOT, NOUN]" in text(now["symbols"])
    assert "from ROOT carries" in text(now["say"])
    assert "start" not in text(now["symbols"])
    assert {one["role"] for one in now["symbols"] if "role" in one} == {"transition", "emission"}
    assert "ψ(ROOT, NOUN)" in text(told("add", 2, scale="potential")[1]["symbols"])
    assert "ways to EOS" in text(
        now_at("add", state_of("old-man", "message", step=20, ends="root"))["say"]
    )
    plain = BY_NAME["best"].figure(state_of("old-man", "state"))["picture"]
    assert BY_NAME["best"].figure(state_of("old-man", "state", ends="root"))["picture"] == plain
    tables = problem_tables(PROBLEMS["old-man"], rooted=True)
    rows = next(table for name, table in tables.items() if "ROOT" in name).csv().splitlines()
    assert rows[0] == "from,ROOT,DET,ADJ,NOUN,VERB,EOS"
    assert rows[1].startswith("ROOT,-inf,1")
    line = equations("alpha", PROBLEMS["old-man"].tokens, 2, "message", rooted=True)[-1]
    assert r"\psi(\text{ROOT}, y_{1})" in line
    assert r"\sigma" not in line
