"""The addresses at which other machines reach this one, and what is said at the start."""

import ipaddress
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import ifaddr
import segno

_ANYWHERE = ("0.0.0.0", "::", "")


def addresses() -> list[str]:
    """IPv4 addresses of this machine on its networks, the most likely one first.

    That is the one from which it would speak to the internet; without internet, as on a hotspot of
    one's own, that of a private network.
    """
    found = [
        address.ip
        for adapter in ifaddr.get_adapters()
        if not adapter.name.startswith(("docker", "br-", "veth", "virbr"))
        for address in adapter.ips
        if isinstance(address.ip, str)
    ]
    first = _towards_internet()
    reachable = [ip for ip in dict.fromkeys(found) if _is_reachable(ip)]
    return sorted(reachable, key=lambda ip: (ip != first, not ipaddress.ip_address(ip).is_private))


def _towards_internet() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses a way
            return probe.getsockname()[0]
        except OSError:
            return ""


def _is_reachable(ip: str) -> bool:
    address = ipaddress.ip_address(ip)
    return not (address.is_loopback or address.is_link_local)


def bases(listens: str, port: int, public: str, path: str = "") -> list[str]:
    """Addresses of the app for others, the one to show first.

    Args:
        listens: The address that the server is bound to.
        port: Its port.
        public: That of a proxy in front of it, if there is one.
        path: Under which the app stands.

    >>> bases("192.168.0.7", 8501, ""), bases("0.0.0.0", 8501, "https://crf.example.org/")
    (['http://192.168.0.7:8501'], ['https://crf.example.org'])
    """
    if public:
        return [public.rstrip("/")]
    hosts = addresses() if listens in _ANYWHERE else [listens]
    under = f"/{path.strip('/')}" if path.strip("/") else ""
    return [f"http://{host}:{port}{under}" for host in hosts]


def qr_in_terminal(link: str) -> str:
    """A QR code in half blocks: black on white whatever the terminal's colours."""
    rows = [list(row) for row in segno.make(link, micro=False).matrix_iter(border=2)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    lines = []
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        blocks = "".join("█▀▄ "[2 * a + b] for a, b in zip(upper, lower, strict=True))
        lines.append(f"\033[97;40m{blocks}\033[0m")
    return "\n".join(lines)


def qr_as_image(link: str) -> str:
    """The same as a data URI of an SVG image."""
    return segno.make(link, micro=False).svg_data_uri(scale=8, border=2, light="white")


def lecturers_link(token: str, to_show: Sequence[str]) -> str:
    """The line with the link by which one leads.

    Args:
        token: Of the lecturer.
        to_show: From `bases`.
    """
    first = to_show[0] if to_show else "http://127.0.0.1"
    return (
        f"  Lecturer:   {first}/lead?token={token}\n"
        "              Keep this link to yourself: whoever opens it leads.\n"
    )


def print_when_asked(text: str) -> bool:
    """Print a text each time Enter is pressed in the terminal that the server was started from.

    Returns:
        Whether there is such a terminal; without one nothing is printed.
    """
    try:
        terminal = sys.stdin.fileno()
        can_ask = os.isatty(terminal) and sys.stdout.isatty() and hasattr(os, "tcgetpgrp")
    except (AttributeError, OSError, ValueError):  # no stdin at all
        return False

    def wait() -> None:
        while True:
            select.select([terminal], [], [])
            if os.tcgetpgrp(terminal) != os.getpgrp():  # in the background keys are not for us
                time.sleep(1)
            elif not os.read(terminal, 1024):
                return
            else:
                print(text, flush=True)

    if can_ask:
        threading.Thread(target=wait, daemon=True).start()
    return can_ask


def announcement(code: str, to_show: Sequence[str], listens: str, lecturer: str) -> str:
    """What is printed when a class begins: how to join, how to lead, what is open.

    Args:
        code: Of the class.
        to_show: From `bases`.
        listens: The address that the server is bound to.
        lecturer: From `lecturers_link`; "" where it is printed at a press of Enter.
    """
    first = to_show[0] if to_show else "http://127.0.0.1"
    link = f"{first}/join?code={code}"
    lines = ["", "  A class is open.", "", qr_in_terminal(link), ""]
    lines += [f"  Students:   {base}/join   code {code}" for base in to_show]
    if not to_show:
        lines += ["  No network was found: this machine has no address for others yet."]
    lines.append(
        lecturer
        or "  Lecturer:   press Enter here, unseen by the class, for the link by which you lead.\n"
    )
    if listens in _ANYWHERE:
        lines += [
            "  What this opens: everyone on these networks can open the app and its lessons, type",
            "  sentences and load problem files into it, for themselves. With the code they follow",
            "  and vote, without names. No file of this machine can be read. What goes over the",
            "  network is not encrypted. Ctrl-C closes it all; answers are kept.",
        ]
    elif any(address.is_loopback for address in _as_address(listens)):
        lines += [
            "  Only this machine can reach it. For a room: streamlit run app.py "
            "--server.address 0.0.0.0 -- --class",
        ]
    return "\n".join([*lines, ""])


def _as_address(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        return [ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)]
    except ValueError:
        return []


def is_loopback(link: str) -> bool:
    """Whether an address leads to this machine only for whoever sits at it.

    >>> is_loopback("http://localhost:8501"), is_loopback("http://10.42.0.1:8501")
    (True, False)
    """
    host = urlsplit(link).hostname or ""
    return host == "localhost" or any(address.is_loopback for address in _as_address(host))
