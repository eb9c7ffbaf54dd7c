"""What now?: when a CRF is worth it, and the questions that the course has answered."""

from pathlib import Path
from typing import Any

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_score, with_percent
from pages.shared.contents import COURSE, STORY
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat, lesson
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui import taggers
from pages.shared.ui.server_path import root

TEXT = Path(__file__).with_name("beats.md")
LAYER = Path(__file__).with_name("layer.txt")
USUAL = EXAMPLES["old-man"].problem
QUESTIONS = (  # the beats that answer them, in the order of the course
    ("trellis", "bet"), ("trellis", "path"), ("trellis", "regroup"), ("trellis", "logz"),
    ("trellis", "mind"), ("trellis", "meet"), ("learning", "counts"), ("stability", "subtract"),
    ("stability", "forbidden"), ("batches", "same"), ("constraints", "broken"), ("graphs", "bias"),
)  # fmt: skip
LITTLE, MUCH = 2.0, 5.0  # percentage points that a CRF adds: hardly worth it; worth it


def word(name: str, **facts: Any) -> str:
    """A word of the picture."""
    return BeatText.load(TEXT).plain(f"word-{name}", facts)


def _count(n: int) -> str:
    return decimal(f"{n:,}")


def _percent(share: float) -> float:
    """As it is shown, so that differences are those of the numbers on screen."""
    return round(100 * share, 1)


def measured() -> list[dict[str, Any]]:
    """The shipped networks with a softmax for each word and with a CRF, by their model cards.

    Returns:
        Of each its name, both shares in percent, and what else its line says; [] without taggers.
    """
    rows: list[dict[str, Any]] = []
    for name in ("local", "bilstm"):
        card = taggers.metrics(name) or {}
        if twin := card.get("softmax"):
            pair = twin["sentence_accuracy"], card["sentence_accuracy"]
            rows.append({"name": name, "pair": [_percent(share) for share in pair]})
    ours, twin = taggers.metrics("ner"), taggers.metrics("ner-softmax")
    if ours and twin:
        pair = [_percent(card["span_f1"]) for card in (twin, ours)]
        cut = _percent(twin["spans"]["viterbi_constrained"]["span_f1"])
        broken = ours["invalid_tags"], twin["invalid_tags"]
        rows.append({"name": "names", "pair": pair, "cut": cut, "broken": broken})
    return rows


def _gain(before: float, after: float) -> str:
    text = format_score(after - before, 1)
    return text if after < before else f"+{text}"


def _pairs() -> list[Payload]:
    pairs = []
    for row in measured():
        before, after = row["pair"]
        name, facts = row["name"], {"gain": _gain(before, after), "hardly": 0, "obeys": 0}
        facts["hardly"] = int(0 <= after - before < LITTLE)
        if name == "names":
            facts |= {"alone": _gain(before, row["cut"]), "obeys": int(row["broken"][0] == 0)}
        unit = str if name == "names" else with_percent
        pairs.append(
            {
                "name": word(f"{name}"),
                "measure": word(f"{name}-measure"),
                "values": [before, after],
                "texts": [unit(decimal(f"{value:.1f}")) for value in (before, after)],
                "gain": BeatText.load(TEXT).plain(f"gain-{name}", facts),
            }
        )
    return pairs


def address(folder: str, beat: str) -> str:
    """The address of a beat: of a door, where it opens that beat."""
    doors = [one for one in (*COURSE, STORY) if one.folder == folder]
    door = next((one for one in doors if one.beat == beat), None)
    return door.address if door else f"{doors[-1].address}?beat={beat}"


def _questions(_state: State) -> Payload:
    S, m = len(USUAL.tags), len(USUAL.tokens)
    facts = {"sums": _count(S * S * (m - 1)), "paths": _count(S**m)}
    questions = [
        {
            "text": word(f"{folder}-{beat}", **facts),
            "lesson": folder,
            "beat": beat,
            "href": root() + address(folder, beat),
            "keeps": "lang",  # the questions are about the usual example
        }
        for folder, beat in QUESTIONS
    ]
    sentences = (taggers.metrics("bilstm") or {}).get("sentences")
    return {
        "pairs": _pairs(),
        "legend": [word("softmax"), word("crf")],
        "source": {
            "text": word("source", n=_count(sentences)) if sentences else "",
            "href": root() + address("words", "good"),
            "keeps": "lang",
        },
        "asks": word("asks", n=word("number", n=len(QUESTIONS))),
        "questions": questions,
        "ways": [
            _way("own", root() + "check"),
            _way("library", "", LAYER.read_text(encoding="utf-8")),
            _way("sheet", root() + "sheet"),
        ],
        "copied": word("copied"),
        "answered": word("answered"),
    }


def _way(name: str, href: str, copies: str = "") -> Payload:
    words = {part: word(f"{name}-{part}") for part in ("title", "about", "does")}
    return words | {"name": name, "href": href, "code": copies, "keeps": "lang"}


def _facts(_state: State, _step: int) -> dict[str, Any]:
    gains = {row["name"]: row["pair"][1] - row["pair"][0] for row in measured()}
    return {
        "there": len(gains),
        "blind": int(gains.get("local", 0) >= MUCH),
        "fits": int(gains.get("names", 0) > gains.get("bilstm", 0)),
    }


BEATS = lesson(
    "now",
    TEXT,
    Beat("questions", drawn=_questions, facts=_facts, slot="first"),
    chooses=False,
)
