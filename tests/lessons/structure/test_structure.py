"""Why structure: greedy mistakes and the growth of paths against enumeration; the page."""

import math
import random
import re

import pytest
import torch

from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures import paths
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import percent
from pages.structure import facts, greedy, sections
from pages.structure.greedy import DECODERS, against_the_best
from tests.apps import html_of, opened, press, text_of, unfolded

OLD_MAN = EXAMPLES["old-man"].problem
TEXT = LessonText.of("structure")


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", ["old-man", "bio", "can-fish", "book", "rib-rob"])
def test_a_decoder_and_its_first_mistake_against_enumeration(name, decoder):
    problem = EXAMPLES[name].problem
    paths, found = enumerate_paths(problem), against_the_best(problem, decoder)
    own = next(path for path in paths if path.tags == found.path)
    assert found.best_score == pytest.approx(paths[0].score)
    assert found.score == pytest.approx(own.score)
    assert (found.mistake is None) == (found.score == found.best_score)
    if found.mistake is None:
        return
    t, chosen, best = found.mistake
    assert found.path[:t] == found.best[:t]
    assert (found.path[t], found.best[t]) == (chosen.tag, best.tag)
    every = range(len(problem.tags))
    options = [greedy._option(problem, decoder, found.path[:t], s) for s in every]
    assert chosen.seen == max(option.seen for option in options)
    assert best.whole == pytest.approx(found.best_score)
    for option in (chosen, best):
        start = (*found.path[:t], option.tag)
        scores = [path.score for path in paths if path.tags[: t + 1] == start]
        assert option.whole == pytest.approx(max(scores))


def test_rounding_is_no_mistake():
    level = ("X", "Y"), ("a", "b"), ((0.8, 1.4), (-1.3, 2.0)), ((-1.2, 0.7), (-1.6, 1.0))
    for decoder in DECODERS:
        found = against_the_best(Problem(*level, start=(-1.4, 0.8), end=(0.9, 1.1)), decoder)
        assert found.score < found.best_score  # in floats only: it is the same path
        assert (found.path, found.mistake) == (found.best, None)


def told(problem, decoder):
    """The paragraph on a decoder, with its facts."""
    name, said = facts.mistake(problem, against_the_best(problem, decoder))
    return name, " ".join(v if isinstance(v, str) else TEXT.line(v) for v in said.values())


def scores(S=2, m=3, **tables):
    """All zero but the emissions, which tell the tags apart, and what is given."""
    problem = Problem.blank([*"ABC"[:S]], [*"xyzw"[:m]])
    emissions = [[float((t + s) % 2) for s in range(S)] for t in range(m)]
    return problem._with(emissions=emissions, **tables)


class TestLuck:
    """A decoder that finds the best path may have to."""

    @pytest.mark.parametrize(
        ("problem", "alone", "left"),
        [
            (EXAMPLES["zero-transitions"].problem, "sure", "sure"),
            (scores(transitions=[[0.7, 0.7], [0.7, 0.7]]), "sure", "sure"),
            (scores(transitions=[[0.1, 0.2], [0.1, 0.2]]), "lucky", "sure"),
            (scores(transitions=[[0.1, 0.2], [0.2, 0.1]]), "lucky", "lucky"),
            (scores(start=[0.0, 0.1]), "lucky", "sure"),
            (scores(end=[0.1, 0.0]), "lucky", "lucky"),
            (scores(m=1), "sure", "sure"),
            (scores(m=1, start=[0.1, 0.0]), "lucky", "sure"),
            (scores(S=1, transitions=[[3.0]]), "sure", "sure"),
            (scores(transitions=[[[0.0] * 2] * 2, [[0.2, 0.1], [0.1, 0.2]]]), "lucky", "lucky"),
        ],
    )
    def test_is_told_from_need(self, problem, alone, left):
        assert [told(problem, decoder)[0] for decoder in DECODERS] == [alone, left]

    def test_whoever_must_does_so_with_any_emissions(self):
        for k in range(15):
            draw = random.Random(k)
            rows = [[draw.choice([0.0, 0.5, 2.0]) for _ in "AB"] for _ in "xyz"]
            for table in ([[0.3, 0.3]] * 2, [[0.1, 0.2]] * 2):
                problem = scores(transitions=table)._with(emissions=rows)
                for decoder in DECODERS:
                    found = against_the_best(problem, decoder)
                    assert found.mistake is None or not found.must

    def test_the_mistake_is_where_every_best_path_is_left(self):
        """A and B tie at first; A is taken, and the best path is lost at z."""
        problem = Problem.blank(["A", "B"], ["x", "y", "z"])
        problem = problem.with_score("emissions", (2, 0), 1.0).with_score("end", 1, 3.0)
        found = against_the_best(problem, "greedy")
        assert (found.tied, found.mistake.token, found.best) == (True, 2, (0, 0, 1))


NEVER = -math.inf


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (EXAMPLES["bio"].problem, "T[B, B] = −∞: B may not follow B"),
        (scores(m=2, end=[NEVER, 0.0])._with(emissions=[[1.0, 0], [1.0, 0]]), "end[A] = −∞"),
        (scores(start=[0.0, NEVER]), "start[B] = −∞: no path may begin with B"),
        (
            scores(transitions=[[[0.0] * 2] * 2, [[0, NEVER], [0, NEVER]]]),
            "T[A, B] = −∞: B may not follow A at this step",
        ),
        (scores(m=3, transitions=[[0, 0], [NEVER, NEVER]]), "no allowed path goes on from there"),
    ],
)
def test_why_a_greedy_path_is_dead(problem, why):
    paragraph, said = told(problem, "greedy")
    assert paragraph == "dead-end"
    assert why in said


def test_a_path_s_score_grows_to_its_score():
    for name in ("old-man", "pair-potentials"):
        problem = EXAMPLES[name].problem
        path = tuple(t % len(problem.tags) for t in range(len(problem.tokens)))
        reached = paths.reached(problem, path)
        assert len(reached) == len(problem.tokens)
        assert reached[-1] == pytest.approx(problem.chain().score(torch.tensor([path])).item())
        assert reached[0] == pytest.approx(problem.start[path[0]] + problem.emissions[0][path[0]])


@pytest.mark.parametrize(
    ("name", "misleads"),
    [
        ("old-man", True), ("can-fish", False), ("one-token", False), ("bio", None),
        ("zero-transitions", None), ("no-path", None),
    ],
)  # fmt: skip
def test_what_the_page_says_of_an_example(name, misleads):
    app, problem = opened("structure", ex=name), EXAMPLES[name].problem
    said = text_of(app)
    assert f"With {len(problem.tags)} tag" in said
    assert "At ‘" not in said  # it waits for the guess
    if not problem.chain().feasible.item():
        assert "No path is allowed here" in said
        return
    said = text_of(press(app, "Just show me"))
    found = [against_the_best(problem, decoder) for decoder in DECODERS]
    assert ("It finds" in said) == (None in [one.mistake for one in found])
    lucky = [one.mistake is None and not one.must for one in found]
    assert ("That is luck" in said) == any(lucky)
    if found[0].mistake and math.isfinite(found[0].score):
        assert f"it is {facts.cost(found[0])[1]['behind']} behind" in said
    if misleads is not None:
        assert ("garden path" in said) is misleads


def test_what_the_end_score_overturns_is_no_beginning_that_misleads():
    at_the_end = scores(end=[9.0, 0.0])
    assert against_the_best(at_the_end, "left_to_right").mistake is not None
    assert not greedy.misleads(at_the_end)


def test_all_paths_are_listed_when_asked_for():
    said = html_of(unfolded("structure", "paths"))
    first, second = (path.probability for path in enumerate_paths(OLD_MAN)[:2])
    row = said.split(">2.</th>")[1].split("</tr>")[0]
    assert f">{percent(first + second)}<" in row
    assert (">8.</th>" in said, ">9.</th>" in said) == (True, False)
    assert "1,016 more are in the file" in said


@pytest.mark.parametrize(
    ("p", "told"),
    [
        ([0.646, 0.3, 0.05, 0.004], "it takes the best 3 of them to have 99 %"),
        ([1.0], "Only one path is allowed"),
        ([0.995, 0.005], "The best path has 0.995 of the probability; it takes the best path"),
        ([0.5, 0.5], "All 2 allowed paths tie, each with 0.500."),
        ([0.4, 0.4, 0.2], "Each of the 2 best paths has 0.400"),
        ([1.0, 3e-20], "all of the probability but 3.00 × 10⁻²⁰"),
    ],
)
def test_how_the_probability_is_spread(p, told):
    assert told in TEXT.line(facts.spread(p))


def test_a_wrong_count_is_diagnosed():
    assert sections.judge(TEXT, 3, 4, 81).right
    for S, answer, hint in (
        (3, 64, "swapped"), (3, 36, "steps a recursion takes"), (3, 27, "One token"),
        (2, 8, "cells"),  # 2 · 4, before 2³
    ):  # fmt: skip
        verdict = sections.judge(TEXT, S, 4, answer)
        assert not verdict.right
        assert hint in verdict.text


def test_an_old_address_of_a_figure_that_has_moved():
    app = opened("structure", graph="memm", sees="sentence", letter="i", fix="2.3", ex="old-man")
    assert "Point at a" in text_of(app)  # of the MEMM's graph
    assert app.query_params["graph"] == "memm"


def test_what_a_tiny_gap_costs_is_not_told_as_nothing():
    """0.002 against 0 at the first word, 0.002 against 0.00201 in the end."""
    near = Problem.blank(["A", "B"], ["x", "y"]).with_score("emissions", (0, 0), 0.002)
    found = against_the_best(near.with_score("transitions", (1, 1), 0.00201), "greedy")
    told, cost = facts.mistake(near, found)[1], facts.cost(found)[1]
    assert (told["seen"], told["missed_seen"]) == ("0.002", "0.000")
    assert (told["whole"], told["missed_whole"]) == ("0.00200", "0.00201")
    assert (cost["behind"], cost["share"]) == ("1.00 × 10⁻⁵", "0.99999")


def test_no_allowed_path_is_listed_as_impossible(monkeypatch):
    """Down to 10⁻⁴⁷⁸, which no float holds; and only the last one makes it 100 %."""
    monkeypatch.setattr(sections, "MOST", 1000)
    listed = html_of(unfolded("structure", "paths", ex="fifty"))
    listed = listed.split("The best paths, best first")[-1]
    numbers = re.findall(r">([^<>]*)</td>", listed)
    assert len(numbers) >= 3 * 256
    assert "0" not in numbers
    assert numbers.count("100 %") == 1
