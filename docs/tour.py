"""Film the running app for the README: a WebP of about ten seconds.

    python -m docs.tour [FILE]

Starts the app, plays `MOVES` in a headless Chromium and writes assets/tour.webp. A move is a
function that takes the film and leaves the page as the next move expects it.
"""

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Locator, Page

from benchmarks.browsing import open_page, warm_app
from benchmarks.serving import ROOT

WIDTH, HEIGHT, SCALE = 1280, 720, 1.0  # CSS pixels, and pixels of the film for each of them
FRAME = 0.08  # seconds that a frame of a movement is shown
LARGEST = 3_000_000  # bytes
ARROW = [(0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12)]  # the mouse pointer


class Film:
    """Frames of one page, with a mouse pointer, which a headless browser does not draw."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.frames: list[Image.Image] = []
        self.milliseconds: list[int] = []
        self.pointer = (WIDTH * 0.6, HEIGHT * 0.9)

    def hold(self, seconds: float) -> None:
        """Show what is on screen for so long; a frame equal to the last one lengthens that one."""
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        x, y = self.pointer
        shape = [(SCALE * (x + dx), SCALE * (y + dy)) for dx, dy in ARROW]
        ImageDraw.Draw(picture).polygon(shape, fill="white", outline="black", width=2)
        if self.frames and picture.tobytes() == self.frames[-1].tobytes():
            self.milliseconds[-1] += round(1000 * seconds)
        else:
            self.frames.append(picture)
            self.milliseconds.append(round(1000 * seconds))

    def watch(self, seconds: float) -> None:
        """Film what moves by itself, in real time."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            self.hold(0)
            self.milliseconds[-1] += round(1000 * (time.monotonic() - now))

    def point(self, x: float, y: float, frames: int = 6) -> None:
        """Move the pointer in a straight line."""
        (from_x, from_y) = self.pointer
        for k in range(1, frames + 1):
            self.pointer = from_x + (x - from_x) * k / frames, from_y + (y - from_y) * k / frames
            self.page.mouse.move(*self.pointer)
            self.hold(FRAME)

    def centre(self, part: Locator) -> tuple[float, float]:
        """Where a part of the page is."""
        part.wait_for()
        box = part.bounding_box()
        assert box is not None, part
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def click(self, part: Locator) -> None:
        """Move the pointer to a part and click it."""
        self.point(*self.centre(part))
        self.page.mouse.click(*self.pointer)

    def drag(self, part: Locator, dx: float, dy: float, frames: int = 16) -> None:
        """Press on a part, pull it so far, and let it go."""
        x, y = self.centre(part)
        self.point(x, y)
        self.page.mouse.down()
        self.point(x + dx, y + dy, frames)
        self.page.mouse.up()

    def press(self, key: str, times: int, seconds: float) -> None:
        """Press a key so often, and show each answer for so long."""
        for _ in range(times):
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(400)  # until it is drawn
            self.hold(seconds)


def sentence(film: Film) -> None:
    """The pad's dot travels from “each word alone” to “with its neighbours”: a tag flips."""
    page = film.page
    open_page(page, f"{film.url}/?lambda=0")
    page.locator("[data-figure=flow] g.block").first.wait_for()
    page.wait_for_timeout(1000)
    film.hold(1.2)
    film.drag(page.locator("[data-lambda]"), 248, 0, frames=24)
    film.page.wait_for_timeout(600)
    film.hold(1.6)


def viterbi(film: Film) -> None:
    """Four cells of the trellis, one after the other; then the others, faster."""
    page = film.page
    open_page(page, f"{film.url}/viterbi?step=7")
    page.locator("[data-figure=trellis] [data-token]").first.wait_for()
    page.wait_for_timeout(1000)
    film.hold(0.8)
    film.press("ArrowRight", 4, 0.6)
    film.press("ArrowRight", 9, 0.15)


def score(film: Film) -> None:
    """A transition score is dragged downwards, and the best path changes."""
    open_page(film.page, f"{film.url}/viterbi?step=11")
    film.drag(film.page.locator('[data-score="t:NOUN:VERB"]').first, 0, 80)
    film.page.wait_for_timeout(600)
    film.hold(1.5)


MOVES: list[Callable[[Film], None]] = [sentence, viterbi, score]


def main(target: Path) -> None:
    """Film all moves, and write them as a WebP that starts again at its end."""
    with warm_app() as (browser, url):
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=SCALE,
            color_scheme="light",
        )
        film = Film(page, url)
        for move in MOVES:
            move(film)
        page.close()
    first, *others = film.frames
    first.save(
        target,
        save_all=True,
        append_images=others,
        duration=film.milliseconds,
        loop=0,
        quality=70,
        method=6,
    )
    size, seconds = target.stat().st_size, sum(film.milliseconds) / 1000
    print(f"{target}: {len(film.frames)} frames, {seconds:.1f} s, {size / 1e6:.2f} MB")
    if size > LARGEST:
        raise SystemExit(f"{target}: expected at most {LARGEST / 1e6:g} MB; leave out a move")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "assets" / "tour.webp")
