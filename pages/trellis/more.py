"""What stands behind "⋯" of the trellis."""

from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui.stage import take
from pages.trellis.beats import BEATS

LESSON = "trellis"


def show(state: State, beat: Beat) -> None:
    """Draw it for the state and the beat on screen."""
    take.show(LESSON, BEATS, beat, state, LessonText.of(LESSON))
