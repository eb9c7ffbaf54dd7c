"""Each usual mistake is made by hand here, in plain sums, and has to be recognised."""

import math
from itertools import product

import pytest
import torch

from crf import LinearChain
from crf.figures.numbers import exact
from crf.lab.reference import Reference
from crf.steps.conventions import ChainScores
from crf.trace import ALGORITHMS, FORMS, trace
from pages.shared.course.diagnosis import diagnose, mistaken_column
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem, ProblemError
from tests.figures.recursions import EVERY

INF = math.inf
PROBLEM = Problem(
    ("A", "B", "C"),
    ("x", "y", "z"),
    ((0.5, -0.3, 1.1), (1.7, 0.4, -0.6), (-0.9, 1.3, 0.8)),
    ((0.3, -1.2, 0.9), (1.4, 0.1, -0.7), (-0.2, 1.6, 0.5)),
    (0.7, -0.4, 0.2),
    (0.6, 0.9, -1.1),
)
E, T, START, END = PROBLEM.emissions, PROBLEM.transitions, PROBLEM.start, PROBLEM.end
S = range(3)


def lse(values):
    return math.log(sum(map(math.exp, values)))


def column(t: int, emission=1.0, other_emission=None, matrix=T, start=START, merge=lse):
    """Column t of the state form, from right columns before it, with one thing changed."""
    own = E[t if other_emission is None else other_emission]
    if t == 0:
        return [start[s] + emission * own[s] for s in S]
    old = column(t - 1)
    return [merge([old[i] + matrix[i][s] for i in S]) + emission * own[s] for s in S]


BEST = max(S, key=column(0).__getitem__)
TRANSPOSED = tuple(zip(*T, strict=True))
BY_HAND = {
    "transitions transposed": column(1, matrix=TRANSPOSED),
    "emission left out": column(2, emission=0.0),
    "emission added twice": column(1, emission=2.0),
    "emission of the wrong token": column(2, other_emission=1),
    "emission of the wrong token: next": column(1, other_emission=2),
    "max for sum": column(2, merge=max),
    "logs added": column(1, merge=sum),
    "transition left out": column(1, matrix=((0.0,) * 3,) * 3),
    "terms averaged": column(2, merge=lambda v: lse(v) - math.log(3)),
    "start left out": column(0, start=(0.0,) * 3),
    "only the best cell followed": [column(0)[BEST] + T[BEST][s] + E[1][s] for s in S],
    "log of added logs": column(1, merge=lambda v: math.log(sum(v))),
    "neighbouring column left out": [lse([T[i][s] for i in S]) + E[1][s] for s in S],
    "softmax before the CRF": [
        column(1, emission=0.0)[s] + math.exp(E[1][s] - lse(E[1])) for s in S
    ],
    "log-softmax before the CRF": [column(1)[s] - lse(E[1]) for s in S],
}
AT = {"start left out": 0} | dict.fromkeys(
    ["emission left out", "emission of the wrong token", "max for sum", "terms averaged"], 2
)


def shown(values, space="log"):
    """As a learner would type them, to three decimals or four digits."""
    if space == "log":
        return ["-inf" if v == -INF else f"{v:.3f}" for v in values]
    return ["0" if v == -INF else f"{math.exp(v):.4g}" for v in values]


@pytest.mark.parametrize("space", ["log", "probability"])
@pytest.mark.parametrize("name", BY_HAND)
def test_each_error_is_recognised(name, space):
    if name == "log of added logs" and space == "probability":
        return
    answers = shown(BY_HAND[name], space)
    *cells, whole = diagnose(PROBLEM, PROBLEM.trace(), AT.get(name, 1), answers, space)
    kind = name.partition(":")[0]
    assert (whole.right, whole.kind, whole.row) == (False, kind, None)
    assert [cell.row for cell in cells] == [0, 1, 2]


@pytest.mark.parametrize("space", ["log", "probability"])
@pytest.mark.parametrize(("algorithm", "form"), list(product(ALGORITHMS, FORMS)))
def test_the_right_column_transposed_transitions_and_the_other_space(algorithm, form, space):
    run = PROBLEM.trace(algorithm, convention=form)
    for c, row in enumerate(run.table):
        verdicts = diagnose(PROBLEM, run, c, shown(row, space), space)
        assert [(v.kind, v.right) for v in verdicts] == [("right", True)] * 4
    first = 0 if form == "message" else 1  # message form: its first column has transitions
    c = first if algorithm != "backward" else run.num_columns - 1 - first
    swapped = PROBLEM.with_changes(transitions=TRANSPOSED).trace(algorithm, convention=form)
    whole = diagnose(PROBLEM, run, c, shown(swapped.table[c], space), space)[-1]
    assert whole.kind == "transitions transposed"
    other = "log" if space == "probability" else "probability"
    whole = diagnose(PROBLEM, run, 0, shown(run.table[0], other), space)[-1]
    assert whole.kind == "other space"
    assert "potentials" in whole.message  # they may be above 1
    assert "probabilit" not in whole.message


@pytest.mark.parametrize(("algorithm", "form", "semiring"), EVERY)
def test_without_a_mistake_a_column_is_the_trace_s(algorithm, form, semiring):
    one_table, start, end = (torch.tensor(x, dtype=torch.float64) for x in (T, START, END))
    emissions = torch.tensor([E], dtype=torch.float64)
    each_step = torch.stack([one_table, one_table.T.exp()])[None]
    for tokens, transitions in ((1, one_table), (2, one_table), (3, one_table), (3, each_step)):
        chain = LinearChain(emissions[:, :tokens], transitions, start, end)
        run = trace(chain, algorithm=algorithm, convention=form, semiring=semiring)
        scores = ChainScores.of(chain, 0)
        for c, column in enumerate(run.table):
            assert mistaken_column(Reference, scores, run, c) == pytest.approx(column)


def test_errors_of_one_recursion_or_space_alone():
    added = [lse([*column(0), *(T[i][s] for i in S)]) + E[1][s] for s in S]
    for algorithm, c, typed, space, kind in (
        ("viterbi", 1, shown(column(1)), "log", "sum for max"),
        ("backward", 2, ["0", "0", "0"], "log", "end left out"),
        ("forward", 1, shown(added, "probability"), "probability", "factors added"),
    ):
        found = diagnose(PROBLEM, PROBLEM.trace(algorithm), c, typed, space)
        assert found[-1].kind == kind


@pytest.mark.parametrize("form", FORMS)
def test_backward_with_the_token_s_own_emission(form):
    run = PROBLEM.trace("backward", convention=form)
    for c, row in enumerate(run.table):
        typed = shown([beta + e for beta, e in zip(row, E[c], strict=True)])
        whole = diagnose(PROBLEM, run, c, typed)[-1]
        assert whole.kind == "β with its own emission"
        assert "comes after" in whole.message
    forward = PROBLEM.trace(convention="message")  # here it says nothing
    typed = shown([value + e for value, e in zip(forward.table[1], E[1], strict=True)])
    assert diagnose(PROBLEM, forward, 1, typed)[-1].kind == "unknown"


@pytest.mark.parametrize(
    ("by", "factor", "right"),
    [(0.01, 1.0099, True), (-0.01, 0.9905, True), (0.011, 1.012, False)],
)
def test_tolerance(by, factor, right):
    truth = column(1)
    answers = [exact(truth[0] + by), *map(exact, truth[1:])]
    assert diagnose(PROBLEM, PROBLEM.trace(), 1, answers)[0].right is right
    answers = [exact(factor * math.exp(v)) for v in truth]
    assert diagnose(PROBLEM, PROBLEM.trace(), 1, answers, "probability")[-1].right is right


LOG, POTENTIAL = shown(column(1)), shown(column(1), "probability")
TYPED = {  # in column 1 → the kinds of its cells and of the whole, and what is said of the whole
    "two off": (
        [repr(column(1)[0] + 0.87), repr(column(1)[1] + 0.31), LOG[2]], "log",
        "unknown unknown right unknown", "2 of 3 cells are off. The worst is A, by 0.87.",
    ),
    "the others no numbers": (
        [repr(column(1)[0] + 0.5), "1,5", ""], "log", "unknown unreadable empty unknown",
        "1 of 3 cells is off: A, by 0.50. Not yet a number: B, C.",
    ),
    "no numbers": (
        ["", "1,5", LOG[2]], "log", "empty unreadable right empty", "Not yet a number: A, B.",
    ),
    "nothing where ways do lead": (
        ["−∞", *LOG[1:]], "log", "unknown right right unknown",
        "1 of 3 cells is off: A. Some ways do lead here, and −∞ would mean that none does.",
    ),
    "a potential of 0": (
        ["0", *POTENTIAL[1:]], "probability", "unknown right right unknown",
        "1 of 3 cells is off: A. Some ways do lead here, and 0 would mean that none does.",
    ),
    "one right by luck": (
        [LOG[0], *shown(BY_HAND["transitions transposed"])[1:]], "log",
        "right * * transitions-transposed", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPED)
def test_what_is_said_of_a_column_without_its_answer(name):
    typed, space, kinds, message = TYPED[name]
    found = diagnose(PROBLEM, PROBLEM.trace(), 1, typed, space)
    for verdict, kind in zip(found, kinds.split(), strict=True):
        assert kind in ("*", verdict.kind.replace(" ", "-"))
        assert not any(text[:-1] in verdict.message for text in LOG)
    assert found[-1].message.startswith(message)


def test_forbidden_cells_and_huge_numbers():
    problem = EXAMPLES["no-path"].problem
    run = problem.trace()
    assert diagnose(problem, run, 2, ["-inf", "−∞"])[-1].right
    assert diagnose(problem, run, 2, ["0", "0"], "probability")[-1].right
    for typed, space in ((["-3", "-inf"], "log"), (["0.3", "0"], "probability")):
        *_, whole = diagnose(problem, run, 2, typed, space)
        assert whole.message == "1 of 2 cells is off: A. Does any way lead here?"
    run = EXAMPLES["fifty"].problem.trace()
    verdicts = diagnose(EXAMPLES["fifty"].problem, run, 7, ["1e300", "-5"], "probability")
    assert [v.right for v in verdicts] == [False] * 3
    problem = Problem.blank(["A", "B"], ["x", "y"]).with_score("start", 0, 5)
    problem = problem.with_score("emissions", (1, 1), -5)
    run = problem.trace()  # the one furthest off as a share is named, though it is the smaller one
    large, small = map(math.exp, run.table[1])
    whole = diagnose(problem, run, 1, [str(1.5 * large), str(3 * small)], "probability")[-1]
    assert whole.message.endswith("The worst is B, by 200 % of the right number.")


@pytest.mark.parametrize(
    "arguments", [(3, ["1"] * 3, "log"), (1, ["1"] * 2, "log"), (1, ["1"] * 3, "Log")]
)
def test_refusals(arguments):
    with pytest.raises(ProblemError):
        diagnose(PROBLEM, PROBLEM.trace(), *arguments)


@pytest.mark.parametrize("rows", [[0, 2], [1]])
def test_some_of_the_cells_alone(rows):

    def found(typed):
        return diagnose(PROBLEM, PROBLEM.trace(), 1, typed, rows=rows)

    right = [str(column(1)[s]) for s in rows]
    assert [(verdict.row, verdict.right) for verdict in found(right)] == [
        (row, True) for row in (*rows, None)
    ]
    whole = found([str(column(1, matrix=TRANSPOSED)[s]) for s in rows])[-1]
    assert (whole.right, whole.kind) == (False, "transitions transposed")
    *cells, whole = found(["77", *right[1:]])
    assert [cell.right for cell in cells] == [False] + [True] * (len(rows) - 1)
    assert whole.message.startswith(f"1 of {len(rows)} cells is off: {PROBLEM.tags[rows[0]]}")
    with pytest.raises(ProblemError, match=f"answers: expected {len(rows)}, one for each"):
        found(["1"] * (len(rows) + 1))
