"""Rules: counts and probabilities path by path, in plain words and plain floats."""

import math
from itertools import product

import pytest
import torch

from crf import LinearChain
from pages.constraints import more
from pages.constraints import rules as ruled
from pages.constraints.rules import Rules
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem

PARIS = EXAMPLES["paris-hilton"].problem
BIO = Rules("names")
SMALL = ("bio", "fifty", "rib-rob", "no-path")


def legal(path, tags):
    """The scheme in plain words: I-X only after B-X or I-X."""
    names = [tags[s] for s in path]
    return all(
        not tag.startswith("I") or (k and names[k - 1][0] in "BI" and names[k - 1][1:] == tag[1:])
        for k, tag in enumerate(names)
    )


def weights(problem):
    """exp(score) of every path, by plain floats."""
    every = product(range(len(problem.tags)), repeat=len(problem.tokens))
    found = {}
    for path in every:
        score = problem.start[path[0]] + problem.end[path[-1]]
        score += sum(problem.emissions[t][s] for t, s in enumerate(path))
        score += sum(problem.matrix(t)[path[t - 1]][path[t]] for t in range(1, len(problem.tokens)))
        found[path] = math.exp(score) if score > -math.inf else 0.0
    return found


def test_the_scheme_is_read_off_the_tags():
    assert ruled.scheme_of(("O", "B-PER", "I-PER")) == "bio"
    assert ruled.scheme_of(("B", "I", "O")) == "bio"
    assert ruled.scheme_of(("O", "B-X", "I-X", "E-X", "S-X")) == "bioes"
    for tags in (("DET", "NOUN"), ("O", "I-X"), ("B", "Bad", "O")):
        assert ruled.scheme_of(tags) == "all"


def test_counts_and_masses_path_by_path():
    found, m = weights(PARIS), len(PARIS.tokens)
    whole = sum(found.values())
    allowed = {path: w for path, w in found.items() if legal(path, PARIS.tags)}
    assert {path for path in found if not ruled.broken(path, PARIS, BIO)} == set(allowed)
    assert (ruled.count(PARIS, BIO), ruled.count(PARIS)) == (len(allowed), 5**5)
    share = sum(allowed.values()) / whole
    held = ruled.constrained(PARIS, BIO)
    assert isinstance(held.chain(), LinearChain)
    assert tuple(held.chain().viterbi().tags[0].tolist()) == max(allowed, key=allowed.get)
    mass = ruled.mass(PARIS, held)
    assert mass.share == pytest.approx(share, rel=1e-12)
    for t, s in product(range(m), range(5)):
        for table, paths in ((mass.blocks, found), (mass.kept, allowed)):
            p = sum(w for path, w in paths.items() if path[t] == s) / whole
            assert table[t, s].item() == pytest.approx(p, abs=1e-12)
    for t, i, j in ((0, 1, 2), (2, 0, 3), (0, 3, 2)):
        p = sum(w for path, w in allowed.items() if path[t : t + 2] == (i, j)) / whole
        assert mass.kept_ribbons[t, i, j].item() == pytest.approx(p, abs=1e-12)


def test_what_is_left_when_a_part_is_known_path_by_path():
    found, out = weights(PARIS), frozenset({(1, 0), (0, 3), (9, 9)})
    left = sum(w for y, w in found.items() if y[1] != 0 and y[0] != 3)
    share = ruled.mass(PARIS, ruled.without(PARIS, out)).share
    assert share == pytest.approx(left / sum(found.values()), rel=1e-12)
    known = torch.ones(1, 5, 5, dtype=torch.bool)
    known[0, 1, 0] = known[0, 0, 3] = False
    assert share == pytest.approx(PARIS.chain().partial_log_prob(known).exp().item())


def test_where_a_path_breaks_a_rule():
    names = {tag: s for s, tag in enumerate(PARIS.tags)}
    path = [names[tag] for tag in "I-PER O B-LOC I-PER I-PER".split()]
    assert ruled.broken(path, PARIS, BIO) == [0, 3]
    S = len(PARIS.tags)
    assert ruled.broken(path, PARIS, Rules("all", frozenset({(path[-1], S)}))) == [5]


def test_counts_are_exact_beyond_floats():
    long = Problem.blank(["B", "I", "O"], ["x"] * 60)
    b, i, o = 1, 0, 1
    for _ in range(59):
        b, i, o = b + i + o, b + i, b + i + o
    assert ruled.count(long, BIO) == b + i + o > 2**60


def test_a_cell_turned_round_is_turned_round():
    S = len(PARIS.tags)
    table = Rules("all", frozenset({(0, 1), (S, 2), (3, S), (99, 0)})).of(PARIS)
    assert not table.transitions[0, 1]
    assert not table.start[2]
    assert not table.end[3]
    assert table.transitions.sum() == S * S - 1


def test_whether_it_does_nothing_path_by_path():
    some = Rules("all", frozenset({(0, 1), (1, 0)}))
    for name, rules in (("bio", BIO), *((name, some) for name in EXAMPLES if name in SMALL)):
        problem = EXAMPLES[name].problem
        every = product(range(len(problem.tags)), repeat=len(problem.tokens))
        forbidden = (y for y in every if ruled.broken(y, problem, rules))
        scores = problem.chain().score(torch.tensor([list(forbidden)]).transpose(0, 1))
        assert ruled.does_nothing(problem, rules) == (scores == -math.inf).all().item()


def test_a_cell_that_is_turned_is_that_rule():
    frame = more.table_frame(PARIS, BIO)
    may = {(a, b): frame.at[a, b] for a in frame.index for b in frame.columns}
    assert [b for b in PARIS.tags if not may["START", b]] == ["I-PER", "I-LOC"]
    assert all(may[tag, "END"] for tag in PARIS.tags)
    assert may["B-PER", "I-PER"]
    assert not may["B-LOC", "I-PER"]
    assert more.turned_in(frame, frame.copy()) == frozenset()
    S, edited = len(PARIS.tags), frame.copy()
    for i, j in ((0, 1), (2, S), (3, 1), (0, S)):  # the last is no rule
        edited.iat[i, j] = not edited.iat[i, j]
    turned = more.turned_in(frame, edited)
    assert turned == {(S, 1), (1, S), (2, 1)}
    again = more.table_frame(PARIS, Rules("names", turned))
    assert more.turned_in(frame, again) == turned


def test_the_library_s_refusal_is_the_library_s():
    assert "row 0" in more.refusal(PARIS, BIO)
    assert more.refusal(PARIS, Rules("all")) is None
    assert "best path [-1, -1]" in more.invented()
    assert "best path [0, 0]" in more.invented()
