"""The addresses at which other machines reach this one, and the text printed at the start."""

import io
import ipaddress
import os
import select
import socket
import sys
import textwrap
import threading
import time
from collections.abc import Sequence

import ifaddr
import segno

from pages.shared.ui.server.loopback import is_loopback
from pages.teach.classroom.store import say

_ANYWHERE = ("0.0.0.0", "::", "")


def addresses() -> list[str]:
    """IPv4 addresses of this machine on its networks, the most likely one first.

    That is the one from which it would speak to the internet; without internet, as on a hotspot of
    one's own, that of a private network.
    """
    ips = [
        address.ip
        for adapter in ifaddr.get_adapters()
        if not adapter.name.startswith(("docker", "br-", "veth", "virbr"))
        for address in adapter.ips
        if isinstance(address.ip, str)
    ]
    first = _towards_internet()
    by_ip = {ip: ipaddress.ip_address(ip) for ip in ips}
    usable = [ip for ip, at in by_ip.items() if not (at.is_loopback or at.is_link_local)]
    return sorted(usable, key=lambda ip: (ip != first, not by_ip[ip].is_private))


def _towards_internet() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses a way
            return probe.getsockname()[0]
        except OSError:
            return ""


def bases(listens: str, port: int, public: str, path: str = "") -> list[str]:
    """Addresses of the app for others, the one to show first; `public` is that of a proxy.

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
    text = io.StringIO()
    segno.make(link, micro=False).terminal(text, border=2, compact=True)
    *lines, last = text.getvalue().splitlines()
    lines.append(last.replace("▀", "█").replace(" ", "▄"))  # half a line more of the white edge
    return "\n".join(f"\033[97;40m{line}\033[0m" for line in lines)


def qr_as_image(link: str) -> str:
    """The same as a data URI of an SVG image."""
    return segno.make(link, micro=False).svg_data_uri(scale=8, border=2, light="white")


def lecturers_link(token: str, to_show: Sequence[str]) -> str:
    """The lines with the lecturer's link; `to_show` comes from `bases`."""
    line = say("start.lecturer", first=next(iter(to_show), "http://127.0.0.1"), token=token)
    return f"  {line}\n              {say('start.secret')}\n"


def print_when_asked(text: str) -> bool:
    """Print a text at each Enter in the server's terminal; return whether there is a terminal."""
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
                show(text)

    if can_ask:
        threading.Thread(target=wait, daemon=True).start()
    return can_ask


def printable(text: str, encoding: str) -> str:
    r"""A text that an output can write; where it has no half blocks, without the QR code.

    >>> printable("██▄\nlecturer’s link", "ascii"), printable("██▄\n’", "utf-8")
    ("lecturer's link", '██▄\n’')
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        lines = text.replace("’", "'").splitlines()
        text = "\n".join(line for line in lines if not {"█", "▄", "▀"} & {*line})
    return text.encode(encoding, "replace").decode(encoding)


def show(text: str) -> None:
    """Print a text, as well as the terminal can."""
    print(printable(text, sys.stdout.encoding or "ascii"), flush=True)


def announcement(code: str, to_show: Sequence[str], listens: str, lecturer: str) -> str:
    """The text printed when a class begins: how to join, how to lead, what is open.

    Args:
        code: Of the class.
        to_show: From `bases`.
        listens: The address that the server is bound to.
        lecturer: From `lecturers_link`; "" if it is printed when Enter is pressed.
    """
    link = f"{next(iter(to_show), 'http://127.0.0.1')}/join?code={code}"
    students = [say("start.students", base=base, code=code) for base in to_show]
    lines = ["", f"  {say('start.open')}", "", qr_in_terminal(link), ""]
    lines += [f"  {line}" for line in students or [say("start.no-network")]]
    lines.append(lecturer or f"  {say('start.enter')}\n")
    if listens in _ANYWHERE:
        lines += [f"  {line}" for line in textwrap.wrap(say("start.everyone"), 86)]
    elif is_loopback(listens):
        lines.append(f"  {say('start.only-here')}")
    return "\n".join([*lines, ""])
