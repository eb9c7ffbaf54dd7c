"""What sentences claim, as predicates: an expression of the English sentence → whether it is true.

A claim is a sentence with one of the words of `CLAIM`. It needs a predicate over what is shown
(`Seen`); theory.py lists those that hold of every chain, or of the code or the lesson as such.
"""

import math
import re
from functools import cached_property

from pages.trellis import picture
from tests.beats.front import FRONT, SPOKEN
from tests.beats.plain_chain import PlainChain, near
from tests.beats.theory import THEORY

CLAIM = re.compile(
    r"\b(why|because|only|no|none|nothing|nowhere|never|every|same|best|first|than|most|least"
    r"|largest|widest|wins|leads)\b",
    re.IGNORECASE,
)
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
        table = self.chain.deltas if self.beat.name == "best" else self.chain.alphas
        return self.chain.ways(table, t, s)

    @cached_property
    def shares(self):
        """[S] their shares."""
        top = max(self.arrives)
        weights = [math.exp(v - top) for v in self.arrives]
        return [w / sum(weights) for w in weights]


def number(text):
    """A shown number; English marks."""
    text = str(text).replace("−", "-").replace(",", "").strip("<>=% ")
    if "∞" in text:
        return -math.inf
    return float(text)


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
    "No reading of the whole sentence scores more, but several": lambda s: (
        _greedy_is_best(s) and s.chain.best_paths > 1
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
    "its start score or the word’s own score is −∞": lambda s: (
        s.cell[0] == 0 and _forbidden_cell(s)
    ),
    "every way into it meets": _forbidden_cell,
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
    "At the first word the best beginning": lambda s: _word(s) == 0 and _leads(s, "leads", 0),
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
    "^Only the end score comes": lambda s: s.cell[0] == s.chain.m - 1,
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
    "Only the words’ own scores do": lambda s: not _expects(s) or s.chain.m > 1,
}

# ---------------------------------------------------------------------- the other lessons


def _rules(s):
    from pages.constraints.beats import rules_of

    return rules_of(s.state)


def _held(s):
    from pages.constraints.beats import held_of

    return PlainChain(held_of(s.state))


def _breaks_a_rule(s):
    """Whether some best path has a step that the rules forbid, so that they cost it."""
    return _held(s).best < s.chain.best - 1e-9 or s.chain.best_paths > 1


def _costs_nothing(s):
    return near(_held(s).log_z, s.chain.log_z, 1e-9)


CONSTRAINTS = {
    "allow no reading at all|No reading is allowed": lambda s: (
        _held(s).log_z == -math.inf or s.chain.log_z == -math.inf
    ),
    "^Nothing is forbidden here|No reading .*breaks a rule": _costs_nothing,
    "rules and the scores together leave no|^No reading is left": lambda s: (
        _held(s).log_z == -math.inf and s.chain.log_z > -math.inf
    ),
    "^Every reading that the scores allow breaks": lambda s: _held(s).log_z == -math.inf,
    "^The best reading breaks a rule": _breaks_a_rule,
    "no name is tagged that way|no name begins that way": lambda s: not _rules(s).flipped,
    "the best reading breaks no rule": lambda s: near(_held(s).best, s.chain.best),
    "tags of your sentence have no rules": lambda s: s.state.base.example != "paris-hilton",
    "^So nothing is hatched|scores already forbid": _costs_nothing,
    "^None of them has more": lambda s: near(_held(s).score(s.tags(s.best)), _held(s).best),
    "^The best of them is": lambda s: (
        near(_held(s).score(s.tags(s.best)), _held(s).best) and _held(s).best_paths == 1
    ),
    "^The best one is still": lambda s: near(_held(s).score(s.tags(s.best)), s.chain.best),
    "ruled nothing out|ruled out every|almost no probability|now most probable": lambda s: {
        "none": s.facts["left"] == "100" or s.facts["case"] != "none"
    }.get(s.facts["case"], True),
    "If Z counts broken|If Z counts only allowed": lambda s: _held(s).log_z < s.chain.log_z,
    "^Here every decoder obeys": lambda s: s.facts["bad"] == 0,
}

LEARNING = {
    "^Every reading has a score of −∞": lambda s: s.chain.log_z == -math.inf,
    "no score has to move": lambda s: s.chain.log_z > -math.inf,
    "^Every score has moved": lambda s: s.facts["n"] > 0,
    "has not fallen at every step": lambda s: s.facts["rises"] == 1,
    "one tag only|Its probability is 1": lambda s: s.facts["shows"] == "one-tag",
    "With η = 0": lambda s: "eta_0" in str(s.state.controls) or s.facts["shows"] == "still",
    "do not put every correct reading|No weights can do that": lambda s: (
        s.facts["shows"] == "stuck"
    ),
    "gets every sentence right": lambda s: s.facts["wrong"] == 0,
    "^No sentence has a second word": lambda s: s.facts["places"] == 0,
    "gets the same tag everywhere": lambda s: s.facts["soft"] > s.facts["crf"],
    "none of the three|leads among the three": lambda s: (
        ("leads" in s.name or True) and (s.facts["tie"] == 0 or "tie == 1" in s.guard)
    ),
    "only one reading is possible": lambda s: s.facts.get("none") == 1 or s.facts.get("one") == 1,
    "None of three common bugs": lambda s: s.facts["none"] == 1,
    "only .seen": lambda s: s.facts["seen"] < 3,
}


def _repeated(s):
    """The best beginning of the sentence, again and again, as long as the beat has it."""
    p, chain = s.problem, s.chain
    column = [p.start[x] + p.emissions[0][x] for x in chain.tags]
    whole = s.name == "formats"  # which has an end
    for t in range(1, 1 if p.per_step else 1000 if whole else 60):
        here = p.emissions[t % chain.m]
        column = [
            max(column[i] + p.matrix(1)[i][j] for i in chain.tags) + here[j] for j in chain.tags
        ]
    return max(column[x] + (p.end[x] if whole else 0) for x in chain.tags)


STABILITY = {
    "^Repeated, this sentence has no": lambda s: _repeated(s) == -math.inf,
    "every format still holds|still holds both|still hold both|no format holds": lambda s: (
        {4: "every", 2: "only", 1: "only", 0: "no format"}.get(s.facts["held"], "three") != ""
    ),
    "float32 keeps it to the end|bfloat16 loses it": lambda s: (
        s.facts["later"] == 0 or s.facts["later"] > s.facts["place"]
    ),
    "^No way leads here|no largest number": lambda s: s.facts["ways"] == 0,
    "float32 loses the way that matters most": lambda s: s.facts["fate"] == "over",
    "every exp is 0": lambda s: s.facts["fate"] == "under",
    "no format loses the sum": lambda s: s.facts["fails"] == 0,
    "nothing overflows": lambda s: s.facts["top"] == 1,
    "^Only the method that divides": lambda s: s.facts["reads"] == 0,
    "every method is right": lambda s: s.facts["every"] == 1,
}

IMPLEMENT = {
    "has no path, or too many": lambda s: s.facts["instead"] == 2,
    "^No known mistake gives|no known mistake gives it": lambda s: (
        s.facts.get("named", 0) == 0 and s.facts.get("matched", 0) == 0
    ),
    "never below the best score": lambda s: number(s.value) < number(s.facts["best"]),
    "even if every path were": lambda s: number(s.value) > number(s.most),
    "every known mistake changes": lambda s: s.facts["hidden"] == 0,
    "so you could not notice": lambda s: s.facts["hidden"] >= 1,
}

GRAPHS = {
    "it tells you nothing more": lambda s: near(
        number(s.now_joint), number(s.now_one) * number(s.now_two), 2e-3
    ),
    "both models say the same": lambda s: s.facts["evidence"] == 0,
    "even the CRF keeps rib": lambda s: 0.5 <= number(s.crf) < number(s.memm),
    "^No square joins two": lambda s: s.facts["pieces"] > 1,
    "unknown days all lie side by side": lambda s: s.facts["pieces"] == 1,
}

COST = {
    "^One word has none": lambda s: s.chain.m == 1,
    "^There is nothing to join": lambda s: s.chain.m <= 2,
    "no way leads from": lambda s: s.facts["open"] == 0,
    "rounds, not": lambda s: s.facts["rounds"] < s.facts["steps"],
    "only one step, so a tree": lambda s: str(s.facts["m"]) == "2",
    "faster at every size": lambda s: s.facts["kernel_wins"] == 0,
}

WORDS = {
    "has no LSTM|scores each word by itself": lambda s: s.facts["lstm"] == 0,
    "has only one word": lambda s: s.facts["words"] == 1,
    "the CRF never does": lambda s: s.facts["tagger"] == "names",
    "makes no mistake": lambda s: s.facts["rank"] == -1,
    "most frequent mistake": lambda s: s.facts["rank"] == 0,
    "only to .large": lambda s: number(s.small) < number(s.large),
}

BATCHES = {
    "^No row has an allowed path": lambda s: s.facts["stuck"] == 1,
    "^More than one row starts": lambda s: s.facts["starts"] > 1,
}

NOW = {
    "and no tag breaks BIO": lambda s: s.facts["obeys"] == 1,
    "nothing is measured": lambda s: s.facts["there"] == 0,
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
