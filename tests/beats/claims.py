"""What sentences claim, as predicates: an expression of the English sentence → whether it is true.

A claim is a sentence with one of the words of `CLAIM`. It needs a predicate over what is shown
(`Seen`); theory.py lists those that hold of every chain, or of the code or the lesson as such.
"""

import math
import re
from functools import cached_property

import pytest

from pages.trellis import picture
from tests.beats.front import FRONT, SPOKEN
from tests.beats.lessons import (
    BATCHES,
    CONSTRAINTS,
    COST,
    GRAPHS,
    IMPLEMENT,
    LEARNING,
    NOW,
    STABILITY,
    WORDS,
)
from tests.beats.plain_chain import PlainChain, near, number
from tests.beats.theory import THEORY

CLAIM = re.compile(
    r"\b(why|because|only|no|none|nothing|nowhere|never|every|same|best|first|than|most|least"
    r"|largest|widest|wins|leads|carries|several|as in)\b"
    r"|\bways (lead|into|on)\b",
    re.IGNORECASE,
)
ENDLESS = (0, -math.inf)  # end scores that are not told
LITTLE = 0.011  # what two decimals may hide of a difference of two rounded numbers


class Seen:
    """A passage that is shown, with what it is about."""

    def __init__(self, lesson, beat, state, step, passage, facts):
        self.lesson, self.beat, self.step, self.facts = lesson, beat, step, facts
        self.state = beat.prepare(state)
        self.name, self.guard = passage.name, passage.guard
        self.problem = self.state.problem

    def __getattr__(self, name):
        return self.facts[name]

    @cached_property
    def chain(self):
        return PlainChain(self.problem)

    def tags(self, names):
        """Tag names in a row → indices."""
        return [self.problem.tags.index(name) for name in names.split()]

    @property
    def cell(self):
        """The cell of a step: (word, tag); of backward, from the right."""
        if self.state.form != "state":  # whose columns stand elsewhere
            from pages.trellis.picture import step_at

            step = step_at(self.state, self.beat.name, self.step)
            return step.token, step.row
        t, s = divmod(self.step, self.chain.S)
        return (self.chain.m - 1 - t, s) if self.beat.name == "both" else (t, s)

    @cached_property
    def arrives(self):
        """[S] what comes into the cell, or out of it; of `best`, the best beginnings."""
        t, s = self.cell
        if self.beat.name == "both":
            return self.chain.ways_on(self.chain.betas[t + 1], t, s)
        table = self.chain.deltas if self.beat.mode == "best" else self.chain.alphas
        return self.chain.ways(table, t, s)

    @cached_property
    def shares(self):
        """[S] their shares."""
        top = max(self.arrives)
        weights = [math.exp(v - top) for v in self.arrives]
        return [w / sum(weights) for w in weights]


def tag_of(s, name):
    return s.problem.tags.index(s.facts[name])


# ---------------------------------------------------------------------- the trellis


def _is_best(s):
    return near(s.chain.score(s.tags(s.best)), s.chain.best)


def _best_without_a_row(s):
    kept = picture.numbers(s.problem).kept
    return max(v for k, v in enumerate(s.chain.deltas[s.cell[0]]) if k not in kept)


def _forbidden_cell(s):
    t, tag = s.cell
    return s.chain.alphas[t][tag] == -math.inf


def _widest(s):
    return near(s.shares[tag_of(s, "from")], max(s.shares))


def _strictly_widest(s):
    return sorted(s.shares)[-2] < max(s.shares) - 1e-10 and _widest(s)


def _open_ways(s):
    return sum(v > -math.inf for v in s.arrives)


def _leads(s, name, t):
    """Whether a beginning is as good as any that ends at a word."""
    path = s.tags(s.facts[name])
    return near(_prefix(s, path), max(s.chain.deltas[t]), 1e-7)


def _prefix(s, path):
    p = s.problem
    own = p.start[path[0]] + sum(p.emissions[t][x] for t, x in enumerate(path))
    return own + sum(s.chain.step(t, path[t - 1], path[t]) for t in range(1, len(path)))


def _word(s):
    return s.step // s.chain.S


def _never_changes(s):
    """The best beginnings that the beat follows: each goes on from the one before."""
    path = []
    for t in range(s.chain.m):
        deltas = s.chain.deltas[t]
        if max(deltas) == -math.inf:
            return True
        top = max(deltas)
        goes_on = [x for x in range(s.chain.S) if near(deltas[x], top)]
        if t and not any(
            near(_prefix(s, [*path, x]) if _prefix(s, path) > -math.inf else -1, top, 1e-7)
            for x in goes_on
        ):
            return False
        path = [
            *path,
            next(x for x in goes_on if t == 0 or near(_prefix(s, [*path, x]), top, 1e-7)),
        ]
    return True


def _side(s, which):
    table = (s.chain.alphas if which == "left" else s.chain.betas)[s.step]
    if s.state.form == "pair" and s.step == s.chain.m - 1:  # END's scores are in the last column
        ends = [a + z for a, z in zip(table, s.problem.end, strict=True)]
        table = ends if which == "left" else [0.0] * len(ends)
    top = max(table)
    weights = [math.exp(v - top) for v in table]
    return [w / sum(weights) for w in weights]


def _third(s):
    """The word whose cell the beat on textbooks shows."""
    return min(3, s.chain.m) - 1


def _third_tag(s):
    return s.problem.tags.index(s.facts["tag"])


def _clearly(values, k):
    return all(values[k] > v for j, v in enumerate(values) if j != k)


def _no_more_than(s):
    return all(
        max(_side(s, which)) <= number(s.facts[f"{which}_p"]) + LITTLE
        for which in ("left", "right")
    )


def _winner(s):
    p = [s.chain.marginal(s.step, x) for x in range(s.chain.S)]
    return _clearly(p, tag_of(s, "winner"))


def _tied(s):
    p = sorted(s.chain.marginal(s.step, x) for x in range(s.chain.S))
    return near(p[-1], p[-2], 1e-7)


def _greedy_is_best(s):
    return near(s.chain.score(s.chain.greedy), s.chain.best)


def _expects(s):
    """Whether all but little of the probability has the path's steps."""
    path = s.tags(s.right)
    return all(s.chain.marginal(t, x) > 0.98 for t, x in enumerate(path))


TRELLIS = {
    "outlined cells are the best reading": _is_best,
    "best of them reaches": lambda s: near(number(s.value), _best_without_a_row(s), LITTLE),
    "forbid every reading": lambda s: s.chain.log_z == -math.inf,
    "^By itself, the word’s best tag|^Once you add the start and end scores": lambda s: (
        s.chain.m == 1 and not _greedy_is_best(s) and _is_best(s)
    ),
    "no reading of the whole sentence scores more": _greedy_is_best,
    "Here that is also the best reading": lambda s: _greedy_is_best(s) and s.chain.best_paths == 1,
    "[Nn]o reading of the whole sentence scores more.*, but several": lambda s: (
        _greedy_is_best(s) and s.chain.best_paths > 1
    ),
    "Several readings of the whole sentence tie": lambda s: s.chain.best_paths > 1,
    "With the end scores, the best reading scores": lambda s: (
        number(s.best_score) == pytest.approx(s.chain.best, abs=0.051)
    ),
    "One word alone|One word has no earlier": lambda s: s.chain.m == 1,
    "No word changes which beginning": _never_changes,
    "last_leads. leads with": lambda s: _leads(s, "last_leads", s.chain.m - 1),
    "end scores turn that over": lambda s: (
        _is_best(s) and s.chain.score(s.tags(s.last_leads)) < s.chain.best
    ),
    "^.ways_word. ways (lead|on)": lambda s: _open_ways(s) == s.chain.S,
    "^.open_word. of the .ways. ways": lambda s: 1 < _open_ways(s) < s.chain.S == s.ways,
    "carries two": lambda s: s.cell[0] < s.chain.m - 1 or s.problem.end[s.cell[1]] in ENDLESS,
    "carries three": lambda s: s.cell[0] == s.chain.m - 1 and s.problem.end[s.cell[1]] != 0,
    "carries both": lambda s: s.cell[0] == 0,
    "holds .value., as in this course": lambda s: (
        number(s.value) == pytest.approx(s.chain.alphas[_third(s)][_third_tag(s)], abs=0.0051)
    ),
    "^.ours., as in this course": lambda s: (
        number(s.ours) == pytest.approx(s.chain.alphas[_third(s)][_third_tag(s)], abs=0.0051)
    ),
    "which has no verb": lambda s: not {"VERB", "AUX"} & set(s.greedy.split()),
    "One of them, .best., is drawn|The best reading .*is .*best": _is_best,
    "best .*differ|first differ|word-by-word reading": lambda s: not _greedy_is_best(s),
    "[Nn]owhere|own best tag is also|they are the same|own best tag gives the same": lambda s: near(
        s.chain.score(s.chain.greedy), s.chain.best
    ),
    "With one tag there is only one reading": lambda s: s.chain.S == 1,
    "and no other earns more": lambda s: number(s.score) >= s.chain.best - 0.05,
    "more than any other": lambda s: s.chain.best_paths == 1,
    "longer than the universe": lambda s: (
        60 * math.log10(s.chain.S) - 9 > math.log10(13.8e9 * 3.156e7)
    ),
    "^No\\.$": lambda s: s.chain.S > 2,
    "no step to share|no step between tags|has no message": lambda s: s.chain.m == 1,
    "these four readings": lambda s: s.chain.S > 1 and s.chain.m > 1,
    "score of the only reading|there is only one reading, so log Z": lambda s: s.chain.S == 1,
    "its (start score|score from ROOT) or the word’s own score is −∞": lambda s: (
        s.cell[0] == 0 and _forbidden_cell(s)
    ),
    "every way into it meets": _forbidden_cell,
    "You fixed the tag of every word": lambda s: len(s.state.fixed) == s.chain.m,
    "because you fixed": lambda s: (
        s.state.fixed[s.cell[0]] == tag_of(s, "fixed_tag") != s.cell[1] and _forbidden_cell(s)
    ),
    "Beside the tags that you fixed|the tag that you fixed, or": lambda s: bool(s.state.fixed),
    "^Each tag has the same share": lambda s: all(
        max(_side(s, side)) - min(_side(s, side)) < 1e-8 for side in ("left", "right")
    ),
    "^Nothing comes before": lambda s: s.cell[0] == 0,
    "^One way lead": lambda s: s.chain.S == 1,
    "^Only the way from": lambda s: _open_ways(s) == 1 and s.chain.S > 1,
    "each brings the same amount|each has the same share": lambda s: (
        max(s.shares) - min(s.shares) < 1e-8
    ),
    "^None is wider": _widest,
    "brings nearly all|has nearly all of what": lambda s: (
        max(s.shares) > 0.99 and _strictly_widest(s)
    ),
    "^The widest": _strictly_widest,
    "never below the best score": lambda s: s.chain.log_z >= s.chain.best - 1e-9,
    "together they have nearly all": lambda s: s.facts["sure"] and number(s.p) >= 0.99,
    "^.y less than|less than .hundredth": lambda s: number(s.rise) <= 0.01,
    "ways into .* tie": lambda s: (
        sum(near(v, max(s.arrives)) for v in s.arrives) == s.facts["ties"]
    ),
    "best beginning never changes": _never_changes,
    "the best beginning (was|is) .led": lambda s: _leads(s, "led", _word(s) - 1),
    "draws level": lambda s: (
        _leads(s, "leads", _word(s)) and s.facts["score"] == s.facts["carried"]
    ),
    "leads, with|overtakes it": lambda s: (
        _leads(s, "leads", _word(s)) and number(s.score) >= number(s.carried)
    ),
    "best of all beginnings|^.leads..$": lambda s: _leads(s, "leads", _word(s)),
    "[Hh]ere it stays the best": lambda s: _leads(s, "stays", _word(s)),
    "would give a forbidden reading": lambda s: s.chain.score(s.chain.greedy) == -math.inf,
    "reading made of each word’s own best tag": lambda s: s.chain.score(s.chain.greedy) > -math.inf,
    "these are the same readings": lambda s: s.chain.log_z > -math.inf,
    "no allowed reading reaches": lambda s: s.chain.log_z == -math.inf,
    "^Nothing arrives at": lambda s: max(s.arrives) == -math.inf,
    "^Nothing comes after": lambda s: s.cell[0] == s.chain.m - 1,
    "^No allowed way leads on": lambda s: s.chain.betas[s.cell[0]][s.cell[1]] == -math.inf,
    "^Only the (end score|way to EOS) comes": lambda s: s.cell[0] == s.chain.m - 1,
    "With one tag there is nothing to weigh": lambda s: s.chain.S == 1,
    "no tag has more than": _no_more_than,
    "best tags tie": _tied,
    "wins": _winner,
    "leads from both sides": lambda s: (
        s.left == s.right
        and all(_clearly(_side(s, side), tag_of(s, side)) for side in ("left", "right"))
    ),
    "From the left .left. leads": lambda s: all(
        _clearly(_side(s, side), tag_of(s, side)) for side in ("left", "right")
    ),
    "no gradient can make it possible|or choose another path": lambda s: (
        s.chain.score(s.tags(s.right)) == -math.inf
    ),
    "Only the words’ own scores do": lambda s: not _expects(s) or s.chain.m > 1,
}

CLAIMS = {
    "tag": FRONT,
    "trellis": TRELLIS,
    "constraints": CONSTRAINTS,
    "learning": LEARNING,
    "stability": STABILITY,
    "implement": IMPLEMENT,
    "graphs": GRAPHS,
    "cost": COST,
    "words": WORDS,
    "batches": BATCHES,
    "now": NOW,
}
HOLE = re.compile(r"\{\w+\}|Outlined:")  # no sentence
UNSPOKEN = re.compile(
    r"-(label|question|class)-$|^(word|option|slip|number|question|decoder|hint|innocent|why|result)-"
)


def sentences(body):
    """The sentences of a passage, without marks."""
    return re.split(r"(?<=[.?:;]) ", re.sub(r"\]\(term:[\w-]+\)|[\[*]", "", body))


def claims(passage, lesson=""):
    """The sentences of an English passage that claim something; of the front page, all."""
    if lesson == "tag":
        spoken = passage.name.partition("-")[0] in SPOKEN
        return [one for one in sentences(passage.body) if spoken and not HOLE.fullmatch(one)]
    if UNSPOKEN.search(f"{passage.name}-") or "-bet" in passage.name:
        return []
    return [one for one in sentences(passage.body) if CLAIM.search(one)]


def predicates(lesson, sentence):
    """What a sentence claims; what holds always is listed apart."""
    found = [is_true for key, is_true in CLAIMS[lesson].items() if re.search(key, sentence)]
    if any(sentence.startswith(begin) for begin in THEORY.get(lesson, ())):
        found.append(lambda seen: True)
    return found
