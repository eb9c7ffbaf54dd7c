"""The middleware of this server, the outermost first."""

from starlette.middleware import Middleware
from streamlit import config

from pages.shared.course.start_options import StartOptions
from pages.shared.ui.server.own_names import OwnNames


def stack(options: StartOptions) -> list[Middleware]:
    """The middleware that `st.App` is given.

    Args:
        options: Of the start.
    """
    address = config.get_option("server.address") or ""
    return [Middleware(OwnNames, address=address, public=options.public)]
