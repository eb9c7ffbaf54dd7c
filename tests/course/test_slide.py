"""A slide of a lecturer's own: what its address carries, what it may not bring in."""

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image

from pages.shared.course.lecture import Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.slide import LONGEST_IMAGE, WIDEST, Slide, image_of, name_of

some_slides = some.builds(Slide, *(some.text(max_size=40) for _ in range(5)))


@given(some_slides)
def test_its_address_gives_it_back(slide):
    assert Slide.from_query(slide.query() | {"ex": "bio", "screen": "1"}) == slide


@pytest.mark.parametrize(
    ("question", "options", "choices"),
    [
        ("Which?", "this\n* that\n\n", (("this", "that"), 1)),
        ("Which?", "this\nthat", None),
        ("Which?", "*this\n*that", None),
        (" ", "this\n*that", None),
    ],
)
def test_what_it_asks(question, options, choices):
    slide = Slide("t", question=question, options=options)
    assert slide.choices == choices
    assert slide.query().get("guess", "") == "1" * bool(choices)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a** < b", "<strong>a</strong> &lt; b"),
        ("<script>x</script>", "&lt;script&gt;"),
        ("![x](https://example.org/x.png)", '!<a href="https://example.org/x.png">x</a>'),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
    ],
)
def test_its_text_is_markdown_that_loads_and_runs_nothing(text, html):
    shown = Slide(text=text).html
    assert html in shown
    assert not any(tag in shown for tag in ("<script", "<img", 'href="javascript'))


def picture(width, height, kind, noise=False):
    made = Image.new("RGB", (width, height), "red")
    if noise:
        made.frombytes((bytes(range(256)) * (width * height))[: width * height * 3])
    out = io.BytesIO()
    made.save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize(
    ("width", "height", "kind", "noise"),
    [(40, 30, "PNG", False), (3000, 20, "JPEG", False), (1600, 1200, "PNG", True)],
)
def test_a_picture_is_kept_small(width, height, kind, noise):
    kept = image_of(picture(width, height, kind, noise))
    content = base64.b64decode(kept.partition(",")[2])
    assert len(content) <= LONGEST_IMAGE
    with Image.open(io.BytesIO(content)) as read:
        assert read.width <= WIDEST
        assert read.width / read.height == pytest.approx(width / height, rel=0.2)
    assert Stop("slide", "", "t", image=kept).image == kept
    assert len(name_of(kept)) == 12


def test_what_is_no_picture_is_refused():
    for content in (b"", b"<svg onload='x'/>", picture(4, 4, "BMP")):
        with pytest.raises(ProblemError, match="expected a PNG, JPEG, GIF or WebP file"):
            image_of(content)
    for image in ("https://example.org/x", "data:text/html;base64,AA", 3):
        with pytest.raises(ProblemError, match="image: expected a small WebP picture"):
            Stop("slide", "", "t", image=image)
