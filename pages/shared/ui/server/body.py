"""Read a request's body, of a bounded size, from a client that may disconnect meanwhile."""

from starlette.requests import ClientDisconnect, Request


class TooLargeError(ValueError):
    """The body is longer than it may be."""


async def body_of(request: Request, longest: int) -> bytes:
    """The whole body; b"" if the client has disconnected: nobody reads the answer.

    Raises:
        TooLargeError: It is longer than `longest` bytes.
    """
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > longest:
                raise TooLargeError
    except ClientDisconnect:
        return b""
    return body
