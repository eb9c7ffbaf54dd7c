"""What the sentences of the lessons after the trellis claim, as predicates (claims.py)."""

import math

from tests.beats.plain_chain import PlainChain, near, number


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
