"""What the lesson "Viterbi" says of prefixes, ties and the way back, against every path."""

from itertools import pairwise

import pytest

from crf.figures.numbers import format_count, format_score
from crf.figures.trellis.flips import flips, leaders
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.viterbi import prefixes
from tests.figures.recursions import FORMS, OLD_MAN, run
from tests.oracles import recursions as oracle

BLANK = Problem.blank(["A", "B"], "xy")


@pytest.mark.parametrize("convention", FORMS)
def test_backpointers_and_those_that_are_followed(convention):
    rows, followed = prefixes.pointer_rows(run(OLD_MAN, convention, "max"))
    assert followed == {(2, 4), (0, 3), (3, 2), (2, 1)}
    for t in range(1, 5):
        before = [oracle.cell(OLD_MAN, "state", "max", t - 1, i) for i in range(4)]
        for s in range(4):
            sums = [before[i] + OLD_MAN.transitions[i][s] for i in range(4)]
            assert rows[s][t] == OLD_MAN.tags[sums.index(max(sums))]
    rows, followed = prefixes.pointer_rows(run(EXAMPLES["no-path"].problem, convention, "max"))
    assert not followed
    assert rows[0][1] == prefixes.NEVER


@pytest.mark.parametrize("name", ["old-man", "fish", "pair-potentials", "no-path"])
def test_the_way_back_is_found_again_without_backpointers(name):
    problem = EXAMPLES[name].problem
    rows = prefixes.way_back(problem, run(problem, "state", "max"))
    best = [] if name == "no-path" else problem.chain().viterbi().tags[0].tolist()
    assert [tag for *_, tag in rows][::-1] == [problem.tags[s] for s in best]
    if name == "old-man":
        into_det = [
            oracle.cell(problem, "state", "max", 2, i) + problem.transitions[i][0] for i in range(4)
        ]
        sums = zip(problem.tags, map(format_score, into_det), strict=True)
        assert rows[2] == ["‘man’", ", ".join(map(" ".join, sums)), "VERB"]


@pytest.mark.parametrize("name", ["old-man", "fish", "time-flies", "three-one-three-steady"])
def test_the_best_prefix_after_each_token(name):
    problem = EXAMPLES[name].problem
    trace = run(problem, "state", "max")
    found = prefixes.best_prefixes(trace)
    for t, prefix in enumerate(found):
        cells = [oracle.cell(problem, "state", "max", t, s) for s in range(len(problem.tags))]
        assert prefix.score == pytest.approx(max(cells))
        assert oracle.prefix_score(problem, prefix.path) == pytest.approx(max(cells))
        assert len(prefix.path) == t + 1
    rows = prefixes.prefix_rows(problem, found)
    assert [row[-1] for row in rows] == [prefix.score for prefix in found]  # all its digits
    changed = sum(new.path[: len(old.path)] != old.path for old, new in pairwise(found))
    told = prefixes.flips_told(problem, trace)
    assert sum("the best prefix was" in text for text in told) == changed


def test_a_tie_is_no_reason_to_change():
    """N V is as good as V N, and goes on with N."""
    even = Problem(["N", "V"], ["x", "y"], [[5, 2]] * 2, [[-9, 6], [6, -9]], [0, 0], [0, 0])
    for form in FORMS:
        trace = run(even, form, "max")
        assert [path for _, path in leaders(trace)][-1] == (0, 1)
        assert flips(trace) == []
    ahead = even.with_score("transitions", (1, 0), 6.5)
    assert [flip.new for flip in flips(run(ahead, "state", "max"))] == [(1, 0)]


def test_changes_of_mind_in_words():
    for name, said in (("old-man", "‘old’ and ‘man’ change their tags"),
                       ("one-token", "end scores B is best"), ("ice-cream", "… C C")):  # fmt: skip
        problem = EXAMPLES[name].problem
        told = prefixes.flips_told(problem, run(problem, "state", "max"))
        assert any(said in text for text in told)
        assert max(map(len, told)) < 300


@pytest.mark.parametrize(
    "problem",
    [
        Problem.blank(["A", "B", "C"], "wxyz"), BLANK.with_score("end", 1, 1), OLD_MAN,
        BLANK.with_score("transitions", (0, 1), 1), *(EXAMPLES[n].problem for n in
        ("all-zero", "time-flies", "zero-transitions")), Problem.blank(["A"], "xy"),
    ],
)  # fmt: skip
def test_best_paths_are_counted_and_ties_told(problem):
    trace, best = run(problem, "state", "max"), oracle.best_paths(problem, 10**4)
    n = sum(score == best[0][0] for score, _ in best)
    assert prefixes.number_of_best(trace) == n
    ties = " ".join(prefixes.ties_told(trace))
    assert (f"{format_count(n)} paths share the best score" in ties) == (n > 1)
    agree = prefixes.agreement_told(problem, trace)
    assert (f"{format_count(n)} paths share" in agree) == (n > 1)
    must = problem.tags == ("A",) or problem == EXAMPLES["zero-transitions"].problem
    assert ("Nothing says that they must" in agree) == (n == 1 and not must)
