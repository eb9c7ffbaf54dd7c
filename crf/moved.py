"""Former paths of modules, for models that were saved whole: a pickle names its classes by path.

Each is imported from its present place when somebody asks for it, and is then the same module.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {  # former path → present path
    "crf.conventions": "crf.steps.conventions",
    "crf.losses": "crf.nn.losses",
    "crf.module": "crf.nn.module",
    "crf.potentials": "crf.core.potentials",
    "crf.recursions": "crf.core.recursions",
    "crf.results": "crf.core.results",
    "crf.scan": "crf.core.scan",
}


class FormerPaths(MetaPathFinder, Loader):
    """Finds the modules of `MOVED`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a former path leads: to this loader."""
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module itself into the place of the empty one that Python made."""
        sys.modules[module.__name__] = import_module(MOVED[module.__name__])
