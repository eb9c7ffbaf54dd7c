"""Which words may be swapped in at a place of a sentence, so that it stays an English sentence.

A few safe places only: a noun after its determiner that no verb follows, and a verb whose subject
and object are plain.
"""

from collections.abc import Sequence

_DETERMINERS = {"a", "the", "this", "my", "your", "his", "her", "its", "our", "their", "every"}
_OF_MANY = _DETERMINERS - {"a", "this", "every"} | {"these", "those"}
_NOT_BY_S = {"people", "children", "men", "women", "feet", "teeth", "police", "news"}
_SUBJECTS = {"i", "you", "we", "they"}
_MODALS = {"will", "would", "can", "could", "may", "might", "must", "should", "shall"}
_NEGATED = {"do", "did", "ca", "wo", "could", "would", "should"}  # before n't
_OBJECTS = {"me", "him", "it", "us", "them", "you"}
_OPEN = {"what", "which", "who", "whom", "that"}  # may be the verb's own object
_AFTER = {"", "PUNCT", "ADP", "ADV", "CCONJ"}  # what a whole phrase may be followed by


def kind(tokens: Sequence[str], tags: Sequence[str], t: int) -> str:
    """What may stand instead of a word: a key of `surprises.swaps()`; "" for nothing."""
    words = [token.lower() for token in tokens]
    if tags[t] == "NOUN":
        return _noun(words, tags, t)
    if tags[t] != "VERB" or words[t].endswith("ing") or _OPEN & set(words[:t]):
        return ""
    form = _form(words, tags, t)
    place = _object(words, tags, t) if form is not None else ""
    return f"{place}{form}" if place else ""


def _noun(words: Sequence[str], tags: Sequence[str], t: int) -> str:
    first = t - 2 if t > 1 and tags[t - 1] == "ADJ" else t - 1
    after = tags[t + 1] if t + 1 < len(tags) else ""
    if first < 0 or words[t] in _NOT_BY_S or after in ("NOUN", "PROPN", "VERB", "AUX"):
        return ""
    if not words[t].endswith("s"):
        return "singular" if words[first] in _DETERMINERS else ""
    of_one = words[t].endswith(("ss", "us", "is"))
    return "plural" if words[first] in _OF_MANY and not of_one else ""


def _form(words: Sequence[str], tags: Sequence[str], t: int) -> str | None:
    """The ending of the verb that its subject asks for; None where that is not plain."""
    if t == 0:
        return ""
    before = words[t - 1]
    if before in _SUBJECTS | _MODALS or (before, tags[t - 1]) == ("to", "PART"):
        return ""
    if before in ("n't", "not") and t > 1 and words[t - 2] in _NEGATED:
        return ""
    is_name = set(tags[:t]) == {"PROPN"}
    is_thing = t == 2 and _noun(words, [*tags[:2], ""], 1) == "singular"
    is_one = before in ("he", "she", "it") or is_name or is_thing
    return "-s" if is_one and "AUX" not in tags[:t] else None


def _object(words: Sequence[str], tags: Sequence[str], t: int) -> str:
    """Whether the verb has an object."""
    after = tags[t + 1] if t + 1 < len(tags) else ""
    if after in _AFTER:
        return "without" if words[t + 1 : t + 2] not in (["how"], ["why"]) else ""
    if {"VERB", "AUX", "SCONJ"} & set(tags[t + 1 :]):
        return ""
    own = words[t + 1]
    if own in _OBJECTS:
        return "with" if t + 2 == len(tags) or tags[t + 2] in _AFTER else ""
    inner = zip(tags[t + 1 :], tags[t + 2 :], strict=False)
    if any(a in ("NOUN", "PROPN", "PRON") and b in ("DET", "PRON") for a, b in inner):
        return ""  # two objects
    return "with" if after in ("DET", "PROPN") or own in _DETERMINERS else ""
