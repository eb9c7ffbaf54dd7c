"""Every path one by one, against the chain."""

from itertools import accumulate

import pytest
import torch

from crf.trace import trace
from pages.shared.course.brute_force import additions, count_paths, enumerate_paths, score
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem, ProblemError

PROBLEMS = {
    name: example.problem
    for name, example in EXAMPLES.items()
    if count_paths(example.problem) <= 3000
} | {"steps": Problem.blank(["A", "B"], ["x", "y", "z"]).per_step_form().random(5)}


@pytest.mark.parametrize("name", PROBLEMS)
def test_against_the_chain(name):
    problem = PROBLEMS[name]
    paths, chain = enumerate_paths(problem), problem.chain()
    tags = torch.tensor([path.tags for path in paths])[:, None]
    assert len({path.tags for path in paths}) == count_paths(problem)
    scores = [path.score for path in paths]
    assert scores == pytest.approx(chain.score(tags)[:, 0].tolist())
    assert scores == sorted(scores, reverse=True)
    p = [path.probability for path in paths]
    assert p == pytest.approx(chain.log_prob(tags).exp()[:, 0].tolist(), abs=1e-12)
    assert [path.cumulative for path in paths] == pytest.approx(list(accumulate(p)))
    if chain.log_partition > -torch.inf:
        assert paths[-1].cumulative == pytest.approx(1)
        assert list(paths[0].tags) == chain.viterbi().tags[0].tolist()


def test_above_the_limit_it_says_how_many():
    problem = Problem.blank(list("ABCDEFGHIJKL"), ["w"] * 60)
    with pytest.raises(ProblemError, match=r"^paths: expected at most 20,000, got 5\.\d × 10⁶⁴; "):
        enumerate_paths(problem)
    small = Problem.blank(["A", "B"], ["x"] * 3)
    tags = [path.tags for path in enumerate_paths(small, limit=8)]
    assert (len(tags), tags) == (8, sorted(tags))  # equal scores are in the order of their tags
    with pytest.raises(ProblemError):
        enumerate_paths(small, limit=7)
    assert score(Problem.blank(["A"], ["x"]).with_score("start", 0, 0.1), (0,)) == 0.1


def test_additions_counts_what_a_trace_does():
    problem = Problem.blank(["A", "B", "C"], ["w", "x", "y", "z"])
    run, last = trace(problem.chain()), additions(3, 4)[-1]
    done = sum(len(step.terms) - 1 for step in run.steps)
    assert (last.recursion, last.prefixes) == (done, run.steps[-1].prefixes)
    assert last.enumeration == len(enumerate_paths(problem)) - 1
