"""Everything that the hostile tests can try, and a table of what failed.

python -m tests.hostile [--part 1] [--starts 20] [--actions 5000] [--only forged,soak]
"""

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Callable, Iterator

from benchmarks.serving import FLAGS
from pages.shared.contents import COURSE, TEACHING
from tests.hostile import cold_start, crowds, files, hogs, lecture, looks, network
from tests.hostile.addresses import addresses
from tests.hostile.classes import a_class
from tests.hostile.forged import attack_page
from tests.hostile.soak import soak
from tests.hostile.watch import Tally, server

PAGES = [entry.address for entry in (*COURSE, *TEACHING)]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"


def forged(part: int) -> Iterator[Tally]:
    """Widgets, components and fields."""
    with server() as running:
        for page in PAGES:
            yield from asyncio.run(attack_page(running, page, part))


def looked_at(part: int) -> Iterator[Tally]:
    """Axe on every page in its states, in a Chromium."""
    from playwright.sync_api import sync_playwright

    screens = [(page, screen) for page in PAGES for screen in looks.SCREENS]
    with server() as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for address, screen in screens[::part]:
            yield looks.looks(browser, f"{running.url}/{address}", screen)
        browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", type=int, default=1, help="every so many-th try")
    parser.add_argument("--starts", type=int, default=20, help="cold starts")
    parser.add_argument("--actions", type=int, default=5000, help="of the soak")
    parser.add_argument("--only", default="", help="some of them, with commas between")
    options = parser.parse_args()

    def links() -> Iterator[Tally]:
        with server() as running:
            yield asyncio.run(addresses(running, options.part))

    def readers() -> Iterator[Tally]:
        with server() as running:
            yield asyncio.run(soak(running, options.actions))

    kinds: dict[str, Callable[[], Iterator[Tally]]] = {
        "cold": lambda: (cold_start.start() for _ in range(options.starts)),
        "addresses": links,
        "forged": lambda: forged(options.part),
        "class": lambda: a_class(options.part),
        "network": network.attacks,
        "files": lambda: (attack(options.part) for attack in files.EVERY),
        "crowds": crowds.attacks,
        "hogs": hogs.attacks,
        "lecture": lecture.attacks,
        "looks": lambda: looked_at(options.part),
        "soak": readers,
    }
    totals: dict[str, Tally] = {}
    for kind, tries in kinds.items():
        if kind not in (options.only.split(",") if options.only else kinds):
            continue
        start = time.monotonic()
        for tally in tries():
            total = totals.setdefault(tally.what, Tally(tally.what))
            total.tries += tally.tries
            total.failures += tally.failures
            for line in tally.failures:
                print(f"  {line[:300]}", flush=True)
        print(f"{kind}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    print(f"\n{'class':<14}{'tries':>8}{'failures':>10}")
    for total in totals.values():
        print(f"{total.what:<14}{total.tries:>8,}{len(total.failures):>10,}")
    failures = sum(len(total.failures) for total in totals.values())
    print(f"{'all':<14}{sum(t.tries for t in totals.values()):>8,}{failures:>10,}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
