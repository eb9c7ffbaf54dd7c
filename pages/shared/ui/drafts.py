"""What is typed into fields, kept in the browser: a reload or a phone that sleeps loses none."""

from collections.abc import Mapping, Sequence

from crf.strict_json import JsonError, read_json
from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.state import SessionValue

_COMPONENT = component("draft", "pages/shared/ui/scripts/draft")
_HEARD = SessionValue("draft.{}.heard", False)  # whether the browser has said what it keeps
_FIELD = SessionValue("{}", "")  # of any page, by its key
_LARGEST = 50_000  # characters that a browser may say it keeps


def keep(name: str, fields: Mapping[str, Sequence[str] | None], longest: int = 60) -> None:
    """Fill the fields with what the browser has kept, and let it keep what they hold.

    `fields`: keys of fields for text; with what can be chosen, where it is a choice.
    """
    key, heard = f"draft.{name}", _HEARD.at(name)
    said = client_values.genuine(client_values.state(key, "kept"), client_values.text(_LARGEST))
    if said is not None and not heard.value:
        heard.set(True)
        for field, value in _read(said).items():
            options = fields.get(field, ())
            fits = len(value) <= longest if options is None else value in options
            if fits and not _FIELD.at(field).value:
                _FIELD.at(field).set(value)
    write = None
    if heard.value:
        write = {field: _FIELD.at(field).value for field in fields}
    _COMPONENT(key=key, data={"name": name, "write": write}, on_kept_change=lambda: None)


def _read(said: str) -> dict[str, str]:
    """The fields in it; none if it is not ours."""
    try:
        found = read_json(said, 4 * _LARGEST)
    except JsonError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str) and v and v.isprintable()}
