"""A model of CRFsuite as the emissions and the transitions of a chain.

CRFsuite scores a word by its attributes, which are strings such as "word.lower=the": the emission
of a tag is the sum of the weights that the model has for the word's attributes and this tag, and a
tag's step to the next has a weight of its own. There are no start and end scores. Given the same
items, the chain has the probabilities and the marginals of CRFsuite itself, to the six decimals in
which it gives its weights away.

    tagger = crfsuite.load(Path("model.crfsuite").read_bytes())
    tagger.chain_of([[{"word.lower=the": 1.0}, {"word.lower=man": 1.0}]])     # items
    tagger.chain([["The", "man"]])                                            # words

A model does not say how its attributes are made of words. For words those of the two tutorials are
made, of python-crfsuite ("word.lower=the") and of sklearn-crfsuite ("word.lower():the"), without
parts of speech; a model with none of them tags files of items only, in CRFsuite's own format: a
line for a token, its label and its attributes with tabs between them, a blank line between
sentences.

Needs python-crfsuite: `pip install '.[crfsuite]'`. It reads the model in a process of its own, so
that a damaged file cannot take this one with it.

Source: Okazaki (2007), "CRFsuite: a fast implementation of conditional random fields".
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor

from .. import Constraints, LinearChain
from .model import AnyTagger, Sentences
from .pytorch_crf_model import MOST_TOKENS, PytorchCrfModel, padded_chain
from .storage import ModelFileError, check_tags

Item = Mapping[str, float]  # the attributes of a token, with their values (usually 1)

MAGIC = b"lCRF"
SECONDS = 120  # how long reading a model may take

_DUMP = """
import json, sys, pycrfsuite
tagger = pycrfsuite.Tagger()
tagger.open(sys.argv[1])
info = tagger.info()
json.dump({
    "labels": sorted(info.labels, key=lambda label: int(info.labels[label])),
    "transitions": [[*pair, weight] for pair, weight in info.transitions.items()],
    "states": [[*pair, weight] for pair, weight in info.state_features.items()],
}, sys.stdout)
"""
_AT = (("", 0), ("-1:", -1), ("+1:", 1))


class CrfsuiteTagger(AnyTagger):
    """The weights of a model.

    Args:
        tags: The names of the S tags.
        states: For each attribute the weights that it has, by the tag's index.
        transitions: [S, S] weights, from row to column.
    """

    def __init__(
        self, tags: Sequence[str], states: Mapping[str, Mapping[int, float]], transitions: Tensor
    ) -> None:
        self.tags, self.states = tuple(tags), states
        ends = torch.zeros(len(self.tags), dtype=torch.float64)
        self.tables = (transitions, ends, ends)

    def chain_of(
        self,
        sentences: Sequence[Sequence[Item]],
        backend: str = "auto",
        constraints: Constraints | None = None,
    ) -> LinearChain:
        """p(tags | items) of a batch of sentences, as `chain` for words."""
        rows = [self.emissions(items) for items in sentences]
        return padded_chain(rows, self.tables, constraints, backend)

    def emissions(self, items: Sequence[Item]) -> Tensor:
        """[L, S] the sums of the weights of each item's attributes."""
        found = [[0.0] * len(self.tags) for _ in items]
        for row, item in zip(found, items, strict=True):
            for attribute, value in item.items():
                for tag, weight in self.states.get(attribute, {}).items():
                    row[tag] += weight * value
        return torch.tensor(found, dtype=torch.float64).view(len(items), len(self.tags))

    def chain(
        self, sentences: Sentences, backend: str = "auto", *, constraints: Constraints | None = None
    ) -> LinearChain:
        """p(tags | words) of a batch of sentences, by the tutorials' attributes.

        Raises:
            ModelFileError: The model has none of these attributes.
        """
        if not self.reads_words:
            example = next(iter(self.states), "")
            raise ModelFileError(
                f"this CRFsuite model has attributes such as {example[:60]!r}, which cannot be "
                "made of words here; give a file of items in CRFsuite’s format with it"
            )
        return self.chain_of([items_of(words) for words in sentences], backend, constraints)

    @property
    def reads_words(self) -> bool:
        """Whether it has attributes that `items_of` makes."""
        return any(map(_TUTORIALS.match, self.states))

    def unknown(self, tokens: Sequence[str]) -> list[bool]:
        """Which words occur in none of its attributes."""
        known = {re.split(r"[=:]", attribute)[-1] for attribute in self.states}
        return [token not in known and token.lower() not in known for token in tokens]

    def state_dict(self) -> dict[str, Tensor]:
        """Every number that the answers depend on."""
        weights = [w for attribute in sorted(self.states) for w in self.states[attribute].values()]
        return {"transitions": self.tables[0], "states": torch.tensor(weights)}

    def recorded(self, content: bytes, name: str) -> PytorchCrfModel:
        """The first sentence of a file of items as a tagger that knows this sentence.

        Raises:
            ModelFileError: The file has no sentence, or one that is too long.
        """
        items = first_items(content, name)
        if not items:
            raise ModelFileError(
                f"{name}: expected items in CRFsuite’s format, a line for each token with its "
                "label and its attributes, tabs between them, got no such line"
            )
        if len(items) > MOST_TOKENS:
            raise ModelFileError(
                f"{name}: expected a first sentence of at most {MOST_TOKENS} tokens, got "
                f"{len(items):,}; a blank line ends a sentence"
            )
        words = [word_of(item) for item in items]
        return PytorchCrfModel(self.tags, words, self.emissions(items), self.tables)


def load(content: bytes) -> CrfsuiteTagger:
    """Read a model, which may come from anyone.

    Raises:
        ModelFileError: python-crfsuite is missing, or the file is damaged.
    """
    if find_spec("pycrfsuite") is None:
        raise ModelFileError(
            "a CRFsuite model needs the package python-crfsuite, which is not installed here",
            "`pip install python-crfsuite`",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(content)
        command = [sys.executable, "-P", "-c", _DUMP, str(path)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
            said = json.loads(done.stdout)
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            raise ModelFileError(
                "the CRFsuite model cannot be read: it is damaged or truncated; save it again by "
                "“crfsuite learn -m” or “Trainer.train”"
            ) from error
    tags = check_tags(said["labels"], "the CRFsuite model")
    index = {tag: k for k, tag in enumerate(tags)}
    transitions = torch.zeros(len(tags), len(tags), dtype=torch.float64)
    for before, after, weight in said["transitions"]:
        transitions[index[before], index[after]] = weight
    states: dict[str, dict[int, float]] = {}
    for attribute, tag, weight in said["states"]:
        states.setdefault(attribute, {})[index[tag]] = weight
    return CrfsuiteTagger(tags, states, transitions)


def items_of(words: Sequence[str]) -> list[dict[str, float]]:
    """The attributes that both tutorials make of a sentence's words, in both of their spellings."""
    items = []
    for t in range(len(words)):
        item = {"bias": 1.0}
        for prefix, step in _AT:
            if not 0 <= t + step < len(words):
                item["BOS" if step < 0 else "EOS"] = 1.0
                continue
            word = words[t + step]
            texts = {"word.lower": word.lower(), "word[-3:]": word[-3:], "word[-2:]": word[-2:]}
            flags = {name: getattr(word, name)() for name in ("isupper", "istitle", "isdigit")}
            for name, text in texts.items():
                item[f"{prefix}{name}={text}"] = 1.0
                item[f"{prefix}{name.replace('lower', 'lower()')}:{text}"] = 1.0
            for name, holds in flags.items():
                item[f"{prefix}word.{name}={holds}"] = 1.0
                item[f"{prefix}word.{name}()"] = float(holds)
        items.append(item)
    return items


_TUTORIALS = re.compile(r"([+-]1:)?word(\.lower(\(\))?|\[-[23]:\])[=:]")
_WORD = re.compile(r"(?:word|w\[0\]|w0|token|form)(?:\.lower(?:\(\))?)?[=:](.+)", re.IGNORECASE)


def word_of(item: Item) -> str:
    """The word that an item's attributes are about: as far as one of them says, else the first."""
    named = (match[1] for attribute in item if (match := _WORD.fullmatch(attribute)))
    return next(named, next(iter(item), "?"))


def first_items(content: bytes, name: str) -> list[Item]:
    r"""The items of the first sentence of a file in CRFsuite's format.

    In an attribute, a colon that is not before its value and a backslash are written "\:" and "\\".

    Raises:
        ModelFileError: It is not UTF-8, or a value is no number; the message begins with `name`.
    """
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"{name}: expected UTF-8 text, got {error.reason} at byte {error.start:,}"
        ) from error
    items: list[Item] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            _, *attributes = line.split("\t")
            items.append(dict(_attribute(text, f"{name}, line {number}") for text in attributes))
        elif items:
            break
    return items


_PARTS = re.compile(r"((?:[^:\\]|\\.)*)(?::(.*))?", re.DOTALL)


def _attribute(text: str, where: str) -> tuple[str, float]:
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise ModelFileError(f"{where}: expected an attribute, got {text[:40]!r}")
    try:
        value = 1.0 if parts[2] is None else float(parts[2])
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e9:
        raise ModelFileError(
            f"{where}: expected a number after the colon of {text[:40]!r}; a colon within an "
            "attribute is written \\:"
        )
    return re.sub(r"\\(.)", r"\1", parts[1]), value
