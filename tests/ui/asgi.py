"""What an ASGI app answers, without a server."""

import asyncio

from benchmarks.raw_client import run_apart


async def exchange(app, path, method="GET", headers=(), body=b"", **scope):
    """Status, headers and body of the answer to one request."""
    sent = []
    parts = [  # the last one first
        {"type": "http.request", "body": b"", "more_body": False},
        {"type": "http.request", "body": body, "more_body": True},
    ]

    async def receive():
        return parts.pop() if parts else await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in dict(headers).items()]
    scope |= {"type": "http", "method": method, "path": path, "headers": raw}
    scope.setdefault("query_string", b"")
    await app(scope, receive, send)
    received = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], received, b"".join(message.get("body", b"") for message in sent)


def answer(app, path, method="GET", headers=(), body=b"", **scope):
    """The same from a test that is not asynchronous."""
    return run_apart(lambda: exchange(app, path, method, headers, body, **scope))
