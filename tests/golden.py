"""What figures of lessons without a stage are sent, in a few states, as digests to compare.

python -m tests.golden          writes tests/golden.json anew
python -m tests.golden DIR      writes the payloads themselves there, to be compared by `diff -r`
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from pages import beats
from pages.shared import contents
from pages.shared.ui.component_data import parts
from tests.apps import opened

FILE = Path(__file__).with_suffix(".json")
EXAMPLES = ("old-man", "bio", "no-path")
VOLATILE = {"serial", "live", "client", "source", "sent", "words", "save"}
MEASURED = {  # on this machine: how fast it is, what a network computes in float32
    ("cost", "drawing"),
    ("tagger", "beat"),
}


def states() -> dict[str, tuple[str, dict[str, str]]]:
    """The pages and their addresses, by name."""
    lessons = [e.address for e in contents.COURSE if e.folder not in (*beats.LESSONS, "glossary")]
    return {f"{lesson} {name}": (lesson, {"ex": name}) for lesson in lessons for name in EXAMPLES}


def payloads(address: str, query: dict[str, str]) -> dict[str, Any]:
    """What the figures of a page are sent, by the name of the component and its place."""
    app = opened(address, **query)
    assert not app.exception
    guess = [button for button in app.button if button.label == "Just show me"]
    if guess:
        guess[0].click().run()
    found: dict[str, Any] = {}

    def walk(node: Any) -> None:
        if node.type == "bidi_component":
            name = node.proto.component_name.split(".")[-1]
            place = sum(other.startswith(f"{name} ") for other in found)
            if (address, name) not in MEASURED:
                found[f"{name} {place}"] = plain(decoded(node.proto))
        for child in getattr(node, "children", {}).values():
            walk(child)

    walk(app._tree)
    return found


def decoded(proto: Any) -> Any:
    """The data of a component; where they are packed, the values of both parts."""
    first, *more = parts(proto.bytes)
    return [value for part in (first, *more) for value in part.values()] if more else first


def plain(value: Any) -> Any:
    """The same without what differs from run to run, numbers to six significant digits."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k not in VOLATILE}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return float(f"{value:.6g}") + 0.0 if isinstance(value, float) else value


def digest(payload: Any) -> str:
    """Sixteen letters that change with the payload."""
    text = json.dumps(payload, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def main(folder: Path | None) -> None:
    """Write the digests, or the payloads."""
    digests = {}
    for state, where in states().items():
        found = payloads(*where)
        digests[state] = {name: digest(payload) for name, payload in found.items()}
        if folder is not None:
            for name, payload in found.items():
                text = json.dumps(payload, sort_keys=True, ensure_ascii=False, indent=1)
                (folder / f"{state} {name}.json").write_text(text, encoding="utf-8")
    if folder is None:
        FILE.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
