"""Build the C kernels, once for each width of vectors, where there is a compiler for them.

All else is in pyproject.toml. An extension that cannot be built is left out: the plain code gives
the same results. `python -m crf doctor` says which code computes, and why.
"""

import platform
import shutil
import sys
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

WIDTHS = {"chains": []}
if platform.machine().lower() in ("x86_64", "amd64"):
    WIDTHS["chains_avx2"] = ["-mavx2", "-mfma"]
    WIDTHS["chains_avx512"] = [
        *("-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mfma"),
        "-mprefer-vector-width=512",
    ]
FLAGS = ["-std=gnu11", "-O3", "-fno-math-errno", "-fno-trapping-math"]
WARNINGS = ["-Wno-psabi"]  # vectors are passed within this file only


class BuildLibrary(build_ext):
    """A library that is no module; on Windows by clang-cl: Microsoft's compiler has no vectors."""

    def get_export_symbols(self, ext: Any) -> list[str]:
        """What Windows' linker shall show; by default a function that makes a module of it."""
        return ["crf_answer", "crf_finish", "crf_look", "crf_call_size"]

    def build_extensions(self) -> None:
        if sys.platform == "win32" and self.compiler.compiler_type == "msvc":
            self.compiler.initialize()
            self.compiler.cc = shutil.which("clang-cl") or self.compiler.cc
        super().build_extensions()


def flags(widths: list[str]) -> list[str]:
    """The compiler's options; clang-cl takes those of Clang after /clang:."""
    if sys.platform == "win32":
        return ["/O2", *(f"/clang:{flag}" for flag in [*FLAGS[1:], *widths])]
    return [*FLAGS, *WARNINGS, *widths]


setup(
    cmdclass={"build_ext": BuildLibrary},
    ext_modules=[
        Extension(
            f"crf.kernels.{name}",
            ["crf/kernels/chains.c"],
            extra_compile_args=flags(widths),
            libraries=[] if sys.platform == "win32" else ["m"],
            py_limited_api=True,  # it knows nothing of Python: one wheel serves all versions
            optional=True,
        )
        for name, widths in WIDTHS.items()
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
