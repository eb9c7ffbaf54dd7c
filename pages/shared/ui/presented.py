"""What happens when a stop of a lecture is shown to a class."""

from pages.shared.course.lecture import Stop
from pages.shared.course.start_options import given


def present(stop: Stop, number: int, moves: int, blank: bool) -> None:
    """Called when a stop is shown, and when it has moved on: another step, other scores.

    Args:
        stop: As it stands on the screen: its query is the address that shows the same.
        number: Of the stop, from 0.
        moves: How often the window has been moved on.
        blank: Whether the screen is blank; then nobody is sent anywhere.
    """
    if given().room and not blank:
        from pages.shared.ui import class_session  # what nobody needs where there is no class

        class_session.present(stop, number, moves)


def is_led_elsewhere() -> bool:
    """Whether a lecturer's window on another machine has led the class on since this one did."""
    if not given().room:
        return False
    from pages.shared.ui import class_session

    return class_session.is_led_elsewhere()
