"""The API page, from the docstrings: `python docs/api.py FOLDER`, or `make docs`, to .docs.

It asks nothing of the network: pdoc's pages are whole.
"""

import sys
from pathlib import Path

import pdoc

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import crf

MODULES = [
    "crf",
    *(f"crf.{name}" for name in ("chain", "distribution", "constraints", "compat", "engines")),
    *(f"crf.{name}" for name in ("nn.module", "core.results", "trace")),
]


def main() -> None:
    """Write the pages."""
    for name in crf.__all__:  # pdoc looks into the module, where these are made when asked for
        setattr(crf, name, getattr(crf, name))
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".docs")
    pdoc.render.configure(docformat="google", show_source=True)
    pdoc.pdoc(*MODULES, output_directory=folder)
    print(folder / "crf.html")


if __name__ == "__main__":
    main()
