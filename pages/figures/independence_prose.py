"""What fixing tags does to a chain, in words and rows: joint probabilities against products."""

from crf.course.independence import Independence, Pair
from crf.course.numbers import format_magnitude
from crf.course.problem import Problem
from pages.figures.decoders import listed, word
from pages.figures.narration import printable
from pages.figures.theme import probability

INDEPENDENT = 1e-12  # below it a difference of probabilities is rounding


def fixed_names(problem: Problem, found: Independence) -> str:
    """The fixed tags in words."""
    return listed(
        [
            f"{word(problem, t)} = {printable(problem.tags[s])}"
            for t, s in sorted(found.fixed.items())
        ]
    )


def split(problem: Problem, found: Independence) -> str:
    """Into what the chain falls, and how probable the fixed tags are."""
    pieces = ["‘" + " ".join(problem.tokens[t] for t in piece) + "’" for piece in found.pieces]
    given = f"You fixed {fixed_names(problem, found)}, which has probability "
    given += f"{probability(found.probability)}. "
    if len(pieces) < 2:
        where = f"one part is left, {pieces[0]}" if pieces else "nothing is left to choose"
        return f"{given}Now {where}. Fix a tag in the middle, and the chain falls in two."
    return (
        f"{given}The chain falls into {len(pieces)} parts, {listed(list(map(printable, pieces)))}. "
        "Each can now be computed for itself."
    )


def change(problem: Problem, before: Pair, now: Pair) -> str:
    """One pair of tokens: joint probability against product, without and with the fixed tags."""
    one, two = word(problem, before.first), word(problem, before.second)
    i, j = (printable(problem.tags[s]) for s in before.at)
    verdict = (
        "equal but for rounding: independent"
        if now.dependence < INDEPENDENT
        else f"still {format_magnitude(now.dependence)} apart: nothing fixed stands between them"
    )
    k, n = (printable(problem.tags[s]) for s in now.at)
    return (
        f"Before, p({one} = {i}, {two} = {j}) = {probability(before.joint)}, but the product of "
        f"the two probabilities is {probability(before.product)}: knowing one tells something "
        f"about the other. Now, where joint and product differ most, p({one} = {k}, {two} = {n}) = "
        f"{probability(now.joint)} and the product is {probability(now.product)}, {verdict}."
    )


def dependence_rows(
    problem: Problem, before: Independence, now: Independence
) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """Every pair of tokens, before → now; ringed where a dependence was cut."""
    tokens, m = [printable(token) for token in problem.tokens], len(problem.tokens)
    old = {(pair.first, pair.second): pair for pair in before.pairs}
    new = {(pair.first, pair.second): pair for pair in now.pairs}
    rows, ringed = [], set()
    for a in range(m - 1):
        row = [tokens[a]]
        for b in range(1, m):
            text = ""
            if a < b:
                text = _dependence(old.get((a, b)))
                if now.fixed:
                    is_held = a in now.fixed or b in now.fixed
                    text += " → " + ("fixed" if is_held else _dependence(new.get((a, b))))
                    if (a, b) in new and new[a, b].separated:
                        ringed.add((a, b))
            row.append(text)
        rows.append(row)
    return ["", *tokens[1:]], rows, ringed


def _dependence(pair: Pair | None) -> str:
    if pair is None:
        return "–"
    return "0" if pair.dependence < INDEPENDENT else format_magnitude(pair.dependence, 2)


def why(residual: float) -> str:
    """Why a fixed tag cuts the chain, and how exactly the numbers say so."""
    exact = "exactly 0" if residual == 0 else f"at most {format_magnitude(residual, 2)}, rounding"
    return (
        "Why: every factor touches one tag or two neighbours. With a tag fixed, no factor is left "
        "that ties its left side to its right side, so the sum over all paths falls into a product "
        f"of two sums. The differences computed across fixed tags are {exact}."
    )
