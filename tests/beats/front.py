"""What the front page says, as predicates, against a plain chain with the pad's scores."""

import math

from crf.figures.numbers import format_percent
from pages.shared.ui.stage.view import state_of
from tests.beats.equations import TOKEN, number_of
from tests.beats.plain_chain import PlainChain, near

PHRASES = {
    line.partition(" ")[0]: line.partition(" ")[2]
    for line in """\
ADJ an adjective
ADP a preposition
ADV an adverb
AUX an auxiliary verb
CCONJ a conjunction
DET a determiner
INTJ an interjection
NOUN a noun
NUM a number
PART a particle
PRON a pronoun
PROPN a name
PUNCT punctuation
SCONJ a conjunction
SYM a symbol
VERB a verb
O a word outside names""".splitlines()
}
LITTLE = 1e-7


class _Scaled:
    """A problem at a place of the pad: steps, start and end scores times λ, all through τ."""

    def __init__(self, problem, lambda_, tau, fixed):
        self.tokens, self.tags, self.problem = problem.tokens, problem.tags, problem
        self.matrices = {}
        self.step = 0.0 if lambda_ == 0 else lambda_ / tau
        self.start, self.end = self._times(problem.start), self._times(problem.end)
        self.emissions = [
            [v / tau if fixed.get(t, s) == s else -math.inf for s, v in enumerate(row)]
            for t, row in enumerate(problem.emissions)
        ]

    def _times(self, row):
        return [self.step * v if self.step else 0.0 for v in row]

    def matrix(self, t):
        if t not in self.matrices:
            self.matrices[t] = [self._times(row) for row in self.problem.matrix(t)]
        return self.matrices[t]


def chain(s, lambda_=None, tau=None, free=False):
    """The chain at a place of the pad, else at the dot; with τ = 0 as with τ = 1."""
    lambda_ = s.state.lambda_ if lambda_ is None else lambda_
    tau = (s.state.tau if tau is None else tau) or 1.0
    key = (lambda_, tau, free)
    chains = s.__dict__.setdefault("chains", {})
    if key not in chains:
        fixed = {} if free else s.state.fixed
        chains[key] = PlainChain(_Scaled(s.problem, lambda_, tau, fixed))
    return chains[key]


def _p(c, t, x):
    return c.marginal(t, x) if c.log_z > -math.inf else 0.0


def _tops(s, c, t):
    """The most probable tags of a word; where only the best reading is left, its own."""
    row = [_p(c, t, x) for x in c.tags]
    return {x for x in c.tags if row[x] > max(row) - LITTLE}


def _on_best(c, t):
    """The tags that a best path has at a word."""
    return {x for x in c.tags if near(_best_with(c, t, x), c.best, 1e-7)}


def _best_with(c, t, x):
    problem = _Scaled(c.problem, 1.0, 1.0, {t: x})
    return PlainChain(problem).best


def _here(s, t):
    c = chain(s)
    return _on_best(c, t) if s.state.tau == 0 else _tops(s, c, t)


def _words(s, tagged):
    text = tagged.text
    return [t for t, token in enumerate(s.problem.tokens) if token == text]


def _called(s, phrase):
    """The tags that a phrase may mean."""
    text = getattr(phrase, "text", phrase)
    return {x for x, tag in enumerate(s.problem.tags) if PHRASES.get(tag, tag) == text}


def _looks(k):
    def is_true(s):
        c, alone = chain(s, 0, 1), _called(s, s.facts[f"alone{k}"])
        return any(alone & _tops(s, c, t) for t in _words(s, s.facts[f"word{k}"]))

    return is_true


def _becomes(k):
    def is_true(s):
        now, alone = _called(s, s.facts[f"now{k}"]), _called(s, s.facts[f"alone{k}"])
        different = now != alone or len(now) > 1
        return different and any(now & _here(s, t) for t in _words(s, s.facts[f"word{k}"]))

    return is_true


def _by(side):
    """Whether what stands there speaks for the new tag, more than what else touches the word."""

    def is_true(s):
        p, m = s.problem, len(s.problem.tokens)

        def gains(t, old, new):
            found = {}
            if t:
                row = [p.matrix(t)[x] for x in _here(s, t - 1)]
                found["left"] = max(r[new] - r[old] for r in row)
            else:
                found["start"] = p.start[new] - p.start[old]
            if t < m - 1:
                matrix = p.matrix(t + 1)
                found["right"] = max(matrix[new][x] - matrix[old][x] for x in _here(s, t + 1))
            else:
                found["end"] = p.end[new] - p.end[old]
            return found

        for t in _words(s, s.facts["word1"]):
            for old in _called(s, s.facts["alone1"]):
                for new in _called(s, s.facts["now1"]) & _here(s, t):
                    found = gains(t, old, new)
                    if side in found and found[side] > 0 and found[side] == max(found.values()):
                        return (
                            side in ("start", "end")
                            or p.tokens[t + (1 if side == "right" else -1)] == s.facts["by"].text
                        )
        return False

    return is_true


def _changed(s):
    """How many words have another most probable tag here than alone, ties aside."""
    c = chain(s, 0, 1)
    return sum(not _tops(s, c, t) & _here(s, t) for t in range(len(s.problem.tokens)))


def _never_flips(s):
    one, other = chain(s, 0, 1), chain(s, 1, 1)
    return all(_tops(s, one, t) & _tops(s, other, t) for t in range(one.m))


def _least(s):
    c, alone = chain(s, 1, 1), chain(s, 0, 1)
    sure = [max(_p(c, t, x) for x in c.tags) for t in range(c.m)]
    tags = _called(s, s.facts["least_tag"])
    return any(
        near(sure[t], min(sure), 1e-7) and tags & _tops(s, c, t) & _tops(s, alone, t)
        for t in _words(s, s.facts["least"])
    )


def _down(tau=1.0):
    """Whether the best reading has a tag that is not the most probable."""

    def is_true(s):
        c = chain(s, None, tau)
        down = _called(s, s.facts["downtag"])
        up = _called(s, s.facts["uptag"])
        return any(
            down & _on_best(c, t) and up & _tops(s, c, t) for t in _words(s, s.facts["downword"])
        )

    return is_true


def shown(text):
    """A shown probability: “.649”, “2.00 × 10⁻⁹”, “1”, “<.01”."""
    return number_of(TOKEN.search(text))


def _is(value, text):
    """Whether a number is what is shown of it."""
    if "1 − 10" in text:
        return value >= 1 - 2e-9
    number = shown(text.strip("<>~"))
    return number.low - 1e-12 <= value <= number.high + 1e-12 or text[0] in "<>"


def _share(s, tau):
    c = chain(s, None, tau)
    return math.exp(c.best - c.log_z) if c.log_z > -math.inf else 0.0


def _p_is(fact, tau=None):
    def is_true(s):
        if s.state.tau == 0 and tau is None:
            return s.facts[fact] == "1" or chain(s).log_z == -math.inf
        return _is(_share(s, tau), s.facts[fact]) or chain(s).log_z == -math.inf

    return is_true


def _readings(s):
    return s.facts["count"].replace(",", "") == str(len(s.problem.tags) ** len(s.problem.tokens))


def _many(s):
    S, m = len(s.problem.tags), len(s.problem.tokens)
    size = 10 ** (3 * s.facts["group"] + 3)
    if not s.facts["about"]:
        return S**m >= 10**15
    number = float(s.facts["about"].replace(",", ""))
    return abs(S**m / size / number - 1) <= 0.05


def _gains_below(s):
    return _share(s, None) > _share(s, 1) * (1 + 1e-9)


# ------------------------------------------------------------------- the network that reads it all


def _local(s):
    if "local" not in s.__dict__:
        query = {"sentence": s.state.base.sentence, "tagger": "local"}
        s.__dict__["local"] = PlainChain(state_of(query)[0].problem)
    return s.__dict__["local"]


def _both(s):
    one, other = PlainChain(s.problem), _local(s)
    for t in range(one.m):
        yield [one.marginal(t, x) for x in one.tags], [other.marginal(t, x) for x in one.tags]


def _same_tags(s):
    return all(a.index(max(a)) == b.index(max(b)) for a, b in _both(s))


def _nearly_same(s):
    return all(abs(max(a) - b[a.index(max(a))]) < 0.02 for a, b in _both(s))


def _differs(s):
    net, local = _called(s, s.facts["nettag"]), _called(s, s.facts["localtag"])
    rows = list(_both(s))
    return any(
        rows[t][0].index(max(rows[t][0])) in net and rows[t][1].index(max(rows[t][1])) in local
        for t in _words(s, s.facts["netword"])
    )


def _moves(name, sign):
    def is_true(s):
        rows = [(max(a), b[a.index(max(a))]) for a, b in _both(s)]
        most = max(sign * (a - b) for a, b in rows)
        return any(
            near(sign * (rows[t][0] - rows[t][1]), most, 1e-4)
            and f"{rows[t][0]:.2f}".removeprefix("0") == s.facts[f"{name}_is"]
            and f"{rows[t][1]:.2f}".removeprefix("0") == s.facts[f"{name}_was"]
            for t in _words(s, s.facts[f"{name}_word"])
        )

    return is_true


def _cards(s):
    from pages.shared.ui import taggers

    for name in ("bilstm", "local"):
        card = taggers.metrics(name)
        assert card
        right = card["sentence_accuracy"], card["softmax"]["sentence_accuracy"]
        shares = [s.facts[f"{name}_crf"], s.facts[f"{name}_softmax"]]
        if shares != [format_percent(share, 0) for share in right]:
            return False
    return True


# ------------------------------------------------------------------------------------- fixed tags


def _one_fixed(s):
    ((t, x),) = s.state.fixed.items()
    tags = _called(s, s.facts["tag"])
    return x in tags and s.problem.tokens[t] == s.facts["word"].text


def _moved(s):
    """The largest change of any tag of another word."""
    after, before = chain(s), chain(s, free=True)
    others = [t for t in range(after.m) if t not in s.state.fixed]
    if s.state.tau == 0:
        return max((float(not _on_best(before, t) & _on_best(after, t)) for t in others), default=0)
    return max(
        (_p(after, t, x) - _p(before, t, x) for t in others for x in after.tags), default=0.0
    )


def _was_and_is(s):
    if s.state.tau == 0:
        return s.facts["is"] == "1.00" and s.facts["was"] == ".00"
    after, before = chain(s), chain(s, free=True)
    return any(
        abs(_p(after, t, x) - shown(s.facts["is"]).value) < 0.0051
        and abs(_p(before, t, x) - shown(s.facts["was"]).value) < 0.0051
        for t in _words(s, s.facts["other"])
        for x in _called(s, s.facts["other_tag"])
    )


def _share_left(s):
    after, before = chain(s), chain(s, free=True)
    if s.state.tau == 0:
        return s.facts["share"].strip("% ") in ("100", "0", "")
    share = 100 * math.exp(after.log_z - before.log_z)
    text = s.facts["share"].strip("% ")
    return text[0] in "<>" or abs(share - float(text)) <= 0.5001


def _source(name):
    return lambda s: s.state.given.source == name


def _strange(s):
    unknown = sum(s.state.given.unknown)
    return s.facts["unknown"] == unknown and 2 * unknown >= len(s.problem.tokens)


FRONT = {
    "^Scores of −∞ forbid every|^No reading is allowed|Raise scores of": lambda s: (
        chain(s).log_z == -math.inf
    ),
    "^Each word takes its own best|^This is greedy": lambda s: s.state.lambda_ == s.state.tau == 0,
    "^Only the best reading is left": lambda s: s.state.tau == 0,
    "^Only the best readings are left": lambda s: s.state.tau == 0,
    "^In it .downword": _down(),
    "^It is the one that Viterbi": lambda s: s.state.tau == 0 and chain(s).best_paths == 1,
    "^Several have the same score|^one of them is outlined": lambda s: chain(s).best_paths > 1,
    "^At the top already, the best reading has": lambda s: _share(s, 1) > 0.9998,
    "^At the top already, the best readings": lambda s: (
        _share(s, 1) * chain(s, None, 1).best_paths > 0.9997
    ),
    "^Further down, the (words|best)": lambda s: s.state.tau < 1 and _gains_below(s),
    "^A network that has read it all takes": _differs,
    "^The one that reads word by word says": _differs,
    "^A network .* chooses the same tags": _same_tags,
    "nearly the same probabilities": _nearly_same,
    "^It is surer of": lambda s: _moves("surer", 1)(s) and _moves("less", -1)(s),
    "^It gives .surer": _moves("surer", 1),
    "^It gives .less": _moves("less", -1),
    "^Even word by word the tags|no tag here|each word keeps|no word’s best tag": _never_flips,
    "^Here each word stands alone|^Each word has a softmax": lambda s: s.state.lambda_ == 0,
    "^Drag the dot to the right": lambda s: s.chain.m > 1,
    "has no neighbours|only its start and end scores|^There is no other": lambda s: s.chain.m == 1,
    "^On its own, .word1.|^Word by word, .word1.": _looks(1),
    "^On their own": lambda s: _looks(1)(s) and _looks(2)(s),
    "still looks like": lambda s: _looks(1)(s) and not _changed(s),
    "^Now each word begins": lambda s: 0 < s.state.lambda_ < 1,
    "^The least certain": _least,
    "^(But the best|The outlined) reading takes .downword": _down(),
    "and has probability|^the outlined one has": _p_is("p"),
    "it becomes .now1": _becomes(1),
    "becomes .now2": _becomes(2),
    "^After .by": _by("left"),
    "^Before .by": _by("right"),
    "^At the start": _by("start"),
    "^At the end": _by("end"),
    "words change. as well": lambda s: _changed(s) <= s.facts["more"] + 1,
    "^A block has the prob": lambda s: (s.state.lambda_, s.state.tau) == (1, 1),
    "probability \\{p\\}|^\\{p\\}": _p_is("p"),
    "\\{top\\}": _p_is("top", 1),
    "^There are .count. readings|one of .count": _readings,
    "make .power. readings|one of .about|one of .power": _many,
    "^You fixed .word": _one_fixed,
    "^You fixed (all )?.fixed": lambda s: s.facts["fixed"] == len(s.state.fixed),
    "only this reading is left": lambda s: len(s.state.fixed) == s.chain.m,
    "hardly change": lambda s: _moved(s) < 0.0501,
    "^Now .other. is": _was_and_is,
    "have .share. of the prob|^.share. of the prob": _share_left,
    "^Click (the|a) block": lambda s: len(s.state.fixed) >= 1,
    "has not seen|(is|are) new to the tagger|(its|their) tags? (is|are) (a )?guess": _strange,
    "made by hand": _source("hand"),
    "sees one word at a time": _source("local"),
    "^With a CRF, a network|^one that reads word by word": _cards,
    "reads whole sentences": _source("bilstm"),
    "looks for names": _source("ner"),
    "from your tagger": lambda s: s.state.given.source not in ("hand", "local", "bilstm", "ner"),
    "^Here a tag changes|^Try one where": lambda s: True,  # test_flips.py computes each
}
SPOKEN = set("say fixed detail brief readings strange swap source".split())
