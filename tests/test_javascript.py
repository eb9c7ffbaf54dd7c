"""Each component's script, put together as it is served, has no undeclared or unused name."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pages.shared.contents import ROOT
from pages.shared.ui.component import borrowed, module_of

FOLDERS = sorted(path.name for path in (ROOT / "assets" / "components").iterdir() if path.is_dir())
RULES = {
    "env": {"browser": True, "es2024": True},
    "categories": {"correctness": "error"},
    "rules": {"no-undef": "error", "no-redeclare": "error", "no-unused-vars": "error"},
    "ignorePatterns": [],
}


def complaints(script: str, folder: Path, shared: int = 0) -> list[str]:
    """What the linter says of a script, but for unused helpers in its first `shared` lines."""
    (folder / "rules.json").write_text(json.dumps(RULES), encoding="utf-8")
    (folder / "component.js").write_text(script, encoding="utf-8")
    command = [shutil.which("oxlint") or "oxlint", "-c", "rules.json", "-f", "json", "component.js"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["diagnostics"]
    return [
        f"line {label['span']['line']}: {one['message']}"
        for one in found
        for label in one["labels"][:1]
        if not (one["code"] == "eslint(no-unused-vars)" and label["span"]["line"] <= shared)
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_component_has_no_undeclared_or_unused_name(folder, tmp_path):
    shared = "\n".join(path.read_text(encoding="utf-8") for path in borrowed(folder))
    assert complaints(module_of(folder), tmp_path, len(shared.splitlines())) == []


def test_the_linter_finds_what_it_looks_for(tmp_path):
    assert complaints("export default function () { return nothing; }", tmp_path)
