"""The middleware of this server, the outermost first."""

import sys

from starlette.middleware import Middleware
from streamlit import config

from pages.shared.course.start_options import StartOptions
from pages.shared.ui import component, fonts
from pages.shared.ui.server import connections, descriptors, first_picture
from pages.shared.ui.server.connections import Connections, Visitor
from pages.shared.ui.server.first_style import FirstStyle
from pages.shared.ui.server.headers import Headers
from pages.shared.ui.server.moved import Moved
from pages.shared.ui.server.own_names import OwnNames
from pages.shared.ui.server.refusals import TEXT
from pages.shared.ui.server.uploads import Uploads
from pages.shared.ui.server_path import root

CLASS_SIZE = 500  # phones
NEWS = "class/news"  # the path of a class's lines


def stack(options: StartOptions, visitor: Visitor | None = None) -> list[Middleware]:
    """The middleware that `st.App` is given; says what the machine cannot do for its class.

    Args:
        options: What the app was started with.
        visitor: Who asks; None where there is no class.
    """
    address = config.get_option("server.address") or ""
    limit = descriptors.raise_limit()
    most = max(10, min(limit - descriptors.OWN, connections.MOST))
    phones = connections.phones(limit)
    if visitor and phones < CLASS_SIZE:
        warning = TEXT.title("few-phones", phones=phones, files=limit, class_size=CLASS_SIZE)
        print(warning, file=sys.stderr, flush=True)
    metrics = f"{root()}_stcore/metrics"
    return [
        Middleware(Headers, metrics=metrics, is_class=options.room, embed_from=options.embed_from),
        Middleware(OwnNames, address=address, public=options.public),
        Middleware(Connections, most=most, visitor=visitor, news=root() + NEWS),
        Middleware(Uploads, path=f"{root()}_stcore/upload_file"),
        Middleware(Moved),
        Middleware(FirstStyle, head=fonts.head() + component.head(), still=first_picture.still),
    ]
