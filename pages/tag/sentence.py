"""The tagged sentence: every word over its tag, and a menu on each tag to set it by hand."""

import time
from collections.abc import Callable

from pages.shared.figures import theme
from pages.shared.figures.analysis import FREE, Analysis
from pages.shared.ui import received
from pages.shared.ui.component import component

_COMPONENT = component("tagged_sentence", "sentence")


def tagged_sentence(analysis: Analysis, *, key: str, on_choice: Callable[[int, int], None]) -> None:
    """Show the best path over the sentence, with each tag's probability.

    Args:
        analysis: The record.
        key: The component's key.
        on_choice: Called with (token, tag index or −1 for "free") when a tag is chosen.
    """

    def chosen() -> None:
        choice = check_choice(received.state(key, "choice"), analysis)
        if choice is not None:
            on_choice(*choice)

    data = sentence_data(analysis) | {"serial": time.monotonic()}
    _COMPONENT(key=key, data=data, on_choice_change=chosen)


def check_choice(choice: object, analysis: Analysis) -> tuple[int, int] | None:
    """The choice that the browser sent, or None if it is not one: anything may come from there."""
    tokens = received.index(len(analysis.tokens))
    tags = received.index(len(analysis.tags), low=FREE)
    found = received.genuine(choice, received.record(token=tokens, tag=tags))
    return None if found is None else (found["token"], found["tag"])


def sentence_data(analysis: Analysis) -> dict:
    """What the component draws: strings only, the numbers formatted."""
    words = []
    for t, text in enumerate(analysis.tokens):
        tag, p = analysis.viterbi.tags[t], analysis.marginals[t]
        index = analysis.tags.index(tag)
        shown = theme.table_probability(p[index])
        fixed = analysis.fixed[t] != FREE
        order = sorted(range(len(p)), key=lambda s: -p[s])
        unknown = " (not in the training data)" if analysis.unknown[t] else ""
        words.append(
            {
                "text": text,
                "title": text + unknown,
                "unknown": analysis.unknown[t],
                "tag": tag,
                "colour": theme.tag_colour(tag),
                "fixed": fixed,
                "probability": "by hand" if fixed else shown,
                "name": f"Tag of {text}{unknown}: {tag}, "
                + ("set by hand" if fixed else f"probability {shown}"),
                "hint": "Set by hand" if fixed else "Set this tag by hand",
                "value": str(analysis.fixed[t]),
                "options": [
                    [str(FREE), "let the model choose" if fixed else f"model’s choice: {tag}"]
                ]
                + [
                    [
                        str(s),
                        analysis.tags[s] + ("" if fixed else f"   {theme.table_probability(p[s])}"),
                    ]
                    for s in order
                ],
            }
        )
    return {"label": "The sentence with its best tags", "words": words}
