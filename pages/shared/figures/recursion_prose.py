"""What the column on screen means: prose that follows the steps of a forward or max recursion.

It never says which term wins or brings most, so that a reader who guesses first can still read it.
"""

import math
from collections.abc import Sequence

from crf.figures.trellis.narration import printable, quoted
from crf.figures.trellis.notation import LOG, NOTATIONS, PROBABILITY, Notation, Space, symbol_of
from crf.steps import Step, Trace
from pages.shared.course.numbers import format_potential
from pages.shared.figures.theme import count, probability


def follow(
    trace: Trace, index: int, space: Space, marginals: Sequence[Sequence[float]]
) -> list[str]:
    """What a step's number is, and what is not in it yet.

    Args:
        trace: Of a recursion that runs forward, in any convention and semiring.
        index: Which of its steps.
        space: Whether numbers are log-scores or potentials.
        marginals: [m][S] probabilities of each token's tags given the whole sentence.

    Returns:
        Paragraphs of plain text.
    """
    told = _Told(trace, trace.steps[index], NOTATIONS[space], marginals)
    kinds = {"cell": told.cell, "total": told.total, "backtrace": told.backtrace}
    return kinds[told.step.kind]()


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
    def _cell(self) -> str:
        tag, word = printable(self.trace.tags[self.step.row]), self._word(self.step.token)
        link = "to" if self.is_message else "of"
        return f"{self.symbol} {link} {word}, {tag}"

    def cell(self) -> list[str]:
        step, tag = self.step, printable(self.trace.tags[self.step.row])
        if step.log_value == -math.inf:
            way = "goes on to" if self.is_message else "ends in"
            never = "A score of 0 would forbid nothing; only −∞ does."
            if self.notation is not LOG:
                never = "A potential of 0 is a score of −∞; a score of 0 would forbid nothing."
            return [f"{self._cell} is {self.value}: no allowed prefix {way} {tag} here. {never}"]
        if step.column == 0 and not self.is_message:
            of = "start and its own emission"
            if self.trace.convention == "pair" and len(self.trace.tokens) == 1:
                of = "start, its own emission and its end"
            what = f"is its {of}: {self.value}. There is one prefix, {tag} alone"
            first = f"{self._cell} {what}, so there is nothing to {self._verb} yet."
        elif self.is_message:
            each = "" if step.prefixes == 1 else "each "
            first = (
                f"{self._cell} is {self._over} the {self._prefixes} of the tokens before "
                f"{self._word(step.token)}, {each}with the transition into {tag}: {self.value}."
            )
        else:
            first = (
                f"{self._cell} is {self._over} the {self._prefixes} that "
                f"{'ends' if step.prefixes == 1 else 'end'} in {tag} at "
                f"{self._word(step.token)}: {self.value}."
            )
        return [first + self._in_the_other_space(), self._not_yet_in_it()]

    @property
    def _verb(self) -> str:
        return "sum" if self.is_sum else "compare"

    @property
    def _over(self) -> str:
        if self.step.prefixes == 1:
            return f"the {self.notation.result} of"
        if self.is_sum:
            return "the log of the sum over" if self.notation is LOG else "the sum over"
        return f"the {self.notation.result} of the best of"

    @property
    def _allowed(self) -> str:
        return "allowed " if self.trace.forbids else ""

    @property
    def _prefixes(self) -> str:
        many = self.step.prefixes
        return f"one {self._allowed}prefix" if many == 1 else f"{count(many)} prefixes"

    def _in_the_other_space(self) -> str:
        if self.notation is LOG:
            return f" Its potential is exp({self.value}) = {format_potential(self.step.log_value)}."
        return f" Its logarithm: {LOG.number(self.step.log_value)}."

    def _not_yet_in_it(self) -> str:
        """What the cell has not seen: why it is neither a probability nor a confidence."""
        step, last = self.step, len(self.trace.tokens) - 1
        word = self._word(step.token)
        if self.is_message:
            missing = f"The emission of {word} is not in it yet, nor is anything after it."
        elif step.token == last:
            ends = "the end score too" if self.trace.convention == "pair" else "not the end score"
            missing = f"All tokens are in it, {ends}."
        else:
            missing = f"It has not seen what follows {word}."
        if not self.is_sum:
            whole = step.token == last and self.trace.convention == "pair"
            of = "a path" if whole else "the words so far"
            return f"{missing} It is the best {self.notation.result} of {of}, not a probability."
        return f"{missing} {self._against_the_marginal()}"

    def _against_the_marginal(self) -> str:
        step = self.step
        column, best = self.trace.table[step.column], max(self.trace.table[step.column])
        share = math.exp(step.log_value - best) / math.fsum(math.exp(v - best) for v in column)
        tag, symbol = printable(self.trace.tags[step.row]), symbol_of(self.trace, PROBABILITY)
        if not self.trace.feasible:
            return f"It is not p({tag}): no path is allowed here, so no tag has a probability."
        here = f"{symbol} divided by its column’s sum is {probability(share)}"
        p = probability(self.marginals[step.token][step.row])
        if self._is_complete:
            others = ""
            if len(self.trace.tokens) > 1 and len(self.trace.tags) > 1:
                others = " In the columns before, the two numbers may differ."
            return (
                f"{symbol} divided by its column’s sum is {p}, and that is p({tag}): no score to "
                f"come differs by the tag.{others}"
            )
        if probability(share) == p:
            return (
                f"{here}, and with the whole sentence read, {tag} has the probability {p}. Here "
                "what is still to come changes nothing in these digits, so the two numbers match"
                + ("; usually they don’t." if len(self.trace.tags) > 1 else ".")
            )
        return (
            f"So it is not p({tag}): {here}, but with the whole sentence read, {tag} has the "
            f"probability {p}."
        )

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
        if not self.trace.feasible:
            return [f"No path is allowed: {n.whole if self.is_sum else n.best} is {self.value}."]
        one = step.prefixes == 1
        paths = f"the only {self._allowed}path" if one else f"all {count(step.prefixes)}"
        if self.is_sum:
            what = "the log of the sum over" if n is LOG else "the sum over"
            what = f"the {n.result} of {paths}" if one else f"{what} {paths} {self._allowed}paths"
            belongs = "" if one else "It belongs to no single path. "
            return [
                f"{n.whole} = {self.value}: {what}." + self._in_the_other_space(),
                f"{belongs}It is what every path’s score is measured against: "
                "p(y) = exp(score(y) − log Z).",
            ]
        of = paths if one else f"the best of {count(step.prefixes)} {self._allowed}paths"
        return [
            f"The {n.best} is {self.value}: that of {of}." + self._in_the_other_space(),
            "Which path that is the cells do not say; their backpointers do. Step on to follow "
            "them from right to left.",
        ]

    def backtrace(self) -> list[str]:
        step, tags = self.step, self.trace.tags
        found = " ".join(printable(tags[row]) for row in step.best_prefix or ())
        known = len(step.best_prefix or ())
        left = len(self.trace.tokens) - known
        rest = f"; {left} more to find" if left else ", all of the sentence"
        how = (
            f"The last tag is the argmax at END, {printable(tags[step.row])}."
            if step.from_row is None
            else f"The backpointer κ of {printable(tags[step.from_row])} at "
            f"{self._word(step.token + 1)} is {printable(tags[step.row])} at "
            f"{self._word(step.token)}: nothing is computed, one entry is read."
        )
        whole = f"The best path has the {self.notation.result} "
        score = f"{whole}{self.notation.number(self.trace.log_total)}."
        return [f"{how} Known from the right: {found}{rest}.", score]
