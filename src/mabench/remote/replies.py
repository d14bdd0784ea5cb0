"""How long a reply from elsewhere may be, and holding servers to it while they send."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import httpx2

from mabench.remote.channel import RemoteError

LONGEST_REPLY = 1 << 25  # Bytes; 32 MiB.
# What is packed cannot be measured before it is unpacked.
PLAIN_REPLIES = {"Accept-Encoding": "identity"}


class LongReplyError(RemoteError):
    """A reply is longer than a reply may be."""

    def __init__(self, sender: str) -> None:
        super().__init__(f"{sender} sent a reply of more than {LONGEST_REPLY:,} bytes")


def limit_reply(response: httpx2.Response, noted: Callable[[str], None] | None = None) -> None:
    """Let a reply fail with a ``LongReplyError`` as soon as it is too long; a hook of a client.

    ``noted`` is told of it first, for clients that do not pass on what fails.

    Raises:
        RemoteError: when the reply is packed.
    """
    packed = response.headers.get("Content-Encoding", "identity")
    if packed != "identity":
        raise RemoteError(f"{_sender(response)} sent a reply packed as {packed}, unasked")
    stream = response.stream
    response.stream = _Limited(stream, _sender(response), noted)


async def limit_reply_async(response: httpx2.Response) -> None:
    """Do as ``limit_reply`` does, for async clients."""
    limit_reply(response)


class _Limited(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    def __init__(self, stream: object, sender: str, noted: Callable[[str], None] | None) -> None:
        self._noted = noted
        self._stream = stream
        self._sender = sender
        self._left = LONGEST_REPLY

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:  # type: ignore[attr-defined]  # of a sync client
            yield self._checked(piece)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:  # type: ignore[attr-defined]  # of an async client
            yield self._checked(piece)

    def close(self) -> None:
        self._stream.close()  # type: ignore[attr-defined]

    async def aclose(self) -> None:
        await self._stream.aclose()  # type: ignore[attr-defined]

    def _checked(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._left < 0:
            error = LongReplyError(self._sender)
            if self._noted:
                self._noted(str(error))
            raise error
        return piece


def _sender(response: httpx2.Response) -> str:
    url = response.url.copy_with(userinfo=b"", query=None, fragment=None)
    return str(url)
