"""The path of the app on its server."""

from streamlit import config


def root() -> str:
    """The path below which everything is: "/", or "/name/" by `--server.baseUrlPath name`.

    Streamlit does not put it before routes of ours.
    """
    path = (config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}/" if path else "/"
