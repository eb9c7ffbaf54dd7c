"""How well the tokeniser's words agree with a treebank's own, on the treebank's raw text.

    python -m benchmarks.tokeniser FILE.conllu[.gz] [--json] [--errors N]
    python -m benchmarks.tokeniser --stress

Each sentence's ``# text`` is tokenised; a word is right if a gold word has the same start and end.
Gold words are the syntactic ones, which the tagger is trained on (do|n't, not don't). Offsets count
visible characters only, so neither side gains by white space.

With --stress: the processor time for 20,000 characters that repeat a fragment made to mislead a
rule, and its growth at four times the length (4 is linear, 16 is quadratic); the slowest first.
"""

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import conllu

from crf.tagger.tokeniser import token_spans

STRESS = [
    *("a", "a'", "a's", "n't", "can'tn't", "a.", "A.'", "Dr.)", "Dr. ", "No. ", "its ", "1."),
    *("1.1a", "-1", "111-", "+1", "1/1/", "x-1", "a-", "re-", "co-re-", "_", "a_", "a*", "a&"),
    *("w/", "@", "a@", "a@a.", "http://", "www.!", "http://(", "(", "(a", "a.com", "a.com/"),
    *(".doc", ":", ":)", "<3", "!", "-_", "*~", "$", "`", "🇬", "👩‍💻", "👍🏽", "e\u0301", "\u0301"),
    *("\u200d", "\u200b", " ", "漢"),
]  # fmt: skip


def gold_sentences(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each sentence's raw text and the forms of its words, without ranges and empty nodes."""
    unpacked = gzip.open if path.suffix == ".gz" else open
    with unpacked(path, "rt", encoding="utf-8") as file:
        for sentence in conllu.parse_incr(file):
            words = [token["form"] for token in sentence if isinstance(token["id"], int)]
            text = sentence.metadata["text"]
            if "".join("".join(words).split()) != "".join(text.split()):
                name = sentence.metadata.get("sent_id", "?")
                raise ValueError(
                    f"sentence {name}: its words do not spell its text: {words} and {text!r}"
                )
            yield text, words


def spans_of(words: list[str]) -> list[tuple[int, int]]:
    """Start and end of each word in the text without its white space."""
    ends = list(accumulate(len("".join(word.split())) for word in words))
    return list(zip([0, *ends], ends, strict=False))


def visible(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in the text without its white space."""
    before = [0, *accumulate(not character.isspace() for character in text)]
    return [(before[start], before[end]) for start, end in spans]


def measure(path: Path) -> tuple[dict[str, float | int], Counter[str]]:
    """The figures for a file, and its words that were missed, counted."""
    right = found = wanted = sentences = exact = characters = 0
    seconds = 0.0
    missed: Counter[str] = Counter()
    for text, words in gold_sentences(path):
        began = time.perf_counter()
        spans = token_spans(text)
        seconds += time.perf_counter() - began
        gold = spans_of(words)
        ours = set(visible(text, spans))
        missed.update(word for word, span in zip(words, gold, strict=True) if span not in ours)
        right += len(ours.intersection(gold))
        found, wanted = found + len(ours), wanted + len(gold)
        sentences, exact = sentences + 1, exact + (ours == set(gold))
        characters += len(text)
    if not wanted:
        raise ValueError(f"{path} has no sentence")
    figures = {
        "sentences": sentences,
        "words": wanted,
        "precision": right / found if found else 0.0,
        "recall": right / wanted,
        "f1": 2 * right / (found + wanted),
        "sentences_right": exact / sentences,
        "characters_per_second": round(characters / seconds),
    }
    return figures, missed


def stress(length: int = 20_000) -> list[tuple[str, float, float]]:
    """Each fragment, the seconds for `length` characters of it, and the growth to 4 × `length`."""
    rows = []
    for unit in STRESS:
        seconds = []
        for size in (length, 4 * length):
            text = unit * (size // len(unit))
            seconds.append(min(_processor_seconds(text) for _ in range(3)))
        rows.append((unit, seconds[0], seconds[1] / seconds[0]))
    return sorted(rows, key=lambda row: -row[1])


def _processor_seconds(text: str) -> float:
    began = time.process_time()
    token_spans(text)
    return time.process_time() - began


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", help="a treebank with '# text' lines")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument("--errors", type=int, default=0, help="list so many words missed most")
    parser.add_argument("--stress", action="store_true", help="time texts made to mislead a rule")
    options = parser.parse_args(arguments)
    if options.stress:
        for unit, seconds, growth in stress():
            print(f"{1000 * seconds:8.1f} ms  × {growth:4.1f}  {unit!r}")
        return
    if options.file is None:
        parser.error("a FILE is needed, or --stress")
    figures, missed = measure(options.file)
    if options.json:
        listed = {"missed": dict(missed.most_common(options.errors))} if options.errors else {}
        print(json.dumps(figures | listed))
        return
    for name, value in figures.items():
        print(f"{name:22} {value:,.4f}" if isinstance(value, float) else f"{name:22} {value:,}")
    for word, count in missed.most_common(options.errors):
        print(f"{count:6} {word}")


if __name__ == "__main__":
    main()
