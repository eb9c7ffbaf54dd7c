"""What the browser tests run in a page: a file for each script."""

from pathlib import Path


def script(name: str) -> str:
    """The script of that name, as `page.evaluate` takes it."""
    return Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8").removesuffix("\n")
