"""The tree as the component draws it: places, texts and the matrix of the chosen node."""

from typing import Any

from pages.cost.tree import Product, Tree, written
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText, Told, case

WIDTH, LEVEL, LEAF = 66, 56, 40  # pixels: between leaves, between heights, half a margin


def say(what: Told | str, /, **facts: Any) -> str:
    """Sentences of the lesson’s tables of cases, as plain text."""
    return LessonText.of("cost").line(what, **facts)


def drawing(problem: Problem, tree: Tree, chosen: int, symbol: str) -> dict[str, Any]:
    """What is sent: a tree whose total is called `symbol`, and the matrix of the chosen node."""
    m, height = len(problem.tokens), tree.depth * LEVEL + 2 * LEAF
    nodes: list[dict[str, Any]] = []
    for node in tree.nodes:
        first, last = str(node.first + 1), str(node.last + 1)
        between = [nodes[child]["x"] for child in node.children]
        nodes.append(
            {
                "x": sum(between) / 2 if between else (node.first + 0.5) * WIDTH,
                "y": height - LEAF - node.height * LEVEL,
                "height": node.height,
                "gap": node.gap,
                "children": list(node.children),
                "text": f"{first}–{last}" if between else first,
                "title": _title(problem, node),
            }
        )
    return {
        "label": say("tree-words.label"),
        "width": m * WIDTH,
        "height": height,
        "nodes": nodes,
        "words": [theme.shorten(token, 9) for token in problem.tokens],
        "brackets": written(tree),
        "total": f"{symbol} = {theme.number(tree.total, 9)}",
        "chosen": chosen,
        "matrix": _matrix(problem, tree.nodes[chosen]),
        "rounds": [_round(tree, r) for r in range(m)],
    }


def _title(problem: Problem, node: Product) -> str:
    first, last = (theme.shorten(problem.tokens[t], 12) for t in (node.first, node.last))
    if node.children:
        return say("tree-words.ways", first=first, last=last)
    return say("tree-words.start" if node.first == 0 else "tree-words.matrix", word=first)


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
        return say("tree-words.before")
    vector = case("tree-words.vector", word=number + 1, m=m)
    if number > tree.depth:
        return say([case("tree-words.since", depth=tree.depth), vector])
    now = case("tree-words.round", number=number, n=len(done))
    end = [case("tree-words.done")] if number == tree.depth else []
    return say([now, *end, vector])
