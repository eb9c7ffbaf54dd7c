"""A slide of a lecturer's own: what its address says, and how that reads.

slide = Slide("Break", "Back at **ten**.", "Who has met HMMs?", "*yes")
Slide.from_query(slide.query()) == slide
"""

import base64
import hashlib
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from markdown_it import MarkdownIt

from pages.shared.course.problem_checks import refuse

RIGHT = "*"  # before the option that is right
LARGEST, WIDEST = 40_000_000, 960  # pixels: of a picture that is read, across one that is kept
LONGEST_IMAGE = 44_000  # bytes, written
_render = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").render


@dataclass(frozen=True)
class Slide:
    """A slide."""

    title: str = ""  # its heading
    # markdown; HTML in it is shown as text, and pictures from elsewhere are left out
    text: str = ""
    question: str = ""  # for the class; "": none
    options: str = ""  # what there is to choose from, one a line, `RIGHT` before the right one
    image: str = ""  # the name of its picture, which is kept beside the address; "": none

    @classmethod
    def from_query(cls, values: Mapping[str, str]) -> "Slide":
        """Return the slide of an address; other values of the address are left to others."""
        return cls(**{one.name: values.get(one.name, "") for one in fields(cls)})

    def query(self) -> dict[str, str]:
        """Return the values of its address; whoever presents it asks first."""
        values = {name: value for name, value in asdict(self).items() if value}
        return values | ({"guess": "1"} if self.choices else {})

    @property
    def html(self) -> str:
        """The text as HTML."""
        return _render(self.text)

    @property
    def choices(self) -> tuple[tuple[str, ...], int] | None:
        """The options and the index of the right one; None where it cannot be asked like this."""
        options, right = read_options(self.options)
        if not self.question.strip() or len(options) < 2 or len(right) != 1:
            return None
        return options, right[0]


def read_options(text: str) -> tuple[tuple[str, ...], list[int]]:
    r"""Return the options of a question, one a line, and the indices of those marked as right.

    >>> read_options("4\n * 16")
    (('4', '16'), [1])
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    right = [k for k, line in enumerate(lines) if line.startswith(RIGHT)]
    return tuple(line.removeprefix(RIGHT).strip() for line in lines), right


def image_of(content: bytes) -> str:
    """Return the picture in a PNG, JPEG, GIF or WebP file as a data URL of a small WebP file.

    Raises:
        ProblemError: It is none, or too large.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
            if picture.width * picture.height > LARGEST:
                size = f"{picture.width} × {picture.height}"
                raise refuse("picture", f"at most {LARGEST:,} pixels", size, "make it smaller")
            small = picture.convert("RGBA")
    except (OSError, SyntaxError, Image.DecompressionBombError):
        wanted = "a PNG, JPEG, GIF or WebP file"
        raise refuse("picture", wanted, "something else", "save it as one") from None
    for share in (1.0, 0.7, 0.5, 0.35, 0.25):
        small.thumbnail((round(WIDEST * share), round(WIDEST * share)))
        written = io.BytesIO()
        small.save(written, "WEBP", quality=75)
        if written.tell() <= LONGEST_IMAGE:
            break
    return f"data:image/webp;base64,{base64.b64encode(written.getvalue()).decode()}"


def name_of(image: str) -> str:
    """Return the name that an address has for a picture.

    >>> name_of("data:image/webp;base64,AA")
    '58c262841062'
    """
    return hashlib.sha256(image.encode()).hexdigest()[:12] if image else ""
