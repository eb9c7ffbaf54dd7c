"""What the sentences of the lessons after the trellis claim, as predicates (claims.py)."""

import math
import re
from dataclasses import replace
from itertools import combinations, pairwise, product
from types import SimpleNamespace

from pages.batches import beats as batches
from pages.cost import beats as cost
from pages.cost import crossover
from pages.graphs import beats as graphs
from pages.graphs import label_bias
from pages.learning import pictures
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import taggers
from pages.words import beats as words
from tests.beats.plain_chain import PlainChain, log_sum, near, number


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
    "but float64 ends at": lambda s: number(s.power) == 0 < number(s.least),
    "none of them pulls on it noticeably": lambda s: all(
        abs(one["pull"]) < 0.00051 for one in pictures.weights_at(s.state, s.step)["pulls"]
    ),
    "occurs nowhere in these sentences": lambda s: s.facts["places"] == 0,
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
    "^Subtracting the largest score would": lambda s: _repeated(s) == -math.inf,
    "nothing overflows": lambda s: s.facts["top"] == 1,
    "every method is right": lambda s: s.facts["every"] == 1,
}


def _checked(s):
    """The chain of the problem that these checks show."""
    if s.facts["instead"]:
        return PlainChain(EXAMPLES["old-man"].problem)
    return s.chain


def _too_much(s):
    size, most = s.chain.m * s.chain.S**2, 800 if s.beat.name == "hidden" else 5000
    return size > most or s.chain.log_z == -math.inf


def _without(problem, name):
    """log Z with a usual mistake."""
    zeros, turned = (0.0,) * len(problem.tags), tuple(zip(*problem.transitions, strict=True))
    return PlainChain(replace(problem, **{name: turned if name == "transitions" else zeros})).log_z


def _no_mistake_hides(s):
    """Whether three usual mistakes change log Z, where that is what is checked."""
    if s.facts["quantity"] != "log Z":
        return True
    chain = _checked(s)
    problem = chain.problem
    if "off" in str(s.state.controls.get("ends")):
        problem = replace(problem, start=(0.0,) * chain.S, end=(0.0,) * chain.S)
        chain = PlainChain(problem)
    names = ("start", "end", "transitions")
    return not any(near(_without(problem, name), chain.log_z, 1e-9) for name in names)


def _is_possible(s):
    """Whether a claimed number is wrong, and no sum of these paths rules it out."""
    chain, value = _checked(s), number(s.value)
    if s.facts["claims"] != "log-z":
        return number(s.value) != number(s.truth)
    top = chain.best + chain.m * math.log(chain.S)
    return chain.best - 0.01 <= value <= top + 0.01 and abs(value - chain.log_z) > 0.004


IMPLEMENT = {
    "has no path, or too many": _too_much,
    "^No known mistake gives these": lambda s: s.facts["named"] == 0,
    "^This number is possible, but it is wrong|no known mistake gives it": _is_possible,
    "log Z is never below the best score": lambda s: number(s.value) < _checked(s).best + 0.006,
    "even if every path were": lambda s: (
        number(s.value) > _checked(s).best + _checked(s).m * math.log(_checked(s).S) - 0.006
    ),
    "every known mistake changes": _no_mistake_hides,
    "so you could not notice": lambda s: s.facts["hidden"] >= 1,
}


def _weather(s):
    """The days that are known, and the weight of each weather of five days: by enumeration."""
    cones = s.state.control("cones", graphs.CONTROLS)
    days = s.state.control("days", graphs.CONTROLS)
    eaten = {"h": {"1": 0.1, "2": 0.2, "3": 0.7}, "c": {"1": 0.7, "2": 0.2, "3": 0.1}}
    weights = {}
    for one in product("hc", repeat=5):
        steps = [0.8 if a == b else 0.1 for a, b in pairwise(one)]
        own = [eaten[y][x] for y, x in zip(one, cones, strict=True)]
        fits = all(d in ("-", y) for d, y in zip(days, one, strict=True))
        weights[one] = math.prod([0.5, 0.1, *steps, *own]) * fits
    return days, weights


def _hot(weights, *days):
    return sum(w for one, w in weights.items() if all(one[d] == "h" for d in days)) / sum(
        weights.values()
    )


def _parts(s):
    return [len(run) for run in re.findall("-+", _weather(s)[0])]


def _falls_apart(s):
    """Whether days of different parts are independent."""
    days, weights = _weather(s)
    free = [(t, len(re.findall("[hc]+", days[:t]))) for t in range(5) if days[t] == "-"]
    apart = [(a, b) for (a, k), (b, n) in combinations(free, 2) if k != n]
    return len(_parts(s)) > 1 and all(
        near(_hot(weights, a, b), _hot(weights, a) * _hot(weights, b), 1e-9) for a, b in apart
    )


def _days_two_and_four(s):
    """Given that day 3 was hot."""
    _, weights = _weather(s)
    known = {one: w for one, w in weights.items() if one[2] == "h"}
    both, one, two = _hot(known, 1, 3), _hot(known, 1), _hot(known, 3)
    shown = number(s.now_joint), number(s.now_one), number(s.now_two)
    return near(both, one * two, 1e-9) and all(
        abs(a - b) < 0.006 for a, b in zip(shown, (both, one, two), strict=True)
    )


def _rib(s, letter=None, evidence=None):
    """p(rib) of an MEMM and of a CRF, step by step."""
    letter = letter or s.state.control("letter", graphs.CONTROLS)
    if evidence is None:
        evidence = s.state.control("evidence", graphs.CONTROLS)
    p = label_bias.heard(letter, evidence)
    crf = PlainChain(p)
    paths = {one: w for one in product(crf.tags, repeat=crf.m) if (w := crf.score(one)) > -math.inf}

    def locally(path):
        total = 0.0
        for t, x in enumerate(path):
            row = p.start if t == 0 else p.matrix(t)[path[t - 1]]
            leads = [
                row[k] + p.emissions[t][k] + (p.end[k] if t == crf.m - 1 else 0) for k in crf.tags
            ]
            total += leads[x] - log_sum(leads)
        return math.exp(total)

    (rib,) = (one for one in paths if p.tags[one[1]] == "i" or "i" in p.tags[one[1]])
    return locally(rib), math.exp(paths[rib] - log_sum(paths.values()))


def _same_whatever_is_read(s):
    memm, _ = _rib(s)
    return all(near(memm, _rib(s, letter, e)[0]) for letter in "io" for e in (0.0, 0.5, 2.0))


GRAPHS = {
    "it tells you nothing more": _days_two_and_four,
    "both models say the same": lambda s: near(*_rib(s)) and near(_rib(s)[0], 2 / 3, 1e-3),
    "even the CRF keeps rib": lambda s: (
        0.5 <= _rib(s)[1] < _rib(s)[0] and abs(_rib(s)[1] - number(s.crf)) < 0.006
    ),
    "letter changes nothing": _same_whatever_is_read,
    "^No square joins two": _falls_apart,
    "unknown days (all )?lie side by side": lambda s: len(_parts(s)) == 1,
    "^One day is unknown": lambda s: _parts(s) == [1],
    "^No day lies between them": lambda s: _parts(s) == [2],
}


def _rounds(s):
    """How many rounds a tree of the neighbours takes."""
    pieces = s.facts["pieces"]
    is_balanced = s.state.control("shape", cost.CONTROLS) == "balanced"
    return math.ceil(math.log2(pieces)) if is_balanced else pieces - 1


def _long(s):
    long = number(s.long)
    return number(s.long_steps) == long - 1 and s.long_rounds == math.ceil(math.log2(long - 1))


def _no_way(s):
    """Whether no tag in between joins a tag of the first and one of the third word."""
    a, b = (s.problem.tags.index(s.facts[name]) for name in ("from", "to"))
    step, own = s.chain.step, s.chain.own
    between = [step(1, a, k) + own(1, k) + step(2, k, b) for k in s.chain.tags]
    return max(between) + own(0, a) + own(2, b) == -math.inf


def _faster(way):
    """How often the scan is faster in the recorded times; of how many."""
    times = {(t.length, t.tags, t.way): t.seconds for t in crossover.recorded()}
    sizes = {key[:2] for key in times if {(*key[:2], way), (*key[:2], "scan")} <= times.keys()}
    return sum(times[*one, "scan"] * 1.1 < times[*one, way] for one in sizes), len(sizes)


COST = {
    "^One word has none": lambda s: s.chain.m == 1,
    "^There is nothing to join": lambda s: s.chain.m <= 2,
    "no way leads from": _no_way,
    "^The price is more work": lambda s: len(s.problem.tags) > 1,
    "If you join neighbours at the same time": lambda s: (
        s.facts["rounds"] == _rounds(s) < s.facts["steps"] == s.facts["pieces"] - 1
    ),
    "^For .long. words|rounds, not .long_steps": _long,
    "only one step, so a tree": lambda s: str(s.facts["m"]) == "2",
    "faster at every size": lambda s: _faster("kernels")[0] == 0,
    "plain recursion at .wins": lambda s: abs(_faster("plain")[0] - s.facts["wins"]) <= 1,
}


def _most_frequent(s):
    table = (taggers.metrics(words.judged(s.state)) or {})["confusion"]
    cells = [n for a, row in enumerate(table) for b, n in enumerate(row) if a != b]
    return s.facts["times"] == max(cells)


def _broken(name):
    return (taggers.metrics(name) or {})["invalid_tags"]


WORDS = {
    "has no LSTM|scores each word by itself": lambda s: s.facts["lstm"] == 0,
    "has only one word": lambda s: s.facts["words"] == 1,
    "the CRF never does": lambda s: (
        _broken("ner") == 0 and _broken("ner-softmax") == s.facts["broken"] > 0
    ),
    "makes no mistake": lambda s: s.facts["rank"] == -1,
    "most frequent mistake": _most_frequent,
    "only to .large": lambda s: number(s.small) < number(s.large),
}


def _rows(s):
    """A chain for each row, and where its words are."""
    batch = batches.batch_of(s.state)
    for row, own, mask in zip(batch.rows, batch.emissions, batch.mask, strict=True):
        places = [t for t, there in enumerate(mask) if there]
        one = SimpleNamespace(
            tokens=[row[t] for t in places],
            tags=batch.model.tags,
            emissions=[own[t] for t in places],
            start=batch.model.start,
            end=batch.model.end,
            matrix=lambda t: batch.transitions,
        )
        yield PlainChain(one), places


def _starting(s):
    """How many rows with an allowed path end at the word of this step."""
    rows = list(_rows(s))
    t = max(len(batches.batch_of(s.state).rows[0]) - 1 - s.step, 0)
    return sum(places[-1] == t for chain, places in rows if places and chain.log_z > -math.inf)


def _lengths(s):
    return [len(places) for _, places in _rows(s)]


def _has_padding(s):
    changes = s.state.control("changes", batches.CONTROLS)
    arranged = batches.rearranged(batches.batch_of(s.state), changes).batch
    return any("_" in row for row in arranged.rows)


def _never_all_begun(s):
    begins = [places[0] for _, places in _rows(s) if places]
    return max(begins, default=0) + 1 >= len(batches.batch_of(s.state).rows[0]) or not begins


BATCHES = {
    "^No row has a word": lambda s: max(_lengths(s)) == 0,
    "^No row has more than one word": lambda s: max(_lengths(s)) == 1,
    "^You followed each one back": lambda s: min(_lengths(s)) > 0 and max(_lengths(s)) > 1,
    "^Where a row has words, you followed": lambda s: 0 in _lengths(s) and max(_lengths(s)) > 1,
    "^The padding is never chosen": _has_padding,
    "^There is no padding to fill": lambda s: not _has_padding(s) and len({*_lengths(s)}) == 1,
    "^Your rows never take a step together": _never_all_begun,
    "^No row has an allowed path": lambda s: all(
        not places or chain.log_z == -math.inf for chain, places in _rows(s)
    ),
    "^All best paths that exist|^Where the best score is −∞, a row has none": lambda s: any(
        places and chain.log_z == -math.inf for chain, places in _rows(s)
    ),
    "^All best paths are complete": lambda s: all(
        not places or chain.log_z > -math.inf for chain, places in _rows(s)
    ),
    "^More than one row starts": lambda s: _starting(s) > 1,
}

NOW = {
    "and no tag breaks BIO": lambda s: s.facts["obeys"] == 1,
    "nothing is measured": lambda s: s.facts["there"] == 0,
}
