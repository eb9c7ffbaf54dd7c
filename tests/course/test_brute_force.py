import math

import pytest
import torch

from crf import LinearChain
from crf.trace import trace
from pages.shared.course.brute_force import additions, count_paths, enumerate_paths, score
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem, ProblemError

SMALL = [name for name, example in EXAMPLES.items() if count_paths(example.problem) <= 3000]


@pytest.mark.parametrize("name", SMALL)
class TestAgainstTheChain:
    def test_probabilities(self, name):
        problem = EXAMPLES[name].problem
        paths, chain = enumerate_paths(problem), EXAMPLES[name].summary.chain
        tags = torch.tensor([path.tags for path in paths])[:, None]
        assert len(paths) == count_paths(problem)
        assert [p.score for p in paths] == pytest.approx(chain.score(tags)[:, 0].tolist())
        expected = chain.log_prob(tags).exp()[:, 0].tolist()
        assert [p.probability for p in paths] == pytest.approx(expected, abs=1e-12)

    def test_order_and_mass(self, name):
        paths = enumerate_paths(EXAMPLES[name].problem)
        scores = [path.score for path in paths]
        assert scores == sorted(scores, reverse=True)
        assert paths[-1].cumulative == pytest.approx(float(EXAMPLES[name].summary.feasible))
        running = 0.0
        for path in paths:
            running += path.probability
            assert path.cumulative == pytest.approx(running)
        assert len({path.tags for path in paths}) == len(paths)

    def test_the_best_is_viterbis(self, name):
        r = EXAMPLES[name].summary
        if r.feasible:
            best = enumerate_paths(r.problem)[0].tags
            assert tuple(r.problem.tags[s] for s in best) == r.viterbi


def test_per_step_transitions():
    problem = Problem.blank(["A", "B"], ["x", "y", "z"]).per_step_form().random(5)
    total = math.fsum(math.exp(path.score) for path in enumerate_paths(problem))
    assert problem.chain().log_partition.item() == pytest.approx(math.log(total))


def test_a_chain_will_do_too():
    problem = EXAMPLES["book"].problem
    assert enumerate_paths(problem.chain()) == enumerate_paths(problem)
    with pytest.raises(ProblemError, match=r"^chain: expected a batch of one, got 2"):
        enumerate_paths(LinearChain(torch.zeros(2, 1, 1), torch.zeros(1, 1)))


def test_above_the_limit_it_says_how_many():
    problem = Problem.blank(list("ABCDEFGHIJKL"), ["w"] * 60)
    with pytest.raises(ProblemError, match=r"^paths: expected at most 20,000, got 5\.\d × 10⁶⁴; "):
        enumerate_paths(problem)
    small = Problem.blank(["A", "B"], ["x"] * 3)
    assert len(enumerate_paths(small, limit=8)) == 8
    with pytest.raises(ProblemError):
        enumerate_paths(small, limit=7)


def test_additions_counts_what_a_trace_does():
    problem = Problem.blank(["A", "B", "C"], ["w", "x", "y", "z"])
    run = trace(problem.chain())
    done = sum(len(step.terms) - 1 for step in run.steps)
    last = additions(3, 4)[-1]
    assert (last.recursion, last.prefixes) == (done, run.steps[-1].prefixes)
    assert last.enumeration == len(enumerate_paths(problem)) - 1
    assert [w.tokens for w in additions(3, 4)] == [1, 2, 3, 4]
    for t, w in enumerate(additions(3, 4)):
        column = [step for step in run.steps if step.kind == "cell" and step.column == t]
        assert w.prefixes == sum(step.prefixes for step in column)


def test_equal_scores_are_in_the_order_of_their_tags():
    paths = enumerate_paths(Problem.blank(["A", "B"], ["x", "y", "z"]))
    assert [p.tags for p in paths] == sorted(p.tags for p in paths)
    assert score(Problem.blank(["A"], ["x"]).with_score("start", 0, 0.1), (0,)) == 0.1
