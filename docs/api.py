"""The API pages, from the docstrings, to docs/api or to a folder: `python docs/api.py [FOLDER]`.

They ask nothing of the network: pdoc's pages are whole.
"""

import sys
from importlib import import_module
from pathlib import Path

import pdoc
import pdoc.render

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
MODULES = ("compat", "figures", "lab", "tagger", "trace", "distribution")  # the last: a base class
PUBLIC = ["crf", *(f"crf.{name}" for name in MODULES)]


def main() -> None:
    """Write the pages."""
    for module in map(import_module, PUBLIC):
        for name in getattr(module, "__all__", ()):  # pdoc looks into the module, where some are
            setattr(module, name, getattr(module, name))  # made when asked for
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "api"
    pdoc.render.configure(docformat="google", show_source=False)
    pdoc.pdoc(*PUBLIC, r"!crf\.figures\.", output_directory=folder)
    print(folder / "crf.html")


if __name__ == "__main__":
    main()
