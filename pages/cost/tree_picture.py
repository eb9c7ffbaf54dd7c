"""The tree as the component draws it: places, texts and the matrix of the chosen node."""

from typing import Any

from pages.cost.tree import Product, Tree, written
from pages.shared.course.numbers import counted
from pages.shared.course.problem import Problem
from pages.shared.figures import theme

WIDTH, LEVEL, LEAF = 66, 56, 40  # pixels: between leaves, between heights, half a margin


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
        "label": "The product of the sentence’s matrices as a tree",
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
    words = [theme.shorten(problem.tokens[t], 12) for t in (node.first, node.last)]
    if not node.children:
        if node.first == 0:
            return f"The matrix of ‘{words[0]}’: start + emission, the same in each row"
        return f"The matrix of ‘{words[0]}’: transition + emission"
    return f"All ways from before ‘{words[0]}’ to each tag of ‘{words[1]}’"


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
        return "Before the first round: one matrix for each word."
    vector = f"One after the other: α̂ has come to word {number + 1} of {m}."
    if number > tree.depth:
        return f"The tree is done since round {tree.depth}. {vector}"
    end = " Done." if number == tree.depth else ""
    count = counted(len(done), "product")
    return f"Round {number}: the tree multiplies {count} at once.{end} {vector}"
