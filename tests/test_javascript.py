"""Scripts: no undeclared or unused name, no import of what is not there, none in a circle."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from crf.figures import modules
from pages.shared.contents import ROOT

SCRIPTS = sorted(
    path
    for name in ("crf/figures", "pages")
    for path in (ROOT / name).rglob("*.js")
    if path.parent != modules.HOSTS  # they are put after the loader
)
RULES = {
    "plugins": ["import"],
    "env": {"browser": True, "es2024": True},
    "categories": {"correctness": "error"},
    "rules": {
        "no-undef": "error",
        "no-redeclare": "error",
        "no-unused-vars": "error",
        "import/named": "error",
        "import/no-cycle": "error",
    },
    "ignorePatterns": [],
}


def complaints(folder: Path, *paths: Path) -> list[str]:
    """What the linter says of scripts."""
    rules = folder / "rules.json"
    rules.write_text(json.dumps(RULES), encoding="utf-8")
    command = [shutil.which("oxlint") or "oxlint", "-c", str(rules), "-f", "json", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["diagnostics"]
    return [f"{one['filename']}: {one['message']}" for one in found]


def test_no_script_has_an_undeclared_or_unused_name(tmp_path):
    assert len(SCRIPTS) > 40
    assert complaints(tmp_path, *SCRIPTS) == []


@pytest.mark.parametrize("host", ["unzipped.js file.js", "notebook.js"])
def test_no_host_has_an_undeclared_or_unused_name(host, tmp_path):
    (tmp_path / "host.js").write_text(modules.host(*host.split()), encoding="utf-8")
    assert complaints(tmp_path, tmp_path / "host.js") == []


SETTINGS = {
    "allowJs": True,
    "checkJs": True,
    "noEmit": True,
    "strict": False,
    "skipLibCheck": True,
    "target": "es2022",
    "module": "esnext",
    "types": [],
    "lib": ["es2022", "dom", "dom.iterable"],
}


def type_faults(folder: Path, paths: list[Path]) -> list[str]:
    """What TypeScript's compiler says of scripts."""
    files = [ROOT / "tests/browsers.d.ts", *paths]
    settings = {"compilerOptions": SETTINGS, "files": [str(path) for path in files]}
    (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [shutil.which("tsc") or "tsc", "-p", str(folder / "tsconfig.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "error TS" in line]


@pytest.mark.thorough  # `make lint` and continuous integration run it, beside Python's types
def test_types_of_names_imports_and_arguments(tmp_path):
    if not shutil.which("tsc"):
        absent = pytest.fail if os.environ.get("CI") else pytest.skip
        absent("no tsc (on Debian: apt-get install node-typescript)")
    assert type_faults(tmp_path, SCRIPTS) == []


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
def test_a_saved_figures_name_keeps_the_letters_of_every_script():
    module = (ROOT / "crf/figures/shared/save.js").as_uri()
    code = f'import {{ fileName }} from "{module}";console.log(fileName("Βήμα 1: они/рыба हिन्दी"));'
    command = ["node", "--input-type=module", "-e", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "βήμα-1-они-рыба-हिन्दी"
