"""The scores of a state's base: a worked example, a table of scores, or a tagger's sentence."""

import re
import tomllib
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crf.figures.languages import language
from pages.shared.course import examples
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.right_to_left import has_right_to_left
from pages.shared.course.state import Base, Given, Reader
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.course.words import say
from pages.shared.ui import taggers

if TYPE_CHECKING:
    from torch import Tensor

    from crf.tagger.model_files import AnyTagger

_SENTENCES = Path(examples.__file__).with_name("sentences.toml")
USUAL = "bilstm"  # reads a sentence whose address names no tagger
LOCAL = (
    "local"  # reads what a visitor types: one word at a time, so that neighbours make a difference
)
HAND = "hand"
_UNSPACED = 4  # Chinese characters of one word: likely several words without blanks
_FEW_LETTERS = 6  # of a script never seen, as examples
_SPLIT = re.compile(r"(?:^|\s)[.,;:!?](?=\s|$)")  # punctuation that stands alone


class SentenceExample(NamedTuple):
    """An example sentence of the front page, and the shipped tagger that reads it."""

    sentence: str
    tagger: str


SENTENCES = {
    name: SentenceExample(**row)
    for name, row in tomllib.loads(_SENTENCES.read_text(encoding="utf-8")).items()
}
FIRST = next(iter(SENTENCES))


HANDED: dict[tuple[str, str, str], Given] = {}  # by sentence, tagger and spaces: see `lectures.py`


def give(base: Base) -> Given:
    """The scores of a base; if it names nothing, the first example's.

    Raises:
        ProblemError: There is no such example or tagger, or no word to tag.
    """
    if base.table is not None:
        return Given(base.table, HAND)
    if handed := HANDED.get((base.sentence, base.tagger, base.spaces)):
        return handed
    if base.example in examples.EXAMPLES:
        return Given(examples.EXAMPLES[base.example].problem, HAND)
    if base.example and base.example not in SENTENCES:
        raise ProblemError(say("state.no-example", name=base.example[:40]))
    first = SENTENCES[base.example or FIRST]
    if base.example or not base.sentence:
        return _read(first.sentence, base.tagger or first.tagger, base.spaces, language())
    return _read(base.sentence, base.tagger or USUAL, base.spaces, language())


@lru_cache(maxsize=64)
def _read(text: str, key: str, spaces: str, _speak: str) -> Given:
    """Have a tagger score a sentence; what is wrong with it is said in the reader's language."""
    fault, whole = "", text
    if len(text) > taggers.MAX_CHARACTERS:
        text = text[: taggers.MAX_CHARACTERS]
        fault = say("state.cut", n=len(whole), most=taggers.MAX_CHARACTERS)
    try:
        tagger = taggers.get(key)
        tokens = split(text, key, spaces)
        if not tokens:
            raise ProblemError(say("state.no-words"))
        if len(tokens) > taggers.MAX_TOKENS:
            fault = say("state.long", n=len(tokens), most=taggers.MAX_TOKENS)
            tokens = tokens[: taggers.MAX_TOKENS]
        fault = fault or _unseen(tagger, key, tokens)
        if has_right_to_left(tokens[0]):
            fault = f"{fault} {say('state.right-to-left')}".lstrip()
        chain = tagger.chain([tokens], backend="plain")
        unknown = tuple(tagger.unknown(tokens))
    except ModelRefusedError:
        raise ProblemError(say("state.no-tagger", name=key[:40])) from None
    except ValueError as error:  # of a model that reads fewer words
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(f"{error}.") from None
    problem = Problem.from_chain(chain, tagger.tags, tokens)
    return Given(problem, key, unknown, fault, _reader(key, tokens))


def _unseen(tagger: "AnyTagger", key: str, tokens: list[str]) -> str:
    """What to say of a script that the tagger's training had no letter of."""
    from crf.tagger.unseen import letters_of, unseen_scripts

    text = "".join(tokens)
    if not (unseen := unseen_scripts(tagger, text)):
        return ""
    letters = letters_of(text, unseen)[:_FEW_LETTERS]
    is_english = key in taggers.shipped_entries()
    if is_english and any(len(letters_of(token, ["CJK"])) >= _UNSPACED for token in tokens):
        some = "".join(f"“{letter}”" for letter in letters[:3])
        return say("state.unseen-unspaced", letters=some)
    return say("state.unseen-english" if is_english else "state.unseen", letters=letters)


def _reader(key: str, tokens: list[str]) -> Reader:
    if key == LOCAL:
        return Reader(alone=_scores_alone)
    if key != USUAL:
        return Reader()

    right = {}
    for name in (LOCAL, USUAL):
        card = taggers.metrics(name) or {}
        if twin := card.get("softmax"):
            right[name] = (twin["sentence_accuracy"], card["sentence_accuracy"])
    return Reader(None, partial(_word_by_word, tuple(tokens)), right)


@lru_cache(maxsize=64)
def _word_by_word(tokens: tuple[str, ...]) -> "Tensor":
    """Marginals [L, S] by the tagger that reads one word at a time."""
    return taggers.get(LOCAL).chain([list(tokens)]).marginals[0]


@lru_cache(maxsize=8)
def _scores_alone(words: tuple[str, ...]) -> list[list[float]]:
    """Scores [n][S] of words, each read by itself."""
    chain = taggers.get(LOCAL).chain([[word] for word in words], backend="plain")
    return chain.potentials.emissions[:, 0].tolist()


def split(text: str, key: str, spaces: str = "") -> list[str]:
    """The words of a sentence: by the tagger, or at spaces where it looks split already."""
    from crf.tagger.model_files import words_of

    by_spaces = spaces == "1" or (spaces == "" and bool(_SPLIT.search(text)))
    return words_of(taggers.get(key), text, by_spaces=by_spaces)
