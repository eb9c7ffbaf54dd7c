"""The middleware of this server, the outermost first."""

import sys
from collections.abc import Mapping

from starlette.middleware import Middleware
from streamlit import config

from pages.shared.course.classroom import classroom
from pages.shared.course.classroom.store import MOST_STUDENTS
from pages.shared.course.start_options import StartOptions
from pages.shared.ui.server import connections, descriptors
from pages.shared.ui.server.compression import Compression
from pages.shared.ui.server.connections import Connections
from pages.shared.ui.server.first_style import FirstStyle
from pages.shared.ui.server.headers import Headers
from pages.shared.ui.server.own_names import OwnNames
from pages.shared.ui.server.refusals import TEXT
from pages.shared.ui.server.uploads import Uploads
from pages.shared.ui.server_path import root


def stack(options: StartOptions) -> list[Middleware]:
    """The middleware that `st.App` is given; says what the machine cannot do for its class."""
    address = config.get_option("server.address") or ""
    limit = descriptors.raise_limit()
    most = max(10, min(limit - descriptors.OWN, connections.MOST))
    who, news = None, ""
    if room := classroom.running():
        phones = connections.phones(limit)
        if phones < MOST_STUDENTS:
            said = TEXT.title("few-phones", phones=phones, files=limit, class_size=MOST_STUDENTS)
            print(said, file=sys.stderr, flush=True)
        from pages.shared.ui.class_session import NEWS, STUDENT

        def of_room(cookies: Mapping[str, str]) -> str:
            return room.named(cookies.get(STUDENT)) or ""

        who, news = of_room, root() + NEWS

    metrics = f"{root()}_stcore/metrics"
    return [
        Middleware(Headers, metrics=metrics, is_class=options.room, embed_from=options.embed_from),
        Middleware(OwnNames, address=address, public=options.public),
        Middleware(Connections, most=most, who=who, news=news),
        Middleware(Uploads, path=f"{root()}_stcore/upload_file"),
        Middleware(FirstStyle, but=f"{root()}beat/"),
        Middleware(Compression, path=f"{root()}static/"),
    ]
