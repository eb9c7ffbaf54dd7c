"""The tree as the component draws it: places, texts and the matrix of the chosen node."""

from typing import Any

from pages.cost.tree import Product, Tree, written
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText, Told, case

WIDTH, LEVEL, LEAF = 66, 56, 40  # pixels: between leaves, between heights, half a margin


def told(what: Told | str, /, **facts: Any) -> str:
    """Sentences of the lesson’s tables of cases, as plain text."""
    return LessonText.of("cost").line(what, **facts)


def drawing(problem: Problem, tree: Tree, chosen: int, symbol: str) -> dict[str, Any]:
    """What is sent.

    Args:
        problem: Its names.
        tree: The product.
        chosen: Index of the node whose matrix is shown.
        symbol: What the total is called: "log Z" or "best score".
    """
    places = _places(tree)
    height = tree.depth * LEVEL + 2 * LEAF
    nodes = []
    for k, node in enumerate(tree.nodes):
        x, up = places[k]
        nodes.append(
            {
                "x": x,
                "y": height - LEAF - up * LEVEL,
                "height": node.height,
                "gap": node.gap,
                "children": list(node.children),
                "text": _name(node),
                "title": _title(problem, node),
            }
        )
    m = len(problem.tokens)
    return {
        "label": told("tree-words.label"),
        "width": m * WIDTH,
        "height": height,
        "nodes": nodes,
        "words": [theme.shorten(token, 9) for token in problem.tokens],
        "brackets": written(tree),
        "total": f"{symbol} = {theme.number(tree.total, 9)}",
        "chosen": chosen,
        "matrix": _matrix(problem, tree.nodes[chosen]),
        "rounds": [_round(tree, r) for r in range(max(m, 1))],
    }


def _places(tree: Tree) -> list[tuple[float, int]]:
    """Where each node stands: pixels from the left, and how many levels up."""
    places: list[tuple[float, int]] = []
    for node in tree.nodes:
        if node.children:
            left, right = (places[child][0] for child in node.children)
            places.append(((left + right) / 2, node.height))
        else:
            places.append(((node.first + 0.5) * WIDTH, 0))
    return places


def _name(node: Product) -> str:
    return str(node.first + 1) if not node.children else f"{node.first + 1}–{node.last + 1}"


def _title(problem: Problem, node: Product) -> str:
    first, last = (theme.shorten(problem.tokens[t], 12) for t in (node.first, node.last))
    if node.children:
        return told("tree-words.ways", first=first, last=last)
    return told("tree-words.start" if node.first == 0 else "tree-words.matrix", word=first)


def _matrix(problem: Problem, node: Product) -> dict[str, Any]:
    values = node.matrix.tolist()
    finite = [abs(x) for row in values for x in row if abs(x) < float("inf")]
    largest = max(finite, default=1.0) or 1.0
    return {
        "tags": list(problem.tags),
        "cells": [
            [[theme.number(x), theme.score_background(x, largest)] for x in r] for r in values
        ],
    }


def _round(tree: Tree, number: int) -> str:
    """What both ways know after some rounds."""
    m = sum(not node.children for node in tree.nodes)
    done = [node for node in tree.nodes if node.children and node.height == number]
    if number == 0:
        return told("tree-words.before")
    vector = case("tree-words.vector", word=number + 1, m=m)
    if number > tree.depth:
        return told([case("tree-words.since", depth=tree.depth), vector])
    now = case("tree-words.round", number=number, n=len(done))
    end = [case("tree-words.done")] if number == tree.depth else []
    return told([now, *end, vector])
