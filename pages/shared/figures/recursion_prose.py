"""What the column on screen means: prose that follows the steps of a forward or max recursion.

It never says which term wins or brings most, so that a reader who guesses first can still read it.
"""

import math
from collections.abc import Sequence

from crf.figures.numbers import format_potential
from crf.figures.trellis.narration import printable, quoted
from crf.figures.trellis.notation import LOG, NOTATIONS, PROBABILITY, Notation, Space, symbol_of
from crf.figures.words import join
from crf.steps import Step, Trace
from pages.shared.figures.text import say
from pages.shared.figures.theme import probability


def follow(
    trace: Trace, index: int, space: Space, marginals: Sequence[Sequence[float]]
) -> list[str]:
    """What a step's number is, and what is not in it yet: paragraphs of plain text.

    `marginals` are [m][S] probabilities of each token's tags given the whole sentence.
    """
    told = _Told(trace, trace.steps[index], NOTATIONS[space], marginals)
    kinds = {"cell": told.cell, "total": told.total, "backtrace": told.backtrace}
    return kinds[told.step.kind]()


def in_the_other_space(step: Step, notation: Notation) -> str:
    """A step's log-score as a potential, or the other way round, in a sentence."""
    if notation is LOG:
        value, other = LOG.number(step.log_value), format_potential(step.log_value)
        return say("other.log", value=value, other=other)
    return say("other.potential", other=LOG.number(step.log_value))


class _Told:
    def __init__(
        self, trace: Trace, step: Step, notation: Notation, marginals: Sequence[Sequence[float]]
    ) -> None:
        self.trace, self.step, self.notation, self.marginals = trace, step, notation, marginals
        self.is_sum = trace.semiring == "sum"
        self.symbol = symbol_of(trace, notation)
        self.value = notation.number(step.log_value)
        self.is_message = trace.convention == "message"

    def _word(self, token: int) -> str:
        return quoted(self.trace.tokens, token)

    @property
    def _in(self) -> str:
        return "log" if self.notation is LOG else "potential"

    def _name(self, which: str = "result") -> str:
        """What a path's number is called: its score, or its potential."""
        return say(f"{which}.{self._in}")

    def cell(self) -> list[str]:
        step, tag = self.step, printable(self.trace.tags[self.step.row])
        word, form = self._word(step.token), "message" if self.is_message else "state"
        cell = say(f"cell.{form}", symbol=self.symbol, word=word, tag=tag)
        if step.log_value == -math.inf:
            never = say(f"cell.never-{form}", cell=cell, value=self.value, tag=tag)
            return [join(never, say(f"zero.{self._in}"))]
        if step.column == 0 and not self.is_message:
            alone = self.trace.convention == "pair" and len(self.trace.tokens) == 1
            name = f"first{'-last' if alone else ''}-{self.trace.semiring}"
            first = say(f"cell.{name}", cell=cell, value=self.value, tag=tag)
        else:
            many, kind = step.prefixes, "best"
            if many == 1:
                kind = "allowed" if self.trace.forbids else "one"
            elif self.is_sum:
                kind = f"sum-{self._in}"
            over = say(f"over.{kind}", result=self._name(), n=many)
            name = f"cell.{form}-{'one' if many == 1 else 'many'}"
            first = say(name, cell=cell, over=over, word=word, tag=tag, value=self.value)
        return [join(first, in_the_other_space(step, self.notation)), self._not_yet_in_it()]

    def _not_yet_in_it(self) -> str:
        """What the cell has not seen: why it is neither a probability nor a confidence."""
        step, last = self.step, len(self.trace.tokens) - 1
        pair = self.trace.convention == "pair"
        if self.is_message:
            name = "emission"
        elif step.token == last:
            name = "nothing" if pair else "end"
        else:
            name = "rest"
        missing = say(f"missing.{name}", word=self._word(step.token))
        if not self.is_sum:
            of = "path" if step.token == last and pair else "words"
            return join(missing, say(f"no-probability.{of}", best=self._name("best")))
        return join(missing, self._against_the_marginal())

    def _against_the_marginal(self) -> str:
        step = self.step
        column, best = self.trace.table[step.column], max(self.trace.table[step.column])
        share = math.exp(step.log_value - best) / math.fsum(math.exp(v - best) for v in column)
        tag, symbol = printable(self.trace.tags[step.row]), symbol_of(self.trace, PROBABILITY)
        if not self.trace.feasible:
            return say("marginal.none", tag=tag)
        p = probability(self.marginals[step.token][step.row])
        several = len(self.trace.tags) > 1
        if self._is_complete:
            told = say("marginal.complete", symbol=symbol, tag=tag, p=p)
            many = several and len(self.trace.tokens) > 1
            return join(told, say("marginal.others")) if many else told
        name = "differs"
        if probability(share) == p:
            name = "same" if several else "same-one"
        return say(f"marginal.{name}", symbol=symbol, share=probability(share), tag=tag, p=p)

    @property
    def _is_complete(self) -> bool:
        """Whether a cell's share of its column is the marginal: no score to come differs by tag."""
        if self.is_message or self.step.token < len(self.trace.tokens) - 1:
            return False
        total = next(step for step in self.trace.steps if step.kind == "total")
        ends = {part.value for term in total.terms for part in term.parts if part.role == "end"}
        return len(ends) <= 1

    def total(self) -> list[str]:
        step, n = self.step, self.notation
        named = {"total": n.whole, "value": self.value}
        if not self.trace.feasible:
            return [
                say(
                    f"total.none-{'sum' if self.is_sum else 'max'}",
                    **named,
                    best=self._name("best"),
                )
            ]
        allowed = "-allowed" if self.trace.forbids else ""
        facts = named | {"n": step.prefixes, "result": self._name(), "best": self._name("best")}
        other = in_the_other_space(step, n)
        if not self.is_sum:
            name = "max-one" if step.prefixes == 1 else "max-many"
            told = say(f"total.{name}{allowed}", **facts)
            return [join(told[0].upper() + told[1:], other), say("total.way-back")]
        measured = say("total.measure")
        if step.prefixes == 1:
            return [join(say(f"total.sum-one{allowed}", **facts), other), measured]
        return [
            join(say(f"total.sum-{self._in}{allowed}", **facts), other),
            join(say("total.no-path"), measured),
        ]

    def backtrace(self) -> list[str]:
        step, tags = self.step, self.trace.tags
        found = " ".join(printable(tags[row]) for row in step.best_prefix or ())
        left = len(self.trace.tokens) - len(step.best_prefix or ())
        facts, how = {"tag": printable(tags[step.row])}, "back.end"
        if step.from_row is not None:
            how = "back.pointer"
            facts |= {"after": printable(tags[step.from_row]), "word": self._word(step.token)}
            facts["next"] = self._word(step.token + 1)
        known = say("back.known" if left else "back.whole", path=found, n=left)
        total = self.notation.number(self.trace.log_total)
        return [join(say(how, **facts), known), say(f"back.score-{self._in}", value=total)]
