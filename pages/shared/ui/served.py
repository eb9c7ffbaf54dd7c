"""Where the app stands on its server; Streamlit does not put that before routes of ours."""

from streamlit import config


def root() -> str:
    """The path below which everything is: "/", or "/name/" by `--server.baseUrlPath name`."""
    path = (config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}/" if path else "/"
