"""Which hosts are this machine."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether only users of this machine can reach it by this host.

    >>> is_loopback("localhost"), is_loopback("10.42.0.1")
    (True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
