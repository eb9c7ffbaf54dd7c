"""The readings that the reader has pinned, to compare later ones with: in session and address."""

from typing import NamedTuple

from crf.tagger import ModelFileError
from pages.shared.course.uploaded_models import ModelRefusedError
from pages.shared.figures import theme
from pages.shared.figures.analysis import Analysis
from pages.shared.figures.text import Case, Items, LessonText, case
from pages.shared.ui import fixed_tags, state, taggers
from pages.shared.ui.state import SessionValue, complain

ADDRESS = "pin"  # "bilstm!2.3~4.0!They fish.": tagger, held tags, sentence


class Pinned(NamedTuple):
    """Readings that the reader has pinned to compare later ones with."""

    about: Case  # what they are: a case of text.md
    analysis: Analysis  # their record
    address: str  # the same for an address: tagger, held tags, sentence


PINNED = SessionValue[Pinned | None]("tag.pinned", None, kind=Pinned)


def of(tagger: str, analysis: Analysis, text: str) -> Pinned:
    """What is on screen, to be pinned."""
    return Pinned(about(analysis, tagger), analysis, f"{tagger}!{held(analysis.fixed)}!{text}")


def held(fixed: tuple[int, ...]) -> str:
    """Tags set by hand, as an address has them."""
    return fixed_tags.to_text({t: s for t, s in enumerate(fixed) if s >= 0})


def current() -> Pinned | None:
    """What is pinned, by the session or, at its start, by the address, which is kept up to date."""
    if not PINNED.is_set:
        PINNED.set(_from_address())
    pinned = PINNED.value
    state.publish_one(ADDRESS, pinned.address if pinned else "")
    return pinned


def about(analysis: Analysis, tagger: str) -> Case:
    """What is on screen: the tagger, the sentence, what is held."""
    at = [
        case("pins.at", word=theme.shorten(token), tag=analysis.tags[tag])
        for token, tag in zip(analysis.tokens, analysis.fixed, strict=True)
        if tag >= 0
    ]
    words = theme.shorten(" ".join(analysis.tokens), 60)
    facts = {"words": words, "tagger": taggers.name_of(tagger)}
    return case("pins.held", **facts, held=Items(at)) if at else case("pins.free", **facts)


def _from_address() -> Pinned | None:
    asked = state.asked(ADDRESS)
    if not asked:
        return None
    tagger, _, rest = asked.partition("!")
    tags, _, text = rest.partition("!")
    try:
        if tagger not in taggers.choices() or len(text) > taggers.MAX_CHARACTERS:
            raise ModelRefusedError("no such tagger")
        model = taggers.get(tagger)
        tokens = tuple(taggers.tokens_of(model, text))
        fixed = fixed_tags.from_text(tags, model.tags, tokens)
        if not 0 < len(tokens) <= taggers.MAX_TOKENS or fixed is None:
            raise ModelRefusedError("no such sentence")
        indices = tuple(fixed.get(t, fixed_tags.FREE) for t in range(len(tokens)))
        found = taggers.analysis(tagger, model, tokens, indices)
        if not found.is_feasible:
            raise ModelRefusedError("no sequence has these tags")
    except (ModelRefusedError, ModelFileError):
        complain(LessonText.of("tag").line("message.no-pin", asked=asked[:40]))
        return None
    return of(tagger, found, text)
